"""GiG's figures, drawn from the tables of :mod:`~mnemocraft.studies.gig.tables`; what was not run is said.

Each function takes a table (and the model's name) and returns a matplotlib figure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

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
from mnemocraft.studies.gig import small, small_tables
from mnemocraft.studies.gig.load import MAIN, MODES
from mnemocraft.studies.gig.measures import LABELS, WEAK
from mnemocraft.studies.plots import PAPER, bars, per_cent, points, series, shifts, whiskers
from mnemocraft.studies.small_player import UNKNOWN

STEPPED = ("gig", "gig_exp", "recap", "react")
"""Methods of Figures 4, 5 and 7: CoT has no steps in the paper's tables."""
TASKS = tuple(map(str, range(10)))
MODE_LABELS = {"sync": "synchronous", "async": "asynchronous"}
OUTCOMES = {"success": "success", "failure": "failure"}
LEAST = 5
"""Of fewer episodes no mean is drawn."""
ASSUMED = " With context_decay the harm of long prompts is assumed, not found."


def _stamp(figure: Figure, note: str, *models: str) -> None:
    stamp(figure, note + ASSUMED * any("context_decay" in model for model in models), *models)


def _faces(labels: Iterable[str]) -> list[Artist]:
    """The looks of bars, for a legend."""
    looks = [(label, figstyle.bar(i)) for i, label in enumerate(labels)]
    return [Patch(label=label, facecolor=look.pop("color"), **look) for label, look in looks]


def _empty(axes: Axes, rows: pd.DataFrame) -> bool:
    """Whether there is nothing to show; the panel then says so."""
    if rows["value"].notna().any():
        return False
    why = "not run" if not rows["n"].any() else f"fewer than {LEAST} episodes"
    axes.text(0.5, 0.5, why, transform=axes.transAxes, ha="center", va="center", color="0.4")
    return True


@styled
def pass_at_1(found: Mapping[str, pd.DataFrame], model: str, weak: str) -> Figure:
    """Tables 1, 2 and 4 in one picture: ours with intervals, and each of the paper's models beside it."""
    tables = [found[name] for name in ("table1", "table2", "table4")]
    figure, grid = plt.subplots(1, 3, figsize=(PAGE, 2.7), sharey=True, width_ratios=(5, 5, 4))
    titles = (*MODE_LABELS.values(), "less able model")
    models = list(dict.fromkeys(pd.concat(tables)["paper_model"]))
    for axes, table, methods, title in zip(grid, tables, (MAIN, MAIN, WEAK), titles, strict=True):
        _pass_panel(axes, table, methods, models)
        axes.set_xlabel(f"{title}, n = {table['n'].max()} a point")
    per_cent(grid[0], "Pass@1 (%)")
    plots.legend(figure, grid, 6)
    note = "Right of ours: the paper's (no intervals). Less able: synchronous. Whiskers: 95 %, Wilson's."
    _stamp(figure, note, model, weak)
    return figure


def _pass_panel(axes: Axes, table: pd.DataFrame, methods: Sequence[str], models: Sequence[str]) -> None:
    named = {"ours": table.drop_duplicates("method")}
    printed = table.drop(columns="value").rename(columns={"paper": "value"}).assign(low=np.nan, high=np.nan)
    for model in models:
        named[model.split("-A")[0].removesuffix("-FP4")] = printed[printed["paper_model"] == model]
    _empty(axes, named["ours"])
    points(axes, named, methods, "method", apart=0.17)
    axes.set_xticks(range(len(methods)), [LABELS[m].replace("+", "\n+") for m in methods])


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
    size = (PAGE, 0.6 + 1.9 * rows)
    figure, grid = plt.subplots(rows, 1, figsize=size, sharex=True, sharey=True, squeeze=False)
    ours, paper = grid[-1, 0], grid[0, 0]
    n = found["n"].max() if len(found) else 0
    found = found[found["n"] >= LEAST]
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
    ours.set(xlabel="Task", xlim=(-0.6, 9.6), ylim=(0, None))
    handles: list[Artist] = _faces(LABELS[m] for m in STEPPED)
    handles += [Patch(label="all trials", facecolor="none", edgecolor="0.15", linestyle="--")]
    handles += [Line2D([], [], color=PAPER, marker="o", ls="", label="horizon")]
    handles += [Line2D([], [], color="0.15", marker="_", ls="", label="oracle, mean")]
    figure.legend(handles=handles, loc="outside upper center", ncols=7, columnspacing=1.0, handlelength=1.5)
    note = (
        f"Failures count the limit of 3 horizons. Up to n = {n:.0f} trials a bar, none of fewer than {LEAST};"
    )
    _stamp(figure, f"{note} whiskers: 95 %, clustered by kitchen.", model)
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
    note = f"n = {table['n'].sum():.0f} episodes, successes over failures (no bar: under {LEAST})."
    _stamp(figure, f"{note} Whiskers: 95 %, clustered by kitchen.", model, weak)
    return figure


def _token_panel(axes: Axes, rows: pd.DataFrame, methods: Sequence[str]) -> None:
    count = rows.pivot_table(index="method", columns="outcome", values="n", aggfunc="sum")
    count = count.reindex(index=list(methods), columns=list(OUTCOMES)).fillna(0)
    numbers = [f"{success:.0f}\n{failure:.0f}" for success, failure in count.itertuples(index=False)]
    names = [LABELS[method].replace("+", "\n+") for method in methods]
    axes.set_xticks(range(len(methods)), [f"{n}\n{name}" for name, n in zip(names, numbers, strict=True)])
    if not _empty(axes, rows):
        bars(axes, series(rows[rows["n"] >= LEAST], "outcome", OUTCOMES), methods, "method", scale=1)


def verdicts(table: pd.DataFrame, model: str, weak: str) -> Figure:
    """The claims about Pass@1."""
    rows = table[table["metric"] == "pass_at_1"]
    note = f"Less able model: {figstyle.called(weak)}." if weak else ""
    return plots.verdicts(rows, model, note, "Pass@1")


@styled
def dishes(table: pd.DataFrame, model: str) -> Figure:
    """The small model: Pass@1 by kind of dish and method. The paper's models know all dishes."""
    figure, axes = plt.subplots(figsize=(PAGE, 2.6))
    methods = list(dict.fromkeys(table["method"]))
    kinds = {
        small.KNOWN_SHORT: "short dishes that were shown",
        small.KNOWN_LONG: "long ones that were shown",
        UNKNOWN: "dishes that were not",
    }
    points(axes, series(table, "items", kinds), methods, "method", apart=0.2)
    named = [re.sub(r" ?\(", "\n(", small_tables.LABELS[method]) for method in methods]
    named = [re.sub(r" (?=[^(]*\))", "\n", name) for name in named]  # within brackets too: they are wide
    axes.set_xticks(range(len(methods)), named)
    per_cent(axes, "Pass@1 (%)")
    plots.legend(figure, axes, 3)
    count = table.loc[table["items"].isin(kinds), "n"].max()
    _stamp(figure, f"n = {count} kitchens a mark at most; whiskers: 95 %, Wilson's, over layouts.", model)
    return figure
