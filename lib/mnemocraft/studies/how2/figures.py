"""How2's figures, drawn from the tables of :mod:`~mnemocraft.studies.how2.tables`.

Each function takes a table (and the model's name) and returns a matplotlib figure; what was not run
is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.agents.how2.settings import SETUPS, TEACHERS
from mnemocraft.figstyle import COLOURS, COLUMN, PAGE, stamp, styled
from mnemocraft.studies.estimates import span
from mnemocraft.studies.how2.load import SPLITS
from mnemocraft.studies.plots import bars, heat_map, legend, lines, per_cent, points, series

SETUP_LABELS = {
    "base": "Base",
    "just_ask": "Just Ask",
    "memory_only": "Memory only",
    "parse": "Parse",
    "relevance": "Relevance",
    "how2": "How²",
}
ANSWERS = {
    "executable": "executable",
    "partially-executable": "partially executable",
    "subgoal-partially-executable": "subgoal",
    "non-executable": "non-executable",
}
SPLIT_LABELS = {"low": "low repetition", "high": "high repetition"}
RATES = {"success_rate": "Success rate (%)", "avg_intervention_rate": "Episodes with an\nintervention (%)"}
FIGURE7_ORDER = ("just_ask", "relevance", "memory_only", "parse", "how2")
COUNTS = ("0", "1", ">1")
TARGETS = {
    "known": "known target: made from memory in training",
    "unknown": "unknown: seen only with an answer",
}


@styled
def figure4(table: pd.DataFrame, model: str) -> Figure:
    """Bars: success by the position of the first read_memory call, one bar a teacher."""
    figure, axes = plt.subplots(figsize=(COLUMN, 2.6))
    positions = list(dict.fromkeys(table["first_read"]))
    bars(axes, series(table, "teacher", ANSWERS), positions, "first_read")
    axes.set_xticks(range(len(positions)), positions)
    axes.set_xlabel("Call at which read_memory first came")
    per_cent(axes, RATES["success_rate"])
    legend(figure, axes, 2)
    stamp(figure, f"\nJust Ask, n = {table['n'].sum():.0f} solvable episodes; bars: 95 %.", model)
    return figure


def _heat_rows(table: pd.DataFrame, model: str, teachers: Sequence[str], height: float) -> Figure:
    """Success as colour, per cent and number of episodes as text; misses upwards, hits to the right."""
    size, ratios = (PAGE, height), [0.45, 1, 1, 1, 1]
    figure, grid = plt.subplots(len(teachers), 5, figsize=size, squeeze=False, width_ratios=ratios)
    for line, teacher in zip(grid, teachers, strict=True):
        for setup, axes in zip(SETUPS[1:], line, strict=True):
            rows = table[(table["teacher"] == teacher) & (table["setup"] == setup)]
            hits = ["0"] if setup == "just_ask" else list(COUNTS)
            cell = rows.set_index(["cache_misses", "cache_hits"])
            value, n = (cell[name].unstack().reindex(COUNTS[::-1])[hits] for name in ("value", "n"))
            text = value.map(lambda v: f"{100 * v:.0f} %\n(") + n.fillna(0).astype(int).astype(str) + ")"
            heat_map(axes, value, text)
            if axes is not line[0]:
                axes.set_yticks([])
            if teacher == teachers[0]:
                axes.set_title(SETUP_LABELS[setup])
            if teacher == teachers[-1]:
                axes.set_xlabel("Hits")
        line[0].set_ylabel(f"{ANSWERS[teacher]}\nMisses" if len(teachers) > 1 else "Misses")
    colours = ScalarMappable(Normalize(0, 100), figstyle.HEAT)
    figure.colorbar(colours, ax=grid, label=RATES["success_rate"], fraction=0.03, pad=0.01)
    total = table.loc[table["teacher"].isin(teachers), "n"].sum()
    note = "In brackets: episodes. A correct 'impossible' counts as success. "
    note += f"High repetition, n = {total:.0f}."
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
    counted = lengths.rename(columns={"count": "value"})
    lines(axes, series(counted, "split", SPLIT_LABELS), "path_length", scale=1)
    axes.set_xlabel("Length of the optimal plan (recipes)")
    axes.set_ylabel("Examples")
    axes.set_xticks(sorted(set(lengths["path_length"])))
    axes.set_ylim(bottom=0)
    axes.legend()
    totals = lengths.groupby("split")["count"].sum()
    stamp(figure, f"Data set, solvable examples: n = {totals['low']} (low), {totals['high']} (high).")
    return figure


def _head(axes: Axes, model: str) -> None:
    """Title a panel with who played it; a surrogate's bears the mark, for other panels may be a model's."""
    marked = figstyle.is_surrogate(model)
    axes.set_title(fill(model, 32), pad=15 if marked else None)
    if marked:
        style: Any = {"ha": "center", "fontsize": figstyle.MIN_FONT, "weight": "bold"}
        style |= {"xycoords": "axes fraction", "textcoords": "offset points"}
        axes.annotate(figstyle.SURROGATE_MARK, (0.5, 1), (0, 5), **style)


@styled
def figure7(table1: Mapping[str, pd.DataFrame]) -> Figure:
    """Lines: success by set-up, one line a teacher; the paper's numbers on the left.

    Args:
        table1: Table 1 of each model, by its name; the first one's panels are on the right.
    """
    models = list(table1)[::-1]
    printed = table1[models[0]].drop(columns="value").rename(columns={"paper": "value"})
    shown = {"the paper's Llama 3.3 70B": printed.assign(low=float("nan"), high=float("nan"))}
    shown |= {model: table1[model] for model in models}
    size = (PAGE, 4.4)
    figure, grid = plt.subplots(2, len(shown), figsize=size, sharex=True, sharey=True)
    for line, split in zip(grid, SPLITS, strict=True):
        line[0].set_ylabel(f"{SPLIT_LABELS[split].capitalize()}:\nsuccess rate (%)")
        for axes, table in zip(line, shown.values(), strict=True):
            success = series(table.query("metric == 'overall_sr' and split == @split"), "teacher", ANSWERS)
            points(axes, success, FIGURE7_ORDER, "setup", apart=0.06, joined=True)
            names = [SETUP_LABELS[setup].replace(" ", "\n") for setup in FIGURE7_ORDER]
            axes.set_xticks(range(len(names)), names)
            axes.tick_params(axis="x", labelsize=figstyle.MIN_FONT)  # three panels side by side
    for axes, model in zip(grid[0], shown, strict=True):
        _head(axes, model)
    legend(figure, grid[0, 0], 4)
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
    first = next(iter(verdicts.values()))
    claims, apart = list(first["claim"]), 0.22
    at = [place - apart * (len(verdicts) + 1) / 2 for place in range(len(claims))]
    style: Any = {"ls": "none", "marker": "D", "color": COLOURS[5], "label": "the paper"}
    axes.plot(100 * first["paper_effect"], at, **style)
    ours = {
        _labelled(model, verdicts[model]["n"]): verdicts[model].rename(columns={"effect": "value"})
        for model in list(verdicts)[::-1]
    }
    points(axes, ours, claims, "claim", apart=apart, upright=False)
    axes.axvline(0, color="0.6", lw=0.6, zorder=0)
    names = [f"{h}: {fill(claim, 46)}" for h, claim in zip(first["hypothesis"], claims, strict=True)]
    axes.set_yticks(range(len(claims)), names)
    axes.invert_yaxis()
    axes.set_xlabel("Effect (percentage points)")
    legend(figure, axes, 1)
    stamp(figure, "Bars: 95 % intervals over targets. Each claim says which sign the effect should have.")
    return figure


def _labelled(model: str, n: pd.Series) -> str:
    mark = f" ({figstyle.SURROGATE_MARK})" if figstyle.is_surrogate(model) else ""
    return f"{model}{mark}, n = {span(n)}"


@styled
def known_targets(table: pd.DataFrame, model: str) -> Figure:
    """Bars: success with no teacher and with each kind of answer, targets the model knows and does not."""
    figure, grid = plt.subplots(1, 2, figsize=(PAGE, 2.9), sharey=True)
    table = table[table["setup"].isin(["base", "just_ask"])]
    answers = {"none": "no teacher"} | ANSWERS
    for axes, level, title in zip(grid, ("easy", "all"), ("Easy tasks", "All solvable tasks"), strict=True):
        rows = table[table["difficulty"] == level]
        bars(axes, series(rows, "targets", TARGETS), list(answers), "teacher")
        n = rows.set_index(["teacher", "targets"])["n"].to_dict()
        labels = [f"{n[a, 'known']} | {n[a, 'unknown']}\n{fill(name, 10)}" for a, name in answers.items()]
        axes.set_xticks(range(len(answers)), labels)
        axes.set_xlabel("Answers of the teacher")
        axes.set_title(title)
    per_cent(grid[0], RATES["success_rate"])
    legend(figure, grid[0], 2)
    total = table.query("difficulty == 'all' and targets == 'all'")["n"].sum()
    note = f"Both splits, n = {total:.0f} solvable episodes (under the bars: known | unknown). Lines: 95 %."
    stamp(figure, note, model)
    return figure


@styled
def learning(table: pd.DataFrame, model: str) -> Figure:
    """Lines with bands: success and interventions as the stream goes on, one line a set-up."""
    figure, grid = plt.subplots(2, 2, figsize=(PAGE, 4.0), sharey="row", sharex="col")
    labels = {"episodes": "Episodes seen", "encounters": "Earlier encounters of the target (last: or more)"}
    for line, metric in zip(grid, RATES, strict=True):
        for axes, axis in zip(line, labels, strict=True):
            rows = table[(table["metric"] == metric) & (table["axis"] == axis)]
            lines(axes, series(rows, "setup", SETUP_LABELS), "x", SETUP_LABELS.values())
        per_cent(line[0], RATES[metric])
    for axes, label in zip(grid[1], labels.values(), strict=True):
        axes.set_xlabel(label)
    legend(figure, grid[0, 0], 6)
    n = table.loc[(table["axis"] == "episodes") & (table["metric"] == "avg_intervention_rate"), "n"].sum()
    stamp(figure, f"High repetition, mean over teachers, n = {n:.0f}. Bands: 95 % over targets.", model)
    return figure
