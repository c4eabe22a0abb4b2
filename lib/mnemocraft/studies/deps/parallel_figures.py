"""Figures of notebook 04."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.figstyle import PAGE, stamp, styled
from mnemocraft.studies.deps.parallel import GOALS, LABELS, NUMBERS, SELECTORS
from mnemocraft.studies.deps.parallel_tables import TESTED
from mnemocraft.studies.deps.sights import Sight

PAPER = "#D55E00"
NOTE = "No language model plays."


@styled
def success(table: pd.DataFrame) -> Figure:
    """Figure 4: success against episode length, a line a selector; panels by goals and controller."""
    controllers = list(dict.fromkeys(table["controller"]))
    size = (PAGE, 0.7 + 1.9 * len(controllers))
    figure, grid = plt.subplots(len(controllers), 3, figsize=size, sharex=True, sharey=True, squeeze=False)
    for row, controller in zip(grid, controllers, strict=True):
        for axes, number in zip(row, NUMBERS, strict=True):
            mine = table[(table["controller"] == controller) & (table["number"] == number)]
            _lines(axes, mine)
            axes.set_title(f"{number} parallel goals, {controller} controller")
        row[0].set_ylabel("Success (%)")
    for axes in grid[-1]:
        axes.set_xlabel("Episode length (steps)")
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4)
    worlds = ", ".join(f"{_most(table, name)} ({name})" for name in controllers)
    stamp(figure, f"n = {worlds} worlds a point, the same for all selectors; 95 % (Wilson). {NOTE}")
    return figure


def _most(table: pd.DataFrame, controller: str) -> int:
    return int(table[table["controller"] == controller]["n"].max())


def _lines(axes: Axes, table: pd.DataFrame) -> None:
    for i, selector in enumerate(SELECTORS):
        mine = table[table["selector"] == selector]
        if mine.empty:
            continue
        axes.plot(mine["length"], 100 * mine["value"], label=LABELS[selector], **figstyle.line(i))
        colour = figstyle.line(i)["color"]
        axes.fill_between(
            mine["length"], 100 * mine["low"], 100 * mine["high"], color=colour, alpha=0.12, lw=0
        )
    axes.set_ylim(-3, 103)
    axes.set_xscale("log")
    axes.set_xticks([125, 250, 500, 1000], ["125", "250", "500", "1,000"])
    axes.minorticks_off()


@styled
def gains(table: pd.DataFrame, length: int) -> Figure:
    """Gain over each rival at one length, by number of goals; the paper's as strokes."""
    controllers = list(dict.fromkeys(table["controller"]))
    rivals = list(dict.fromkeys(table["other"]))
    figure, grid = plt.subplots(1, len(rivals), figsize=(PAGE, 2.5), sharey=True)
    for axes, other in zip(grid, rivals, strict=True):
        mine = table[(table["other"] == other) & (table["length"] == length)]
        pairs = [(controller, one) for controller in controllers for one in ("horizon", "nearest")]
        for i, (controller, one) in enumerate(pairs):
            rows = mine[(mine["controller"] == controller) & (mine["one"] == one)]
            ends = 100 * np.stack([rows["value"] - rows["low"], rows["high"] - rows["value"]]).astype(float)
            look = figstyle.line(i) | {"linestyle": "none"}
            x = np.arange(len(rows)) + 0.14 * (i - (len(pairs) - 1) / 2)
            label = f"{LABELS[one]}, {controller} controller"
            axes.errorbar(
                x, 100 * rows["value"], np.nan_to_num(ends).clip(0), label=label, elinewidth=0.8, **look
            )
        axes.axhline(0, color="0.6", lw=0.6)
        axes.set_title(f"over {LABELS[other]}, {length:,} steps")
        axes.set_xticks(range(len(NUMBERS)), [f"{number} goals" for number in NUMBERS])
    paper = table[(table["one"] == "horizon") & (table["other"] == "fixed") & (table["length"] == length)]
    paper = paper.drop_duplicates("number")
    grid[0].plot(range(len(paper)), 100 * paper["paper"], "_", color=PAPER, ms=22, mew=1.6, label="the paper")
    grid[0].set_ylabel("Gain in success (points)")
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    stamp(figure, f"95 % (bootstrap over worlds, paired). The paper does not say for which length. {NOTE}")
    return figure


@styled
def sights(seen: Sequence[Sight]) -> Figure:
    """Frames, and below each the predicted steps to every goal beside the script's estimate."""
    columns = len(seen)
    figure, grid = plt.subplots(2, columns, figsize=(PAGE, 3.3), height_ratios=(1.15, 1), sharey="row")
    names = [f"{goal.verb} {goal.item}" for goal, _ in GOALS]
    for sight, top, bottom in zip(seen, grid[0], grid[1], strict=True):
        top.imshow(sight.frame)
        top.set_axis_off()
        top.set_title(sight.title)
        y = np.arange(len(names))
        bottom.barh(y, sight.head, 0.6, **figstyle.bar(0) | {"hatch": ""}, label="horizon head")
        bottom.plot(sight.script, y, "D", color=PAPER, ms=4, label="script, which knows the state")
        bottom.set_yticks(y, names)
        bottom.set_xlabel("Steps to the goal")
    grid[1, 0].invert_yaxis()
    handles, labels = grid[1, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2)
    stamp(figure, f"Worlds that the network was not trained in. {NOTE}")
    return figure


@styled
def verdicts(table: pd.DataFrame) -> Figure:
    """The claims as differences with their intervals, and the paper's difference as a mark."""
    rows = table.iloc[::-1].reset_index(drop=True)
    figure, axes = plt.subplots(figsize=(PAGE, 0.9 + 0.36 * len(rows)))
    axes.axvline(0, color="0.6", lw=0.6)
    for outcome, i in (("holds", 2), ("undecided", 5), ("fails", 3)):
        mine = rows[(rows["verdict"] == outcome) & rows["effect"].notna()]
        ends = 100 * np.stack([mine["effect"] - mine["low"], mine["high"] - mine["effect"]]).astype(float)
        look = figstyle.line(i) | {"linestyle": "none"}
        axes.errorbar(
            100 * mine["effect"], mine.index, xerr=np.nan_to_num(ends).clip(0), label=outcome, **look
        )
    axes.plot(100 * rows["paper_effect"], rows.index, "|", color=PAPER, ms=9, mew=1.6, label="the paper")
    axes.set_yticks(rows.index, [fill(claim, 56) for claim in rows["claim"]])
    axes.margins(y=0.2)
    axes.set_xlabel("Difference in success (points)")
    figure.legend(loc="outside upper center", ncols=4)
    stamp(figure, f"n = {rows['worlds'].max():.0f} worlds at most; 95 % (bootstrap over worlds). {NOTE}")
    return figure


def draw(found: Mapping[str, pd.DataFrame]) -> dict[str, Figure]:
    """All figures that are drawn from tables, by the name of their file."""
    return {
        "figure4": success(found["figure4"]),
        "gains": gains(found["gains"], TESTED),
        "verdicts": verdicts(found["hypotheses"]),
    }
