"""Figures of notebook 04."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.figstyle import PAGE, stamp, styled
from mnemocraft.studies import plots
from mnemocraft.studies.deps.selectors.sweep import GOALS, LABELS, NUMBERS
from mnemocraft.studies.deps.selectors.tables import TESTED
from mnemocraft.studies.deps.sights import Sight
from mnemocraft.studies.estimates import span
from mnemocraft.studies.plots import PAPER, legend, lines, logarithmic, per_cent, points, series

NOTE = "No language model plays."


@styled
def success(table: pd.DataFrame) -> Figure:
    """Figure 4: success against episode length, a line a selector; panels by goals and controller."""
    most = table.groupby("controller", sort=False)["n"].max()
    size, played = (PAGE, 0.8 + 2.0 * len(most)), set(table["selector"])
    labels = {name: label for name, label in LABELS.items() if name in played}
    figure, grid = plt.subplots(len(most), 3, figsize=size, sharex=True, sharey=True, squeeze=False)
    for row, controller in zip(grid, most.index, strict=True):
        for axes, number in zip(row, NUMBERS, strict=True):
            mine = table[(table["controller"] == controller) & (table["number"] == number)]
            lines(axes, series(mine, "selector", labels), "length", labels.values(), apart=0)
            logarithmic(axes, "x")
            axes.set_title(f"{number} parallel goals, {controller} controller")
            axes.set_xticks([125, 250, 500, 1000], ["125", "250", "500", "1,000"])
        per_cent(row[0], "Success (%)")
    for axes in grid[-1]:
        axes.set_xlabel("Episode length (steps)")
    legend(figure, grid[0, 0], 4)
    worlds = ", ".join(f"{n} ({name})" for name, n in most.items())
    stamp(
        figure, f"n = {worlds} worlds a point, the same for all selectors; whiskers: 95 %, Wilson's. {NOTE}"
    )
    return figure


@styled
def gains(table: pd.DataFrame) -> Figure:
    """Gain over each rival at one length, by number of goals; the paper's as strokes."""
    table = table[table["length"] == TESTED]
    who = table["one"].map(LABELS) + ", " + table["controller"] + " controller"
    rivals = list(dict.fromkeys(table["other"]))
    figure, grid = plt.subplots(1, len(rivals), figsize=(PAGE, 2.5), sharey=True)
    for axes, other in zip(grid, rivals, strict=True):
        mine = table[table["other"] == other].assign(who=who)
        points(axes, dict(list(mine.groupby("who", sort=False))), NUMBERS, "number", apart=0.14)
        axes.axhline(0, color="0.6", lw=0.6)
        axes.set_title(f"over {LABELS[other]}, {TESTED:,} steps")
        axes.set_xticks(range(len(NUMBERS)), [f"{number} goals" for number in NUMBERS])
    paper = table.query("one == 'horizon' and other == 'fixed'").drop_duplicates("number")
    grid[0].plot(range(len(paper)), 100 * paper["paper"], "_", color=PAPER, ms=22, mew=1.6, label="the paper")
    grid[0].set_ylabel("Gain in success (points)")
    legend(figure, grid[0], 3)
    note = f"n = {span(table['n'])} pairs of episodes a point; whiskers: 95 %, bootstrap over worlds."
    stamp(figure, f"{note} The paper does not say for which length. {NOTE}")
    return figure


@styled
def sights(seen: Sequence[Sight]) -> Figure:
    """Frames, and below each the predicted steps to every goal beside the script's estimate."""
    figure, grid = plt.subplots(
        2, len(seen), figsize=(PAGE, 3.3), height_ratios=(1.15, 1), sharex="row", sharey="row"
    )
    names = [f"{goal.verb} {goal.item}" for goal, _ in GOALS]
    y = np.arange(len(names))
    for sight, top, bottom in zip(seen, grid[0], grid[1], strict=True):
        top.imshow(sight.frame)
        top.set_axis_off()
        top.set_title(sight.title)
        bottom.barh(y, sight.head, 0.6, **figstyle.bar(0) | {"hatch": ""}, label="horizon head")
        bottom.plot(sight.script, y, "D", color=PAPER, ms=4, label="script, which knows the state")
        bottom.set_yticks(y, names)
        bottom.set_xlabel("Steps to the goal")
    grid[1, 0].invert_yaxis()
    legend(figure, grid[1, 0], 2)
    stamp(figure, f"{len(seen)} worlds that the network was not trained in, one look each. {NOTE}")
    return figure


def draw(found: Mapping[str, pd.DataFrame]) -> dict[str, Figure]:
    """All figures that are drawn from tables, by the name of their file."""
    return {
        "figure4": success(found["figure4"]),
        "gains": gains(found["gains"]),
        "verdicts": plots.verdicts(found["hypotheses"], "", NOTE),
    }
