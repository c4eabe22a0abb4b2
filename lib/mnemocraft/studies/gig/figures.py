"""GiG's figures, drawn from the tables of :mod:`~mnemocraft.studies.gig.tables`; what was not run is said.

Each function takes a table (and the model's name) and returns a matplotlib figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from mnemocraft import figstyle
from mnemocraft.figstyle import PAGE, stamp, styled
from mnemocraft.studies import plots
from mnemocraft.studies.gig.measures import LABELS, MAIN, MODES, WEAK
from mnemocraft.studies.plots import PAPER, bars, series, shifts, whisker, whiskers

STEPPED = ("gig", "gig_exp", "recap", "react")
"""Methods of Figures 4, 5 and 7: CoT has no steps in the paper's tables."""
TASKS = tuple(map(str, range(10)))
MODE_LABELS = {"sync": "synchronous", "async": "asynchronous"}
OUTCOMES = {"success": "success", "failure": "failure"}
ASSUMED = " With context_decay the harm of long prompts is assumed, not found."


def players(model: str, weak: str = "") -> str:
    """The names of one or two models for a stamp, which marks them if either is the surrogate."""
    both = [model, f"{weak} (less able)"] if weak else [model]
    return ", ".join(sorted(both, key=lambda name: not figstyle.is_surrogate(name)))


def _stamp(figure: Figure, note: str, model: str, weak: str = "") -> None:
    names = players(model, weak)
    stamp(figure, note + (ASSUMED if "context_decay" in names else ""), names)


def _faces(labels: Iterable[str]) -> list[Artist]:
    """The looks of bars, for a legend."""
    looks = [(label, figstyle.bar(i)) for i, label in enumerate(labels)]
    return [Patch(label=label, facecolor=look.pop("color"), **look) for label, look in looks]


def _empty(axes: Axes, rows: pd.DataFrame) -> bool:
    """Whether there is nothing to show; the panel then says so."""
    if rows["value"].notna().any():
        return False
    axes.text(0.5, 0.5, "not run", transform=axes.transAxes, ha="center", va="center", color="0.4")
    return True


@styled
def pass_at_1(found: Mapping[str, pd.DataFrame], model: str, weak: str) -> Figure:
    """Tables 1, 2 and 4 in one picture: ours as bars with intervals, each of the paper's models as a mark."""
    tables = [found[name] for name in ("table1", "table2", "table4")]
    figure, grid = plt.subplots(1, 3, figsize=(PAGE, 2.6), sharey=True, width_ratios=(5, 5, 4))
    titles = (*MODE_LABELS.values(), "synchronous, less able model")
    for axes, table, methods, title in zip(grid, tables, (MAIN, MAIN, WEAK), titles, strict=True):
        _pass_panel(axes, table, methods)
        axes.set_title(title)
    grid[0].set_ylabel("Pass@1 (%)")
    n = ", ".join(str(table["n"].max()) for table in tables)
    _stamp(figure, f"n = {n} a bar; bars: 95 % (Wilson). Marks: the paper's models.", model, weak)
    return figure


def _pass_panel(axes: Axes, table: pd.DataFrame, methods: Sequence[str]) -> None:
    ours = table.drop_duplicates("method").set_index("method").reindex(list(methods))
    x = np.arange(len(methods))
    if not _empty(axes, ours):
        axes.bar(x, 100 * ours["value"], 0.7, **figstyle.bar(4))
        whisker(axes, x, ours, 100)
    for i, (model, rows) in enumerate(table.groupby("paper_model", sort=False)):
        paper = rows.set_index("method")["paper"].reindex(list(methods))
        name = str(model).split("-A")[0].removesuffix("-FP4")
        style = figstyle.line(i + 1) | {"linestyle": "none", "mec": "white", "mew": 0.4, "label": name}
        axes.plot(x + 0.16 * (i - 1), 100 * paper, **style)
    axes.set_xticks(x, [LABELS[m] for m in methods], fontsize=6.5)
    axes.set_ylim(0, 135)  # the legend goes above 100 %
    axes.set_yticks(range(0, 101, 20))
    axes.legend(loc="upper right", fontsize=6, handletextpad=0.2)


@styled
def steps(
    found: pd.DataFrame, printed: pd.DataFrame, descriptions: pd.DataFrame, model: str, title: str
) -> Figure:
    """Figures 4, 5 and 7: mean steps by task; full bars success only, outlines all trials, dots the horizon.

    Args:
        found: Our steps of one level and mode (:func:`~mnemocraft.studies.gig.tables.steps`).
        printed: The paper's steps (all trials) by task and method, in column ``paper``; may be empty.
        descriptions: Horizon and oracle of each task (Table 6 or 13).
        title: What was run.
    """
    rows = 1 if printed.empty else 2
    size = (PAGE, 0.5 + 1.9 * rows)
    figure, grid = plt.subplots(rows, 1, figsize=size, sharex=True, sharey=True, squeeze=False)
    ours, paper = grid[-1, 0], grid[0, 0]
    if not _empty(ours, found):
        _step_bars(ours, found)
    ours.plot(range(10), descriptions["oracle_mean"], "_", color="0.15", ms=9, mew=1.2, zorder=5)
    ours.set_title(f"ours, {title}")
    if rows == 2:
        theirs = printed.drop(columns=["value", "low", "high"]).rename(columns={"paper": "value"})
        _step_bars(paper, theirs.assign(low=np.nan, high=np.nan), coloured=True)
        paper.set_title("the paper's Qwen3-235B, a real model: all trials (no others are printed)")
    for axes in grid[:, 0]:
        axes.set_ylabel("Steps")
        axes.plot(range(10), descriptions["horizon"], "o", color=PAPER, ms=3.2, zorder=5)
    ours.set_xticks(range(10), [f"#{task}" for task in TASKS])
    ours.set(xlabel="Task", xlim=(-0.6, 9.6))
    handles: list[Artist] = _faces(LABELS[m] for m in STEPPED)
    handles += [Patch(label="all trials", facecolor="none", edgecolor="0.15", linestyle="--")]
    handles += [Line2D([], [], color=PAPER, marker="o", ls="", label="horizon")]
    handles += [Line2D([], [], color="0.15", marker="_", ls="", label="oracle, mean")]
    figure.legend(handles=handles, loc="outside upper center", ncols=7, columnspacing=1.0, handlelength=1.5)
    n = found["n"].max() if len(found) else 0
    _stamp(figure, f"Failures count the limit of 3 horizons. Up to n = {n:.0f} trials a bar.", model)
    return figure


def _step_bars(axes: Axes, table: pd.DataFrame, *, coloured: bool = False) -> None:
    """Full bars for successes, dashed outlines (in black or coloured) for all trials."""
    for i, (method, shift) in enumerate(zip(STEPPED, shifts(len(STEPPED), 0.2), strict=True)):
        x, mine = np.arange(len(TASKS)) + shift, table[table["method"] == method]
        passed, tried = (
            mine[mine["metric"] == metric].set_index("task").reindex(list(TASKS)).astype({"value": float})
            for metric in ("steps_success", "steps")
        )
        look = figstyle.bar(i)
        axes.bar(x, passed["value"], 0.2, **look)
        outline = {"hatch": look["hatch"], "edgecolor": look["color"]} if coloured else {"edgecolor": "0.15"}
        axes.bar(x, tried["value"], 0.2, fill=False, linestyle="--", linewidth=0.7, **outline)
        axes.errorbar(x, tried["value"], whiskers(tried), fmt="none", ecolor="0.4", elinewidth=0.5)


@styled
def figure9(table: pd.DataFrame, model: str, weak: str) -> Figure:
    """Bars: generated tokens a step, in successes and failures, by method; one panel a part of the study."""
    panels = [("strong", mode, MODE_LABELS[mode]) for mode in MODES] + [("weak", "sync", "less able model")]
    figure, grid = plt.subplots(1, 3, figsize=(PAGE, 2.4), sharey=True, width_ratios=(5, 5, 4))
    for axes, (level, mode, title) in zip(grid, panels, strict=True):
        rows = table[(table["level"] == level) & (table["mode"] == mode)]
        _token_panel(axes, rows, MAIN if level == "strong" else WEAK)
        axes.set_title(title)
    grid[0].set_ylabel("Generated tokens a step")
    figure.legend(handles=_faces(OUTCOMES), loc="outside upper center", ncols=2)
    n = table["n"].sum()
    _stamp(figure, f"n = {n:.0f} episodes, by bar above it; 95 % over kitchens.", model, weak)
    return figure


def _token_panel(axes: Axes, rows: pd.DataFrame, methods: Sequence[str]) -> None:
    axes.set_xticks(range(len(methods)), [LABELS[m] for m in methods], fontsize=6.5)
    if _empty(axes, rows):
        return
    bars(axes, series(rows, "outcome", OUTCOMES), methods, "method", scale=1)
    small: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": 6}
    for shift, outcome in zip(shifts(2, 0.4), OUTCOMES, strict=True):
        mine = rows[rows["outcome"] == outcome].set_index("method").reindex(list(methods))
        tops = mine["value"] + whiskers(mine)[1]
        for at, (top, n) in enumerate(zip(tops, mine["n"], strict=True)):
            none: Any = {} if np.isfinite(top) else {"rotation": 90, "color": "0.4"}
            axes.text(at + shift, 0 if none else top, "none" if none else f"{n:.0f}", **none, **small)


def verdicts(table: pd.DataFrame, model: str, weak: str) -> Figure:
    """The claims about Pass@1."""
    rows = table[table["metric"] == "pass_at_1"]
    note = f"n up to {rows['n'].max():.0f} episodes a claim; 95 % over kitchens."
    return plots.verdicts(rows, players(model, weak), note, "Pass@1", 110)
