"""Minecraft's rules as data: one immutable :class:`Rules` per game version.

The files in ``data/minecraft/`` hold nothing but facts; :mod:`training.minecraft_rules` made them,
and :mod:`mnemocraft.envs.minecraft.facts` says what they mean.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
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
from mnemocraft.errors import MnemocraftError, one_of
from mnemocraft.paths import DATA

VERSIONS = ("1.11.2", "1.16.5", "1.19.2")


@cache
def rules(version: str) -> Rules:
    """The rules of a version, read once.

    Args:
        version: ``1.11.2``, ``1.16.5`` or ``1.19.2``.

    Raises:
        MnemocraftError: No such version, or its file is missing or damaged.
    """
    one_of("version of Minecraft", version, VERSIONS)
    path = DATA / "minecraft" / f"{version}.json"
    try:
        return _parse(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise MnemocraftError(
            f"The rules file {path} cannot be read ({error!r}); install a checkout with `pip install -e .`, "
            "or make the file again with `python -m training.minecraft_rules`."
        ) from None


def _parse(raw: Mapping[str, Any]) -> Rules:
    """The rules in a file, where everything that is short is a list of values in a fixed order."""
    return Rules(
        version=raw["version"],
        items={name: Item(name, *values) for name, values in raw["items"].items()},
        tools={name: Tool(*values) for name, values in raw["tools"].items()},
        recipes=tuple(_recipe(entry) for entry in raw["recipes"]),
        smelting=tuple(Smelting(*entry) for entry in raw["smelting"]),
        tags={name: tuple(members) for name, members in raw["tags"].items()},
        blocks={name: _block(name, values, raw["toolsets"]) for name, values in raw["blocks"].items()},
        mobs={name: _mob(name, values) for name, values in raw["mobs"].items()},
        gathers=tuple(Gather(*_frozen(entry)) for entry in raw["gathers"]),
        fuels=dict(raw["fuels"]),
        remains=dict(raw["remains"]),
        ores=tuple(Ore(*_frozen(entry)) for entry in raw["ores"]),
        trees={name: Tree(*values) for name, values in raw["trees"].items()},
        biomes={name: Biome(name, *_frozen(values)) for name, values in raw["biomes"].items()},
        gates=raw["gates"],
    )


def _recipe(entry: Mapping[str, Any]) -> CraftingRecipe:
    rows = _frozen(entry.get("rows", []))
    ingredients = entry.get("of")
    if ingredients is None:
        counts: dict[str, int] = {}
        for cell in (cell for row in rows for cell in row if cell):
            counts[cell] = counts.get(cell, 0) + 1
        ingredients = counts
    table, shaped = entry.get("table", False), entry.get("shaped", True)
    return CraftingRecipe(entry["make"], entry["count"], table, tuple(ingredients.items()), rows, shaped)


def _frozen(value: Any) -> Any:
    """A value of a file with its lists, also inner ones, as tuples."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _loot(pools: list[list[list[Any]]]) -> Loot:
    return tuple(tuple(Drop(*_frozen(drop)) for drop in pool) for pool in pools)


def _block(name: str, values: list[Any], toolsets: list[list[str]]) -> Block:
    hardness, tool, group, harvest, drops, solid, light, transparent, found = values
    wanted = tuple(toolsets[harvest]) if harvest is not None else ()
    loot = ((Drop(name),),) if drops is None else _loot(drops)
    return Block(name, hardness, tool, group, wanted, loot, bool(solid), light, bool(transparent), found)


def _mob(name: str, values: list[Any]) -> Mob:
    health, attack, hostile, drops, sheared, found = values
    return Mob(name, health, attack, bool(hostile), _loot(drops), _loot(sheared), found)
