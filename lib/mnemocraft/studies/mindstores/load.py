"""What the study of MindStores (notebook 06) plays: tasks, players, and how much a profile takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from mnemocraft.memory.registry import MEMORIES
from mnemocraft.studies import papers

STEM = "06_mindstores_k_ablation"
VERSION = "1.11.2"
"""Of the game that MineDojo plays."""
ROUNDS = 2
"""Plans after the first in an episode. Without a bound DEPS with the stand-in solves every task, so that no
memory could help; with two it solves about half."""
MORE_ROUNDS = 5
"""Of DEPS where it may ask the model about as often as MindStores does."""
FRESH, SHARED, SKILLS, CONTINUAL, OVERWORLD = "fresh", "shared", "skills", "continual", "overworld"
"""Every task begins with an empty memory, as in the paper; or all tasks share one; six skills are learnt from
nothing (Table 3); ten tasks one after the other without reset (Figure 6); a second world."""
LEARNERS = (SKILLS, CONTINUAL)
"""Parts in which a seed is somebody who stays the same from episode to episode."""
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
PROGRAMS = 30
"""Programs of Voyager in an episode; most of them solve small tasks on the way, so that it needs many."""
VOYAGER = Player("Voyager", "voyager", {"max_rounds": PROGRAMS - 1}, "skills")
SKILL_PLAYERS = {
    "mindstores": Player("MindStores", options={"max_rounds": ROUNDS}),
    "voyager": VOYAGER,
    "reflexion": Player("Reflexion", "reflexion", memory="keyed"),
}
"""Those of Table 3."""
RESET = "reset"
CONTINUAL_PLAYERS = {
    DEPS: FRESH_PLAYERS[DEPS],
    "unaided": FRESH_PLAYERS["unaided"],
    RESET: Player("MindStores, emptied for each task"),
    "shuffled": Player("shuffled", memory="shuffled"),
    "mindstores": Player("MindStores"),
    "voyager": VOYAGER,
}
OVERWORLD_PLAYERS = {name: FRESH_PLAYERS[name] for name in (DEPS, "more_rounds", "mindstores")}
PLAYERS = {
    FRESH: FRESH_PLAYERS,
    SHARED: SHARED_PLAYERS,
    SKILLS: SKILL_PLAYERS,
    CONTINUAL: CONTINUAL_PLAYERS,
    OVERWORLD: OVERWORLD_PLAYERS,
}
LABELS = {name: player.label for players in PLAYERS.values() for name, player in players.items()}
"""Of all players; who plays in several parts has one label."""
FULL = "k5"
"""MindStores as the paper has it, among those who share a memory."""
SKILL_OF = {
    "Mine Wood": "log",
    "Mine Cobblestone": "cobblestone",
    "Mine Coal": "coal",
    "Make Furnace": "furnace",
    "Make Stone Sword": "stone_sword",
    "Mine Iron": "iron_ore",
}
"""The item of each skill of Table 3, by its printed name."""
SKILL_STEPS = 3000
"""Steps allowed for a skill, those of the basic tasks (section 4.2)."""
TEN = (
    "wooden_door", "wooden_axe", "furnace", "stone_sword", "lever", "cooked_beef", "coal", "bucket",
    "iron_pickaxe", "minecart",
)  # fmt: skip
"""Of the ten tasks of Figure 6 the paper names four, the first, the last and two between; the others were
chosen here, from easy to hard."""
ABROAD = ("planks", "stone_sword", "coal", "furnace", "wooden_door", "lever", "torch", "stone_pickaxe")
"""Tasks for the overworld, as many of them as a profile takes."""


@dataclass(frozen=True)
class Size:
    """How much a profile plays: tasks (None: all), trials of each, and seeds.

    Of skills ``trials`` are the plans that a learner may carry out, and of :data:`SKILLS` and
    :data:`CONTINUAL` ``seeds`` is the number of learners and of orders, which have seeds of their own.
    """

    tasks: int | None
    trials: int
    seeds: int | None


SIZES = {
    "smoke": {
        FRESH: Size(2, 2, 1),
        SHARED: Size(4, 2, 1),
        SKILLS: Size(2, 3, 1),
        CONTINUAL: Size(3, 1, 2),
        OVERWORLD: Size(1, 1, 1),
    },
    "quick": {
        FRESH: Size(None, 3, 1),
        SHARED: Size(None, 2, 1),
        SKILLS: Size(None, 24, 4),
        CONTINUAL: Size(None, 1, 4),
        OVERWORLD: Size(2, 2, 1),
    },
    "full": {
        FRESH: Size(None, 30, 1),
        SHARED: Size(None, 5, 4),
        SKILLS: Size(None, 60, 20),
        CONTINUAL: Size(None, 1, 24),
        OVERWORLD: Size(None, 3, 1),
    },
}
"""By profile and part; the paper has 30 trials a task."""


@cache
def tasks() -> tuple[str, ...]:
    """The 52 different tasks of the paper's Table 2, in its order."""
    return tuple(dict.fromkeys(papers.table("mindstores_table2")["task"]))


def listed(part: str) -> tuple[str, ...]:
    """The tasks of a part, all of them."""
    return {SKILLS: tuple(SKILL_OF.values()), CONTINUAL: TEN, OVERWORLD: ABROAD}.get(part) or tasks()


def chosen(part: str, size: Size) -> tuple[str, ...]:
    """The tasks of a part that a size takes: the first ones of a short list, else spread over the list."""
    every = listed(part)
    if part in (SKILLS, OVERWORLD):
        return every[: size.tasks]
    places = np.linspace(0, len(every) - 1, size.tasks or len(every)).round().astype(int)
    return tuple(every[place] for place in places)


def ordered(items: Sequence[str], seed: int) -> list[str]:
    """The tasks of :data:`CONTINUAL` in the order of a seed: 0 as they are listed, the others by lot."""
    known = [item for item in TEN if item in items]
    return known if seed == 0 else [known[n] for n in np.random.default_rng(seed).permutation(len(known))]
