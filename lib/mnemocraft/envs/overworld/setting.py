"""Arranging a world from outside: blocks and mobs near the player; maps of a seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from mnemocraft.envs.overworld.chunks import set_block
from mnemocraft.envs.overworld.jit import entry
from mnemocraft.envs.overworld.noise import scramble
from mnemocraft.envs.overworld.spawning import summon
from mnemocraft.envs.overworld.terrain import column
from mnemocraft.envs.overworld.world import HEIGHT

SET_BLOCK, SUMMON = range(2)


@entry
def arrange(worlds: Any, rules: Any, what: int, x: int, y: int, z: int, value: int) -> bool:
    """Do one thing to a world.

    Args:
        worlds: An array of one world.
        rules: An array of one record of tables.
        what: SET_BLOCK or SUMMON a mob.
        x: Offset from the player's feet in blocks, likewise ``y`` and ``z``.
        y: See ``x``.
        z: See ``x``.
        value: Number of the block, or kind of the mob.

    Returns:
        Whether it could be done.
    """
    world, tables = worlds[0], rules[0]
    player = world.bodies[0]
    x, y, z = x + (player.x >> 16), y + (player.y >> 16), z + (player.z >> 16)
    if not 0 < y < HEIGHT:
        return False
    if what == SET_BLOCK:
        set_block(world, x, y, z, value)
        return True
    return summon(world, tables, value, x, y, z)


@entry
def survey(
    seed: int, biome: int, x0: int, z0: int, step: int, heights: np.ndarray, biomes: np.ndarray
) -> None:
    """Fill two arrays (by x and z) with the height of the ground and the place of the biome in ``BIOMES``.

    Args:
        seed: Seed of the world.
        biome: The biome of all land, or -1.
        x0: Where the map begins, likewise ``z0``.
        z0: See ``x0``.
        step: Blocks between two entries.
        heights: uint8 (n, m).
        biomes: uint8 (n, m).
    """
    mixed = scramble(seed)
    for i in range(heights.shape[0]):
        for k in range(heights.shape[1]):
            heights[i, k], biomes[i, k] = column(mixed, biome, x0 + i * step, z0 + k * step)
