"""What the streams of the kitchen study start from: kitchens, facts about tasks, encoder, memory bank."""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import HORIZONS, TASKS
from mnemocraft.envs.kitchen.oracle import oracle_plan
from mnemocraft.memory.traces import Traces

MAIN = ("gig", "gig_exp", "recap", "react", "cot")
"""The methods of the main comparison."""
MODES = ("sync", "async")
BANK_SEEDS = (0, 1, 2, 3, 4)
"""Layouts of the memory bank; with ten tasks a mode they make its 50 trajectories (section 4.1)."""


class Trajectory(NamedTuple):
    """A successful trajectory as a state-transition graph, equation 5."""

    goal: str
    embeddings: npt.NDArray[np.float32]
    """One per action, of the state it was taken in; shape (actions, 64)."""
    actions: tuple[str, ...]


def tasks(mode: str) -> tuple[str, ...]:
    """The ten tasks of a mode, in the benchmark's order."""
    return tuple(task for task in TASKS if task.startswith(f"{mode}/"))


def environment(task: str, seed: int, multiplier: float) -> KitchenEnv:
    """A kitchen that may be worked in for ``multiplier`` times the listed horizon."""
    return KitchenEnv(task, seed, max_steps=multiplier * HORIZONS[task])


@cache
def task_facts(task: str, seed: int) -> dict[str, int | float | str]:
    """What the record says about a task: its number, the listed horizon and the steps of the oracle."""
    return {
        "task_index": int(task.partition("/")[2]),
        "horizon": HORIZONS[task],
        "oracle_steps": len(oracle_plan(task, seed)),
    }


def memory_bank(mode: str, bank: type[Traces] = Traces) -> Traces:
    """A new memory that holds the 50 oracle trajectories of a mode, none of them from a benchmark layout."""
    memory = bank(encoder="scene_graph")
    for trajectory in _oracle_trajectories(mode):
        memory.add(*trajectory)
    return memory


@cache
def _oracle_trajectories(mode: str) -> tuple[Trajectory, ...]:
    """Once per process: some 1,700 states a mode, a trajectory at a time."""
    from mnemocraft.gnn import load_encoder  # loads PyTorch, which most methods do without
    from mnemocraft.gnn.sequences import solved

    encoder = load_encoder()
    traces = (solved(task, seed) for task in tasks(mode) for seed in BANK_SEEDS)
    return tuple(Trajectory(t.goal, encoder.encode(t.graphs[:-1]), t.actions) for t in traces)
