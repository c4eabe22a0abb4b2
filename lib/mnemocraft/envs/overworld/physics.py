"""How bodies move: gravity, drag, water, and full blocks that stop them, with Minecraft's constants."""

from __future__ import annotations

from typing import Any

from mnemocraft.envs.overworld.blocks import FIRST_SOLID, LADDER, LAVA, WATER
from mnemocraft.envs.overworld.chunks import block_at
from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.world import UNIT, World

GRAVITY = UNIT * 80 // 1000
WATER_GRAVITY = UNIT * 20 // 1000
JUMP = UNIT * 420 // 1000
SWIM = UNIT * 40 // 1000
CLIMB = UNIT * 300 // 1000
LADDER_PACE = UNIT * 118 // 1000
"""Up a ladder: 0.2 blocks a tick, less gravity and drag."""
STILL = UNIT * 3 // 1000
"""Slower than this a body stands still."""
GROUND_DRAG, AIR_DRAG, FALL_DRAG, WATER_DRAG, LAVA_DRAG = 546, 910, 980, 800, 500
"""What is left of the speed after a tick, in thousandths."""
DRY, IN_WATER, IN_LAVA = range(3)


@compiled
def part(value: int, thousandths: int) -> int:
    """A share of a number, rounded towards zero."""
    return value * thousandths // 1000 if value >= 0 else -(-value * thousandths // 1000)


@compiled
def solid_within(world: World, x0: int, x1: int, y0: int, y1: int, z0: int, z1: int) -> bool:
    """Whether one of these places (all borders included) holds a solid block."""
    for x in range(x0, x1 + 1):
        for z in range(z0, z1 + 1):
            for y in range(y0, y1 + 1):
                if block_at(world, x, y, z) >= FIRST_SOLID:
                    return True
    return False


@compiled
def fits(world: World, x: int, y: int, z: int, half: int, height: int) -> bool:
    """Whether a body's box at (x, y, z) is free of solid blocks."""
    return not solid_within(
        world,
        (x - half) >> 16,
        (x + half - 1) >> 16,
        y >> 16,
        (y + height - 1) >> 16,
        (z - half) >> 16,
        (z + half - 1) >> 16,
    )


@compiled
def _allowed(
    world: World, axis: int, edge: int, way: int, x0: int, x1: int, y0: int, y1: int, z0: int, z1: int
) -> int:
    """How much of ``way`` the face at ``edge`` can go along ``axis``; the other two ranges are the body's."""
    step = 1 if way > 0 else -1
    ahead = 1 if way > 0 else 0
    here, last = (edge - ahead) >> 16, (edge + way - ahead) >> 16
    while here != last:
        here += step
        if axis == 0:
            x0 = x1 = here
        elif axis == 1:
            y0 = y1 = here
        else:
            z0 = z1 = here
        if solid_within(world, x0, x1, y0, y1, z0, z1):
            return ((here + 1 - ahead) << 16) - edge
    return way


@compiled
def move(world: World, body: Any) -> None:
    """Move by the velocity: first up or down, then east or west, then south or north.

    Sets ``ground`` and ``blocked`` (something solid in the way sideways).
    """
    half, height = body.half, body.height
    x0, x1 = (body.x - half) >> 16, (body.x + half - 1) >> 16
    z0, z1 = (body.z - half) >> 16, (body.z + half - 1) >> 16
    edge = body.y + height if body.vy > 0 else body.y
    gone = _allowed(world, 1, edge, body.vy, x0, x1, 0, 0, z0, z1)
    body.ground = 1 if body.vy < 0 and gone != body.vy else 0
    if gone != body.vy:
        body.vy = 0
    body.y += gone
    y0, y1 = body.y >> 16, (body.y + height - 1) >> 16
    body.blocked = 0
    edge = body.x + half if body.vx > 0 else body.x - half
    gone = _allowed(world, 0, edge, body.vx, 0, 0, y0, y1, z0, z1)
    if gone != body.vx:
        body.vx, body.blocked = 0, 1
    body.x += gone
    x0, x1 = (body.x - half) >> 16, (body.x + half - 1) >> 16
    edge = body.z + half if body.vz > 0 else body.z - half
    gone = _allowed(world, 2, edge, body.vz, x0, x1, y0, y1, 0, 0)
    if gone != body.vz:
        body.vz, body.blocked = 0, 1
    body.z += gone


@compiled
def soak(world: World, body: Any) -> None:
    """Set ``wet`` from the block around the body's lower part."""
    block = block_at(world, body.x >> 16, (body.y + UNIT * 2 // 5) >> 16, body.z >> 16)
    body.wet = IN_WATER if block == WATER else IN_LAVA if block == LAVA else DRY


@compiled
def slow_down(world: World, body: Any) -> None:
    """Gravity and drag at the end of a body's tick."""
    if body.wet == DRY:
        body.vy = part(body.vy - GRAVITY, FALL_DRAG)
        if block_at(world, body.x >> 16, body.y >> 16, body.z >> 16) == LADDER:
            body.vy = LADDER_PACE if body.blocked else max(body.vy, -UNIT * 15 // 100)
        drag = GROUND_DRAG if body.ground else AIR_DRAG
    else:
        drag = WATER_DRAG if body.wet == IN_WATER else LAVA_DRAG
        body.vy = part(body.vy, drag) - WATER_GRAVITY
    body.vx, body.vz = part(body.vx, drag), part(body.vz, drag)
    if abs(body.vx) < STILL:
        body.vx = 0
    if abs(body.vz) < STILL:
        body.vz = 0


@compiled
def push(sine: Any, body: Any, yaw: int, forward: int, left: int) -> None:
    """Add to the velocity: ``forward`` along ``yaw`` and ``left`` across it (yaw 0 is south, 90 west)."""
    sin, cos = sine[yaw % 360], sine[(yaw + 90) % 360]
    body.vx += (left * cos - forward * sin) >> 20
    body.vz += (forward * cos + left * sin) >> 20
