"""A mind for the table top: it searches for a plan in the scene as it believes it to be.

What it believes about a thing is right with probability ``knowledge``. If it is wrong, then where things
belong by colour or shape it takes another place for the thing's own, and elsewhere it overlooks what has to
be done before the thing can be moved. What the world or an explanation says about the thing corrects it. A
failure without a word, or a plan that ended without success, makes it think again.
"""

import re
from functools import cached_property

from mnemocraft.envs.tabletop.scene import TABLE, Where, aims, place, refusal
from mnemocraft.envs.tabletop.solver import Move, solve
from mnemocraft.surrogate.chance import pick
from mnemocraft.surrogate.minds import Mind, Step

_THINGS = re.compile(r"^Things: (.+)$", re.M)
_THING = re.compile(r"(\w[\w ]*) \((?:on|in) the ([\w ]+)\)")
_PLACES = re.compile(r"^Places: (.+)$", re.M)
_PLACE = re.compile(r"(\w[\w ]*?)(?: \((?:filled|empty)\))?(?:, |$)")
_SAID = re.compile(r"I cannot (?:pick|place) the ([\w ]+?)(?:: | (?:in|on) the )|: the ([\w ]+?) is there\b")
_LINE = re.compile(r"pick the ([\w ]+) and place it (?:in|on) the ([\w ]+)")
_FAILED = re.compile(r'I failed at step \d+ "([^"]+)"')
_DONE = "Description: I did step"
_ENDED = "The plan is done, but the task is not"
_MATCHED = ("bowl", "hole")
"""Places that things belong to by colour or shape."""


class TabletopMind(Mind):
    """A planner on the table top."""

    @cached_property
    def where(self) -> Where:
        """Where every thing is, as last told."""
        return dict(_THING.findall(self._last(_THINGS)))

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The places there are, as last told."""
        return tuple(_PLACE.findall(self._last(_PLACES)))

    def _last(self, what: re.Pattern[str]) -> str:
        return (what.findall("\n".join(self.conversation.scenes)) or [""])[-1]

    @property
    def wanted(self) -> str:
        """The goal."""
        return self.conversation.goal if self.where else ""

    @cached_property
    def failures(self) -> list[str]:
        """Action lines of which it was told nothing but that they failed."""
        return [line for line, success in self.conversation.attempts if not success]

    @cached_property
    def lessons(self) -> set[str]:
        """Things of which it has taken notice what the world, an explanation or a memory said."""
        said = [text.text for text in self.conversation.told] + [t for _, t in self.conversation.readings]
        return {
            thing
            for place, text in enumerate(said)
            for found in _SAID.findall(text)
            for thing in found
            if self.who.heeds("table top", place, thing)
        }

    def errs(self, thing: str) -> bool:
        """Whether what it believes about a thing is wrong."""
        ended = sum(_ENDED in told.text for told in self.conversation.told)
        again = ended + sum(line.startswith(f"pick the {thing} ") for line in self.failures)
        known = self.who.knows(thing, "table top", self.who.seed, thing, again)
        return not known and thing not in self.lessons

    def aims(self, thing: str) -> frozenset[str]:
        """Where it believes a thing to belong."""
        right = aims(thing, self.places)
        others = [name for name in self.places if place(name).kind in _MATCHED and name not in right]
        if not others or not self.errs(thing):
            return right
        return frozenset({pick(others, "aims", self.who.seed, thing, len(self.failures))})

    def rules_out(self, where: Where, move: Move) -> bool:
        """Whether it takes a move for impossible; of a thing that it is wrong about, none is."""
        thing, target = move
        if self._wrong[thing]:
            return target == TABLE
        return bool(refusal(where, thing, place(target)))

    @cached_property
    def _wrong(self) -> dict[str, bool]:
        return {thing: self.errs(thing) for thing in self.where}

    @cached_property
    def stuck(self) -> set[Move]:
        """Moves that failed and were not followed by one that worked: it begins with another."""
        found: set[Move] = set()
        for told in self.conversation.told:
            if _DONE in told.text or (told.line and told.text.startswith("Success: True")):
                found.clear()
            failed = _FAILED.findall(told.text) or ([told.line] * told.text.startswith("Success: False"))
            found |= {(move[1], move[2]) for line in failed if (move := _LINE.match(line))}
        return found

    def plan(self) -> list[Step]:
        """The moves of a shortest plan in the scene that it believes in; with a slip, one less."""
        if not self.where or not self.places:
            return []
        wanted = {thing: self.aims(thing) for thing in self.where}
        moves = solve(self.where, self.places, wanted, self.rules_out, self.stuck)
        moves = moves or solve(self.where, self.places, wanted, self.rules_out) or []
        turn = self.conversation.turn
        if len(moves) > 1 and self.who.slips("plan", turn, self.wanted):
            moves.remove(pick(moves, "slip", self.who.seed, turn))
        return [Step(f"pick the {t} and place it {place(p).at}", f"the {t} belongs there") for t, p in moves]
