"""Tests and verdicts: the paper's own (on episodes), and ours (paired, clustered by target, corrected).

The paper's t-tests take episodes as independent, although the same example recurs for every seed, teacher and
set-up. Ours resample targets and correct for the number of tests in the table (Holm).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from mnemocraft import stats
from mnemocraft.agents.how2.settings import MEMORY_SETUPS, SETUPS, TEACHERS
from mnemocraft.stats import Direction, Estimate, Key, difference
from mnemocraft.studies import claims, papers
from mnemocraft.studies.claims import Claim, in_cells, mcnemar
from mnemocraft.studies.how2 import measures
from mnemocraft.studies.how2.load import SPLITS
from mnemocraft.studies.how2.measures import CELL

EXECUTABLE, PARTIALLY, SUBGOAL, NON_EXECUTABLE = TEACHERS
JUST_ASK, MEMORY_ONLY = ("just_ask",), ("memory_only",)


def _keys(
    setups: Sequence[str], teachers: Sequence[str], splits: Sequence[str] = SPLITS, variant: str = "main"
) -> list[Key]:
    return [(variant, *key) for key in product(setups, teachers, splits)]


def _teachers(setups: Sequence[str], one: str, other: str) -> tuple[list[Key], list[Key]]:
    return _keys(setups, [one]), _keys(setups, [other])


def _ablation(variant: str) -> tuple[list[Key], list[Key]]:
    return _keys(["how2"], TEACHERS, ["high"], variant), _keys(["how2"], TEACHERS, ["high"])


COMPARISONS: dict[str, tuple[str, tuple[list[Key], list[Key]]]] = {
    "just_ask_executable_vs_subgoal": ("Just Ask: executable - subgoal",
                                       _teachers(JUST_ASK, EXECUTABLE, SUBGOAL)),
    "just_ask_subgoal_vs_partially": ("Just Ask: subgoal - partially",
                                      _teachers(JUST_ASK, SUBGOAL, PARTIALLY)),
    "just_ask_subgoal_vs_non_executable": ("Just Ask: subgoal - non-executable",
                                           _teachers(JUST_ASK, SUBGOAL, NON_EXECUTABLE)),
    "all_setups_subgoal_vs_partially": ("all set-ups: subgoal - partially",
                                        _teachers(SETUPS[1:], SUBGOAL, PARTIALLY)),
    "memory_setups_subgoal_vs_partially": ("memory set-ups: subgoal - partially",
                                           _teachers(MEMORY_SETUPS, SUBGOAL, PARTIALLY)),
    "curriculum": ("How2, high: curriculum - as drawn", _ablation("curriculum")),
    "fixed_ask_policy": ("How2, high: ask first - as drawn", _ablation("ask_first")),
}  # fmt: skip
"""The paper's t-tests: name and two pools of episodes, by where their t and p are in ``how2_facts.csv``."""


def _pairs(one: Sequence[Key], other: Sequence[Key]) -> list[str]:
    """The columns that an episode of one pool has in common with its counterpart in the other."""
    both = list(zip(one, other, strict=True))
    return [*(name for i, name in enumerate(CELL) if all(a[i] == b[i] for a, b in both)), *stats.PAIR]


def t_tests(episodes: pd.DataFrame) -> pd.DataFrame:
    """The paper's t-tests (Student's) on our episodes, and the same differences paired.

    ``p_mcnemar`` pairs episodes of the same task and seed and takes the pairs as independent; ``low``,
    ``high`` and ``p_clustered`` resample targets, ``p_clustered_holm`` corrects for the number of rows.
    ``paper_t`` and ``paper_p`` are texts: some are bounds, one t is missing.
    """
    success, facts = measures.cells(episodes, "overall_sr"), papers.table("how2_facts").set_index("fact")
    solvable = episodes[episodes["solvable"] == 1]
    found, rows = [], []
    for fact, (name, pools) in COMPARISONS.items():
        one, other = (in_cells(solvable, CELL, pool) for pool in pools)
        contrast, student = difference(*pools), stats.t_test(one["solved"], other["solved"])
        effect = success.estimate(contrast)
        found.append(effect)
        rows.append(
            {"comparison": name, "difference": effect.value, "low": effect.low, "high": effect.high}
            | {"n": effect.n, "p_clustered": effect.p}
            | {"p_mcnemar": mcnemar(one, other, "solved", _pairs(*pools))}
            | {"t": student.t, "df": student.df, "p_student": student.p}
            | {"cohens_h": success.cohens_h(contrast)}
            | {f"paper_{k}": str(facts["value"].get(f"{k}_{fact}", "")) for k in "tp"}
        )
    table = stats.holm(pd.DataFrame(rows), p="p_clustered")
    return table.assign(conclusion=list(map(_conclusion, found, table["p_clustered_holm"])))


def _conclusion(found: Estimate, p_holm: float) -> str:
    """The verdict on "the first is higher", in words for a table."""
    if not found.n:
        return "not run"
    outcome = stats.verdict(found, p_holm, "positive").outcome
    return {"holds": "first is higher", "fails": "first is lower"}.get(outcome, "not distinguishable")


def table7(episodes: pd.DataFrame) -> pd.DataFrame:
    """Two-way ANOVA of success: teacher (executable, subgoal) x memory (Just Ask, memory-only)."""
    pool = _keys((*JUST_ASK, *MEMORY_ONLY), (EXECUTABLE, SUBGOAL))
    data = in_cells(episodes[episodes["solvable"] == 1], CELL, pool)
    data = data.rename(columns={"setup": "memory"}).astype({"teacher": str, "memory": str})
    paper = papers.table("how2_table7").rename(columns={"value": "paper"})
    columns = ["term", "statistic", "value", "n", "paper"]
    try:
        found = stats.two_way_anova(data, response="solved", factors=("teacher", "memory"))
    except stats.NotTestable:
        return paper.assign(value=np.nan, n=len(data))[columns]
    found = found.rename(columns={"PR(>F)": "p_value"})
    ours = found.rename_axis("term").melt(ignore_index=False, var_name="statistic").reset_index()
    return paper.merge(ours.assign(n=len(data)), how="left")[columns]


def _drop(teacher: str) -> dict[Key, float]:
    return difference(_keys(JUST_ASK, [teacher]), _keys(MEMORY_ONLY, [teacher]))


def _larger_drop() -> dict[Key, float]:
    others = [_drop(teacher) for teacher in TEACHERS[1:]]
    return _drop(EXECUTABLE) | {k: -w / len(others) for drop in others for k, w in drop.items()}


def _setups(one: str, other: str, teachers: Sequence[str] = TEACHERS) -> dict[Key, float]:
    return difference(_keys([one], teachers), _keys([other], teachers))


SUCCESS, ASKED = "overall_sr", "avg_intervention_rate"
UP: Direction = "positive"
DOWN: Direction = "negative"
CLAIMS = tuple(
    Claim(hypothesis, text, metric, weights, paper_verdict, direction, rates=True)
    for hypothesis, text, metric, weights, direction, paper_verdict in (
        ("H1a", "asked at once, executable answers help more than subgoal ones", SUCCESS,
         difference(*_teachers(JUST_ASK, EXECUTABLE, SUBGOAL)), UP,
         "holds (4.1, 5) / not validated, p = 0.106 (D.1)"),
        ("H1b", "going from Just Ask to memory-only costs executable answers more than the others", SUCCESS,
         _larger_drop(), UP, "holds (ANOVA interaction)"),
        ("H2", "from memory, subgoal answers help more than partially executable ones", SUCCESS,
         difference(*_teachers(MEMORY_SETUPS, SUBGOAL, PARTIALLY)), UP, "holds, p = 1.24e-05 (D.1)"),
        ("parse", "parsing raises the success of remembered executable answers", SUCCESS,
         _setups("parse", "memory_only", [EXECUTABLE]), UP, "holds (4.3, no test)"),
        ("relevance", "the relevance check raises success over memory-only", SUCCESS,
         _setups("relevance", "memory_only"), UP, "holds (4.4, no test)"),
        ("relevance", "the relevance check raises interventions over memory-only", ASKED,
         _setups("relevance", "memory_only"), UP, "holds (4.4, no test)"),
        ("trade-off", "How2 needs fewer interventions than Just Ask", ASKED,
         _setups("how2", "just_ask"), DOWN, "holds (4.5, no test)"),
        ("trade-off", "How2 solves less than Just Ask", SUCCESS,
         _setups("how2", "just_ask"), DOWN, "holds, slightly (4.5, no test)"),
    )
)  # fmt: skip


def agreement(paper_effect: float, low: float, high: float) -> str:
    """Whether an effect with the 95 % interval ``low`` to ``high`` has the sign of the paper's.

    ``agrees`` or ``disagrees`` if the interval excludes 0; else, or if something is NaN, ``undecided``. It
    looks at this one effect; a verdict also corrects for the number of claims.
    """
    sign = (low > 0) - (high < 0)
    if sign == 0 or np.isnan(paper_effect) or paper_effect == 0:
        return "undecided"
    return "agrees" if sign == np.sign(paper_effect) else "disagrees"


def verdicts(episodes: pd.DataFrame) -> pd.DataFrame:
    """The paper's claims with our effects (:func:`~mnemocraft.studies.claims.judge`), resampled by target.

    The column ``evidence`` says whether the effect agrees with the paper's (:func:`agreement`).
    """
    table1 = papers.table("how2_table1")
    keys = zip(table1["setup"], table1["teacher"], table1["split"], strict=True)
    printed: dict[tuple[str, Key], float] = {
        (metric, ("main", *key)): value
        for metric, key, value in zip(table1["metric"], keys, table1["value"], strict=True)
    }
    measured = {metric: measures.cells(episodes, metric) for metric in (SUCCESS, ASKED)}
    table = claims.judge(CLAIMS, measured, "targets", printed).drop(columns="test")
    return table.assign(evidence=list(map(agreement, table["paper_effect"], table["low"], table["high"])))
