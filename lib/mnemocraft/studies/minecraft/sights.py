"""A contact sheet: every kind of land, animals from near by, the night, a cave. Arranged, not come upon."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.overworld.blocks import AIR, FIRST_SOLID
from mnemocraft.envs.overworld.world import WINDOW
from mnemocraft.errors import MnemocraftError
from mnemocraft.studies.minecraft.views import NOON, View, look, place

SEED = 3
"""The world of the sheet."""
LANDS = (
    "forest", "desert", "savanna", "plains",
    "birch_forest", "jungle", "taiga", "ice_plains",
    "roofed_forest", "swampland", "extreme_hills",
)  # fmt: skip
PORTRAITS = (
    ("sheep", "forest", NOON, 3.2), ("cow", "plains", NOON, 3.2),
    ("pig", "birch_forest", NOON, 2.8), ("chicken", "plains", NOON, 2.0),
    ("llama", "savanna", NOON, 3.2), ("polar_bear", "ice_plains", NOON, 3.2),
    ("zombie", "plains", 12_900, 3.2),
)  # fmt: skip
"""Who, in what land, when, and from how many blocks away."""
NIGHTFALL = 13_500
"""It is dark and the moon stands low in the east."""
ANGLES = (40, -40, 25, -25, 60, -60, 0, 90, -90)
"""From how far beside an animal's nose it is looked at, in degrees: the first with free sight."""
AROUND, DEEP, LONG = 40, 20, 12
"""Blocks around in which a cave is looked for, its least depth under the ground, and how far one must see."""
COMPASS = ((0, 1, 0), (-1, 0, 90), (0, -1, 180), (1, 0, -90))
"""Ways along x and z, and the yaw of who looks that way."""

Cell = tuple[int, int, int]


def sights() -> list[View]:
    """All frames of the sheet, in its order."""
    lands, portraits = [_land(biome) for biome in LANDS], [_portrait(*portrait) for portrait in PORTRAITS]
    return [*lands, _night("plains"), *portraits, _cave("plains")]


def _world(biome: str, tick: int) -> OverworldEnv:
    still: Any = {"allow_time_passage": False, "allow_mob_spawn": False, "image_size": None}
    env = OverworldEnv(SEED, specified_biome=biome, start_time=tick, **still)
    env.reset()
    return env


def _land(biome: str) -> View:
    """The land as a newcomer sees it, looking west."""
    env = _world(biome, NOON)
    env.teleport_agent(*place(env), 90)
    return look(env, "", biome)


def _night(biome: str) -> View:
    env = _world(biome, NIGHTFALL)
    env.teleport_agent(*place(env), -90, -12)
    return look(env, "night, moon rising", biome)


# --- animals --------------------------------------------------------------------------------------------


def _portrait(mob: str, biome: str, tick: int, away: float) -> View:
    """An animal put on the ground near by, seen from before it and a little aside."""
    env = _world(biome, tick)
    x, y, z = _put(env, mob)
    yaw = int(env.world["bodies"][0, 1]["yaw"])
    for angle in ANGLES:
        way = math.radians(yaw + angle)
        px, pz = x - away * math.sin(way), z + away * math.cos(way)
        py = _ground(env, px, pz)
        if abs(py - y) <= 1 and _free(env, (px, py, pz), (x, y, z)):
            env.teleport_agent(px, py, pz, round(math.degrees(math.atan2(px - x, z - pz))), 15)
            return look(env, mob.replace("_", " "), biome)
    raise MnemocraftError(f"No place was found from which to see the {mob} in world {SEED}.")


def _put(env: OverworldEnv, mob: str) -> tuple[float, float, float]:
    """Put a mob on the nearest ground with room, at least four blocks away; where its feet are."""
    here_x, here_y, here_z = (math.floor(c) for c in place(env))
    near = [(x, z) for x in range(-9, 10) for z in range(-9, 10) if max(abs(x), abs(z)) > 3]
    for x, z in sorted(near, key=lambda way: (abs(way[0]) + abs(way[1]), way)):
        if env.spawn_mobs(mob, (x, _ground(env, here_x + x, here_z + z) - here_y, z)):
            body = env.world["bodies"][0, 1]
            return int(body["x"]) / 65536, int(body["y"]) / 65536, int(body["z"]) / 65536
    raise MnemocraftError(f"World {SEED} has no room for a {mob}.")


def _ground(env: OverworldEnv, x: float, z: float) -> int:
    """Height of the feet of who stands in a column."""
    return int(env.world["roof"][0, math.floor(x) % WINDOW, math.floor(z) % WINDOW]) + 1


def _block(env: OverworldEnv, x: float, y: float, z: float) -> int:
    column = env.world["blocks"][0, math.floor(x) % WINDOW, math.floor(z) % WINDOW]
    return int(column[math.floor(y)])


def _free(env: OverworldEnv, here: tuple[float, float, float], there: tuple[float, float, float]) -> bool:
    """Whether nothing stands between a player's eye and the middle of a mob."""
    eye, middle = np.add(here, (0, 1.6, 0)), np.add(there, (0, 0.6, 0))
    points = [eye + share * (middle - eye) for share in np.linspace(0, 1, 24)]
    return all(_block(env, *point) < FIRST_SOLID for point in points)


# --- under the ground -----------------------------------------------------------------------------------


def _cave(biome: str) -> View:
    """A long cave in the light of a torch."""
    env = _world(biome, NOON)
    (x, y, z), (dx, dz, yaw) = _passage(env)
    env.teleport_agent(x + 0.5, y, z + 0.5, yaw)
    env.set_block("torch", (3 * dx, 0, 3 * dz))
    return look(env, "cave, lit by a torch", biome)


def _passage(env: OverworldEnv) -> tuple[Cell, tuple[int, int, int]]:
    """Where a cave goes on straight for longest at the height of the eyes, and which way."""
    here_x, _, here_z = (math.floor(c) for c in place(env))
    best: tuple[int, Cell, tuple[int, int, int]] = (LONG - 1, (0, 0, 0), COMPASS[0])
    for x in range(here_x - AROUND, here_x + AROUND):
        for z in range(here_z - AROUND, here_z + AROUND):
            for y in range(12, _ground(env, x, z) - DEEP):
                if _stands(env, x, y, z):
                    for way in COMPASS:
                        length = _sight(env, (x, y, z), way)
                        if length > best[0]:
                            best = length, (x, y, z), way
    if best[0] < LONG:
        raise MnemocraftError(f"World {SEED} has no long cave near its origin.")
    return best[1], best[2]


def _stands(env: OverworldEnv, x: int, y: int, z: int) -> bool:
    column = env.world["blocks"][0, x % WINDOW, z % WINDOW]
    return column[y] == AIR == column[y + 1] and column[y - 1] >= FIRST_SOLID


def _sight(env: OverworldEnv, cell: Cell, way: tuple[int, int, int]) -> int:
    x, y, z = cell
    for length in range(1, 40):
        at = env.world["blocks"][0, (x + length * way[0]) % WINDOW, (z + length * way[1]) % WINDOW]
        if at[y + 1] != AIR or (length < 4 and not _stands(env, x + length * way[0], y, z + length * way[1])):
            return length - 1
    return 40
