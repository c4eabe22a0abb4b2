"""Figures of notebook 03, from its tables."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.figstyle import PAGE, stamp, styled
from mnemocraft.studies.deps.load import GROUPS, WORLDS
from mnemocraft.studies.deps.measures import AVERAGE, LABELS, ROUNDS

PAPER = "#D55E00"
METHODS = tuple(LABELS)
NAMES = {
    "text": "ours, text world",
    "overworld": "ours, overworld, scripted controller",
    "learned": "ours, overworld, learned controller",
}
GREY = "0.88"


def _played(table: pd.DataFrame) -> list[str]:
    """The worlds in which there are episodes."""
    ran = table[table["n"] > 0]
    return [world for world in WORLDS if (ran["world"] == world).any()]


def _ends(rows: pd.DataFrame) -> np.ndarray:
    """Distances in per cent from value to the ends of the interval, shape (2, rows); unknown is 0."""
    ends = np.stack([rows["value"] - rows["low"], rows["high"] - rows["value"]]).astype(float)
    return np.nan_to_num(100 * ends).clip(min=0)


def _grid(axes: Axes, values: pd.DataFrame, title: str) -> None:
    """A heat map with its numbers in per cent; grey is what was not run."""
    numbers = 100 * values.to_numpy(float)
    axes.set_facecolor(GREY)
    axes.imshow(np.ma.masked_invalid(numbers), cmap=figstyle.HEAT, vmin=0, vmax=100, aspect="auto")
    for (row, column), number in np.ndenumerate(numbers):
        if np.isfinite(number):
            colour = "white" if number < 55 else "black"
            axes.text(column, row, f"{number:.0f}", ha="center", va="center", fontsize=6.2, color=colour)
    axes.set_xticks(range(values.shape[1]), values.columns, fontsize=6.2)
    axes.set_title(title)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


@styled
def by_method(table: pd.DataFrame, model: str) -> Figure:
    """Table 2 as heat maps: the paper's, then ours by world; rows are methods, columns meta-tasks."""
    columns = [*GROUPS, AVERAGE]
    panels = [("the paper, MineDojo", table.drop_duplicates(["group", "method"]), "paper")]
    panels += [(NAMES[world], table[table["world"] == world], "value") for world in _played(table)]
    rows = -(-len(panels) // 2)
    figure, grid = plt.subplots(rows, 2, figsize=(PAGE, 0.4 + 1.65 * rows), sharey=True, squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for axes, (title, part, name) in zip(grid.flat, panels, strict=False):
        wide = part.pivot(index="method", columns="group", values=name).reindex(METHODS)[columns]
        _grid(axes, wide, title)
        axes.set_yticks(range(len(METHODS)), [LABELS[method] for method in METHODS])
    most = table[table["group"] == AVERAGE].groupby("world")["n"].max()
    n = ", ".join(f"{most[world]} ({world})" for world in _played(table))
    stamp(figure, f"Success in per cent; grey: not run. Episodes a method: n = {n}.", model)
    return figure


@styled
def rounds(table: pd.DataFrame, model: str) -> Figure:
    """Table 4: success of DEPS against the maximum number of rounds, a panel a meta-task."""
    figure, grid = plt.subplots(2, 4, figsize=(PAGE, 3.5), sharex=True, sharey=True)
    mine = table[table["method"] == "deps"]
    for axes, group in zip(grid.flat, GROUPS, strict=True):
        part = mine[mine["group"] == group]
        for i, world in enumerate(_played(mine)):
            rows = part[part["world"] == world].set_index("max_rounds").reindex(list(ROUNDS))
            x, look = range(len(ROUNDS)), figstyle.line(i)
            axes.plot(x, 100 * rows["value"], label=NAMES[world], **look)
            if world == "text":
                axes.fill_between(x, 100 * rows["low"], 100 * rows["high"], alpha=0.2, lw=0)
        paper = part.drop_duplicates("max_rounds").set_index("max_rounds")["paper"].reindex(list(ROUNDS))
        axes.plot(range(len(ROUNDS)), 100 * paper, "--x", color=PAPER, label="the paper (Codex)")
        axes.set_title(group)
        axes.set_xticks(range(len(ROUNDS)), ["0", "1", "3", "5", "∞"])
    for axes in grid[:, 0]:
        axes.set_ylabel("Success (%)")
    for axes in grid[1]:
        axes.set_xlabel("Rounds allowed")
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2)
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
        for i, method in enumerate(methods):
            mine = both[both["method"] == method]
            look = figstyle.line(i) | {"linestyle": "none", "alpha": 0.6, "markersize": 3.2}
            apart = 0.9 * (i - (len(methods) - 1) / 2)  # else equal rates hide each other
            axes.plot(100 * mine["paper"], 100 * mine["value"] + apart, label=LABELS[method], **look)
        axes.plot([0, 100], [0, 100], color="0.6", lw=0.6)
        axes.set_xlabel(f"The paper's success (%), {title}")
        axes.legend(
            loc="lower left",
            bbox_to_anchor=(-0.02, 1),
            ncols=5,
            columnspacing=0.6,
            handletextpad=0,
            fontsize=6,
        )
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
    axes.bar(x - 0.2, 100 * table["paper"], 0.38, label="the paper", **figstyle.bar(1))
    axes.bar(x + 0.2, 100 * table["value"], 0.38, label="ours", **figstyle.bar(4))
    axes.errorbar(x + 0.2, 100 * table["value"], _ends(table), fmt="none", ecolor="0.2", elinewidth=0.8)
    for place, (ours, paper) in enumerate(zip(table["value"], table["paper"], strict=True)):
        for value, at in ((paper, -0.2), (ours, 0.2)):
            if pd.isna(value):
                axes.text(
                    place + at, 1, "none", rotation=90, ha="center", va="bottom", fontsize=6, color="0.4"
                )
    axes.set_xticks(x, names, fontsize=6.2)
    axes.set_ylabel("Success (%)")
    figure.legend(loc="outside upper center", ncols=2)
    ran = table[table["n"] > 0]
    n = ", ".join(f"{row.n} ({row.world})" for row in ran.itertuples())
    stamp(figure, f"Zero-shot planner; n = {n} episodes; 95 % (Wilson).", model)
    return figure


@styled
def figure9(table: pd.DataFrame, model: str) -> Figure:
    """Figure 9: how far the diamond task was carried, by milestone; a panel a world, a line a method."""
    shown = _played(table)
    figure, grid = plt.subplots(1, max(1, len(shown)), figsize=(PAGE, 2.7), sharey=True, squeeze=False)
    for axes, world in zip(grid[0], shown, strict=False):
        mine = table[table["world"] == world]
        for i, method in enumerate(
            m for m in ("deps", "dep", "inner_monologue", "gpt") if m in set(mine["method"])
        ):
            rows = mine[mine["method"] == method]
            axes.plot(rows["order"], 100 * rows["value"], label=LABELS[method], **figstyle.line(i))
            if method == "deps":
                axes.fill_between(rows["order"], 100 * rows["low"], 100 * rows["high"], alpha=0.15, lw=0)
        axes.set_title(NAMES[world])
        axes.set_xticks(rows["order"], rows["milestone"].str.replace("_", " "), rotation=90, fontsize=6.2)
    handles = {
        label: line for axes in grid[0] for line, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=4)
    grid[0, 0].set_ylabel("Episodes that ever held it (%)")
    n = ", ".join(f"{table[table['world'] == world]['n'].max()} ({world})" for world in shown)
    stamp(figure, f"n = {n} episodes a line; band: DEPS, 95 % (Wilson). The paper prints no numbers.", model)
    return figure


@styled
def verdicts(table: pd.DataFrame, model: str) -> Figure:
    """The claims as differences with their intervals, and the paper's difference as a mark."""
    rows = table.iloc[::-1].reset_index(drop=True)
    figure, axes = plt.subplots(figsize=(PAGE, 0.9 + 0.24 * len(rows)))
    axes.axvline(0, color="0.6", lw=0.6)
    for outcome, i in (("holds", 2), ("undecided", 5), ("fails", 3)):
        mine = rows[(rows["verdict"] == outcome) & rows["effect"].notna()]
        look = figstyle.line(i) | {"linestyle": "none"}
        ends = _ends(mine.rename(columns={"effect": "value"}))
        axes.errorbar(100 * mine["effect"], mine.index, xerr=ends, label=outcome, **look)
    axes.plot(100 * rows["paper_effect"], rows.index, "|", color=PAPER, ms=9, mew=1.6, label="the paper")
    axes.set_yticks(rows.index, rows["claim"] + rows["effect"].isna().map({True: " (not run)", False: ""}))
    axes.set_xlabel("Difference in success (points)")
    figure.legend(loc="outside upper center", ncols=4)
    stamp(figure, f"n up to {rows['n'].max():.0f} episodes a claim; 95 % over games.", model)
    return figure
