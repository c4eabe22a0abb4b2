"""Animals near the player, as the released code of DEPS puts them at the start of an episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mnemocraft.envs import MineDojoEnv, OverworldEnv

FARM = ("sheep", "cow", "pig", "chicken")
HERD, PASTURE = 4, 30
"""Animals of a kind, and within how many blocks."""
DRAWS = 5
"""Places tried for each animal."""
NOON = 6000
"""Time of day that the released code holds."""


def herd(env: OverworldEnv | MineDojoEnv, kind: str, random: np.random.Generator, number: int = HERD) -> None:
    """Put up to so many animals of a kind on the ground, at places drawn at random.

    It goes by ``spawn_mobs`` alone, so it works in MineDojo, too. Where the land is steep or wooded, fewer
    find room.
    """
    placed = 0
    for x, z in random.integers(-PASTURE, PASTURE + 1, (DRAWS * number, 2)).tolist():
        if placed < number:
            placed += any(env.spawn_mobs(kind, (x, y, z)) is not False for y in range(8, -9, -1))
