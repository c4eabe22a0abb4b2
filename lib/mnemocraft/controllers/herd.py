"""The animals that the released code of DEPS puts near the player at the start of an episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mnemocraft.envs import MineDojoEnv, OverworldEnv

HERD, PASTURE = 4, 30
"""Animals of a kind, and within how many blocks."""


def herd(env: OverworldEnv | MineDojoEnv, kind: str, random: np.random.Generator) -> None:
    """Put animals of a kind on the ground somewhere near, by MineDojo's calls alone."""
    placed = 0
    for x, z in random.integers(-PASTURE, PASTURE + 1, (5 * HERD, 2)).tolist():
        if placed < HERD:
            placed += any(env.spawn_mobs(kind, (x, y, z)) is not False for y in range(8, -9, -1))
