"""Tables of section 3.4 of M2PA: two models, visual features, sub-goals of a diamond, capacity, settings.

Rates are fractions with Wilson's intervals over episodes.
"""

from __future__ import annotations

import pandas as pd

from mnemocraft.envs.minecraft import plan
from mnemocraft.memory.episodic import ALPHA, CAPACITY, THRESHOLD
from mnemocraft.studies import papers
from mnemocraft.studies.estimates import NUMBERS, in_order, rates
from mnemocraft.studies.m2pa import fragments
from mnemocraft.studies.m2pa.load import (
    FRAGMENTS,
    LEVELS,
    MAIN,
    SIGHT,
    SIGHTED,
    SWEEP,
    SWEEPS,
    VERSION,
    tasks,
)
from mnemocraft.studies.m2pa.sweep import COMPARED

ENCODERS = {"controller": "MineClip", "mean_colour": "Clip"}
"""The paper's encoder whose part a player has: the stronger and the weaker one."""
WITH = dict(zip(COMPARED, ("with", "without"), strict=True))


def table5() -> pd.DataFrame:
    """The tasks: the paper's least number of sub-goals beside the steps of the shortest plan by our rules."""
    printed = papers.table("m2pa_table5").set_index("task")
    rows = [
        (task.level, task.name, task.item, printed["min_subgoals"].get(task.name),
         len(plan(task.item, version=VERSION).steps), task.max_steps, printed["max_steps"].get(task.name))
        for task in tasks()
    ]  # fmt: skip
    columns = ["level", "task", "item", "paper_sub_goals", "plan_steps", "max_steps", "paper_max_steps"]
    return pd.DataFrame(rows, columns=columns)


def models(episodes: pd.DataFrame) -> pd.DataFrame:
    """Figure 5: success and steps by model, with and without episodic memory, in easy and hard tasks.

    Args:
        episodes: Prepared, of both models.
    """
    mine = episodes[(episodes["scope"] == MAIN) & episodes["player"].isin(COMPARED)]
    mine = mine.assign(memory=mine["player"].map(WITH))
    by = ["model", "memory", "part"]
    steps = mine.groupby(by, sort=False, as_index=False)["steps"].mean().round(1)
    return rates(mine, by).merge(steps, on=by)


def table3(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by level and features in the overworld, beside the paper's stronger and weaker encoder."""
    mine = _of(episodes, SIGHT)
    table = rates(mine[mine["player"].isin(_FEATURES)], ["level", "player"])
    paper = papers.table("m2pa_table3")
    names = {name: player for player, name in ENCODERS.items()}
    paper = paper.assign(player=paper["visual_encoder"].map(names), paper=paper["success_rate"] / 100)
    table = table.merge(paper[["level", "player", "paper"]], on=["level", "player"], how="left")
    table = table.assign(label=table["player"].map(_FEATURES))
    return in_order(table, {"player": list(_FEATURES), "level": LEVELS})


def sight(episodes: pd.DataFrame) -> pd.DataFrame:
    """The overworld over all its tasks: success, prompts with a memory, and steps an episode."""
    return _with_recalls(_of(episodes, SIGHT), ["player"])


def by_fragments(episodes: pd.DataFrame) -> pd.DataFrame:
    """Figure 8: success at the diamond by sub-goals that its memory holds at the beginning."""
    mine = _of(episodes, FRAGMENTS)
    mine = mine.assign(sub_goals=_sub_goals(mine["player"]))
    return _with_recalls(mine, ["sub_goals"]).sort_values("sub_goals", ignore_index=True)


def milestones(episodes: pd.DataFrame) -> pd.DataFrame:
    """The share of those episodes in which a goal for each sub-goal was reached, in the plan's order.

    Logs and planks of every tree count; of stone and fuel only those of that plan.
    """
    mine = _of(episodes, FRAGMENTS)
    held = mine["items"].fillna("").str.split(",")
    parts = []
    for order, item in enumerate([step[0] for step in fragments.steps()] + [fragments.DIAMOND], 1):
        kind = item.rpartition("_")[2] if item.startswith("oak_") else item
        got = held.map(lambda names, kind=kind: any(name == kind or _tree(name, kind) for name in names))
        mine = mine.assign(got=got.astype(float))
        parts.append(rates(mine, ["player"], "got").assign(order=order, milestone=kind))
    table = pd.concat(parts, ignore_index=True)
    return table.assign(sub_goals=_sub_goals(table["player"]))


def _sub_goals(players: pd.Series) -> pd.Series:
    """How many sub-goals the memory of ``fragments_<number>`` holds; also of nobody."""
    return players.map(lambda player: player.rpartition("_")[2]).astype(int)


def capacity(episodes: pd.DataFrame) -> pd.DataFrame:
    """Figure 9: success by level and capacity, in the same streams."""
    mine = _settings(episodes, "capacity", CAPACITY)
    return in_order(rates(mine, ["level", "capacity"]), {"level": LEVELS, "capacity": None})


def settings(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success and prompts with a memory by threshold (text world) and by alpha (overworld)."""
    far = _settings(episodes, "threshold", THRESHOLD)
    views = _of(episodes, SIGHT)
    views = views[(views["player"] == "controller") | views["player"].str.startswith("alpha_")]
    alpha = views["player"].map(lambda player: player.partition("alpha_")[2] or ALPHA).astype(float)
    both = [
        _with_recalls(rows.assign(setting=name, at=at.astype(float)), ["setting", "at"])
        for name, rows, at in (("threshold", far, far["threshold"]), ("alpha", views, alpha))
        if len(rows)
    ]
    table = pd.concat(both, ignore_index=True) if both else pd.DataFrame(columns=["setting", "at", *NUMBERS])
    return table.sort_values(["setting", "at"], ascending=[False, True], ignore_index=True)


def _tree(name: str, kind: str) -> bool:
    """Whether it is the log or the planks of some tree."""
    return kind in ("log", "planks") and name.endswith(f"_{kind}")


_FEATURES = {name: SIGHTED[name].label for name in ("controller", "mean_colour", "blind", "shuffled")}


def _of(episodes: pd.DataFrame, scope: str) -> pd.DataFrame:
    return episodes[episodes["scope"] == scope]


def _settings(episodes: pd.DataFrame, name: str, usual: float) -> pd.DataFrame:
    """Episodes with other values of an option of the memory, and those of M2PA in the same streams."""
    values = {player: who.kept[name] for player, who in SWEEPS.items() if name in who.kept}
    swept = _of(episodes, SWEEP)
    swept = swept[swept["player"].isin(values)]
    usually = _of(episodes, MAIN).query("player == 'm2pa'")
    usually = usually[usually["seed"].isin(swept["seed"].unique())]
    both = pd.concat([swept, usually])
    return both.assign(**{name: both["player"].map(values | {"m2pa": usual})})


def _with_recalls(episodes: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    means = episodes.groupby(by, sort=False, as_index=False)[["recalled", "steps"]].mean().round(2)
    return rates(episodes, by).merge(means, on=by)
