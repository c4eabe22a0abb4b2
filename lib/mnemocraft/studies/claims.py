"""A paper's directed claims: declared as data, tested in one way, judged together, told in sentences.

A claim is tested over all its cells and in every part (a split, a mode) by whole clusters; Holm's
correction is over all rows of a table, those that could not be tested too. A stand-in for a language model
gets no verdict: what it does follows from what was assumed of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan, sqrt
from statistics import NormalDist

import numpy as np
import pandas as pd

from mnemocraft import stats
from mnemocraft.figstyle import is_surrogate
from mnemocraft.stats import Cells, Direction, Estimate, Key
from mnemocraft.studies.markup import escaped
from mnemocraft.surrogate.assumptions import ASSUMPTIONS

Printed = Mapping[tuple[str, Key], float]
"""A paper's numbers, by metric and cell."""
NOT_ASKED = "not in the paper"
"""What the paper says of a claim that is ours."""
ALL = "all"
"""The part of a table's row that is about all cells of a claim."""
AGAINST = "against "
"""What the name of a part begins with that is not a part of the cells but one of the other arms."""


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
        rates: Cohen's h is given, which is for rates of episodes.
        parts: The weights within each split or mode, by its name.
        assumed: Which of the surrogate's assumptions it follows from, a key of
            :data:`~mnemocraft.surrogate.assumptions.ASSUMPTIONS`; empty if it is not built in.
        assumed_nothing: That assumption says that there is no effect.
        registered: Its rule was written down before the run: sign and corrected p alone decide, by the
            bootstrap (:meth:`~mnemocraft.stats.Cells.bootstrap`); what is detectable is not the bootstrap's.
        unfit: Why its arms do not measure what it says, so that it gets no test; found after it was written.
    """

    hypothesis: str
    text: str
    metric: str
    weights: Mapping[Key, float]
    paper_verdict: str = ""
    direction: Direction = "positive"
    rates: bool = False
    parts: Mapping[str, Mapping[Key, float]] = field(default_factory=dict)
    assumed: str = ""
    assumed_nothing: bool = False
    registered: bool = False
    unfit: str = ""

    def estimate(self, cells: Cells, weights: Mapping[Key, float]) -> Estimate:
        """Its contrast in some cells, or that of a part."""
        found = cells.bootstrap(weights) if self.registered else cells.estimate(weights)
        return replace(found, p=nan, unfit=self.unfit) if self.unfit else found

    def of_standin(self, effect: Estimate, seen: bool) -> str:
        """What a table says instead of a verdict where a stand-in played, with this effect.

        Whether it was ``seen`` beside all others (:func:`_seen`) decides: what was not is no consequence.
        """
        if self.assumed and self.assumed not in ASSUMPTIONS:
            raise KeyError(f"no assumption {self.assumed!r}: there are {', '.join(ASSUMPTIONS)}")
        if np.isnan(effect.value):
            return stats.NOT_MEASURED
        if effect.fewest < stats.MIN_CLUSTERS:
            return stats.NOT_TESTED
        if not self.assumed:
            return "not built in"
        if not seen:
            return "no effect seen" + ", as assumed" * self.assumed_nothing
        return "not built in" if self.assumed_nothing else f"consequence of: {self.assumed}"


def minus(one: Mapping[Key, float], other: Mapping[Key, float]) -> dict[Key, float]:
    """Weights of a difference of two contrasts that have no cell in common."""
    return dict(one) | {key: -weight for key, weight in other.items()}


def players(episodes: pd.DataFrame) -> str:
    """The models that played some episodes."""
    return " ".join(sorted(map(str, episodes["model"].unique())))


def judge(
    claims: Sequence[Claim], measured: Mapping[str, Cells], unit: str, printed: Printed, model: str
) -> pd.DataFrame:
    """Test claims and judge them together.

    Args:
        claims: The claims.
        measured: The cells of every metric.
        unit: Name of the column that counts clusters, e.g. ``kitchens``.
        printed: The paper's numbers; a claim about others has no effect in the paper.
        model: Who played (:func:`players`), ``none`` where no language model is asked.

    Returns:
        One row a claim and part: ``hypothesis``, ``claim``, ``part`` (:data:`ALL`, or one of the claim's),
        ``metric``, ``effect`` with its interval ``low`` to ``high``, ``cohens_h``, ``pairs`` (episodes of the
        smaller arm), the clusters, ``detectable`` (the smallest effect that these data find in 80 % of runs
        after correction), ``p`` and ``p_holm`` as texts, ``paper_effect``, ``paper_verdict``, ``verdict``,
        ``direction`` and ``size`` (:func:`agreement` with the paper's effect) and ``finding``, a sentence.
        ``verdict`` is that of :func:`mnemocraft.stats.verdict`, or ``reverses`` where the effects of two
        parts are opposite, by the corrected p, or what :meth:`Claim.of_standin` says.
    """
    rows = [
        (claim, part, weights)
        for claim in claims
        for part, weights in [(ALL, claim.weights), *claim.parts.items()]
    ]
    found = [claim.estimate(measured[claim.metric], weights) for claim, _, weights in rows]
    standin = is_surrogate(model)
    p = [nan if standin else estimate.p for estimate in found]
    by_holm = _corrected(found)
    corrected = by_holm.where(~np.isnan(p))
    told = []
    for (claim, part, weights), effect, seen, one, many in zip(
        rows, found, _seen(found, by_holm), p, corrected, strict=True
    ):
        cells = measured[claim.metric]
        floor = stats.BOOTSTRAP_FLOOR if claim.registered else stats.FLOOR
        asked = float(sum(w * printed.get((claim.metric, key), nan) for key, w in weights.items()))
        least = nan if claim.unfit else cells.detectable(weights, len(rows), claim.rates)
        to_find = nan if claim.registered else asked or nan  # no data find that there is no effect
        verdict = stats.verdict(effect, many, claim.direction, asked=to_find, detectable=least)
        told.append(
            {"hypothesis": claim.hypothesis, "claim": claim.text, "part": part, "metric": claim.metric}
            | {"effect": effect.value, "low": effect.low, "high": effect.high}
            | {"cohens_h": cells.cohens_h(weights) if claim.rates else nan}
            | {"pairs": effect.n, unit: effect.clusters, "detectable": least}
            | {"p": stats.p_text(one, 1, floor), "p_holm": stats.p_text(many, len(rows), floor)}
            | {"paper_effect": asked, "paper_verdict": claim.paper_verdict}
            | {"verdict": claim.of_standin(effect, seen) if standin else verdict.outcome}
            | ({"direction": "", "size": ""} if standin else agreement(effect, asked))
            | {"finding": _interval(effect) if standin else verdict.sentence}
        )
    apart = [
        not effect.untested and (effect.low > 0 or effect.high < 0 if standin else bool(many < stats.ALPHA))
        for effect, many in zip(found, corrected, strict=True)
    ]
    return _reversals(pd.DataFrame(told), apart, standin)


def _corrected(found: Sequence[Estimate]) -> pd.Series:
    """The p of every effect by Holm; those that could not be tested count too, as 1."""
    return stats.holm(pd.DataFrame({"p": [effect.p for effect in found]}, dtype=float).fillna(1))["p_holm"]


def _seen(found: Sequence[Estimate], corrected: pd.Series) -> list[bool]:
    """Which effects differ from 0 by the corrected p, of a stand-in too.

    One that is the same in every cluster, and so has no p, is seen if it is not 0.
    """
    return [
        bool(effect.value != 0 if effect.agreed else p < stats.ALPHA)
        for effect, p in zip(found, corrected, strict=True)
    ]


def within(part: str) -> str:
    """Where a part's effect is, in words."""
    return part if part.startswith(AGAINST) else f"in {part}"


def begun(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of claims of which something was played: the claims, and those of their parts that were."""
    ran = table["effect"].notna()
    return table[ran | (table["part"] == ALL) & ran.groupby(table["claim"]).transform("any")]


def unit(table: pd.DataFrame) -> str:
    """What the clusters of a table of :func:`judge` are, e.g. ``worlds``."""
    return str(table.columns[list(table.columns).index("pairs") + 1])


def agreement(effect: Estimate, paper: float) -> dict[str, str]:
    """Two statements on an effect beside the paper's, by the 95 % interval of this one effect.

    ``direction`` is ``same`` or ``opposite``, or ``unclear`` where the interval contains 0; ``size`` says
    whether the interval ``contains`` or ``excludes`` the paper's effect. Without a test both are empty.
    """
    if np.isnan(paper) or effect.untested:
        return {"direction": "", "size": ""}
    sign = (effect.low > 0) - (effect.high < 0)
    direction = "unclear" if sign == 0 or paper == 0 else "same" if sign == np.sign(paper) else "opposite"
    return {"direction": direction, "size": "contains" if effect.low <= paper <= effect.high else "excludes"}


def _interval(effect: Estimate) -> str:
    if np.isnan(effect.value):
        return f"{stats.NOT_MEASURED}: {effect.untested or 'undefined'}"
    if effect.fewest < stats.MIN_CLUSTERS:
        return f"{effect.measured}, {stats.NOT_TESTED}: {effect.untested}"
    return f"{effect.measured} ({effect.size})"


def _reversals(table: pd.DataFrame, told: Sequence[bool], standin: bool) -> pd.DataFrame:
    """A claim ``reverses`` if the effects of its parts have opposite signs, by those that are ``told``."""
    for _, rows in table.groupby(["hypothesis", "claim"], sort=False):
        parts = rows[rows["part"] != ALL]
        if set(np.sign(parts.loc[np.asarray(told)[parts.index], "effect"])) >= {-1.0, 1.0}:
            signs = ", ".join(f"{row['effect']:+.3f} {within(row['part'])}" for _, row in parts.iterrows())
            whole = rows.index[rows["part"] == ALL]
            table.loc[whole, "finding"] += f". The effect reverses: {signs}"
            if not standin:
                table.loc[whole, "verdict"] = "reverses"
    return table


def planned(pilot: pd.DataFrame, unit: str, clusters: int) -> pd.DataFrame:
    """What a study can decide, said before it is run, from the table that an earlier run of it left.

    Args:
        pilot: From :func:`judge`.
        unit: The column that counts its clusters.
        clusters: How many the study will have where the pilot had its most.

    Returns:
        One row a claim: ``claim``, ``clusters`` (the pilot's, in proportion), ``detectable`` (the pilot's,
        less by the root of the ratio of clusters; with fewer of them at least what :func:`_of_fewer` says),
        ``paper_effect``, and ``this run``: what can come of it.
    """
    whole = pilot[pilot["part"] == ALL]
    ratio = clusters / max(whole[unit].max(), 1)
    least = whole["detectable"] / sqrt(ratio)
    if ratio < 1:
        least = least.combine(whole.apply(_of_fewer, axis=1, ratio=ratio, tests=len(pilot)), max)
    count = (whole[unit] * ratio).round().astype(int)
    few, asked = count < stats.MIN_CLUSTERS, whole["paper_effect"].abs().replace(0, nan)
    told = np.select(
        [whole["effect"].isna(), few, least.isna(), asked.isna(), asked < least],
        [
            "unknown: the pilot did not play it",
            f"nothing is tested below {stats.MIN_CLUSTERS} clusters",
            "unknown: the pilot could not tell how much it varies",
            "can decide larger effects",
            "cannot be decided here: the paper's effect is smaller",
        ],
        "can find the paper's effect",
    )
    columns = {"clusters": count, "detectable": least, "this run": told}
    return whole[["claim", "paper_effect"]].assign(**columns).reset_index(drop=True)


def _of_fewer(row: pd.Series, ratio: float, tests: int) -> float:
    """What a part of a row's clusters would find of rates, if there were no effect in the records."""
    if pd.isna(row["cohens_h"]) or pd.isna(row["detectable"]):
        return nan
    spread = (row["high"] - row["low"]) / 2 / NormalDist().inv_cdf(1 - stats.ALPHA / 2)
    z = stats.in_errors(tests)
    return stats.least_effect(z, spread / sqrt(ratio), 0.0, row["pairs"] * ratio)


def sentences(table: pd.DataFrame, model: str) -> str:
    """The verdicts of :func:`judge` as a Markdown list; ``model`` is the name of who played.

    Of a claim that was not measured its parts are left out.
    """
    told = table[(table["part"] == ALL) | (table["verdict"] != stats.NOT_MEASURED)]
    return "\n".join(_sentence(row, model) for _, row in told.iterrows())


def _sentence(row: pd.Series, model: str) -> str:
    if row["part"] != ALL:
        return f"    - {within(row['part'])}: **{row['verdict']}**, {row['finding']}{_beside_paper(row)}"
    effect_size = "" if pd.isna(row["cohens_h"]) else f"; Cohen's h {row['cohens_h']:+.2f}"
    return (
        f"- **{row['hypothesis']}: {row['verdict']}** with {escaped(model)}. Claim: {row['claim']}. "
        f"Effect: {row['finding']}{effect_size}{_beside_paper(row)}. The paper: {row['paper_verdict']}."
    )


def _beside_paper(row: pd.Series) -> str:
    """The paper's effect and the two statements on it."""
    if pd.isna(row["paper_effect"]):
        return ""
    same = {"same": "direction reproduced", "opposite": "opposite direction", "unclear": "direction unclear"}
    inside = {"contains": "size inside our interval", "excludes": "size excluded"}
    said = [same.get(row["direction"], ""), inside.get(row["size"], "")]
    stated = ", ".join(filter(None, said))
    return f"; paper's effect {row['paper_effect']:+.3f}" + (f" ({stated})" if stated else "")
