"""The biomes of the overworld: climate, trees and animals come from the rules, looks are ours."""

from __future__ import annotations

from typing import NamedTuple

Colour = tuple[int, int, int]


class Biome(NamedTuple):
    """A biome that the generator makes.

    Attributes:
        name: Name in MineDojo's spelling.
        rule: Its name in the rules of 1.11.2.
        grass: Colour of grass and leaves in the pictures.
        plants: How many of 1,000 free places bear a plant.
    """

    name: str
    rule: str
    grass: Colour
    plants: int


BIOMES = (
    Biome("ocean", "ocean", (112, 168, 92), 0),
    Biome("river", "river", (112, 168, 92), 30),
    Biome("beach", "beaches", (126, 172, 84), 0),
    Biome("plains", "plains", (118, 176, 72), 200),
    Biome("forest", "forest", (92, 156, 58), 90),
    Biome("birch_forest", "birch_forest", (112, 164, 82), 90),
    Biome("roofed_forest", "roofed_forest", (64, 122, 42), 60),
    Biome("taiga", "taiga", (104, 148, 112), 70),
    Biome("ice_plains", "ice_flats", (128, 172, 150), 0),
    Biome("savanna", "savanna", (182, 172, 82), 260),
    Biome("jungle", "jungle", (72, 178, 32), 220),
    Biome("swampland", "swampland", (96, 104, 54), 150),
    Biome("desert", "desert", (186, 178, 92), 14),
    Biome("extreme_hills", "extreme_hills", (128, 160, 110), 40),
)
"""A column of the world stores the place of its biome in this tuple."""

NAMES = tuple(biome.name for biome in BIOMES)
OCEAN, RIVER, BEACH, PLAINS, FOREST, BIRCH_FOREST, ROOFED_FOREST = range(7)
TAIGA, ICE_PLAINS, SAVANNA, JUNGLE, SWAMPLAND, DESERT, EXTREME_HILLS = range(7, 14)
