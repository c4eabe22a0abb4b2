"""One goal, pursued by a controller in an environment with MineDojo's face."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import gymnasium
import numpy as np

from mnemocraft.controllers.success import VERSION, Observation, Progress, counts, nearby
from mnemocraft.envs.minecraft.goals import Goal, goal_library


class Controller(Protocol):
    """What all controllers have in common.

    Attributes:
        problem: Why it makes no headway, in one sentence; empty if it does.
        looks: Whether its predictions get better by looking around first.
    """

    problem: str
    looks: bool

    def reset(self) -> None:
        """A new episode."""

    def act(self, observation: Observation, goal: Goal) -> np.ndarray:
        """The next action of MineDojo's space."""

    def horizon(
        self, observation: Observation, goals: Sequence[Goal], around: Sequence[Observation] = ()
    ) -> np.ndarray:
        """Predicted steps to each goal from here; ``around``: looks around this place, if there were any."""


@dataclass(frozen=True)
class Outcome:
    """How the pursuit of a goal ended.

    Attributes:
        success: Whether the goal was reached.
        steps: Steps taken for it.
        reason: Why not, in one sentence; empty on success.
        observation: The last one.
    """

    success: bool
    steps: int
    reason: str
    observation: Observation


def pursue(
    env: gymnasium.Env[Observation, np.ndarray],
    controller: Controller,
    goal: Goal,
    observation: Observation,
    max_steps: int = 600,
) -> Outcome:
    """Let a controller act until its goal is reached, the episode is over or the steps are used up.

    A goal whose preconditions do not hold fails at once, as in the code of DEPS.
    """
    library = goal_library(VERSION)
    lack = library.failure(goal, counts(observation), nearby(observation))
    if lack:
        return Outcome(False, 0, lack, observation)
    progress = Progress(goal, observation)
    info: dict[str, Any] = {}
    steps, over = 0, False
    while not (progress.reached or over) and steps < max_steps:
        observation, _, terminated, truncated, info = env.step(controller.act(observation, goal))
        steps, over = steps + 1, terminated or truncated
        progress.update(observation)
    reason = "" if progress.reached else _reason(progress, controller, info)
    return Outcome(progress.reached, steps, reason, observation)


def _reason(progress: Progress, controller: Controller, info: dict[str, Any]) -> str:
    """How far it came, and the last thing that went wrong."""
    why = "I died." if info.get("reason") == "death" else info.get("failure") or controller.problem
    return f"{progress} {why}".strip()
