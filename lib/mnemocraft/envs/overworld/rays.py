"""Following a ray through the blocks, column by column, with leaps over land that lies well below it.

Floating point is used here, in operations that IEEE 754 defines to the last bit and that are not fused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mnemocraft.envs.overworld.blocks import AIR, FIRST_SOLID, LAVA, WATER
from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.world import HEIGHT, TILE, WINDOW, World

MASK = WINDOW - 1
ONE = 1 << 20
NEVER = 1e9
VOID = 255
"""Instead of a block: the ray leaves the world downwards."""
UPPER, FLANK, LOWER, FLANK_X = range(4)
"""Faces, the first three as textures number them; FLANK_X is a flank that looks east or west."""
Hit = tuple[int, float, int, int, int, int, int, int, float]
"""Block (AIR if nothing was met), depth, face, across and down in sixteenths, the open place in front
(x, y, z), and the depth at which the ray went under water (negative: it did not)."""


@compiled
def cast(
    world: World, palette: Any, x: float, y: float, z: float, dx: int, dy: int, dz: int, end: float
) -> Hit:
    """Follow the ray from (x, y, z) along (dx, dy, dz), in 1/2**20, to the first thing that can be seen."""
    fx, fy, fz = dx / ONE, dy / ONE, dz / ONE
    each_x, each_z = (1.0 / fx if dx else NEVER), (1.0 / fz if dz else NEVER)
    ahead_x, ahead_z = (1 if dx > 0 else 0), (1 if dz > 0 else 0)
    bx, bz = int(np.floor(x)), int(np.floor(z))
    next_x = (bx + ahead_x - x) * each_x if dx else NEVER
    next_z = (bz + ahead_z - z) * each_z if dz else NEVER
    gone, axis, wet, last = 0.0, 1, -1.0, -1
    if 0.0 <= y < HEIGHT and world.blocks[bx & MASK, bz & MASK, int(y)] == WATER:
        wet = 0.0
    highest = float(world.status.highest)
    while gone < end:
        here = y + gone * fy
        if fy >= 0.0 and here > highest:
            break
        tile = ((bx & MASK) >> 3) * (WINDOW >> 3) + ((bz & MASK) >> 3)
        if tile != last:
            last = tile
            far_x = ((((bx >> 3) + ahead_x) << 3) - x) * each_x if dx else NEVER
            far_z = ((((bz >> 3) + ahead_z) << 3) - z) * each_z if dz else NEVER
            far = min(far_x, far_z)
            if min(here, y + far * fy) > world.peak[tile] + 1:
                gone = far
                if far_x < far_z:
                    axis = 0
                    bx = (((bx >> 3) + ahead_x) << 3) - 1 + ahead_x
                    bz = _within(bz, int(np.floor(z + gone * fz)))
                else:
                    axis = 2
                    bz = (((bz >> 3) + ahead_z) << 3) - 1 + ahead_z
                    bx = _within(bx, int(np.floor(x + gone * fx)))
                next_x = (bx + ahead_x - x) * each_x if dx else NEVER
                next_z = (bz + ahead_z - z) * each_z if dz else NEVER
                continue
        leave = min(next_x, next_z)
        if min(here, y + leave * fy) < world.top[bx & MASK, bz & MASK] + 1:
            block, depth, face, wet = _scan(
                world, palette, x, y, z, fx, fy, fz, bx, bz, gone, leave, axis, wet
            )
            if block != AIR:
                return _landed(block, depth, face, x, y, z, fx, fy, fz, bx, bz, axis, wet)
        gone = leave
        if next_x < next_z:
            axis = 0
            bx += 2 * ahead_x - 1
            next_x = (bx + ahead_x - x) * each_x
        else:
            axis = 2
            bz += 2 * ahead_z - 1
            next_z = (bz + ahead_z - z) * each_z
    return AIR, NEVER, FLANK, 0, 0, bx, 0, bz, wet


@compiled
def _within(old: int, new: int) -> int:
    """``new``, but in the tile of ``old``: rounding must not lead a ray beside the tile that it leaves."""
    first = old & -TILE
    return min(max(new, first), first + TILE - 1)


@compiled
def _scan(
    world: World,
    palette: Any,
    x: float,
    y: float,
    z: float,
    fx: float,
    fy: float,
    fz: float,
    bx: int,
    bz: int,
    gone: float,
    leave: float,
    axis: int,
    wet: float,
) -> tuple[int, float, int, float]:
    """The ray inside one column: block met (AIR if none), depth, face, and depth of the water's surface."""
    column, top = world.blocks[bx & MASK, bz & MASK], int(world.top[bx & MASK, bz & MASK])
    face = FLANK if axis != 1 else UPPER
    by = int(np.floor(y + gone * fy))
    if fy < 0.0 and by > top:
        by, face = top, UPPER
        gone = (top + 1 - y) / fy
    while by <= top:
        if by < 0:
            return VOID, gone, face, wet
        block = int(column[by])
        if block == WATER:
            if wet < 0.0:
                wet = gone
        elif block >= FIRST_SOLID or block == LAVA:
            if gone > 0.0:
                return block, gone, face, wet
        elif block != AIR and gone > 0.0:
            depth = _thin(palette, block, x - bx, y - by, z - bz, fx, fy, fz, gone)
            if depth > 0.0:
                return block, depth, FLANK, wet
        if fy == 0.0:
            break
        gone = (by + (1 if fy > 0.0 else 0) - y) / fy
        if gone >= leave:
            break
        by += 1 if fy > 0.0 else -1
        face = LOWER if fy > 0.0 else UPPER
    return AIR, gone, face, wet


@compiled
def _landed(
    block: int,
    depth: float,
    face: int,
    x: float,
    y: float,
    z: float,
    fx: float,
    fy: float,
    fz: float,
    bx: int,
    bz: int,
    axis: int,
    wet: float,
) -> Hit:
    """Where on the face the ray lands, and the open place before it."""
    at_x, at_y, at_z = x + depth * fx, y + depth * fy, z + depth * fz
    u, v, w = (
        int(np.floor(at_x * 16.0)) & 15,
        int(np.floor(at_y * 16.0)) & 15,
        int(np.floor(at_z * 16.0)) & 15,
    )
    thin = block < FIRST_SOLID and block != LAVA
    if face != FLANK:
        by = int(np.floor(at_y + 0.5)) - (1 if face == LOWER else 0)
        return block, depth, face, u, w, bx, by, bz, wet
    by = int(np.floor(at_y))
    if thin:
        return block, depth, face, u, 15 - v, bx, by, bz, wet
    if axis == 0:
        return block, depth, FLANK_X, w, 15 - v, bx + (-1 if fx > 0.0 else 1), by, bz, wet
    return block, depth, face, u, 15 - v, bx, by, bz + (-1 if fz > 0.0 else 1), wet


@compiled
def _thin(
    palette: Any, block: int, x: float, y: float, z: float, fx: float, fy: float, fz: float, gone: float
) -> float:
    """Depth at which a ray meets a plant (two crossed planes) or a flat thing; negative if it does not.

    ``x, y, z`` is the eye seen from the place's corner.
    """
    if palette.layer[block]:
        depth = (0.1 - y) / fy if fy != 0.0 else -1.0
        inside = 0.0 <= x + depth * fx < 1.0 and 0.0 <= z + depth * fz < 1.0
        return depth if inside and depth >= gone - 1e-6 else -1.0
    nearest = -1.0
    for plane in range(2):
        slope = fx - fz if plane == 0 else fx + fz
        if slope == 0.0:
            continue
        depth = (z - x if plane == 0 else 1.0 - x - z) / slope
        if depth < gone - 1e-6 or (0.0 < nearest < depth):
            continue
        u, v, w = x + depth * fx, y + depth * fy, z + depth * fz
        inside = 0.0 <= u < 1.0 and 0.0 <= v < 1.0 and 0.0 <= w < 1.0
        if inside and palette.near[block, 1, 15 - int(v * 16.0), int(u * 16.0), 3]:
            nearest = depth
    return nearest
