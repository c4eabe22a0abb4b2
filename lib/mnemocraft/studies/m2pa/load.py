"""What M2PA's study plays: its tasks by level, who plays them, and how much of it a profile takes."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

STEM = "07_m2pa_memories"
VERSION = "1.16.5"
"""Of the text world: of the versions with rules here it has most of the tasks, 49 of 50."""
ROUNDS = 4
"""Revised plans allowed to everybody who revises plans; chosen before the study was run, since with many more
the surrogate solves all that there is."""
ATTEMPTS = {"smoke": 1, "quick": 3, "full": 3}
"""Attempts at each task in a stream, all tasks in turn; memories last from the first to the last."""
SEEDS = 10
"""Streams in profile ``full``: with the attempts 30 episodes a task, as in the paper."""


@dataclass(frozen=True)
class Player:
    """Who plays.

    Attributes:
        label: For tables.
        agent: Its row of the registry.
        memory: That of its memory.
        rounds: Revised plans allowed.
    """

    label: str
    agent: str
    memory: str = "none"
    rounds: int | None = None


PLAYERS = {
    "m2pa": Player("M2PA", "m2pa", "episodic", ROUNDS),
    "working": Player("M2PA without episodic memory", "m2pa", "none", ROUNDS),
    "sensory": Player("semantic and sensory memory", "m2pa_sensory"),
    "semantic": Player("semantic memory alone", "m2pa_semantic"),
    "more_calls": Player("without episodic memory, twice the rounds", "m2pa", "none", 2 * ROUNDS),
    "deps": Player("DEPS", "deps", "none", ROUNDS),
    "plan4mc": Player("Plan4MC-like", "plan4mc"),
    "mp5": Player("MP5-like", "mp5", "keyed", ROUNDS),
}
"""By the name that conditions use; ``more_calls`` is the control of memory: more calls alone may help too."""


@dataclass(frozen=True)
class M2paTask:
    """A task of Table 5.

    Attributes:
        name: As printed.
        item: In :data:`VERSION`.
        level: ``Basic`` to ``Complex``.
        max_steps: Steps allowed.
    """

    name: str
    item: str
    level: str
    max_steps: int


@cache
def tasks() -> tuple[M2paTask, ...]:
    """The 49 tasks in the paper's order."""
    text = (files("mnemocraft.studies.m2pa") / "tasks.toml").read_text(encoding="utf-8")
    return tuple(
        M2paTask(name, item, level, facts["max_steps"])
        for level, facts in tomllib.loads(text).items()
        for name, item in facts["tasks"]
    )


LEVELS = ("Basic", "Easy", "Medium", "Hard", "Complex")


def chosen(profile: str) -> tuple[M2paTask, ...]:
    """The tasks of a profile: all, or for ``smoke`` the first of each level."""
    if profile != "smoke":
        return tasks()
    return tuple(next(task for task in tasks() if task.level == level) for level in LEVELS)


def seeds_of(profile: str, seeds: Sequence[int]) -> list[int]:
    """The seeds of a profile; ``full`` has its own, and ``smoke`` takes the first one."""
    given = list(range(SEEDS)) if profile == "full" else list(seeds)
    return given[:1] if profile == "smoke" else given
