"""Tables and claims of the table top: ours beside the paper's. Rates are fractions."""

from __future__ import annotations

import pandas as pd

from mnemocraft import stats
from mnemocraft.envs import TabletopEnv
from mnemocraft.envs.tabletop.solver import solve
from mnemocraft.envs.tabletop.tasks import TASKS
from mnemocraft.stats import Key, difference
from mnemocraft.studies import claims, estimates, papers
from mnemocraft.studies.claims import ALL, Claim
from mnemocraft.studies.estimates import NUMBERS, bars, in_order, rates
from mnemocraft.studies.tabletop import load

AVERAGE = "Average"
TASK_LABELS = [task.label for task in TASKS.values()]
CELL = ["controller", "method"]


def prepare(records: pd.DataFrame) -> pd.DataFrame:
    """The episodes with ``label`` of the task, ``game`` (its cluster) and ``passed``; every record counts."""
    label = records["task"].str.partition("/")[0].map({name: task.label for name, task in TASKS.items()})
    game = records["seed"].astype(str) + "/" + records["task"]
    return records.assign(label=label, game=game, passed=records["success"].astype(float))


def scripted(episodes: pd.DataFrame) -> pd.DataFrame:
    """The perfect planner in the same games, as rows like the episodes."""
    games = episodes.drop_duplicates(["controller", "game"])
    keys = zip(games["task"].astype(str), games["seed"].astype(int), games["controller"], strict=True)
    passed = [float(load.scripted(load.begin(task, seed, name)[0])) for task, seed, name in keys]
    return games.assign(method=load.PERFECT, passed=passed)


def table7() -> pd.DataFrame:
    """The tasks: the paper's names, and ours with how many things there are and how short a plan can be."""
    rows = []
    for name, task in TASKS.items():
        scenes = [TabletopEnv(name, seed) for seed in range(20)]
        plans = [
            solve(e.where, e.scene.places, {thing: e.scene.wanted(thing) for thing in e.where}) or []
            for e in scenes
        ]
        things, moves = [len(e.where) for e in scenes], [len(plan) for plan in plans]
        counts = {"fewest_things": min(things), "most_things": max(things)}
        rows.append(
            {"task": task.label, "ours": name, "goal": task.goal, **counts}
            | {"fewest_moves": min(moves), "most_moves": max(moves)}
        )
    return papers.table("deps_table7").merge(pd.DataFrame(rows), on="task")


def _printed() -> pd.DataFrame:
    """Table 8 in our words: ``controller``, ``label``, ``method``, ``paper``."""
    table = papers.table("deps_table8")
    table = table.rename(columns={"task": "label"}).assign(
        method=table["method"].map(load.PRINTED), controller="learned", paper=table["success_rate"] / 100
    )
    return table[["controller", "label", "method", "paper"]]


def table8(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by controller, task and planner; the paper's numbers are with CLIPort as the controller."""
    played = pd.concat([scripted(episodes), episodes])
    ours = rates(pd.concat([played, played.assign(label=AVERAGE)]), ["controller", "label", "method"])
    table = ours.merge(_printed(), on=["controller", "label", "method"], how="left")
    table = table.assign(planner=table["method"].map(load.LABELS))
    orders = {
        "controller": list(load.CONTROLLERS),
        "label": [*TASK_LABELS, AVERAGE],
        "method": list(load.LABELS),
    }
    return in_order(table, orders)[["controller", "label", "method", "planner", *NUMBERS, "paper"]]


def figure1(table: pd.DataFrame) -> pd.DataFrame:
    """Inner Monologue's bars for Figure 1 of notebook 03: the paper's are its (section 1)."""
    mine = table[(table["label"] == AVERAGE) & (table["method"] == "inner_monologue")]
    return bars(mine, "Tabletop")


def table17() -> pd.DataFrame:
    """DEPS's components in its three environments, as printed, and what stands for them here."""
    here = {
        "LLM": "the notebook's model",
        "Controller": "success rates of skills",
        "Descriptor": "the scene as text",
        "Explainer": "the notebook's model",
        "Selector": "none",
    }
    table = papers.table("deps_table17")
    return table.assign(here=table["component"].map(here))


def conduct(episodes: pd.DataFrame) -> pd.DataFrame:
    """Means an episode: calls, revised plans, skills tried and failed, tokens read."""
    return estimates.conduct(episodes, CELL, ["calls", "rounds", "goals", "failed_goals"])


def _claim(text: str, one: Key, other: Key, paper: str, assumed: str = "", metric: str = "passed") -> Claim:
    parts = {label: difference([(label, *one)], [(label, *other)]) for label in TASK_LABELS}
    whole = difference([(ALL, *one)], [(ALL, *other)])
    return Claim("planners", text, metric, whole, paper, rates=True, parts=parts, assumed=assumed)


FIGURE_1 = "passed, Figure 1"
"""The metric of a claim about the paper's Figure 1: the same success, beside other numbers of the paper's."""
CLAIMS = (
    _claim("DEP solves more than Inner Monologue with a failing controller",
           ("learned", "dep"), ("learned", "inner_monologue"), "holds on average (Table 8, no test)",
           "an explanation mends a belief"),
    _claim("the zero-shot planner solves more than Inner Monologue with a failing controller",
           ("learned", "zero_shot"), ("learned", "inner_monologue"), "holds on average (Table 8, no test)",
           "sees what it did"),
    _claim("DEP solves more than the zero-shot planner with a failing controller",
           ("learned", "dep"), ("learned", "zero_shot"), "they are equal (Table 8)",
           "an explanation mends a belief"),
    _claim("Inner Monologue solves more with a perfect controller",
           ("oracle", "inner_monologue"), ("learned", "inner_monologue"), "holds (Figure 1, no test)",
           "the failing controller's rates", metric=FIGURE_1),
)  # fmt: skip


def _paper_cells() -> dict[tuple[str, Key], float]:
    """Table 8 by part, controller and planner; and Figure 1's bars, whose one for CLIPort differs from it."""
    table = _printed()
    parts = table["label"].replace(AVERAGE, ALL)
    keys = zip(parts, table["controller"], table["method"], strict=True)
    cells: dict[tuple[str, Key], float] = {
        ("passed", key): float(rate) for key, rate in zip(keys, table["paper"], strict=True)
    }
    bars = papers.table("deps_fig1").query("environment == 'Tabletop'")
    figure: dict[tuple[str, Key], float] = {
        (FIGURE_1, (ALL, str(name), "inner_monologue")): float(rate) / 100
        for name, rate in zip(bars["controller"], bars["success_rate"], strict=True)
    }
    return cells | figure


def verdicts(episodes: pd.DataFrame) -> pd.DataFrame:
    """The claims; clustered by game (a task's scene)."""
    both = pd.concat([episodes.assign(part=ALL), episodes.assign(part=episodes["label"])])
    measured = stats.cells(both, stats.rate("passed"), ["part", *CELL], cluster="game")
    return claims.judge(
        CLAIMS, {"passed": measured, FIGURE_1: measured}, "games", _paper_cells(), claims.players(episodes)
    )
