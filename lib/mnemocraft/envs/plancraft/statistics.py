"""What is in the two splits that How2 plays: its Tables 2, 3 and 4 and Figure 6, counted from the data."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import pandas as pd

from mnemocraft.envs.plancraft.data import examples


def split_difficulty() -> pd.DataFrame:
    """How2's Table 2: examples of each difficulty, columns ``split, difficulty, count``."""
    order = ("easy", "medium", "hard", "impossible")
    counts = {split: Counter(e.difficulty for e in examples(split)) for split in ("low", "high")}
    rows = [(split, level, counts[split][level]) for split in counts for level in order]
    return pd.DataFrame(rows, columns=["split", "difficulty", "count"])


def split_distractors() -> pd.DataFrame:
    """How2's Table 3: examples with 4, 8 and 16 distractors, columns ``split, n_distractors, count``."""
    counts = {split: Counter(e.num_distractors for e in examples(split)) for split in ("low", "high")}
    rows = [(split, n, count[n]) for split, count in counts.items() for n in sorted(count)]
    return pd.DataFrame(rows, columns=["split", "n_distractors", "count"])


def split_plan_statistics() -> pd.DataFrame:
    """How2's Table 4: means over the solvable examples, unrounded, columns ``split, metric, value``."""
    rows = [(split, *row) for split in ("low", "high") for row in _plan_means(split)]
    return pd.DataFrame(rows, columns=["split", "metric", "value"])


def _plan_means(split: str) -> Iterator[tuple[str, float]]:
    for metric in ("items_used", "unique_items_used", "complexity"):
        values = [getattr(e, metric) for e in examples(split) if not e.impossible]
        yield f"avg_{metric}", math.fsum(values) / len(values)


def path_lengths() -> pd.DataFrame:
    """How2's Figure 6: solvable examples by length of the package's plan, ``split, path_length, count``."""
    plans = {split: [len(e.optimal_path or ()) for e in examples(split)] for split in ("low", "high")}
    rows = [(split, n, plans[split].count(n)) for split in plans for n in range(1, max(plans[split]) + 1)]
    return pd.DataFrame(rows, columns=["split", "path_length", "count"])
