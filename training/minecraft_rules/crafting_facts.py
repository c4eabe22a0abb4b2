"""Recipes, smelting and tags of each version, in one notation, out of the source packages.

An ingredient is written as an item, as a tag (``#planks``) or as several of these joined by ``|``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from training.minecraft_rules.packages import Packages

Tags = dict[str, list[str]]
Entry = dict[str, Any]
"""A recipe as the rules file has it: ``make``, ``count`` and, where they apply, ``table``, ``shaped``,
``rows`` (cells by row) or ``of`` (units by ingredient)."""

_OWN_GRID = 2
_OWN_CELLS = 4


def tags(packages: Packages, version: str, hand: dict[str, Any]) -> Tags:
    """Families of items: 1.16.5's, with what 1.19.2 added to them; 1.11.2 had none, so by hand."""
    more: Tags = hand.get(f"tags {version}", {})
    if version == "1.11.2":
        return dict(sorted(more.items()))
    raw = {name: data["values"] for name, data in packages.plancraft("tags")}
    found = {name: list(_spelt_out(name, raw)) for name in raw}
    for name, members in (hand["tags 1.16.5"] | more).items():
        found[name] = list(dict.fromkeys([*found.get(name, ()), *members]))
    if version == "1.19.2":
        found["fence_gates"] = [*hand["tags 1.16.5"]["fence_gates"], "mangrove_fence_gate"]
        stems = [*found["crimson_stems"], *found["warped_stems"]]
        found["logs"] = [*found["logs_that_burn"], *stems]
    return dict(sorted(found.items()))


def _spelt_out(name: str, raw: dict[str, list[str]]) -> Iterator[str]:
    for value in raw[name]:
        if value.startswith("#"):
            yield from _spelt_out(_bare(value[1:]), raw)
        else:
            yield _bare(value)


def smelting(packages: Packages, version: str, hand: dict[str, Any]) -> list[list[str]]:
    """Pairs of result and ingredient; of a result, in the order of the source."""
    if version == "1.11.2":
        recipes = packages.minedojo["smeltingRecipes"]
        pairs = [[r["outputItemName"], "|".join(r["ingredients"])] for r in recipes]
        return _unique([result, of] for result, of in sorted(pairs, key=lambda p: p[0]) if result != of)
    found = []
    for _, raw in packages.plancraft("recipes"):
        if raw["type"] == "minecraft:smelting":
            found.append([_bare(raw["result"]), _ingredient(raw["ingredient"])])
    return sorted(found) + hand.get(f"smelting {version}", {}).get("add", [])


def recipes(packages: Packages, version: str, hand: dict[str, Any], families: Tags) -> list[Entry]:
    """Crafting recipes of a version."""
    if version == "1.11.2":
        return _counted(packages, hand["recipes_left_out"][version])
    if version == "1.16.5":
        return [entry for _, raw in packages.plancraft("recipes") if (entry := _with_tags(raw))]
    return _folded(packages, version, families)


def _counted(packages: Packages, left_out: list[list[str]]) -> list[Entry]:
    """MineDojo's recipes: units by ingredient, no layout; ``recipeSize`` is the number of cells."""
    found = []
    for raw in packages.minedojo["craftingRecipes"]:
        result, of = raw["outputItemName"], raw["ingredients"]
        shaped = raw["type"].startswith("Shaped")
        if not (shaped or raw["type"].startswith("Shapeless")) or result in of:
            continue
        if [result, "+".join(sorted(of))] not in left_out:
            table = raw["recipeSize"] not in (1, 2, _OWN_CELLS) if shaped else sum(of.values()) > _OWN_CELLS
            found.append(_entry(result, raw["outputCount"], table, shaped) | {"of": of})
    return sorted(_unique(found), key=lambda entry: entry["make"])


def _with_tags(raw: dict[str, Any]) -> Entry | None:
    """A recipe file of the game; None if it is for another station or depends on an item's data."""
    if raw["type"] not in ("minecraft:crafting_shaped", "minecraft:crafting_shapeless"):
        return None
    result, count = _bare(raw["result"]["item"]), raw["result"].get("count", 1)
    if "pattern" in raw:
        key = {symbol: _ingredient(of) for symbol, of in raw["key"].items()} | {" ": ""}
        return _shaped(result, count, [[key[symbol] for symbol in row] for row in raw["pattern"]])
    return _shapeless(result, count, [_ingredient(of) for of in raw["ingredients"]])


def _shaped(result: str, count: int, rows: list[list[str]]) -> Entry:
    table = len(rows) > _OWN_GRID or max(len(row) for row in rows) > _OWN_GRID
    return _entry(result, count, table, True) | {"rows": rows}


def _shapeless(result: str, count: int, cells: list[str]) -> Entry:
    return _entry(result, count, len(cells) > _OWN_CELLS, False) | {"of": dict(Counter(cells))}


def _entry(result: str, count: int, table: bool, shaped: bool) -> Entry:
    entry: Entry = {"make": result, "count": count}
    return entry | ({"table": True} if table else {}) | ({} if shaped else {"shaped": False})


def _ingredient(raw: Any) -> str:
    """One notation for the game's three: an item, a tag, a list of these."""
    if isinstance(raw, list):
        return "|".join(_ingredient(entry) for entry in raw)
    return "#" + _bare(raw["tag"]) if "tag" in raw else _bare(raw["item"])


def _bare(name: str) -> str:
    return name.removeprefix("minecraft:")


def expanded(packages: Packages, version: str) -> Iterator[tuple[str, int, list[list[str]], bool]]:
    """minecraft-data's recipes: result, count, cells by row and whether these are shaped.

    Each member of a family has a recipe of its own there.
    """
    names = {item["id"]: item["name"] for item in packages.minecraft_data(version, "items")} | {None: ""}
    for variants in packages.minecraft_data(version, "recipes").values():
        for raw in variants:
            result = raw["result"]
            shaped = "inShape" in raw
            ids = raw["inShape"] if shaped else [raw["ingredients"]]
            yield names[result["id"]], result["count"], [[names[i] for i in row] for row in ids], shaped


def _folded(packages: Packages, version: str, families: Tags) -> list[Entry]:
    """minecraft-data's recipes with the members of a family folded into one again."""
    groups: dict[tuple[str, int, bool], list[list[list[str]]]] = {}
    for result, count, rows, shaped in expanded(packages, version):
        groups.setdefault((result, count, shaped), []).append(rows if shaped else [sorted(rows[0])])
    found = []
    for (result, count, shaped), grids in groups.items():
        for rows in _fold(grids, families):
            found.append(_shaped(result, count, rows) if shaped else _shapeless(result, count, rows[0]))
    return sorted(found, key=lambda entry: entry["make"])


def _fold(grids: list[list[list[str]]], families: Tags) -> list[list[list[str]]]:
    """Join grids that differ in one item only, until none do."""
    while True:
        by_hole: dict[str, list[tuple[str, list[list[str]]]]] = {}
        for grid in grids:
            for item in dict.fromkeys(cell for row in grid for cell in row if cell):
                by_hole.setdefault(str(_replace(grid, item, "?")), []).append((item, grid))
        joined = max(by_hole.values(), key=len)
        if len(joined) == 1:
            return grids
        first, rest = joined[0][1], [grid for _, grid in joined]
        family = _family([item for item, _ in joined], families)
        position = grids.index(first)
        grids = [grid for grid in grids if grid not in rest]
        grids.insert(position, _replace(first, joined[0][0], family))


def _replace(grid: list[list[str]], item: str, by: str) -> list[list[str]]:
    return [[by if cell == item else cell for cell in row] for row in grid]


def _family(members: list[str], families: Tags) -> str:
    for name, family in families.items():
        if set(family) == set(members):
            return "#" + name
    return "|".join(members)


def _unique(entries: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for entry in entries:
        if entry not in found:
            found.append(entry)
    return found
