"""Procedural block textures, 16 x 16, and colours of items: all that the camera paints with, all our own."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from zlib import crc32

import numpy as np

from mnemocraft.envs.overworld.biomes import BIOMES
from mnemocraft.envs.overworld.blocks import BLOCKS, FIRST_LEAVES, GRASS, Block, block_number
from mnemocraft.envs.overworld.creatures import CREATURES, Box
from mnemocraft.envs.overworld.items import ITEMS
from mnemocraft.envs.overworld.world import one_record, records

SIDE = 16
TOP, FLANK, BOTTOM = range(3)
"""Faces of a block."""
PLAIN, TINTED, TINTED_GREEN = range(3)
"""How a block takes the colour of its biome: not at all, all over, only where it is green."""
TINTS = {"tallgrass": TINTED, "vine": TINTED}
ROW, COLUMN = np.mgrid[0:SIDE, 0:SIDE]

Pattern = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]
"""From 16 x 16 random bytes: each pixel's share of the accent (0 to 255) and brightness (128 = as is)."""


def _grain(seed: int) -> np.ndarray:
    """16 x 16 random bytes."""
    place = (ROW * SIDE + COLUMN + 1).astype(np.uint64)
    bits = (place + np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return ((bits ^ (bits >> np.uint64(32))) & np.uint64(0xFF)).astype(np.int64)


def _blot(grain: np.ndarray, cells: int) -> np.ndarray:
    """The same bytes in coarse cells."""
    size = SIDE // cells
    return np.kron(grain[:cells, :cells], np.ones((size, size), np.int64))


def _speckled(strength: int, cells: int = 0) -> Pattern:
    def pattern(grain: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        accent = (_blot(grain, cells) if cells else grain) > 150
        return accent * 255, 128 + (grain - 128) * strength // 128

    return pattern


def _lines(on: np.ndarray, strength: int = 10) -> Pattern:
    """The accent where ``on``."""
    return lambda grain: (on * 255, 128 + (grain - 128) * strength // 128)


_BOARDS = (ROW % 4 == 3) | ((COLUMN == 4) & (ROW < 8)) | ((COLUMN == 12) & (ROW >= 8))
_BRICKS = (ROW % 4 == 3) | ((COLUMN + 4 * (ROW // 4 % 2)) % 8 == 7)
_EDGE = (ROW == 0) | (ROW == SIDE - 1) | (COLUMN == 0) | (COLUMN == SIDE - 1)
_RINGS = np.maximum(abs(2 * ROW - 15), abs(2 * COLUMN - 15)) // 2 % 2 == 0
_MOUTH = (ROW >= 8) & (ROW < 14) & (COLUMN >= 3) & (COLUMN < 13)
_TOOLS = _EDGE | ((ROW >= 5) & (ROW < 12) & ((COLUMN // 2) % 3 == 1))


def _stones(grain: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    shift = _blot(grain, 4) // 64
    joint = ((ROW + shift) % 5 == 0) | ((COLUMN + shift * 2) % 5 == 0)
    return joint * 255, 128 + (_blot(grain, 4) - 128) // 6


def _nuggets(grain: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    spots = (_blot(grain, 8) > 176) & ~_EDGE
    return spots * 255, 128 + (grain - 128) // 9


def _bark(grain: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    stripes = np.broadcast_to(grain[0], grain.shape)
    return (grain > 246) * 160, 128 + (stripes - 128) // 5 + (grain - 128) // 12


FLANKS: dict[str, Pattern] = {
    "rough": _speckled(24),
    "fine": _speckled(8),
    "smooth": _speckled(6, 4),
    "leaves": _speckled(56),
    "water": _speckled(12, 8),
    "grass": _lines(ROW >= 4 + (COLUMN * 7 // 3) % 3, 22),
    "cobble": _stones,
    "ore": _nuggets,
    "log": _bark,
    "planks": _lines(_BOARDS & True, 12),
    "bricks": _lines(_BRICKS, 14),
    "layers": _lines(ROW % 5 == 4, 8),
    "stripes": _lines(COLUMN % 4 == 3, 14),
    "table": _lines(_TOOLS),
    "furnace": _lines(_MOUTH),
    "pane": _lines(~_EDGE & ((ROW + COLUMN) % 7 != 0), 4),
}
TOPS: dict[str, Pattern] = {
    "grass": _speckled(26),
    "log": _lines(~_RINGS, 8),
    "table": _lines(_EDGE | (ROW % 5 == 2) | (COLUMN % 5 == 2)),
    "furnace": _speckled(18),
    "layers": _speckled(10),
}


def _sprite(block: Block) -> tuple[np.ndarray, np.ndarray]:
    """Where a plant or fixture is (bool) and where it shows its accent; row 0 is the top."""
    blade = _grain(crc32(block.name.encode()) + block.variant)[0]
    high = 15 - ROW
    if block.pattern == "tuft":
        there = (blade[COLUMN] % 2 == COLUMN % 2) & (high < 4 + blade[COLUMN] % 10)
        return there, (ROW + COLUMN) % 3 == 0
    if block.pattern == "flower":
        stem = (abs(2 * COLUMN - 15) <= 1) & (high < 9)
        bloom = (high >= 7) & (high < 12) & (abs(2 * COLUMN - 15) <= 5)
        return stem | bloom, stem & ~bloom
    if block.pattern == "stalks":
        return (COLUMN % 5 == 2) | (COLUMN % 5 == 3), (ROW % 6 == 0)
    post = (abs(2 * COLUMN - 15) <= 2) & (high < 11)
    return post, post & (high < 8)


def _mix(
    colour: tuple[int, int, int], accent: tuple[int, int, int], share: np.ndarray, light: np.ndarray
) -> np.ndarray:
    base, other = np.array(colour), np.array(accent)
    mixed = (base * (255 - share[..., None]) + other * share[..., None]) // 255
    face = np.full((SIDE, SIDE, 4), 255)
    face[..., :3] = np.clip(mixed * light[..., None] // 128, 0, 255)
    return face


def _faces(number: int, block: Block) -> np.ndarray:
    """Top, flank and bottom of a block as RGBA."""
    grain = _grain(crc32(f"{block.name}:{block.variant}".encode()))
    if block.pattern in ("tuft", "flower", "stalks", "post"):
        there, accent = _sprite(block)
        face = _mix(block.colour, block.accent, accent * 255, 128 + (grain - 128) // 10)
        face[..., 3] = there * 255
        return np.stack([face] * 3)
    if block.pattern in ("none", "layer"):
        return np.stack([_mix(block.colour, block.accent, (grain > 150) * 255, np.full_like(grain, 128))] * 3)
    flank = FLANKS[block.pattern]
    top = _mix(block.colour, block.accent, *TOPS.get(block.pattern, flank)(grain))
    bottom = top
    if number == GRASS:
        top = _mix(block.colour, block.colour, *TOPS["grass"](grain))
        bottom = _mix(block.accent, block.accent, *FLANKS["rough"](grain))
    return np.stack([top, _mix(block.colour, block.accent, *flank(grain)), bottom])


# --- items --------------------------------------------------------------------------------------------

_WORDS: dict[str, tuple[int, int, int]] = {
    "diamond": (100, 230, 225),
    "gold": (250, 215, 70),
    "iron": (220, 220, 220),
    "stone": (130, 130, 130),
    "wood": (150, 112, 66),
    "stick": (130, 95, 50),
    "coal": (30, 30, 30),
    "leather": (170, 95, 50),
    "beef": (190, 50, 45),
    "mutton": (200, 70, 60),
    "porkchop": (240, 150, 150),
    "chicken": (235, 190, 160),
    "rabbit": (215, 165, 130),
    "apple": (215, 30, 30),
    "feather": (245, 245, 245),
    "bone": (235, 230, 215),
    "string": (230, 230, 230),
    "seeds": (80, 150, 50),
    "flint": (60, 60, 62),
    "redstone": (200, 20, 10),
    "dye": (40, 70, 180),
    "egg": (230, 215, 175),
    "rotten": (160, 80, 50),
    "gunpowder": (100, 100, 100),
}


def _item_colour(name: str) -> tuple[int, int, int]:
    block = block_number(name)
    if block > 0:
        return BLOCKS[block].colour
    return next((colour for word, colour in _WORDS.items() if word in name), (200, 120, 200))


# --- the palette --------------------------------------------------------------------------------------

BOX = records("x0 y0 z0 x1 y1 z1 red green blue red2 green2 blue2 face")


@cache
def palette() -> np.ndarray:
    """All the camera's colours: an array of one record, made once a process.

    - ``near`` (blocks, 3, 16, 16, 4), ``middle`` (blocks, 3, 4, 4, 4), ``far`` (blocks, 3, 4): RGBA faces of
      blocks at three distances;
    - ``tint``: how a block takes its biome's colour; ``grass``: that colour in 1/128 of the texture's;
    - ``sprite``: whether a block is drawn as two crossed planes; ``layer``: whether it lies flat on the
      ground;
    - ``items``: colours of items; ``boxes``, ``bodies``: the parts of mobs, and each mob's (first, number).
    """
    near = np.stack([_faces(number, block) for number, block in enumerate(BLOCKS)])
    middle = near.reshape(-1, 3, 4, 4, 4, 4, 4).mean(axis=(3, 5)).astype(np.int64)
    return one_record(
        {
            "near": near.astype(np.uint8),
            "middle": middle.astype(np.uint8),
            "far": near.reshape(-1, 3, SIDE * SIDE, 4).mean(axis=2).astype(np.uint8),
            "tint": np.array([_tint(number, block) for number, block in enumerate(BLOCKS)], np.uint8),
            "grass": np.array(
                [[c * 128 // g for c, g in zip(b.grass, (104, 164, 66), strict=True)] for b in BIOMES],
                np.int64,
            ),
            "sprite": np.array([b.pattern in ("tuft", "flower", "stalks", "post") for b in BLOCKS], np.uint8),
            "layer": np.array([b.pattern == "layer" for b in BLOCKS], np.uint8),
            "items": np.array([_item_colour(name) for name in ITEMS], np.int64),
            "boxes": np.array([_box(b) for creature in CREATURES for b in creature.boxes], BOX),
            "bodies": _spans([len(creature.boxes) for creature in CREATURES]),
        }
    )


def _tint(number: int, block: Block) -> int:
    if number == GRASS:
        return TINTED_GREEN
    return TINTED if number == FIRST_LEAVES else TINTS.get(block.name, PLAIN)


def _box(box: Box) -> tuple[int, ...]:
    low, high, colour, accent, face = box
    return (*low, *high, *colour, *accent, int(face))


def _spans(numbers: list[int]) -> np.ndarray:
    ends = np.cumsum(numbers)
    return np.stack([ends - numbers, numbers], axis=1).astype(np.int64)
