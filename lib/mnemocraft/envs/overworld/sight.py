"""What the crosshair points at: the first block, and the first mob before it."""

from __future__ import annotations

from mnemocraft.envs.overworld.blocks import AIR, LAVA, WATER
from mnemocraft.envs.overworld.chunks import block_at
from mnemocraft.envs.overworld.crafting import EYES, look
from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.tables import Tables
from mnemocraft.envs.overworld.world import UNIT, World

BLOCK_REACH = UNIT * 45 // 10
MOB_REACH = UNIT * 3
FAR = 1 << 40
ONE = 1 << 20


@compiled
def _first_crossing(at: int, way: int) -> int:
    """Length of the ray (in UNIT) to the first border between blocks along one axis."""
    if way > 0:
        return ((((at >> 16) + 1) << 16) - at) * ONE // way
    return (at - ((at >> 16) << 16)) * ONE // -way if way < 0 else FAR


@compiled
def aim(world: World, tables: Tables, liquids: bool) -> tuple[int, int, int, int, int, int, int]:
    """Follow the view to the first block.

    Returns:
        Distance in UNIT (more than :data:`BLOCK_REACH` if there is none within reach), the block's x, y, z,
        and the axis (0, 1, 2) of the face hit, the side (+1 or -1) it looks to, and the block. ``liquids``:
        they stop the ray.
    """
    player, status = world.bodies[0], world.status
    x, y, z = player.x, player.y + EYES, player.z
    dx, dy, dz = look(tables, player.yaw, status.pitch)
    bx, by, bz = x >> 16, y >> 16, z >> 16
    next_x, next_y, next_z = _first_crossing(x, dx), _first_crossing(y, dy), _first_crossing(z, dz)
    axis, side, gone = 1, 1, 0
    while gone <= BLOCK_REACH:
        block = block_at(world, bx, by, bz)
        if block != AIR and (liquids or (block != WATER and block != LAVA)):
            return gone, bx, by, bz, axis, side, block
        if next_x <= next_y and next_x <= next_z:
            axis, side, gone = 0, -1 if dx > 0 else 1, next_x
            bx -= side
            next_x += (ONE * UNIT) // abs(dx)
        elif next_y <= next_z:
            axis, side, gone = 1, -1 if dy > 0 else 1, next_y
            by -= side
            next_y += (ONE * UNIT) // abs(dy)
        else:
            axis, side, gone = 2, -1 if dz > 0 else 1, next_z
            bz -= side
            next_z += (ONE * UNIT) // abs(dz)
    return FAR, bx, by, bz, axis, side, AIR


@compiled
def aim_at_mob(world: World, tables: Tables, before: int) -> int:
    """Row in ``bodies`` of the nearest mob in the view within reach and nearer than ``before``; 0 if none."""
    player, status = world.bodies[0], world.status
    dx, dy, dz = look(tables, player.yaw, status.pitch)
    nearest, found = min(before, MOB_REACH), 0
    for row in range(1, 1 + status.bodies):
        mob = world.bodies[row]
        if abs(mob.x - player.x) > 5 * UNIT or abs(mob.z - player.z) > 5 * UNIT:
            continue
        enter, leave = 0, nearest
        enter, leave = _slab(mob.x - mob.half - player.x, 2 * mob.half, dx, enter, leave)
        enter, leave = _slab(mob.y - player.y - EYES, mob.height, dy, enter, leave)
        enter, leave = _slab(mob.z - mob.half - player.z, 2 * mob.half, dz, enter, leave)
        if enter <= leave:
            nearest, found = enter, row
    return found


@compiled
def _slab(low: int, width: int, way: int, enter: int, leave: int) -> tuple[int, int]:
    """The part of the ray between ``enter`` and ``leave`` that lies in a layer ``width`` thick."""
    if way == 0:
        return (enter, leave) if low <= 0 <= low + width else (1, 0)
    a, b = low * ONE // way, (low + width) * ONE // way
    return max(enter, min(a, b)), min(leave, max(a, b))
