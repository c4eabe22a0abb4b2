"""The paper's claims about cost, on what the episodes really cost, judged together."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mnemocraft import stats
from mnemocraft.stats import Direction, rate
from mnemocraft.studies import claims
from mnemocraft.studies.claims import Claim
from mnemocraft.studies.gig.scaling.spending import PAIR, PAPER_CROSSOVER, episodes, pairs


def _claim(name: str, text: str, paper_verdict: str, direction: Direction = "positive") -> Claim:
    return Claim(name, text, name, {("all",): 1.0}, paper_verdict, direction)


CLAIMS = (
    _claim("long",
           f"after {PAPER_CROSSOVER} or more calls ReAct has spent more than GiG, log10 of the ratio",
           "holds (4.7, Figure 8, computed from the formulas)"),
    _claim("short",
           f"within the first {PAPER_CROSSOVER - 1} calls ReAct has spent less than GiG, log10 of the ratio",
           "holds (A.3, Figure 10, computed from the formulas)", "negative"),
    _claim("growth",
           "cost grows faster with the number of calls in ReAct than in GiG, difference of exponents",
           "holds (equations 10 and 14: square and proportion)"),
)  # fmt: skip


def verdicts(calls: pd.DataFrame) -> pd.DataFrame:
    """The claims on recorded calls (:func:`~mnemocraft.studies.claims.judge`); intervals resample tasks.

    Effects are means of log10(ReAct's cost / GiG's), so that 1 is an order of magnitude, and a difference of
    exponents.
    """
    compared, growth = pairs(calls).set_index(PAIR), episodes(calls).set_index(["method", *PAIR])["growth"]
    long = compared["calls"] >= PAPER_CROSSOVER
    values: dict[str, pd.Series] = {
        "long": np.log10(compared.loc[long, "ratio"]),
        "short": np.log10(compared["early_ratio"]),
        "growth": (growth.loc["react"] - growth.loc["gig"]).dropna(),
    }
    frames = {name: one.rename("value").reset_index().assign(all="all") for name, one in values.items()}
    means = {name: stats.cells(one, rate("value"), ["all"], cluster="task") for name, one in frames.items()}
    return claims.judge(CLAIMS, means, "tasks", {}).drop(columns=["metric", "test"])
