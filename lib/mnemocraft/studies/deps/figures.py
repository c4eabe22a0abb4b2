"""Figures of notebook 03, from its tables."""

from __future__ import annotations

from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.agents.deps.methods import LABELS
from mnemocraft.figstyle import COLUMN, PAGE, stamp, styled
from mnemocraft.studies import plots
from mnemocraft.studies.deps import small_tables
from mnemocraft.studies.deps.load import GROUPS, WORLDS
from mnemocraft.studies.deps.measures import AVERAGE, ROUNDS
from mnemocraft.studies.plots import PAPER, heat_map, legend, lines, per_cent, series, whisker
from mnemocraft.studies.small_model import ITEMS

METHODS = tuple(LABELS)
LEAST = 5
"""Of fewer episodes no rate is drawn."""
NAMES = {
    "text": "ours, text world",
    "overworld": "ours, overworld, scripted controller",
    "learned": "ours, overworld, learned controller",
}


def _played(table: pd.DataFrame) -> list[str]:
    """The worlds in which there are episodes."""
    ran = table[table["n"] > 0]
    return [world for world in WORLDS if (ran["world"] == world).any()]


@styled
def by_method(table: pd.DataFrame, model: str) -> Figure:
    """Table 2 as heat maps: the paper's, then ours by world; rows are methods, columns meta-tasks."""
    worlds = {}
    for world in _played(table):
        mine = table[(table["world"] == world) & (table["n"] >= LEAST)]
        if len(mine):
            worlds[world] = _together(_wide(mine, "value").dropna(how="all"))
    rows = list(map(len, worlds.values())) or [1]
    figure = plt.figure(figsize=(PAGE, 1.0 + 0.2 * (sum(rows) + len(rows))))
    places = figure.add_gridspec(len(rows), 2, height_ratios=rows)
    paper = _wide(table.drop_duplicates(["group", "method"]), "paper").rename(index=LABELS)
    panels = [(places[:, 0], paper, "the paper, MineDojo")]
    sizes = table[table["group"] == AVERAGE].groupby("world")["n"].max()
    for place, (world, wide) in enumerate(worlds.items()):
        panels.append((places[place, 1], wide, f"{NAMES[world]} (n = {sizes[world]:,} a method)"))
    for panel, wide, title in panels:
        axes = figure.add_subplot(panel)
        heat_map(axes, wide, (100 * wide).map("{:.0f}".format))
        axes.set_title(title, loc="right")
        if panel.rowspan.stop < len(rows):
            axes.set_xticks([])
    note = f"Success in per cent, no intervals. Hatched: fewer than {LEAST} episodes."
    stamp(figure, f"{note} Methods that agree in every cell of ours share a row.", model)
    return figure


def _wide(table: pd.DataFrame, value: str) -> pd.DataFrame:
    wide = table.pivot(index="method", columns="group", values=value)
    return wide.reindex(index=METHODS, columns=[*GROUPS, AVERAGE])


def _together(wide: pd.DataFrame) -> pd.DataFrame:
    """Equal rows as one, named by all of their methods."""
    numbers = wide.fillna(-1).apply(tuple, axis=1)
    names = wide.index.to_series().map(LABELS).groupby(numbers, sort=False).agg(" = ".join)
    return wide.groupby(numbers, sort=False).first().set_axis([fill(name, 18) for name in names])


@styled
def rounds(table: pd.DataFrame, model: str) -> Figure:
    """Table 4: success of DEPS against the maximum number of rounds, a panel a meta-task."""
    figure, grid = plt.subplots(2, 4, figsize=(PAGE, 3.6), sharex=True, sharey=True)
    mine = table[(table["method"] == "deps") & (table["n"] >= LEAST) & table["group"].isin(GROUPS)]
    mine = mine.assign(x=mine["max_rounds"].map(list(ROUNDS).index))
    worlds = {world: NAMES[world] for world in _played(mine)}
    for axes, group in zip(grid.flat, GROUPS, strict=True):
        part = mine[mine["group"] == group]
        lines(axes, series(part, "world", worlds), "x", worlds.values(), apart=4)
        paper = table[(table["method"] == "deps") & (table["group"] == group)].drop_duplicates("max_rounds")
        axes.plot(100 * paper["paper"].to_numpy(), "--x", color=PAPER, label="the paper (Codex)")
        n = part.groupby("world", sort=False)["n"].max()
        axes.set_title(f"{group} (n = {', '.join(map(str, n)) or 0})")
        axes.set_xticks(range(len(ROUNDS)), ["0", "1", "3", "5", "∞"])
    for axes in grid[:, 0]:
        per_cent(axes, "Success (%)")
    for axes in grid[1]:
        axes.set_xlabel("Rounds allowed")
    legend(figure, grid.flat, 3)
    note = f"n: episodes a point ({', '.join(worlds)}); points of fewer than {LEAST} are left out."
    stamp(figure, f"{note} Whiskers: 95 %, Wilson's.", model)
    return figure


@styled
def within_calls(table: pd.DataFrame, model: str) -> Figure:
    """The small model: success against calls of the model, a panel a kind of task."""
    figure, grid = plt.subplots(1, len(ITEMS), figsize=(PAGE, 2.2), sharex=True, sharey=True)
    arms = {arm: small_tables.LABELS[arm] for arm in small_tables.REVISING}
    for axes, items in zip(grid, ITEMS, strict=True):
        part = table[table["items"] == items]
        lines(axes, series(part.assign(x=part["max_calls"]), "arm", arms), "x", arms.values(), apart=0.3)
        axes.set_title(f"{items} tasks (n = {max(part['n'], default=0)} games)")
        axes.set_xticks(range(1, small_tables.CALLS + 1, 2))
        axes.set_xlabel("Calls of the model")
    per_cent(grid[0], "Success (%)")
    legend(figure, grid.flat, 2)
    stamp(figure, "Text world, both versions. Whiskers: 95 %, Wilson's over tasks.", model)
    return figure


@styled
def by_task(table: pd.DataFrame, model: str) -> Figure:
    """Table 21: every task, ours (text world) against the paper's; left DEP and DEPS, right the rest."""
    panels = (("DEP and DEPS", ("dep", "deps")), ("the five baselines", METHODS[:5]))
    figure, grid = plt.subplots(1, 2, figsize=(PAGE, 3.0), sharex=True, sharey=True)
    both = table.dropna(subset=["value", "paper"])
    for axes, (title, methods) in zip(grid, panels, strict=True):
        for i, (method, apart) in enumerate(zip(methods, plots.shifts(len(methods), 0.9), strict=True)):
            mine = both[both["method"] == method]  # moved apart, else equal rates hide each other
            look = figstyle.line(i) | {"linestyle": "none", "alpha": 0.6, "markersize": 3.2}
            axes.plot(100 * mine["paper"], 100 * mine["value"] + apart, label=LABELS[method], **look)
        axes.plot([0, 100], [0, 100], color="0.6", lw=0.6)
        axes.set_xlabel(f"The paper's success (%), {title}")
        place: Any = {"loc": "lower left", "bbox_to_anchor": (-0.05, 1), "ncols": 5}
        axes.legend(**place, columnspacing=0.5, handletextpad=0, borderpad=0)
    per_cent(grid[0], "Ours, text world (%)")
    note = f"A mark a task; up to n = {table['n'].max()} episodes each, no intervals. On the line both agree;"
    stamp(figure, f"{note} methods are up to 2 points apart upwards, to be seen.", model)
    return figure


@styled
def figure1(table: pd.DataFrame, model: str) -> Figure:
    """Figure 1: Inner Monologue by environment, the paper's bars and ours; what has none says why."""
    figure, axes = plt.subplots(figsize=(PAGE, 2.5))
    x = np.arange(len(table))
    bars_of = (("the paper", "paper", -0.2, 1, "not printed"), ("ours", "value", 0.2, 4, "not run"))
    for label, column, shift, look, why in bars_of:
        axes.bar(x + shift, 100 * table[column], 0.38, label=label, **figstyle.bar(look))
        for place in x[table[column].isna()]:
            style: Any = {"rotation": 90, "ha": "center", "va": "bottom", "color": "0.4"}
            axes.text(place + shift, 2, why, **style)
    whisker(axes, x + 0.2, table, 100)
    shown = zip(table["environment"], table["controller"], table["n"], strict=True)
    names = [f"{fill(e, 12)}\n{c} contr.\n" + f"n = {n:,}" * (n > 0) for e, c, n in shown]
    axes.set_xticks(x, names)
    per_cent(axes, "Success (%)")
    axes.set_ylim(bottom=0)
    legend(figure, axes, 2)
    stamp(
        figure,
        "Inner Monologue; whiskers: 95 %, Wilson's, over episodes, but in ALFWorld over its ten tasks.",
        model,
    )
    return figure


@styled
def figure9(table: pd.DataFrame, model: str) -> Figure:
    """Figure 9: how far the diamond task was carried, by milestone; a panel a world, a line a method."""
    table = table[table["n"] >= LEAST]
    shown, methods = _played(table), ("deps", "dep", "inner_monologue", "gpt")
    size = (PAGE if len(shown) > 1 else COLUMN, 3.3)
    figure, grid = plt.subplots(1, max(1, len(shown)), figsize=size, sharey=True, squeeze=False)
    for axes, world in zip(grid[0], shown, strict=False):
        mine = table[table["world"] == world]
        named = series(mine, "method", {method: LABELS[method] for method in methods})
        lines(axes, named, "order", named, apart=3)
        steps = mine.drop_duplicates("order")
        axes.set_xticks(steps["order"], steps["milestone"].str.replace("_", " "), rotation=90)
        axes.set_title(f"{NAMES[world]}, n = {mine['n'].max()} a line")
    if not shown:
        grid[0, 0].text(0.5, 0.5, "too few episodes", transform=grid[0, 0].transAxes, ha="center")
    legend(figure, grid[0], 2)
    per_cent(grid[0, 0], "Episodes that ever held it (%)")
    note = f"Whiskers: 95 %, Wilson's. Worlds with fewer than {LEAST} episodes a line are left out."
    stamp(figure, f"{note} The paper prints no numbers.", model)
    return figure
