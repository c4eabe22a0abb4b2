"""Tables and claims of M2PA's study: ours beside the paper's. Rates are fractions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from mnemocraft import stats
from mnemocraft.stats import Key, difference
from mnemocraft.studies import claims, estimates, papers
from mnemocraft.studies.claims import ALL, Claim
from mnemocraft.studies.estimates import NUMBERS, join, rates
from mnemocraft.studies.m2pa.load import LEVELS, MAIN, PLAYERS, SIGHT_TASKS, tasks

PAPERS = {"m2pa": "M2PA", "deps": "DEPS", "plan4mc": "Plan4MC", "mp5": "MP5"}
"""The paper's name of a player."""
ABLATION = {"semantic": (1, 0, 0, 0), "sensory": (1, 1, 0, 0), "working": (1, 1, 1, 0), "m2pa": (1, 1, 1, 1)}
"""Table 2's memories of a player: semantic, sensory, working, episodic."""
ABLATED = {"crafting_table": 1, "diamond_pickaxe": 5}
"""Tasks of Table 2 whose column head is no picture, and their columns."""
EASY, HARD = "Basic to Medium", "Hard and Complex"


COUNTED = ("calls", "rounds", "reflections", "recalled")
"""What the agents count, each its own."""


def prepare(records: pd.DataFrame) -> pd.DataFrame:
    """The episodes with ``item``, ``attempt``, ``level``, ``part`` and ``passed``; every record counts."""
    names = records["task"].str.partition("/")
    level = names[2].map({task.item: task.level for task in tasks()} | SIGHT_TASKS)
    part = level.isin(LEVELS[:3]).map({True: EASY, False: HARD})
    columns = {"attempt": names[0].astype(int), "item": names[2], "level": level, "part": part}
    lacking = {name: np.nan for name in COUNTED if name not in records}  # few episodes, of others alone
    return records.assign(passed=records["success"].astype(float), **columns, **lacking)


def main(episodes: pd.DataFrame) -> pd.DataFrame:
    """The episodes of the paper's tables: all players on all tasks in the text world."""
    return episodes[episodes["scope"] == MAIN]


def _printed() -> pd.DataFrame:
    """Table 6 in our words: ``player``, ``item``, ``level``, ``paper``."""
    names = {name: player for player, name in PAPERS.items()}
    items = {task.name: task.item for task in tasks()}
    table = papers.table("m2pa_table6")
    found = {"player": table["method"].map(names), "item": table["task"].map(items)}
    return table.assign(**found, paper=table["success_rate"] / 100)[["player", "level", "item", "paper"]]


def table1(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by level and player, beside the paper's averages."""
    paper = papers.table("m2pa_table1").query("row == 'average'")
    names = {name: player for player, name in PAPERS.items()}
    paper = paper.assign(player=paper["method"].map(names), paper=paper["success_rate"] / 100)
    ours = rates(episodes, ["level", "player"])
    table = ours.merge(paper[["level", "player", "paper"]], on=["level", "player"], how="left")
    return table.assign(label=_labels(table))[["level", "player", "label", *NUMBERS, "paper"]]


def table2(episodes: pd.DataFrame) -> pd.DataFrame:
    """The ablation of the four memories: the two tasks that the paper names, and all of each level."""
    paper = papers.table("m2pa_table2")
    memories = paper[["semantic", "sensory", "working", "episodic"]].apply(tuple, axis=1)
    named = {column: item for item, column in ABLATED.items()}
    found = {"player": memories.map({bits: player for player, bits in ABLATION.items()})}
    paper = paper.assign(**found, what=paper["column"].map(named), paper=paper["success_rate"] / 100)
    mine = episodes[episodes["player"].isin(list(ABLATION))]
    both = pd.concat(
        [mine[mine["item"].isin(list(ABLATED))].assign(what=mine["item"]), mine.assign(what=mine["level"])]
    )
    table = rates(both, ["what", "player"])
    table = table.merge(paper[["what", "player", "paper"]].dropna(), on=["what", "player"], how="left")
    return table.assign(label=_labels(table))[["what", "player", "label", *NUMBERS, "paper"]]


def table6(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success task by task, beside the paper's; a task that was not played has n = 0."""
    table = join(_printed().dropna(subset=["item"]), rates(episodes, ["item", "player"]), ["item", "player"])
    return table[["level", "item", "player", *NUMBERS, "paper"]]


def conditional(episodes: pd.DataFrame) -> pd.DataFrame:
    """Equation 5 by level: success over all attempts, and over those after a stream's first one at a task.

    Attempts at easy tasks have a success before them more often, with and without a memory, so that only the
    two players' conditional rates can be compared.
    """
    mine = episodes[episodes["player"].isin(["m2pa", "working"])]
    ordered = mine.sort_values(["player", "seed", "item", "attempt"])
    before = ordered.groupby(["player", "seed", "item"])["passed"].transform(lambda c: c.cumsum() - c)
    parts = [ordered.assign(rate="overall"), ordered[before > 0].assign(rate="conditional")]
    return rates(pd.concat(parts), ["level", "player", "rate"])


def conduct(episodes: pd.DataFrame) -> pd.DataFrame:
    """Means an episode: calls, revised plans, reflections, prompts with a memory, tokens read, steps."""
    return estimates.conduct(episodes, ["player"], [*COUNTED, "steps"])


def _labels(table: pd.DataFrame) -> pd.Series:
    return table["player"].map({name: player.label for name, player in PLAYERS.items()})


# --- claims -----------------------------------------------------------------------------------------------


def _claim(hypothesis: str, text: str, one: str, other: str, paper: str, assumed: str = "") -> Claim:
    weights = {part: difference([(part, one)], [(part, other)]) for part in (EASY, HARD)}
    whole = difference([(ALL, one)], [(ALL, other)])
    return Claim(hypothesis, text, "passed", whole, paper, rates=True, parts=weights, assumed=assumed)


_TOLD = "takes up what it is told"
CLAIMS = (
    _claim("planners", "M2PA solves more than DEPS", "m2pa", "deps", "holds at every level (Table 1)", _TOLD),
    _claim("planners", "M2PA solves more than Plan4MC", "m2pa", "plan4mc", "holds (Table 1)", _TOLD),
    _claim("planners", "M2PA solves more than MP5", "m2pa", "mp5", "holds (Table 1)", _TOLD),
    _claim("ablation", "sensory memory helps", "sensory", "semantic", "holds (Table 2)"),
    _claim("ablation", "working memory helps", "working", "sensory", "holds (Table 2)",
           "an explanation mends a belief"),
    _claim("ablation", "episodic memory helps", "m2pa", "working", "holds (Table 2)", _TOLD),
    _claim("control", "episodic memory helps more than twice the rounds", "m2pa", "more_calls", "not tested"),
    _claim("control", "episodic memory helps more than wrong memories", "m2pa", "shuffled", "not tested",
           _TOLD),
)  # fmt: skip


def _paper_cells() -> Mapping[tuple[str, Key], float]:
    """The paper's means over tasks, in all levels and in the parts."""
    table = _printed().dropna(subset=["item"])
    part = table["level"].isin(LEVELS[:3]).map({True: EASY, False: HARD})
    both = pd.concat([table.assign(part=ALL), table.assign(part=part)])
    means = both.groupby(["part", "player"])["paper"].mean()
    return {
        ("passed", (part, player)): float(means[part, player])
        for part in (ALL, EASY, HARD)
        for player in PAPERS
    }


def verdicts(episodes: pd.DataFrame) -> pd.DataFrame:
    """The claims, clustered by task, since attempts at one share memories, recipes and depth."""
    both = pd.concat([episodes.assign(part=ALL), episodes])
    measured = stats.cells(both, stats.rate("passed"), ["part", "player"], cluster="item")
    model = claims.players(episodes)
    return claims.judge(CLAIMS, {"passed": measured}, "tasks", _paper_cells(), model)
