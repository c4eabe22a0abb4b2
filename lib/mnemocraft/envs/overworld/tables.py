"""The rules of Minecraft 1.11.2 as arrays that compiled code looks things up in."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from mnemocraft.envs.minecraft.facts import Loot, Rules
from mnemocraft.envs.minecraft.rules import rules
from mnemocraft.envs.overworld.biomes import BIOMES
from mnemocraft.envs.overworld.blocks import BLOCKS, NUMBER, block_number
from mnemocraft.envs.overworld.creatures import CREATURES
from mnemocraft.envs.overworld.items import ARMOUR, CRAFTS, ITEMS, number_of, recipes_of
from mnemocraft.envs.overworld.world import HEIGHT, one_record, records

VERSION = "1.11.2"
NEVER = 1 << 30
"""Break time of what cannot be broken."""
SINE_UNIT = 1 << 20
FULL = 1_000_000
"""A chance of 1."""


ITEM = records("stack durability fuel food saturation tool kind attack slot armour tough remains block")
BLOCK = records("loot pools hard")
LOOT = records("last item variant low high chance tools")
CRAFT = records("result station first number")
RECIPE = records("count first number variant inherits")
INGREDIENT = records("item count")
BIOME = records("plants herds")
ORE = records("block low high veins size triangle biomes")
MOB = records("half height pace health attack hostile loot pools shorn shorn_pools")

NO_TOOL, PICKAXE, AXE, SHOVEL, HOE, SWORD, SHEARS = range(7)
KINDS = ("", "pickaxe", "axe", "shovel", "hoe", "sword", "shears")
HERDS = 8


Tables = Any
"""Inside compiled code: the one record of :func:`tables`.

- ``items``: by item number: stack size, uses, burning ticks, food, number of the tool (0: none) and so on;
- ``place``: (items, 16), block that an item of a variant places, -1 if none;
- ``blocks``: by block number: rows of ``loot`` and whether breaking it wears tools;
- ``break_ticks``, ``harvests``: (blocks, tools), ticks to break a block and whether that gives drops;
- ``loot``: rows of drops; ``last`` ends a pool; ``tools`` is a set of bits, 0 for anything;
- ``crafts``, ``recipes``, ``ingredients``: MineDojo's 244 craftable items, ways to make them, what these use
  up;
- ``biomes``, ``trees`` (how many of 1,000 places bear each species), ``herds`` (kind, weight, lowest and
  highest number): by place in ``BIOMES``;
- ``ores``: what lies in the rock; ``mobs``: by kind less one; ``sine``: of whole degrees in 1/2**20.
"""


@cache
def tables() -> np.ndarray:
    """The tables, made once a process: an array of one record."""
    known = rules(VERSION)
    tools = ["", *known.tools]
    loot: list[tuple[int, ...]] = []
    crafts, recipes, ingredients = _crafts()
    breaks, harvests = _breaking(known, tools)
    return one_record(
        {
            "items": _items(known, tools),
            "place": np.array([[_placed(name, v) for v in range(16)] for name in ITEMS], np.int64),
            "blocks": np.array([_block(known, n, loot, tools) for n in range(len(BLOCKS))], BLOCK),
            "break_ticks": breaks,
            "harvests": harvests,
            "mobs": np.array([_mob(known, n, loot, tools) for n in range(len(CREATURES))], MOB),
            "loot": np.array(loot, LOOT),
            "crafts": crafts,
            "recipes": recipes,
            "ingredients": ingredients,
            "biomes": np.array([(biome.plants, len(_herds(known, biome.rule))) for biome in BIOMES], BIOME),
            "trees": _trees(known),
            "herds": _all_herds(known),
            "ores": _ores(known),
            "sine": np.array([round(math.sin(math.radians(d)) * SINE_UNIT) for d in range(361)], np.int64),
        }
    )


# --- items and crafting -----------------------------------------------------------------------------


def _items(known: Rules, tools: list[str]) -> np.ndarray:
    table = np.zeros(len(ITEMS), ITEM)
    for number, name in enumerate(ITEMS[1:], 1):
        item, tool, row = known.items[name], known.tools.get(name), table[number]
        row["stack"], row["durability"] = item.stack, item.durability
        row["fuel"], row["food"] = known.fuels.get(name, 0), item.food
        row["saturation"] = round(item.saturation * 1000)
        row["tool"] = tools.index(name) if tool else 0
        row["kind"] = KINDS.index(tool.kind) if tool else NO_TOOL
        row["attack"] = round(tool.attack * 1000) if tool else 1000
        row["slot"], row["armour"], row["tough"] = ARMOUR.get(name, (0, 0, 0))
        row["remains"] = number_of(known.remains[name]) if name in known.remains else 0
        row["block"] = _placed(name)
    return table


def _placed(item: str, variant: int = 0) -> int:
    """Block that an item places, -1 if none; MineDojo does not count sugar cane as a block."""
    return -1 if item in ("air", "reeds") else block_number(item, variant)


def _crafts() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    crafts: list[tuple[int, ...]] = []
    recipes: list[tuple[int, ...]] = []
    ingredients: list[tuple[int, ...]] = []
    for name, station in CRAFTS:
        ways = recipes_of(name, station)
        crafts.append((number_of(name), station, len(recipes), len(ways)))
        for count, parts in ways:
            recipes.append((count, len(ingredients), len(parts), *_VARIANTS.get((name, parts[0][0]), (0, 0))))
            ingredients += [(number_of(item), units) for item, units in parts]
    return np.array(crafts, CRAFT), np.array(recipes, RECIPE), np.array(ingredients, INGREDIENT)


_VARIANTS = {
    ("planks", "log"): (0, 1),
    ("planks", "log2"): (4, 1),
    ("wooden_slab", "planks"): (0, 1),
    ("coal", "log"): (1, 0),
    ("coal", "log2"): (1, 0),
}
"""Variant of what is made from an ingredient, and whether the ingredient's own is added; else 0."""


# --- blocks, mobs and what they drop ------------------------------------------------------------------


def _breaking(known: Rules, tools: list[str]) -> tuple[np.ndarray, np.ndarray]:
    ticks = np.full((len(BLOCKS), len(tools)), NEVER, np.int64)
    harvests = np.zeros((len(BLOCKS), len(tools)), np.uint8)
    for number, look in enumerate(BLOCKS):
        block = known.blocks.get(look.name)
        if block is None or number == 0:
            continue
        for tool, name in enumerate(tools):
            needed = known.break_ticks(block, name or None)
            ticks[number, tool] = NEVER if needed is None else needed
            harvests[number, tool] = known.can_harvest(block, name or None)
    return ticks, harvests


def _block(known: Rules, number: int, loot: list[tuple[int, ...]], tools: list[str]) -> tuple[int, ...]:
    look, block = BLOCKS[number], known.blocks.get(BLOCKS[number].name)
    first = len(loot)
    if block is not None:
        _add_loot(loot, block.drops, tools, look.name, look.variant)
        return first, len(block.drops), bool(block.hardness)
    return first, 0, False


def _mob(known: Rules, number: int, loot: list[tuple[int, ...]], tools: list[str]) -> tuple[int, ...]:
    look, mob = CREATURES[number], known.mobs[CREATURES[number].name]
    first = len(loot)
    _add_loot(loot, mob.drops, tools, look.name, 0)
    shorn = len(loot)
    _add_loot(loot, mob.sheared, tools, look.name, 0)
    body = (look.half * 4096, look.height * 4096, look.pace * 65536 // 1000)
    strength = (round(mob.health * 1000), round(mob.attack * 1000), mob.hostile)
    return (*body, *strength, first, len(mob.drops), shorn, len(mob.sheared))


def _add_loot(loot: list[tuple[int, ...]], pools: Loot, tools: list[str], name: str, variant: int) -> None:
    for pool in pools:
        for drop in pool:
            wanted = sum(1 << tools.index(tool) for tool in drop.tools)
            kind = _variant(drop.item, name, variant)
            item = number_of(drop.item) if drop.item else 0
            row = (drop is pool[-1], item, kind, drop.low, drop.high, round(drop.chance * FULL), wanted)
            loot.append(tuple(int(value) for value in row))


def _variant(item: str, source: str, variant: int) -> int:
    """Variant of a drop: the rules of 1.11.2 name none."""
    if item == source:
        return variant
    if item == "sapling":
        return variant + (4 if source == "leaves2" else 0)
    return 4 if (item, source) == ("dye", "lapis_ore") else 0


# --- the land -----------------------------------------------------------------------------------------

SPECIES = ("oak", "spruce", "birch", "jungle", "acacia", "dark_oak")
PLACES_A_CHUNK = 256 / 25
"""Places for trees, one in each 5 x 5 blocks."""


def _trees(known: Rules) -> np.ndarray:
    table = np.zeros((len(BIOMES), len(SPECIES)), np.int64)
    for row, biome in enumerate(BIOMES):
        trees = dict(known.biomes[biome.rule].trees)
        crowd = max(sum(trees.values()) / PLACES_A_CHUNK, 0.9) / 0.9  # no more than nine places in ten
        for species, number in trees.items():
            table[row, SPECIES.index(species)] = round(number / PLACES_A_CHUNK / crowd * 1000)
    return table


def _herds(known: Rules, biome: str) -> list[tuple[int, int, int, int]]:
    names = [creature.name for creature in CREATURES]
    animals = known.biomes[biome].animals
    return [(names.index(mob) + 1, weight, low, high) for mob, weight, low, high in animals if mob in names]


def _all_herds(known: Rules) -> np.ndarray:
    table = np.zeros((len(BIOMES), HERDS, 4), np.int64)
    for row, biome in enumerate(BIOMES):
        for place, herd in enumerate(_herds(known, biome.rule)):
            table[row, place] = herd
    return table


def _ores(known: Rules) -> np.ndarray:
    rows = [
        (
            NUMBER[ore.block, 0],
            ore.low,
            min(ore.high, HEIGHT - 1),
            round(ore.veins * 1000 * min(1, HEIGHT / (ore.high + 1))),
            ore.size,
            ore.shape == "triangle",
            sum(1 << row for row, b in enumerate(BIOMES) if not ore.biomes or b.rule in ore.biomes),
        )
        for ore in known.ores
    ]
    return np.array(rows, ORE)
