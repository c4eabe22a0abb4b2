"""What the player sees: one ray a pixel through the blocks, then the mobs and stacks in front of them.

Directions are whole numbers; along the rays floating point is used, each result of a single operation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mnemocraft.envs.overworld.blocks import AIR, FIRST_SOLID, LAVA
from mnemocraft.envs.overworld.bodies_view import TANGENT, draw_bodies
from mnemocraft.envs.overworld.chunks import daylight_at, torchlight_at
from mnemocraft.envs.overworld.crafting import EYES, look
from mnemocraft.envs.overworld.jit import compiled, entry
from mnemocraft.envs.overworld.rays import FLANK, FLANK_X, NEVER, VOID, cast
from mnemocraft.envs.overworld.survival import sun
from mnemocraft.envs.overworld.textures import TINTED, TINTED_GREEN
from mnemocraft.envs.overworld.world import VIEW, WINDOW, World

MASK = WINDOW - 1
ONE = 1 << 20
SIGHT = float(VIEW - 1)
NEAR_TEXTURE, MIDDLE_TEXTURE = 9.0, 22.0
"""Distances in blocks up to which fine and coarse textures are used."""
SHADES = (256, 205, 128, 154)
"""Brightness of 256: upper faces, flanks north and south, lower faces, flanks east and west."""
THIN_SHADE, GLOW = 230, 400
LONGEST = 200.0


@entry
def render(worlds: Any, rules: Any, palettes: Any, image: np.ndarray, things: np.ndarray) -> None:
    """Paint the player's view.

    Args:
        worlds: An array of one world.
        rules: An array of one record of tables.
        palettes: The colours, see :func:`mnemocraft.envs.overworld.textures.palette`.
        image: uint8 (height, width, 3), overwritten.
        things: uint8 (height, width), overwritten by what is seen: the number of a block, :data:`BODY` + the
            kind of a mob, or :data:`BODY` for a stack.
    """
    world, tables, palette = worlds[0], rules[0], palettes[0]
    player, status = world.bodies[0], world.status
    height, width = image.shape[0], image.shape[1]
    depth = np.empty((height, width), np.float64)
    forward = look(tables, player.yaw, status.pitch)
    up = look(tables, player.yaw, status.pitch - 90)
    right_x, right_z = -tables.sine[(player.yaw + 90) % 360], -tables.sine[player.yaw % 360]
    light = sun(status.time)
    air = _air(light, status.time)
    columns = np.empty(width, np.int64)
    for column in range(width):
        columns[column] = TANGENT * (2 * column + 1 - width) // height
    x, y, z = player.x / 65536.0, (player.y + EYES) / 65536.0, player.z / 65536.0
    for row in range(height):
        v = TANGENT * (height - 2 * row - 1) // height
        for column in range(width):
            u = columns[column]
            dx = forward[0] + ((u * right_x + v * up[0]) >> 20)
            dy = forward[1] + ((v * up[1]) >> 20)
            dz = forward[2] + ((u * right_z + v * up[2]) >> 20)
            red, green, blue, away, thing = _ray(world, palette, air, x, y, z, dx, dy, dz, light)
            pixel = image[row, column]
            pixel[0], pixel[1], pixel[2] = red, green, blue
            depth[row, column], things[row, column] = away, thing
    draw_bodies(world, tables, palette, image, depth, things, light)


@compiled
def _air(light: int, time: int) -> np.ndarray:
    """The sky: colours at the horizon and overhead, and where the sun stands (x and y, in 1/256)."""
    air = np.empty(8, np.int64)
    share = light * 256 // 1000
    for place in range(6):
        night, day = (20, 22, 40, 6, 8, 22)[place], (190, 214, 250, 96, 150, 246)[place]
        air[place] = blend(night, day, share)
    angle = time % 24000 // 67  # about 358 steps a day; a quarter of them is noon
    air[6], air[7] = _rough_sine(angle + 90), _rough_sine(angle)
    return air


@compiled
def _ray(
    world: World,
    palette: Any,
    air: np.ndarray,
    x: float,
    y: float,
    z: float,
    dx: int,
    dy: int,
    dz: int,
    light: int,
) -> tuple[int, int, int, float, int]:
    """Colour and depth of what a ray meets first, and the block."""
    end = min(SIGHT * ONE / max(abs(dx), abs(dz), 1), LONGEST)
    block, depth, face, u, v, bx, by, bz, wet = cast(world, palette, x, y, z, dx, dy, dz, end)
    if block in (AIR, VOID):
        red, green, blue = _sky(air, dx, dy, dz) if block == AIR else (8, 8, 10)
        if wet >= 0.0:
            red, green, blue = _through_water(red, green, blue, end - wet, light)
            red, green, blue = _hazy(air, red, green, blue, wet / end)
        return red, green, blue, NEVER, AIR
    if block == LAVA:
        shade = GLOW
    elif block < FIRST_SOLID:
        shade = THIN_SHADE * _brightness(world, bx, by, bz, light) >> 8
    else:
        shade = SHADES[face] * _brightness(world, bx, by, bz, light) >> 8
    flank = face if face != FLANK_X else FLANK
    red, green, blue = _texel(world, palette, block, flank, u, v, bx, bz, depth, shade)
    if wet < 0.0:
        red, green, blue = _hazy(air, red, green, blue, depth / end)
        return red, green, blue, depth, block
    red, green, blue = _through_water(red, green, blue, depth - wet, light)
    red, green, blue = _hazy(air, red, green, blue, wet / end)
    return red, green, blue, wet if wet > 0.0 else depth, block


@compiled
def _hazy(air: np.ndarray, red: int, green: int, blue: int, away: float) -> tuple[int, int, int]:
    """Through the haze that hides where the known land ends; ``away``: a share of the sight."""
    haze = int(away * 256.0) - 128
    if haze <= 0:
        return red, green, blue
    haze = haze * haze >> 6
    return blend(red, air[0], haze), blend(green, air[1], haze), blend(blue, air[2], haze)


@compiled
def _brightness(world: World, x: int, y: int, z: int, light: int) -> int:
    """Brightness of an open place, of 256: Minecraft's light levels on a gentler curve, never quite dark."""
    sky_light = daylight_at(world, x, y, z)
    if sky_light == 15 and y < world.top[x & MASK, z & MASK]:
        sky_light = 13  # in the shade of leaves
    level = max(sky_light * 16 - 11 * (1000 - light) * 16 // 1000, torchlight_at(world, x, y, z) * 16, 0)
    return 38 + level * level * 218 // (240 * 240)


@compiled
def _texel(
    world: World, palette: Any, block: int, face: int, u: int, w: int, x: int, z: int, gone: float, shade: int
) -> tuple[int, int, int]:
    """Colour of a point of a block's face."""
    if gone < NEAR_TEXTURE or palette.sprite[block]:
        texel = palette.near[block, face, w, u]
    elif gone < MIDDLE_TEXTURE:
        texel = palette.middle[block, face, w >> 2, u >> 2]
    else:
        texel = palette.far[block, face]
    red, green, blue = int(texel[0]), int(texel[1]), int(texel[2])
    tint = palette.tint[block]
    if tint == TINTED or (tint == TINTED_GREEN and green > red):
        grass = palette.grass[world.biome[x & MASK, z & MASK]]
        red, green, blue = red * grass[0] >> 7, green * grass[1] >> 7, blue * grass[2] >> 7
    return min(255, red * shade >> 8), min(255, green * shade >> 8), min(255, blue * shade >> 8)


@compiled
def blend(one: int, other: int, share: int) -> int:
    """``share`` of 256 of the other."""
    return one + ((other - one) * share >> 8)


@compiled
def _through_water(red: int, green: int, blue: int, depth: float, light: int) -> tuple[int, int, int]:
    share = min(235, 120 + int(depth * 14.0))
    bright = 60 + light * 196 // 1000
    return (
        blend(red, 40 * bright >> 8, share),
        blend(green, 86 * bright >> 8, share),
        blend(blue, 200 * bright >> 8, share),
    )


@compiled
def _sky(air: np.ndarray, dx: int, dy: int, dz: int) -> tuple[int, int, int]:
    """Colour of the sky in a direction, with sun and moon."""
    rise = min(256, int(max(0, dy) * 512.0 / (abs(dx) + abs(dz) + abs(dy))))
    along = (dx * air[6] + dy * air[7]) >> 8
    square = (dx >> 8) * (dx >> 8) + (dy >> 8) * (dy >> 8) + (dz >> 8) * (dz >> 8)
    if along * along >> 16 > square - (square >> 8):
        return (255, 246, 180) if along > 0 else (216, 220, 232)
    return blend(air[0], air[3], rise), blend(air[1], air[4], rise), blend(air[2], air[5], rise)


@compiled
def _rough_sine(degrees: int) -> int:
    """Sine in 1/256 by a parabola: good enough for where the sun stands."""
    degrees %= 360
    half = degrees % 180
    value = half * (180 - half) * 256 // 8100
    return value if degrees < 180 else -value
