"""Figures of notebook 08: who attends to what, cost by horizon, crossovers, what episodes cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import Image
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mnemocraft import costs, figstyle
from mnemocraft.costs import Lengths
from mnemocraft.figstyle import COLOURS, COLUMN, MARKERS, PAGE, stamp, styled
from mnemocraft.studies import plots
from mnemocraft.studies.estimates import span
from mnemocraft.studies.gig.measures import LABELS
from mnemocraft.studies.gig.scaling import tables
from mnemocraft.studies.gig.scaling.diagram import diagram
from mnemocraft.studies.gig.scaling.latency import BUDGET_MS, PAPER_MS, REPEATS, Recorded
from mnemocraft.studies.gig.scaling.spending import METHODS, PAIR, PAPER_CROSSOVER
from mnemocraft.studies.gig.scaling.tables import BRANCHING, OBSERVATION, OUTPUT, SYSTEM
from mnemocraft.studies.plots import logarithmic

STEPS = np.unique(np.geomspace(1, tables.LONGEST, 60).round().astype(int))
FIGURE8_BRANCHINGS = (2, 5, 10, 20)
FIGURE10_OUTPUTS = (500, 1000, 2000)
FIGURE10_OBSERVATIONS = (325, 650, 1300)
UNIT = "attended tokens"
MAP_LEVELS = (10, PAPER_CROSSOVER, 50, 100, 200)
PARTS = {
    "features_uncached_ms": "sentence encoder, every node",
    "encode_ms": "graph encoder, node texts looked up",
    "build_ms": "parser",
}


def _cost_axes(axes: Axes, *, first: bool = True) -> None:
    logarithmic(axes, "y")
    axes.set_xlabel("Steps")
    axes.margins(x=0.02)
    if first:
        axes.set_ylabel(f"Attention cost\n({UNIT})")


def _dotted(axes: Axes) -> None:
    """The paper's crossover."""
    axes.axvline(PAPER_CROSSOVER, color="0.5", linewidth=0.7, linestyle=":")


def _costs(
    axes: Axes, react: Mapping[str, tuple[int, Lengths]], gig: Mapping[str, tuple[int, Lengths]]
) -> None:
    """A line an agent by its label, with its look; rings where GiG becomes the cheaper one."""
    for label, (i, lengths) in react.items():
        cost = [costs.react_attention_cost(int(n), *lengths[:3]) for n in STEPS]
        _line(axes, cost, i, "-", label)
    for label, (i, lengths) in gig.items():
        _line(axes, [costs.gig_attention_cost(int(n), *lengths) for n in STEPS], i, "--", label)
        crossover = costs.crossover_horizon(*lengths)
        if crossover and crossover <= tables.LONGEST:
            at = costs.gig_attention_cost(crossover, *lengths)
            axes.plot(crossover, at, marker="o", color="black", fillstyle="none", markersize=8)


def _line(axes: Axes, cost: Sequence[float], i: int, dashes: str, label: str) -> None:
    look: Any = {"color": COLOURS[i], "marker": MARKERS[i], "markevery": (i, 9), "linestyle": dashes}
    axes.plot(STEPS, cost, label=label, **look)


@styled
def compared(system: int, observation: int, output: int, *branchings: int) -> Figure:
    """Lines: total cost by number of steps (Figure 8b), ReAct and GiG with several branching factors.

    With a single branching factor it says from where on GiG is the cheaper one.
    """
    figure, axes = plt.subplots(figsize=(COLUMN, 2.6))
    cases = [Lengths(system, observation, output, branching) for branching in branchings]
    ours = {f"GiG, ε = {c.branching}": (i, c) for i, c in enumerate(cases)}
    _costs(axes, {"ReAct, ReCAP": (5, cases[0])}, ours)
    _cost_axes(axes)
    axes.legend()
    note = f"S = {system}, O = {observation}, R = {output} tokens; rings: GiG is cheaper from here."
    if len(cases) == 1:
        found = [costs.crossover_horizon(*cases[0], factor=factor) for factor in tables.FACTORS]
        names = ("less than ReAct", "a tenth", "a hundredth")
        note = "; ".join(f"{name} from {n}" for name, n in zip(names, found, strict=True))
        note = f"GiG costs {note} steps on."
    stamp(figure, note)
    return figure


@styled
def figure8a(times: Recorded) -> Figure:
    """Points: milliseconds by number of nodes (left) and by size of the memory bank (right), as recorded."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 2.7))
    for i, (column, label) in enumerate(PARTS.items()):
        left.plot(times.graphs["nodes"], times.graphs[column], label=label, **figstyle.line(i))
    left.axhline(BUDGET_MS, color="0.4", linewidth=0.7, linestyle=":", label=f"our target: {BUDGET_MS:g} ms")
    left.axhline(PAPER_MS, color=plots.PAPER, linewidth=1.2, label=f"the paper, building: < {PAPER_MS:g} ms")
    look = figstyle.line(3) | {"label": "closest state of a memory bank"}
    right.plot(times.banks["bank"], times.banks["query_ms"], **look)
    left.set(xlabel="Nodes of the scene graph", ylabel="Milliseconds")
    right.set(xlabel="States in the memory bank", ylabel="Milliseconds")
    for axes in (left, right):
        logarithmic(axes, "x", "y")
    plots.legend(figure, (left, right), 3)
    note = f"Recorded once on {times.machine}: medians of {REPEATS} calls a point; their spread was not kept."
    stamp(figure, f"{note} The paper's text names neither its machine nor its sizes.")
    return figure


@styled
def figure10() -> Figure:
    """Lines: total cost by number of steps, with O fixed on the left and R fixed on the right; ε = 10."""
    figure, grid = plt.subplots(1, 2, figsize=(PAGE, 2.6), sharey=True)
    outputs = {f"R = {r}": Lengths(SYSTEM, OBSERVATION, r, BRANCHING) for r in FIGURE10_OUTPUTS}
    sizes = {f"O = {o}": Lengths(SYSTEM, o, OUTPUT, BRANCHING) for o in FIGURE10_OBSERVATIONS}
    titles = (f"O fixed at {OBSERVATION}", f"R fixed at {OUTPUT}")
    for axes, cases, title in zip(grid, (outputs, sizes), titles, strict=True):
        looks = {name: (i, case) for i, (name, case) in enumerate(cases.items())}
        _costs(axes, *({f"{who}, {name}": look for name, look in looks.items()} for who in ("ReAct", "GiG")))
        _cost_axes(axes, first=axes is grid[0])
        _dotted(axes)
        axes.set_title(title)
        axes.legend(ncols=2)
    marks = f"Dotted: the paper's {PAPER_CROSSOVER} steps; rings: GiG is cheaper from here."
    stamp(figure, f"S = {SYSTEM}, ε = {BRANCHING}. {marks}")
    return figure


@styled
def crossover(table: pd.DataFrame, found: pd.DataFrame, model: str) -> Figure:
    """Left: crossover by branching factor, one line an output length; right: by ratios of lengths at ε = 10.

    Args:
        table: :func:`~mnemocraft.studies.gig.scaling.tables.crossovers`.
        found: :func:`~mnemocraft.studies.gig.scaling.spending.lengths`, marked in the map as they were met.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 3.0))
    for i, (output, rows) in enumerate(table.groupby("output")):
        left.plot(rows["branching"], rows["below_1_1"], label=f"R = {output}", **figstyle.line(i))
    left.axhline(PAPER_CROSSOVER, color="0.5", linewidth=0.7, linestyle=":")
    left.axhspan(10, 82, color="0.93", zorder=0)
    logarithmic(left, "y")
    left.set_xlabel("Branching factor ε (valid actions a step)")
    left.set_ylabel("Steps from which\nGiG is cheaper")
    left.legend()
    _map(right)
    for i, (mode, rows) in enumerate(found[found["method"] == "react"].groupby("mode", sort=False)):
        x, y = rows["output"] / rows["observation"], rows["system"] / rows["observation"]
        right.plot(x, y, marker=MARKERS[i], color=COLOURS[1], linestyle="none", label=f"{mode} kitchens")
    right.legend(loc="upper left", title="Mean lengths met")
    marks = f"grey: listed horizons; dotted: the paper's {PAPER_CROSSOVER}"
    met = span(found["episodes"])
    stamp(
        figure,
        f"Lines: the formulas, no model (left: S = {SYSTEM}, O = {OBSERVATION}; {marks}). "
        f"Marks: n = {met} episodes each of ReAct, played by the {figstyle.called(model)}.",
    )
    return figure


def _map(axes: Axes) -> None:
    """Lines of equal crossover at ε = 10 over the two ratios that decide it."""
    systems = np.linspace(0, 8, 33)
    for level in MAP_LEVELS:
        outputs = [tables.needed_output(level, system, BRANCHING) for system in systems.tolist()]
        axes.plot(outputs, systems, color=COLOURS[0], linestyle="-" if level == PAPER_CROSSOVER else "--")
        axes.text(outputs[-1], systems[-1], f"{level}\nsteps", ha="center", va="bottom")
    logarithmic(axes, "x")
    axes.set_xlim(0.02, 9)
    axes.set_ylim(0, 8)
    axes.set_xticks([0.03, 0.1, 0.3, 1, 3], ["0.03", "0.1", "0.3", "1", "3"])
    axes.set_xlabel("Output / observation (R / O)")
    axes.set_ylabel("System / observation (S / O)")


@styled
def spent(calls: pd.DataFrame, model: str) -> Figure:
    """Lines: what episodes had cost after each call (thin), and the formulas' prediction for one (thick)."""
    modes = list(dict.fromkeys(calls["mode"]))
    figure, grid = plt.subplots(1, len(modes), figsize=(PAGE, 2.6), sharey=True, squeeze=False)
    for axes, mode in zip(grid[0], modes, strict=True):
        for i, method in enumerate(METHODS):
            rows = calls[(calls["mode"] == mode) & (calls["method"] == method)]
            if rows.empty:
                continue
            for _, episode in rows.groupby(["task", "seed"]):
                axes.plot(episode["call"], episode["total"], color=COLOURS[i], linewidth=0.5, alpha=0.6)
            last = rows.loc[rows["call"].idxmax()]
            longest = rows[(rows["task"] == last["task"]) & (rows["seed"] == last["seed"])]
            style = figstyle.line(i) | {"markevery": 0.15}
            axes.plot(longest["call"], longest["predicted"], label=LABELS[method], **style)
        _cost_axes(axes, first=mode == modes[0])
        axes.set(xlabel="Model calls", title=f"{mode} kitchens")
        _dotted(axes)
        axes.legend(loc="lower right")
    count = calls.groupby(["method", *PAIR]).ngroups
    note = f"n = {count} episodes (thin), no intervals. Thick: the formulas for each agent's longest one."
    stamp(figure, note, model)
    return figure


def draw(found: Mapping[str, pd.DataFrame], calls: pd.DataFrame, model: str) -> dict[str, Figure]:
    """All figures by the name of their file; ``found`` are the tables of ``calls``."""
    return {
        "method": diagram(),
        "figure8b": compared(SYSTEM, OBSERVATION, OUTPUT, *FIGURE8_BRANCHINGS),
        "figure10": figure10(),
        "crossover": crossover(found["crossovers"], found["lengths"], model),
        "spent": spent(calls, model),
    }


def explorer() -> widgets.VBox | Image:
    """Sliders for the four lengths over :func:`compared`; headless, its picture at our default lengths."""
    ranges = {
        "system S": (SYSTEM, 0, 8000, 250),
        "observation O": (OBSERVATION, 50, 3000, 50),
        "output R": (OUTPUT, 0, 8000, 50),
        "branching ε": (BRANCHING, 1, 40),
    }
    sliders = [widgets.IntSlider(*numbers, description=name) for name, numbers in ranges.items()]
    return plots.explorer(compared, sliders, 430)
