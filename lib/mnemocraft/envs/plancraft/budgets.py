"""How often to apply which recipe, whatever the order: the core of the planner, solved in two ways.

Both ways find the smallest number of applications whose total effect turns a stock into one that holds the
target. :func:`backward` works from what is lacking to the recipes that make it and is fast, but may not end
where recipes feed one another in a circle; :class:`IntegerProgram` always decides.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import NamedTuple

import numpy as np

from mnemocraft.envs.plancraft.recipes import Cell, Recipe, RecipeBook

_NODES = 300
"""Partial budgets that :func:`backward` looks at before it leaves the case to the integer program."""

_EXTRA = 0.005
"""Cost of a craft that breaks ties between budgets of equal size (up to 90 crafts)."""


@dataclass(frozen=True)
class Problem:
    """The part of a recipe book that can matter for one target and one stock.

    Attributes:
        target: Item to make.
        recipes: Recipes that lead to the target and whose inputs are in reach, quantities aside; the nearest
            to the target first.
        needs: For each recipe, its :attr:`~Recipe.needs` without the items out of reach.
    """

    target: str
    recipes: tuple[Recipe, ...]
    needs: tuple[tuple[tuple[Cell, int], ...], ...]

    @classmethod
    def of(cls, book: RecipeBook, target: str, have: Mapping[str, int]) -> Problem | None:
        """The problem of making ``target``; None if it is out of reach even with unlimited quantities."""
        candidates = [
            r for item in (target, *sorted(book.ancestors(target))) for r in book.by_result.get(item, ())
        ]
        reach, blocked, size = set(have), candidates, -1
        while size != len(reach):
            size = len(reach)
            waiting, blocked = blocked, []
            for recipe in waiting:
                if any(reach.isdisjoint(cell) for cell, _ in recipe.needs):
                    blocked.append(recipe)
                else:
                    reach.add(recipe.result)
        if target not in reach:
            return None
        recipes = _nearest_first(book, target, reach, frozenset(blocked))
        return cls(target, tuple(recipes), tuple(_needs_within(recipe, reach) for recipe in recipes))

    @cached_property
    def makers(self) -> dict[str, tuple[int, ...]]:
        """Numbers of the recipes that make an item."""
        made: dict[str, tuple[int, ...]] = {}
        for k, recipe in enumerate(self.recipes):
            made[recipe.result] = (*made.get(recipe.result, ()), k)
        return made

    @cached_property
    def most(self) -> dict[str, int]:
        """The most units of an item that one application makes."""
        return {item: max(self.recipes[k].count for k in ks) for item, ks in self.makers.items()}


def _nearest_first(
    book: RecipeBook, target: str, reach: set[str], blocked: frozenset[Recipe]
) -> list[Recipe]:
    """The recipes that are not blocked and lead to the target, in order of their distance from it."""
    recipes: list[Recipe] = []
    seen, frontier = {target}, [target]
    while frontier:
        layer = [r for item in frontier for r in book.by_result.get(item, ()) if r not in blocked]
        recipes += layer
        frontier = sorted({item for r in layer for item in r.inputs if item in reach} - seen)
        seen.update(frontier)
    return recipes


def _needs_within(recipe: Recipe, reach: set[str]) -> tuple[tuple[Cell, int], ...]:
    """The needs of a recipe without the items out of reach; what has become the same need is one again."""
    needs: Counter[Cell] = Counter()
    for cell, n in recipe.needs:
        needs[tuple(item for item in cell if item in reach)] += n
    return tuple(needs.items())


class Use(NamedTuple):
    """Units of ``item`` that go into the need ``cell`` of the recipe with this number."""

    recipe: int
    cell: Cell
    item: str


@dataclass
class Budget:
    """A solution: applications by the number of the recipe, and units by use."""

    times: dict[int, int]
    units: dict[Use, int]

    @property
    def crafts(self) -> int:
        """Number of applications."""
        return sum(self.times.values())


class Undecided(Exception):
    """The backward search has used up its nodes."""


@dataclass(frozen=True)
class _Partial:
    """Applications chosen so far and what follows from them.

    Attributes:
        times: Applications of each recipe.
        net: Units of each item after these applications, without those for the needs in ``open``; below zero
            where more must be made.
        open: Units needed of cells that accept several items, chosen among what is left over in the end.
    """

    times: tuple[int, ...]
    net: dict[str, int]
    open: dict[Cell, int]

    def plus(self, problem: Problem, k: int) -> _Partial:
        """One more application of recipe ``k``."""
        net, open_needs, recipe = dict(self.net), dict(self.open), problem.recipes[k]
        net[recipe.result] = net.get(recipe.result, 0) + recipe.count
        for cell, n in problem.needs[k]:
            if len(cell) == 1:
                net[cell[0]] = net.get(cell[0], 0) - n
            else:
                open_needs[cell] = open_needs.get(cell, 0) + n
        return _Partial((*self.times[:k], self.times[k] + 1, *self.times[k + 1 :]), net, open_needs)

    def lacking(self) -> dict[Cell, int]:
        """Sets of items of which some must still be made, and how many units at least."""
        short: dict[Cell, int] = {(item,): -n for item, n in self.net.items() if n < 0}
        for cell, n in self.open.items():
            missing = n - sum(max(0, self.net.get(item, 0)) for item in cell)
            if missing > 0:
                short[cell] = missing
        return short


def backward(problem: Problem, have: Mapping[str, int]) -> Budget | None:
    """Best-first search from what is lacking; None if the target cannot be made.

    The estimate of what is left counts the crafts that each lacking item needs for itself.

    Raises:
        Undecided: Too many partial budgets.
    """
    start = _Partial((0,) * len(problem.recipes), {**have, problem.target: -1}, {})
    serial = count()
    frontier = [(0, 0, next(serial), start)]
    seen = {start.times}
    for _ in range(_NODES):
        if not frontier:
            return None
        _, minus_crafts, _, partial = heapq.heappop(frontier)
        lacking = partial.lacking()
        if not lacking:
            return _finished(problem, partial)
        crafts = 1 - minus_crafts
        cell = min(lacking, key=lambda cell: sum(len(problem.makers.get(item, ())) for item in cell))
        for k in (k for item in cell for k in problem.makers.get(item, ())):
            more = partial.plus(problem, k)
            if more.times in seen:
                continue
            seen.add(more.times)
            left = _at_least(problem, more.lacking())
            if left is not None:
                heapq.heappush(frontier, (crafts + left, -crafts, next(serial), more))
    raise Undecided


def _at_least(problem: Problem, lacking: dict[Cell, int]) -> int | None:
    """A lower bound of the crafts still needed; None if something lacking cannot be made at all."""
    counted: set[str] = set()
    crafts = 0
    for cell, n in lacking.items():
        most = max(problem.most.get(item, 0) for item in cell)
        if most == 0:
            return None
        if counted.isdisjoint(cell):  # otherwise one craft may serve both
            crafts += -(-n // most)
            counted.update(cell)
    return crafts


def _finished(problem: Problem, partial: _Partial) -> Budget:
    """The budget of a partial that lacks nothing: open needs take what is left over most of."""
    times = {k: n for k, n in enumerate(partial.times) if n}
    left, units = Counter(partial.net), Counter[Use]()
    needs = [(k, cell, n * applied) for k, applied in times.items() for cell, n in problem.needs[k]]
    for k, cell, missing in needs:
        if len(cell) == 1:
            units[Use(k, cell, cell[0])] = missing
            continue
        for item in sorted(cell, key=lambda item: -left[item]):
            n = min(missing, left[item])
            units[Use(k, cell, item)] += n
            left[item] -= n
            missing -= n
        if missing:
            raise Undecided  # needs that overlap in part: not worth a matching of our own
    return Budget(times, dict(+units))


class IntegerProgram:
    """Fewest applications as an integer program (solved by HiGHS)."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        numbered = list(enumerate(problem.needs))
        self._uses = [Use(k, cell, item) for k, needs in numbered for cell, _ in needs for item in cell]
        self._items = sorted({use.item for use in self._uses} | problem.makers.keys())
        self._rows = np.vstack([self._effects(), self._balances()])
        # Distinct small extras, together less than one craft, single out one of several shortest budgets.
        crafts, uses = (np.arange(n) / n for n in (len(problem.recipes), len(self._uses)))
        self._cost = np.concatenate([1 + _EXTRA * crafts, _EXTRA / 10 * uses])

    def _effects(self) -> np.ndarray:
        """Change of each item (rows) by each variable (columns: recipes, then uses)."""
        row = {item: i for i, item in enumerate(self._items)}
        recipes = self.problem.recipes
        effect = np.zeros((len(row), len(recipes) + len(self._uses)))
        for column, recipe in enumerate(recipes):
            effect[row[recipe.result], column] = recipe.count
        for column, use in enumerate(self._uses, start=len(recipes)):
            effect[row[use.item], column] = -1
        return effect

    def _balances(self) -> np.ndarray:
        """One row per need of each recipe: units used minus units needed."""
        needs = {(k, cell): n for k, rows in enumerate(self.problem.needs) for cell, n in rows}
        row = {need: i for i, need in enumerate(needs)}
        balance = np.zeros((len(needs), len(self.problem.recipes) + len(self._uses)))
        for (k, cell), n in needs.items():
            balance[row[k, cell], k] = -n
        for column, use in enumerate(self._uses, start=len(self.problem.recipes)):
            balance[row[use.recipe, use.cell], column] = 1
        return balance

    def solve(self, have: Mapping[str, int]) -> Budget | None:
        """The smallest budget; None if there is none at all."""
        from scipy.optimize import Bounds, LinearConstraint, milp  # half a second to import

        least = [(item == self.problem.target) - have.get(item, 0) for item in self._items]
        balances = len(self._rows) - len(least)
        result = milp(
            self._cost,
            integrality=np.ones(len(self._cost)),
            bounds=Bounds(0, np.inf),
            constraints=LinearConstraint(
                self._rows, [*least, *[0] * balances], [*[np.inf] * len(least), *[0] * balances]
            ),
            options={"mip_rel_gap": 0},
        )
        if result.x is None:
            return None
        values = [round(x) for x in result.x]
        crafts = len(self.problem.recipes)
        units = dict(zip(self._uses, values[crafts:], strict=True))
        times = {k: n for k, n in enumerate(values[:crafts]) if n}
        return Budget(times, {use: n for use, n in units.items() if n})
