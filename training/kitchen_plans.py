"""Plans all kitchens: ``python -m training.kitchen_plans --workers 2`` (two minutes)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product

from mnemocraft.envs.kitchen.benchmark import TASKS
from mnemocraft.envs.kitchen.env import KitchenEnv
from mnemocraft.envs.kitchen.oracle import EFFORT, PLANS, SEEDS, replayed
from mnemocraft.envs.kitchen.planner.compact import read
from mnemocraft.envs.kitchen.planner.search import search
from mnemocraft.errors import MnemocraftError

MORE_EFFORT = 20
"""Sweeps where a search with ``EFFORT`` may have missed a shorter plan."""


def best_plan(task: str, seed: int | None) -> tuple[str, ...]:
    """The plan to store: found with ``EFFORT``, then looked for with more where that may have missed one.

    Raises:
        MnemocraftError: None was found.
    """
    env = KitchenEnv(task, seed)
    kitchen = read(env)
    plan = search(kitchen, EFFORT)
    if plan is not None and not plan.exhausted:
        plan = search(kitchen, MORE_EFFORT, below=len(plan.actions)) or plan
    if plan is None or replayed(env, plan.actions) != plan.actions:
        raise MnemocraftError(f"The planner found no plan for {task} with seed {seed}.")
    return plan.actions


def main(arguments: Sequence[str] | None = None) -> None:
    """Plan all kitchens and store the plans."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--workers", type=int, default=1, help="processes to plan in")
    workers = parser.parse_args(arguments).workers
    cases = list(product(TASKS, SEEDS))
    with ProcessPoolExecutor(workers) as pool:
        plans = pool.map(best_plan, *zip(*cases, strict=True))
        lines = [_line(task, seed, plan) for (task, seed), plan in zip(cases, plans, strict=True)]
    PLANS.parent.mkdir(parents=True, exist_ok=True)
    PLANS.write_text("".join(lines), encoding="utf-8")
    print(f"{len(lines)} plans in {PLANS}")


def _line(task: str, seed: int | None, actions: tuple[str, ...]) -> str:
    return json.dumps({"task": task, "seed": seed, "length": len(actions), "actions": actions}) + "\n"


if __name__ == "__main__":
    main()
