"""Traces of kitchens: the 50 exploration sequences that train the encoder, and the node texts kitchens make.

GiG trains on 50 sequences, successful and failed (appendix A.4.2), and does not say which. Ours come from
kitchen seeds 0 to 9, which the benchmark does not use.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

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


ORDER = (
    "can be fried in a fryer", "can be fried in a fryer after being cut", "is fried",
    "can be cooked on a stove",
    "is cooking", "is cooked", "can be cut on a cutting board", "is cut", "is boiling", "is holding nothing",
    "has nothing on it", "has nothing inside it", "has no players at it", "has nothing above it",
)  # fmt: skip
"""What can be said of one entity besides its kind, in the order of an observation."""
CHANGES = {
    "Station": ("has nothing on it", "has no players at it"),
    "Player": ("is holding nothing",),
    "Container": ("has nothing inside it",),
    "Meal": ("is boiling",),
    "Item": ("has nothing above it",),
    "can be fried in a fryer": ("can be fried in a fryer", "is fried"),
    "can be fried in a fryer after being cut": ("can be fried in a fryer", "is fried"),
    "can be cooked on a stove": ("is cooking", "is cooked"),
    "can be cut on a cutting board": ("is cut",),
}
"""What may become true or false of an entity of a type, or of one of which something is said at the start."""


def kitchen_texts() -> list[str]:
    """The node texts that kitchens can make: those of training kitchens at the start, in all variants."""
    kitchens = [KitchenEnv(task, seed=seed) for task in TASKS for seed in SEEDS]
    starts = {"Meal: is water"}
    for env in kitchens:
        starts |= set(scene_graph(env.observation()).texts)
    return sorted({variant for text in starts for variant in variants(text)})


def variants(text: str) -> Iterator[str]:
    """A node's text with everything that can change about the node true or false."""
    kind, _, rest = text.partition(": ")
    what, *said = rest.split("; ")
    changing = {change for key in (kind, *said) for change in CHANGES.get(key, ())}
    fixed = set(said) - changing
    for chosen in product((False, True), repeat=len(changing)):
        true = fixed | {change for change, holds in zip(sorted(changing), chosen, strict=True) if holds}
        yield f"{kind}: {'; '.join([what, *sorted(true, key=ORDER.index)])}"
