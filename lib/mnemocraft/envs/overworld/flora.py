"""What grows: trees of every species, flowers, grass, cactus, sugar cane, snow."""

from __future__ import annotations

from typing import Any

from mnemocraft.envs.overworld.biomes import (
    BIRCH_FOREST,
    DESERT,
    FOREST,
    ICE_PLAINS,
    JUNGLE,
    PLAINS,
    ROOFED_FOREST,
    SWAMPLAND,
    TAIGA,
)
from mnemocraft.envs.overworld.blocks import (
    AIR,
    BLUE_ORCHID,
    BROWN_MUSHROOM,
    CACTUS,
    DANDELION,
    DEAD_BUSH,
    FERN,
    FIRST_LEAVES,
    FIRST_LOG,
    FIRST_SOLID,
    GRASS,
    OXEYE_DAISY,
    POPPY,
    PUMPKIN,
    RED_MUSHROOM,
    REEDS,
    SAND,
    SNOW_LAYER,
    TALL_GRASS,
)
from mnemocraft.envs.overworld.caves import hollow
from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.noise import below, hash2
from mnemocraft.envs.overworld.tables import Tables
from mnemocraft.envs.overworld.terrain import column
from mnemocraft.envs.overworld.world import CHUNK, HEIGHT, SEA, WINDOW, World

SPACING = 5
"""One place for a tree in each square of this side."""
REACH = 3
"""Leaves reach this far from the trunk."""
OAK, SPRUCE, BIRCH, TROPICAL, ACACIA, DARK_OAK = range(6)


@compiled
def grow_trees(world: World, tables: Tables, seed: int, forced: int, x0: int, z0: int) -> None:
    """All trees of which a part stands in the chunk at (x0, z0): trunks first, then leaves around them."""
    for part in range(2):
        for square_x in range((x0 - REACH) // SPACING, (x0 + CHUNK + REACH) // SPACING + 1):
            for square_z in range((z0 - REACH) // SPACING, (z0 + CHUNK + REACH) // SPACING + 1):
                bits = hash2(seed + 51, square_x, square_z)
                x = square_x * SPACING + below(bits, SPACING)
                z = square_z * SPACING + below(bits << 8, SPACING)
                species, ground = tree_at(tables, seed, forced, x, z, bits)
                if species >= 0:
                    _tree(world, x0, z0, x, ground + 1, z, species, bits, part)


@compiled
def tree_at(tables: Tables, seed: int, forced: int, x: int, z: int, bits: int) -> tuple[int, int]:
    """Species (-1: no tree) and height of the ground of a place for a tree."""
    ground, biome = column(seed, forced, x, z)
    kind = tables.trees[biome]
    chance = below(bits << 16, 1000)
    species = -1
    for candidate in range(6):
        if chance < kind[candidate]:
            species = candidate
            break
        chance -= kind[candidate]
    if ground <= SEA - 1 or ground > HEIGHT - 24 or hollow(seed, x, ground, z):
        species = -1
    return species, ground


@compiled
def _put(world: World, x0: int, z0: int, x: int, y: int, z: int, block: int) -> None:
    """Set a block of the chunk unless something solid is there."""
    if x0 <= x < x0 + CHUNK and z0 <= z < z0 + CHUNK and y < HEIGHT:
        here = world.blocks[x & (WINDOW - 1), z & (WINDOW - 1)]
        if here[y] < FIRST_SOLID:
            here[y] = block


@compiled
def _disc(
    world: World, x0: int, z0: int, x: int, y: int, z: int, radius: int, corners: bool, block: int
) -> None:
    for dx in range(-radius, radius + 1):
        for dz in range(-radius, radius + 1):
            if corners or abs(dx) < radius or abs(dz) < radius or radius == 0:
                _put(world, x0, z0, x + dx, y, z + dz, block)


@compiled
def _tree(world: World, x0: int, z0: int, x: int, y: int, z: int, species: int, bits: int, part: int) -> None:
    tall = (5, 8, 6, 8, 6, 6)[species] + below(bits << 24, (2, 3, 2, 5, 2, 2)[species])
    if part == 0:
        wide = 2 if species == DARK_OAK else 1
        for dx in range(wide):
            for dz in range(wide):
                for up in range(tall):
                    _put(world, x0, z0, x + dx, y + up, z + dz, FIRST_LOG + species)
        return
    leaves, crown = FIRST_LEAVES + species, y + tall
    if species == SPRUCE:
        _put(world, x0, z0, x, crown, z, leaves)
        for down in range(tall - 2):
            _disc(
                world,
                x0,
                z0,
                x,
                crown - 1 - down,
                z,
                1 + (down % 2 if down < 3 else 1 - down % 2),
                False,
                leaves,
            )
    elif species == ACACIA:
        _disc(world, x0, z0, x, crown - 1, z, 3, False, leaves)
        _disc(world, x0, z0, x, crown, z, 1, True, leaves)
    elif species == DARK_OAK:
        _disc(world, x0, z0, x, crown - 2, z, 3, False, leaves)
        _disc(world, x0, z0, x, crown - 1, z, 3, False, leaves)
        _disc(world, x0, z0, x, crown, z, 2, False, leaves)
    else:
        _disc(world, x0, z0, x, crown - 3, z, 2, bits & 1 == 0, leaves)
        _disc(world, x0, z0, x, crown - 2, z, 2, False, leaves)
        _disc(world, x0, z0, x, crown - 1, z, 1, True, leaves)
        _disc(world, x0, z0, x, crown, z, 1, False, leaves)


@compiled
def grow_plants(world: World, tables: Tables, seed: int, x0: int, z0: int) -> None:
    """Small plants on a chunk's free ground, and snow where it is cold; ``top`` still holds the ground."""
    bx, bz = x0 & (WINDOW - 1), z0 & (WINDOW - 1)
    for i in range(CHUNK):
        for k in range(CHUNK):
            here = world.blocks[bx + i, bz + k]
            y = int(world.top[bx + i, bz + k])
            biome = int(world.biome[bx + i, bz + k])
            if here[y + 1] != AIR or (here[y] != GRASS and here[y] != SAND):
                continue
            bits = hash2(seed + 61, x0 + i, z0 + k)
            if biome == ICE_PLAINS and here[y] == GRASS:
                here[y + 1] = SNOW_LAYER
            elif y == SEA and _shore(world, bx, bz, i, k) and below(bits, 5) == 0:
                here[y + 1] = here[y + 2] = REEDS
            elif below(bits, 1000) < tables.biomes[biome].plants:
                _plant(here, y + 1, biome, bits)


@compiled
def _shore(world: World, bx: int, bz: int, i: int, k: int) -> bool:
    """Whether a neighbour inside the chunk lies under water."""
    return (
        (i > 0 and world.top[bx + i - 1, bz + k] < SEA)
        or (i < CHUNK - 1 and world.top[bx + i + 1, bz + k] < SEA)
        or (k > 0 and world.top[bx + i, bz + k - 1] < SEA)
        or (k < CHUNK - 1 and world.top[bx + i, bz + k + 1] < SEA)
    )


@compiled
def _plant(here: Any, y: int, biome: int, bits: int) -> None:
    chance = below(bits << 14, 100)
    if biome == DESERT:
        here[y] = DEAD_BUSH
        if chance < 45:
            for up in range(1 + below(bits << 22, 3)):
                here[y + up] = CACTUS
        return
    if here[y - 1] != GRASS:
        return
    plant = FERN if biome == TAIGA else TALL_GRASS
    if biome == SWAMPLAND and chance < 15:
        plant = BLUE_ORCHID
    elif biome in (ROOFED_FOREST, SWAMPLAND, TAIGA) and chance < 35:
        plant = BROWN_MUSHROOM if bits & 1 else RED_MUSHROOM
    elif biome in (PLAINS, FOREST, BIRCH_FOREST) and chance < 24:
        plant = (DANDELION, POPPY, OXEYE_DAISY, DANDELION)[chance & 3]
        if chance == 23 and below(bits << 22, 12) == 0:
            plant = PUMPKIN
    elif biome == JUNGLE and chance < 30:
        plant = FERN
    here[y] = plant
