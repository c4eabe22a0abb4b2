"""The paper's claims about GiG in the kitchen, tested on our episodes and judged together.

Two methods that played the same kitchens are compared by McNemar's exact test (Pass@1); differences of
differences, steps, tokens and idle time by resampling kitchens. Holm's correction is over all claims.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from mnemocraft import stats
from mnemocraft.stats import Cells, Direction, Estimate, Key, difference
from mnemocraft.studies import claims, papers
from mnemocraft.studies.gig import measures, tables

PAPER_MODELS = {"strong": "Qwen3-235B-A22B-Instruct-2507-FP8", "weak": "Qwen3-30B-A3B-Instruct-2507-FP8"}
"""The models whose numbers the paper's effects are taken from (its only pair of one family)."""
WITH_FEEDBACK = ("recap", "react")
"""The baselines that see what their actions do; CoT, near 0 in both modes, would only dilute a difference."""
GIGS = ("gig", "gig_exp")


@dataclass(frozen=True)
class Claim:
    """A directed claim: the weighted sum of cells of ``metric`` has the sign ``direction``.

    Attributes:
        pair: Set if the claim compares two cells kitchen by kitchen; McNemar's test then gives the p-value.
    """

    hypothesis: str
    text: str
    metric: str
    weights: Mapping[Key, float]
    direction: Direction
    paper_verdict: str
    pair: tuple[Key, Key] | None = None


def _better(
    hypothesis: str, one: str, other: str, mode: str, paper_verdict: str, level: str = "strong"
) -> Claim:
    """``one`` solves more kitchens than ``other``."""
    keys: tuple[Key, Key] = ((level, mode, one), (level, mode, other))
    who = " with the less able model" if level == "weak" else ""
    text = f"{measures.LABELS[one]} solves more than {measures.LABELS[other]} in {mode} kitchens{who}"
    weights = difference(keys[:1], keys[1:])
    return Claim(hypothesis, text, "pass_at_1", weights, "positive", paper_verdict, keys)


def _lead(mode: str) -> dict[Key, float]:
    return difference([("strong", mode, "gig")], [("strong", mode, m) for m in WITH_FEEDBACK])


def _minus(one: Mapping[Key, float], other: Mapping[Key, float]) -> dict[Key, float]:
    return dict(one) | {key: -weight for key, weight in other.items()}


def _experience(level: str) -> dict[Key, float]:
    return difference([(level, "sync", "gig_exp")], [(level, "sync", "gig")])


SYNC_VERDICTS = {
    "recap": "holds (4.3, no test; it calls ReCAP the strongest baseline, but ReAct is: Table 1)",
    "react": "holds on two models, a tie on Gemini (Table 1)",
    "cot": "holds (4.3, no test)",
}
CLAIMS = (
    *(_better("GiG, sync", "gig", m, "sync", SYNC_VERDICTS[m]) for m in ("recap", "react", "cot")),
    *(_better("GiG, async", "gig", m, "async", "holds (4.4, no test)") for m in ("recap", "react", "cot")),
    Claim(
        "concurrency",
        "GiG's lead over ReCAP and ReAct is larger in async than in sync kitchens",
        "pass_at_1",
        _minus(_lead("async"), _lead("sync")),
        "positive",
        "holds on Qwen3 (Tables 1 and 2, no test)",
    ),
    _better("experience", "gig_exp", "gig", "async", "holds on two models, a tie on Gemini (Table 2)"),
    Claim(
        "experience",
        "GiG+Exp takes fewer steps than GiG in async kitchens (all trials)",
        "steps_all",
        difference([("strong", "async", "gig_exp")], [("strong", "async", "gig")]),
        "negative",
        "holds in most tasks (4.4; mean over the tasks of Table 14)",
    ),
    _better("ablation", "gig", "gig_bl", "sync", "holds (Table 5, no test)"),
    _better("ablation", "gig", "gig_ld", "sync", "holds (Table 5, no test)"),
    _better("plug-in", "gig_exp", "gig", "sync", "holds (4.6, no test)", "weak"),
    Claim(
        "plug-in",
        "experience adds more to the less able model than to the able one (sync)",
        "pass_at_1",
        _minus(_experience("weak"), _experience("strong")),
        "positive",
        "holds (4.6 against 4.3, no test)",
    ),
    Claim(
        "effort",
        "GiG generates more tokens a step where it fails than where it succeeds",
        "tokens_per_step",
        difference([("strong", "failure")], [("strong", "success")]),
        "positive",
        "holds for every model (4.8, Figure 9 without numbers)",
    ),
    Claim(
        "idling",
        "GiG waits in a smaller share of its steps than ReCAP in async kitchens",
        "idle",
        difference([("strong", "async", "gig")], [("strong", "async", "recap")]),
        "negative",
        "argued from Figure 1, not measured",
    ),
)


def _measured(episodes: pd.DataFrame) -> dict[str, Cells]:
    """The cells of every metric that a claim is about."""
    acted = episodes[(episodes["steps"] > 0) & episodes["method"].isin(GIGS)]
    return {
        "pass_at_1": measures.cells(episodes, "pass_at_1"),
        "steps_all": measures.cells(episodes, "steps_all"),
        "tokens_per_step": measures.cells(acted, "tokens_per_step", ("level", "outcome")),
        "idle": measures.cells(episodes[episodes["idle"].notna()], "idle"),
    }


def printed() -> dict[tuple[str, Key], float]:
    """The paper's numbers by metric and cell: Pass@1, and steps as the mean over tasks."""
    found: dict[tuple[str, Key], float] = {}

    def add(metric: str, level: str, mode: str, labels: pd.Series, values: pd.Series) -> None:
        for label, value in zip(labels, values, strict=True):
            found[metric, (level, mode, tables.OURS[label])] = float(value)

    for name, (level, mode) in tables.TOTALS.items():
        rows = papers.table(f"gig_{name}").query("model == @PAPER_MODELS[@level]")
        add("pass_at_1", level, mode, rows["method"], rows["pass_at_1"] / 100)
    ablation = papers.table("gig_table5")
    add("pass_at_1", "strong", "sync", ablation["configuration"], ablation["pass_at_1"] / 100)
    for name, mode in (("table7", "sync"), ("table14", "async")):
        rows = papers.table(f"gig_{name}").groupby("method")["steps_mean"].mean().reset_index()
        add("steps_all", "strong", mode, rows["method"], rows["steps_mean"])
    return found


def _p(claim: Claim, episodes: pd.DataFrame, found: Estimate) -> tuple[str, float]:
    """Which test the p-value is from, and the p-value; NaN while kitchens are missing or with one alone."""
    if claim.pair is None:
        return "bootstrap", found.p
    if found.clusters < 2:
        return "McNemar", float("nan")
    cell = pd.Series(list(episodes[list(measures.CELL)].itertuples(index=False, name=None)), episodes.index)
    one, other = (episodes[cell.isin([key])] for key in claim.pair)
    try:
        return "McNemar", stats.mcnemar(one, other, value="passed").p
    except stats.NotTestable:
        return "McNemar", float("nan")


def verdicts(episodes: pd.DataFrame) -> pd.DataFrame:
    """Every claim of the paper with our effect, interval, corrected p and verdict beside the paper's."""
    measured, paper = _measured(episodes), printed()
    found = [measured[claim.metric].estimate(claim.weights) for claim in CLAIMS]
    rows = []
    for claim, effect in zip(CLAIMS, found, strict=True):
        test, p = _p(claim, episodes, effect)
        numbers = [w * paper.get((claim.metric, key), float("nan")) for key, w in claim.weights.items()]
        rows.append(
            {"hypothesis": claim.hypothesis, "claim": claim.text, "metric": claim.metric}
            | {"effect": effect.value, "low": effect.low, "high": effect.high}
            | {"cohens_h": _effect_size(claim, measured), "n": effect.n, "kitchens": effect.clusters}
            | {"test": test, "p": p, "paper_effect": sum(numbers), "paper_verdict": claim.paper_verdict}
        )
    return claims.judge(rows, found, [claim.direction for claim in CLAIMS])


def _effect_size(claim: Claim, measured: Mapping[str, Cells]) -> float:
    """Cohen's h, which is for two rates of episodes; NaN for all else.

    It is not for differences of differences: on its scale of arcsines they can have the opposite sign.
    """
    return float("nan") if claim.pair is None else measured[claim.metric].cohens_h(claim.weights)
