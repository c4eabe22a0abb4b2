"""The figures of notebook 05."""

from __future__ import annotations

from collections.abc import Mapping

import ipywidgets as widgets
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
from IPython.display import Image
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from scipy.stats import gaussian_kde

from mnemocraft import figstyle
from mnemocraft.figstyle import COLOURS, HEAT, LINES, PAGE, stamp, styled
from mnemocraft.gnn import SceneGraph
from mnemocraft.memory.session import SAME
from mnemocraft.memory.traces import TAU
from mnemocraft.studies.estimates import span
from mnemocraft.studies.gig.separation.embeddings import RELATIONS, Distances, Floats, of_all, of_two
from mnemocraft.studies.gig.separation.retrieval import TAUS
from mnemocraft.studies.plots import explorer, legend, lines, logarithmic, per_cent, points, series

COMPARED = ("trained", "untrained", "bag of nodes", "shuffled edges")
TYPES = ("Station", "Item", "Player", "Container", "Meal")
FAR = 1.1
"""Distance at which the scales of Figures 3 and 11 end, which are thus the same."""
SAMPLE = 4_000
"""Distances that a density is drawn from, about."""


# --- method ----------------------------------------------------------------------------------------


@styled
def method(graph: SceneGraph, title: str) -> Figure:
    """A scene graph as it is parsed from an observation, and what becomes of it."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 2.9), width_ratios=(1.5, 1))
    net = nx.Graph([(graph.names[a], graph.names[b]) for a, b, _ in graph.edges])
    net.add_nodes_from(graph.names)
    kinds = dict(zip(graph.names, (text.partition(":")[0] for text in graph.texts), strict=True))
    hub = [("hub", name) for name in net if kinds[name] == "Station"]  # spreads them in a circle; not drawn
    place = nx.kamada_kawai_layout(nx.Graph([*net.edges, *hub]))
    nx.draw_networkx_edges(net, place, ax=left, edge_color="0.6", width=0.8)
    for i, kind in enumerate(TYPES):
        mine = [name for name in net if kinds[name] == kind]
        style = {"node_color": COLOURS[i], "node_shape": figstyle.MARKERS[i], "node_size": 40}
        nx.draw_networkx_nodes(net, place, mine, ax=left, label=kind, **style)
    shifted = {name: place[name] + (0, 0.09) for name in net}
    nx.draw_networkx_labels(net, shifted, ax=left, font_size=7)
    left.set_title(title)
    left.legend(loc="lower left", handletextpad=0.1)
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
        axes.text(0.5, y, step, ha="center", va="center", fontsize=7, bbox=box)
    for y in np.linspace(0.95, 0.05, len(steps))[:-1]:
        axes.annotate("", (0.5, y - 0.15), (0.5, y - 0.09), arrowprops={"arrowstyle": "->", "color": "0.2"})
    axes.set_axis_off()


# --- two traces: Figures 3 and 11 ------------------------------------------------------------------


@styled
def two_traces(found: Distances, one: int, other: int) -> Figure:
    """Heat map of the distances of all states of two traces, and densities within and between them."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 2.7), width_ratios=(1, 1.15))
    states = np.concatenate([found.states[one], found.states[other]])
    matrix = np.linalg.norm(states[:, None] - states, axis=2)
    image = left.imshow(matrix, cmap=HEAT, vmin=0, vmax=FAR)
    figure.colorbar(image, ax=left, label="Euclidean distance", fraction=0.046, pad=0.03, extend="max")
    cut = len(found.states[one]) - 0.5
    left.axhline(cut, color="white", lw=0.8)
    left.axvline(cut, color="white", lw=0.8)
    y, x = np.nonzero(matrix < SAME)
    again = np.abs(x - y) > 1
    left.plot(x[again], y[again], "s", ms=1.8, mfc="none", mec="white", mew=0.4)
    for axis in (left.xaxis, left.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    left.set_xlabel("Step of the first trace, then of the second")
    left.set_ylabel("Step")
    _densities(right, of_two(found, one, other))
    right.set_xlim(0, FAR)
    right.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, columnspacing=1)
    first, second = (f"{found.traces[i].name} (n = {len(found.states[i])}" for i in (one, other))
    stamp(figure, f"{first} states) and {second}). White squares: one state at two times (a loop).")
    return figure


def _densities(axes: Axes, distances: Mapping[str, Floats]) -> None:
    """Densities of distances by kind, each scaled to its peak; the threshold as a vertical line."""
    x = np.linspace(0, 1.1 * max(np.quantile(values, 0.995) for values in distances.values()), 300)
    for i, (kind, values) in enumerate(distances.items()):
        if np.ptp(values) < 1e-6:
            continue
        y = gaussian_kde(values[:: len(values) // SAMPLE + 1])(x)
        axes.plot(x, y / y.max(), color=COLOURS[i], linestyle=LINES[i], label=kind)
    axes.axvline(TAU, color="0.2", lw=0.7, ls=(0, (1, 1)))
    axes.text(TAU, 1.02, " τ")
    axes.set(ylim=(0, 1.1), yticks=[], xlabel="Euclidean distance", ylabel="Density (peak = 1)")


# --- all traces ------------------------------------------------------------------------------------


@styled
def densities(found: Mapping[str, Distances]) -> Figure:
    """The three densities over all held-out traces, one panel an encoder."""
    figure, grid = plt.subplots(1, len(COMPARED), figsize=(PAGE, 2.1), sharex=True, sharey=True)
    for axes, name in zip(grid, COMPARED, strict=True):
        _densities(axes, of_all(found[name]))
        axes.set_title(name)
        axes.label_outer()
    grid[0].set_xlim(left=0)
    legend(figure, grid[0], 3)
    trained = found["trained"]
    note = f"n = {sum(map(len, trained.states)):,} states of {len(trained.traces)} held-out traces."
    stamp(
        figure,
        f"{note} No intervals. Untrained and bag of nodes: scaled to the trained encoder's median.",
    )
    return figure


@styled
def separation(table: pd.DataFrame) -> Figure:
    """Dots with intervals: AUC and silhouette by encoder and by what the two kitchens share."""
    figure, grid = plt.subplots(1, 2, figsize=(PAGE, 2.7), sharey=True)
    nothing = {"auc": (0.5, "AUC (0.5: no separation)"), "silhouette": (0, "Silhouette (0: no separation)")}
    n = table.groupby("kitchens")["n"].max()
    labels = {name: f"{name} (n = {n[name]:,})" for name in RELATIONS if name in n}
    for axes, (measure, (zero, label)) in zip(grid, nothing.items(), strict=True):
        named = series(table[table["measure"] == measure], "kitchens", labels)
        points(axes, named, COMPARED, "encoder", apart=0.17, scale=1, upright=False)
        axes.axvline(zero, color="0.5", lw=0.6, ls=":")
        axes.set_xlabel(label)
    grid[0].set_yticks(range(len(COMPARED)), COMPARED)
    grid[0].invert_yaxis()
    legend(figure, grid[0], 4, title="The two kitchens share (n: pairs of held-out traces)")
    stamp(figure, f"Means over pairs; whiskers: 95 %, over {span(table['clusters'])} kitchens.")
    return figure


@styled
def ablation(separated: pd.DataFrame, adjacent: pd.DataFrame) -> Figure:
    """AUC and silhouette of different kitchens, and neighbours below τ, by the weight of uniformity."""
    apart = separated[separated["kitchens"] == "different kitchens"]
    panels = series(apart, "measure", {"auc": "AUC", "silhouette": "Silhouette"})
    panels["Neighbours below τ"] = adjacent
    names = {"λ = 0": "0", "trained": "0.5", "λ = 2": "2"}
    figure, grid = plt.subplots(1, 3, figsize=(PAGE, 1.9))
    for axes, (label, table) in zip(grid, panels.items(), strict=True):
        points(axes, {label: table}, list(names), "encoder", apart=0, scale=1, joined=True)
        axes.set_xticks(range(len(names)), names.values())
        axes.set(xlabel="λ", ylabel=label)
        axes.margins(x=0.2)
    n = f"n = {span(apart['n'])} pairs of traces (left, middle), {span(adjacent['n'])} neighbours (right)"
    stamp(figure, f"{n}; one training each, 200 epochs. Whiskers: 95 %, over kitchens, not over trainings.")
    return figure


@styled
def retrieval(table: pd.DataFrame) -> Figure:
    """By τ how many states find something in the bank and how good it is, and what other encoders find."""
    labels = {
        "found": "finds something",
        "same_task": "same task",
        "possible": "action possible here",
        "agrees": "oracle's action",
    }
    encoders = {name: name for name in ("trained", "untrained", "bag of nodes")}
    figure, grid = plt.subplots(2, 2, figsize=(PAGE, 4.6), sharey=True)
    bank, counts = table[(table["pool"] == "memory bank") & (table["n"] > 0)], list[str]()
    for (top, bottom), mode in zip(grid.T, ("sync", "async"), strict=True):
        mine = bank[bank["mode"] == mode]
        by_tau = series(mine.query("encoder == 'trained' and tau < inf"), "measure", labels)
        found = by_tau[labels["same_task"]]["n"]
        counts.append(f"{mode} {', '.join(f'{n:,}' for n in found)}")
        lines(top, by_tau, "tau", labels.values(), apart=3)
        for i, rows in enumerate(by_tau.values()):
            top.plot(rows["tau"], 100 * rows["chance"].astype(float), color=COLOURS[i], lw=0.6, ls=":")
        top.axvline(TAU, color="0.2", lw=0.7, ls=(0, (1, 1)))
        logarithmic(top, "x")
        top.set(xlabel="Threshold τ, trained encoder", title=f"{mode}, n = {mine['n'].max()} states")
        top.set_xticks(TAUS, [f"{tau:g}" for tau in TAUS])
        nearest = series(mine[np.isinf(mine["tau"].astype(float))], "encoder", encoders)
        points(bottom, nearest, list(labels)[1:], "measure", apart=0.2)
        bottom.set_xticks(range(3), list(labels.values())[1:])
        bottom.set_xlabel("The nearest stored state, however far")
    for axes in grid[:, 0]:
        per_cent(axes, "Share (%)")
    grid[0, 1].legend(loc="upper left", bbox_to_anchor=(1, 1))
    grid[1, 1].legend(loc="upper left", bbox_to_anchor=(1, 1))
    note = (
        "Solved held-out traces; upper row: of the states that find something, but for the blue line; by τ "
    )
    note += f"these are {'; '.join(counts)}, without whiskers where kitchens are too few or agree."
    stamp(figure, f"{note} Thin dotted: a random stored transition. Whiskers: 95 %, over kitchens.")
    return figure


# --- choosing a pair -------------------------------------------------------------------------------


def chooser(found: Distances) -> widgets.VBox | Image:
    """Two menus of traces and the figure of the chosen pair; headless, that of the first and the last."""
    names = [(trace.name, i) for i, trace in enumerate(found.traces)]
    menus = [
        widgets.Dropdown(options=names, value=value, description=text)
        for text, value in (("first", 0), ("second", len(names) - 1))
    ]
    return explorer(lambda one, other: two_traces(found, one, other), menus, 900)


def all_figures(found: Mapping[str, pd.DataFrame], distances: Mapping[str, Distances]) -> dict[str, Figure]:
    """All figures by the name of their file, from tables and the distances under every encoder."""
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
