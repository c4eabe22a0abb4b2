"""Who acts in a world with MineDojo's face, by name; compiled code and weights are loaded only here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, cast

import numpy as np

from mnemocraft.errors import one_of

if TYPE_CHECKING:
    from mnemocraft.controllers import Controller
    from mnemocraft.controllers.network import Network
    from mnemocraft.controllers.success import Observation
    from mnemocraft.envs import MineDojoEnv, OverworldEnv
    from mnemocraft.envs.minecraft.goals import Goal

CONTROLLERS = ("scripted", "sighted", "learned")
IMAGE = (64, 64)
"""Height and width of what the learned controller sees."""


def image_size(name: str) -> tuple[int, int] | None:
    """The images that a controller needs at every step; None for none."""
    return IMAGE if name == "learned" else None


def controller(name: str, env: OverworldEnv | MineDojoEnv, seed: int) -> Controller:
    """A controller of a world.

    Args:
        name: ``scripted`` or ``sighted`` (in the overworld only), or ``learned`` (the weights that come with
            the project).
        env: Where it acts.
        seed: Of what it draws.

    Raises:
        MnemocraftError: There is no such controller.
    """
    from mnemocraft.controllers import LearnedController, ScriptedController, SightedController

    one_of("controller", name, CONTROLLERS)
    if name == "scripted":
        return ScriptedController(cast("OverworldEnv", env), seed)
    if name == "sighted":
        return SightedController(cast("OverworldEnv", env))
    return LearnedController(_network(), seed)


@cache
def _network() -> Network:
    """The learned controller's network, read once; streams already share the processor."""
    import torch

    from mnemocraft.controllers.network import load_network

    torch.set_num_threads(1)
    return load_network()


class Guided:
    """A controller that acts, and another whose predictions are asked.

    Args:
        actor: Its actions are taken, and its problem is the problem.
        guide: Its horizons are given.
    """

    def __init__(self, actor: Controller, guide: Controller) -> None:
        self._actor, self._guide = actor, guide
        self.problem, self.looks = "", guide.looks

    def reset(self) -> None:
        """A new episode."""
        self._actor.reset()
        self._guide.reset()

    def act(self, observation: Observation, goal: Goal) -> np.ndarray:
        """The actor's next action."""
        action = self._actor.act(observation, goal)
        self.problem = self._actor.problem
        return action

    def horizon(
        self, observation: Observation, goals: Sequence[Goal], around: Sequence[Observation] = ()
    ) -> np.ndarray:
        """The guide's predicted steps."""
        return self._guide.horizon(observation, goals, around)
