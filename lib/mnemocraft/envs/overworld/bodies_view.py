"""Mobs and stacks in the picture: boxes met by the rays of the pixels around them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mnemocraft.envs.overworld.crafting import EYES, look
from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.noise import hash3
from mnemocraft.envs.overworld.spawning import light_at
from mnemocraft.envs.overworld.tables import Tables
from mnemocraft.envs.overworld.world import UNIT, VIEW, World

TANGENT = 734221
"""Tangent of half the vertical field of view of 70 degrees, in 1/2**20."""
FACE_SHADES = (176, 256, 216)
BODY = 128
"""Mobs are seen as this number plus their kind; stacks as this number, and blocks as numbers below."""
STACK = 2
"""Half the side of a stack on the ground, in sixteenths of a block."""


@compiled
def draw_bodies(
    world: World,
    tables: Tables,
    palette: Any,
    image: np.ndarray,
    depth: np.ndarray,
    things: np.ndarray,
    light: int,
) -> None:
    """Paint all mobs and stacks in view over the landscape, nearer ones in front."""
    status = world.status
    for row in range(1, 1 + status.bodies):
        _draw(world, tables, palette, image, depth, things, world.bodies[row])
    for row in range(status.drops):
        _draw(world, tables, palette, image, depth, things, world.drops[row])


@compiled
def _draw(
    world: World,
    tables: Tables,
    palette: Any,
    image: np.ndarray,
    depth: np.ndarray,
    things: np.ndarray,
    body: Any,
) -> None:
    player, status = world.bodies[0], world.status
    x, y, z = body.x - player.x, body.y + body.height // 2 - player.y - EYES, body.z - player.z
    reach = 24 * UNIT if body.kind == 0 else (VIEW - 4) * UNIT
    if abs(x) > reach or abs(z) > reach:
        return
    forward = look(tables, player.yaw, status.pitch)
    up = look(tables, player.yaw, status.pitch - 90)
    right_x, right_z = -tables.sine[(player.yaw + 90) % 360], -tables.sine[player.yaw % 360]
    ahead = (x * forward[0] + y * forward[1] + z * forward[2]) >> 20
    radius = max(body.height, 3 * body.half)
    if ahead < -radius:
        return
    across, above = (x * right_x + z * right_z) >> 20, (x * up[0] + y * up[1] + z * up[2]) >> 20
    height, width = image.shape[0], image.shape[1]
    left, right = _span(across, radius, ahead, height, width)
    bottom, top = _span(above, radius, ahead, height, height)
    bright = 38 + 218 * light_at(world, body.x >> 16, (body.y + UNIT // 2) >> 16, body.z >> 16) ** 2 // 225
    eye = _eye(tables, player, body)
    for row in range(height - 1 - top, height - bottom):
        v = TANGENT * (height - 2 * row - 1) // height
        for column in range(left, right + 1):
            u = TANGENT * (2 * column + 1 - width) // height
            dx = forward[0] + ((u * right_x + v * up[0]) >> 20)
            dy = forward[1] + ((v * up[1]) >> 20)
            dz = forward[2] + ((u * right_z + v * up[2]) >> 20)
            if _pixel(tables, palette, image, depth, row, column, body, eye, dx, dy, dz, bright):
                things[row, column] = BODY + body.kind


@compiled
def _span(middle: int, radius: int, ahead: int, height: int, size: int) -> tuple[int, int]:
    """First and last pixel that a sphere can touch along one axis of the picture."""
    nearest = ahead - radius
    if nearest < UNIT // 8:
        return 0, size - 1
    low, high = middle - radius, middle + radius
    scale = height << 19  # half the height in 1/2**20
    low = low * scale // ((nearest if low < 0 else ahead + radius) * TANGENT)
    high = high * scale // ((nearest if high > 0 else ahead + radius) * TANGENT)
    return max(0, size // 2 + low - 1), min(size - 1, size // 2 + high + 1)


@compiled
def _eye(tables: Tables, player: Any, body: Any) -> tuple[float, float, float]:
    """The player's eye in the body's own frame, in sixteenths of a block."""
    x, y, z = player.x - body.x, player.y + EYES - body.y, player.z - body.z
    across, along = _turned(tables, body.yaw, x, z)
    return across / 4096.0, y / 4096.0, along / 4096.0


@compiled
def _turned(tables: Tables, yaw: int, x: int, z: int) -> tuple[int, int]:
    """A level vector in the frame of a body that looks along ``yaw``: across and ahead."""
    sin, cos = tables.sine[yaw % 360], tables.sine[(yaw + 90) % 360]
    return (x * cos + z * sin) >> 20, (z * cos - x * sin) >> 20


@compiled
def _pixel(
    tables: Tables,
    palette: Any,
    image: np.ndarray,
    depth: np.ndarray,
    row: int,
    column: int,
    body: Any,
    eye: tuple[float, float, float],
    dx: int,
    dy: int,
    dz: int,
    bright: int,
) -> bool:
    """Paint one pixel if its ray meets one of the body's boxes before anything else; whether it does."""
    across, along = _turned(tables, body.yaw, dx, dz)
    nearest = depth[row, column] * 16.0
    first, number = (
        (0, 1) if body.kind == 0 else (palette.bodies[body.kind - 1, 0], palette.bodies[body.kind - 1, 1])
    )
    found, side = -1, 0
    for place in range(first, first + number):
        box = palette.boxes[place]
        x0, y0, z0, x1, y1, z1 = box.x0, box.y0, box.z0, box.x1, box.y1, box.z1
        if body.kind == 0:
            x0 = y0 = z0 = -STACK
            x1 = y1 = z1 = STACK
            y0, y1 = 1, 1 + 2 * STACK
        away, axis = _box(eye, across, dy, along, x0, y0, z0, x1, y1, z1)
        if 0.0 < away < nearest:
            nearest, found, side = away, place, axis
    if found < 0:
        return False
    depth[row, column] = nearest / 16.0
    red, green, blue = _colour(palette, body, found, side, eye, across, dy, along, nearest)
    shade = bright * FACE_SHADES[side] >> 8
    pixel = image[row, column]
    pixel[0] = min(255, (red * shade >> 8) + (60 if body.hurt > 4 else 0))
    pixel[1], pixel[2] = green * shade >> 8, blue * shade >> 8
    return True


@compiled
def _box(
    eye: tuple[float, float, float],
    dx: int,
    dy: int,
    dz: int,
    x0: int,
    y0: int,
    z0: int,
    x1: int,
    y1: int,
    z1: int,
) -> tuple[float, int]:
    """Where a ray enters a box (-1 if it does not), and across which axis."""
    enter, leave, axis = -1e9, 1e9, 0
    for side in range(3):
        at = eye[side]
        way = (dx, dy, dz)[side]
        low, high = float((x0, y0, z0)[side]), float((x1, y1, z1)[side])
        if way == 0:
            if at < low or at > high:
                return -1.0, 0
            continue
        a, b = (low - at) * 1048576.0 / way, (high - at) * 1048576.0 / way
        if min(a, b) > enter:
            enter, axis = min(a, b), side
        leave = min(leave, max(a, b))
    return (enter, axis) if enter <= leave else (-1.0, 0)


@compiled
def _colour(
    palette: Any,
    body: Any,
    place: int,
    side: int,
    eye: tuple[float, float, float],
    dx: int,
    dy: int,
    dz: int,
    away: float,
) -> tuple[int, int, int]:
    """Colour of a point of a box: patches of the accent, or eyes and a snout."""
    if body.kind == 0:
        colour = palette.items[body.item]
        return colour[0], colour[1], colour[2]
    box = palette.boxes[place]
    x = int(eye[0]) + (int(away * dx / 1024.0) >> 10)
    y = int(eye[1]) + (int(away * dy / 1024.0) >> 10)
    z = int(eye[2]) + (int(away * dz / 1024.0) >> 10)
    accent = hash3(body.kind, x >> 1, y >> 1, z >> 1) & 3 == 0
    if box.face:
        width = box.x1 - box.x0
        from_top = box.y1 - 1 - y
        eyes = from_top * 4 // (box.y1 - box.y0) == 1 and (
            x - box.x0 <= width // 4 or box.x1 - 1 - x <= width // 4
        )
        snout = from_top * 4 // (box.y1 - box.y0) >= 2 and abs(2 * x + 1 - box.x0 - box.x1) <= width // 2
        accent = side == 2 and dz < 0 and (eyes or snout)
    if accent:
        return box.red2, box.green2, box.blue2
    return box.red, box.green, box.blue
