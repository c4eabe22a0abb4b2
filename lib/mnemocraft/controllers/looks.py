"""Looking around: what lies behind counts as much as what lies ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.features import IMAGE, SHARP
from mnemocraft.controllers.success import Observation
from mnemocraft.errors import MnemocraftError

if TYPE_CHECKING:
    from mnemocraft.envs import MineDojoEnv, OverworldEnv

LOOKS = 6
"""Views of 60 degrees on, each 70 wide, one a step."""
BINS, DEGREES = 24, 15
"""Bins of a whole turn in MineDojo's actions, and degrees of one."""


def with_image(env: OverworldEnv | MineDojoEnv, observation: Observation, side: int = IMAGE) -> Observation:
    """The observation with a view of at least so many pixels a side.

    Observations without images, or with small ones, are much cheaper; the overworld can be looked at in any
    size all the same.

    Raises:
        MnemocraftError: It is MineDojo, whose images have one size, and they are smaller.
    """
    if "rgb" in observation and min(observation["rgb"].shape[1:]) >= side:
        return observation
    if not hasattr(env, "frame"):
        had = " x ".join(map(str, observation["rgb"].shape[1:]))
        raise MnemocraftError(
            f"To predict by what is seen takes images of {side} x {side} pixels, or a multiple; these have "
            f"{had}. Make the world with image_size=({side}, {side})."
        )
    return observation | {"rgb": cast("OverworldEnv", env).frame(side, side).transpose(2, 0, 1)}


def look_around(env: OverworldEnv | MineDojoEnv, observation: Observation) -> list[Observation]:
    """Turn around once with a level head.

    Args:
        env: The world.
        observation: Its last one.

    Returns:
        The observations of :data:`LOOKS` steps, with sharp images; fewer if the episode ends meanwhile.
    """
    pitch = -round(float(observation["location_stats"]["pitch"][0]) / DEGREES)
    seen: list[Observation] = []
    for _ in range(LOOKS):
        turned = a.functional(0, pitch=pitch, yaw=BINS // LOOKS)
        observation, _, terminated, truncated, _ = env.step(turned)
        seen.append(with_image(env, observation, SHARP))
        pitch = 0
        if terminated or truncated:
            break
    return seen


def turn_back_to(env: OverworldEnv | MineDojoEnv, observation: Observation, look: int) -> Observation:
    """Turn to one of the looks around, by its number; the observation then.

    Args:
        env: The world, its player looking where :func:`look_around` ended.
        observation: The last one.
        look: From 0 on.
    """
    bins = (look + 1) % LOOKS * (BINS // LOOKS)
    if not bins:
        return observation
    return env.step(a.functional(0, yaw=bins if bins <= BINS // 2 else bins - BINS))[0]
