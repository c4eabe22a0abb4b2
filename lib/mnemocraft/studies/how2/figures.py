"""How2's figures, drawn from the tables of :mod:`~mnemocraft.studies.how2.tables`.

Each function takes a table (and the model's name) and returns a matplotlib figure; what was not run
is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.agents.how2.settings import SETUPS, TEACHERS
from mnemocraft.figstyle import COLUMN, PAGE, stamp, styled
from mnemocraft.studies.claims import ALL
from mnemocraft.studies.estimates import span
from mnemocraft.studies.how2.load import SPLITS
from mnemocraft.studies.plots import (
    PAPER,
    heat_map,
    legend,
    lines,
    merged,
    per_cent,
    points,
    series,
    sizes,
)

WHISKERS = (
    "Whiskers: 95 %, clustered by target; a mark without one has too few targets, all agree, or it hides one."
)
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
    """Points: success by the position of the first read_memory call, one look a teacher.

    Who calls no memory asks nobody either: those episodes are the same with every teacher.
    """
    figure, axes = plt.subplots(figsize=(COLUMN, 3.0))
    ran = table[table["n"] > 0]
    positions = [place for place in dict.fromkeys(table["first_read"]) if place in set(ran["first_read"])]
    alone = ran["first_read"] == "No call"
    named = merged(series(ran[~alone], "teacher", ANSWERS))
    if alone.any():
        named["no teacher is asked"] = ran[alone].drop_duplicates("first_read")
    points(axes, named, positions, "first_read", apart=0.8 / len(named))
    n = ran.groupby("first_read")["n"].max()
    axes.set_xticks(range(len(positions)), [f"{place}\nn = {n[place]:.0f}" for place in positions])
    axes.set_xlim(-0.5, max(1, len(positions)) - 0.5)
    axes.set_xlabel("First call of read_memory; n: solvable episodes a teacher")
    per_cent(axes, RATES["success_rate"])
    legend(figure, axes, 2 if len(named) == len(ANSWERS) else 1)
    stamp(figure, "Just Ask; whiskers: 95 %, clustered by target.", model)
    return figure


def _heat_rows(table: pd.DataFrame, model: str, teachers: Sequence[str]) -> Figure:
    """The paper's success and ours as colour, per cent and episodes; misses upwards, hits to the right."""
    lines = [(teacher, *of) for teacher in teachers for of in (("paper", "paper_n"), ("value", "n"))]
    size, ratios = (PAGE, 0.75 + 0.92 * len(lines)), [0.38, 1, 1, 1, 1]
    figure, grid = plt.subplots(len(lines), 5, figsize=size, squeeze=False, width_ratios=ratios)
    for line, (teacher, value, n) in zip(grid, lines, strict=True):
        for setup, axes in zip(SETUPS[1:], line, strict=True):
            rows = table[(table["teacher"] == teacher) & (table["setup"] == setup)]
            hits = ["0"] if setup == "just_ask" else list(COUNTS)
            cell = rows.set_index(["cache_misses", "cache_hits"])
            share, number, reading = (
                cell[name].unstack().reindex(COUNTS[::-1])[hits] for name in (value, n, "paper_reading")
            )
            episodes = number.map("({:.0f})".format).replace("(nan)", "")
            if value == "paper":
                episodes = episodes.mask(reading == "inferred", episodes + "?")
            heat_map(axes, share, share.map(lambda v: f"{100 * v:.0f} %\n") + episodes)
            axes.label_outer()
        who = "the paper" if value == "paper" else "ours"
        line[0].set_ylabel(f"{fill(ANSWERS[teacher], 12)},\n{who}\nMisses")
    for setup, top, bottom in zip(SETUPS[1:], grid[0], grid[-1], strict=True):
        top.set_title(SETUP_LABELS[setup])
        bottom.set_xlabel("Hits")
    colours = ScalarMappable(Normalize(0, 100), figstyle.HEAT)
    figure.colorbar(colours, ax=grid, label=RATES["success_rate"], fraction=0.03, pad=0.01)
    total = table.loc[table["teacher"].isin(teachers), "n"].sum()
    note = (
        "Hatched: no episodes (ours), no number that could be read (the paper). In brackets: episodes, if "
        "printed; with a question mark, their cell is inferred. A correct 'impossible' counts as success."
    )
    stamp(figure, f"{note} High repetition, n = {total:,.0f} (ours), no intervals.", model)
    return figure


@styled
def figure5(table: pd.DataFrame, model: str) -> Figure:
    """Heat maps of success by cache misses and hits, executable teacher; the paper's above."""
    return _heat_rows(table, model, TEACHERS[:1])


@styled
def figure8(table: pd.DataFrame, model: str) -> Figure:
    """As Figure 5 for the other teachers."""
    return _heat_rows(table, model, TEACHERS[1:])


@styled
def figure6(lengths: pd.DataFrame) -> Figure:
    """Lines: number of solvable examples by length of the optimal plan (recipes), both splits."""
    figure, axes = plt.subplots(figsize=(COLUMN, 2.0))
    counted = lengths.rename(columns={"count": "value"}).assign(low=nan, high=nan)
    lines(axes, series(counted, "split", SPLIT_LABELS), "path_length", scale=1, apart=0)
    axes.set_xlabel("Length of the optimal plan (recipes)")
    axes.set_ylabel("Examples")
    axes.set_xticks(sorted(set(lengths["path_length"])))
    axes.set_ylim(bottom=0)
    axes.legend()
    totals = lengths.groupby("split")["count"].sum()
    stamp(figure, f"Data set, solvable examples: n = {totals['low']} (low), {totals['high']} (high).")
    return figure


def _head(model: str) -> str:
    """Who played, as the title of a panel; a surrogate's is the mark: other panels may be a model's."""
    return figstyle.SURROGATE_MARK if figstyle.is_surrogate(model) else figstyle.called(model)


@styled
def figure7(table1: Mapping[str, pd.DataFrame]) -> Figure:
    """Points: success by set-up, one look a teacher, and without one; a row a model, the paper's first, a
    column a split.

    Args:
        table1: Table 1 of each model, by its name; the first one's panels are the last.
    """
    models = list(table1)[::-1]
    printed = table1[models[0]].drop(columns="value").rename(columns={"paper": "value"})
    shown = {"the paper's Llama 3.3 70B": printed.assign(low=nan, high=nan)}
    shown |= {model: table1[model] for model in models}
    size = (PAGE, 0.8 + 1.5 * len(shown))
    figure, grid = plt.subplots(len(shown), 2, figsize=size, sharex=True, sharey=True)
    for line, (model, table) in zip(grid, shown.items(), strict=True):
        for axes, split in zip(line, SPLITS, strict=True):
            rows = table.query("metric == 'overall_sr' and split == @split")
            success = series(rows, "teacher", ANSWERS)
            points(axes, success, FIGURE7_ORDER, "setup", apart=0.15, joined=model not in table1)
            for alone in 100 * rows.loc[rows["setup"] == "base", "value"]:
                axes.axhline(alone, color="0.5", ls=(0, (4, 3)), lw=0.8, zorder=0, label="no teacher")
            axes.set_title(f"{_head(model)}: {SPLIT_LABELS[split]}")
            axes.set_xticks(range(len(FIGURE7_ORDER)), [SETUP_LABELS[setup] for setup in FIGURE7_ORDER])
        per_cent(line[0], RATES["success_rate"])
    legend(figure, grid[0, 0], 5)
    played = "; ".join(f"{figstyle.called(model)}: n = {_solvable(table1[model])}" for model in models)
    stamp(figure, f"{played} solvable episodes a point. The paper's points are joined. {WHISKERS}")
    return figure


def _solvable(table1: pd.DataFrame) -> str:
    return span(table1.loc[(table1["metric"] == "overall_sr") & (table1["teacher"] != "avg"), "n"])


@styled
def effects(verdicts: Mapping[str, pd.DataFrame]) -> Figure:
    """Points with intervals: the effect that every claim is about, in the paper and with each model.

    Args:
        verdicts: The claims as each model's episodes judge them, by the model's name.
    """
    tables = {model: table[table["part"] == ALL] for model, table in verdicts.items()}
    first = next(iter(tables.values()))
    figure, axes = plt.subplots(figsize=(PAGE, 3.7))
    claims, apart = list(first["claim"]), 0.22
    at = [place - apart * (len(tables) + 1) / 2 for place in range(len(claims))]
    style: Any = {"ls": "none", "marker": "|", "ms": 8, "mew": 1.6, "color": PAPER, "label": "the paper"}
    axes.plot(100 * first["paper_effect"], at, **style)
    ours = {
        f"{_head(model)}, {sizes(table)}": table.rename(columns={"effect": "value"})
        for model, table in reversed(tables.items())
    }
    points(axes, ours, claims, "claim", apart=apart, upright=False)
    axes.axvline(0, color="0.6", lw=0.6, zorder=0)
    names = [f"{h}: {fill(claim, 46)}" for h, claim in zip(first["hypothesis"], claims, strict=True)]
    axes.set_yticks(range(len(claims)), names)
    axes.invert_yaxis()
    axes.set_xlabel("Effect (percentage points)")
    legend(figure, axes, 1)
    stamp(figure, f"{WHISKERS} Each claim says which sign the effect should have.")
    return figure


@styled
def known_targets(table: pd.DataFrame, model: str) -> Figure:
    """Points: success with no teacher and with each kind of answer, targets the model knows and does not."""
    figure, grid = plt.subplots(1, 2, figsize=(PAGE, 2.6), sharey=True)
    table = table[table["setup"].isin(["base", "just_ask"]) & (table["n"] > 0)]
    answers = {"none": "no teacher"} | ANSWERS
    for axes, level, title in zip(grid, ("easy", "all"), ("Easy tasks", "All solvable tasks"), strict=True):
        rows = table[table["difficulty"] == level]
        points(axes, series(rows, "targets", TARGETS), list(answers), "teacher", apart=0.25)
        most = rows[rows["targets"].isin(TARGETS)].groupby("targets")[["n", "n_targets"]].max()
        n = ", ".join(f"{episodes} in {targets} {kind}" for kind, episodes, targets in most.itertuples())
        axes.set_xticks(range(len(answers)), [fill(name, 10) for name in answers.values()])
        axes.set_xlabel(f"Answers of the teacher\n(episodes in targets a point: {n})")
        axes.set_title(title)
    per_cent(grid[0], RATES["success_rate"])
    legend(figure, grid[0], 2)
    stamp(figure, "Both splits. Whiskers: 95 %, Wilson's, over targets.", model)
    return figure


@styled
def learning(table: pd.DataFrame, model: str) -> Figure:
    """Lines with intervals: success and interventions as the stream goes on, one line a set-up."""
    figure, grid = plt.subplots(2, 2, figsize=(PAGE, 4.4), sharey="row", sharex="col")
    labels = {
        "episodes": "Episodes seen",
        "encounters": "Earlier encounters of the target (the last: or more)",
    }
    for line, metric in zip(grid, RATES, strict=True):
        for axes, axis in zip(line, labels, strict=True):
            rows = table[(table["metric"] == metric) & (table["axis"] == axis)]
            lines(axes, series(rows, "setup", SETUP_LABELS), "x", SETUP_LABELS.values(), apart=3)
        per_cent(line[0], RATES[metric])
    for axes, label in zip(grid[1], labels.values(), strict=True):
        axes.set_xlabel(label)
    legend(figure, grid[0, 0], 6)
    note = (
        f"High repetition, mean over teachers, n = {span(table['n'])} a point; marks of a place side by side."
    )
    stamp(figure, f"{note} Whiskers: 95 %, clustered by target.", model)
    return figure
