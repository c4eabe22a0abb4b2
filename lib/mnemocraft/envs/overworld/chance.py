"""The episode's own random numbers: one 64-bit state inside the world."""

from __future__ import annotations

from typing import Any

from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.noise import below, scramble


@compiled
def draw(status: Any, limit: int) -> int:
    """A random number from 0 to ``limit`` - 1."""
    status.random += 0x1E3779B97F4A7C15
    return below(scramble(status.random), limit)
