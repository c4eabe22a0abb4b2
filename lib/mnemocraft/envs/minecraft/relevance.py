"""Which operators can matter for a target: backward from it, forward from what is at hand, no circles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

from mnemocraft.envs.minecraft.engine import TextWorldEngine
from mnemocraft.envs.minecraft.fire import fired
from mnemocraft.envs.minecraft.operators import Demand, Operator

_SMALL = 3
"""Of larger families (planks, logs, wool) one member stands for those that nobody asks for by name."""
_FUELS = ("coal", "charcoal", "lava_bucket")
"""Fuels worth getting; others burn only if they are at hand or part of the plan anyway."""

Goal = tuple[Demand, ...]


def relevant(world: TextWorldEngine, goal: Goal, held: Mapping[str, int]) -> list[Operator] | None:
    """Operators that a shortest plan may use, burning included; None if the goal is out of reach.

    Of a family the members at hand, those that what is at hand makes cheaper, those asked for by name and the
    cheapest one are kept, and of a small one all that can be had before the cheapest. Tools and stations are
    not burnt.
    """
    have = {item for item, units in held.items() if units}
    every, costs = _priced(world, frozenset(have))
    if any(all(item not in costs for item in members) for members, _ in goal):
        return None
    dear = _priced(world, frozenset())[1]
    eased = {item for item, cost in costs.items() if cost < dear.get(item, float("inf"))}
    search = _Backward([way for way in every if is_open(way, costs)], have, costs, eased)
    kept = search.ways(goal, world.real)
    kept = [way for way in kept if not _circular(way, kept, have)]
    wanted = {item for way in kept for members, _ in way.demands for item in members}
    wanted |= {item for members, _ in goal for item in members} | have | set(_FUELS)
    tools = {item for way in kept for members, _ in way.needs for item in members}
    if not world.real:
        return kept
    return fired(world.rules, kept, [fuel for fuel in world.rules.fuels if fuel in wanted - tools])


def is_open(way: Operator, reach: Mapping[str, float] | set[str]) -> bool:
    """True if some member of everything that an operator asks for is within reach, in whatever number."""
    return all(any(item in reach for item in members) for members, _ in way.demands)


def grown(ways: Iterable[Operator], reach: Iterable[str]) -> set[str]:
    """What operators make available, one through another, from ``reach``; nothing is used up."""
    found, waiting = set(reach), list(ways)
    while ready := [way for way in waiting if is_open(way, found)]:
        waiting = [way for way in waiting if not is_open(way, found)]
        found |= {item for way in ready for item, _ in way.gives}
    return found


@lru_cache(maxsize=64)
def _priced(world: TextWorldEngine, have: frozenset[str]) -> tuple[list[Operator], dict[str, float]]:
    """Operators that a plan may use, and the costs of what they make."""
    every = [way for (verb, item), ways in world.operators.items() for way in ways if _plain(verb, item, way)]
    return every, _costs(every, have)


def _plain(verb: str, item: str, way: Operator) -> bool:
    """False for other names of the same: kill a cow, mine coal ore (mine beef, mine coal are kept)."""
    return verb != "kill" and any(given == item for given, _ in way.gives)


def _costs(ways: list[Operator], have: Iterable[str]) -> dict[str, float]:
    """Additive cost of one unit of each item that can be had: actions, shared ones counted again."""
    costs = dict.fromkeys(have, 0.0)
    changed = True
    while changed:
        changed = False
        for way in ways:
            if is_open(way, costs):
                demands = way.demands
                price = 1 + sum(n * min(costs[i] for i in members if i in costs) for members, n in demands)
                for item, units in way.gives:
                    if price / units < costs.get(item, float("inf")) - 1e-9:
                        costs[item] = price / units
                        changed = True
    return costs


class _Backward:
    """From a goal backward to all operators that serve it.

    Args:
        every: Operators within reach.
        have: Items at hand.
        costs: Cost of each item that can be had.
        eased: Items whose cost is lower for what is at hand.
    """

    def __init__(
        self, every: list[Operator], have: set[str], costs: Mapping[str, float], eased: set[str]
    ) -> None:
        self.every, self.have, self.costs, self.eased = every, have, costs, eased
        self.by_item: dict[str, list[int]] = {}
        for place, way in enumerate(every):  # not by what is left over: nobody bakes a cake for its buckets
            self.by_item.setdefault(way.name[1], []).append(place)
        self.named: set[str] = set()
        self._without: dict[str, set[str]] = {}

    def ways(self, goal: Goal, burns: bool) -> list[Operator]:
        """Operators that give something asked for, directly or through others, with families cut down."""
        self._name(goal)
        self.named |= {given for way in self._closure(goal, burns) for given, _ in way.gives}
        return self._closure(goal, burns)  # now what is made anyway may stand in wherever it will do

    def _closure(self, goal: Goal, burns: bool) -> list[Operator]:
        kept: dict[int, Operator] = {}
        open_items = [item for demand in goal for item in self._members(demand)[0]]
        seen: set[str] = set()
        while open_items:
            item = open_items.pop()
            for place in self.by_item.get(item, ()) if item not in seen else ():
                way = kept[place] = self._slim(self.every[place])
                open_items += [i for members, _ in way.demands for i in members]
                if burns and way.heat:
                    open_items += [fuel for fuel in _FUELS if fuel in self.costs]
            seen.add(item)
        return [kept[place] for place in sorted(kept)]

    def _name(self, goal: Goal) -> None:
        """Note the items asked for by their own name, from the goal backward through such demands alone."""
        open_items = [members[0] for members, _ in goal if len(members) == 1]
        while open_items:
            item = open_items.pop()
            if item not in self.named:
                self.named.add(item)
                ways = (self.every[place] for place in self.by_item.get(item, ()))
                demands = [demand for way in ways for demand in way.demands]
                open_items += [members[0] for members, _ in demands if len(members) == 1]

    def _slim(self, way: Operator) -> Operator:
        takes, needs = (tuple(self._members(demand) for demand in part) for part in (way.takes, way.needs))
        return replace(way, takes=takes, needs=needs)

    def _members(self, demand: Demand) -> Demand:
        members, units = demand
        reach = [item for item in members if item in self.costs]
        cheapest = min(reach, key=self.costs.__getitem__)
        kept = self.have | self.eased | self.named | {cheapest}
        if len(reach) > 1 and len(members) <= _SMALL:
            kept |= self._reach_without(cheapest)
        return tuple(item for item in reach if item in kept), units

    def _reach_without(self, item: str) -> set[str]:
        """What can be had by somebody who never has ``item``."""
        if item not in self._without:
            others = [way for way in self.every if all(given != item for given, _ in way.gives)]
            self._without[item] = grown(others, self.have - {item})
        return self._without[item]


def landmarks(ways: list[Operator], goal: Goal, held: Mapping[str, int]) -> list[str]:
    """Items without which the goal cannot be reached, and which are not at hand."""
    have = {item for item, units in held.items() if units}
    found = []
    for item in dict.fromkeys(given for way in ways for given, _ in way.gives):
        if item not in have:
            reach = grown([way for way in ways if all(given != item for given, _ in way.gives)], have)
            if any(all(i not in reach for i in members) for members, _ in goal):
                found.append(item)
    return found


def _circular(way: Operator, ways: list[Operator], have: set[str]) -> bool:
    """True if whatever the operator gives had to be there before (ingot from a block of ingots)."""
    return all(_asks_for(way, item, ways, have) for item, _ in way.gives)


def _asks_for(way: Operator, item: str, ways: list[Operator], have: set[str]) -> bool:
    if item in have or not (way.takes or way.needs):
        return False
    others = [other for other in ways if all(given != item for given, _ in other.gives)]
    return not is_open(way, grown(others, have))
