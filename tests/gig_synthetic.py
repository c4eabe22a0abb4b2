"""Records of the kitchen study whose truth is known, as the runs would write them."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from mnemocraft.agents.gig.methods import parts
from mnemocraft.envs.kitchen import BENCHMARK_SEEDS, HORIZONS, TASKS
from mnemocraft.studies.gig.measures import PLANNED

Cell = tuple[str, str, str]


def planted(cell: Cell) -> float:
    """Chance of success: every claim of the paper holds, with large effects."""
    level, mode, method = cell
    if level == "weak":
        return {"gig_exp": 0.75, "gig": 0.2, "recap": 0.15, "react": 0.2}[method]
    sync = {
        "gig": 0.93,
        "gig_exp": 0.95,
        "recap": 0.6,
        "react": 0.65,
        "cot": 0.07,
        "gig_ld": 0.6,
        "gig_bl": 0.5,
    }
    slow = {"gig": 0.72, "gig_exp": 0.97, "recap": 0.1, "react": 0.1, "cot": 0.02}
    return sync[method] if mode == "sync" else slow[method]


def synthetic(
    level: str = "strong",
    rate: Callable[[Cell], float] = planted,
    seeds: tuple[int, ...] = BENCHMARK_SEEDS,
    chosen: tuple[Cell, ...] = PLANNED,
    effects: bool = True,
) -> pd.DataFrame:
    """Records of one model over all ten tasks of a mode.

    Args:
        level: Which of the cells: those of the able or of the less able model.
        rate: Chance of success in a cell.
        effects: Also plant those on steps, tokens and waiting; without, they are the same everywhere.
    """
    frames = [
        _condition(np.random.default_rng([index, 7]), cell, rate(cell), seeds, effects)
        for index, cell in enumerate(chosen)
        if cell[0] == level
    ]
    return pd.concat(frames, ignore_index=True)


def _condition(
    rng: np.random.Generator, cell: Cell, rate: float, seeds: tuple[int, ...], effects: bool
) -> pd.DataFrame:
    level, mode, method = cell
    tasks = [task for task in TASKS if task.startswith(f"{mode}/")]
    n = len(tasks) * len(seeds)
    task = np.tile(tasks, len(seeds))
    horizon = np.array([HORIZONS[t] for t in task])
    success = rng.random(n) < rate
    longer = 1.0 if effects and method == "gig_exp" else 1.5
    steps = np.where(success, (horizon * longer + rng.integers(0, 5, n)).astype(int), 3 * horizon)
    tokens = rng.integers(90, 111, n) * np.where(success | (not effects), 1, 2)
    waits = {"recap": 0.3, "gig": 0.1}.get(method, 0.2) if effects else 0.2
    flags = parts(method)
    return pd.DataFrame(
        {
            "study": "09_gig_robotouille",
            "condition": f"{method}/{mode}",
            "model": "surrogate" if level == "strong" else "surrogate:knowledge=0.5",
            "seed": np.repeat(seeds, len(tasks)),
            "index": np.tile(np.arange(len(tasks)), len(seeds)),
            "task": task,
            "status": "ok",
            "success": success,
            "reason": np.where(success, "success", "max_steps"),
            "steps": steps,
            "wall_s": 0.1,
            "commit": "abc1234",
            "config": "0123456789ab",
            "method": method,
            "mode": mode,
            "lookahead": flags.lookahead,
            "loops": rng.integers(0, 3, n),
            "multiplier": 3,
            "branching": 11.0,
            "calls": steps,
            "followed": 1,
            "horizon": horizon,
            "invalid_actions": 0,
            "oracle_steps": horizon - 1,
            "retrieved": 2,
            "task_index": np.tile(np.arange(len(tasks)), len(seeds)),
            "tokens_planner_calls": 99_999,
            "tokens_planner_completion": tokens * steps,
            "tokens_planner_prompt": 1000 * steps,
            "idle": rng.binomial(steps, waits),
        }
    )
