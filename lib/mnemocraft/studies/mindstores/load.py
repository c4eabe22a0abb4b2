"""What the study of MindStores (notebook 06) plays: tasks, players, and how much a profile takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from mnemocraft.memory.registry import MEMORIES
from mnemocraft.studies import papers

STEM = "06_mindstores_k_ablation"
VERSION = "1.11.2"
"""Of the game that MineDojo plays."""
GROUPS = ("MT1", "MT2", "MT3", "MT4", "MT5", "MT6", "MT7", "MT8")
ROUNDS = 2
"""Plans after the first in an episode. Without a bound DEPS with the stand-in solves every task, so that no
memory could help; with two it solves about half."""
MORE_ROUNDS = 5
"""Of DEPS where it may ask the model about as often as MindStores does."""
FRESH, SHARED = "fresh", "shared"
"""Every task begins with an empty memory, as in the paper; or all tasks share one."""
DEPS = "deps"
NEIGHBOURS = (0, 1, 3, 5, 10, 20)
"""The paper's k (section 4.1), and none."""


@dataclass(frozen=True)
class Player:
    """Somebody who plays.

    Attributes:
        label: For tables and figures.
        agent: Name of the agent.
        options: Of the agent.
        memory: Name of the memory.
        kept: Options of the memory.
    """

    label: str
    agent: str = "mindstores"
    options: Mapping[str, Any] = field(default_factory=dict)
    memory: str = "experience"
    kept: Mapping[str, Any] = field(default_factory=dict)


FRESH_PLAYERS = {
    DEPS: Player("DEPS", "deps", memory="none"),
    "more_rounds": Player("DEPS, more rounds", "deps", {"max_rounds": MORE_ROUNDS}, memory="none"),
    "unaided": Player("all calls, no memory", options={"unaided": True}, memory="none"),
    "single_shot": Player("single shot", options={"max_rounds": 0, "revisions": 0}),
    "no_prediction": Player("no prediction", options={"revisions": 0}),
    "mindstores": Player("MindStores"),
}
CONTROLS = tuple(name for name in ("shuffled", "random", "bm25", "history", "oracle") if name in MEMORIES)
"""Other memories, those of the registry."""
SHARED_PLAYERS: dict[str, Player] = {
    DEPS: FRESH_PLAYERS[DEPS],
    **{f"k{k}": Player(f"k = {k}", kept={"k": k}) for k in NEIGHBOURS[1:]},
    **{name: Player(name, memory=name) for name in CONTROLS},
}
PLAYERS = {FRESH: FRESH_PLAYERS, SHARED: SHARED_PLAYERS}
FULL = "k5"
"""MindStores as the paper has it, among those who share a memory."""


@dataclass(frozen=True)
class Size:
    """How much a profile plays: tasks (None: all), trials of each, and seeds."""

    tasks: int | None
    trials: int
    seeds: int | None


SIZES = {
    "smoke": {FRESH: Size(2, 2, 1), SHARED: Size(4, 2, 1)},
    "quick": {FRESH: Size(None, 3, 1), SHARED: Size(None, 2, 1)},
    "full": {FRESH: Size(None, 30, 1), SHARED: Size(None, 5, 4)},
}
"""By profile and part; the paper has 30 trials a task."""


@cache
def tasks() -> tuple[str, ...]:
    """The 52 different tasks of the paper's Table 2, in its order."""
    return tuple(dict.fromkeys(papers.table("mindstores_table2")["task"]))


def chosen(size: Size) -> tuple[str, ...]:
    """The tasks of a size, spread over the meta-tasks."""
    listed = tasks()
    places = np.linspace(0, len(listed) - 1, size.tasks or len(listed)).round().astype(int)
    return tuple(listed[place] for place in places)
