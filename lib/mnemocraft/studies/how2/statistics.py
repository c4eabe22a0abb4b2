"""What is in the two splits that How2 plays: its Tables 2, 3 and 4 and Figure 6, counted from the data."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from mnemocraft.envs.plancraft.data import Example, examples
from mnemocraft.studies.how2.load import SPLITS

MEANS = ("items_used", "unique_items_used", "complexity")


def _counted(column: str, of: Callable[[Example], Any], order: Sequence[str] = ()) -> pd.DataFrame:
    """Examples by split and by a fact of them, its values in ``order`` or sorted."""
    counts = {split: Counter(map(of, examples(split))) for split in SPLITS}
    rows = [
        (split, value, count[value]) for split, count in counts.items() for value in order or sorted(count)
    ]
    return pd.DataFrame(rows, columns=["split", column, "count"])


def split_difficulty() -> pd.DataFrame:
    """How2's Table 2: examples of each difficulty, columns ``split, difficulty, count``."""
    return _counted("difficulty", lambda e: e.difficulty, ("easy", "medium", "hard", "impossible"))


def split_distractors() -> pd.DataFrame:
    """How2's Table 3: examples with 4, 8 and 16 distractors, columns ``split, n_distractors, count``."""
    return _counted("n_distractors", lambda e: e.num_distractors)


def split_plan_statistics() -> pd.DataFrame:
    """How2's Table 4: means over the solvable examples, unrounded, columns ``split, metric, value``."""
    solvable = {split: [e for e in examples(split) if not e.impossible] for split in SPLITS}
    rows = [
        (split, f"avg_{metric}", math.fsum(getattr(e, metric) for e in chosen) / len(chosen))
        for split, chosen in solvable.items()
        for metric in MEANS
    ]
    return pd.DataFrame(rows, columns=["split", "metric", "value"])


def path_lengths() -> pd.DataFrame:
    """How2's Figure 6: solvable examples by length of the package's plan, ``split, path_length, count``."""
    lengths = _counted("path_length", lambda e: len(e.optimal_path or ()))
    return lengths[lengths["path_length"] > 0].reset_index(drop=True)
