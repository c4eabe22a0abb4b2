"""How the surrogate reads: observations, recipes told in a text, and executable steps.

Everything is taken from the words a model would be given. The same wording is understood wherever it
stands: a teacher's template, a paragraph of prose, an entry of a memory.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache

from mnemocraft.envs.plancraft import Recipe
from mnemocraft.surrogate.chance import digest

GRID = ("A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2", "C3")
WORDS = (
    "top left", "top middle", "top right",
    "middle left", "centre", "middle right",
    "bottom left", "bottom middle", "bottom right",
)  # fmt: skip
"""The slots of :data:`GRID` in words."""
_PLACE = dict(zip(GRID, range(9), strict=True)) | dict(zip(WORDS, range(9), strict=True))
_AT = rf"(?:the )?({'|'.join(_PLACE)})"

_TARGET = re.compile(r"Craft an item of type: (\S+)")
_HELD = re.compile(r"^ ?- (\S+) (\S+) quantity (\d+)$", re.MULTILINE)
_IMPOSSIBLE = re.compile(r"(\w+) cannot be made from the current inventory")
_EXECUTABLE = re.compile(r"(move|smelt) from (0|[ABC][123]|I\d+) to ([ABC][123]|I\d+) with quantity (\d+)")
_STEP = re.compile(
    rf"smelt (?P<burnt>\d+) (?P<ore>\w+) into (?P<smelted>\w+)"
    rf"|(?:move|take) (?P<made>\d+) (?P<product>\w+) from (?:slot 0|the output slot)"
    rf"|(?:move|put) (?P<taken>\d+) (?P<gone>\w+) from {_AT} to a free"
    rf"|(?:move|put) (?P<put>\d+) (?P<item>\w+)(?: from {_AT})? (?:to|at) {_AT}"
)

Table = tuple[str | None, ...]
"""Items in the nine grid slots, A1 first."""


@dataclass(frozen=True)
class Bench:
    """An observation: what is to be made and where everything lies."""

    target: str
    slots: dict[str, tuple[str, int]]

    @cached_property
    def counts(self) -> dict[str, int]:
        """Items held, the uncollected output not counted."""
        total: Counter[str] = Counter()
        for slot, (item, quantity) in self.slots.items():
            if slot != "0":
                total[item] += quantity
        return dict(total)

    @cached_property
    def table(self) -> Table:
        """Items in the grid."""
        return tuple(self.slots[slot][0] if slot in self.slots else None for slot in GRID)

    @property
    def output(self) -> str | None:
        """What the grid makes."""
        return self.slots["0"][0] if "0" in self.slots else None

    @cached_property
    def free_slot(self) -> str | None:
        """First empty inventory slot."""
        return next((f"I{n}" for n in range(1, 37) if f"I{n}" not in self.slots), None)


@lru_cache(maxsize=1 << 15)
def read_bench(text: str) -> Bench | None:
    """The observation in a text, or None when there is none."""
    target = _TARGET.search(text)
    if target is None:
        return None
    slots = {slot: (item, int(quantity)) for item, slot, quantity in _HELD.findall(text)}
    return Bench(target.group(1), slots)


@lru_cache(maxsize=1 << 14)
def read_impossible(text: str) -> frozenset[str]:
    """Items that a text says cannot be made."""
    return frozenset(_IMPOSSIBLE.findall(text))


@lru_cache(maxsize=1 << 14)
def read_executable(text: str) -> tuple[tuple[str, str, str, int], ...]:
    """Steps that name slots and nothing else: (verb, from, to, quantity)."""
    return tuple((verb, a, b, int(n)) for verb, a, b, n in _EXECUTABLE.findall(text))


@lru_cache(maxsize=1 << 14)
def read_recipes(text: str) -> tuple[Recipe, ...]:
    """The recipes that a text tells step by step, naming items, in order and without repetition."""
    grid: dict[int, list[object]] = {}
    told: dict[Recipe, None] = {}
    for step in _STEP.finditer(text):
        found = step.groupdict()
        places = [place for place in step.groups() if place in _PLACE]
        if found["smelted"]:
            told[smelting(found["smelted"], found["ore"])] = None
        elif found["product"]:
            cells = {cell: str(item) for cell, (item, _) in grid.items()}
            if cells:
                told[shaped(found["product"], int(found["made"]), cells)] = None
            grid = {c: [item, n - 1] for c, (item, n) in grid.items() if n > 1}  # type: ignore[operator]
        elif found["gone"]:
            grid.pop(_PLACE[places[0]], None)
        else:
            if len(places) == 2:
                grid.pop(_PLACE[places[0]], None)
            grid[_PLACE[places[-1]]] = [found["item"], int(found["put"])]
    return tuple(told)


def smelting(result: str, ingredient: str) -> Recipe:
    """The recipe that smelts ``ingredient`` into ``result``."""
    return Recipe(f"told:{ingredient}>{result}", "smelting", result, 1, ingredients=((ingredient,),))


def shaped(result: str, count: int, cells: dict[int, str]) -> Recipe:
    """The recipe that makes ``count`` of ``result`` from items in cells 0 to 8."""
    rows = range(min(cells) // 3, max(cells) // 3 + 1)
    columns = range(min(c % 3 for c in cells), max(c % 3 for c in cells) + 1)
    grid = tuple(tuple((cells[3 * r + c],) if 3 * r + c in cells else () for c in columns) for r in rows)
    return Recipe(f"told:{result}:{digest(count, grid)}", "shaped", result, count, grid=grid)


def accepts(recipe: Recipe, table: Table) -> bool:
    """Whether a recipe, as believed, is complete in a grid."""
    if recipe.kind == "smelting":
        return False
    if recipe.kind == "shapeless":
        return _covers([item for item in table if item is not None], list(recipe.units))
    filled = {cell for cell, item in enumerate(table) if item is not None}
    return any(
        filled == cells.keys() and all(table[c] in allowed for c, allowed in cells.items())
        for cells in recipe.placements()
    )


def _covers(items: list[str], units: list[tuple[str, ...]]) -> bool:
    """Whether items and units can be matched one to one (few of them, so plain search)."""
    if len(items) != len(units):
        return False
    if not items:
        return True
    return any(
        items[0] in unit and _covers(items[1:], units[:n] + units[n + 1 :]) for n, unit in enumerate(units)
    )


def table_of(recipe: Recipe) -> Table:
    """One grid that a recipe describes: top left position, first allowed items."""
    table: list[str | None] = [None] * 9
    if recipe.kind == "shapeless":
        for cell, unit in enumerate(recipe.units):
            table[cell] = unit[0]
    else:
        for cell, unit in next(recipe.placements()).items():
            table[cell] = unit[0]
    return tuple(table)
