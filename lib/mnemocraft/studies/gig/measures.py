"""What is measured on kitchen episodes: the columns that are summed, and the paper's metrics as sums.

The statistics are :mod:`mnemocraft.stats`; their clusters are *kitchens* (a task laid out with a seed), which
every method plays once.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from mnemocraft import stats
from mnemocraft.agents.gig.methods import METHODS
from mnemocraft.envs.kitchen import HORIZONS
from mnemocraft.runs import read_trajectory
from mnemocraft.stats import ONE, Cells, Measure, rate
from mnemocraft.studies.gig.load import MAIN, MODES

ABLATION = ("gig_bl", "gig_ld", "gig")
WEAK = ("gig", "gig_exp", "recap", "react")
LABELS = {name: method.label for name, method in METHODS.items()}
CELL = ("level", "mode", "method")
"""``level``: the model of the main part (``strong``), or the less able one (``weak``, section 4.6)."""
PLANNED = (
    *(("strong", mode, method) for mode in MODES for method in MAIN),
    *(("strong", "sync", method) for method in ABLATION[:2]),
    *(("weak", "sync", method) for method in WEAK),
)
"""The cells of the study."""
WAIT = "Do nothing"
COUNTS = ("invalid_actions", "loops", "retrieved", "followed", "calls")


def _per_step(column: str) -> Measure:
    """Sum of ``column`` over all steps; n stays the number of episodes."""
    return Measure((column, "steps", ONE), lambda sums: sums[..., 0] / sums[..., 1])


MEASURES: dict[str, Measure] = {
    "pass_at_1": rate("passed"),
    "steps_all": rate("steps_all"),
    "steps_success": rate("steps_passed", "passed"),
    "tokens_per_step": _per_step("completion"),
    "idle": _per_step("idle"),
}
"""Pass@1 (a fraction of all episodes), mean steps, generated tokens a step, share of waiting steps."""


def with_idle(records: pd.DataFrame, out: Path) -> pd.DataFrame:
    """Add ``idle``: in how many steps of an episode of the run in ``out`` the robot did nothing."""
    trajectories = (read_trajectory(out, record) for _, record in records.iterrows())
    return records.assign(idle=[sum(e.get("action") == WAIT for e in events) for events in trajectories])


def prepare(records: pd.DataFrame, weak: pd.DataFrame | None = None) -> pd.DataFrame:
    """The episodes of both models with the columns that the measures sum; every record counts.

    ``steps_all`` takes a failed episode as if it had gone on in vain to the step limit. Most do; but to stop
    early, for invalid answers or because a plan is at its end, must not look like a short way.
    """
    levels = {"strong": records} if weak is None else {"strong": records, "weak": weak}
    episodes = pd.concat([part.assign(level=level) for level, part in levels.items()], ignore_index=True)
    columns = dict.fromkeys([*episodes.columns, *COUNTS, "idle", "oracle_steps"])
    episodes = episodes.reindex(columns=list(columns))
    horizon = episodes["task"].map(HORIZONS).astype(float)
    passed = episodes["success"].astype(bool)
    steps = episodes["steps"].astype(float).fillna(0)
    numbers = {
        "passed": passed.astype(float),
        "steps": steps,
        "steps_all": steps.where(passed, np.ceil(episodes["multiplier"] * horizon)),
        "steps_passed": steps.where(passed, 0.0),
        "completion": episodes.filter(regex=r"^tokens_.*_completion$").sum(axis=1).astype(float),
        "horizon": horizon,
    }
    names: dict[str, pd.Series] = {
        "task_number": episodes["task"].str.partition("/")[2].astype(int),
        "kitchen": episodes["task"] + " seed " + episodes["seed"].astype(str),
        "outcome": passed.map({True: "success", False: "failure"}),
    }
    counts = {name: episodes[name].astype(float).fillna(0) for name in COUNTS}
    return episodes.assign(**numbers, **names, **counts)


def cells(episodes: pd.DataFrame, metric: str, by: Sequence[str] = CELL) -> Cells:
    """A metric of :data:`MEASURES` in every group of prepared episodes, clustered by kitchen."""
    return stats.cells(episodes, MEASURES[metric], by, cluster="kitchen")


def per_step(episodes: pd.DataFrame, by: Sequence[str], *more: str) -> pd.DataFrame:
    """How a group of episodes went, indexed by it: invalid answers, loop warnings, retrieved experiences and
    ``more`` counts, all per step; ``followed`` is the share of retrieved experiences whose action was taken,
    with things of the same kinds."""
    counts = ["invalid_actions", "loops", "retrieved", *more]
    columns = episodes.reindex(columns=[*by, *counts, "followed", "steps"])  # a crash counts nothing
    sums = columns.groupby(list(by), sort=False).sum(min_count=1)
    shares = sums[counts].div(sums["steps"], axis=0).assign(followed=sums["followed"] / sums["retrieved"])
    return shares.replace([np.inf, -np.inf], np.nan)
