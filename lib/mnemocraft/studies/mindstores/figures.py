"""Figures of notebook 06, from its tables."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mnemocraft import figstyle
from mnemocraft.figstyle import COLUMN, PAGE, stamp, styled
from mnemocraft.studies import plots
from mnemocraft.studies.deps.load import GROUPS
from mnemocraft.studies.mindstores import small, small_tables
from mnemocraft.studies.mindstores.load import (
    CONTINUAL_PLAYERS,
    FRESH,
    FRESH_PLAYERS,
    NEIGHBOURS,
    SKILL_OF,
    SKILL_PLAYERS,
)
from mnemocraft.studies.mindstores.tables import AVERAGE
from mnemocraft.studies.plots import PAPER, heat_map, legend, lines, per_cent, series
from mnemocraft.studies.small_model import ITEMS

_SHOWN = ("deps", "more_rounds", "unaided", "mindstores")
CAP = 500
"""Iterations after which the paper stopped (Figure 4)."""
LABELS = {name: player.label for name, player in FRESH_PLAYERS.items()}


@styled
def by_meta_task(table: pd.DataFrame, model: str) -> Figure:
    """Figure 3 and Table 4: players by meta-task, the paper's two below ours."""
    order = [*GROUPS, AVERAGE]
    ours = table.pivot(index="label", columns="group", values="value").reindex(columns=order)
    ours = ours.reindex([label for label in LABELS.values() if label in ours.index])
    alike = ours.round(9).apply(tuple, axis=1)
    ours.index = [" = ".join(alike.index[alike == values]) for values in alike]  # players who do the same
    ours = ours[~ours.index.duplicated()]
    paper = table.dropna(subset="paper").pivot(index="label", columns="group", values="paper")
    paper = paper.reindex(columns=order).rename(index=lambda label: f"{label}, paper")
    both = pd.concat([ours, paper])
    figure, axes = plt.subplots(figsize=(PAGE, 0.8 + 0.24 * len(both)))
    heat_map(axes, both, (100 * both).map("{:.0f}".format))
    axes.axhline(len(ours), color="white", lw=2)
    stamp(
        figure, f"Success in per cent; n = {table['n'].max():,} a row of ours. Intervals: table4.csv.", model
    )
    return figure


@styled
def by_neighbours(table: pd.DataFrame, model: str) -> Figure:
    """Figure 5: success against the number of neighbours, on average and by level."""
    labels = {AVERAGE: "all tasks", "MT1": "MT1", "MT4": "MT4", "MT6": "MT6", "MT7": "MT7"}
    places = {k: place for place, k in enumerate(NEIGHBOURS)}
    named = series(table.assign(place=table["k"].map(places)), "group", labels)
    figure, axes = plt.subplots(figsize=(COLUMN, 2.6))
    lines(axes, named, "place", whisked=["all tasks"])
    axes.set_xticks(range(len(NEIGHBOURS)), [str(k) for k in NEIGHBOURS])
    axes.set_xlabel("Experiences shown (k); 0 is DEPS")
    per_cent(axes, "Success (%)")
    legend(figure, axes, 3)
    size = table.loc[table["group"] == AVERAGE, "n"].max()
    stamp(figure, f"n = {size:,} a point of all tasks.", model)
    return figure


@styled
def by_trial(table: pd.DataFrame, model: str) -> Figure:
    """Learning: success by trial, where every task has a memory of its own."""
    mine = table[table["part"] == FRESH]
    figure, axes = plt.subplots(figsize=(COLUMN, 2.6))
    named = plots.merged(series(mine, "player", {name: LABELS[name] for name in _SHOWN}))
    lines(axes, named, "trial", apart=0)
    plt.setp(axes.lines, markevery=3)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("Trial of a task")
    per_cent(axes, "Success (%)")
    legend(figure, axes, 2)
    stamp(figure, f"n = {mine['n'].max():,} a point; intervals: curve.csv.", model)
    return figure


@styled
def other_memories(table: pd.DataFrame, model: str) -> Figure:
    """What other memories do in the place of the nearest experiences."""
    mine = table[table["group"] == AVERAGE].iloc[::-1].reset_index(drop=True)
    figure, axes = plt.subplots(figsize=(COLUMN, 0.9 + 0.25 * len(mine)))
    look = figstyle.line(0) | {"linestyle": "none"}
    axes.errorbar(100 * mine["value"], mine.index, xerr=plots.whiskers(mine, 100), **look)
    axes.set_yticks(mine.index, mine["label"])
    axes.set(xlim=(0, 103), ylim=(-0.6, len(mine) - 0.4), xlabel="Success (%)")
    stamp(figure, f"n = {mine['n'].max():,} a mark; whiskers: 95 %.", model)
    return figure


@styled
def by_task(table: pd.DataFrame, model: str) -> Figure:
    """Table 2 as differences: MindStores less DEPS by task, ours and the paper's."""
    wide = table.pivot_table(
        index=["meta_task", "name"], columns="player", values=["value", "paper"], sort=False
    )
    figure, axes = plt.subplots(figsize=(PAGE, 2.4))
    axes.axhline(0, color="0.6", lw=0.6)
    for column, label, look in (
        ("value", "ours", figstyle.line(0)),
        ("paper", "the paper", {"color": PAPER, "marker": "_", "ms": 7}),
    ):
        if (column, "mindstores") in wide:
            gap = 100 * (wide[column, "mindstores"] - wide[column, "deps"])
            axes.plot(range(len(gap)), gap, label=label, **look | {"linestyle": "none"})
    groups = wide.index.get_level_values("meta_task")
    ends = np.flatnonzero(groups[1:] != groups[:-1]) + 0.5
    for end in ends:
        axes.axvline(end, color="0.8", lw=0.6)
    edges = np.array([-0.5, *ends, len(groups) - 0.5])
    axes.set_xticks((edges[1:] + edges[:-1]) / 2, groups.unique())
    axes.tick_params("x", length=0)
    axes.set(xlim=edges[[0, -1]], xlabel="The paper's tasks", ylabel="MindStores − DEPS (points)")
    legend(figure, axes, 2)
    stamp(figure, f"n = {table['n'].max()} episodes a task and player.", model)
    return figure


@styled
def by_skill(table: pd.DataFrame, learnt: pd.DataFrame, model: str) -> Figure:
    """Figure 4 and Table 3: iterations by skill, the paper's and ours, and what is learnt after how many."""
    figure, (theirs, mine, curve) = plt.subplots(1, 3, figsize=(PAGE, 2.7), width_ratios=(1, 1, 1.1))
    labels = {name: player.label for name, player in SKILL_PLAYERS.items()}
    for axes, column in ((theirs, "paper"), (mine, "value")):
        for shift, (i, (name, label)) in zip(plots.shifts(3, 0.22), enumerate(labels.items()), strict=True):
            rows = table[table["player"] == name].set_index("item").reindex(list(SKILL_OF.values()))
            at, value = np.arange(len(rows)) + shift, rows[column].astype(float)
            ends = [value - rows["fewest"], rows["most"] - value] if column == "value" else None
            look = figstyle.line(i) | {"linestyle": "none", "elinewidth": 0.8}
            axes.errorbar(at, value, yerr=ends, label=label, **look)
        axes.set(yscale="log", title="the paper" if column == "paper" else "ours")
        axes.set_xticks(
            range(len(SKILL_OF)), [name.split(" ", 1)[1] for name in SKILL_OF], rotation=35, ha="right"
        )
    theirs.set_ylabel("Iterations")
    for axes, cap in ((theirs, CAP), (mine, table.loc[table["learnt"] < 1, "most"].max())):
        if not np.isnan(cap):
            axes.axhline(cap, color="0.6", lw=0.6, ls=":")
    plots.logarithmic(theirs, "y")
    plots.logarithmic(mine, "y")
    for i, name in enumerate(labels):
        rows = learnt[learnt["player"] == name]
        look = figstyle.line(i) | {"ms": 2.5}
        curve.plot(rows["iterations"], 100 * rows["value"], drawstyle="steps-post", **look)
    plots.logarithmic(curve, "x")
    per_cent(curve, "Skills learnt (%)")
    curve.set(xlabel="Iterations", title="ours, all six skills")
    legend(figure, mine, 3)
    note = f"n = {table['n'].max()} learners a skill and player; marks: medians, whiskers: fewest and most. "
    stamp(figure, note + "Dotted: who came so far stopped, and did not learn it.", model)
    return figure


@styled
def by_place(table: pd.DataFrame, model: str) -> Figure:
    """Figure 6: plans so far, and entries in the memory, task after task without reset."""
    figure, (plans, entries) = plt.subplots(1, 2, figsize=(PAGE, 2.7))
    labels = {name: player.label for name, player in CONTINUAL_PLAYERS.items()}
    named = plots.merged(series(table, "player", labels))
    lines(plans, named, "place", whisked=["MindStores"], scale=1)
    plans.set(ylabel="Plans carried out so far", ylim=(0, None))
    for i, (label, rows) in enumerate(named.items()):
        if label in (labels["mindstores"], labels["voyager"]):
            entries.plot(rows["place"], rows["entries"], **figstyle.line(i))
    entries.set(ylabel="Entries in the memory", ylim=(0, None))
    for axes in (plans, entries):
        axes.set(xlabel="Tasks done", xticks=sorted(table["place"].unique()))
    legend(figure, plans, 3)
    note = f"n = {table['n'].max()} orders of the tasks, means"
    stamp(figure, f"{note}; MindStores' whiskers: fewest and most.", model)
    return figure


@styled
def learning(table: pd.DataFrame, model: str) -> Figure:
    """The small model: success in the first and the second trial of the tasks, a panel a kind of task."""
    figure, grid = plt.subplots(1, len(ITEMS), figsize=(PAGE, 2.2), sharex=True, sharey=True)
    mine = table[table["trial"] != "both"].astype({"trial": int})
    for axes, items in zip(grid, ITEMS, strict=True):
        named = series(mine[mine["items"] == items], "player", small_tables.LABELS)
        lines(axes, named, "trial", named, apart=4)
        axes.set(title=f"{items} tasks", xlabel="Trial of a task", xticks=range(1, small.TRIALS + 1))
        axes.margins(x=0.3)
    per_cent(grid[0], "Success (%)")
    legend(figure, grid, len(small_tables.LABELS))
    stamp(figure, f"n = {mine['n'].min()} to {mine['n'].max()} episodes a mark; whiskers: 95 %.", model)
    return figure
