"""Looking around: what lies behind counts as much as what lies ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.features import IMAGE
from mnemocraft.controllers.success import Observation

if TYPE_CHECKING:
    from mnemocraft.envs import MineDojoEnv, OverworldEnv

LOOKS = 6
"""Views of 60 degrees on, each 70 wide, one a step."""
BINS, DEGREES = 24, 15
"""Bins of a whole turn in MineDojo's actions, and degrees of one."""


def with_image(env: OverworldEnv | MineDojoEnv, observation: Observation) -> Observation:
    """The observation with the view as a controller takes it, if it has none.

    Observations without images are much cheaper; a world that gives them can still be looked at.
    """
    if "rgb" in observation:  # always in MineDojo
        return observation
    return observation | {"rgb": cast("OverworldEnv", env).frame(IMAGE, IMAGE).transpose(2, 0, 1)}


def look_around(env: OverworldEnv | MineDojoEnv, observation: Observation) -> list[Observation]:
    """Turn around once with a level head.

    Args:
        env: The world.
        observation: Its last one.

    Returns:
        The observations of :data:`LOOKS` steps, with images; fewer if the episode ends meanwhile.
    """
    pitch = -round(float(observation["location_stats"]["pitch"][0]) / DEGREES)
    seen: list[Observation] = []
    for _ in range(LOOKS):
        turned = a.functional(0, pitch=pitch, yaw=BINS // LOOKS)
        observation, _, terminated, truncated, _ = env.step(turned)
        seen.append(with_image(env, observation))
        pitch = 0
        if terminated or truncated:
            break
    return seen
