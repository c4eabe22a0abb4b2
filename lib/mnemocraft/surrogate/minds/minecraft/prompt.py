"""What the surrogate reads of a dialogue about Minecraft."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mnemocraft.llm.types import Message

_ROLES = {
    "planner": re.compile(r"You plan for an agent that plays Minecraft ([\d.]+)\."),
    "explainer": re.compile(r"You explain why a step failed for an agent that plays Minecraft ([\d.]+)\."),
    "parser": re.compile(r"You translate lines of a plan for an agent that plays Minecraft ([\d.]+)\."),
}
_FORMAT = re.compile(r"^# Answer format: (.+)$", re.M)
_TASK = re.compile(r"^Task: obtain (.+)$", re.M)
_INVENTORY = re.compile(r"^Inventory: (.+)$", re.M)
_UNITS = re.compile(r"(\d+) (\w+)")
_FAILED = re.compile(r'I failed at step \d+ "\w+\(\{?"?(\w+)')
_EXPLANATION = re.compile(r"^Explanation: (.+)$", re.M)
_ACTION = re.compile(r"^Action: \w+ \d+ (\w+)", re.M)


def role_of(messages: Sequence[Message]) -> str:
    """``planner``, ``explainer`` or ``parser``; empty if the conversation is about something else."""
    first = str(messages[0]["content"]) if messages and messages[0]["role"] == "system" else ""
    return next((role for role, marker in _ROLES.items() if marker.match(first)), "")


def version_of(messages: Sequence[Message]) -> str:
    """The version of the game that the system message names."""
    found = (marker.match(str(messages[0]["content"])) for marker in _ROLES.values())
    return next(match[1].rstrip(".") for match in found if match)


@dataclass(frozen=True)
class Lesson:
    """Something the dialogue says about how an item is had: an explanation, and which message it is in."""

    item: str
    text: str
    place: int


class Dialogue:
    """A planner's dialogue.

    Args:
        messages: System message first.
        sample: Repeat index of the request.

    Attributes:
        version: Of the game.
        format: The answer format that is asked for.
        target: Units by item that the task asks for.
        inventory: Units by item, as last told.
        lessons: What was explained, in order.
        failures: How often each item's step has failed without a word about why.
        stubborn: Failures in a row up to now.
        turn: Number of messages, and the repeat index; it makes slips independent.
    """

    def __init__(self, messages: Sequence[Message], sample: int) -> None:
        self.version = version_of(messages)
        self.format = (_FORMAT.findall(str(messages[0]["content"])) or [""])[0]
        told = [str(message["content"]) for message in messages[1:] if message["role"] == "user"]
        self.target = _units((_TASK.findall("\n".join(told)) or [""])[0])
        self.inventory = _units((_INVENTORY.findall("\n".join(told)) or [""])[-1])
        self.lessons = [lesson for place, text in enumerate(told) if (lesson := _lesson(text, place))]
        self.failures, self.stubborn = _failures(messages)
        self.turn = f"{len(messages)} {sample}"


def _units(text: str) -> dict[str, int]:
    return {item: int(number) for number, item in _UNITS.findall(text)}


def _lesson(text: str, place: int) -> Lesson | None:
    failed, explained = _FAILED.search(text), _EXPLANATION.search(text)
    return Lesson(failed[1], explained[1], place) if failed and explained else None


def _failures(messages: Sequence[Message]) -> tuple[Mapping[str, int], int]:
    """Failures by item, and in a row, of a dialogue of single steps."""
    failures: dict[str, int] = {}
    row = 0
    for answer, told in pairwise(messages):
        action = _ACTION.search(str(answer["content"])) if answer["role"] == "assistant" else None
        if action and str(told["content"]).startswith("Success: "):
            failed = str(told["content"]).startswith("Success: False")
            row = row + 1 if failed else 0
            if failed:
                failures[action[1]] = failures.get(action[1], 0) + 1
    return failures, row
