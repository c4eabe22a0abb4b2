"""Worlds in which an episode begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mnemocraft.agents.deps.stage import GIVEN_TOOL, Judge, TextStage, WorldStage
from mnemocraft.agents.deps.tasks import Task
from mnemocraft.controllers.herd import FARM, NOON, herd
from mnemocraft.envs.minecraft.textworld import TextWorldEnv

if TYPE_CHECKING:
    from mnemocraft.controllers import Controller
    from mnemocraft.envs import MineDojoEnv, OverworldEnv


def judge(task: Task, version: str) -> Judge:
    """When a task is done."""
    item = task.target(version)
    return Judge({item: task.quantity}, {item: task.accepts(version)})


def text_stage(task: Task, version: str = "1.16.5", limits: str = "paper", rules: str = "game") -> TextStage:
    """A task in a fresh text world.

    Raises:
        MnemocraftError: There is no such version, there are no such limits, or no such rules of the version.
    """
    env = TextWorldEnv(version, rules, inventory={GIVEN_TOOL: 1}, max_steps=task.steps(limits))
    return TextStage(env, judge(task, version))


def overworld(
    seed: int, max_steps: int, biome: str | None = "plains", image_size: tuple[int, int] | None = None
) -> OverworldEnv:
    """The world of the released code: noon, the given axe; animals come with :func:`world_stage`.

    Args:
        seed: Of the world.
        max_steps: Steps allowed.
        biome: Of all land; None for a natural mixture, as the paper says.
        image_size: Of the images; the learned controller takes (64, 64).
    """
    from mnemocraft.envs import OverworldEnv

    return OverworldEnv(
        seed,
        max_steps=max_steps,
        image_size=image_size,
        specified_biome=biome,
        initial_inventory={GIVEN_TOOL: 1},
        start_time=NOON,
        allow_time_passage=False,
    )


def world_stage(env: OverworldEnv | MineDojoEnv, controller: Controller, judge: Judge) -> WorldStage:
    """Begin an episode: animals are put near, as in the released code, and the agent looks once."""
    from mnemocraft.controllers.actions import functional

    env.reset()
    random = np.random.default_rng(env.seed)
    for kind in FARM:
        herd(env, kind, random)
    controller.reset()
    return WorldStage(env, controller, env.step(functional(0))[0], judge)
