"""Items by number, and the list of what can be crafted, both in MineDojo's order."""

from __future__ import annotations

from functools import cache

from mnemocraft.envs.minecraft.facts import CraftingRecipe
from mnemocraft.envs.minecraft.rules import rules

_RULES = rules("1.11.2")

ITEMS = tuple(sorted({"air", *_RULES.items}, key=lambda name: (name != "air", name)))
"""Every item by number; number 0 is ``air``, an empty slot."""
_NUMBERS = {name: number for number, name in enumerate(ITEMS)}


def number_of(item: str) -> int:
    """Number of an item."""
    return _NUMBERS[item]


def _small(recipe: CraftingRecipe) -> bool:
    """Whether MineDojo has it made by hand: it sends shapeless recipes of three units to the table."""
    units = sum(count for _, count in recipe.ingredients)
    return not recipe.table and (recipe.shaped or units != 3)


def _crafts() -> tuple[tuple[str, int], ...]:
    crafted = {recipe.result for recipe in _RULES.recipes}
    smelted = {recipe.result for recipe in _RULES.smelting} - {"iron_nugget", "dye", "gold_nugget"}
    by_hand = {i for i in crafted if all(_small(r) for r in _RULES.recipes if r.result == i)}
    parts = (by_hand - smelted, crafted - by_hand - smelted, smelted)
    return tuple((item, station) for station, part in enumerate(parts) for item in sorted(part))


CRAFTS = _crafts()
"""MineDojo's argument of "craft" as (item, station): 54 by hand (0), 170 at a table (1), 20 in a furnace (2).

What can both be crafted and smelted counts as smelted only.
"""
HAND, AT_TABLE, AT_FURNACE = range(3)


def stack_of(item: str) -> int:
    """How many units of an item fit in a slot."""
    return _RULES.items[item].stack


@cache
def recipes_of(item: str, station: int) -> list[tuple[int, tuple[tuple[str, int], ...]]]:
    """Ways to make an item at its station, in MineDojo's order: units made, and units of each ingredient."""
    if station == AT_FURNACE:
        return [(1, ((each.ingredient, 1),)) for each in _RULES.smelting if each.result == item]
    return [(each.count, each.ingredients) for each in _RULES.recipes if each.result == item]


_PARTS = {"boots": 36, "leggings": 37, "chestplate": 38, "helmet": 39}
_POINTS = {
    "leather": (1, 2, 3, 1),
    "golden": (1, 3, 5, 2),
    "chainmail": (1, 4, 5, 2),
    "iron": (2, 5, 6, 2),
    "diamond": (3, 6, 8, 3),
}
ARMOUR = {
    f"{material}_{part}": (slot, points[slot - 36], 2 if material == "diamond" else 0)
    for material, points in _POINTS.items()
    for part, slot in _PARTS.items()
} | {"shield": (40, 0, 0), "elytra": (38, 0, 0), "pumpkin": (39, 0, 0), "skull": (39, 0, 0)}
"""Inventory slot, armour points and toughness (Minecraft 1.11.2) of what is worn."""

BUCKET, WATER_BUCKET, LAVA_BUCKET, MILK_BUCKET = (
    number_of(name) for name in ("bucket", "water_bucket", "lava_bucket", "milk_bucket")
)
