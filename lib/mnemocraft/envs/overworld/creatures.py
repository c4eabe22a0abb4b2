"""The mobs of the overworld: size, pace and looks. Health, attack and drops come from the rules."""

from __future__ import annotations

from typing import NamedTuple

Colour = tuple[int, int, int]
Corner = tuple[int, int, int]

PINK, WHITE, BLACK, GREY = (238, 160, 160), (238, 238, 232), (34, 32, 36), (150, 148, 144)
BROWN, TAN, SORREL, DUN = (92, 66, 46), (196, 150, 108), (138, 92, 52), (126, 112, 98)
FAWN, SAND, SILVER = (214, 190, 148), (226, 182, 92), (206, 202, 200)
HARE, BEAK, RED = (170, 138, 100), (232, 172, 44), (206, 30, 30)
HEN = (224, 122, 36)
"""Not white: far away, a white hen is a sheep."""
ROTTEN, TEAL, BLUE, BONE = (92, 146, 76), (40, 150, 150), (62, 58, 140), (196, 196, 192)
GREEN, MOSS, SOOT = (86, 186, 72), (52, 130, 46), (54, 46, 42)


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


def _four_legs(
    legs: int, half: int, long: int, deep: int, colours: list[Colour], head: Box
) -> tuple[Box, ...]:
    """A trunk, ``long`` to the front and to the back, on four legs; colours of trunk, patches and legs."""
    trunk = Box((-half, legs, -long), (half, legs + deep, long), colours[0], colours[1])
    feet = [
        Box((x - 1, 0, z - 2), (x + 2, legs, z + 2), colours[2], colours[2])
        for x in (1 - half, half - 2)
        for z in (2 - long, long - 2)
    ]
    return (trunk, *feet, head)


def _two_legs(skin: Colour, shirt: Colour, trousers: Colour, thin: int) -> tuple[Box, ...]:
    """Upright, with the arms stretched forwards."""
    return (
        Box((thin - 4, 0, -2), (4 - thin, 12, 2), trousers, trousers),
        Box((thin - 4, 12, -2), (4 - thin, 24, 2), shirt, shirt),
        Box((thin - 8, 20, 0), (thin - 4, 24, 10), skin, shirt),
        Box((4 - thin, 20, 0), (8 - thin, 24, 10), skin, shirt),
        Box((-4, 24, -4), (4, 32, 4), skin, BLACK, face=True),
    )


def _head(low: Corner, high: Corner, colour: Colour, accent: Colour) -> Box:
    return Box(low, high, colour, accent, face=True)


_CHICKEN = (
    Box((-3, 4, -4), (3, 10, 4), HEN, (184, 90, 26)),
    Box((-2, 0, -1), (-1, 4, 0), BEAK, BEAK),
    Box((1, 0, -1), (2, 4, 0), BEAK, BEAK),
    _head((-2, 9, 3), (2, 15, 6), HEN, BLACK),
    Box((-2, 11, 6), (2, 13, 8), BEAK, BEAK),
    Box((-1, 9, 6), (1, 11, 7), RED, RED),
)
_RABBIT = (
    Box((-3, 1, -4), (3, 6, 3), HARE, (142, 112, 78)),
    _head((-2, 4, 2), (2, 9, 6), (180, 148, 110), BLACK),
    Box((-2, 9, 3), (-1, 13, 4), HARE, PINK),
    Box((1, 9, 3), (2, 13, 4), HARE, PINK),
)
_CREEPER = (
    Box((-4, 0, -6), (4, 6, 6), (60, 150, 50), (40, 110, 36)),
    Box((-4, 6, -2), (4, 18, 2), GREEN, MOSS),
    _head((-4, 18, -4), (4, 26, 4), GREEN, BLACK),
)
_SPIDER = (
    Box((-5, 4, -12), (5, 12, 0), SOOT, (38, 32, 30)),
    _head((-4, 4, 0), (4, 12, 8), SOOT, RED),
    *(Box((-14, 2, z), (14, 5, z + 2), (40, 34, 32), (30, 26, 24)) for z in (-7, -2, 3)),
)

CREATURES = (
    Creature(
        "sheep",
        7,
        21,
        90,
        _four_legs(
            7, 6, 9, 11, [WHITE, (214, 214, 206), TAN], _head((-3, 14, 8), (3, 20, 14), TAN, (60, 44, 34))
        ),
    ),
    Creature(
        "cow",
        7,
        22,
        80,
        _four_legs(11, 6, 9, 10, [BROWN, WHITE, (70, 50, 36)], _head((-4, 15, 8), (4, 23, 14), BROWN, WHITE)),
    ),
    Creature(
        "pig",
        7,
        15,
        85,
        _four_legs(
            5, 5, 8, 8, [PINK, (226, 144, 146), PINK], _head((-4, 7, 7), (4, 15, 15), PINK, (150, 66, 76))
        ),
    ),
    Creature("chicken", 4, 12, 80, _CHICKEN),
    Creature("rabbit", 3, 8, 120, _RABBIT),
    Creature(
        "horse",
        11,
        26,
        110,
        _four_legs(12, 5, 11, 10, [SORREL, SORREL, BROWN], _head((-3, 18, 10), (3, 30, 16), SORREL, BLACK)),
    ),
    Creature(
        "donkey",
        11,
        24,
        100,
        _four_legs(11, 5, 10, 9, [DUN, (104, 92, 80), DUN], _head((-3, 17, 9), (3, 27, 15), DUN, BLACK)),
    ),
    Creature(
        "llama",
        7,
        30,
        90,
        _four_legs(12, 6, 8, 11, [FAWN, (188, 160, 116), FAWN], _head((-3, 18, 6), (3, 33, 12), FAWN, BLACK)),
    ),
    Creature(
        "wolf",
        5,
        14,
        110,
        _four_legs(6, 3, 8, 6, [SILVER, GREY, GREY], _head((-3, 8, 7), (3, 14, 12), SILVER, BLACK)),
    ),
    Creature(
        "ocelot",
        5,
        11,
        110,
        _four_legs(5, 3, 8, 5, [SAND, (140, 96, 40), SAND], _head((-3, 7, 7), (3, 12, 12), SAND, MOSS)),
    ),
    Creature(
        "polar_bear",
        10,
        22,
        90,
        _four_legs(
            8, 8, 12, 13, [WHITE, (222, 224, 222), WHITE], _head((-4, 12, 11), (4, 20, 18), WHITE, BLACK)
        ),
    ),
    Creature("zombie", 5, 31, 100, _two_legs(ROTTEN, TEAL, BLUE, 0)),
    Creature("skeleton", 5, 31, 100, _two_legs(BONE, (178, 178, 174), (190, 190, 186), 2)),
    Creature("creeper", 5, 27, 90, _CREEPER),
    Creature("spider", 11, 14, 120, _SPIDER),
)
"""All kinds; kind k of a body is ``CREATURES[k - FIRST_KIND]``."""

NAMES = tuple(creature.name for creature in CREATURES)
FIRST_KIND = 1
"""Kind 0 of a body is the player, or a dropped stack."""
SHEEP, COW, ZOMBIE, SKELETON, CREEPER, SPIDER = (
    FIRST_KIND + NAMES.index(name) for name in ("sheep", "cow", "zombie", "skeleton", "creeper", "spider")
)
