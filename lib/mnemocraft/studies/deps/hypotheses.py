"""The paper's claims about DEPS, tested on our episodes and judged together.

Two methods that played the same games are compared by McNemar's exact test, everything else by resampling
games. Holm's correction is over all claims.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from mnemocraft import stats
from mnemocraft.stats import Cells, Direction, Estimate, Key, difference
from mnemocraft.studies import claims, papers
from mnemocraft.studies.deps import measures
from mnemocraft.studies.deps.measures import LABELS, METHOD_OF

BASELINES = ("gpt", "progprompt", "cot", "inner_monologue", "code_as_policies")
HARD = ("MT5", "MT6", "MT7", "MT8")


@dataclass(frozen=True)
class Claim:
    """A directed claim: the weighted sum of cells has the sign ``direction``.

    Attributes:
        frame: Which cells: ``method`` (world, method), ``rounds`` (maximum; DEPS in the text world), ``late``
            (the same of the hard meta-tasks) or ``controller`` (world; DEPS in games of all worlds).
        paper: The paper's effect, a fraction; NaN if it prints none.
        pair: Set if two cells are compared game by game; McNemar's test then gives the p-value.
    """

    hypothesis: str
    text: str
    frame: str
    weights: Mapping[Key, float]
    direction: Direction
    paper: float
    paper_verdict: str
    pair: tuple[Key, Key] | None = None


def _versus(hypothesis: str, world: str, one: str, other: str, paper_verdict: str) -> Claim:
    """``one`` solves more games than ``other`` in a world."""
    keys: tuple[Key, Key] = ((world, one), (world, other))
    where = {
        "text": "the text world",
        "overworld": "the overworld (script)",
        "learned": "the overworld (learned)",
    }
    printed = papers.table("deps_table2").query("meta_task == 'AVG'")
    average = printed.set_index(printed["method"].map(METHOD_OF))["success_rate"] / 100
    text = f"{LABELS[one]} solves more than {LABELS[other]} in {where[world]}"
    effect = float(average[one] - average[other])
    return Claim(
        hypothesis, text, "method", difference(keys[:1], keys[1:]), "positive", effect, paper_verdict, keys
    )


def _rounds(hypothesis: str, text: str, frame: str, most: str, least: str, paper_verdict: str) -> Claim:
    """More rounds solve more; the paper's effect is the mean over its tasks."""
    groups = HARD if frame == "late" else ()
    weights = difference([(most,)], [(least,)])
    return Claim(
        hypothesis, text, frame, weights, "positive", _printed_rounds(most, least, groups), paper_verdict
    )


def _printed_rounds(most: str, least: str, groups: tuple[str, ...]) -> float:
    table = papers.table("deps_table4").pivot(index="meta_task", columns="rounds", values="success_rate")
    size = papers.table("deps_table1").set_index("meta_task")["n_tasks"]
    chosen = [group for group in table.index if group in groups or not groups]
    gain = (table[float(most)] - table[float(least)])[chosen]
    return float((gain * size[chosen]).sum() / size[chosen].sum() / 100)


def all_claims() -> tuple[Claim, ...]:
    """The claims in the order of the paper's argument."""
    always = "holds in all meta-tasks (4.2, no test)"
    return (
        *(_versus("DEP", "text", "dep", other, always) for other in BASELINES),
        _rounds("rounds", "DEPS solves more with any number of rounds than with none", "rounds", "inf", "0",
                "holds in all meta-tasks (Table 4, no test)"),
        _rounds("rounds", "of the hard tasks (MT5 to MT8) rounds after the third still solve more", "late",
                "inf", "3", "holds (Table 4, no test)"),
        _versus("selector", "overworld", "deps", "dep", always),
        _versus("selector", "learned", "deps", "dep", always),
        Claim("controller", "DEPS solves more in the text world than with the learned controller",
              "controller", difference([("text",)], [("learned",)]), "positive", float("nan"),
              "holds (4.2, Table 3, no test)"),
    )  # fmt: skip


def _frames(episodes: pd.DataFrame) -> dict[str, Cells]:
    deps = episodes[episodes["method"] == "deps"]
    rounds = measures.by_rounds(deps[deps["world"] == "text"])
    count = deps.groupby("game")["world"].nunique()
    everywhere = count[count == deps["world"].nunique()].index
    return {
        "method": measures.cells(_shared(episodes), measures.CELL),
        "rounds": measures.cells(rounds, ["max_rounds"]),
        "late": measures.cells(rounds[rounds["group"].isin(HARD)], ["max_rounds"]),
        "controller": measures.cells(deps[deps["game"].isin(everywhere)], ["world"]),
    }


def _shared(episodes: pd.DataFrame) -> pd.DataFrame:
    """In the overworld, where methods may have played different games, only what all of a world's played."""
    kept = []
    for _, part in episodes.groupby("world", sort=False):
        count = part.groupby("game")["method"].nunique()
        kept.append(part[part["game"].isin(count[count == part["method"].nunique()].index)])
    return pd.concat(kept, ignore_index=True)


def _p(claim: Claim, episodes: pd.DataFrame, found: Estimate) -> tuple[str, float]:
    """Which test the p-value is from, and the p-value; NaN while games are missing or with one alone."""
    if claim.pair is None:
        return "bootstrap", found.p
    if found.clusters < 2:
        return "McNemar", float("nan")
    parts = [episodes.query("world == @key[0] and method == @key[1]") for key in claim.pair]
    try:
        return "McNemar", stats.mcnemar(*parts, value="passed").p
    except stats.NotTestable:
        return "McNemar", float("nan")


def verdicts(episodes: pd.DataFrame) -> pd.DataFrame:
    """Every claim with our effect, interval, corrected p and verdict beside the paper's."""
    measured, listed, shared = _frames(episodes), all_claims(), _shared(episodes)
    found = [measured[claim.frame].estimate(claim.weights) for claim in listed]
    rows = []
    for claim, effect in zip(listed, found, strict=True):
        test, p = _p(claim, shared, effect)
        rows.append(
            {"hypothesis": claim.hypothesis, "claim": claim.text}
            | {"effect": effect.value, "low": effect.low, "high": effect.high}
            | {
                "cohens_h": measured[claim.frame].cohens_h(claim.weights),
                "n": effect.n,
                "games": effect.clusters,
            }
            | {"test": test, "p": p, "paper_effect": claim.paper, "paper_verdict": claim.paper_verdict}
        )
    return claims.judge(rows, found, [claim.direction for claim in listed])
