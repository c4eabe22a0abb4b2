"""Figures of notebook 07, from its tables."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from mnemocraft.figstyle import COLUMN, PAGE, is_surrogate, plain, stamp, styled
from mnemocraft.studies.estimates import span
from mnemocraft.studies.m2pa.lifelong import WITH
from mnemocraft.studies.m2pa.load import LEVELS, PLAYERS, SIGHTED
from mnemocraft.studies.m2pa.tables import EASY, HARD
from mnemocraft.studies.plots import PAPER, legend, lines, per_cent, points, series

RIVALS = {player: PLAYERS[player].label for player in ("m2pa", "deps", "mp5", "plan4mc")}
MEMORIES = {
    "m2pa": "all four memories",
    "more_calls": "no episodic, twice the rounds",
    "shuffled": "wrong memories",
    "working": "no episodic",
    "sensory": "semantic, sensory",
    "semantic": "semantic",
}
APART = 0.13
"""Of marks side by side; two levels are 1 apart."""


@styled
def by_level(table: pd.DataFrame, model: str) -> Figure:
    """Success by level: left M2PA and its rivals with the paper's numbers, right its memories."""
    figure, grid = plt.subplots(1, 2, figsize=(PAGE, 3.1), sharey=True)
    printed = table[table["player"].isin(RIVALS)].dropna(subset=["paper"])
    places = printed["level"].map(LEVELS.index) + APART * (printed["player"].map(list(RIVALS).index) - 1.5)
    grid[0].plot(places, 100 * printed["paper"], "_", color=PAPER, ms=5, label="the paper")
    for axes, labels in zip(grid, (RIVALS, MEMORIES), strict=True):
        points(axes, series(table, "player", labels), LEVELS, "level", apart=APART)
        axes.set_xticks(range(len(LEVELS)), LEVELS)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, columnspacing=0.6)
    per_cent(grid[0], "Success (%)")
    note = f"n = {span(table['n'])} episodes a mark; whiskers: 95 %, Wilson's."
    stamp(figure, f"{note} Strokes: the paper's number of the mark in the same place.", model)
    return figure


@styled
def conditional(table: pd.DataFrame, model: str) -> Figure:
    """Figure 7: overall and conditional success by level, with and without episodic memory."""
    figure, axes = plt.subplots(figsize=(COLUMN, 2.9))
    known = {"m2pa": "with", "working": "without"}
    named = {
        f"{rate}, {word} memory": table[(table["player"] == player) & (table["rate"] == rate)]
        for player, word in known.items()
        for rate in ("overall", "conditional")
    }
    points(axes, named, LEVELS, "level", apart=APART)
    axes.set_xticks(range(len(LEVELS)), LEVELS)
    per_cent(axes, "Success (%)")
    legend(figure, axes, 2)
    stamp(figure, f"n = {span(table['n'])}; whiskers: 95 %, Wilson's.", model)
    return figure


@styled
def by_features(table: pd.DataFrame, model: str) -> Figure:
    """Table 3: success by level in the overworld, by what compares its pictures."""
    figure, axes = plt.subplots(figsize=(COLUMN, 2.9))
    labels = {name: SIGHTED[name].label for name in ("controller", "mean_colour", "blind", "shuffled")}
    levels = [level for level in LEVELS if level in set(table["level"])]
    points(axes, series(table, "player", labels), levels, "level", apart=APART)
    axes.set_xticks(range(len(levels)), levels)
    per_cent(axes, "Success (%)")
    legend(figure, axes, 2)
    note = f"n = {span(table['n'])}; whiskers: 95 %, Wilson's. The overworld."
    stamp(figure, f"{note} Neither is the paper's encoder.", model)
    return figure


@styled
def two_models(table: pd.DataFrame, model: str, second: str) -> Figure:
    """Figure 5: success and steps of two models, with and without episodic memory."""
    figure, grid = plt.subplots(1, 2, figsize=(PAGE, 2.6))
    named = {
        f"{who} {plain(name)} {word} memory": table[(table["model"] == name) & (table["memory"] == word)]
        for who, name in (("A:", model), ("B:", second))
        for word in WITH.values()
    }
    points(grid[0], named, (EASY, HARD), "part", apart=APART)
    steps = {label: rows.assign(value=rows["steps"], low=rows["steps"], high=rows["steps"])
             for label, rows in named.items()}  # fmt: skip
    points(grid[1], steps, (EASY, HARD), "part", apart=APART, scale=1)
    per_cent(grid[0], "Success (%)")
    grid[1].set(ylabel="Steps an episode (failures too)", ylim=(0, None))
    for axes in grid:
        axes.set(xlim=(-0.5, 1.5))
        axes.set_xticks((0, 1), (EASY, HARD))
    legend(figure, grid, 2)
    note = "Two stand-ins of different competence are in the place of two language models. "
    mine = note if is_surrogate(model) and is_surrogate(second) else ""
    stamp(figure, f"{mine}n = {span(table['n'])}; 95 %, Wilson's.", model, second)
    return figure


@styled
def fragments(table: pd.DataFrame, reached: pd.DataFrame, model: str) -> Figure:
    """Figure 8: left success at the diamond by sub-goals in the memory, right how far episodes came."""
    figure, grid = plt.subplots(1, 2, figsize=(PAGE, 3.0), width_ratios=(1, 1.7), sharey=True)
    lines(grid[0], {"diamond": table}, "sub_goals", whisked={"diamond"})
    grid[0].set(xlabel="Sub-goals in the memory", xticks=table["sub_goals"])
    per_cent(grid[0], "Episodes (%)")
    ends = sorted(reached["sub_goals"].unique())
    shown = dict.fromkeys(ends[:1] + ends[-1:])
    few = {f"{n} sub-goals given": reached[reached["sub_goals"] == n] for n in shown}
    lines(grid[1], few, "order", whisked=set(few))
    names = reached.drop_duplicates("order")
    grid[1].set_xticks(names["order"], names["milestone"].str.replace("_", " "), rotation=90)
    if few:
        grid[1].legend(loc="lower left")
    grid[0].set_title("diamond in hand")
    grid[1].set_title("goal reached at least once")
    stamp(figure, f"n = {span(table['n'])} episodes a mark; whiskers: 95 %, Wilson's.", model)
    return figure


@styled
def settings(capacities: pd.DataFrame, others: pd.DataFrame, model: str) -> Figure:
    """Figure 9: success by level against capacity; then against the threshold, and in the overworld alpha."""
    figure, grid = plt.subplots(1, 3, figsize=(PAGE, 2.8), sharey=True, width_ratios=(1.4, 1, 1))
    levels = [level for level in LEVELS if level in set(capacities["level"])]
    lines(grid[0], series(capacities, "level", {level: level for level in levels}), "capacity", levels)
    grid[0].set(xscale="log", xlabel="Memories kept at most")
    ticks = sorted(capacities["capacity"].unique())
    grid[0].set_xticks(ticks, ticks)
    grid[0].minorticks_off()
    for axes, name, told in (
        (grid[1], "threshold", "Threshold, all tasks"),
        (grid[2], "alpha", "Alpha, overworld"),
    ):
        rows = others[others["setting"] == name]
        lines(axes, {name: rows}, "at", whisked={name})
        axes.set(xlabel=told, xscale="log" if name == "threshold" else "linear")
        axes.set_xticks(rows["at"], [f"{at:g}" for at in rows["at"]])
        axes.minorticks_off()
    per_cent(grid[0], "Success (%)")
    legend(figure, grid[0], 5)
    by_setting = others.groupby("setting", sort=False)["n"]
    n = ", ".join(span(counts) for counts in (capacities["n"], *(rows for _, rows in by_setting)))
    stamp(figure, f"n = {n} episodes a mark, from left to right; whiskers: 95 %, Wilson's.", model)
    return figure
