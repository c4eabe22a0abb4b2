"""A walk through a world: straight on, round what is in the way, a frame in every biome that is met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.overworld.spaces import ATTACK, STILL
from mnemocraft.studies.minecraft.views import View, look, openness

SETTLED = 40
"""Ticks in a biome before a frame is taken: not on its border."""
GLANCE = 20
"""Ticks between two looks at how far the walker has come, and between two rows of its path."""
SLOW = 1.0
"""Who gets less far than these blocks in a glance is held up, and turns."""
DETOUR = 3
"""Glances that a walker who turned goes on before it turns back."""
TURN = 3
"""Bins of 15 degrees by which it turns."""


@dataclass(frozen=True)
class Walk:
    """A walk and what was seen on it.

    Attributes:
        seed: Seed of the world.
        path: Columns ``tick``, ``x``, ``y``, ``z``, ``biome``, ``life``; a row every ``GLANCE`` ticks,
            and the last.
        views: A frame in every biome, in the order in which they were met: where the view was the
            freest.
        end: Why the walk was over: ``max_steps`` or ``death``.
    """

    seed: int
    path: pd.DataFrame
    views: tuple[View, ...]
    end: str


class _Walker:
    """Forwards and jumping, with a detour round what cannot be jumped over or hewn away."""

    def __init__(self, place: np.ndarray) -> None:
        self._place, self._detour = place, 0

    def turn(self, place: np.ndarray) -> int:
        """How many bins to turn right, asked for once a glance."""
        gone = float(np.hypot(*(place - self._place)[[0, 2]]))
        self._place = place
        if gone < SLOW:
            self._detour = DETOUR
            return TURN
        self._detour -= 1
        return -TURN if self._detour == 0 else 0


def walk(seed: int, ticks: int) -> Walk:
    """Walk from a world's first place, from sunrise on; equal arguments, equal walks."""
    env = OverworldEnv(seed, max_steps=ticks, image_size=None, start_time=0)
    observation, _ = env.reset()
    walker, seen = _Walker(observation["position"]), 0
    views: dict[str, tuple[int, View]] = {}
    path: list[tuple[Any, ...]] = []
    while not env.reason:
        turn = 0
        if env.steps % GLANCE == 0:
            turn = walker.turn(observation["position"]) if env.steps else 0
            path.append(_row(env.steps, observation))
        before = observation["biome"]
        observation = env.step(np.array([1, 0, 1, STILL, STILL + turn, ATTACK, 0, 0]))[0]
        seen = seen + 1 if observation["biome"] == before else 0
        if seen >= SETTLED and (free := openness(env)) > views.get(before, (-1, None))[0]:
            views[before] = free, look(env, f"seed {seed}", before)
    path.append(_row(env.steps, observation))
    columns = ["tick", "x", "y", "z", "biome", "life"]
    return Walk(
        seed, pd.DataFrame(path, columns=columns), tuple(view for _, view in views.values()), env.reason
    )


def _row(tick: int, observation: dict[str, Any]) -> tuple[Any, ...]:
    life = round(float(observation["life"]), 2)
    return tick, *(round(c, 2) for c in observation["position"].tolist()), observation["biome"], life


def table(walks: list[Walk]) -> pd.DataFrame:
    """The paths of all walks: the seed, then the columns of :attr:`Walk.path`."""
    paths = pd.concat({walk.seed: walk.path for walk in walks}, names=["seed"])
    return paths.reset_index("seed").reset_index(drop=True)


def note(walks: list[Walk]) -> str:
    """What stands under the frames of some walks."""
    ends = [(w.seed, w.path["tick"].iloc[-1], ", died" * (w.end == "death")) for w in walks]
    return (
        f"Walked: {'; '.join(f'seed {s}: {tick:,} ticks{died}' for s, tick, died in ends)}. No model plays."
    )
