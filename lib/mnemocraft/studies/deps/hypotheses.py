"""The paper's claims about DEPS, tested on our episodes and judged together.

Two methods that played the same games are compared by McNemar's exact test, everything else by resampling
games.
"""

from __future__ import annotations

import pandas as pd

from mnemocraft.stats import Key, difference
from mnemocraft.studies import claims, papers
from mnemocraft.studies.claims import Claim, versus
from mnemocraft.studies.deps import measures, tables
from mnemocraft.studies.deps.load import WORLDS
from mnemocraft.studies.deps.measures import AVERAGE, CELL, LABELS, ROUNDS

BASELINES = ("gpt", "progprompt", "cot", "inner_monologue", "code_as_policies")
HARD = ("MT5", "MT6", "MT7", "MT8")
SCRIPT, LEARNED = "the overworld (script)", "the overworld (learned)"
WHERE = {"text": "the text world", "overworld": SCRIPT, "learned": LEARNED}
ALWAYS = "holds in all meta-tasks (4.2, no test)"


def _versus(hypothesis: str, world: str, one: str, other: str) -> Claim:
    """``one`` solves more games than ``other`` in a world."""
    text = f"{LABELS[one]} solves more than {LABELS[other]} in {WHERE[world]}"
    return versus(hypothesis, text, "method", (world, one), (world, other), ALWAYS)


def _claim(hypothesis: str, text: str, metric: str, one: str, other: str, paper_verdict: str) -> Claim:
    return Claim(hypothesis, text, metric, difference([(one,)], [(other,)]), paper_verdict, rates=True)


CLAIMS = (
    *(_versus("DEP", "text", "dep", other) for other in BASELINES),
    _claim("rounds", "DEPS solves more with any number of rounds than with none", "rounds", "inf", "0",
           "holds in all meta-tasks (Table 4, no test)"),
    _claim("rounds", "of the hard tasks (MT5 to MT8) rounds after the third still solve more", "late",
           "inf", "3", "holds (Table 4, no test)"),
    _versus("selector", "overworld", "deps", "dep"),
    _versus("selector", "learned", "deps", "dep"),
    _claim("controller", "DEPS solves more in the text world than with the learned controller",
           "controller", "text", "learned", "holds (4.2, Table 3, no test)"),
)  # fmt: skip
"""``metric`` says which cells: ``method`` (world, method), ``rounds`` (most of them; DEPS in the text world),
``late`` (the same of the hard meta-tasks) or ``controller`` (world; DEPS in the games of all worlds)."""


def printed() -> dict[tuple[str, Key], float]:
    """The paper's success by metric and cell; that by rounds is a mean over tasks."""
    average = tables.printed("table2").set_index(["group", "method"])["paper"][AVERAGE]
    found: dict[tuple[str, Key], float] = {
        ("method", (world, method)): value for world in WORLDS for method, value in average.items()
    }
    table = tables.printed("table4").pivot(index="group", columns="rounds", values="paper")
    size = papers.table("deps_table1").set_index("meta_task")["n_tasks"]
    for metric, groups in (("rounds", list(table.index)), ("late", list(HARD))):
        for name, most in ROUNDS.items():
            rows = table.loc[groups, most]
            found[metric, (name,)] = float((rows * size[groups]).sum() / size[groups].sum())
    return found


def _shared(episodes: pd.DataFrame, what: str) -> pd.DataFrame:
    """The games that all of a column's values in these episodes have played."""
    count = episodes.groupby("game")[what].nunique()
    return episodes[episodes["game"].isin(count[count == episodes[what].nunique()].index)]


def verdicts(episodes: pd.DataFrame) -> pd.DataFrame:
    """The paper's claims on prepared episodes (:func:`~mnemocraft.studies.claims.judge`), by game.

    In the overworld methods may have played different games; only what all of a world's played is compared.
    """
    deps = episodes[episodes["method"] == "deps"]
    rounds = measures.by_rounds(deps[deps["world"] == "text"])
    shared = pd.concat([_shared(part, "method") for _, part in episodes.groupby("world", sort=False)])
    measured = {
        "method": measures.cells(shared, CELL),
        "rounds": measures.cells(rounds, ["max_rounds"]),
        "late": measures.cells(rounds[rounds["group"].isin(HARD)], ["max_rounds"]),
        "controller": measures.cells(_shared(deps, "world"), ["world"]),
    }
    return claims.judge(CLAIMS, measured, "games", printed(), shared, CELL).drop(columns="metric")
