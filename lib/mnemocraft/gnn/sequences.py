"""Traces of kitchens: the 50 exploration sequences that train the encoder, and the node texts kitchens make.

GiG trains on 50 sequences, successful and failed (appendix A.4.2), and does not say which. Ours come from
kitchen seeds 0 to 9, which the benchmark does not use.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import TASKS
from mnemocraft.envs.kitchen.oracle import failed_walk, oracle_plan
from mnemocraft.errors import MnemocraftError
from mnemocraft.gnn.scene_graph import SceneGraph, scene_graph

SEEDS = range(10)
"""Kitchen seeds of the training sequences."""


@dataclass(frozen=True)
class KitchenTrace:
    """One walk through a kitchen, from its start to the state after the last action.

    Attributes:
        solved: Whether it reached the goal.
        graphs: The states' scene graphs, one more than ``actions``.
        snapshots: The whole states, with the effects that go on unseen; equal ones are one state.
        valid: The valid actions of each state.
    """

    task: str
    seed: int
    goal: str
    solved: bool
    actions: tuple[str, ...]
    graphs: tuple[SceneGraph, ...]
    snapshots: tuple[Hashable, ...]
    valid: tuple[frozenset[str], ...]

    @property
    def name(self) -> str:
        """Task, seed and outcome, e.g. ``async/3 seed 42 failed``."""
        return f"{self.task} seed {self.seed} {'solved' if self.solved else 'failed'}"


def solved(task: str, seed: int) -> KitchenTrace:
    """The oracle's trace, which reaches the goal."""
    return replay(task, seed, oracle_plan(task, seed))


def failed(task: str, seed: int) -> KitchenTrace:
    """A walk that explores and does not reach the goal; it comes by some states twice."""
    return replay(task, seed, failed_walk(task, seed))


def replay(task: str, seed: int, actions: Sequence[str]) -> KitchenTrace:
    """The trace that ``actions`` make.

    Raises:
        MnemocraftError: one of them is not valid.
    """
    env = KitchenEnv(task, seed=seed, max_steps=max(1, len(actions)))
    seen = [_look(env)]
    for action in actions:
        info = env.step(action)[-1]
        if not info["action_success"]:
            raise MnemocraftError(f"{task} seed {seed}: {info['failure']}")
        seen.append(_look(env))
    graphs, snapshots, valid = zip(*seen, strict=True)
    return KitchenTrace(
        task, seed, env.goal_description, env.goal_reached, tuple(actions), graphs, snapshots, valid
    )


def _look(env: KitchenEnv) -> tuple[SceneGraph, Hashable, frozenset[str]]:
    return scene_graph(env.observation()), env.snapshot, frozenset(env.valid_actions)


def training_sequences() -> Iterator[KitchenTrace]:
    """The 50: each task solved once and failed once, every second task solved once more, seeds in turn."""
    yield from (solved(task, SEEDS[i % 10]) for i, task in enumerate(TASKS))
    yield from (solved(task, SEEDS[(i + 5) % 10]) for i, task in enumerate(TASKS[::2]))
    yield from (failed(task, SEEDS[(i + 3) % 10]) for i, task in enumerate(TASKS))
