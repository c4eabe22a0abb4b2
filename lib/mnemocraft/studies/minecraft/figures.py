"""Figures of notebook 02: frames, maps, skills and speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.figstyle import MIN_FONT, PAGE, stamp, styled
from mnemocraft.studies.estimates import span
from mnemocraft.studies.minecraft.tables import CONTROLLERS
from mnemocraft.studies.minecraft.views import FRAME, View
from mnemocraft.studies.plots import PAPER, legend, logarithmic, points, series

ACROSS = 4
"""Frames in a row of a sheet."""


@styled
def sheet(views: Sequence[View], note: str) -> Figure:
    """Frames in rows, each with its title, biome and tick."""
    rows = max(1, -(-len(views) // ACROSS))
    wide = PAGE / ACROSS
    figure, grid = plt.subplots(
        rows, ACROSS, figsize=(PAGE, rows * (wide * FRAME[0] / FRAME[1] + 0.3) + 0.2), squeeze=False
    )
    figure.set_layout_engine("constrained", w_pad=0.02, h_pad=0.02, wspace=0.01, hspace=0.01)
    for axes in grid.flat:
        axes.set_axis_off()
    for axes, view in zip(grid.flat, views, strict=False):
        axes.imshow(view.picture, interpolation="nearest")
        axes.set_title(view.label, fontsize=MIN_FONT, pad=2)
    stamp(figure, note)
    return figure


@styled
def skills(found: pd.DataFrame) -> Figure:
    """A row a skill: success rates with their 95 % intervals by controller, and the paper's rate.

    Args:
        found: :func:`mnemocraft.studies.minecraft.tables.skills`.
    """
    names = list(dict.fromkeys(found["skill"]))
    figure, axes = plt.subplots(figsize=(PAGE, 0.27 * len(names) + 0.9))
    controllers = {kind: kind for kind in CONTROLLERS}
    points(axes, series(found, "controller", controllers), names, "skill", apart=0.24, scale=1, upright=False)
    paper = found.drop_duplicates("skill").dropna(subset=["paper"])
    style: Any = {"ms": 14, "mew": 1.8, "color": PAPER, "zorder": 5, "clip_on": False}
    y = paper["skill"].map(names.index)
    axes.plot(paper["paper"], y, "|", label="DEPS, Table 18 (learned)", **style)
    for place in range(1, len(names), 2):
        axes.axhspan(place - 0.5, place + 0.5, color="0.955", zorder=0)
    axes.set_yticks(range(len(names)), names)
    axes.set(ylim=(len(names) - 0.5, -0.5), xlim=(-0.02, 1.02), xlabel="Success rate")
    axes.tick_params(axis="y", length=0)
    legend(figure, axes, 4)
    note = f"n = {span(found['n'])} episodes a point; whiskers: 95 %, Wilson's."
    stamp(figure, f"{note} The paper's n is not printed.")
    return figure


@styled
def speed(found: pd.DataFrame, host: str) -> Figure:
    """Points: steps per second on a logarithmic axis, the overworld's beside crafter's.

    Args:
        found: :func:`mnemocraft.studies.minecraft.tables.speed`.
        host: On what it was measured.
    """
    figure, axes = plt.subplots(figsize=(PAGE, 0.24 * len(found) + 0.8))
    for place, (name, rate, times) in enumerate(found.itertuples(index=False)):
        axes.plot(rate, place, **figstyle.line(1 if name.startswith("crafter") else 0) | {"ms": 6})
        axes.annotate(
            f"{rate:,.0f} ({times:,.1f}x)", (rate, place), (8, 0), textcoords="offset points", va="center"
        )
        axes.axhline(place, color="0.9", lw=0.6, zorder=0)
    logarithmic(axes, "x")
    axes.set_yticks(range(len(found)), found["world"])
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.set(xlabel="Steps per second (in brackets: times crafter's)", xlim=(100, 200_000))
    stamp(figure, f"Recorded once, one core: medians of rounds in turns, their spread was not kept: {host}.")
    return figure
