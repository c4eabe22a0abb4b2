"""Tables of notebook 03: ours beside the paper's, in long form.

Each has ``value``, the 95 % interval ``low`` to ``high``, ``n`` episodes and ``paper``; rates are fractions
(the paper prints per cent). What was not run has NaN and n = 0, so partial runs give partial tables.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mnemocraft.envs.minecraft.rules import rules
from mnemocraft.studies import papers
from mnemocraft.studies.deps import measures
from mnemocraft.studies.deps.load import GROUPS, OVERWORLD_VERSION, WORLDS
from mnemocraft.studies.deps.measures import CELL, LABELS, METHOD_OF, ROUNDS
from mnemocraft.worlds.minecraft_tasks import minecraft_task, minecraft_tasks

COLUMNS = ("value", "low", "high", "n")
ENVIRONMENTS = {"text": "MC-TextWorld", "overworld": "MineDojo", "learned": "MineDojo"}
"""The paper's environment (Table 3) beside which each of our worlds stands."""
CONTROLLERS = {"text": "none needed", "overworld": "scripted", "learned": "learned"}
TABLE20 = {
    "CraftingTable": "crafting_table",
    "WoodenPickaxe": "wooden_pickaxe",
    "Furnace": "furnace",
    "StonePickaxe": "stone_pickaxe",
}


def _joined(printed: pd.DataFrame, ours: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """The paper's rows with ours beside them; those that we did not run have n = 0."""
    table = printed.merge(ours, on=list(on), how="left")
    return table.assign(n=table["n"].fillna(0).astype(int))


def _world(episodes: pd.DataFrame, world: str) -> pd.DataFrame:
    return episodes[episodes["world"] == world]


def _played(episodes: pd.DataFrame) -> list[str]:
    return [world for world in WORLDS if (episodes["world"] == world).any()]


def table2(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by world, meta-task and method; ``std`` and ``paper_std`` are over the rates of tasks."""
    both = measures.with_average(episodes)
    by = ["world", "group", "method"]
    found = measures.rates(both, by)
    single = both.groupby([*by, "task"])["passed"].mean()
    spread = single.groupby(level=by).std().rename("std").reset_index()
    printed = papers.table("deps_table2").rename(columns={"meta_task": "group"})
    printed = printed.assign(
        method=printed["method"].map(METHOD_OF),
        paper=printed["success_rate"] / 100,
        paper_std=printed["std"] / 100,
    ).drop(columns=["success_rate", "std"])
    parts = [printed.assign(world=world) for world in _played(episodes)]
    table = _joined(pd.concat(parts, ignore_index=True), found.merge(spread, on=by), by)
    table = table.assign(label=table["method"].map(LABELS))
    return table[["world", "group", "method", "label", *COLUMNS, "std", "paper", "paper_std"]]


def table3(episodes: pd.DataFrame) -> pd.DataFrame:
    """DEPS in every world and version, beside the paper's environments; its MineRL has none of ours."""
    ours = measures.rates(episodes[episodes["method"] == "deps"], ["world", "group"])
    printed = papers.table("deps_table3").rename(
        columns={"meta_task": "group", "version": "paper_version", "controller": "paper_controller"}
    )
    printed = printed.assign(paper=printed["success_rate"] / 100).drop(columns="success_rate")
    beside = pd.DataFrame({"world": list(ENVIRONMENTS), "environment": list(ENVIRONMENTS.values())})
    table = _joined(printed.merge(beside, on="environment", how="left"), ours, ["world", "group"])
    versions = episodes.groupby("world")["version"].first()
    table = table.assign(
        controller=table["world"].map(CONTROLLERS),
        version=table["world"].map(versions),
        world=table["world"].fillna("-"),
    )
    order = ["environment", "paper_version", "paper_controller", "world", "version", "controller", "group"]
    return table[[*order, *COLUMNS, "paper"]]


def table4(episodes: pd.DataFrame) -> pd.DataFrame:
    """DEPS and DEP with at most 0, 1, 3, 5 and any number of rounds, from one run of any number."""
    chosen = episodes[episodes["method"].isin(["dep", "deps"])]
    by = ["world", "method", "group", "max_rounds"]
    ours = measures.rates(measures.by_rounds(measures.with_average(chosen)), by)
    printed = papers.table("deps_table4").rename(columns={"meta_task": "group", "rounds": "max_rounds"})
    printed = printed.assign(
        max_rounds=printed["max_rounds"].map(_rounds_name), method="deps", paper=printed["success_rate"] / 100
    )
    table = ours.merge(printed.drop(columns="success_rate"), on=["method", "group", "max_rounds"], how="left")
    places = list(ROUNDS)
    table = table.assign(_place=table["max_rounds"].map(places.index), _group=measures.order(table["group"]))
    table = table.sort_values(["world", "method", "_group", "_place"], ignore_index=True, key=_worlds_first)
    return table[["world", "method", "group", "max_rounds", *COLUMNS, "paper"]]


def _rounds_name(most: float) -> str:
    return "inf" if most == float("inf") else f"{most:.0f}"


def _worlds_first(values: pd.Series) -> pd.Series:
    """Sort key: worlds in our order, everything else as it is."""
    return values.map(WORLDS.index) if values.name == "world" else values


def table19(episodes: pd.DataFrame) -> pd.DataFrame:
    """The planner alone (``baseline``: DEPS, no round) and DEPS beside the paper's models; text world."""
    mine = measures.by_rounds(_world(episodes, "text").query("method == 'deps'"))
    variant = mine["max_rounds"].map({"0": "baseline", "inf": "DEPS"})
    ours = measures.rates(mine.assign(variant=variant).dropna(subset="variant"), ["group", "variant"])
    printed = papers.table("deps_table19").rename(columns={"meta_task": "group"})
    printed = printed.assign(paper=printed["success_rate"] / 100).drop(columns="success_rate")
    return _joined(printed, ours, ["group", "variant"])[["group", "llm", "variant", *COLUMNS, "paper"]]


def table20(episodes: pd.DataFrame) -> pd.DataFrame:
    """DEPS on four tools, beside the paper's LLaMA models; text world."""
    ours = measures.rates(_world(episodes, "text").query("method == 'deps'"), ["task"])
    printed = papers.table("deps_table20").assign(paper=lambda table: table["success_rate"] / 100)
    printed = printed.assign(task=printed["task"].map(TABLE20)).rename(columns={"model": "paper_model"})
    return _joined(printed, ours, ["task"])[["paper_model", "task", *COLUMNS, "paper"]]


def table21(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by task and method in the text world; where the paper has no result, its column is NaN."""
    mine = _world(episodes, "text")
    ours = measures.rates(mine, ["task", "method"])
    printed = papers.table("deps_table21").rename(columns={"item": "task"})
    printed = printed.assign(method=printed["method"].map(METHOD_OF), paper=printed["success_rate"] / 100)
    table = ours.merge(printed[["task", "method", "paper"]], on=["task", "method"], how="outer")
    facts = {key: minecraft_task(key) for key in table["task"].unique()}
    table = table.assign(
        group=table["task"].map(lambda key: facts[key].group),
        _id=table["task"].map(lambda key: facts[key].id),
        _method=table["method"].map(list(LABELS).index),
        label=table["method"].map(LABELS),
        n=table["n"].fillna(0).astype(int),
    ).sort_values(["_id", "_method"], ignore_index=True)
    return table[["group", "task", "method", "label", *COLUMNS, "paper"]]


def figure1(episodes: pd.DataFrame) -> pd.DataFrame:
    """The zero-shot planner's success by world beside the paper's bars; all tasks weigh the same."""
    ours = measures.rates(episodes[episodes["method"] == "gpt"], ["world"])
    printed = papers.table("deps_fig1").assign(paper=lambda table: table["success_rate"] / 100)
    world = {("Minecraft", "oracle"): "overworld", ("Minecraft", "learned"): "learned"}
    keys = zip(printed["environment"], printed["controller"], strict=True)
    printed = printed.assign(world=[world.get(key, "-") for key in keys])
    text = pd.DataFrame(
        {"environment": ["Minecraft, text world"], "controller": ["oracle"], "world": ["text"]}
    )
    table = _joined(pd.concat([printed, text], ignore_index=True), ours, ["world"])
    return table[["environment", "controller", "world", *COLUMNS, "paper"]]


def milestones(episodes: pd.DataFrame) -> pd.DataFrame:
    """Figure 9: in how many episodes of the diamond task each item of Figure 8 was ever held."""
    mine = episodes[episodes["task"] == measures.DIAMOND]
    parts = []
    for place, item in enumerate(measures.milestones(), 1):
        got = [bool(_same(item, v) & held) for v, held in zip(mine["version"], mine["held"], strict=True)]
        rows = measures.rates(mine.assign(got=got), CELL, "got")
        parts.append(rows.assign(order=place, milestone=item))
    table = pd.concat(parts, ignore_index=True)
    return table[["world", "method", "order", "milestone", *COLUMNS]]


def _same(item: str, version: str) -> frozenset[str]:
    """The names of a milestone in a version: any log is a log, and from 1.17 on ore leaves raw iron."""
    if version == OVERWORLD_VERSION or item not in ("log", "planks"):
        return frozenset({item, "raw_iron"} if item == "iron_ore" else {item})
    return frozenset(rules(version).members(f"#{'logs' if item == 'log' else item}"))


def conduct(episodes: pd.DataFrame) -> pd.DataFrame:
    """Not in the paper: means an episode of rounds, calls, goals, unread answers and tokens, by condition."""
    columns = [*measures.COUNTS, "prompt", "completion", "steps"]
    means = episodes.groupby(list(CELL), sort=False)[columns].mean()
    count = episodes.groupby(list(CELL), sort=False).size().rename("episodes")
    return pd.concat([count, means], axis=1).reset_index()


def statuses(episodes: pd.DataFrame) -> pd.DataFrame:
    """How the episodes of every condition ended: number by status and by end reason."""
    by = episodes.groupby(list(CELL), sort=False)
    status = by["status"].value_counts().unstack(fill_value=0)
    status = status.reindex(columns=list(measures.STATUSES), fill_value=0)
    ends = by["reason"].value_counts().unstack(fill_value=0)
    ends = ends.drop(columns=[c for c in ends if c in measures.STATUSES]).add_prefix("ended_")
    return by.size().rename("episodes").to_frame().join(status).join(ends).reset_index()


def description(task_list: str, limits: str) -> pd.DataFrame:
    """Table 1: meta-tasks with their number of tasks and steps allowed, ours and the paper's."""

    listed = pd.DataFrame(
        [{"meta_task": t.group, "steps": t.steps(limits)} for t in minecraft_tasks(task_list)]
    )
    ours = listed.groupby("meta_task")["steps"].agg(tasks="count", steps="first").reindex(list(GROUPS))
    paper = papers.table("deps_table1").rename(columns={"n_tasks": "paper_tasks", "max_steps": "paper_steps"})
    return paper.merge(ours.reset_index(), on="meta_task")[
        ["meta_task", "name", "tasks", "paper_tasks", "steps", "paper_steps"]
    ]
