"""The paper's claims about GiG in the kitchen, tested on our episodes and judged together.

Two methods that played the same kitchens are compared by McNemar's exact test (Pass@1); differences of
differences, steps, tokens and idle time by resampling kitchens.
"""

from __future__ import annotations

import pandas as pd

from mnemocraft.stats import Key, difference
from mnemocraft.studies import claims, papers
from mnemocraft.studies.claims import Claim, minus, versus
from mnemocraft.studies.gig import measures, tables
from mnemocraft.studies.gig.measures import CELL, LABELS

PAPER_MODELS = {"strong": "Qwen3-235B-A22B-Instruct-2507-FP8", "weak": "Qwen3-30B-A3B-Instruct-2507-FP8"}
"""The models whose numbers the paper's effects are taken from (its only pair of one family)."""
WITH_FEEDBACK = ("recap", "react")
"""The baselines that see what their actions do; CoT, near 0 in both modes, would only dilute a difference."""
GIGS = ("gig", "gig_exp")


def _better(
    hypothesis: str, one: str, other: str, mode: str, paper_verdict: str, level: str = "strong"
) -> Claim:
    """``one`` solves more kitchens than ``other``."""
    who = " with the less able model" if level == "weak" else ""
    text = f"{LABELS[one]} solves more than {LABELS[other]} in {mode} kitchens{who}"
    return versus(hypothesis, text, "pass_at_1", (level, mode, one), (level, mode, other), paper_verdict)


def _lead(mode: str) -> dict[Key, float]:
    return difference([("strong", mode, "gig")], [("strong", mode, m) for m in WITH_FEEDBACK])


def _gain(one: str, other: str, mode: str, level: str = "strong") -> dict[Key, float]:
    return difference([(level, mode, one)], [(level, mode, other)])


SYNC_VERDICTS = {
    "recap": "holds (4.3, no test; it calls ReCAP the strongest baseline, but ReAct is: Table 1)",
    "react": "holds on two models, a tie on Gemini (Table 1)",
    "cot": "holds (4.3, no test)",
}
CLAIMS = (
    *(_better("GiG, sync", "gig", m, "sync", SYNC_VERDICTS[m]) for m in ("recap", "react", "cot")),
    *(_better("GiG, async", "gig", m, "async", "holds (4.4, no test)") for m in ("recap", "react", "cot")),
    Claim("concurrency", "GiG's lead over ReCAP and ReAct is larger in async than in sync kitchens",
          "pass_at_1", minus(_lead("async"), _lead("sync")), "holds on Qwen3 (Tables 1 and 2, no test)"),
    _better("experience", "gig_exp", "gig", "async", "holds on two models, a tie on Gemini (Table 2)"),
    Claim("experience", "GiG+Exp takes fewer steps than GiG in async kitchens (all trials)",
          "steps_all", _gain("gig_exp", "gig", "async"),
          "holds in most tasks (4.4; mean over the tasks of Table 14)", "negative"),
    _better("ablation", "gig", "gig_bl", "sync", "holds (Table 5, no test)"),
    _better("ablation", "gig", "gig_ld", "sync", "holds (Table 5, no test)"),
    _better("plug-in", "gig_exp", "gig", "sync", "holds (4.6, no test)", "weak"),
    Claim("plug-in", "experience adds more to the less able model than to the able one (sync)", "pass_at_1",
          minus(_gain("gig_exp", "gig", "sync", "weak"), _gain("gig_exp", "gig", "sync")),
          "holds (4.6 against 4.3, no test)"),
    Claim("effort", "GiG generates more tokens a step where it fails than where it succeeds",
          "tokens_per_step", difference([("strong", "failure")], [("strong", "success")]),
          "holds for every model (4.8, Figure 9 without numbers)"),
    Claim("idling", "GiG waits in a smaller share of its steps than ReCAP in async kitchens", "idle",
          _gain("gig", "recap", "async"), "argued from Figure 1, not measured", "negative"),
)  # fmt: skip
"""Cohen's h is not for differences of differences: on its scale they can have the opposite sign."""


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


def verdicts(episodes: pd.DataFrame) -> pd.DataFrame:
    """The paper's claims on prepared episodes (:func:`~mnemocraft.studies.claims.judge`), by kitchen."""
    acted = episodes[(episodes["steps"] > 0) & episodes["method"].isin(GIGS)]
    measured = {
        "pass_at_1": measures.cells(episodes, "pass_at_1"),
        "steps_all": measures.cells(episodes, "steps_all"),
        "tokens_per_step": measures.cells(acted, "tokens_per_step", ("level", "outcome")),
        "idle": measures.cells(episodes[episodes["idle"].notna()], "idle"),
    }
    return claims.judge(CLAIMS, measured, "kitchens", printed(), episodes, CELL)
