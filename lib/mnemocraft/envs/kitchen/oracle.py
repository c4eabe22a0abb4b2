"""An oracle: the shortest known plan for every task and seed, and a planner for any moment of a kitchen.

The stored plans are those of the 20 tasks in 21 kitchens each (without seed, seeds 0 to 9, the ten benchmark
seeds); ``python -m training.kitchen_plans`` makes them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from functools import cache

from mnemocraft.envs.kitchen.benchmark import BENCHMARK_SEEDS
from mnemocraft.envs.kitchen.env import KitchenEnv
from mnemocraft.envs.kitchen.planner.compact import Unplannable, read
from mnemocraft.envs.kitchen.planner.search import search
from mnemocraft.errors import MnemocraftError, unreadable
from mnemocraft.paths import DATA

PLANS = DATA / "kitchen" / "oracle_plans.jsonl"
"""One line for each task and seed: ``task``, ``seed``, ``length``, ``actions``."""
SEEDS: tuple[int | None, ...] = (None, *range(10), *BENCHMARK_SEEDS)
"""Seeds with a stored plan."""
EFFORT = 12
"""Sweeps of the search for each length that a plan could have: a fraction of a second for most kitchens."""
_DETOUR = 0.3
"""Share of the steps of a failed walk that are random."""


def oracle_plan(task: str, seed: int | None) -> tuple[str, ...]:
    """The shortest known list of actions that reaches the goal from the start: stored, else planned now.

    Raises:
        MnemocraftError: There is no such task or seed, or no plan was found.
    """
    stored = _stored().get((task, seed))
    if stored is None:
        stored = plan_kitchen(KitchenEnv(task, seed))
    if stored is None:
        raise MnemocraftError(f"The planner found no plan for {task} with seed {seed}.")
    return stored


@cache
def _stored() -> dict[tuple[str, int | None], tuple[str, ...]]:
    if not PLANS.exists():
        return {}
    with unreadable(PLANS):
        lines = map(json.loads, PLANS.read_text(encoding="utf-8").splitlines())
        return {(line["task"], line["seed"]): tuple(line["actions"]) for line in lines}


def plan_kitchen(env: KitchenEnv, effort: int = EFFORT) -> tuple[str, ...] | None:
    """A short list of actions that reaches the goal from the present state, replayed to be sure.

    Args:
        env: The environment; it is left as it is.
        effort: Sweeps of the search for each length; more find shorter plans in hard kitchens.

    Returns:
        The actions, none if the episode is over with success. None if no plan was found, or if the kitchen or
        its goal is of a kind that the planner does not know: it plans dishes stacked on tables and one soup,
        by the benchmark's rules, for one robot. The step limit is not looked at.
    """
    if env.reason:
        return () if env.reason == "success" else None
    if env.goal_reached:  # asked only after a step
        return replayed(env, ["Do nothing"])
    try:
        plan = search(read(env), effort)
    except Unplannable:
        return None
    return None if plan is None else replayed(env, plan.actions)


def replayed(env: KitchenEnv, actions: Iterable[str]) -> tuple[str, ...] | None:
    """The actions up to the goal; None if they do not lead there."""
    tried = env.copy()
    tried.max_steps = None
    done = []
    for action in actions:
        *_, info = tried.step(action)
        if not info["action_success"]:
            return None
        done.append(action)
        if tried.reason == "success":
            return tuple(done)
    return None


def failed_walk(task: str, seed: int | None) -> tuple[str, ...]:
    """An exploration that never reaches the goal: the plan's next action where it fits, with random detours.

    The same for the same task and seed, and as long as the plan.
    """
    env = KitchenEnv(task, seed)
    chance = random.Random(f"{task} {seed}")
    plan = list(oracle_plan(task, seed))
    walk: list[str] = []
    for _ in range(len(plan)):
        options = chance.sample(env.valid_actions, len(env.valid_actions))
        if plan[0] in options and chance.random() >= _DETOUR:
            options.insert(0, plan.pop(0))
        walk.append(next(action for action in options if not _reaches_goal(env, action)))
        env.step(walk[-1])
    return tuple(walk)


def _reaches_goal(env: KitchenEnv, action: str) -> bool:
    tried = env.copy()
    tried.step(action)
    return tried.goal_reached
