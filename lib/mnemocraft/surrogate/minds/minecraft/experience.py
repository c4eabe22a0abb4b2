"""What remembered plans and their outcomes say to the mind for Minecraft.

That it reads them like this is an assumption (``remembered outcomes mend beliefs``): a failure tells what a
step lacked, in the words of the world, and a success shows how its items were had. It never judges whether a
memory is about its own task, and does not ask how old it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from mnemocraft.surrogate.minds.minecraft.sources import FUEL, Lesson

_MEMORY = re.compile(r"^Memory: .*?\bPlan: (.+?)\W+Outcome: (.+)$", re.M)
_SKILL = re.compile(r"^Skill: (.+)$", re.M)
_CALL = re.compile(r'(\w+)\(\{"(\w+)": \d+\}([^)]*)\)')
_INSIGHT = re.compile(r"^(?:Insight|Reflection): (.+)$", re.M)
_WORKED = "what worked: "
_PLAN = re.compile(r"^Plan: (.+)$", re.M)
_DEED = re.compile(r"(\w+) (\d+) (\w+)(.*)")
_SAID = re.compile(r"I cannot (\w+) (\w+)\b(?:: I need ([^|\n]+)|[^|\n]+)")
_NEEDS = re.compile(r"to \w+ (\w+) needs [^|\n]+")
_OTHERWISE = re.compile(r"(\w+) cannot be had with [^|\n]+")
_COUNTED = re.compile(r"\d+ more (.+?) \(have \d+ of (\d+)\)")
_AT_HAND = re.compile(r"an? (\w+(?: or \w+)*) (?:\(or \d+ others\) )?in the inventory")
_AGAIN = 1000
"""Added to the place of a message for its insights: they are taken up, or not, apart from its memories."""


class Deed(NamedTuple):
    """A step of a remembered plan."""

    verb: str
    units: int
    item: str
    rest: str


class Experience(NamedTuple):
    """A plan that was carried out, and what came of it."""

    plan: str
    outcome: str

    @property
    def success(self) -> bool:
        """Whether it reached its goal."""
        return self.outcome.startswith("Success")


def experiences(text: str) -> list[Experience]:
    """The experiences among the memories of a message."""
    return [Experience(*found) for found in _MEMORY.findall(text)]


def deeds(plan: str) -> list[Deed]:
    """The steps of a plan that gain something."""
    found = (_DEED.match(step.strip()) for step in plan.split(";"))
    return [Deed(step[1], int(step[2]), step[3], step[4]) for step in found if step]


def lessons(text: str, place: int) -> Iterator[Lesson]:
    """What the memories, skills and insights of a message say about how items are had."""
    for past in experiences(text):
        yield from _shown(past.plan, place) if past.success else _said(past.outcome, place)
    for skill in _SKILL.findall(text):
        for verb, item, given in _CALL.findall(skill):
            yield Lesson(item, f"{verb} {given}", place)
    for insight in _INSIGHT.findall(text):
        worked = insight.startswith(_WORKED)
        yield from _shown(insight, place + _AGAIN) if worked else _said(insight, place + _AGAIN)


def insights(known: Iterable[Experience]) -> list[str]:
    """What follows from experiences, a line each: what a step needs, and plans that worked."""
    found = []
    for past in known:
        if past.success:
            found.append(_WORKED + past.plan)
        elif said := _SAID.search(past.outcome):
            verb, item, missing = said.groups()
            found.append(f"to {verb} {item} needs {missing}" if missing else said[0])
    return list(dict.fromkeys(found))


def foreseen(text: str, inventory: Mapping[str, int]) -> str:
    """The first remembered failure that a plan repeats; empty if it repeats none.

    What steps of the plan use up between is overlooked.
    """
    plan = deeds((_PLAN.findall(text) or [""])[-1])
    for past in experiences(text):
        said = None if past.success else _SAID.search(past.outcome)
        if said and _repeats(plan, inventory, *said.groups()):
            return said[0]
    return ""


def _repeats(plan: Sequence[Deed], inventory: Mapping[str, int], verb: str, item: str, missing: str) -> bool:
    held = dict(inventory)
    for deed in plan:
        if (deed.verb, deed.item) == (verb, item):
            return not missing or any(
                sum(held.get(name, 0) for name in names.split(" or ")) < int(units)
                for names, units in _demands(missing)
            )
        held[deed.item] = held.get(deed.item, 0) + deed.units
    return False


def _demands(missing: str) -> list[tuple[str, str]]:
    """Names and units of what a failed step lacked."""
    fuel = [(FUEL, "1")] if missing.startswith("fuel") or " fuel for " in missing else []
    return [*_COUNTED.findall(missing), *((names, "1") for names in _AT_HAND.findall(missing)), *fuel]


def _said(text: str, place: int) -> Iterator[Lesson]:
    for found in _SAID.finditer(text):
        yield Lesson(found[2], found[0], place)
    for pattern in (_NEEDS, _OTHERWISE):
        for found in pattern.finditer(text):
            yield Lesson(found[1], found[0], place)


def _shown(plan: str, place: int) -> Iterator[Lesson]:
    """A plan that worked shows of each item how it is had, and from what was had before."""
    before: list[str] = []
    for deed in deeds(plan.removeprefix(_WORKED)):
        fuel = " fuel" if deed.verb == "smelt" else ""
        yield Lesson(deed.item, f"{deed.verb}{deed.rest}{fuel} {' '.join(before)}", place)
        before.append(deed.item)
