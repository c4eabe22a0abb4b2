"""What is in the tasks of the benchmarks, by which lessons are known that must not be given."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.alfworld import generate, known_games
from mnemocraft.envs.kitchen import TASKS
from mnemocraft.studies.deps.known import VERSIONS
from mnemocraft.studies.gig.sweep import LAYOUTS
from mnemocraft.worlds.minecraft import GIVEN_TOOL
from mnemocraft.worlds.minecraft_tasks import minecraft_tasks


def digest(*content: Any) -> str:
    """Twelve hexadecimal digits of what is in a task."""
    return hashlib.sha256(repr(content).encode()).hexdigest()[:12]


def kitchen_content(task: str, seed: int | None) -> str:
    """Of a layout: all that is seen of it at first, the goal included."""
    return digest(KitchenEnv(task, seed).reset()[0]["text"])


def minecraft_content(target: Mapping[str, int], inventory: Mapping[str, int]) -> str:
    """Of a task in the text world: what is asked for, and what is there."""
    held = {item: units for item, units in inventory.items() if item != GIVEN_TOOL}
    return digest(sorted(target.items()), sorted(held.items()))


def household_content(game: str) -> str:
    """Of a game: the kinds of things and where they are, of receptacles, and what is asked for; no names."""
    problem, _, goal = json.loads(game)["pddl_problem"].partition("(:goal")
    kinds = dict(re.findall(r"\((?:object|receptacle)Type (\S+) (\w+)\)", problem))
    inside = re.findall(r"\(inReceptacle (\S+) (\S+)\)", problem)
    places = sorted((kinds[thing], kinds[receptacle]) for thing, receptacle in inside)
    return digest(sorted(kinds.values()), places, sorted(re.findall(r"\w+Type\b|\bis\w+", goal)))


@cache
def evaluated(world: str) -> frozenset[str]:
    """What is in the tasks of the benchmarks, which is never learnt from: all layouts of the studies and of
    the memory bank, the 76 tasks of Minecraft, the household games that are known by name.

    It is the content as a task begins. Minecraft's tasks begin with nothing, and lessons never do; those in
    which what is there is of no use are listed by :func:`training.finetune.worlds.alike_tasks`.
    """
    if world == "kitchen":
        seeds = (None, *range(10), *LAYOUTS)
        return frozenset(kitchen_content(task, seed) for task in TASKS for seed in seeds)
    if world == "minecraft":
        tasks = minecraft_tasks()
        return frozenset(
            minecraft_content({task.target(v): task.quantity}, {}) for v in VERSIONS for task in tasks
        )
    named = (name.partition("/") for name in known_games()["generated"])
    return frozenset(household_content(generate(kind, int(number))) for kind, _, number in named)
