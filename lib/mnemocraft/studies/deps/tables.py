"""Tables and claims of notebook 03: ours beside the paper's (:mod:`~mnemocraft.studies.estimates`).

Rates are fractions (the paper prints per cent), their intervals Wilson's. Two methods that played the same
games are compared by McNemar's exact test, everything else by resampling games.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from mnemocraft.agents.deps.methods import LABELS
from mnemocraft.envs.minecraft.rules import rules
from mnemocraft.stats import Key, difference
from mnemocraft.studies import claims, papers
from mnemocraft.studies.claims import Claim, versus
from mnemocraft.studies.deps import measures
from mnemocraft.studies.deps.load import GROUPS, OVERWORLD_VERSION, WORLDS
from mnemocraft.studies.deps.measures import AVERAGE, CELL, METHOD_OF, ROUNDS
from mnemocraft.studies.estimates import NUMBERS, in_order, join, rates
from mnemocraft.worlds.minecraft_tasks import minecraft_task, minecraft_tasks

ENVIRONMENTS = {"text": "MC-TextWorld", "overworld": "MineDojo", "learned": "MineDojo"}
"""The paper's environment (Table 3) beside which each of our worlds stands."""
CONTROLLERS = {"text": "none needed", "overworld": "scripted", "learned": "learned"}


def printed(name: str, renamed: Mapping[str, str] | None = None) -> pd.DataFrame:
    """A table of the paper in our words, its rates as fractions in ``paper``."""
    table = papers.table(f"deps_{name}").rename(columns={"meta_task": "group", "item": "task"})
    table = table.rename(columns=dict(renamed or {}))
    if "method" in table:
        table["method"] = table["method"].map(METHOD_OF)
    return table.assign(paper=table["success_rate"] / 100).drop(columns="success_rate")


def _world(episodes: pd.DataFrame, world: str) -> pd.DataFrame:
    return episodes[episodes["world"] == world]


def table2(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by world, meta-task and method; ``std`` and ``paper_std`` are over the rates of tasks."""
    both = measures.with_average(episodes)
    by = ["world", "group", "method"]
    spread = both.groupby([*by, "task"])["passed"].mean().groupby(level=by).std().rename("std").reset_index()
    paper = printed("table2").assign(paper_std=lambda table: table.pop("std") / 100)
    parts = [paper.assign(world=world) for world in WORLDS if (episodes["world"] == world).any()]
    table = join(pd.concat(parts, ignore_index=True), rates(both, by).merge(spread, on=by), by)
    table = table.assign(label=table["method"].map(LABELS))
    return table[["world", "group", "method", "label", *NUMBERS, "std", "paper", "paper_std"]]


def table3(episodes: pd.DataFrame) -> pd.DataFrame:
    """DEPS in every world and version, beside the paper's environments; its MineRL has none of ours."""
    ours = rates(episodes[episodes["method"] == "deps"], ["world", "group"])
    paper = printed("table3", {"version": "paper_version", "controller": "paper_controller"})
    worlds = pd.DataFrame({"world": list(ENVIRONMENTS), "environment": list(ENVIRONMENTS.values())})
    table = join(paper.merge(worlds, on="environment", how="left"), ours, ["world", "group"])
    table = table.assign(
        controller=table["world"].map(CONTROLLERS),
        version=table["world"].map(episodes.groupby("world")["version"].first()),
        world=table["world"].fillna("-"),
    )
    shown = ["environment", "paper_version", "paper_controller", "world", "version", "controller", "group"]
    return table[[*shown, *NUMBERS, "paper"]]


def table4(episodes: pd.DataFrame) -> pd.DataFrame:
    """DEPS and DEP with at most 0, 1, 3, 5 and any number of rounds, from one run of any number."""
    chosen = episodes[episodes["method"].isin(["dep", "deps"])]
    by = ["world", "method", "group", "max_rounds"]
    ours = rates(measures.by_rounds(measures.with_average(chosen)), by)
    paper = printed("table4", {"rounds": "max_rounds"}).assign(method="deps")
    paper = paper.assign(max_rounds=paper["max_rounds"].map("{:.0f}".format))
    orders = dict(zip(by, (WORLDS, None, (*GROUPS, AVERAGE), list(ROUNDS)), strict=True))
    return in_order(ours.merge(paper, on=by[1:], how="left"), orders)[[*by, *NUMBERS, "paper"]]


def table19(episodes: pd.DataFrame) -> pd.DataFrame:
    """The planner alone (``baseline``: DEPS, no round) and DEPS beside the paper's models; text world."""
    mine = measures.by_rounds(_world(episodes, "text").query("method == 'deps'"))
    variant = mine["max_rounds"].map({"0": "baseline", "inf": "DEPS"})
    ours = rates(mine.assign(variant=variant).dropna(subset="variant"), ["group", "variant"])
    table = join(printed("table19"), ours, ["group", "variant"])
    return table[["group", "llm", "variant", *NUMBERS, "paper"]]


def table20(episodes: pd.DataFrame) -> pd.DataFrame:
    """DEPS on four tools, beside the paper's LLaMA models; text world."""
    ours = rates(_world(episodes, "text").query("method == 'deps'"), ["task"])
    paper = printed("table20", {"model": "paper_model"})
    names = paper["task"].str.replace(r"(?<=[a-z])(?=[A-Z])", "_", regex=True).str.lower()  # CraftingTable
    table = join(paper.assign(task=names), ours, ["task"])
    return table[["paper_model", "task", *NUMBERS, "paper"]]


def table21(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by task and method in the text world; where the paper has no result, its column is NaN."""
    by = ["task", "method"]
    ours = rates(_world(episodes, "text"), by)
    table = ours.merge(printed("table21")[[*by, "paper"]], on=by, how="outer")
    tasks = {key: minecraft_task(key) for key in table["task"]}
    ids = sorted(tasks, key=lambda key: tasks[key].id)
    table = in_order(table, {"task": ids, "method": list(LABELS)}).fillna({"n": 0}).astype({"n": int})
    groups = [tasks[key].group for key in table["task"]]
    return table.assign(group=groups, label=table["method"].map(LABELS))[
        ["group", *by, "label", *NUMBERS, "paper"]
    ]


def figure1(episodes: pd.DataFrame) -> pd.DataFrame:
    """The zero-shot planner's success by world beside the paper's bars; all tasks weigh the same."""
    paper, by = printed("fig1"), ["environment", "controller", "world"]
    world = {("Minecraft", "oracle"): "overworld", ("Minecraft", "learned"): "learned"}
    keys = zip(paper["environment"], paper["controller"], strict=True)
    paper = paper.assign(world=[world.get(key, "-") for key in keys])
    text = pd.DataFrame([("Minecraft, text world", "oracle", "text")], columns=by)
    ours = rates(episodes[episodes["method"] == "gpt"], ["world"])
    return join(pd.concat([paper, text], ignore_index=True), ours, ["world"])[[*by, *NUMBERS, "paper"]]


def milestones(episodes: pd.DataFrame) -> pd.DataFrame:
    """Figure 9: in how many episodes of the diamond task each item of Figure 8 was ever held."""
    mine = episodes[episodes["task"] == measures.DIAMOND]
    parts = []
    for place, item in enumerate(measures.milestones(), 1):
        got = [bool(_same(item, v) & held) for v, held in zip(mine["version"], mine["held"], strict=True)]
        parts.append(rates(mine.assign(got=got), CELL, "got").assign(order=place, milestone=item))
    return pd.concat(parts, ignore_index=True)[[*CELL, "order", "milestone", *NUMBERS]]


def _same(item: str, version: str) -> frozenset[str]:
    """The names of a milestone in a version: any log is a log, and from 1.17 on ore leaves raw iron."""
    if version == OVERWORLD_VERSION or item not in ("log", "planks"):
        return frozenset({item, "raw_iron"} if item == "iron_ore" else {item})
    return frozenset(rules(version).members(f"#{'logs' if item == 'log' else item}"))


def conduct(episodes: pd.DataFrame) -> pd.DataFrame:
    """Not in the paper: means an episode of rounds, calls, goals, unread answers and tokens, by condition."""
    by = episodes.groupby(list(CELL), sort=False)
    means = by[[*measures.COUNTS, "prompt", "completion", "steps"]].mean()
    return pd.concat([by.size().rename("episodes"), means], axis=1).reset_index()


def description(task_list: str, limits: str) -> pd.DataFrame:
    """Table 1: meta-tasks with their number of tasks and steps allowed, ours and the paper's."""
    listed = pd.DataFrame(
        {"meta_task": t.group, "steps": t.steps(limits)} for t in minecraft_tasks(task_list)
    )
    ours = listed.groupby("meta_task")["steps"].agg(tasks="count", steps="first").reindex(list(GROUPS))
    paper = papers.table("deps_table1").rename(columns={"n_tasks": "paper_tasks", "max_steps": "paper_steps"})
    shown = ["meta_task", "name", "tasks", "paper_tasks", "steps", "paper_steps"]
    return paper.merge(ours.reset_index(), on="meta_task")[shown]


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


def _printed_cells() -> dict[tuple[str, Key], float]:
    """The paper's success by metric and cell; that by rounds is a mean over tasks."""
    average = printed("table2").set_index(["group", "method"])["paper"][AVERAGE]
    found: dict[tuple[str, Key], float] = {
        ("method", (world, method)): value for world in WORLDS for method, value in average.items()
    }
    table = printed("table4").pivot(index="group", columns="rounds", values="paper")
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
    return claims.judge(CLAIMS, measured, "games", _printed_cells(), shared, CELL).drop(columns="metric")
