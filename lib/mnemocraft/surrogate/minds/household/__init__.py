"""A mind for households: it fetches things, makes them clean, hot or cool, and puts them where they belong.

It reads what is known of the room from the aggregated graph where the prompt has one, else from all replies
in the conversation; both are read without loss. It takes the task to mean something and believes something
about the household (:mod:`beliefs`), and goes by fixed rules (:mod:`policy`). What the guide in the system
message says is not read: how much of it is at hand is what ``knowledge`` stands for.
"""

from __future__ import annotations

import re
from functools import cached_property

from mnemocraft.gnn.aggregation import RoomGraph
from mnemocraft.surrogate.chance import pick
from mnemocraft.surrogate.minds import Mind, Step
from mnemocraft.surrogate.minds.household import policy
from mnemocraft.surrogate.minds.household.beliefs import OPENS, TOOL, TOOLS, Beliefs, Wanted, wanted

_TASK = re.compile(r"^(?:Your task is to|Task|Goal|Correct the plan for the task): (.+?)\.?$", re.M)
_FAILED = re.compile(r'I failed at step \d+ "([^"]+)"|^Error Feedback: "([^"]+)"', re.M)
_TREATED = re.compile(r"(?:clean|heat|cool) \w+(?: \d+ with| at) \w+ \d+")
_TAKEN = re.compile(r"take (\w+) \d+ from (\w+ \d+)")
_REVISES = "you answer with a new plan"
"""What the prompt of a planner says whose plans are revised."""
_SUB_GOALS = "VERB THING at RECEPTACLE"
"""What a prompt says where plans are made of sub-goals."""


class HouseholdMind(Mind):
    """A robot in a room."""

    @cached_property
    def room(self) -> RoomGraph:
        """What it knows of the room."""
        seen = self.conversation
        known = RoomGraph.read(seen.scenes[-1])
        if known is None:
            known = RoomGraph()
            for told in seen.told:
                known.merge(told.text)
        if seen.valid:
            places = (line.removeprefix("go to ") for line in seen.valid if line.startswith("go to "))
            known.doors |= {place: None for place in places if place not in known.doors}
            known.merge("", seen.valid)
        return known

    @cached_property
    def sentence(self) -> str:
        """The task."""
        return next((found[1] for told in self.conversation.told if (found := _TASK.search(told.text))), "")

    @cached_property
    def task(self) -> Wanted | None:
        """What it takes the task to mean."""
        return wanted(self.sentence)

    @property
    def wanted(self) -> str:
        """The kind of thing that the task is about."""
        return self.task.thing if self.task else ""

    @cached_property
    def beliefs(self) -> Beliefs:
        """Its beliefs, with what the conversation has put right."""
        seen = self.conversation
        beliefs = Beliefs(self.who, self.sentence, seen.moment)
        if self.task is None:
            return beliefs
        wrong = beliefs.wrong(self.task)
        if "The plan is done, but the task is not." in seen.prompt or (seen.loop and beliefs.heeds("loop")):
            return beliefs.learns(belief for belief in wrong if beliefs.again(belief))
        return beliefs.learns(belief for belief in wrong if self._refuted(beliefs, belief, self.task))

    def _refuted(self, beliefs: Beliefs, belief: str, task: Wanted) -> bool:
        """Whether something that it was told or is shown speaks against a wrong belief, and it notices."""
        seen, state = self.conversation, task.state
        if belief == OPENS:  # the graph says so in plain words
            return any(line.startswith("open ") for line in seen.valid) and self.who.heeds(
                "open", self.sentence
            )
        if not state or belief != TOOL.format(state=state, tool=TOOLS[state]):
            return False
        texts = [told.text for told in seen.told]
        failed = [line for text in texts for pair in _FAILED.findall(text) for line in pair if line]
        failed += [line for line, success in seen.attempts if not success]
        if any(_TREATED.match(line) for line in failed):
            explained = any("Explanation: Because" in text for text in texts)
            return self.who.heeds("explained", self.sentence) if explained else beliefs.again(belief)
        there = any(place.startswith(beliefs.tool(state)) for place in self.room.here)
        return bool(seen.valid) and there and self.who.heeds("not listed", self.sentence)

    @property
    def hints(self) -> tuple[str, ...]:
        """Where a memory says that such a thing was taken from, if it takes that up."""
        texts = [text for _, text in self.conversation.readings]
        texts += [told.text for told in self.conversation.told if "Memory:" in told.text]
        texts += [":".join(self.conversation.experience or ())]
        found = [place for text in texts for thing, place in _TAKEN.findall(text) if thing == self.wanted]
        return tuple(dict.fromkeys(found)) if self.who.heeds("memory", self.sentence) else ()

    # --- what it does -----------------------------------------------------------------------------

    @property
    def controlled(self) -> bool:
        """Whether its actions are sub-goals for a controller."""
        return _SUB_GOALS in self.conversation.system

    def step(self) -> Step | None:
        """One action that nothing speaks against; None when it thinks that all is done."""
        return next(iter(self.plan()), None) if self.controlled else self._command()

    def _command(self) -> Step | None:
        """The next command."""
        seen = self.conversation
        if self.task is None:
            return Step("look", reason="I do not know what is wanted.")
        thought = policy.ideas(self._noticed(), self.task, self.beliefs, self.hints)
        ideas = list(dict.fromkeys(thought)) or self._second_thoughts()
        if experience := self._experience(ideas):
            ideas = [experience, *ideas]
        if seen.valid and self.beliefs.heeds("valid"):
            ideas = [line for line in ideas if line in seen.valid] or ["look"]
        if not ideas:
            return None
        line = ideas[0] if self.controlled else self._written(ideas[0], 0)
        self.progress = f"holding {self.room.held or 'nothing'}"
        return Step(line, reason=f"I want: {self.sentence}. Next: {line}.")

    def plan(self) -> list[Step]:
        """The actions to the end, as it imagines them.

        Where it will be asked again it plans no farther than to the first look at a place it does not know.
        """
        steps: list[Step] = []
        first = self._command()
        if first is None or self.task is None:
            return [first] if first else []
        room, line, beliefs = self.room, first.line, self.beliefs
        revises = _REVISES in self.conversation.system
        goals: list[str] = []
        while len(steps) < policy.LONGEST:
            steps.append(first if not steps else Step(self._written(line, len(steps))))
            goals.append(policy.sub_goal(room, line))
            after = policy.imagine(room, self.task, line)
            looked = set(after.contents) - set(room.contents)
            line = next(policy.ideas(after, self.task, beliefs, self.hints), "")
            if not line or (revises and looked and not self.controlled):
                break
            room = after
        if self.controlled:
            meant = list(filter(None, goals)) or self._looking(first.line)
            return [Step(self._written(goal, n), first.reason) for n, goal in enumerate(meant)]
        return steps

    def _looking(self, command: str) -> list[str]:
        """The sub-goal that only looks somewhere: it picks what is wanted there."""
        _, _, place = command.removeprefix("go to ").rpartition("open ")
        return [f"pick {self.wanted} at {place}"] if place in self.room.doors else []

    def _noticed(self) -> RoomGraph:
        """The room; with probability 1 - ``attention`` what is wanted is overlooked where it stands."""
        if self.beliefs.heeds("notices") or self.room.held:
            return self.room
        room = self.room.copy()
        for place in room.here:
            if place in room.contents:
                room.contents[place] = tuple(
                    o for o in room.contents[place] if not o.startswith(f"{self.wanted} ")
                )
        return room

    def _second_thoughts(self) -> list[str]:
        """What it does when all seems done and the episode goes on: it corrects itself if it can."""
        if self.task is None:
            return []
        again = [belief for belief in self.beliefs.wrong(self.task) if self.beliefs.again(belief)]
        corrected = self.beliefs.learns(again)
        return list(dict.fromkeys(policy.ideas(self.room, self.task, corrected, self.hints))) if again else []

    def _experience(self, ideas: list[str]) -> str:
        """A past action that it follows: where it is about to look around, and the action is possible now."""
        experience = self.conversation.experience
        if (
            experience is None
            or not ideas
            or ideas[0].startswith(("take", "move", "clean", "heat", "cool", "use"))
        ):
            return ""
        possible = experience[1] in self.conversation.valid and experience[1].startswith(("go to", "open"))
        return experience[1] if possible and self.beliefs.heeds("experience") else ""

    def _written(self, line: str, place: int) -> str:
        """The line, or with probability ``slip`` another one."""
        if not self.who.slips("household", self.beliefs.moment, place):
            return line
        start = f"{line.rpartition(' at ')[0]} at" if self.controlled else "go to"
        others = [each for each in self.conversation.valid if each != line] or [
            f"{start} {p}" for p in self.room.doors
        ]
        return pick(others, "slip", self.beliefs.moment, place) if others else line
