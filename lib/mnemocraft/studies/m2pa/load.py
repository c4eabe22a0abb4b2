"""What M2PA's study plays: its tasks by level, who plays them, and how much of it a profile takes."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

STEM = "07_m2pa_memories"
VERSION = "1.19.2"
"""Of the text world: the only one with rules here that has all 50 tasks. The raw gold block came with 1.17,
the barrel and the smithing table (its "carpentry table", see ``tasks.toml``) with 1.14, so that MineDojo's
game (1.11.2) has neither."""
ROUNDS = 4
"""Revised plans allowed to everybody who revises plans; chosen before the study was run, since with many more
the surrogate solves all that there is."""
MAIN, SWEEP, FRAGMENTS, SIGHT = "main", "sweep", "fragments", "sight"
"""Scopes: the players of the tables; settings of the memory (Figure 9); a memory that was given sub-goals
(Figure 8); the overworld, where there are pictures (Table 3)."""


@dataclass(frozen=True)
class Player:
    """Who plays.

    Attributes:
        label: For tables.
        agent: Its row of the registry.
        memory: That of its memory.
        rounds: Revised plans allowed.
        kept: Options of its memory.
        fragments: Sub-goals of the diamond that its memory is given at the beginning.
    """

    label: str
    agent: str = "m2pa"
    memory: str = "episodic"
    rounds: int | None = ROUNDS
    kept: Mapping[str, Any] = field(default_factory=dict)
    fragments: int = 0


PLAYERS = {
    "m2pa": Player("M2PA"),
    "working": Player("M2PA without episodic memory", memory="none"),
    "sensory": Player("semantic and sensory memory", "m2pa_sensory", "none", None),
    "semantic": Player("semantic memory alone", "m2pa_semantic", "none", None),
    "shuffled": Player("wrong memories in the right number", memory="episodic_shuffled"),
    "more_calls": Player("without episodic memory, twice the rounds", memory="none", rounds=2 * ROUNDS),
    "deps": Player("DEPS", "deps", "none"),
    "plan4mc": Player("Plan4MC-like", "plan4mc", "none", None),
    "mp5": Player("MP5-like", "mp5", "keyed"),
}
"""By the name that conditions use; ``shuffled`` and ``more_calls`` are the controls of memory: a longer
prompt, or more calls, may help too."""
CAPACITIES, THRESHOLDS = (10, 30, 100), (0.02, 0.1, 0.3)
"""Settings beside the paper's 300 memories and 0.05 (section 3.4.3, appendix A.4.2)."""
STEPS = (0, 3, 6, 9, 12)
"""Sub-goals of the diamond in the memory (Figure 8)."""
ALPHAS = (0.0, 0.35, 1.0)
"""Weights of the context beside the memory's 0.7; the paper prints none. At 1 pictures do not count."""
SWEEPS = {f"capacity_{n}": Player(f"{n} memories", kept={"capacity": n}) for n in CAPACITIES} | {
    f"threshold_{far:g}": Player(f"threshold {far:g}", kept={"threshold": far}) for far in THRESHOLDS
}
SIGHTED = {
    "controller": Player("the controller's features"),
    "mean_colour": Player("mean colour", kept={"images": "mean_colour"}),
    "blind": Player("no episodic memory", memory="none"),
    "shuffled": Player("wrong memories", memory="episodic_shuffled"),
} | {f"alpha_{alpha:g}": Player(f"alpha {alpha:g}", kept={"alpha": alpha}) for alpha in ALPHAS}
SCOPES = {
    MAIN: PLAYERS,
    SWEEP: SWEEPS,
    FRAGMENTS: {f"steps_{n}": Player(f"{n} sub-goals", fragments=n) for n in STEPS},
    SIGHT: SIGHTED,
}
"""The players of each scope."""
LABELS = {name: player.label for scope in reversed(SCOPES.values()) for name, player in scope.items()}
"""Of all players; one of several scopes has that of the first."""
SIGHT_TASKS = {
    "log": "Basic",
    "stick": "Basic",
    "chest": "Easy",
    "wooden_pickaxe": "Easy",
    "cobblestone": "Medium",
    "furnace": "Medium",
    "stone_sword": "Medium",
    "iron_ingot": "Hard",
}
"""Tasks of the paper, by level, that are cheap to play in the overworld (names of 1.11.2)."""


@dataclass(frozen=True)
class Size:
    """How much of a scope a profile takes.

    Attributes:
        attempts: At each task in a stream, all tasks in turn; memories last from the first to the last.
        seeds: Streams of a player; None for the notebook's seeds.
        players: Of the scope, if not all.
    """

    attempts: int
    seeds: int | None = None
    players: tuple[str, ...] = ()


SIZES = {
    "smoke": {
        MAIN: Size(1, 1),
        FRAGMENTS: Size(1, 1, ("steps_0", "steps_12")),
        SIGHT: Size(1, 1, ("controller", "mean_colour")),
    },
    "quick": {
        MAIN: Size(3),
        SWEEP: Size(3, 1, ("capacity_30", "threshold_0.3")),
        FRAGMENTS: Size(1, 10),
        SIGHT: Size(2, 1, ("controller", "mean_colour", "blind")),
    },
    "full": {MAIN: Size(3, 10), SWEEP: Size(3, 3), FRAGMENTS: Size(1, 30), SIGHT: Size(3, 2)},
}
"""By profile and scope. In ``full`` a player has 30 episodes a task, as in the paper."""
FEW_SIGHTS = 4
"""Tasks of the overworld in profile ``quick``."""


@dataclass(frozen=True)
class M2paTask:
    """A task of Tables 5 and 6.

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
    """The 50 tasks in the paper's order."""
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


def items(profile: str, scope: str) -> list[str]:
    """The items that a scope asks for in a profile."""
    if scope == FRAGMENTS:
        return ["diamond"]
    if scope == SIGHT:
        return list(SIGHT_TASKS)[: {"smoke": 1, "quick": FEW_SIGHTS}.get(profile)]
    return [task.item for task in chosen(profile)]


def seeds_of(profile: str, scope: str, seeds: Sequence[int]) -> list[int]:
    """The seeds of a scope: the notebook's; where the profile has a number of them, so many."""
    number = SIZES[profile][scope].seeds
    return list(seeds)[:number] if number is None or number <= len(seeds) else list(range(number))
