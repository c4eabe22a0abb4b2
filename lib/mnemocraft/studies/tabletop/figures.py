"""Figures of notebook 11: the five tasks as pictures, and success beside the paper's."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mnemocraft.envs import TabletopEnv
from mnemocraft.envs.tabletop.tasks import TASKS
from mnemocraft.figstyle import PAGE, stamp, styled
from mnemocraft.studies.estimates import span
from mnemocraft.studies.plots import PAPER, bars, legend, per_cent, series, shifts
from mnemocraft.studies.tabletop import load
from mnemocraft.studies.tabletop.tables import AVERAGE, TASK_LABELS


@styled
def tasks(seed: int = 4) -> Figure:
    """A scene of every task: at the beginning, and when it is done."""
    figure, grid = plt.subplots(2, len(TASKS), figsize=(PAGE, 2.4))
    for column, (name, task) in zip(grid.T, TASKS.items(), strict=True):
        env = TabletopEnv(name, seed)
        column[0].imshow(env.render())
        column[0].set_title(task.label)
        load.scripted(env)
        column[1].imshow(env.render())
    for axes in grid.flat:
        axes.set_axis_off()
    stamp(figure, "Above the beginning, below the end. Symbolic scenes, not CLIPort's simulator.")
    return figure


@styled
def table8(table: pd.DataFrame, model: str) -> Figure:
    """Success by task and planner, a panel a controller; strokes are the paper's numbers."""
    groups, labels = [*TASK_LABELS, AVERAGE], load.LABELS
    figure, grid = plt.subplots(2, 1, figsize=(PAGE, 4.2), sharex=True)
    for axes, controller in zip(grid, load.CONTROLLERS, strict=True):
        mine = table[table["controller"] == controller]
        bars(axes, series(mine, "method", labels), groups, "label")
        width = 0.8 / len(labels)
        for shift, method in zip(shifts(len(labels), width), labels, strict=True):
            rows = mine[mine["method"] == method]
            printed = rows.set_index("label")["paper"].reindex(groups)
            known = printed.notna().any()
            name = (
                "the paper (CLIPort+oracle in the perfect planner's place)"
                if method == load.PERFECT
                else None
            )
            style = {"color": PAPER, "ms": 9, "mew": 1.6, "label": name if known else None}
            axes.plot(np.arange(len(groups)) + shift, 100 * printed, "_", **style)
        axes.set_title(load.TITLES[controller], loc="left")
        per_cent(axes, "Success (%)")
    grid[1].set_xticks(range(len(groups)), groups)
    legend(figure, grid, 5)
    n = table.loc[table["label"] != AVERAGE, "n"]
    note = f"n = {span(n)} games a bar (average: all of them); whiskers: 95 %, Wilson's."
    stamp(figure, note, model)
    return figure
