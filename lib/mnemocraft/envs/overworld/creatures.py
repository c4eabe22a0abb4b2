"""The mobs of the overworld: size, pace and looks. Health, attack and drops come from the rules.

Their table is ``creatures.toml``.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

from mnemocraft.envs.overworld.blocks import Colour, rgb

Corner = tuple[int, int, int]


class Box(NamedTuple):
    """A part of a body in sixteenths of a block; z points forwards, the feet are at y = 0, x = z = 0.

    Attributes:
        low: Its lowest corner.
        high: Its highest corner.
        colour: Main colour.
        accent: Colour of its patches.
        face: Instead of patches, its front has eyes and a snout in the accent.
    """

    low: Corner
    high: Corner
    colour: Colour
    accent: Colour
    face: bool = False


class Creature(NamedTuple):
    """A kind of mob.

    Attributes:
        name: Name in the rules.
        half: Half its width in sixteenths of a block.
        height: Height in sixteenths of a block.
        pace: Walking pace in thousandths of a block a tick.
        boxes: Its body.
    """

    name: str
    half: int
    height: int
    pace: int
    boxes: tuple[Box, ...]


def _four_legs(legs: int, half: int, long: int, deep: int, colours: list[Colour]) -> list[Box]:
    """A trunk, ``long`` to the front and to the back, on four legs; colours of trunk, patches and legs."""
    trunk = Box((-half, legs, -long), (half, legs + deep, long), colours[0], colours[1])
    feet = [
        Box((x - 1, 0, z - 2), (x + 2, legs, z + 2), colours[2], colours[2])
        for x in (1 - half, half - 2)
        for z in (2 - long, long - 2)
    ]
    return [trunk, *feet]


def _two_legs(thin: int, skin: Colour, shirt: Colour, trousers: Colour) -> list[Box]:
    """Upright, with the arms stretched forwards."""
    return [
        Box((thin - 4, 0, -2), (4 - thin, 12, 2), trousers, trousers),
        Box((thin - 4, 12, -2), (4 - thin, 24, 2), shirt, shirt),
        Box((thin - 8, 20, 0), (thin - 4, 24, 10), skin, shirt),
        Box((4 - thin, 20, 0), (8 - thin, 24, 10), skin, shirt),
        Box((-4, 24, -4), (4, 32, 4), skin, (34, 32, 36), face=True),
    ]


def _boxes(part: str) -> list[Box]:
    kind, *words = part.split()
    n = [int(word) for word in words if not word.startswith("#")]
    colours = [rgb(word) for word in words if word.startswith("#")]
    if kind == "four_legs":
        return _four_legs(n[0], n[1], n[2], n[3], colours)
    if kind == "two_legs":
        return _two_legs(n[0], *colours)
    return [Box((n[0], n[1], n[2]), (n[3], n[4], n[5]), colours[0], colours[1], kind == "face")]


def _read(name: str, size: str, *parts: str) -> Creature:
    half, height, pace = map(int, size.split())
    return Creature(name, half, height, pace, tuple(box for part in parts for box in _boxes(part)))


_TABLE = tomllib.loads((Path(__file__).parent / "creatures.toml").read_text(encoding="utf-8"))
CREATURES = tuple(_read(name, *row) for name, row in _TABLE.items())
"""All kinds; kind k of a body is ``CREATURES[k - FIRST_KIND]``."""

NAMES = tuple(creature.name for creature in CREATURES)
FIRST_KIND = 1
"""Kind 0 of a body is the player, or a dropped stack."""
SHEEP, COW, ZOMBIE, SKELETON, CREEPER, SPIDER = (
    FIRST_KIND + NAMES.index(name) for name in ("sheep", "cow", "zombie", "skeleton", "creeper", "spider")
)
