"""Figures of notebook 03, from its tables."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.agents.deps.methods import LABELS
from mnemocraft.figstyle import PAGE, stamp, styled
from mnemocraft.studies import plots
from mnemocraft.studies.deps.load import GROUPS, WORLDS
from mnemocraft.studies.deps.measures import AVERAGE, ROUNDS
from mnemocraft.studies.plots import PAPER, heat_map, legend, lines, series, whisker

METHODS = tuple(LABELS)
NAMES = {
    "text": "ours, text world",
    "overworld": "ours, overworld, scripted controller",
    "learned": "ours, overworld, learned controller",
}


def _played(table: pd.DataFrame) -> list[str]:
    """The worlds in which there are episodes."""
    ran = table[table["n"] > 0]
    return [world for world in WORLDS if (ran["world"] == world).any()]


def _sizes(table: pd.DataFrame) -> str:
    """The largest n of every world."""
    return ", ".join(f"{table.loc[table['world'] == w, 'n'].max()} ({w})" for w in _played(table))


@styled
def by_method(table: pd.DataFrame, model: str) -> Figure:
    """Table 2 as heat maps: the paper's, then ours by world; rows are methods, columns meta-tasks."""
    panels = [("the paper, MineDojo", table.drop_duplicates(["group", "method"]), "paper")]
    panels += [(NAMES[world], table[table["world"] == world], "value") for world in _played(table)]
    rows = -(-len(panels) // 2)
    figure, grid = plt.subplots(rows, 2, figsize=(PAGE, 0.4 + 1.65 * rows), sharey=True, squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for axes, (title, part, name) in zip(grid.flat, panels, strict=False):
        wide = part.pivot(index="method", columns="group", values=name)
        wide = wide.reindex(METHODS)[[*GROUPS, AVERAGE]].rename(index=LABELS)
        heat_map(axes, wide, (100 * wide).map("{:.0f}".format))
        axes.set_title(title)
    n = _sizes(table[table["group"] == AVERAGE])
    stamp(figure, f"Success in per cent; grey: not run. Episodes a method: n = {n}.", model)
    return figure


@styled
def rounds(table: pd.DataFrame, model: str) -> Figure:
    """Table 4: success of DEPS against the maximum number of rounds, a panel a meta-task."""
    figure, grid = plt.subplots(2, 4, figsize=(PAGE, 3.5), sharex=True, sharey=True)
    mine = table[table["method"] == "deps"].assign(x=lambda t: t["max_rounds"].map(list(ROUNDS).index))
    worlds = {world: NAMES[world] for world in _played(mine)}
    for axes, group in zip(grid.flat, GROUPS, strict=True):
        part = mine[mine["group"] == group]
        lines(axes, series(part, "world", worlds), "x", [NAMES["text"]])
        paper = part.drop_duplicates("x")
        axes.plot(paper["x"], 100 * paper["paper"], "--x", color=PAPER, label="the paper (Codex)")
        axes.set_title(group)
        axes.set_xticks(range(len(ROUNDS)), ["0", "1", "3", "5", "∞"])
    for axes in grid[:, 0]:
        axes.set_ylabel("Success (%)")
    for axes in grid[1]:
        axes.set_xlabel("Rounds allowed")
    legend(figure, grid[0, 0], 2)
    text = mine[(mine["world"] == "text") & mine["group"].isin(GROUPS)]["n"]
    n = f"{text.min()} to {text.max()}" if len(text) else "0"
    stamp(figure, f"n = {n} episodes a point in the text world, fewer in others. Band: 95 % (Wilson).", model)
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
        place: Any = {"loc": "lower left", "bbox_to_anchor": (-0.02, 1), "ncols": 5}
        axes.legend(**place, columnspacing=0.6, handletextpad=0, fontsize=6)
    grid[0].set_ylabel("Ours, text world (%)")
    note = f"A mark a task; up to n = {table['n'].max()} episodes each. On the line both agree."
    stamp(figure, note, model)
    return figure


@styled
def figure1(table: pd.DataFrame, model: str) -> Figure:
    """Figure 1: the zero-shot planner by environment, the paper's bars and ours."""
    figure, axes = plt.subplots(figsize=(PAGE, 2.3))
    names = [f"{e}\n{c} controller" for e, c in zip(table["environment"], table["controller"], strict=True)]
    x = np.arange(len(table))
    for label, column, shift, look in (("the paper", "paper", -0.2, 1), ("ours", "value", 0.2, 4)):
        axes.bar(x + shift, 100 * table[column], 0.38, label=label, **figstyle.bar(look))
        for place in x[table[column].isna()]:
            style: Any = {"rotation": 90, "ha": "center", "va": "bottom", "fontsize": 6, "color": "0.4"}
            axes.text(place + shift, 1, "none", **style)
    whisker(axes, x + 0.2, table, 100)
    axes.set_xticks(x, names, fontsize=6.2)
    axes.set_ylabel("Success (%)")
    legend(figure, axes, 2)
    stamp(figure, f"Zero-shot planner; n = {_sizes(table)} episodes; 95 % (Wilson).", model)
    return figure


@styled
def figure9(table: pd.DataFrame, model: str) -> Figure:
    """Figure 9: how far the diamond task was carried, by milestone; a panel a world, a line a method."""
    shown = _played(table)
    figure, grid = plt.subplots(1, max(1, len(shown)), figsize=(PAGE, 2.7), sharey=True, squeeze=False)
    for axes, world in zip(grid[0], shown, strict=False):
        mine = table[table["world"] == world]
        played = {m: LABELS[m] for m in ("deps", "dep", "inner_monologue", "gpt") if m in set(mine["method"])}
        lines(axes, series(mine, "method", played), "order", [LABELS["deps"]])
        steps = mine.drop_duplicates("order")
        axes.set_xticks(steps["order"], steps["milestone"].str.replace("_", " "), rotation=90, fontsize=6.2)
        axes.set_title(NAMES[world])
    legend(figure, grid[0], 4)
    grid[0, 0].set_ylabel("Episodes that ever held it (%)")
    note = f"n = {_sizes(table)} episodes a line; band: DEPS, 95 % (Wilson). The paper prints no numbers."
    stamp(figure, note, model)
    return figure


def verdicts(table: pd.DataFrame, model: str) -> Figure:
    """All claims."""
    note = f"n up to {table['pairs'].max():.0f} pairs of episodes a claim; 95 % over tasks."
    return plots.verdicts(table, model, note, wide=100)
