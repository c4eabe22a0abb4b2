"""Robotouille's benchmark: 10 synchronous and 10 asynchronous tasks, from ``tasks.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from mnemocraft.envs.kitchen.domain import kitchen_domain, literals
from mnemocraft.envs.kitchen.environment import Kitchen
from mnemocraft.envs.kitchen.environment_file import read_environment
from mnemocraft.errors import MnemocraftError

_TEXT = (resources.files(__package__) / "tasks.toml").read_text(encoding="utf-8")
_TASKS: dict[str, dict[str, Any]] = tomllib.loads(_TEXT)
_DIRECTIONS = {"up": [0, 1], "down": [0, -1], "right": [1, 0], "left": [-1, 0]}

TASKS = tuple(_TASKS)
"""``sync/0`` to ``sync/9``, ``async/0`` to ``async/9``."""
BENCHMARK_SEEDS = tuple(range(42, 421, 42))
"""The ten seeds that every task is played with."""
HORIZONS: dict[str, int] = {task: entry["horizon"] for task, entry in _TASKS.items()}
"""Listed number of steps of each task; the papers allow 1.5 or 3 times as many."""
TITLES: dict[str, str] = {task: entry["title"] for task, entry in _TASKS.items()}
"""A few words on what each task asks for."""


def task_horizon(task: str) -> int:
    """Listed number of steps of a task.

    Raises:
        MnemocraftError: There is no such task.
    """
    if task not in HORIZONS:
        raise MnemocraftError(
            f"Unknown kitchen task {task!r}; tasks are sync/0 to sync/9 and async/0 to async/9."
        )
    return HORIZONS[task]


@cache
def task_kitchen(task: str) -> Kitchen:
    """The kitchen of a task, as it is without a seed."""
    return read_environment(environment(_TASKS[task]), kitchen_domain(), f"tasks.toml [{task}]")


def environment(task: dict[str, Any]) -> dict[str, Any]:
    """A task of ``tasks.toml``, written out in Robotouille's JSON format."""
    lists: dict[str, list[dict[str, Any]]] = {"stations": [], "items": [], "containers": [], "meals": []}
    for line in task["kitchen"]:
        station, _, on = line.partition(": ")
        kind, x, y = station.split()
        cell = {"x": int(x), "y": int(y)}
        lists["stations"].append({"name": kind, **cell})
        for level, name in enumerate(on.split()):
            if kitchen_domain().kinds[name] == "container":
                lists["containers"].append({"name": name, **cell})
            else:
                flags = {"predicates": task["flags"][name].split()} if name in task["flags"] else {}
                lists["items"].append({"name": name, **cell, "stack-level": level, **flags})
    x, y, direction = task["robot"].split()
    players = [{"name": "robot", "x": int(x), "y": int(y), "direction": _DIRECTIONS[direction]}]
    width, height = task["size"]
    goal = [_goal_entry(literal) for literal in literals(task["goal"])]
    return {"width": width, "height": height, **lists, "players": players} | {
        "goal_description": task["says"],
        "goal": goal,
    }


def _goal_entry(literal: dict[str, Any]) -> dict[str, Any]:
    kinds, ids = zip(*(argument.split(".") for argument in literal["params"]), strict=True)
    return {"predicate": literal["predicate"], "args": list(kinds), "ids": [int(i) for i in ids]}
