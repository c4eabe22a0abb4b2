"""What the horizon head sees: frames with its predictions, beside what the script knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd

from mnemocraft.studies.deps.selectors import sweep
from mnemocraft.studies.deps.selectors.sweep import GOALS, NUMBERS

if TYPE_CHECKING:
    from mnemocraft.envs import OverworldEnv

FRAME = (120, 180)
"""Height and width of the frames in pixels."""
WANDER = (0, 60, 120)
"""Steps of walking about before each look."""


@dataclass(frozen=True)
class Sight:
    """A look at a world.

    Attributes:
        seed: Of the world.
        steps: Steps walked before.
        frame: uint8 RGB.
        head: Predicted steps to each of the goals, by the horizon head.
        script: The same as the script estimates it, from the simulator's state.
    """

    seed: int
    steps: int
    frame: np.ndarray
    head: np.ndarray
    script: np.ndarray

    @property
    def title(self) -> str:
        """Where and when."""
        return f"world {self.seed}, after {self.steps} steps"


def look(seed: int, steps: int) -> Sight:
    """Walk about in a world, then ask both for the steps to every goal."""
    from mnemocraft.controllers import ScriptedController
    from mnemocraft.controllers.skills import wander

    world = sweep.begin_world(sweep.condition("scripted", "horizon").settings, max(NUMBERS), seed)
    env = cast("OverworldEnv", world.env)
    if steps:
        world.seen = wander(env, np.random.default_rng(seed), steps)
    goals = [goal for goal, _ in GOALS]
    script = ScriptedController(env, seed).horizon(world.seen, goals)
    world.look_around()
    return Sight(seed, steps, env.frame(*FRAME), world.horizon(goals), script)


def sights(seeds: Sequence[int]) -> list[Sight]:
    """A look at each of some worlds, after more and more walking."""
    return [look(seed, steps) for seed, steps in zip(seeds, WANDER, strict=False)]


def table(seen: Sequence[Sight]) -> pd.DataFrame:
    """One row a world and goal: predicted steps (``value``) and the script's estimate."""
    rows = [
        (sight.seed, sight.steps, str(goal), head, script)
        for sight in seen
        for (goal, _), head, script in zip(GOALS, sight.head, sight.script, strict=True)
    ]
    return pd.DataFrame(rows, columns=["world", "steps", "goal", "value", "script"])
