"""How items are had: the shortest source by a version's rules, and what the surrogate believes instead."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

from mnemocraft.envs.minecraft.engine import engine
from mnemocraft.envs.minecraft.operators import Operator
from mnemocraft.surrogate.chance import pick
from mnemocraft.surrogate.competence import Competence

STATIONS = ("crafting_table", "furnace")
TOOLS = ("pickaxe", "axe", "shovel", "hoe", "sword", "shears", "bucket")
FUEL, SMELTS = "coal", 8
"""What it burns, and how many items one of it smelts."""
_VERBS = ("mine", "craft", "smelt")
_TIERS = ("wooden", "stone", "iron", "diamond")
_MANY_ROUNDS = 30


@dataclass(frozen=True)
class Source:
    """One way to an item.

    Attributes:
        verb: ``mine``, ``craft`` or ``smelt``.
        item: What comes out.
        makes: Units of it.
        takes: Materials that are used up.
        needs: What must be there and stays: tools, stations.
        fuel: Whether fuel is burnt.
    """

    verb: str
    item: str
    makes: int = 1
    takes: tuple[tuple[str, int], ...] = ()
    needs: tuple[tuple[str, int], ...] = ()
    fuel: bool = False

    @property
    def station(self) -> str:
        """The station, if it needs one."""
        return next((item for item, _ in self.needs if item in STATIONS), "")

    @property
    def tool(self) -> str:
        """The tool, if it needs one."""
        return next((item for item, _ in self.needs if item.rpartition("_")[2] in TOOLS), "")


class Lesson(NamedTuple):
    """Something that was said about how an item is had, and in which message."""

    item: str
    text: str
    place: int


@cache
def shortest(version: str) -> dict[str, Source]:
    """The cheapest source of every item that can be had, by the rules."""
    operators = [source for several in engine(version, "game").operators.values() for source in several]
    operators = [source for source in operators if source.name[0] in _VERBS and source.gives]
    cost: dict[str, float] = {}
    found: dict[str, Source] = {}
    for _ in range(_MANY_ROUNDS):
        before = dict(cost)
        for operator in operators:
            price, source = _priced(operator, cost)
            if source is not None and price < cost.get(source.item, math.inf) - 1e-9:
                cost[source.item], found[source.item] = price, source
        if cost == before:
            break
    return found


def _priced(operator: Operator, cost: dict[str, float]) -> tuple[float, Source | None]:
    """What a source costs in actions if every part is had in the cheapest way known so far."""
    takes = tuple((_cheapest(members, cost), units) for members, units in operator.takes)
    needs = tuple((_cheapest(members, cost), units) for members, units in operator.needs)
    verb, name = operator.name
    given = dict(operator.gives)
    item = name if name in given else operator.gives[0][0]
    burnt = cost.get(FUEL, math.inf) / SMELTS if operator.heat else 0.0
    price = (1 + burnt + _total(takes, cost)) / given[item] + _total(needs, cost)
    if not math.isfinite(price) or (verb == "mine" and name != item):
        return math.inf, None
    return price, Source(verb, item, given[item], takes, needs, operator.heat > 0)


def _cheapest(members: Sequence[str], cost: dict[str, float]) -> str:
    return min(members, key=lambda item: cost.get(item, math.inf))


def _total(parts: Sequence[tuple[str, int]], cost: dict[str, float]) -> float:
    return sum(units * cost.get(item, math.inf) for item, units in parts)


def believed(version: str, item: str, who: Competence, again: int = 0) -> Source:
    """What it believes about an item before anybody says anything.

    Args:
        version: Of the game.
        item: Any word; of what it does not know it believes that it can be mined.
        who: Its competence.
        again: How often it has thought again.
    """
    true = shortest(version).get(item)
    if true is None:
        return Source("mine", item)
    if who.knows(item, "knows", who.seed, version, item, again):
        return true
    mined = ("mine", item) in engine(version, "game").operators  # then that it is mined is no mistake
    mistakes = [source for source in _mistaken(true) if source.verb == true.verb or not mined]
    return pick(mistakes or [true], "mistakes", who.seed, version, item, again)


def _mistaken(source: Source) -> Iterator[Source]:
    """Plausible mistakes: too little, a part, station or fuel forgotten, too weak a tool, a step skipped."""
    for place, (item, units) in enumerate(source.takes):
        before, after = source.takes[:place], source.takes[place + 1 :]
        if units > 1:
            fewer = units - 1 if units < 4 else units // 2
            yield replace(source, takes=(*before, (item, fewer), *after))
        if before or after:
            yield replace(source, takes=before + after)
    for place, (item, units) in enumerate(source.needs):
        before, after = source.needs[:place], source.needs[place + 1 :]
        yield replace(source, needs=before + after)
        if weaker := _weaker(item):
            yield replace(source, needs=(*before, (weaker, units), *after))
    if source.fuel:
        yield replace(source, fuel=False)
    if source.verb == "craft":
        yield Source("mine", source.item)


def _weaker(tool: str) -> str:
    """The pickaxe of the material below; empty if there is none."""
    tier, _, kind = tool.partition("_")
    place = _TIERS.index(tier) if tier in _TIERS and kind == "pickaxe" else 0
    return f"{_TIERS[place - 1]}_{kind}" if place else ""


def corrected(source: Source, version: str, lessons: Sequence[Lesson], who: Competence) -> Source:
    """A belief after what was explained about its item: what an explanation names is right from then on."""
    true = shortest(version).get(source.item)
    if true is None:
        return source
    for lesson in lessons:
        if lesson.item == source.item and who.heeds("explanation", lesson.item, lesson.place):
            source = _taught(source, true, set(re.findall(r"\w+", lesson.text)))
    return source


def _taught(source: Source, true: Source, words: set[str]) -> Source:
    """The belief with all that the words of an explanation name put right."""
    if source.verb != true.verb:
        return true if true.verb in words else source
    takes = dict(source.takes) | {item: units for item, units in true.takes if item in words}
    named = tuple(need for need in true.needs if need[0] in words)
    kept = tuple(need for need in source.needs if _kind(need) not in map(_kind, named))
    ordered = tuple((item, takes[item]) for item, _ in true.takes if item in takes)
    return replace(
        source, takes=ordered, needs=kept + named, fuel=source.fuel or (true.fuel and "fuel" in words)
    )


def _kind(need: tuple[str, int]) -> str:
    """``pickaxe`` for every pickaxe; what is no tool is a kind by itself."""
    kind = need[0].rpartition("_")[2]
    return kind if kind in TOOLS else need[0]
