"""The shape of the land: height, biome and rivers as pure functions of the seed and the place."""

from __future__ import annotations

from mnemocraft.envs.overworld.biomes import (
    BEACH,
    BIRCH_FOREST,
    DESERT,
    EXTREME_HILLS,
    FOREST,
    ICE_PLAINS,
    JUNGLE,
    OCEAN,
    PLAINS,
    RIVER,
    ROOFED_FOREST,
    SAVANNA,
    SWAMPLAND,
    TAIGA,
)
from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.noise import noise2
from mnemocraft.envs.overworld.world import HEIGHT, SEA

COAST = 21000
"""Noise of the continents (0 to 65535) under which there is sea."""
SHELF = 3000
"""How much more of it separates the shore from the inland."""
PEAKS = 41000
"""Noise above which the land rises to hills."""
RIVERS = 1500
"""Half the width of a river in units of its noise."""
HIGHEST = HEIGHT - 16


@compiled
def column(seed: int, forced: int, x: int, z: int) -> tuple[int, int]:
    """Height of the highest ground block, and biome; ``forced`` is the biome of all land, or -1."""
    land = (3 * noise2(seed + 1, x, z, 9) + noise2(seed + 2, x, z, 6)) >> 2
    if forced >= 0:
        land = COAST + 2 * SHELF + (land >> 3)
    roll = (2 * noise2(seed + 3, x, z, 5) + noise2(seed + 4, x, z, 4)) // 3
    peaks = (3 * noise2(seed + 5, x, z, 8) + noise2(seed + 6, x, z, 6)) >> 2
    if land < COAST:
        depth = (COAST - land) * 20 // COAST + 2
        return SEA - depth - (roll * 4 >> 16), OCEAN
    inland = min(land - COAST, SHELF) * 256 // SHELF  # 0 at the shore to 256
    height = SEA + ((inland * (2 + (roll * 9 >> 16))) >> 8)
    biome = forced if forced >= 0 else _climate(seed, x, z)
    rise = 0 if peaks < PEAKS else (peaks - PEAKS) * inland >> 8
    if forced >= 0 and forced != EXTREME_HILLS:
        rise >>= 3
    if biome == SWAMPLAND and rise == 0:
        height = SEA + (roll * 5 >> 16) - 1
    height += rise * (24 + (roll * 60 >> 16)) >> 14
    if forced < 0 and rise > 4000:
        biome = EXTREME_HILLS
    elif forced < 0 and inland < 200 and height <= SEA + 2:
        biome = BEACH
    return _with_river(seed, x, z, min(height, HIGHEST), biome)


@compiled
def _with_river(seed: int, x: int, z: int, height: int, biome: int) -> tuple[int, int]:
    """Rivers cut down through everything but the heart of the mountains; their banks slope."""
    bend = (3 * noise2(seed + 7, x, z, 8) + noise2(seed + 8, x, z, 6)) >> 2
    away = abs(bend - 32768)
    bed = SEA - 4
    if away < RIVERS and height < SEA + 24:
        return min(height, bed + 3 * away // RIVERS), RIVER
    bank = 3 * RIVERS
    if away < bank and height > SEA:
        height = SEA + (height - SEA) * (away - RIVERS if away > RIVERS else 0) // (bank - RIVERS)
    return height, biome


@compiled
def _climate(seed: int, x: int, z: int) -> int:
    """The biome of level land from warmth and moisture; a ragged edge keeps borders natural."""
    ragged = (noise2(seed + 9, x, z, 3) >> 5) - 1024
    warm = ((5 * noise2(seed + 10, x, z, 8) + 2 * noise2(seed + 11, x, z, 6)) // 7) + ragged
    moist = ((5 * noise2(seed + 12, x, z, 7) + 2 * noise2(seed + 13, x, z, 5)) // 7) + ragged
    if warm < 20000:
        return ICE_PLAINS if moist < 36000 else TAIGA
    if warm < 27000:
        return TAIGA if moist > 24000 else PLAINS
    if warm < 41000:
        if moist < 29000:
            return PLAINS
        if moist < 36500:
            return FOREST
        if moist < 41000:
            return BIRCH_FOREST
        return ROOFED_FOREST if moist < 47000 else SWAMPLAND
    if moist < 29000:
        return DESERT
    if moist < 37000:
        return SAVANNA
    return JUNGLE
