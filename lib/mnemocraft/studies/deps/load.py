"""What the planners' study (notebook 03) plays: tasks, worlds, and how much of them a profile takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mnemocraft.agents.deps.methods import LABELS
from mnemocraft.worlds.minecraft_tasks import MinecraftTask, minecraft_tasks

STEM = "03_deps_rounds"
GROUPS = ("MT1", "MT2", "MT3", "MT4", "MT5", "MT6", "MT7", "MT8")
LEVELS = {"MT1 to MT4": GROUPS[:4], "MT5 to MT8": GROUPS[4:]}
LEVEL_OF = {group: level for level, groups in LEVELS.items() for group in groups}
EXAMPLES = (
    "wooden_door", "stone_pickaxe", "cooked_beef", "coal", "leather_helmet", "shears", "rail", "diamond",
)  # fmt: skip
"""A task of each meta-task, those that the paper's Table 1 names; MT7's there (iron sword) is one of MT6."""
WORLDS = ("text", "overworld", "learned")
"""The text world; the overworld with the scripted controller, and with the learned one."""
OVERWORLD_VERSION = "1.11.2"
"""The only version that the overworld has."""
EPISODES = 30
"""Episodes a task in the paper, and here in profile ``full``."""


@dataclass(frozen=True)
class Part:
    """What of a world is played.

    Attributes:
        methods: Who plans.
        examples: How many of :data:`EXAMPLES` are played; None for all tasks of the list.
        seeds: How many seeds; None for all that are given.
    """

    methods: tuple[str, ...]
    examples: int | None
    seeds: int | None


_ALL = tuple(LABELS)
PARTS: dict[str, dict[str, Part]] = {
    "smoke": {
        "text": Part(_ALL, 8, 1),
        "overworld": Part(("deps",), 1, 1),
    },
    "quick": {
        "text": Part(_ALL, None, None),
        "overworld": Part(("gpt", "dep", "deps"), 8, 1),
    },
    "full": {
        "text": Part(_ALL, None, EPISODES),
        "overworld": Part(_ALL, None, 2),
        "learned": Part(("gpt", "inner_monologue", "dep", "deps"), 8, 2),
    },
}
"""The parts of a profile by world."""


def chosen(part: Part, task_list: str) -> tuple[MinecraftTask, ...]:
    """The tasks of a part, in the paper's order. Raises MnemocraftError if there is no such task list."""
    listed = minecraft_tasks(task_list)
    if part.examples is None:
        return listed
    return tuple(task for task in listed if task.key in EXAMPLES[: part.examples])


def seeds_of(part: Part, seeds: Sequence[int], profile: str) -> list[int]:
    """The seeds of a part; profile ``full`` has its own, whatever ``seeds`` says."""
    given = list(range(EPISODES)) if profile == "full" else list(seeds)
    return given[: part.seeds]
