"""Plancraft's recipes as small immutable values, with indexes for crafting and planning.

The data are the Minecraft 1.16 files inside the ``plancraft`` package. They are read directly, in the order
of their names, so that nothing depends on the order in which a file system lists them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mnemocraft.errors import unreadable

if TYPE_CHECKING:
    import networkx as nx

Cell = tuple[str, ...]
"""Items that one crafting cell (or one ingredient unit) accepts, sorted; empty = the cell must be empty."""

_CELLS = 9


def package_file(*parts: str) -> Path:
    """Path of a file that the ``plancraft`` package carries (without importing its modules)."""
    return Path(str(files("plancraft").joinpath(*parts)))


@dataclass(frozen=True)
class Recipe:
    """One way to make ``count`` times ``result``.

    Attributes:
        name: Stable id, the stem of the recipe's file, e.g. ``"charcoal"``.
        kind: ``"shaped"`` (uses ``grid``), ``"shapeless"`` or ``"smelting"`` (use ``ingredients``).
        result: Item made.
        count: How many of it one application makes.
        grid: Rows of cells of a shaped recipe.
        ingredients: One cell per unit of a shapeless recipe; exactly one of a smelting recipe.
    """

    name: str
    kind: Literal["shaped", "shapeless", "smelting"]
    result: str
    count: int
    grid: tuple[tuple[Cell, ...], ...] = ()
    ingredients: tuple[Cell, ...] = ()

    def __hash__(self) -> int:
        return hash((self.name, self.result, self.count))

    @cached_property
    def units(self) -> tuple[Cell, ...]:
        """Allowed items of every ingredient unit that one application consumes."""
        return self.ingredients or tuple(cell for row in self.grid for cell in row if cell)

    @cached_property
    def needs(self) -> tuple[tuple[Cell, int], ...]:
        """:attr:`units` grouped: each different set of allowed items, and how many units of it."""
        return tuple((cell, self.units.count(cell)) for cell in dict.fromkeys(self.units))

    @cached_property
    def inputs(self) -> frozenset[str]:
        """Every item that this recipe can consume."""
        return frozenset(item for cell in self.units for item in cell)

    def placements(self) -> Iterator[dict[int, Cell]]:
        """Where a shaped recipe fits, top left first: ``{table index 0..8: allowed items}`` per position."""
        height, width = len(self.grid), max(len(row) for row in self.grid)
        for top, left in product(range(4 - height), range(4 - width)):
            yield {
                (top + i) * 3 + left + j: cell
                for i, row in enumerate(self.grid)
                for j, cell in enumerate(row)
                if cell
            }


class RecipeBook:
    """An immutable set of recipes; compared and hashed by identity, so that it can key a cache.

    Args:
        recipes: The recipes. Where two fit the same table, the earlier one is made.
    """

    def __init__(self, recipes: Iterable[Recipe]) -> None:
        self.recipes = tuple(recipes)
        self._ancestors: dict[str, frozenset[str]] = {}

    @cached_property
    def by_result(self) -> dict[str, tuple[Recipe, ...]]:
        """The recipes that make an item."""
        return _grouped((recipe.result, recipe) for recipe in self.recipes)

    @cached_property
    def by_input(self) -> dict[str, tuple[Recipe, ...]]:
        """The recipes that can consume an item."""
        return _grouped((item, recipe) for recipe in self.recipes for item in sorted(recipe.inputs))

    @cached_property
    def smelts(self) -> dict[str, Recipe]:
        """The smelting recipe that an item goes into (the first one, if there are several)."""
        smelting = (recipe for recipe in reversed(self.recipes) if recipe.kind == "smelting")
        return {item: recipe for recipe in smelting for item in recipe.units[0]}

    def match(self, table: Sequence[str | None]) -> tuple[Recipe, tuple[int, ...]] | None:
        """What nine cells make: the recipe and the indexes of the cells it uses, or None.

        Args:
            table: Item or None for the cells A1, A2, A3, B1 ... C3.
        """
        used = tuple(i for i, item in enumerate(table) if item is not None)
        if not used:
            return None
        key = tuple(sorted(item for item in table if item is not None))
        best = self._shapeless.get(key, len(self.recipes))
        for order, cells in self._shaped.get((used, table[used[0]]), ()):
            if order < best and all(table[i] in cell for i, cell in cells.items()):
                best = order
        return (self.recipes[best], used) if best < len(self.recipes) else None

    def ancestors(self, target: str) -> frozenset[str]:
        """Every item that may become part of ``target``, at any depth (``target`` itself if in a cycle)."""
        if target not in self._ancestors:
            found: set[str] = set()
            open_items = [target]
            while open_items:
                makers = self.by_result.get(open_items.pop(), ())
                new = {item for recipe in makers for item in recipe.inputs} - found
                found |= new
                open_items += new
            self._ancestors[target] = frozenset(found)
        return self._ancestors[target]

    def graph(self) -> nx.DiGraph:
        """Recipe graph: an edge from every ingredient to what it can become part of."""
        import networkx as nx  # slow to import, and only the curriculum needs the graph

        graph = nx.DiGraph()
        for recipe in self.recipes:
            graph.add_edges_from((item, recipe.result) for item in sorted(recipe.inputs))
        return graph

    @cached_property
    def _shapeless(self) -> dict[tuple[str, ...], int]:
        """Order of the first shapeless recipe that accepts a sorted tuple of items."""
        index: dict[tuple[str, ...], int] = {}
        for order, recipe in enumerate(self.recipes):
            if recipe.kind == "shapeless" and len(recipe.units) <= _CELLS:
                for items in product(*recipe.units):
                    index.setdefault(tuple(sorted(items)), order)
        return index

    @cached_property
    def _shaped(self) -> dict[tuple[tuple[int, ...], str | None], list[tuple[int, dict[int, Cell]]]]:
        """Shaped placements by the cells they fill and the item in the first of these."""
        index: dict[tuple[tuple[int, ...], str | None], list[tuple[int, dict[int, Cell]]]] = {}
        for order, recipe in enumerate(self.recipes):
            for cells in recipe.placements() if recipe.kind == "shaped" else ():
                used = tuple(sorted(cells))
                for item in cells[used[0]]:
                    index.setdefault((used, item), []).append((order, cells))
        return index


def _grouped(pairs: Iterable[tuple[str, Recipe]]) -> dict[str, tuple[Recipe, ...]]:
    groups: dict[str, list[Recipe]] = {}
    for key, recipe in pairs:
        groups.setdefault(key, []).append(recipe)
    return {key: tuple(recipes) for key, recipes in groups.items()}


@cache
def book() -> RecipeBook:
    """The real recipes: all shaped, shapeless and smelting recipes of the package (the kinds it plays)."""
    folder = package_file("environment", "recipes")
    tags = _tags()
    with unreadable(folder):
        data = ((path.stem, json.loads(path.read_text())) for path in sorted(folder.glob("*.json")))
        return RecipeBook(recipe for name, raw in data if (recipe := _parse(name, raw, tags)))


@cache
def max_stack() -> dict[str, int]:
    """How many of each item fit in one slot, for all items of the game."""
    path = package_file("environment", "assets", "constants.json")
    with unreadable(path):
        items = json.loads(path.read_text())["items"]
        return {item["type"]: item["stackSize"] if item["stackable"] else 1 for item in items}


def _bare(name: str) -> str:
    return name.removeprefix("#").removeprefix("minecraft:")


def _tags() -> dict[str, list[str]]:
    folder = package_file("environment", "tags")
    with unreadable(folder):
        return {path.stem: json.loads(path.read_text())["values"] for path in sorted(folder.glob("*.json"))}


def _allowed(raw: Any, tags: dict[str, list[str]]) -> Cell:
    """Items that an ingredient entry (an item, a tag, or a list of entries) stands for."""

    def expand(entry: Any) -> Iterator[str]:
        if isinstance(entry, list):
            for part in entry:
                yield from expand(part)
        elif isinstance(entry, dict):
            yield from expand(entry["item"]) if "item" in entry else expand("#" + entry["tag"])
        elif entry.startswith("#"):
            yield from expand(tags[_bare(entry)])
        else:
            yield _bare(entry)

    return tuple(sorted(set(expand(raw))))


def _parse(name: str, raw: dict[str, Any], tags: dict[str, list[str]]) -> Recipe | None:
    match raw["type"]:
        case "minecraft:crafting_shaped":
            key = {symbol: _allowed(entry, tags) for symbol, entry in raw["key"].items()}
            grid = tuple(tuple(key.get(symbol, ()) for symbol in row) for row in raw["pattern"])
            result = raw["result"]
            return Recipe(name, "shaped", _bare(result["item"]), result.get("count", 1), grid=grid)
        case "minecraft:crafting_shapeless":
            cells = tuple(_allowed(entry, tags) for entry in raw["ingredients"])
            result = raw["result"]
            return Recipe(name, "shapeless", _bare(result["item"]), result.get("count", 1), ingredients=cells)
        case "minecraft:smelting":
            cells = (_allowed(raw["ingredient"], tags),)
            return Recipe(name, "smelting", _bare(raw["result"]), 1, ingredients=cells)
    return None  # stonecutting, smithing, dyeing ...: Plancraft does not play these
