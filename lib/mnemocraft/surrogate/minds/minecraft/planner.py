"""Planning backwards: from the task, over what is believed, to what is in the inventory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from mnemocraft.surrogate.minds.minecraft.sources import FUEL, SMELTS, Source

LONGEST = 80
"""Steps after which it stops planning."""


@dataclass(frozen=True)
class Move:
    """A step of a plan: a source, how often, and the units of its item before and after (as believed)."""

    source: Source
    times: int
    before: int

    @property
    def gained(self) -> int:
        """Units that come out."""
        return self.times * self.source.makes

    @property
    def takes(self) -> tuple[tuple[str, int], ...]:
        """Materials and fuel for all of it."""
        materials = tuple((item, units * self.times) for item, units in self.source.takes)
        return (*materials, (FUEL, -(-self.times // SMELTS))) if self.source.fuel else materials

    @property
    def words(self) -> str:
        """``craft 1 stone_sword from 2 cobblestone and 1 stick, on crafting_table``."""
        source = self.source
        taken = f" from {listed(self.takes)}" if self.takes else ""
        station = f", on {source.station}" if source.station else ""
        tool = f" with {source.tool}" if source.tool and source.verb == "mine" else ""
        return f"{source.verb} {self.gained} {source.item}{tool}{taken}{station}"


def listed(parts: Iterable[tuple[str, int]]) -> str:
    """``2 cobblestone and 1 stick``."""
    return " and ".join(f"{units} {item}" for item, units in parts)


class Planner:
    """Plans for one task.

    Args:
        belief: What is believed about how an item is had.
        inventory: Units by item at the start.
    """

    def __init__(self, belief: Callable[[str], Source], inventory: Mapping[str, int]) -> None:
        self._belief, self._held = belief, dict(inventory)
        self._pending: list[str] = []
        self.moves: list[Move] = []

    def obtain(self, item: str, units: int) -> None:
        """Append the steps after which so many units of an item are there, counting what is there."""
        lacking = units - self._held.get(item, 0)
        if lacking <= 0 or len(self.moves) > LONGEST:
            return
        source = Source("mine", item) if item in self._pending else self._belief(item)
        move = Move(source, -(-lacking // source.makes), 0)
        self._pending.append(item)
        for need, number in source.needs:
            self.obtain(need, number)
        for material, number in move.takes:  # set aside, so that one part does not use up another's
            self.obtain(material, number)
            self._held[material] = self._held.get(material, 0) - number
        self._pending.pop()
        self.moves.append(move)
        self._held[item] = self._held.get(item, 0) + move.gained

    def plan(self, target: Mapping[str, int], inventory: Mapping[str, int]) -> list[Move]:
        """The steps to a target, equal ones joined where nothing speaks against it."""
        for item, units in target.items():
            self.obtain(item, units)
        joined, works = _counted(_joined(self.moves), inventory)
        return joined if works else _counted(self.moves, inventory)[0]


def _joined(moves: list[Move]) -> list[Move]:
    """Every item in one step, where it is first had."""
    first: dict[Source, Move] = {}
    for move in moves:
        same = first.get(move.source)
        first[move.source] = replace(move, times=move.times + (same.times if same else 0))
    return list(first.values())


def _counted(moves: list[Move], inventory: Mapping[str, int]) -> tuple[list[Move], bool]:
    """The moves with the units of their items before them; whether each has what it takes, as is believed."""
    held, counted, works = dict(inventory), [], True
    for move in moves:
        works = works and all(held.get(i, 0) >= units for i, units in (*move.takes, *move.source.needs))
        counted.append(replace(move, before=max(0, held.get(move.source.item, 0))))
        for item, units in move.takes:
            held[item] = held.get(item, 0) - units
        held[move.source.item] = held.get(move.source.item, 0) + move.gained
    return counted, works
