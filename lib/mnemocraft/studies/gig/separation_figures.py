"""The figures of notebook 05."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping

import ipywidgets as widgets
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
from IPython.display import HTML
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from scipy.stats import gaussian_kde

from mnemocraft import figstyle
from mnemocraft.figstyle import COLOURS, HEAT, LINES, PAGE, stamp, styled
from mnemocraft.gnn import SceneGraph
from mnemocraft.memory.session import SAME
from mnemocraft.memory.traces import TAU
from mnemocraft.studies.gig.retrieval import TAUS
from mnemocraft.studies.gig.separation import RELATIONS, Distances, Floats, of_all, of_two
from mnemocraft.viewer import headless

COMPARED = ("trained", "untrained", "bag of nodes", "shuffled edges")
TYPES = ("Station", "Item", "Player", "Container", "Meal")
SAMPLE = 4_000
"""Distances that a density is drawn from, about."""


# --- method ----------------------------------------------------------------------------------------


@styled
def method(graph: SceneGraph, title: str) -> Figure:
    """A scene graph as it is parsed from an observation, and what becomes of it."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 2.9), width_ratios=(1.5, 1))
    net = nx.Graph([(graph.names[a], graph.names[b]) for a, b, _ in graph.edges])
    net.add_nodes_from(graph.names)
    stations = [
        name for name, text in zip(graph.names, graph.texts, strict=True) if text.startswith("Station")
    ]
    hub = [("hub", station) for station in stations]  # not drawn; spreads what is not connected around it
    place = nx.kamada_kawai_layout(nx.Graph([*net.edges, *hub]))
    kinds = dict(zip(graph.names, (text.partition(":")[0] for text in graph.texts), strict=True))
    hub = [("hub", name) for name in net if kinds[name] == "Station"]  # spreads them in a circle; not drawn
    place = nx.kamada_kawai_layout(nx.Graph([*net.edges, *hub]))
    nx.draw_networkx_edges(net, place, ax=left, edge_color="0.6", width=0.8)
    for i, kind in enumerate(TYPES):
        mine = [name for name in net if kinds[name] == kind]
        nx.draw_networkx_nodes(
            net,
            place,
            mine,
            ax=left,
            node_color=COLOURS[i],
            node_size=40,
            node_shape=figstyle.MARKERS[i],
            label=kind,
        )
    shifted = {name: place[name] + (0, 0.09) for name in net}
    nx.draw_networkx_labels(net, shifted, ax=left, font_size=6)
    left.set_title(title)
    left.legend(loc="lower left", fontsize=6, handletextpad=0.1)
    left.set_axis_off()
    left.margins(0.12)
    _pipeline(right, graph)
    return figure


def _pipeline(axes: Axes, graph: SceneGraph) -> None:
    text = graph.texts[0].replace("; ", ";\n")
    steps = (
        f"node text\n{text}",
        "MiniLM: 384 numbers a node",
        "GATConv, 4 heads, BatchNorm\nGATConv, 1 head, BatchNorm",
        "mean over nodes\nlinear to 64, BatchNorm",
        "distance of two states\nbelow 0.0001: a loop;  below τ = 0.1: an experience",
    )
    for y, step in zip(np.linspace(0.95, 0.05, len(steps)), steps, strict=True):
        box = {"boxstyle": "round,pad=0.35", "facecolor": "0.93", "edgecolor": "0.3", "linewidth": 0.6}
        axes.text(0.5, y, step, ha="center", va="center", fontsize=6.2, bbox=box)
    for y in np.linspace(0.95, 0.05, len(steps))[:-1]:
        axes.annotate("", (0.5, y - 0.15), (0.5, y - 0.09), arrowprops={"arrowstyle": "->", "color": "0.2"})
    axes.set_axis_off()


# --- two traces: Figures 3 and 11 ------------------------------------------------------------------


@styled
def two_traces(found: Distances, one: int, other: int) -> Figure:
    """Heat map of the distances of all states of two traces, and densities within and between them."""
    names = [found.traces[i].name for i in (one, other)]
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 2.7), width_ratios=(1, 1.15))
    states = np.concatenate([found.states[one], found.states[other]])
    matrix = np.linalg.norm(states[:, None] - states, axis=2)
    image = left.imshow(matrix, cmap=HEAT, vmin=0)
    figure.colorbar(image, ax=left, label="Euclidean distance", fraction=0.046, pad=0.03)
    cut = len(found.states[one]) - 0.5
    left.axhline(cut, color="white", lw=0.8)
    left.axvline(cut, color="white", lw=0.8)
    loops = np.argwhere(
        (matrix < SAME) & (np.abs(np.subtract.outer(range(len(matrix)), range(len(matrix)))) > 1)
    )
    left.plot(loops[:, 1], loops[:, 0], "s", ms=1.8, mfc="none", mec="white", mew=0.4)
    for axis in (left.xaxis, left.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    left.set_xlabel("Step of the first trace, then of the second")
    left.set_ylabel("Step")
    _densities(right, of_two(found, one, other), TAU)
    right.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, columnspacing=1)
    what = "and ".join(
        [f"{names[0]} ({len(found.states[one])} states) ", f"{names[1]} ({len(found.states[other])})"]
    )
    stamp(figure, f"{what}. White squares: one state at two times (a loop).")
    return figure


def _densities(axes: Axes, distances: Mapping[str, Floats], tau: float) -> None:
    """Densities of distances by kind, each scaled to its peak; the threshold as a vertical line."""
    top = max(np.quantile(values, 0.995) for values in distances.values())
    x = np.linspace(0, 1.1 * top, 300)
    for i, (kind, values) in enumerate(distances.items()):
        if np.ptp(values) < 1e-6:
            continue
        y = gaussian_kde(values[:: len(values) // SAMPLE + 1])(x)
        axes.plot(x, y / y.max(), color=COLOURS[i], linestyle=LINES[i], label=kind)
        axes.fill_between(x, y / y.max(), color=COLOURS[i], alpha=0.12, lw=0)
    axes.axvline(tau, color="0.2", lw=0.7, ls=(0, (1, 1)))
    axes.text(tau, 1.02, " τ", fontsize=7)
    axes.set_xlim(0, x[-1])
    axes.set_ylim(0, 1.1)
    axes.set_yticks([])
    axes.set_xlabel("Euclidean distance")
    axes.set_ylabel("Density (peak = 1)")


# --- all traces ------------------------------------------------------------------------------------


@styled
def densities(found: Mapping[str, Distances]) -> Figure:
    """The three densities over all held-out traces, one panel an encoder."""
    figure, grid = plt.subplots(1, len(COMPARED), figsize=(PAGE, 2.1), sharey=True)
    for axes, name in zip(grid, COMPARED, strict=True):
        _densities(axes, of_all(found[name]), TAU)
        axes.set_title(name)
        if axes is not grid[0]:
            axes.set_ylabel("")
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    note = f"{len(found['trained'].traces)} held-out traces, {sum(map(len, found['trained'].states))} states."
    stamp(figure, f"{note} Untrained and bag of nodes: scaled to a median of 1 on the training traces.")
    return figure


@styled
def separation(table: pd.DataFrame) -> Figure:
    """Dots with intervals: AUC and silhouette by encoder and by what the two kitchens share."""
    figure, grid = plt.subplots(1, 2, figsize=(PAGE, 2.5), sharey=True)
    for axes, measure in zip(grid, ("auc", "silhouette"), strict=True):
        for i, kitchens in enumerate(RELATIONS):
            rows = table[(table["measure"] == measure) & (table["kitchens"] == kitchens)]
            rows = rows.set_index("encoder").reindex(list(COMPARED))
            y = np.arange(len(COMPARED)) + 0.17 * (i - 1.5)
            errors = np.nan_to_num([rows["value"] - rows["low"], rows["high"] - rows["value"]]).clip(0)
            style = {"color": COLOURS[i], "marker": figstyle.MARKERS[i], "linestyle": "", "elinewidth": 0.8}
            axes.errorbar(rows["value"], y, xerr=errors, label=kitchens, **style)
        axes.axvline(0.5 if measure == "auc" else 0, color="0.5", lw=0.6, ls=":")
        axes.set_xlabel("AUC (0.5: no separation)" if measure == "auc" else "Silhouette (0: no separation)")
    grid[0].set_yticks(range(len(COMPARED)), COMPARED)
    grid[0].invert_yaxis()
    handles, labels = grid[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, title="The two kitchens share")
    stamp(figure, "Means over pairs of held-out traces; bars: 95 % over kitchens.")
    return figure


@styled
def ablation(separated: pd.DataFrame, adjacent: pd.DataFrame) -> Figure:
    """AUC and silhouette of different kitchens, and neighbours below τ, by the weight of uniformity."""
    panels = {
        "AUC": separated.query("measure == 'auc' and kitchens == 'different kitchens'"),
        "Silhouette": separated.query("measure == 'silhouette' and kitchens == 'different kitchens'"),
        "Neighbours below τ": adjacent,
    }
    names = {"λ = 0": "0", "trained": "0.5", "λ = 2": "2"}
    figure, grid = plt.subplots(1, 3, figsize=(PAGE, 1.9))
    for axes, (label, table) in zip(grid, panels.items(), strict=True):
        rows = table.set_index("encoder").reindex(list(names))
        errors = np.nan_to_num([rows["value"] - rows["low"], rows["high"] - rows["value"]]).clip(0)
        axes.errorbar(range(len(names)), rows["value"], errors, **figstyle.line(0), elinewidth=0.8)
        axes.set_xticks(range(len(names)), names.values())
        axes.set_xlabel("λ")
        axes.set_ylabel(label)
        axes.margins(x=0.2)
    stamp(figure, "200 epochs and one training seed each; bars: 95 % over kitchens.")
    return figure


@styled
def retrieval(table: pd.DataFrame) -> Figure:
    """By τ: how many states find something in the memory bank, and how good that is beside chance."""
    labels = {
        "found": "finds something",
        "same_task": "same task",
        "possible": "action possible here",
        "agrees": "oracle's action",
    }
    figure, grid = plt.subplots(1, 2, figsize=(PAGE, 2.5), sharey=True)
    used = table.query("encoder == 'trained' and pool == 'memory bank' and tau < inf")
    for axes, mode in zip(grid, ("sync", "async"), strict=True):
        for i, (measure, label) in enumerate(labels.items()):
            rows = used.query("mode == @mode and measure == @measure and n > 0")
            axes.plot(rows["tau"], 100 * rows["value"], label=label, **figstyle.line(i))
            axes.fill_between(
                rows["tau"], 100 * rows["low"], 100 * rows["high"], color=COLOURS[i], alpha=0.12, lw=0
            )
            if measure != "found":
                axes.plot(rows["tau"], 100 * rows["chance"], color=COLOURS[i], lw=0.6, ls=":")
        axes.axvline(TAU, color="0.2", lw=0.7, ls=(0, (1, 1)))
        axes.set_xscale("log")
        axes.set_xticks(TAUS, [f"{tau:g}" for tau in TAUS])
        axes.minorticks_off()
        axes.set_ylim(0, 102)
        axes.set_xlabel("Threshold τ")
        axes.set_title(mode)
    grid[0].set_ylabel("Share (%)")
    handles, names = grid[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=4)
    stamp(figure, "States of solved held-out traces. Thin dotted: a random stored transition. Bands: 95 %.")
    return figure


# --- choosing a pair -------------------------------------------------------------------------------


def chooser(found: Distances) -> widgets.VBox | HTML:
    """Two menus of traces and the figure of the chosen pair; headless, that of the first and the last."""
    if headless():
        return HTML(f'<img src="data:image/png;base64,{base64.b64encode(_png(found, 0, -1)).decode()}">')
    names = [(trace.name, i) for i, trace in enumerate(found.traces)]
    one = widgets.Dropdown(options=names, value=0, description="first")
    other = widgets.Dropdown(options=names, value=len(names) - 1, description="second")
    picture = widgets.Image(format="png", width=900)

    def update(_: object = None) -> None:
        picture.value = _png(found, one.value, other.value)

    for menu in (one, other):
        menu.observe(update, "value")
    update()
    return widgets.VBox([widgets.HBox([one, other]), picture])


def _png(found: Distances, one: int, other: int) -> bytes:
    buffer = io.BytesIO()
    figure = two_traces(found, one, other % len(found.traces))
    figure.savefig(buffer, format="png", metadata={"Software": None})
    plt.close(figure)
    return buffer.getvalue()


def all_figures(found: Mapping[str, pd.DataFrame], distances: Mapping[str, Distances]) -> dict[str, Figure]:
    """All figures by the name of their file.

    Args:
        found: The tables ``separation``, ``adjacent`` and ``retrieval``.
        distances: Of every encoder.
    """
    trained = distances["trained"]
    scene = trained.traces[0]
    return {
        "method": method(scene.graphs[len(scene.actions) // 2], scene.name),
        "figure3": two_traces(trained, _most_loops(trained), _first(trained, "sync/3", True)),
        "figure11": two_traces(trained, _first(trained, "async/0", False), _first(trained, "async/3", True)),
        "densities": densities(distances),
        "separation": separation(found["separation"]),
        "ablation": ablation(found["separation"], found["adjacent"]),
        "retrieval": retrieval(found["retrieval"]),
    }


def _most_loops(found: Distances) -> int:
    """The failed synchronous trace whose steps come back most often."""
    failed = [i for i, t in enumerate(found.traces) if not t.solved and t.task.startswith("sync")]
    return max(failed, key=lambda i: np.mean(found.within[i] < SAME))


def _first(found: Distances, task: str, solved: bool) -> int:
    """The first trace of a task with an outcome."""
    return next(i for i, t in enumerate(found.traces) if (t.task, t.solved) == (task, solved))
