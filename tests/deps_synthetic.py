"""Records of the planners' study whose truth is known, as the runs would write them."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from mnemocraft.agents.deps.methods import LABELS
from mnemocraft.studies.deps.load import EXAMPLES
from mnemocraft.studies.deps.measures import milestones
from mnemocraft.worlds.minecraft_tasks import minecraft_tasks

Cell = tuple[str, str]
FIRST = 0.3
"""Chance of a first plan, whatever the method; with rounds it is the cell's rate."""


def planted(cell: Cell) -> float:
    """Chance of success: every claim of the paper holds, with large effects."""
    world, method = cell
    text = {"deps": 0.9, "dep": 0.85}.get(method, 0.35)
    return {"text": text, "overworld": text - (method != "deps") * 0.4, "learned": 0.4 * text}[world]


def synthetic(
    rate: Callable[[Cell], float] = planted,
    seeds: tuple[int, ...] = tuple(range(6)),
    worlds: tuple[str, ...] = ("text", "overworld", "learned"),
    task_list: str = "tables9-16",
) -> pd.DataFrame:
    """Records of all methods in some worlds; outside the text world only of the example tasks."""
    frames = []
    for place, (world, method) in enumerate((w, m) for w in worlds for m in LABELS):
        listed = [task for task in minecraft_tasks(task_list) if world == "text" or task.key in EXAMPLES]
        random = np.random.default_rng([place, 11])
        frames.append(
            _condition(random, world, method, rate((world, method)), seeds, [t.key for t in listed])
        )
    return pd.concat(frames, ignore_index=True)


def _condition(
    random: np.random.Generator, world: str, method: str, rate: float, seeds: tuple[int, ...], keys: list[str]
) -> pd.DataFrame:
    n = len(keys) * len(seeds)
    success = random.random(n) < rate
    first = random.random(n) < FIRST / max(rate, FIRST)
    rounds = np.where(success & first, 0, random.integers(1, 9, n)) * (method in ("dep", "deps"))
    half, all_of_it = ",".join(milestones()[:6]), ",".join(milestones())
    return pd.DataFrame(
        {
            "study": "03_deps_rounds",
            "condition": f"{world}/{method}",
            "model": "surrogate",
            "seed": np.repeat(seeds, len(keys)),
            "index": np.tile(np.arange(len(keys)), len(seeds)),
            "task": np.tile(keys, len(seeds)),
            "status": "ok",
            "success": success,
            "reason": np.where(success, "success", "goal_failed"),
            "steps": random.integers(5, 40, n),
            "wall_s": 0.1,
            "commit": "abc1234",
            "config": "0123456789ab",
            "limits": "paper",
            "method": method,
            "version": "1.11.2",
            "world": world,
            "calls": 1 + 2 * rounds,
            "dialogue_tokens": 900,
            "failed_goals": rounds,
            "goals": 5 + rounds,
            "items": np.where(success, all_of_it, half),
            "rounds": rounds,
            "unread": 0,
            "tokens_planner_calls": 1 + rounds,
            "tokens_planner_completion": 100 + rounds,
            "tokens_planner_prompt": 900 + rounds,
        }
    )
