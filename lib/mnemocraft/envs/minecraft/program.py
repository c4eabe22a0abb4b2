"""The integer program of a plan: how often each operator is applied, before anything is put in order.

Every real plan fulfils it, so its optimum is a lower bound; a plan of that length is a shortest one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from mnemocraft.envs.minecraft.cuts import Cut
from mnemocraft.envs.minecraft.engine import TextWorldEngine
from mnemocraft.envs.minecraft.fire import BURN
from mnemocraft.envs.minecraft.operators import Demand, Operator
from mnemocraft.envs.minecraft.relevance import landmarks

if TYPE_CHECKING:
    from scipy.optimize import LinearConstraint

_MANY = 10_000
"""More than any plan applies one operator."""
_COSTS = {"mine": 1 + 1e-5, BURN: 1e-5}
"""What an operator costs, others 1: of two plans of one length, the one that burns and mines less."""


@dataclass
class Rows:
    """Linear constraints, built row by row: sum of coefficient times column >= bound (or == bound)."""

    entries: list[tuple[int, int, float]] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)

    def add(self, terms: Mapping[int, float], low: float, high: float = np.inf) -> None:
        """Append one row."""
        self.entries += [(len(self.low), column, value) for column, value in terms.items() if value]
        self.low.append(low)
        self.high.append(high)

    def constraint(self, columns: int) -> LinearConstraint:
        """The matrix for SciPy."""
        from scipy.optimize import LinearConstraint
        from scipy.sparse import csr_array

        rows, cols, values = zip(*self.entries, strict=True)
        matrix = csr_array((values, (rows, cols)), shape=(len(self.low), columns))
        return LinearConstraint(matrix, self.low, self.high)


class Program:
    """Counts of operators that turn what is held into the goal.

    Args:
        world: TextWorldEngine; under the real rules units of a family mix.
        ways: Operators to use.
        goal: What to have at the end.
        held: What is there at the start.
    """

    def __init__(
        self,
        world: TextWorldEngine,
        ways: list[Operator],
        goal: tuple[Demand, ...],
        held: Mapping[str, int],
    ) -> None:
        self.world, self.ways, self.goal, self.held = world, ways, goal, held
        self.rows = Rows()
        self._columns = len(ways)
        self.taken: list[list[dict[str, int]]] = [
            [{item: self._column() for item in members} for members, _ in way.takes] for way in ways
        ]
        self._stock: dict[str, dict[int, float]] = {}
        self._made: dict[str, dict[int, float]] = {}
        self._switches: list[int] = []
        self._flows()
        self._balances()
        self._tools()
        for item in landmarks(ways, goal, held):
            self.rows.add(self._made[item], 1)

    def _column(self) -> int:
        self._columns += 1
        return self._columns - 1

    def _switch(self) -> int:
        """A column that is 0 or 1."""
        self._switches.append(self._column())
        return self._switches[-1]

    def _flows(self) -> None:
        """What an operator takes, over the members of each ingredient, is what it asks."""
        for x, way in enumerate(self.ways):
            for item, units in way.gives:
                self._made.setdefault(item, {})[x] = self._made.get(item, {}).get(x, 0) + units
            for (_, asked), columns in zip(way.takes, self.taken[x], strict=True):
                unit = 1 if self.world.real else asked  # without mixing, one member gives all of it
                for item, column in columns.items():
                    self._stock.setdefault(item, {})[column] = -unit
                self.rows.add({x: asked} | dict.fromkeys(columns.values(), -unit), 0, 0)

    def _balances(self) -> None:
        """Nothing is used that is not there; the goal is there at the end."""
        asked = {members[0]: units for members, units in self.goal if len(members) == 1}
        for item in sorted({*self._stock, *asked}):
            self.rows.add(self._change(item), asked.get(item, 0) - self.held.get(item, 0))
        for members, units in self.goal:
            if len(members) > 1:
                change = _sum(*(self._change(item) for item in members))
                self.rows.add(change, units - sum(self.held.get(item, 0) for item in members))

    def _change(self, item: str) -> dict[int, float]:
        """By how much each column changes the stock of an item."""
        return _sum(self._made.get(item, {}), self._stock.get(item, {}))

    def _tools(self) -> None:
        """Who uses a tool or a station has it or makes it."""
        for x, way in enumerate(self.ways):
            demands = [d for d in way.needs if sum(self.held.get(i, 0) for i in d[0]) < d[1]]
            if not demands:
                continue
            used = self._switch()
            self.rows.add({used: _MANY, x: -1}, 0)
            for members, units in demands:
                made = _sum(*(self._made.get(item, {}) for item in members))
                self.rows.add(made | {used: -units}, -sum(self.held.get(i, 0) for i in members))

    def solve(self) -> np.ndarray | None:
        """Applications of each operator and units taken; None if there is no solution."""
        from scipy.optimize import Bounds, milp  # half a second to import, and who only plays needs no plan

        integer = np.ones(self._columns)
        high = np.full(self._columns, float(_MANY))
        high[self._switches] = 1
        cost = np.zeros(self._columns)
        cost[: len(self.ways)] = [_COSTS.get(way.name[0], 1.0) for way in self.ways]
        found = milp(
            cost,
            integrality=integer,
            bounds=Bounds(0, high),
            constraints=self.rows.constraint(self._columns),
            options={"mip_rel_gap": 0.0},
        )
        return None if found.x is None else np.rint(found.x).astype(int)

    def demand_way_out(self, cut: Cut) -> None:
        """Forbid what a :class:`~mnemocraft.envs.minecraft.cuts.Cut` says no plan can be."""
        ways_out: dict[int, float] = {}
        for x, least in cut.frontier.items():
            if least == 1:
                ways_out[x] = _MANY
                continue
            reached = self._switch()
            self.rows.add({x: 1, reached: -least}, 0)
            ways_out[reached] = _MANY
        self.rows.add(ways_out | dict.fromkeys(cut.outside, -1.0), 0)


def _sum(*parts: Mapping[int, float]) -> dict[int, float]:
    total: dict[int, float] = {}
    for part in parts:
        for column, value in part.items():
            total[column] = total.get(column, 0) + value
    return total
