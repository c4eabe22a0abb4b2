"""Minecraft's rules as data: one immutable :class:`Rules` per game version.

The files in ``data/minecraft/`` hold nothing but facts; :mod:`mnemocraft.training.minecraft_rules` made them,
and :mod:`mnemocraft.envs.minecraft.facts` says what they mean.
"""

from __future__ import annotations

import json
from functools import cache

from mnemocraft.envs.minecraft.facts import (
    SMELTING_TICKS,
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
    roll,
)
from mnemocraft.envs.minecraft.rules_file import parse
from mnemocraft.errors import MnemocraftError
from mnemocraft.paths import DATA

__all__ = [
    "SMELTING_TICKS",
    "VERSIONS",
    "Biome",
    "Block",
    "CraftingRecipe",
    "Drop",
    "Gather",
    "Item",
    "Loot",
    "Mob",
    "Ore",
    "Rules",
    "Smelting",
    "Tool",
    "Tree",
    "roll",
    "rules",
]

VERSIONS = ("1.11.2", "1.16.5", "1.19.2")


@cache
def rules(version: str) -> Rules:
    """The rules of a version, read once.

    Args:
        version: ``1.11.2``, ``1.16.5`` or ``1.19.2``.

    Raises:
        MnemocraftError: No such version, or its file is missing or damaged.
    """
    if version not in VERSIONS:
        raise MnemocraftError(
            f"There are no rules of Minecraft {version!r}; choose one of {', '.join(VERSIONS)}."
        )
    path = DATA / "minecraft" / f"{version}.json"
    try:
        return parse(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise MnemocraftError(
            f"The rules file {path} cannot be read ({error!r}); install a checkout with `pip install -e .`, "
            "or make the file again with `python -m mnemocraft.training.minecraft_rules`."
        ) from None
