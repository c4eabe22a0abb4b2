"""Tables and claims of the household study: ours beside the papers'. Rates are fractions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import pandas as pd

from mnemocraft import stats
from mnemocraft.stats import Key, difference
from mnemocraft.studies import claims, estimates, papers
from mnemocraft.studies.claims import ALL, Claim
from mnemocraft.studies.estimates import NUMBERS, bars, in_order, join
from mnemocraft.studies.household.load import CONTROLLERS, LABELS, task_of
from mnemocraft.studies.household.load import NUMBERS as TYPE_NUMBERS

AVERAGE = "Average"
UNIT = "tasks"
"""What a cluster is: a task with all its games or runs."""
GIG = {"GiG": "gig", "GiG(+LD)": "gig", "ReCAP": "recap", "ReAct": "react"}
"""GiG's names of players; what it calls GiG here has loop detection and no lookahead (Tables 18 to 20)."""
DEPS = {"GPT": "gpt", "GPT+RP": "gpt_rp", "IM": "im", "DEP": "dep", "BUTLER": "butler"}
"""DEPS's names of players; BUTLER was trained, and its numbers are quoted there."""
BY_TYPE = ("table18", "table19", "table20")
COUNTS = ("calls", "invalid_actions", "loops", "rounds", "steps")
QWEN = "Qwen3-235B-A22B-Instruct-2507-FP8"


def prepare(records: pd.DataFrame) -> pd.DataFrame:
    """The episodes with ``type`` (a key of ``LABELS``), ``set``, ``passed`` and ``asked``; all count.

    The games of a task (``asked``) are alike, so that tasks are the clusters.
    """
    names = records["task"].str.split("/")
    kind = names.str[1].str.partition("-")[0]
    passed, asked = records["success"].astype(float), records["task"].map(task_of)
    return records.assign(passed=passed, type=kind, set=names.str[0], asked=asked)


def _twice(episodes: pd.DataFrame, column: str) -> pd.DataFrame:
    return pd.concat([episodes, episodes.assign(**{column: AVERAGE})], ignore_index=True)


_rates = partial(estimates.clustered, cluster="asked", unit=UNIT)


def by_type(episodes: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Tables 18 to 20: pass rate by type, beside that of each of the paper's three models.

    ``n_paper`` is the paper's number of tasks.
    """
    mine = _twice(episodes[episodes["player"].isin(set(GIG.values()))], "type")
    number = mine["type"].map({kind: str(n) for kind, n in TYPE_NUMBERS.items()})
    ours = _rates(mine.assign(number=number.fillna(AVERAGE)), ["number", "player"])
    found = {}
    for name in BY_TYPE:
        paper = papers.table(f"gig_{name}").rename(columns={"n_tasks": "n_paper", "model": "paper_model"})
        paper = paper.assign(
            number=paper["type"].astype(str), player=paper["method"].map(GIG), paper=paper["pass_rate"] / 100
        )
        labels = {str(n): LABELS[kind] for kind, n in TYPE_NUMBERS.items()} | {AVERAGE: AVERAGE}
        table = join(paper.assign(what=paper["number"].map(labels)), ours, ["number", "player"])
        found[name] = table[["paper_model", "what", "method", "player", *NUMBERS, UNIT, "paper", "n_paper"]]
    return found


def table3(episodes: pd.DataFrame) -> pd.DataFrame:
    """Table 3: Pass@1 over all types, beside that of the paper's models."""
    ours = _rates(episodes[episodes["player"].isin(set(GIG.values()))], ["player"])
    paper = papers.table("gig_table3").rename(columns={"model": "paper_model"})
    paper = paper.assign(player=paper["method"].map(GIG), paper=paper["pass_at_1"] / 100)
    return join(paper, ours, ["player"])[["paper_model", "method", "player", *NUMBERS, UNIT, "paper"]]


def table17(episodes: pd.DataFrame) -> pd.DataFrame:
    """Table 17: the types, with the games and the steps of GiG's successes here."""
    won = episodes[(episodes["player"] == "gig") & (episodes["passed"] == 1)]
    paper = papers.table("gig_table17")
    kinds = paper["type"].map({n: kind for kind, n in TYPE_NUMBERS.items()})
    played = episodes[episodes["player"] == "gig"].groupby("type").size()
    steps = won.groupby("type")["steps"].median()
    return paper.assign(
        label=kinds.map(LABELS),
        games=kinds.map(played).fillna(0).astype(int),
        median_steps=kinds.map(steps),
    )


def table5() -> pd.DataFrame:
    """Table 5: DEPS's ten tasks as printed; which games stand for them is in ``load.TEN``."""
    return papers.table("deps_table5")


def table6(episodes: pd.DataFrame) -> pd.DataFrame:
    """Table 6: success by group and planner; the average is over tasks, as in the paper."""
    mine = episodes[episodes["player"].isin(set(DEPS.values()))]
    groups = mine["type"].map(LABELS)
    ours = _rates(_twice(mine.assign(group=groups), "group"), ["group", "player"])
    paper = papers.table("deps_table6").query("not group.str.startswith('Average (')")
    paper = paper.assign(player=paper["method"].map(DEPS), paper=paper["success_rate"] / 100)
    return join(paper, ours, ["group", "player"])[["group", "method", "player", *NUMBERS, UNIT, "paper"]]


def figure1(episodes: pd.DataFrame) -> pd.DataFrame:
    """Inner Monologue's bars for Figure 1 of notebook 03, over DEPS's ten tasks."""
    mine = episodes.assign(controller=episodes["player"].map(CONTROLLERS)).dropna(subset="controller")
    return bars(
        in_order(_rates(mine, ["controller"]), {"controller": list(CONTROLLERS.values())}), "ALFWorld"
    )


def conduct(episodes: pd.DataFrame) -> pd.DataFrame:
    """Means an episode: calls, invalid answers, loop warnings, revised plans, steps, tokens read."""
    return estimates.conduct(episodes, ["player"], COUNTS)


def statuses(episodes: pd.DataFrame) -> pd.DataFrame:
    """How the episodes of every player ended."""
    return estimates.statuses(episodes, ["player"])


# --- claims -----------------------------------------------------------------------------------------------


def _claim(hypothesis: str, text: str, one: str, other: str, paper: str, assumed: str = "") -> Claim:
    weights = difference([(ALL, one)], [(ALL, other)])
    return Claim(hypothesis, text, "passed", weights, paper, rates=True, assumed=assumed)


_WARNED = "a loop warning makes it think again"
CLAIMS = (
    _claim("GiG", "GiG solves more than ReCAP", "gig", "recap", "holds on three models (Table 3, no test)",
           _WARNED),
    _claim("GiG", "GiG solves more than ReAct", "gig", "react", "holds on the one model with both (Table 3)",
           _WARNED),
    _claim("DEP", "DEP solves more than GPT", "dep", "gpt", "holds (Table 6, no test)", "sees what it did"),
    _claim("DEP", "DEP solves more than GPT+RP", "dep", "gpt_rp", "holds (Table 6, no test)",
           "an explanation mends a belief"),
    _claim("DEP", "DEP solves more than Inner Monologue", "dep", "im", "holds (Table 6, no test)",
           "an explanation mends a belief"),
)  # fmt: skip


def _paper_cells() -> Mapping[tuple[str, Key], float]:
    """The papers' averages; GiG's are those of Qwen3-235B, the only one with all three methods."""
    gig = papers.table("gig_table3").query("model == @QWEN", local_dict={"QWEN": QWEN})
    cells = {GIG[row["method"]]: row["pass_at_1"] / 100 for _, row in gig.iterrows()}
    deps = papers.table("deps_table6").query("group == 'Average'")
    cells |= {DEPS[row["method"]]: row["success_rate"] / 100 for _, row in deps.iterrows()}
    return {("passed", (ALL, player)): float(value) for player, value in cells.items()}


def verdicts(episodes: pd.DataFrame) -> pd.DataFrame:
    """The claims; clustered by task with all its games, of DEPS's ten with all their runs."""
    measured = stats.cells(
        episodes.assign(part=ALL), stats.rate("passed"), ["part", "player"], cluster="asked"
    )
    return claims.judge(CLAIMS, {"passed": measured}, UNIT, _paper_cells(), claims.players(episodes))
