"""Circles in a solution of the integer program, and what every real plan does instead.

A solution may lend what it makes later: a pickaxe of the stone that it mines, a furnace of stone from beyond
a portal that needs the furnace. Nothing being used up, how often each operator is applied bounds what there
can be of each item; operators that ask for more than that are never reached. The cut says: whoever uses such
an operator applies another one, or one of the others more often (the landmark cuts of delete-free planning,
e.g. Bonet and Castillo 2011, with numbers).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mnemocraft.envs.minecraft.operators import Operator

_ENDLESS = 1_000_000


@dataclass(frozen=True)
class Cut:
    """Who applies an operator ``outside`` applies one of the ``frontier`` at least so often (by place)."""

    outside: list[int]
    frontier: dict[int, int]


class Reach:
    """What can be reached with limited numbers of applications.

    Args:
        ways: Operators.
        held: Items at hand.
        mix: Whether units of different members add up.
    """

    def __init__(self, ways: Sequence[Operator], held: Mapping[str, int], mix: bool) -> None:
        self.ways, self.held, self.mix = ways, held, mix

    def open(self, limits: Mapping[int, int]) -> set[int]:
        """Operators that can be applied if each is applied up to its limit (0 if it has none)."""
        most = dict(self.held)
        found: set[int] = set()
        while True:
            new = [x for x in range(len(self.ways)) if x not in found and self._met(x, most)]
            if not new:
                return found
            found.update(new)
            for x in new:
                for item, units in self.ways[x].gives:
                    most[item] = most.get(item, 0) + units * limits.get(x, 0)

    def _met(self, x: int, most: Mapping[str, int]) -> bool:
        total = sum if self.mix else max
        return all(
            total([most.get(item, 0) for item in members]) >= asked for members, asked in self.ways[x].demands
        )

    def cut(self, counts: Mapping[int, int]) -> Cut | None:
        """What is wrong with the numbers of a solution; None if all its operators can be reached.

        Args:
            counts: How often each operator is applied, those of 0 left out.
        """
        if self._all_reached(counts, counts):
            return None
        limits = dict(counts)
        frontier: dict[int, int] = {}
        reached = self.open(limits)
        while waiting := [x for x in sorted(reached) if x not in frontier and limits.get(x, 0) < _ENDLESS]:
            for x in waiting:
                limits[x] = self._raised(x, limits, counts)
                if limits[x] < _ENDLESS:
                    frontier[x] = limits[x] + 1
            reached = self.open(limits)
        return Cut([x for x in range(len(self.ways)) if x not in reached], frontier)

    def _all_reached(self, limits: Mapping[int, int], counts: Mapping[int, int]) -> bool:
        return set(counts) <= self.open(limits)

    def _raised(self, x: int, limits: Mapping[int, int], counts: Mapping[int, int]) -> int:
        """The highest limit of an operator that leaves the solution's circle closed."""
        low, high = limits.get(x, 0), _ENDLESS
        if not self._all_reached({**limits, x: high}, counts):
            return high
        step = 1
        while not self._all_reached({**limits, x: low + step}, counts):
            low, step = low + step, 2 * step
        high = low + step
        while high - low > 1:
            middle = (low + high) // 2
            if self._all_reached({**limits, x: middle}, counts):
                high = middle
            else:
                low = middle
        return low
