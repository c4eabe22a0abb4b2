"""Targets that a fine-tuned model has seen crafted from memory, against those seen only with an answer.

The training of the small model (:mod:`training.finetune`) splits the targets at random into two halves.
What it manages without a teacher on the first half may be remembered; on the second it must be worked out.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from mnemocraft.agents.how2.settings import AGENTS, TEACHERS
from mnemocraft.studies import estimates
from mnemocraft.studies.estimates import NUMBERS, less, over_clusters
from mnemocraft.studies.how2 import measures
from mnemocraft.studies.how2.measures import DIFFICULTIES

ALL, KNOWN, UNKNOWN, DIFFERENCE = "all", "known", "unknown", "known - unknown"
GROUPS = (ALL, KNOWN, UNKNOWN, DIFFERENCE)
LEVELS = (*DIFFICULTIES, ALL)
KEYS = ("setup", "teacher", "difficulty", "targets")


def known_targets(episodes: pd.DataFrame, known: Collection[str]) -> pd.DataFrame:
    """Success over solvable tasks (main variant, both splits) on known and unknown targets.

    Args:
        episodes: Prepared episodes (:func:`~mnemocraft.studies.how2.measures.prepare`).
        known: The targets that the model has seen crafted from memory.

    Returns:
        One row for every set-up, teacher, difficulty (``all`` pools them) and group of targets (``targets``;
        ``known - unknown`` is the difference): ``value`` with its 95 % interval (Wilson's over targets,
        Newcombe's for the difference), ``n`` episodes on ``n_targets`` targets. NaN and 0 where nothing
        was run.
    """
    found = measures.cells(_grouped(episodes, known), "overall_sr", by=KEYS)
    rows = []
    for (setup, teacher), level in product(AGENTS, LEVELS):
        cells = {
            g: over_clusters(found.counted({(setup, teacher, level, g): 1.0}), "n_targets")
            for g in GROUPS[:3]
        }
        cells[DIFFERENCE] = _difference(cells[KNOWN], cells[UNKNOWN])
        rows += [dict(zip(KEYS, (setup, teacher, level, g), strict=True)) | cells[g] for g in GROUPS]
    return pd.DataFrame(rows)


def _grouped(episodes: pd.DataFrame, known: Collection[str]) -> pd.DataFrame:
    """Solvable episodes, each once for every row of the table that counts it."""
    one = episodes[(episodes["variant"] == "main") & (episodes["solvable"] == 1)]
    group = np.where(one["target"].isin(list(known)), KNOWN, UNKNOWN)
    by_group = pd.concat([one.assign(targets=group), one.assign(targets=ALL)])
    return pd.concat([by_group, by_group.assign(difficulty=ALL)])


def _difference(known: dict[str, float], unknown: dict[str, float]) -> dict[str, float]:
    ends = NUMBERS[:3]
    found = less([known[end] for end in ends], [unknown[end] for end in ends])
    sums = {name: known[name] + unknown[name] for name in ("n", "n_targets")}
    return dict(zip(ends, found, strict=True)) | sums


EASY, NO_TEACHER = "easy", ("base", "none", ALL)
ANSWERED = {teacher: ("just_ask", teacher, EASY, ALL) for teacher in TEACHERS[:2]}
GOALS: tuple[tuple[str, tuple[str, ...], float, float], ...] = (
    ("executable answers: at least 80 % of easy tasks", ANSWERED[TEACHERS[0]], 0.8, 1.0),
    ("partially executable answers: at least 50 % of easy tasks", ANSWERED[TEACHERS[1]], 0.5, 1.0),
    ("no teacher: unknown targets near 0, at most 10 %", (*NO_TEACHER, UNKNOWN), 0.0, 0.1),
    ("no teacher: known clearly above unknown targets, interval above 0",
     (*NO_TEACHER, DIFFERENCE), np.nextafter(0, 1), 1.0),
)  # fmt: skip
"""The design's targets, set before anything was measured on the evaluation splits: in which row of
:func:`known_targets` (its :data:`KEYS`) the value is to lie between which bounds."""


def targets_of_the_design(known: pd.DataFrame) -> pd.DataFrame:
    """All :data:`GOALS` with their rows of :func:`known_targets`, and whether they are ``met``."""
    measured: dict[Any, dict[Any, Any]] = known.set_index(list(KEYS)).to_dict("index")
    rows = []
    for text, row, least, most in GOALS:
        numbers = measured[row]
        # "interval above 0" is about its lower end alone, and leaves nothing open
        judged = dict.fromkeys(("value", "low", "high"), numbers["low"]) if row[-1] == DIFFERENCE else numbers
        met = estimates.met(judged, least, most)
        rows.append({"goal": text} | dict(zip(KEYS, row, strict=True)) | numbers | {"met": met})
    return pd.DataFrame(rows).astype({"n": int, "n_targets": int})
