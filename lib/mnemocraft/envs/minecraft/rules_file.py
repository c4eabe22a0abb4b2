"""Reading a rules file: JSON, where everything that is short is a list of values in a fixed order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mnemocraft.envs.minecraft.facts import (
    Biome,
    Block,
    CraftingRecipe,
    Drop,
    Gather,
    Item,
    Loot,
    Mob,
    Ore,
    Rules,
    Smelting,
    Tool,
    Tree,
)


def parse(raw: Mapping[str, Any]) -> Rules:
    """The rules that the content of a file stands for."""
    return Rules(
        version=raw["version"],
        items={name: Item(name, *values) for name, values in raw["items"].items()},
        tools={name: Tool(*values) for name, values in raw["tools"].items()},
        recipes=tuple(_recipe(entry) for entry in raw["recipes"]),
        smelting=tuple(Smelting(*entry) for entry in raw["smelting"]),
        tags={name: tuple(members) for name, members in raw["tags"].items()},
        blocks={name: _block(name, values, raw["toolsets"]) for name, values in raw["blocks"].items()},
        mobs={name: _mob(name, values) for name, values in raw["mobs"].items()},
        gathers=tuple(Gather(e[0], e[1], e[2], tuple(e[3]), e[4]) for e in raw["gathers"]),
        fuels=dict(raw["fuels"]),
        remains=dict(raw["remains"]),
        ores=tuple(_ore(*entry) for entry in raw["ores"]),
        trees={name: Tree(*values) for name, values in raw["trees"].items()},
        biomes={name: _biome(name, values) for name, values in raw["biomes"].items()},
        gates=raw["gates"],
    )


def _recipe(entry: Mapping[str, Any]) -> CraftingRecipe:
    rows = tuple(tuple(row) for row in entry.get("rows", ()))
    ingredients = entry.get("of")
    if ingredients is None:
        counts: dict[str, int] = {}
        for cell in (cell for row in rows for cell in row if cell):
            counts[cell] = counts.get(cell, 0) + 1
        ingredients = counts
    table, shaped = entry.get("table", False), entry.get("shaped", True)
    return CraftingRecipe(entry["make"], entry["count"], table, tuple(ingredients.items()), rows, shaped)


def _ore(block: str, low: int, high: int, veins: float, size: int, shape: str, biomes: list[str]) -> Ore:
    return Ore(block, low, high, veins, size, shape, tuple(biomes))


def _drop(item: str, low: int, high: int, chance: float, tools: list[str] | tuple[str, ...] = ()) -> Drop:
    return Drop(item, low, high, chance, tuple(tools))


def _loot(pools: list[list[list[Any]]]) -> Loot:
    return tuple(tuple(_drop(*drop) for drop in pool) for pool in pools)


def _block(name: str, values: list[Any], toolsets: list[list[str]]) -> Block:
    hardness, tool, group, harvest, drops, solid, light, transparent, found = values
    wanted = tuple(toolsets[harvest]) if harvest is not None else ()
    loot = ((Drop(name),),) if drops is None else _loot(drops)
    return Block(name, hardness, tool, group, wanted, loot, bool(solid), light, bool(transparent), found)


def _mob(name: str, values: list[Any]) -> Mob:
    health, attack, hostile, drops, sheared, found = values
    return Mob(name, health, attack, bool(hostile), _loot(drops), _loot(sheared), found)


def _biome(name: str, values: list[Any]) -> Biome:
    number, temperature, rainfall, dimension, trees, animals = values
    pairs = tuple((species, density) for species, density in trees)
    herds = tuple((mob, weight, low, high) for mob, weight, low, high in animals)
    return Biome(name, number, temperature, rainfall, dimension, pairs, herds)
