"""Tests and verdicts: the paper's own (on episodes), and ours (paired, clustered by target, corrected).

The paper's t-tests take episodes as independent, although the same example recurs for every seed, teacher and
set-up. Ours resample targets and correct for the number of tests in the table (Holm).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from mnemocraft import stats
from mnemocraft.agents.how2.settings import MEMORY_SETUPS, SETUPS, TEACHERS
from mnemocraft.stats import Direction, Estimate, Key, difference
from mnemocraft.studies import claims, papers
from mnemocraft.studies.how2 import measures
from mnemocraft.studies.how2.load import SPLITS
from mnemocraft.studies.how2.measures import CELL

EXECUTABLE, PARTIALLY, SUBGOAL, NON_EXECUTABLE = TEACHERS


def _keys(
    setups: Sequence[str], teachers: Sequence[str], splits: Sequence[str] = SPLITS, variant: str = "main"
) -> list[Key]:
    return [(variant, *key) for key in product(setups, teachers, splits)]


@dataclass(frozen=True)
class Comparison:
    """One of the paper's t-tests: the success of two pools of episodes.

    Attributes:
        fact: Where the paper's numbers are, ``t_<fact>`` and ``p_<fact>`` in ``how2_facts.csv``.
    """

    name: str
    one: list[Key]
    other: list[Key]
    fact: str

    @property
    def pairs(self) -> list[str]:
        """The columns that an episode of one pool has in common with its counterpart in the other."""
        both = list(zip(self.one, self.other, strict=True))
        shared = [name for i, name in enumerate(CELL) if all(a[i] == b[i] for a, b in both)]
        return [*shared, *stats.PAIR]

    def printed(self) -> dict[str, str]:
        """t and p as the paper prints them (some are bounds, one t is missing)."""
        facts = papers.table("how2_facts").set_index("fact")["value"]
        return {f"paper_{statistic}": str(facts.get(f"{statistic}_{self.fact}", "")) for statistic in "tp"}


def _teachers_compared(name: str, fact: str, setups: Sequence[str], one: str, other: str) -> Comparison:
    return Comparison(name, _keys(setups, [one]), _keys(setups, [other]), fact)


def _ablation(name: str, variant: str, fact: str) -> Comparison:
    with_it, without = (_keys(["how2"], TEACHERS, ["high"], v) for v in (variant, "main"))
    return Comparison(name, with_it, without, fact)


JUST_ASK = ("just_ask",)
COMPARISONS = (
    _teachers_compared(
        "Just Ask: executable - subgoal", "just_ask_executable_vs_subgoal", JUST_ASK, EXECUTABLE, SUBGOAL
    ),
    _teachers_compared(
        "Just Ask: subgoal - partially", "just_ask_subgoal_vs_partially", JUST_ASK, SUBGOAL, PARTIALLY
    ),
    _teachers_compared(
        "Just Ask: subgoal - non-executable",
        "just_ask_subgoal_vs_non_executable",
        JUST_ASK,
        SUBGOAL,
        NON_EXECUTABLE,
    ),
    _teachers_compared(
        "all set-ups: subgoal - partially", "all_setups_subgoal_vs_partially", SETUPS[1:], SUBGOAL, PARTIALLY
    ),
    _teachers_compared(
        "memory set-ups: subgoal - partially",
        "memory_setups_subgoal_vs_partially",
        MEMORY_SETUPS,
        SUBGOAL,
        PARTIALLY,
    ),
    _ablation("How2, high: curriculum - as drawn", "curriculum", "curriculum"),
    _ablation("How2, high: ask first - as drawn", "ask_first", "fixed_ask_policy"),
)


def _student(one: pd.DataFrame, other: pd.DataFrame) -> dict[str, float]:
    """The paper's test: Student's, pooled variance."""
    test = stats.t_test(one["solved"], other["solved"])
    return {"t": test.t, "df": test.df, "p_student": test.p}


def _mcnemar(one: pd.DataFrame, other: pd.DataFrame, on: Sequence[str]) -> float:
    """p over pairs of episodes; NaN while some of them are missing."""
    try:
        return stats.mcnemar(one, other, value="solved", on=on).p
    except stats.NotTestable:
        return float("nan")


def t_tests(episodes: pd.DataFrame) -> pd.DataFrame:
    """The paper's t-tests on our episodes, and the same differences paired.

    ``p_mcnemar`` pairs episodes of the same task and seed and takes the pairs as independent; ``low``,
    ``high`` and ``p_clustered`` resample targets, ``p_clustered_holm`` corrects for the number of rows.
    """
    success = measures.cells(episodes, "overall_sr")
    solvable = episodes[episodes["solvable"] == 1]
    cell = pd.Series(list(solvable[list(CELL)].itertuples(index=False, name=None)), solvable.index, object)
    found, rows = [], []
    for test in COMPARISONS:
        one, other = (solvable[cell.isin(set(pool))] for pool in (test.one, test.other))
        contrast = difference(test.one, test.other)
        found.append(success.estimate(contrast))
        rows.append(
            {"comparison": test.name, "difference": found[-1].value}
            | {"low": found[-1].low, "high": found[-1].high, "n": found[-1].n, "p_clustered": found[-1].p}
            | {"p_mcnemar": _mcnemar(one, other, test.pairs)}
            | _student(one, other)
            | {"cohens_h": success.cohens_h(contrast)}
            | test.printed()
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
    data = episodes[
        (episodes["variant"] == "main")
        & episodes["setup"].isin(["just_ask", "memory_only"])
        & episodes["teacher"].isin([EXECUTABLE, SUBGOAL])
        & (episodes["solvable"] == 1)
    ]
    data = data.rename(columns={"setup": "memory"}).astype({"teacher": str, "memory": str})
    paper = papers.table("how2_table7").rename(columns={"value": "paper"})
    try:
        found = stats.two_way_anova(data, response="solved", factors=("teacher", "memory"))
    except stats.NotTestable:
        return paper.assign(value=np.nan, n=len(data))[["term", "statistic", "value", "n", "paper"]]
    found = found.rename(columns={"PR(>F)": "p_value"})
    ours = found.rename_axis("term").melt(ignore_index=False, var_name="statistic").reset_index()
    return paper.merge(ours.assign(n=len(data)), how="left")[["term", "statistic", "value", "n", "paper"]]


@dataclass(frozen=True)
class Claim:
    """A directed claim: the weighted sum of cells of ``metric``, a rate, has the sign ``direction``."""

    hypothesis: str
    text: str
    metric: str
    weights: Mapping[Key, float]
    direction: Direction
    paper_verdict: str

    def paper_effect(self, table1: pd.Series) -> float:
        """The same weighted sum of the paper's Table 1 (indexed by setup, teacher, split, metric)."""
        return float(sum(w * table1[(*key[1:], self.metric)] for key, w in self.weights.items()))


def _drop(teacher: str) -> dict[Key, float]:
    return difference(_keys(["just_ask"], [teacher]), _keys(["memory_only"], [teacher]))


def _larger_drop() -> dict[Key, float]:
    others = [_drop(teacher) for teacher in TEACHERS[1:]]
    return _drop(EXECUTABLE) | {k: -w / len(others) for drop in others for k, w in drop.items()}


def _setups_compared(one: str, other: str, teachers: Sequence[str] = TEACHERS) -> dict[Key, float]:
    return difference(_keys([one], teachers), _keys([other], teachers))


CLAIMS = (
    Claim(
        "H1a",
        "asked at once, executable answers help more than subgoal ones",
        "overall_sr",
        difference(_keys(["just_ask"], [EXECUTABLE]), _keys(["just_ask"], [SUBGOAL])),
        "positive",
        "holds (4.1, 5) / not validated, p = 0.106 (D.1)",
    ),
    Claim(
        "H1b",
        "going from Just Ask to memory-only costs executable answers more than the others",
        "overall_sr",
        _larger_drop(),
        "positive",
        "holds (ANOVA interaction)",
    ),
    Claim(
        "H2",
        "from memory, subgoal answers help more than partially executable ones",
        "overall_sr",
        difference(_keys(MEMORY_SETUPS, [SUBGOAL]), _keys(MEMORY_SETUPS, [PARTIALLY])),
        "positive",
        "holds, p = 1.24e-05 (D.1)",
    ),
    Claim(
        "parse",
        "parsing raises the success of remembered executable answers",
        "overall_sr",
        _setups_compared("parse", "memory_only", [EXECUTABLE]),
        "positive",
        "holds (4.3, no test)",
    ),
    Claim(
        "relevance",
        "the relevance check raises success over memory-only",
        "overall_sr",
        _setups_compared("relevance", "memory_only"),
        "positive",
        "holds (4.4, no test)",
    ),
    Claim(
        "relevance",
        "the relevance check raises interventions over memory-only",
        "avg_intervention_rate",
        _setups_compared("relevance", "memory_only"),
        "positive",
        "holds (4.4, no test)",
    ),
    Claim(
        "trade-off",
        "How2 needs fewer interventions than Just Ask",
        "avg_intervention_rate",
        _setups_compared("how2", "just_ask"),
        "negative",
        "holds (4.5, no test)",
    ),
    Claim(
        "trade-off",
        "How2 solves less than Just Ask",
        "overall_sr",
        _setups_compared("how2", "just_ask"),
        "negative",
        "holds, slightly (4.5, no test)",
    ),
)


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
    """Every claim of the paper with our effect, interval, corrected p and verdict beside the paper's.

    The column ``evidence`` says whether the effect agrees with the paper's (:func:`agreement`).
    """
    measured = {m: measures.cells(episodes, m) for m in ("overall_sr", "avg_intervention_rate")}
    table1 = papers.table("how2_table1").set_index(["setup", "teacher", "split", "metric"])["value"]
    found = [measured[claim.metric].estimate(claim.weights) for claim in CLAIMS]
    rows = [
        {"hypothesis": claim.hypothesis, "claim": claim.text, "metric": claim.metric}
        | {"effect": effect.value, "low": effect.low, "high": effect.high}
        | {"cohens_h": measured[claim.metric].cohens_h(claim.weights)}
        | {"n": effect.n, "targets": effect.clusters, "p": effect.p}
        | {"paper_effect": claim.paper_effect(table1), "paper_verdict": claim.paper_verdict}
        for claim, effect in zip(CLAIMS, found, strict=True)
    ]
    table = claims.judge(rows, found, [claim.direction for claim in CLAIMS])
    return table.assign(evidence=list(map(agreement, table["paper_effect"], table["low"], table["high"])))
