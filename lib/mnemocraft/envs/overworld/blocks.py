"""The blocks of the overworld: a number, a name and a look for each (the table is ``blocks.toml``).

Numbers are ordered so that one comparison answers the questions asked most: below :data:`FIRST_SOLID` a body
passes through, from :data:`FIRST_OPAQUE` on no light does. Everything else (hardness, tools, drops) is looked
up in the rules by name.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

Colour = tuple[int, int, int]


class Block(NamedTuple):
    """A kind of block.

    Attributes:
        name: Name in the rules of 1.11.2, which is also the item that places it.
        variant: Minecraft's number of the kind within that name (its "meta").
        display: What MineDojo's voxels call it: the English name in lower case.
        pattern: How its faces are painted, see :mod:`mnemocraft.envs.overworld.textures`.
        colour: Main colour.
        accent: Second colour of the pattern.
    """

    name: str
    variant: int
    display: str
    pattern: str
    colour: Colour
    accent: Colour


def _read(table: dict[str, list[str]]) -> list[Block]:
    blocks = []
    for key, (display, pattern, colour, accent) in table.items():
        name, variant = key.split(":")
        blocks.append(Block(name, int(variant), display, pattern, rgb(colour), rgb(accent)))
    return blocks


def rgb(text: str) -> Colour:
    """A colour written ``#rrggbb``."""
    red, green, blue = bytes.fromhex(text.removeprefix("#"))
    return red, green, blue


_TABLE = tomllib.loads((Path(__file__).parent / "blocks.toml").read_text(encoding="utf-8"))
_PASSABLE, _CLEAR, _OPAQUE = (_read(_TABLE[part]) for part in ("passable", "clear", "opaque"))

BLOCKS = (*_PASSABLE, *_CLEAR, *_OPAQUE)
"""All blocks by number; number 0 is air."""
FIRST_SOLID = len(_PASSABLE)
FIRST_OPAQUE = FIRST_SOLID + len(_CLEAR)
NUMBER = {(block.name, block.variant): number for number, block in enumerate(BLOCKS)}
"""Number of a block by name and variant."""
_FIRST = {block.name: number for number, block in reversed(list(enumerate(BLOCKS)))}


def block_number(name: str, variant: int = 0) -> int:
    """Number of the block that an item places: unknown variants look like the first; -1 if there is none."""
    return NUMBER.get((name, variant), _FIRST.get(name, -1))


def _numbers(*names: str) -> list[int]:
    return [block_number(*(n.split(":")[0], int((n + ":0").split(":")[1]))) for n in names]


# The compiled code knows these by number.
AIR, WATER, LAVA, ICE, CACTUS, TORCH, LADDER = _numbers(
    "air", "water", "lava", "ice", "cactus", "torch", "ladder"
)
BEDROCK, ROCK, SOIL, GRASS, SAND, GRAVEL, SANDSTONE, CLAY, SNOW_LAYER = _numbers(
    "bedrock", "stone", "dirt", "grass", "sand", "gravel", "sandstone", "clay", "snow_layer"
)
TALL_GRASS, FERN, DEAD_BUSH, DANDELION, POPPY, BLUE_ORCHID, OXEYE_DAISY = _numbers(
    "tallgrass:1", "tallgrass:2", "deadbush", "yellow_flower", "red_flower", "red_flower:1", "red_flower:8"
)
BROWN_MUSHROOM, RED_MUSHROOM, REEDS, PUMPKIN, TABLE, FURNACE, OBSIDIAN = _numbers(
    "brown_mushroom", "red_mushroom", "reeds", "pumpkin", "crafting_table", "furnace", "obsidian"
)
FIRST_LEAVES, FIRST_LOG = _numbers("leaves", "log")
"""Oak; spruce, birch, jungle, acacia and dark oak follow, each with the numbers after it."""
