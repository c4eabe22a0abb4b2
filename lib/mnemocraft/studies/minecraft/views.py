"""What a person sees of the overworld: frames with the biome and the tick at which they were seen."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.overworld.blocks import FIRST_SOLID
from mnemocraft.envs.overworld.world import WINDOW

FRAME = (144, 232)
"""Height and width of the frames in pixels."""
NOON = 6000
OPEN = 14
"""Blocks up to which a view is free or not."""
ASIDE = (-30, -15, 0, 15, 30)
"""Degrees beside straight ahead in which that is asked."""


@dataclass(frozen=True)
class View:
    """A first-person frame.

    Attributes:
        title: What there is to see besides the land; may be empty.
        seed: Seed of the world.
        biome: The biome the player stands in.
        tick: The world's clock: ticks of 50 ms, 24,000 a day, 0 is sunrise, 18,000 midnight.
        place: The player's x, y and z in blocks.
        picture: uint8 RGB, (height, width, 3).
    """

    title: str
    seed: int
    biome: str
    tick: int
    place: tuple[float, float, float]
    picture: np.ndarray

    @property
    def label(self) -> str:
        """Title, if there is one; below it biome and tick."""
        where = f"{self.biome.replace('_', ' ')}, tick {self.tick:,}"
        return f"{self.title}\n{where}" if self.title else where


def place(env: OverworldEnv) -> tuple[float, float, float]:
    """The player's x, y and z in blocks."""
    x, y, z = (int(env.world["bodies"][0, 0][axis]) / 65536 for axis in "xyz")
    return x, y, z


def look(env: OverworldEnv, title: str, biome: str) -> View:
    """What the player sees now."""
    tick = int(env.world["status"]["time"][0]) % 24_000
    return View(title, env.seed, biome, tick, place(env), env.frame(*FRAME))


def openness(env: OverworldEnv) -> int:
    """How free the player's view is: blocks up to what stands before the eyes, summed over :data:`ASIDE`."""
    return sum(_free(env, int(env.world["bodies"][0, 0]["yaw"]) + aside) for aside in ASIDE)


def _free(env: OverworldEnv, yaw: int) -> int:
    x, y, z = place(env)
    way = math.radians(yaw)
    for away in range(1, OPEN + 1):
        at = math.floor(x - away * math.sin(way)) % WINDOW, math.floor(z + away * math.cos(way)) % WINDOW
        if env.world["blocks"][0, at[0], at[1], math.floor(y + 1.6)] >= FIRST_SOLID:
            return away - 1
    return OPEN


def table(views: Iterable[View]) -> pd.DataFrame:
    """One row a frame: what, where, when, and a hash of its pixels, which is the same on every machine."""
    rows = []
    for view in views:
        where, pixels = np.round(view.place, 2), hashlib.sha256(view.picture.tobytes()).hexdigest()[:16]
        rows.append((view.seed, view.title, view.biome, view.tick, *where, pixels))
    return pd.DataFrame(rows, columns=["seed", "title", "biome", "tick", *"xyz", "pixels"])
