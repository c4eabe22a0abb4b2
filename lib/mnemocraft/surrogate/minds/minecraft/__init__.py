"""A mind for Minecraft: it plans backwards from the task to what is in the inventory.

It believes something about how each item is had (:mod:`sources`, rightly with probability ``knowledge``) and
plans with that (:mod:`planner`). What it is told about an item corrects its belief: an explanation, what the
world says in plain words, a memory, an experience (:mod:`experience`). That a step failed says nothing about
why: after a failure without a word it thinks again about that item, and is right with the same probability.
"""

import re
from functools import cached_property

from mnemocraft.envs.minecraft.engine import engine
from mnemocraft.surrogate.chance import pick
from mnemocraft.surrogate.minds import Mind, Step
from mnemocraft.surrogate.minds.minecraft import experience
from mnemocraft.surrogate.minds.minecraft.planner import Move, Planner, listed
from mnemocraft.surrogate.minds.minecraft.sources import Lesson, Source, believed, corrected

_VERSION = re.compile(r"Minecraft ([\d.]+)\.")
_TASK = re.compile(r"^(?:Task|Correct the plan for the task): obtain (.+)$", re.M)
_INVENTORY = re.compile(r"^Inventory: (.+)$", re.M)
_UNITS = re.compile(r"(\d+) (\w+)")
_FAILED = re.compile(r'I failed at step \d+ "(?:\w+ \d+ (\w+)|\w+\(\{?"?(\w+))')
_EXPLANATION = re.compile(r"^Explanation: (.+)$", re.M)
_SAID = re.compile(r"I cannot \w+ (\w+)\b[^|\n]+|to \w+ (\w+) needs [^|\n]+")
_ENTRY = re.compile(r"^RECIPE: (\w+)(.*?)(?=^RECIPE: |\Z)", re.M | re.S)
_REFLECTED = re.compile(r'^Reflection on "\w+ \d+ (\w+)[^"]*": (.+)$', re.M)
_EXPERIENCE = re.compile(r"^Experience: (.+)$", re.M)
_STEP = re.compile(r"(?:mine|kill|craft|smelt) \d+ (\w+)[^;]*")
_REFLECTIONS, _EXPERIENCES = 1000, 2000
"""Where the places of such lessons begin, so that each is heeded by itself."""
_DEED = re.compile(r"\w+ \d+ (\w+)")
_NUMBERS = {
    "a": 1, "one": 1, "some": 1, "two": 2, "three": 3, "four": 4, "five": 5,
    "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
_VERBS = {
    "mine": "mine chop dig gather collect break harvest punch shear milk",
    "craft": "craft make build create",
    "smelt": "smelt cook burn roast",
    "kill": "kill hunt slay fight attack",
}
_VERB_OF = {word: verb for verb, words in _VERBS.items() for word in words.split()}


class MinecraftMind(Mind):
    """A planner in Minecraft."""

    @cached_property
    def version(self) -> str:
        """The version of the game that the system message names."""
        return _VERSION.findall(self.conversation.system)[0]

    @cached_property
    def target(self) -> dict[str, int]:
        """Units by item that the task asks for."""
        return _units((_TASK.findall("\n".join(self.conversation.views)) or [""])[0])

    @cached_property
    def inventory(self) -> dict[str, int]:
        """Units by item, as last told."""
        *before, now = self.conversation.views
        told = [*before, self.conversation.blocks.get("Observation", now)]
        return _units((_INVENTORY.findall("\n".join(told)) or [""])[-1])

    @property
    def wanted(self) -> str:
        """The item that the task asks for."""
        return next(iter(self.target), "")

    @cached_property
    def lessons(self) -> list[Lesson]:
        """What was said about how items are had, in order."""
        seen = self.conversation
        told = list(enumerate(told.text for told in seen.told))
        said = [lesson for place, text in told for lesson in _lessons(text, place)]
        said += [lesson for place, text in told for lesson in experience.lessons(text, place)]
        return said + [Lesson(query, text, -1) for query, text in seen.readings]

    def moves(self) -> list[Move]:
        """What it would do from here on; with a slip, a step less."""
        turn = self.conversation.turn
        lines = [line for line, success in self.conversation.attempts if not success]
        failed = [found[1] for line in lines if (found := _DEED.match(line))]

        def belief(item: str) -> Source:
            own = believed(self.version, item, self.who, failed.count(item))
            return corrected(own, self.version, self.lessons, self.who)

        moves = Planner(belief, self.inventory).plan(self.target, self.inventory)
        if len(moves) > 1 and self.who.slips("plan", turn, *self.target):
            moves.remove(pick(moves, "slip", self.who.seed, turn))
        return moves

    def plan(self) -> list[Step]:
        """The moves as action lines."""
        said = dict.fromkeys(text.rstrip(".") for _, text, _ in self.lessons if "\n" not in text)
        self.note = f" Lessons: {' | '.join(said)}." if said else ""
        steps = []
        for move in self.moves():
            source = move.source
            needed = listed([*move.takes, *source.needs]) or "nothing"
            steps.append(
                Step(
                    line=f"{source.verb} {move.gained} {source.item}",
                    reason=f"to {source.verb} {source.item} needs {needed}",
                    detail=move.words,
                    after=f"then there are {move.before + move.gained} {source.item}",
                )
            )
        return steps

    def insights(self) -> list[str]:
        """What the remembered failures lacked, and the plans that worked."""
        prompt = self.conversation.prompt
        known = experience.experiences(prompt)
        return experience.insights(past for past in known if self.who.heeds("experience", *past))

    def foresees(self) -> str:
        """The first remembered failure that the plan repeats, if it takes notice."""
        why = experience.foreseen(self.conversation.prompt, self.inventory)
        return why if why and self.who.heeds("foresees", self.conversation.moment) else ""

    def translate(self, text: str) -> str:
        """A step in somebody's own words as verb, count and item."""
        words = re.findall(r"\w+", text.lower())
        verb = next((_VERB_OF[word] for word in words if word in _VERB_OF), "")
        number = next((int(word) for word in words if word.isdigit()), 0) or next(
            (_NUMBERS[word] for word in words if word in _NUMBERS), 1
        )
        named = " ".join(word.rstrip("s") for word in words)
        known = engine(self.version, "game").operators
        fitting = [item for other, item in known if other == verb]
        items = [item for item in fitting if item.replace("_", " ").rstrip("s") in named]
        return f"{verb} {number} {max(items, key=len)}" if items else "none"


def _units(text: str) -> dict[str, int]:
    return {item: int(number) for number, item in _UNITS.findall(text)}


def _lessons(text: str, place: int) -> list[Lesson]:
    """What a message says about how items are had: its explanation, or else the world's own words."""
    if composed := _composed(text):
        return composed
    failed, explained = _FAILED.search(text), _EXPLANATION.search(text)
    if failed or explained:
        return [Lesson(failed[1] or failed[2], explained[1], place)] if failed and explained else []
    said = [Lesson(found[1] or found[2], found[0], place) for found in _SAID.finditer(text)]
    return said + [Lesson(item, entry, place) for item, entry in _ENTRY.findall(text)]


def _composed(text: str) -> list[Lesson]:
    """What plans that worked and reflections say, in a prompt that working memory composed."""
    reflected = _REFLECTED.findall(text)
    found = [Lesson(item, said, place) for place, (item, said) in enumerate(reflected, _REFLECTIONS)]
    for place, told in enumerate(_EXPERIENCE.findall(text), _EXPERIENCES):
        found += [Lesson(step[1], step[0], place) for step in _STEP.finditer(told)]
    return found
