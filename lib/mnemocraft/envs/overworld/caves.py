"""What lies under the ground: caves, lava and veins of ore."""

from __future__ import annotations

import numpy as np

from mnemocraft.envs.overworld.blocks import AIR, FIRST_SOLID, GRAVEL, LAVA, ROCK, SAND, SANDSTONE, SOIL
from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.noise import below, hash2, hash3, scramble
from mnemocraft.envs.overworld.tables import Tables
from mnemocraft.envs.overworld.world import CHUNK, HEIGHT, SEA, WINDOW, World

CELL = 8
"""Caves follow two noises whose lattices are this wide, interpolated along straight lines."""
LEVELS = HEIGHT // CELL + 1
THIN = 3400 * CELL**3
"""Rock is hollow where both noises are nearer to zero than this: along the lines where they cross zero."""
LAVA_TOP = 10
"""Hollows up to this height hold lava."""
FIRST_HOLLOW = 4
ROOF, MOUTHS = 5, 12
"""Blocks that stay above a cave; in one of so many chunks of dry land none do, so that there are ways in."""


@compiled
def _knot(seed: int, x: int, y: int, z: int) -> int:
    return (hash3(seed, x, y, z) & 0xFFFF) - 32768


@compiled
def _field(seed: int, x: int, y: int, z: int) -> int:
    """Noise at a block, times CELL**3."""
    total = 0
    for corner in range(8):
        dx, dy, dz = corner & 1, (corner >> 1) & 1, corner >> 2
        weight = x % CELL if dx else CELL - x % CELL
        weight *= y % CELL if dy else CELL - y % CELL
        weight *= z % CELL if dz else CELL - z % CELL
        total += weight * _knot(seed, x // CELL + dx, y // CELL + dy, z // CELL + dz)
    return total


@compiled
def _mouth(seed: int, x: int, z: int) -> bool:
    """Whether caves may open to the sky in this chunk."""
    return below(hash2(seed + 33, x // CHUNK, z // CHUNK), MOUTHS) == 0


@compiled
def hollow(seed: int, x: int, y: int, z: int) -> bool:
    """Whether a cave passes through this place, were it the ground of dry land."""
    return (
        _mouth(seed, x, z)
        and abs(_field(seed + 31, x, y, z)) < THIN
        and abs(_field(seed + 32, x, y, z)) < THIN
    )


@compiled
def _knots(seed: int, x0: int, z0: int) -> np.ndarray:
    """The lattice of both noises over a chunk: (2, 3, 3, LEVELS)."""
    side = CHUNK // CELL + 1
    knots = np.empty((2, side, side, LEVELS), np.int64)
    for field in range(2):
        for i in range(side):
            for k in range(side):
                for level in range(LEVELS):
                    knots[field, i, k, level] = _knot(
                        seed + 31 + field, x0 // CELL + i, level, z0 // CELL + k
                    )
    return knots


@compiled
def carve(world: World, seed: int, x0: int, z0: int) -> None:
    """Hollow the chunk at (x0, z0) out; a roof stays but at mouths, which are never under water."""
    knots = _knots(seed, x0, z0)
    bx, bz = x0 & (WINDOW - 1), z0 & (WINDOW - 1)
    line = np.empty((2, LEVELS), np.int64)
    mouth = _mouth(seed, x0, z0)
    for i in range(CHUNK):
        for k in range(CHUNK):
            column = world.blocks[bx + i, bz + k]
            ground = int(world.top[bx + i, bz + k])
            _interpolate(knots, i, k, line)
            _carve_column(column, line, ground if mouth and ground > SEA else ground - ROOF)


@compiled
def _interpolate(knots: np.ndarray, i: int, k: int, line: np.ndarray) -> None:
    a, b, u, v = i // CELL, k // CELL, i % CELL, k % CELL
    for field in range(2):
        for level in range(LEVELS):
            near = knots[field, a, b, level] * (CELL - u) + knots[field, a + 1, b, level] * u
            far = knots[field, a, b + 1, level] * (CELL - u) + knots[field, a + 1, b + 1, level] * u
            line[field, level] = near * (CELL - v) + far * v


@compiled
def _carve_column(column: np.ndarray, line: np.ndarray, highest: int) -> None:
    for y in range(FIRST_HOLLOW, highest + 2):
        level, up = y // CELL, y % CELL
        if (
            y <= highest
            and abs(line[0, level] * (CELL - up) + line[0, level + 1] * up) < THIN
            and abs(line[1, level] * (CELL - up) + line[1, level + 1] * up) < THIN
        ):
            column[y] = LAVA if y <= LAVA_TOP else AIR
        elif column[y] == SAND and column[y - 1] == AIR:
            column[y] = SANDSTONE  # or it would hang in the air
        elif column[y] == GRAVEL and column[y - 1] == AIR:
            column[y] = ROCK


@compiled
def lay_ores(world: World, tables: Tables, seed: int, x0: int, z0: int) -> None:
    """Veins of everything in the rules, and pockets of soil and gravel; a vein ends at the chunk's border."""
    bits = hash2(seed + 41, x0, z0)
    biome = int(world.biome[(x0 + 8) & (WINDOW - 1), (z0 + 8) & (WINDOW - 1)])
    for row in range(tables.ores.shape[0]):
        ore = tables.ores[row]
        if ore.biomes >> biome & 1 == 0:
            continue
        bits = scramble(bits + row + 1)
        veins = ore.veins // 1000 + (1 if below(bits, 1000) < ore.veins % 1000 else 0)
        for _ in range(veins):
            bits = scramble(bits + 77)
            span = ore.high - ore.low + 1
            y = ore.low + below(bits, span)
            if ore.triangle:
                y = ore.low + (below(bits, span) + below(bits << 12, span)) // 2
            bits = _vein(world, bits, x0, y, z0, ore.block, ore.size)


@compiled
def _vein(world: World, bits: int, x0: int, y: int, z0: int, block: int, size: int) -> int:
    """A wandering line of about ``size`` blocks that replaces rock."""
    bx, bz = x0 & (WINDOW - 1), z0 & (WINDOW - 1)
    i, k = below(bits << 5, CHUNK), below(bits << 18, CHUNK)
    left = size
    for _ in range(2 * size):
        found = world.blocks[bx + i, bz + k, y]
        below_it = world.blocks[bx + i, bz + k, y - 1]
        firm = block != GRAVEL or below_it >= FIRST_SOLID
        if left and firm and (found == ROCK or (found == SOIL and y < SEA - 8)):
            world.blocks[bx + i, bz + k, y] = block
            left -= 1
        bits = scramble(bits + 7)
        way, sign = below(bits, 3), 1 if bits & 1 else -1
        if way == 0:
            i = min(max(i + sign, 0), CHUNK - 1)
        elif way == 1:
            k = min(max(k + sign, 0), CHUNK - 1)
        else:
            y = min(max(y + sign, 1), HEIGHT - 2)
    return bits
