"""Minds: what the surrogate believes about a world, and how it reasons there.

A mind is opened for one request. It owes the formats one thing, :meth:`Mind.plan`; the rest follows from
that, unless a world has something better to say.
"""

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass

from mnemocraft.surrogate.competence import Competence
from mnemocraft.surrogate.conversation import Call, Conversation

_COUNTED = re.compile(r"\b(\d+) ([a-z]+(?:_[a-z]+)*)\b")
_NAMED = re.compile(r"\b(?:[a-z]+(?:_[a-z]+)+|[a-z]+\d+)\b")
_NUMBER = re.compile(r"^\d+[.)] *")


@dataclass(frozen=True)
class Step:
    """Something it means to do.

    Attributes:
        line: The action line, as the world takes it.
        reason: Why, or what it needs, in one line.
        detail: The line with what it takes; empty where that says no more.
        after: What it expects to be there afterwards.
    """

    line: str
    reason: str = ""
    detail: str = ""
    after: str = ""


class Mind(ABC):
    """A reader of one request about one world.

    Args:
        conversation: The request.
        who: How good a reader answers.

    Attributes:
        note: Lessons, as a sentence to be carried on; empty if there are none. It is complete once the mind
            has planned.
        progress: Account of what stands already, to be carried on.
    """

    note = progress = ""

    def __init__(self, conversation: Conversation, who: Competence) -> None:
        self.conversation, self.who = conversation, who

    @property
    @abstractmethod
    def wanted(self) -> str:
        """What it would look up or ask about: the item or the goal; empty if it cannot tell."""

    @abstractmethod
    def plan(self) -> list[Step]:
        """What it would do from what it sees now to the end; nothing when all is done."""

    def step(self) -> Step | None:
        """What it would do now; None when all is done."""
        return next(iter(self.plan()), None)

    def subtasks(self) -> list[str]:
        """What is left of the current task, in its own words or as action lines."""
        return [step.line for step in self.plan()]

    def call(self) -> Call | None:
        """Its next tool call: look up, think, act; None when it cannot tell what is wanted."""
        seen = self.conversation
        if not self.wanted or "act" not in seen.tools:
            return None
        fresh = seen.tools - {told.call[0] for told in seen.told if told.call}
        if {"act", "read_memory"} <= fresh and self.who.heeds("look up", seen.views[0]):
            return "read_memory", {"recipe": self.wanted}
        if {"act", "think"} <= fresh and self.who.heeds("think first", seen.views[0]):
            return "think", {"thought": f"I need the steps that lead to this: {self.wanted}."}
        step = self.step()
        return ("act", {"action": step.line}) if step else None

    def helps(self, memory: str) -> bool:
        """Whether a memory helps in the situation shown: here whether it names what is wanted."""
        named = bool(self.wanted) and self.wanted in memory
        return named and self.who.heeds("relevance", self.wanted, memory)

    def entry(self, recipe: str, answer: str) -> tuple[list[str], list[str], list[str]]:
        """An expert's answer as an entry for a memory: materials, steps and other items it names."""
        counted = [f"{units} {item}" for units, item in _COUNTED.findall(answer)]
        named = [item for item in _NAMED.findall(answer) if item != recipe]
        lines = [_NUMBER.sub("", line.strip()) for line in answer.splitlines() if line.strip()]
        return list(dict.fromkeys(counted)), lines, list(dict.fromkeys(named))

    def retell(self, plan: str, style: str) -> str:
        """A teacher's plan in some style."""
        return plan

    def agree(self, reference: str, answer: str) -> bool:
        """Whether two texts tell the same steps."""
        return reference.split() == answer.split()

    def insights(self) -> list[str]:
        """What follows from the experiences that are shown, a line each."""
        return []

    def foresees(self) -> str:
        """Why the plan that is shown will fail, by the experiences shown; empty if it will not."""
        return ""

    def translate(self, text: str) -> str:
        """A step in somebody's own words as an action line, or ``none``."""
        return "none"
