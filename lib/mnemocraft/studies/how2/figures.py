"""How2's figures, drawn from the tables of :mod:`~mnemocraft.studies.how2.tables`.

Each function takes a table (and the model's name) and returns a matplotlib figure; what was not run
is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from mnemocraft import figstyle
from mnemocraft.agents.how2.settings import SETUPS, TEACHERS
from mnemocraft.figstyle import COLOURS, COLUMN, PAGE, stamp, styled
from mnemocraft.studies.how2.compare import span
from mnemocraft.studies.how2.load import SPLITS

LABELS = {
    "base": "Base",
    "just_ask": "Just Ask",
    "memory_only": "Memory only",
    "parse": "Parse",
    "relevance": "Relevance",
    "how2": "How²",
    "none": "no teacher",
    "executable": "executable",
    "partially-executable": "partially executable",
    "subgoal-partially-executable": "subgoal",
    "non-executable": "non-executable",
    "low": "low repetition",
    "high": "high repetition",
    "success_rate": "Success rate (%)",
    "avg_intervention_rate": "Episodes with an\nintervention (%)",
}
FIGURE7_ORDER = ("just_ask", "relevance", "memory_only", "parse", "how2")
COUNTS = ("0", "1", ">1")
TARGETS = {
    "known": "known target: made from memory in training",
    "unknown": "unknown: seen only with an answer",
}


def _per_cent(axes: Axes, label: str) -> None:
    axes.set_ylim(0, 100)
    axes.set_yticks(range(0, 101, 25))
    axes.set_ylabel(label)


def _errors(rows: pd.DataFrame) -> np.ndarray:
    """Distances from value to the ends of the interval in per cent, shape (2, rows); unknown is 0."""
    spread = np.stack([rows["value"] - rows["low"], rows["high"] - rows["value"]])
    return np.nan_to_num(100 * spread).clip(min=0)


def _legend(figure: Figure, axes: Axes, columns: int) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=columns, columnspacing=1.0)


@styled
def figure4(table: pd.DataFrame, model: str) -> Figure:
    """Bars: success by the position of the first read_memory call, one bar a teacher."""
    figure, axes = plt.subplots(figsize=(COLUMN, 2.6))
    positions = list(dict.fromkeys(table["first_read"]))
    width = 0.2
    for i, teacher in enumerate(TEACHERS):
        rows = table[table["teacher"] == teacher]
        x = np.arange(len(positions)) + (i - 1.5) * width
        axes.bar(x, 100 * rows["value"], width, label=LABELS[teacher], **figstyle.bar(i))
        axes.errorbar(x, 100 * rows["value"], _errors(rows), fmt="none", ecolor="0.2", elinewidth=0.7)
    axes.set_xticks(range(len(positions)), positions)
    axes.set_xlabel("Call at which read_memory first came")
    _per_cent(axes, "Success rate (%)")
    _legend(figure, axes, 2)
    stamp(figure, f"\nJust Ask, n = {table['n'].sum():.0f} solvable episodes; bars: 95 %.", model)
    return figure


def _heat_map(axes: Axes, rows: pd.DataFrame, columns: Sequence[str]) -> AxesImage:
    """Success as colour, per cent and number of episodes as text; misses upwards, hits to the right."""
    grid = rows.set_index(["cache_misses", "cache_hits"]).reindex(
        pd.MultiIndex.from_product([COUNTS, columns])
    )
    value = grid["value"].to_numpy(float).reshape(len(COUNTS), -1)
    count = grid["n"].fillna(0).to_numpy(int).reshape(len(COUNTS), -1)
    image = axes.imshow(100 * value, vmin=0, vmax=100, cmap=figstyle.HEAT, origin="lower", aspect="auto")
    for (y, x), n in np.ndenumerate(count):
        if n:
            colour = "white" if value[y, x] < 0.5 else "black"
            text = f"{100 * value[y, x]:.0f} %\n({n})"
            axes.text(x, y, text, ha="center", va="center", color=colour, fontsize=6, linespacing=0.95)
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(COUNTS)), COUNTS)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return image


def _heat_rows(table: pd.DataFrame, model: str, teachers: Sequence[str], height: float) -> Figure:
    ratios = [0.45, 1, 1, 1, 1]
    figure, grid = plt.subplots(
        len(teachers), 5, figsize=(PAGE, height), squeeze=False, sharey=True, width_ratios=ratios
    )
    for line, teacher in enumerate(teachers):
        for setup, axes in zip(SETUPS[1:], grid[line], strict=True):
            rows = table[(table["teacher"] == teacher) & (table["setup"] == setup)]
            image = _heat_map(axes, rows, ("0",) if setup == "just_ask" else COUNTS)
            if line == 0:
                axes.set_title(LABELS[setup])
            if line == len(teachers) - 1:
                axes.set_xlabel("Hits")
        name = f"{LABELS[teacher]}\n" if len(teachers) > 1 else ""
        grid[line, 0].set_ylabel(f"{name}Misses")
    figure.colorbar(image, ax=grid, label="Success rate (%)", fraction=0.03, pad=0.01)
    seen = table[table["teacher"].isin(teachers)]
    note = (
        "In brackets: episodes. A correct 'impossible' counts as success. "
        f"High repetition, n = {seen['n'].sum():.0f}."
    )
    stamp(figure, note, model)
    return figure


@styled
def figure5(table: pd.DataFrame, model: str) -> Figure:
    """Heat maps of success by cache misses and hits, executable teacher, one map a set-up."""
    return _heat_rows(table, model, TEACHERS[:1], 2.2)


@styled
def figure8(table: pd.DataFrame, model: str) -> Figure:
    """As Figure 5, one row of maps a teacher."""
    return _heat_rows(table, model, TEACHERS, 6.2)


@styled
def figure6(lengths: pd.DataFrame) -> Figure:
    """Lines: number of solvable examples by length of the optimal plan (recipes), both splits."""
    figure, axes = plt.subplots(figsize=(COLUMN, 2.1))
    for i, split in enumerate(SPLITS):
        rows = lengths[lengths["split"] == split]
        axes.plot(rows["path_length"], rows["count"], label=LABELS[split], **figstyle.line(i))
    axes.set_xlabel("Length of the optimal plan (recipes)")
    axes.set_ylabel("Examples")
    axes.set_xticks(sorted(set(lengths["path_length"])))
    axes.set_ylim(bottom=0)
    axes.legend()
    totals = lengths.groupby("split")["count"].sum()
    stamp(figure, f"Data set, solvable examples: n = {totals['low']} (low), {totals['high']} (high).")
    return figure


def _interaction(axes: Axes, table1: pd.DataFrame, column: str, split: str) -> None:
    success = table1[(table1["metric"] == "overall_sr") & (table1["split"] == split)]
    for i, teacher in enumerate(TEACHERS):
        rows = success[success["teacher"] == teacher].set_index("setup").reindex(list(FIGURE7_ORDER))
        errors = _errors(rows) if column == "value" else None
        x = np.arange(len(rows)) + 0.06 * (i - 1.5)
        style = figstyle.line(i) | {"elinewidth": 0.6, "label": LABELS[teacher]}
        axes.errorbar(x, 100 * rows[column], errors, **style)
    axes.set_xticks(range(len(FIGURE7_ORDER)), [LABELS[s].replace(" ", "\n") for s in FIGURE7_ORDER])
    axes.tick_params(axis="x", labelsize=figstyle.MIN_FONT)  # three panels side by side


def _head(axes: Axes, model: str) -> None:
    """Title a panel with who played it; a surrogate's bears the mark, for other panels may be a model's."""
    marked = figstyle.is_surrogate(model)
    axes.set_title(fill(model, 32), pad=15 if marked else None)
    if marked:
        axes.annotate(
            figstyle.SURROGATE_MARK,
            (0.5, 1),
            (0, 5),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="center",
            fontsize=figstyle.MIN_FONT,
            weight="bold",
        )


@styled
def figure7(table1: Mapping[str, pd.DataFrame]) -> Figure:
    """Lines: success by set-up, one line a teacher; the paper's numbers on the left.

    Args:
        table1: Table 1 of each model, by its name; the first one's panels are on the right.
    """
    models = list(table1)[::-1]
    figure, grid = plt.subplots(2, 1 + len(models), figsize=(PAGE, 4.4), sharex=True, sharey=True)
    for line, split in zip(grid, SPLITS, strict=True):
        _interaction(line[0], table1[models[0]], "paper", split)
        line[0].set_ylabel(f"{LABELS[split].capitalize()}:\nsuccess rate (%)")
        for axes, model in zip(line[1:], models, strict=True):
            _interaction(axes, table1[model], "value", split)
    _head(grid[0, 0], "the paper's Llama 3.3 70B")
    for axes, model in zip(grid[0, 1:], models, strict=True):
        _head(axes, model)
    _legend(figure, grid[0, 0], 4)
    sizes = "; ".join(f"{model}: n = {_solvable(table1[model])}" for model in models)
    stamp(figure, f"{sizes} solvable episodes a point. Bars: 95 % intervals over targets.")
    return figure


def _solvable(table1: pd.DataFrame) -> str:
    return span(table1.loc[(table1["metric"] == "overall_sr") & (table1["teacher"] != "avg"), "n"])


@styled
def effects(verdicts: Mapping[str, pd.DataFrame]) -> Figure:
    """Points with intervals: the effect that every claim is about, in the paper and with each model.

    Args:
        verdicts: The claims as each model's episodes judge them, by the model's name.
    """
    figure, axes = plt.subplots(figsize=(PAGE, 3.7))
    models = list(verdicts)[::-1]
    first = verdicts[models[0]]
    y = np.arange(len(first))
    apart = 0.22
    axes.plot(
        100 * first["paper_effect"], y - apart, ls="none", marker="D", color=COLOURS[5], label="the paper"
    )
    for i, model in enumerate(models):
        rows = verdicts[model].rename(columns={"effect": "value"})
        style = figstyle.line(i) | {"linestyle": "none", "elinewidth": 0.8}
        axes.errorbar(
            100 * rows["value"], y + apart * i, xerr=_errors(rows), label=_labelled(model, rows["n"]), **style
        )
    axes.axvline(0, color="0.6", lw=0.6, zorder=0)
    axes.set_yticks(
        y, [f"{h}: {fill(c, 46)}" for h, c in zip(first["hypothesis"], first["claim"], strict=True)]
    )
    axes.invert_yaxis()
    axes.set_xlabel("Effect (percentage points)")
    _legend(figure, axes, 1)
    stamp(figure, "Bars: 95 % intervals over targets. Each claim says which sign the effect should have.")
    return figure


def _labelled(model: str, n: pd.Series) -> str:
    mark = f" ({figstyle.SURROGATE_MARK})" if figstyle.is_surrogate(model) else ""
    return f"{model}{mark}, n = {span(n)}"


@styled
def known_targets(table: pd.DataFrame, model: str) -> Figure:
    """Bars: success with no teacher and with each kind of answer, targets the model knows and does not."""
    figure, grid = plt.subplots(1, 2, figsize=(PAGE, 2.9), sharey=True)
    for axes, level, title in zip(grid, ("easy", "all"), ("Easy tasks", "All solvable tasks"), strict=True):
        rows = table[(table["difficulty"] == level) & table["setup"].isin(["base", "just_ask"])]
        _known_panel(axes, rows)
        axes.set_title(title)
    _per_cent(grid[0], "Success rate (%)")
    _legend(figure, grid[0], 2)
    n = table.query("difficulty == 'all' and targets == 'all' and setup in ['base', 'just_ask']")["n"].sum()
    note = f"Both splits, n = {n:.0f} solvable episodes (under the bars: known | unknown). Lines: 95 %."
    stamp(figure, note, model)
    return figure


def _known_panel(axes: Axes, rows: pd.DataFrame) -> None:
    answers = ("none", *TEACHERS)
    for i, (group, label) in enumerate(TARGETS.items()):
        mine = rows[rows["targets"] == group].set_index("teacher").reindex(list(answers))
        x = np.arange(len(answers)) + 0.4 * (i - 0.5)
        axes.bar(x, 100 * mine["value"], 0.4, label=label, **figstyle.bar(i))
        axes.errorbar(x, 100 * mine["value"], _errors(mine), fmt="none", ecolor="0.2", elinewidth=0.7)
    n = rows.set_index(["teacher", "targets"])["n"].to_dict()
    labels = [f"{n[a, 'known']} | {n[a, 'unknown']}\n{fill(LABELS[a], 10)}" for a in answers]
    axes.set_xticks(range(len(answers)), labels)
    axes.set_xlabel("Answers of the teacher")


@styled
def learning(table: pd.DataFrame, model: str) -> Figure:
    """Lines with bands: success and interventions as the stream goes on, one line a set-up."""
    figure, grid = plt.subplots(2, 2, figsize=(PAGE, 4.0), sharey="row", sharex="col")
    labels = {"episodes": "Episodes seen", "encounters": "Earlier encounters of the target (last: or more)"}
    for line, metric in zip(grid, ("success_rate", "avg_intervention_rate"), strict=True):
        for axes, axis in zip(line, labels, strict=True):
            rows = table[(table["metric"] == metric) & (table["axis"] == axis)]
            _learning_panel(axes, rows)
            if metric == "avg_intervention_rate":
                axes.set_xlabel(labels[axis])
        _per_cent(line[0], LABELS[metric])
    _legend(figure, grid[0, 0], 6)
    n = table.loc[(table["axis"] == "episodes") & (table["metric"] == "avg_intervention_rate"), "n"].sum()
    stamp(figure, f"High repetition, mean over teachers, n = {n:.0f}. Bands: 95 % over targets.", model)
    return figure


def _learning_panel(axes: Axes, rows: pd.DataFrame) -> None:
    for i, setup in enumerate(SETUPS):
        mine = rows[rows["setup"] == setup]
        axes.plot(mine["x"], 100 * mine["value"], label=LABELS[setup], clip_on=False, **figstyle.line(i))
        low, high = 100 * mine["low"], 100 * mine["high"]
        axes.fill_between(mine["x"], low, high, color=COLOURS[i], alpha=0.1, lw=0)
