"""A paper's directed claims: declared as data, tested in one way, judged together, told in sentences.

Two conditions that played the same episodes can be compared by McNemar's exact test; everything else by
resampling clusters. Holm's correction is over all claims of a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan

import pandas as pd

from mnemocraft import stats
from mnemocraft.stats import PAIR, Cells, Direction, Estimate, Key, difference

Printed = Mapping[tuple[str, Key], float]
"""A paper's numbers, by metric and cell."""


@dataclass(frozen=True)
class Claim:
    """A directed claim: the weighted sum of cells of ``metric`` has the sign ``direction``.

    Attributes:
        hypothesis: What the claim belongs to.
        text: The claim as a sentence.
        metric: Which of the measured cells it is about.
        weights: Of the cells.
        paper_verdict: What the paper says about it.
        direction: The sign that is claimed.
        paired: It compares two cells, the first minus the second, episode by episode: McNemar's test.
        rates: Cohen's h is given, which is for rates of episodes.
    """

    hypothesis: str
    text: str
    metric: str
    weights: Mapping[Key, float]
    paper_verdict: str = ""
    direction: Direction = "positive"
    paired: bool = False
    rates: bool = False


def versus(hypothesis: str, text: str, metric: str, one: Key, other: Key, paper_verdict: str) -> Claim:
    """The claim that ``one`` solves more of the same episodes than ``other``."""
    weights = difference([one], [other])
    return Claim(hypothesis, text, metric, weights, paper_verdict, paired=True, rates=True)


def minus(one: Mapping[Key, float], other: Mapping[Key, float]) -> dict[Key, float]:
    """Weights of a difference of two contrasts that have no cell in common."""
    return dict(one) | {key: -weight for key, weight in other.items()}


def in_cells(episodes: pd.DataFrame, by: Sequence[str], keys: Sequence[Key]) -> pd.DataFrame:
    """The episodes of some cells of a grid."""
    cell = pd.Series(list(episodes[list(by)].itertuples(index=False, name=None)), episodes.index, object)
    return episodes[cell.isin(set(keys))]


def mcnemar(one: pd.DataFrame, other: pd.DataFrame, value: str, on: Sequence[str] = PAIR) -> float:
    """McNemar's p over pairs of episodes; NaN while some of them are missing."""
    try:
        return stats.mcnemar(one, other, value=value, on=on).p
    except stats.NotTestable:
        return nan


def judge(
    claims: Sequence[Claim],
    measured: Mapping[str, Cells],
    unit: str,
    printed: Printed,
    episodes: pd.DataFrame | None = None,
    by: Sequence[str] = (),
) -> pd.DataFrame:
    """Test claims and judge them together.

    Args:
        claims: The claims.
        measured: The cells of every metric.
        unit: Name of the column that counts clusters, e.g. ``kitchens``.
        printed: The paper's numbers; a claim about others has no effect in the paper.
        episodes: What paired claims compare, with ``passed`` (0 or 1), ``task`` and ``seed``.
        by: Columns of ``episodes`` that make a key of a paired claim.

    Returns:
        One row a claim: ``hypothesis``, ``claim``, ``metric``, ``effect`` with its interval ``low`` to
        ``high``, ``cohens_h``, ``n`` episodes, the clusters, ``test``, ``p``, ``paper_effect``,
        ``paper_verdict``, ``p_holm``, ``verdict``, ``finding`` (a sentence) and ``hypothesis_verdict``.
    """
    found = [measured[claim.metric].estimate(claim.weights) for claim in claims]
    rows = []
    for claim, effect in zip(claims, found, strict=True):
        test, p = "bootstrap", effect.p
        if claim.paired and episodes is not None:
            one, other = (in_cells(episodes, by, [key]) for key in claim.weights)
            test, p = "McNemar", mcnemar(one, other, "passed") if effect.clusters > 1 else nan
        paper = [w * printed.get((claim.metric, key), nan) for key, w in claim.weights.items()]
        rows.append(
            {"hypothesis": claim.hypothesis, "claim": claim.text, "metric": claim.metric}
            | {"effect": effect.value, "low": effect.low, "high": effect.high}
            | {"cohens_h": measured[claim.metric].cohens_h(claim.weights) if claim.rates else nan}
            | {"n": effect.n, unit: effect.clusters, "test": test, "p": p}
            | {"paper_effect": float(sum(paper)), "paper_verdict": claim.paper_verdict}
        )
    return _judged(pd.DataFrame(rows), found, [claim.direction for claim in claims])


def _judged(table: pd.DataFrame, found: Sequence[Estimate], directions: Sequence[Direction]) -> pd.DataFrame:
    table = stats.holm(table)
    judged = map(stats.verdict, found, table["p_holm"], directions)
    table[["verdict", "finding"]] = [(verdict.outcome, verdict.sentence) for verdict in judged]
    return table.assign(hypothesis_verdict=table.groupby("hypothesis")["verdict"].transform(_joint))


def _joint(verdicts: pd.Series) -> str:
    """A hypothesis holds if all its claims hold and fails if one of them fails."""
    if (verdicts == "fails").any():
        return "fails"
    return "holds" if (verdicts == "holds").all() else "undecided"


def sentences(table: pd.DataFrame, model: str) -> str:
    """The verdicts of :func:`judge` as a Markdown list; ``model`` is the name of who played."""
    return "\n".join(_sentence(row, model) for _, row in table.iterrows())


def _sentence(row: pd.Series, model: str) -> str:
    effect_size = "" if pd.isna(row["cohens_h"]) else f"; Cohen's h {row['cohens_h']:+.2f}"
    paper = "" if pd.isna(row["paper_effect"]) else f" {row['paper_effect']:+.2f}"
    return (
        f"- **{row['hypothesis']}: {row['verdict']}** with {model}. Claim: {row['claim']}. "
        f"Effect: {row['finding']}{effect_size}. "
        f"In the paper{paper}: {row['paper_verdict']}."
    )
