"""The compiled half of an observation: numbers, and the 27 blocks around the player."""

from __future__ import annotations

from typing import Any

import numpy as np

from mnemocraft.envs.overworld.chunks import block_at, daylight_at
from mnemocraft.envs.overworld.crafting import EYES, look
from mnemocraft.envs.overworld.jit import entry
from mnemocraft.envs.overworld.spawning import light_at
from mnemocraft.envs.overworld.survival import EXPLOSION, FIRE, PROJECTILE, UNBLOCKABLE, sun
from mnemocraft.envs.overworld.world import SEA, UNIT

NUMBERS = 19
FACTS = 15


@entry
def sense(
    worlds: Any, rules: Any, numbers: np.ndarray, facts: np.ndarray, voxels: np.ndarray, angles: np.ndarray
) -> None:
    """Write down what the player can tell.

    Args:
        worlds: An array of one world.
        rules: An array of one record of tables.
        numbers: float32 (19,): life, armour, food, saturation, oxygen, experience; x, y, z; yaw, pitch,
            light, sky light, brightness of the sun, sea level; damage, its distance, pitch and yaw.
        facts: int64 (15,): outcome, changes of the inventory, table near, furnace near, place of the biome,
            sky visible, dead, damage of hunger, four kinds of damage, time, mobs, edits.
        voxels: uint8 (27,): blocks by x, y, z from -1 to 1 around the feet.
        angles: float32 (27,): cosine of the angle between the view and the middle of each.
    """
    world, tables = worlds[0], rules[0]
    status, player = world.status, world.bodies[0]
    x, y, z = player.x >> 16, player.y >> 16, player.z >> 16
    numbers[0], numbers[1], numbers[2] = status.life / 1000, status.armor, status.food / 1000
    numbers[3], numbers[4], numbers[5] = status.saturation / 1000, max(0, status.oxygen), status.experience
    numbers[6], numbers[7], numbers[8] = player.x / UNIT, player.y / UNIT, player.z / UNIT
    numbers[9], numbers[10] = player.yaw, status.pitch
    numbers[11] = light_at(world, x, y + 1, z)
    sky = daylight_at(world, x, y + 1, z)
    numbers[12], numbers[13], numbers[14] = sky / 15, sun(status.time) / 1000, SEA + 1
    numbers[15], numbers[16] = min(40000, status.damage) / 1000, status.damage_distance / UNIT
    numbers[17], numbers[18] = (
        status.damage_pitch,
        status.damage_yaw - (360 if status.damage_yaw > 180 else 0),
    )
    facts[0], facts[1], facts[2], facts[3] = status.outcome, status.changes, status.table, status.furnace
    facts[4], facts[5], facts[6] = world.biome[x & 255, z & 255], sky == 15, status.dead
    facts[7] = status.damage_hunger
    facts[8], facts[9] = status.damage_kind & EXPLOSION, status.damage_kind & FIRE
    facts[10], facts[11] = status.damage_kind & PROJECTILE, status.damage_kind & UNBLOCKABLE
    facts[12], facts[13], facts[14] = status.time, status.bodies, status.edits
    dx, dy, dz = look(tables, player.yaw, status.pitch)
    for place in range(27):
        i, j, k = place // 9 - 1, place // 3 % 3 - 1, place % 3 - 1
        voxels[place] = block_at(world, x + i, y + j, z + k)
        a = ((x + i) << 16) + UNIT // 2 - player.x
        b = ((y + j) << 16) + UNIT // 2 - player.y - EYES
        c = ((z + k) << 16) + UNIT // 2 - player.z
        along = (a * dx + b * dy + c * dz) >> 20
        away = np.sqrt(float(a * a + b * b + c * c))
        angles[place] = max(-1.0, min(1.0, along / max(away, 1.0)))
