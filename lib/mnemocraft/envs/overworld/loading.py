"""Bringing terrain in: the entry that starts a world and is called when the player nears its edge."""

from __future__ import annotations

from typing import Any

from mnemocraft.envs.overworld.biomes import OCEAN, RIVER
from mnemocraft.envs.overworld.blocks import GRASS, GRAVEL, ROCK, SAND, SNOW_LAYER
from mnemocraft.envs.overworld.caves import hollow
from mnemocraft.envs.overworld.chunks import make_near
from mnemocraft.envs.overworld.jit import compiled, entry
from mnemocraft.envs.overworld.noise import scramble
from mnemocraft.envs.overworld.physics import GRAVITY
from mnemocraft.envs.overworld.spawning import place_herds
from mnemocraft.envs.overworld.survival import BREATH, FULL_FOOD, FULL_LIFE
from mnemocraft.envs.overworld.terrain import column
from mnemocraft.envs.overworld.world import SEA, UNIT, World

HALF, TALL = UNIT * 3 // 10, UNIT * 18 // 10
"""Half the player's width, and the height."""


@entry
def load(worlds: Any, rules: Any, fresh: int) -> None:
    """Make the terrain around the player and put the animals there that belong to it.

    Args:
        worlds: An array of one world.
        rules: An array of one record of tables.
        fresh: 1 for a cleared world of which only ``seed``, ``biome``, ``time``, ``daylight`` and ``spawns``
            are set: the player begins on dry land near its origin.
    """
    world, tables = worlds[0], rules[0]
    if fresh:
        _begin(world)
    make_near(world, tables)
    if fresh:
        _step_on_ground(world)
        make_near(world, tables)  # the ground may be in another chunk
    place_herds(world, tables)
    world.status.stale = 0


@compiled
def _begin(world: World) -> None:
    status, player = world.status, world.bodies[0]
    status.random = scramble(status.seed + 1)
    status.seed = scramble(status.seed)
    status.life, status.food, status.saturation = FULL_LIFE, FULL_FOOD, 5000
    status.oxygen = BREATH
    x, z = _first_place(status.seed, status.biome)
    player.x, player.z = x * UNIT + UNIT // 2, z * UNIT + UNIT // 2
    player.half, player.height, player.ground = HALF, TALL, 1


@compiled
def _step_on_ground(world: World) -> None:
    """Put the player on the nearest column of bare ground: no tree, no water, within 24 blocks."""
    player = world.bodies[0]
    player.vy = -GRAVITY  # it stands, instead of beginning to fall
    x, z = player.x >> 16, player.z >> 16
    for ring in range(25):
        for dx in range(-ring, ring + 1):
            for dz in range(-ring, ring + 1):
                top = int(world.top[(x + dx) & 255, (z + dz) & 255])
                if max(abs(dx), abs(dz)) == ring and _bare(world.blocks[(x + dx) & 255, (z + dz) & 255], top):
                    player.x += dx * UNIT
                    player.z += dz * UNIT
                    player.y = (top + 1) * UNIT
                    return
    player.y = (int(world.top[x & 255, z & 255]) + 1) * UNIT


@compiled
def _bare(column: Any, top: int) -> bool:
    return column[top] in (GRASS, SAND, ROCK, GRAVEL, SNOW_LAYER)


@compiled
def _first_place(seed: int, biome: int) -> tuple[int, int]:
    """The first column of dry, unhollowed land on a widening square path around the origin."""
    for ring in range(0, 400):
        for side in range(8):
            x = (ring * 8) * (0, 1, 1, 1, 0, -1, -1, -1)[side]
            z = (ring * 8) * (1, 1, 0, -1, -1, -1, 0, 1)[side]
            ground, kind = column(seed, biome, x, z)
            if ground >= SEA and kind != OCEAN and kind != RIVER and not hollow(seed, x, ground, z):
                return x, z
    return 0, 0
