"""Learning over many episodes: Table 3 and Figure 4 (six skills), Figure 6 (ten tasks without reset).

An *iteration* is a plan or program that was carried out; the paper does not say what it counts. A skill is
learnt with the first success. The order of the ten tasks is what varies, so that intervals and p-values of
:func:`orders` and :func:`verdicts` are clustered by order.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from mnemocraft import stats
from mnemocraft.stats import Key, difference, rate
from mnemocraft.studies import claims, estimates, papers
from mnemocraft.studies.claims import NOT_ASKED, Claim
from mnemocraft.studies.estimates import in_order
from mnemocraft.studies.mindstores.load import (
    CONTINUAL,
    CONTINUAL_PLAYERS,
    RESET,
    SKILL_OF,
    SKILL_PLAYERS,
    SKILLS,
    ordered,
)
from mnemocraft.studies.mindstores.tables import MENDS

PAPER_NAMES = {"MINDSTORES": "mindstores", "Voyager": "voyager", "Reflexion": "reflexion"}
"""Our player by the name in Table 3."""
ITEM_OF = {
    "Wooden Door": "wooden_door",
    "Furnace": "furnace",
    "Iron Pickaxe": "iron_pickaxe",
    "Minecart": "minecart",
}
"""The tasks of Figure 6 of which the paper prints numbers."""
SUMMED = ("plans", "calls", "prompt", "steps")


def learners(episodes: pd.DataFrame) -> pd.DataFrame:
    """One row a player, skill and learner: what was spent until the skill was learnt, or in vain.

    Returns:
        ``player``, ``item``, ``seed``, ``iterations``, ``calls`` and ``learnt`` (0 or 1).
    """
    by = ["player", "item", "seed"]
    mine = episodes[episodes["part"] == SKILLS].sort_values([*by, "trial"])
    before = mine.groupby(by)["passed"].cumsum() - mine["passed"]
    spent = mine[before == 0].groupby(by)
    return spent.agg(
        iterations=("plans", "sum"), calls=("calls", "sum"), learnt=("passed", "max")
    ).reset_index()


def table3(episodes: pd.DataFrame) -> pd.DataFrame:
    """Iterations to learn each skill: ``value`` is the median over learners, beside the paper's number.

    ``fewest`` and ``most`` are over learners; one who learns in vain counts with what was spent, so that the
    median is a lower bound where ``learnt``, the share who learn it, is below one half.
    """
    by = learners(episodes).groupby(["item", "player"])
    ours = by["iterations"].agg(value="median", fewest="min", most="max", n="size")
    ours = ours.join(by.agg(learnt=("learnt", "mean"), calls=("calls", "median"))).reset_index()
    paper = papers.table("mindstores_table3").rename(columns={"iterations": "paper"})
    paper = paper.assign(player=paper["method"].map(PAPER_NAMES), item=paper["task"].map(SKILL_OF))
    table = paper.merge(ours, on=["item", "player"], how="left")
    table["n"] = table["n"].fillna(0).astype(int)
    table = in_order(table, {"item": list(SKILL_OF.values()), "player": list(SKILL_PLAYERS)})
    shown = ["value", "fewest", "most", "learnt", "calls", "n", "paper", "capped_at_500"]
    labels = table["player"].map({name: player.label for name, player in SKILL_PLAYERS.items()})
    return table.assign(label=labels)[["task", "item", "player", "label", *shown]]


def learnt(episodes: pd.DataFrame) -> pd.DataFrame:
    """Learning curves: the share of skills and learners done after so many iterations, by player."""
    found = learners(episodes)
    spots = np.unique(np.geomspace(1, max(found["iterations"].max(), 1), 25).round())
    rows = [
        (player, spot, ((mine["iterations"] <= spot) & (mine["learnt"] > 0)).mean(), len(mine))
        for player, mine in found.groupby("player")
        for spot in spots
    ]
    table = pd.DataFrame(rows, columns=["player", "iterations", "value", "n"])
    return in_order(table, {"player": list(SKILL_PLAYERS), "iterations": None})


def _continual(episodes: pd.DataFrame) -> pd.DataFrame:
    """The episodes of the ten tasks with their ``place`` in the order of their seed, from 1 on."""
    mine = episodes[episodes["part"] == CONTINUAL]
    items = list(mine["item"].unique())
    places = {
        (seed, item): place
        for seed in mine["seed"].unique()
        for place, item in enumerate(ordered(items, seed), 1)
    }
    place = [places[key] for key in zip(mine["seed"], mine["item"], strict=True)]
    return mine.assign(place=place).sort_values(["player", "seed", "place"])


def figure6(episodes: pd.DataFrame) -> pd.DataFrame:
    """By player and tasks done: plans and steps so far and entries in the memory, means over orders.

    ``low`` and ``high`` are the fewest and most plans of any order.
    """
    mine = _continual(episodes)
    sums = mine.groupby(["player", "seed"])[["plans", "steps"]].cumsum()
    mine = mine.assign(plans=sums["plans"], steps=sums["steps"])
    by = mine.groupby(["player", "place"])
    table = by["plans"].agg(value="mean", low="min", high="max", n="size")
    table = table.join(by[["steps", "entries"]].mean()).reset_index()
    return in_order(table, {"player": list(CONTINUAL_PLAYERS), "place": None})


def printed(episodes: pd.DataFrame) -> pd.DataFrame:
    """The tasks of Figure 6 that the paper prints, in the listed order of tasks, beside its numbers."""
    mine = _continual(episodes)
    mine = mine[(mine["player"] == "mindstores") & (mine["seed"] == 0)]
    mine = mine.assign(steps=mine["steps"].cumsum(), plans=mine["plans"].cumsum())
    paper = papers.table("mindstores_fig6").assign(item=lambda table: table["task"].map(ITEM_OF))
    paper = paper.rename(
        columns={
            "cumulative_steps": "paper_steps",
            "db_entries": "paper_entries",
            "success_rate": "paper_success",
        }
    )
    table = paper.merge(mine[["item", "place", "steps", "plans", "entries", "passed"]], on="item", how="left")
    ours = ["place", "steps", "plans", "entries", "passed"]
    return table[["task", *ours, "paper_steps", "paper_entries", "paper_success"]]


def orders(episodes: pd.DataFrame) -> pd.DataFrame:
    """Order effects: plans a task by player, with an interval over orders, and the extremes of an order."""
    mine = _continual(episodes)
    players = [name for name in CONTINUAL_PLAYERS if (mine["player"] == name).any()]
    cells = stats.cells(mine, rate("plans"), ["player"], cluster="seed")
    table = estimates.grid(cells, ["player"], [(name,) for name in players])
    by_order = mine.groupby(["player", "seed"])["plans"].mean().groupby("player")
    means = mine.groupby("player").agg(
        solved=("passed", "mean"), orders=("seed", "nunique"), **{name: (name, "mean") for name in SUMMED[1:]}
    )
    spread = pd.DataFrame({"fewest": by_order.min(), "most": by_order.max()})
    table = table.merge(means.join(spread).reset_index(), on="player")
    return table.assign(label=table["player"].map({n: p.label for n, p in CONTINUAL_PLAYERS.items()}))


def _claim(other: str, text: str, said: str = NOT_ASKED, assumed: str = MENDS) -> Claim:
    weights = difference([("mindstores",)], [(other,)])
    return Claim("ten tasks", text, "plans", weights, said, direction="negative", assumed=assumed)


CLAIMS = (
    _claim(RESET, "a memory that is carried on saves plans over one that is emptied for each task",
           "holds (5.4: 200 steps for the last task instead of 6,000, no test)"),
    _claim("unaided", "a memory that is carried on saves plans over all calls without one"),
    _claim("shuffled", "a memory that is carried on saves plans over one that hands out other content"),
    _claim("voyager", "MindStores needs fewer plans than Voyager with its library of skills", assumed=""),
)  # fmt: skip
"""``plans`` a task are by player."""


def verdicts(episodes: pd.DataFrame) -> pd.DataFrame:
    """The claims on the ten tasks (:func:`~mnemocraft.studies.claims.judge`), by order."""
    mine = _continual(episodes)
    measured = {"plans": stats.cells(mine, rate("plans"), ["player"], cluster="seed")}
    nothing: dict[tuple[str, Key], float] = {}
    return claims.judge(CLAIMS, measured, "orders", nothing, claims.players(episodes))
