"""What is near and how to get it under the crosshair, in MineDojo's turns of 15 degrees."""

from __future__ import annotations

from typing import Any

import numpy as np

from mnemocraft.envs.overworld.blocks import FIRST_SOLID, LAVA, WATER
from mnemocraft.envs.overworld.chunks import block_at
from mnemocraft.envs.overworld.crafting import EYES, look
from mnemocraft.envs.overworld.jit import compiled, entry
from mnemocraft.envs.overworld.routes import RADIUS, WALK
from mnemocraft.envs.overworld.sight import BLOCK_REACH, aim, aim_at_mob
from mnemocraft.envs.overworld.tables import Tables
from mnemocraft.envs.overworld.world import UNIT, World

TURN = 15
"""Degrees between two bins of the camera."""


@entry
def nearest(worlds: Any, wanted: np.ndarray, found: np.ndarray) -> int:
    """Find the blocks of some kinds that are nearest to the player.

    Args:
        worlds: An array of one world.
        wanted: Whether each kind of block is wanted, by number.
        found: int64 (n, 4): x, y, z and a rough distance in ticks of at most n blocks, nearest first.

    Returns:
        How many there are in ``found``.
    """
    world = worlds[0]
    player = world.bodies[0]
    x0, y0, z0 = player.x >> 16, player.y >> 16, player.z >> 16
    number, most = 0, found.shape[0]
    for x in range(x0 - RADIUS + 1, x0 + RADIUS):
        for z in range(z0 - RADIUS + 1, z0 + RADIUS):
            column = world.blocks[x & 255, z & 255]
            for y in range(1, int(world.top[x & 255, z & 255]) + 1):
                if not wanted[column[y]]:
                    continue
                away = WALK * (abs(x - x0) + abs(z - z0)) + 8 * abs(y - y0)
                if number == most and away >= found[most - 1, 3]:
                    continue
                number = min(number + 1, most)
                _insert(found, number - 1, x, y, z, away)
    return number


@compiled
def _insert(found: np.ndarray, place: int, x: int, y: int, z: int, away: int) -> None:
    """Put an entry where it belongs among the sorted ones before ``place``."""
    while place > 0 and found[place - 1, 3] > away:
        found[place] = found[place - 1]
        place -= 1
    found[place, 0], found[place, 1], found[place, 2], found[place, 3] = x, y, z, away


@entry
def crosshair(worlds: Any, rules: Any, out: np.ndarray) -> None:
    """Tell what is under the crosshair within reach.

    Args:
        worlds: An array of one world.
        rules: An array of one record of tables.
        out: int64 (5,): row of the mob (0: none); if there is none, whether there is a block; its x, y, z.
    """
    world, tables = worlds[0], rules[0]
    away, x, y, z, _, _, _ = aim(world, tables, False)
    out[0] = aim_at_mob(world, tables, away)
    out[1], out[2], out[3], out[4] = away <= BLOCK_REACH, x, y, z


@entry
def turns(worlds: Any, rules: Any, row: int, x: int, y: int, z: int, out: np.ndarray) -> bool:
    """Find the turns that bring a block or a mob under the crosshair.

    Args:
        worlds: An array of one world.
        rules: An array of one record of tables.
        row: Row of the mob; 0 for a block.
        x: Where the block is, likewise ``y`` and ``z``.
        y: See ``x``.
        z: See ``x``.
        out: int64 (2,): turns up or down and to a side, in bins of the camera (positive: down, right).

    Returns:
        Whether the target can be hit from here; if not, ``out`` turns towards its middle.
    """
    world, tables = worlds[0], rules[0]
    player, status = world.bodies[0], world.status
    yaw, pitch = player.yaw, status.pitch
    dx, dy, dz = _offset(world, row, x, y, z)
    best, found = -1e9, False
    for down in range((-90 - pitch) // TURN + (1 if (-90 - pitch) % TURN else 0), (90 - pitch) // TURN + 1):
        for aside in range(-11, 13):
            player.yaw, status.pitch = (yaw + TURN * aside + 180) % 360 - 180, pitch + TURN * down
            ahead = look(tables, player.yaw, status.pitch)
            along = (dx * ahead[0] + dy * ahead[1] + dz * ahead[2]) / (1 << 20)
            if along < 0.7:
                continue
            hit = _hits(world, tables, row, x, y, z)
            score = (1000.0 - abs(aside) - abs(down) if hit else 0.0) + along
            if score > best:
                best, found, out[0], out[1] = score, hit, down, aside
    player.yaw, status.pitch = yaw, pitch
    return found


@entry
def level_way(worlds: Any, x: int, z: int) -> bool:
    """Whether the player can walk to the middle of a column in a straight line without a step or a gap.

    Args:
        worlds: An array of one world.
        x: The column, likewise ``z``.
        z: See ``x``.
    """
    world = worlds[0]
    player = world.bodies[0]
    y = (player.y + UNIT // 8) >> 16
    dx, dz = (x << 16) + UNIT // 2 - player.x, (z << 16) + UNIT // 2 - player.z
    steps = 1 + max(abs(dx), abs(dz)) * 4 // UNIT
    for step in range(1, steps + 1):
        at_x, at_z = player.x + dx * step // steps, player.z + dz * step // steps
        for corner in range(4):
            bx = (at_x + player.half * (1 - 2 * (corner & 1))) >> 16
            bz = (at_z + player.half * (1 - (corner & 2))) >> 16
            floor = block_at(world, bx, y - 1, bz)
            here, above = block_at(world, bx, y, bz), block_at(world, bx, y + 1, bz)
            if floor < FIRST_SOLID or here >= FIRST_SOLID or above >= FIRST_SOLID or here in (LAVA, WATER):
                return False
    return True


@compiled
def _offset(world: World, row: int, x: int, y: int, z: int) -> tuple[float, float, float]:
    """The direction from the eye to the middle of a target, of length 1."""
    player, mob = world.bodies[0], world.bodies[row]
    half = UNIT // 2
    tx, ty, tz = (x << 16) + half, (y << 16) + half, (z << 16) + half
    if row:
        tx, ty, tz = mob.x, mob.y + mob.height // 2, mob.z
    dx, dy, dz = float(tx - player.x), float(ty - player.y - EYES), float(tz - player.z)
    away = np.sqrt(dx * dx + dy * dy + dz * dz) + 1e-9
    return dx / away, dy / away, dz / away


@compiled
def _hits(world: World, tables: Tables, row: int, x: int, y: int, z: int) -> bool:
    away, bx, by, bz, _, _, _ = aim(world, tables, False)
    if row:
        return aim_at_mob(world, tables, away) == row
    return away <= BLOCK_REACH and bx == x and by == y and bz == z and aim_at_mob(world, tables, away) == 0
