"""Figures of notebook 07, from its tables."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from mnemocraft.figstyle import COLUMN, PAGE, stamp, styled
from mnemocraft.studies.m2pa.load import LEVELS, PLAYERS
from mnemocraft.studies.plots import PAPER, legend, per_cent, points, series

RIVALS = {player: PLAYERS[player].label for player in ("m2pa", "deps", "mp5", "plan4mc")}
MEMORIES = {
    "m2pa": "all four memories",
    "more_calls": "no episodic, twice the rounds",
    "working": "no episodic",
    "sensory": "semantic, sensory",
    "semantic": "semantic",
}
APART = 0.17
"""Of marks side by side; two levels are 1 apart."""


@styled
def by_level(table: pd.DataFrame, model: str) -> Figure:
    """Success by level: left M2PA and its rivals with the paper's numbers, right its memories."""
    figure, grid = plt.subplots(1, 2, figsize=(PAGE, 3.0), sharey=True)
    printed = table[table["player"].isin(RIVALS)].dropna(subset=["paper"])
    places = printed["level"].map(LEVELS.index) + APART * (printed["player"].map(list(RIVALS).index) - 1.5)
    grid[0].plot(places, 100 * printed["paper"], "_", color=PAPER, ms=5, label="the paper")
    for axes, labels in zip(grid, (RIVALS, MEMORIES), strict=True):
        points(axes, series(table, "player", labels), LEVELS, "level", apart=APART)
        axes.set_xticks(range(len(LEVELS)), LEVELS)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, columnspacing=0.6)
    per_cent(grid[0], "Success (%)")
    note = f"n = {table['n'].min()} to {table['n'].max()} episodes a mark; whiskers: 95 %, Wilson's."
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
    stamp(figure, f"n = {table['n'].min()} to {table['n'].max()}; whiskers: 95 %, Wilson's.", model)
    return figure
