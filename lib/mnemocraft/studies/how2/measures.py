"""What is measured on How2's episodes: the columns that are summed, and the paper's metrics as sums.

The statistics are :mod:`mnemocraft.stats`; their clusters are *targets* (the item to craft).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mnemocraft import stats
from mnemocraft.envs.plancraft.data import example
from mnemocraft.stats import ONE, Cells, Measure, rate

DIFFICULTIES = ("easy", "medium", "hard")
COUNTS = (
    "cache_hits",
    "cache_misses",
    "interventions",
    "first_read",
    "impossible_called",
    "actions",
    "expert_actions",
)
TASK_FACTS = ("target", "difficulty")
CELL = ("variant", "setup", "teacher", "split")


def _thousands(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1] / 1000


def _f1(sums: np.ndarray) -> np.ndarray:
    """F1 of the class *impossible* from sums of (tp, fp, fn, ...)."""
    tp, fp, fn = sums[..., 0], sums[..., 1], sums[..., 2]
    return 2 * tp / (2 * tp + fp + fn)


def _macro_f1(sums: np.ndarray) -> np.ndarray:
    """Mean of the F1 of *impossible* and of *solvable*, which is what the paper's printed values are."""
    return (_f1(sums) + _f1(sums[..., [3, 2, 1]])) / 2


MEASURES: dict[str, Measure] = {
    "overall_sr": rate("solved", "solvable"),
    "success_rate": rate("solved", "solvable"),
    "success_all": rate("succeeded"),
    "impossible_f1": Measure(("tp", "fp", "fn", "tn", ONE), _macro_f1),
    "avg_cache_miss": rate("cache_misses"),
    "avg_intervention_rate": rate("asked"),
    "token_usage_k": Measure(("tokens", ONE), _thousands),
    "action_efficiency": rate("extra_actions", "efficient"),
    "impossible_error": rate("impossible_wrong"),
    "max_steps_error": rate("max_steps"),
    "eager_crafting_error": rate("eager_crafting"),
}
"""The paper's metrics by its column names. Success is over solvable examples, efficiency over those that were
solved, everything else over all; ``success_all`` (over all too) is that of Figures 5 and 8."""


def _complete(records: pd.DataFrame) -> pd.DataFrame:
    """Counts that a failed episode did not report become 0; what belongs to its task is looked up."""
    records = records.reindex(columns=list(dict.fromkeys([*records.columns, *COUNTS, *TASK_FACTS])))
    facts = {
        task: {"target": example(task).target, "difficulty": example(task).difficulty}
        for task in records.loc[records["target"].isna(), "task"].unique()
    }
    looked_up = {fact: records["task"].map({t: f[fact] for t, f in facts.items()}) for fact in TASK_FACTS}
    filled = {fact: records[fact].astype(object).fillna(looked_up[fact]) for fact in TASK_FACTS}
    return records.assign(**filled, **{name: records[name].fillna(0) for name in COUNTS})


def prepare(records: pd.DataFrame) -> pd.DataFrame:
    """Add the 0/1 and count columns that the measures sum; every record counts, whatever its status."""
    records = _complete(records)
    impossible = records["difficulty"] == "impossible"
    success = records["success"].astype(bool)
    # An episode that failed to end by itself judged nothing; it counts as a wrong judgement.
    ended = (records["status"] == "ok") & (records["reason"] != "dialogue_full")
    called = (records["impossible_called"] > 0).where(ended, ~impossible)
    tokens = records.filter(regex=r"^tokens_.*_(prompt|completion)$").sum(axis=1)
    efficient = success & ~impossible & (records["expert_actions"] >= 0)
    extra = (records["actions"] - records["expert_actions"]).where(efficient, 0)
    columns: dict[str, pd.Series] = {
        "solvable": ~impossible,
        "solved": success & ~impossible,
        "succeeded": success,
        "tp": impossible & called,
        "fn": impossible & ~called,
        "fp": ~impossible & called,
        "tn": ~impossible & ~called,
        "asked": records["interventions"] > 0,
        "tokens": tokens,
        "efficient": efficient,
        "extra_actions": extra,
    }
    columns |= {r: records["reason"] == r for r in ("impossible_wrong", "max_steps", "eager_crafting")}
    numbers = {name: column.astype(float) for name, column in columns.items()}
    return records.assign(**numbers).astype(dict.fromkeys((*CELL, "target"), "category"))  # to group quickly


def cells(episodes: pd.DataFrame, metric: str, by: Sequence[str] = CELL) -> Cells:
    """A metric of :data:`MEASURES` in every group of prepared episodes, clustered by target."""
    return stats.cells(episodes, MEASURES[metric], by, cluster="target")
