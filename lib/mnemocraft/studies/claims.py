"""A paper's directed claims, judged together: corrected p-values, a verdict on each, sentences to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mnemocraft import stats
from mnemocraft.stats import Direction, Estimate


def judge(
    rows: Sequence[Mapping[str, Any]], found: Sequence[Estimate], directions: Sequence[Direction]
) -> pd.DataFrame:
    """Add ``p_holm``, ``verdict``, ``finding`` and ``hypothesis_verdict`` to a table of claims.

    Args:
        rows: One a claim, with at least ``hypothesis`` and its uncorrected ``p``.
        found: The effect of each.
        directions: The sign that each claims.
    """
    table = stats.holm(pd.DataFrame(list(rows)))
    judged = map(stats.verdict, found, table["p_holm"], directions)
    table[["verdict", "finding"]] = [(verdict.outcome, verdict.sentence) for verdict in judged]
    table["hypothesis_verdict"] = table.groupby("hypothesis")["verdict"].transform(_joint)
    return table


def _joint(verdicts: pd.Series) -> str:
    """A hypothesis holds if all its claims hold and fails if one of them fails."""
    if (verdicts == "fails").any():
        return "fails"
    return "holds" if (verdicts == "holds").all() else "undecided"


def sentences(table: pd.DataFrame, model: str) -> str:
    """The verdicts as a Markdown list.

    Args:
        table: From :func:`judge`, with ``claim``, ``cohens_h``, ``paper_effect`` and ``paper_verdict``.
        model: Name of the model that played.
    """
    return "\n".join(_sentence(row, model) for _, row in table.iterrows())


def _sentence(row: pd.Series, model: str) -> str:
    effect_size = "" if pd.isna(row["cohens_h"]) else f"; Cohen's h {row['cohens_h']:+.2f}"
    paper = "" if pd.isna(row["paper_effect"]) else f" {row['paper_effect']:+.2f}"
    return (
        f"- **{row['hypothesis']}: {row['verdict']}** with {model}. Claim: {row['claim']}. "
        f"Effect: {row['finding']}{effect_size}. "
        f"In the paper{paper}: {row['paper_verdict']}."
    )
