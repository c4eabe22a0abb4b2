"""The graph of an item, drawn in layers from what nature gives to the item."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import networkx as nx
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch

from mnemocraft.figstyle import COLOURS, PAGE, stamp, styled

EDGES: dict[str, tuple[str, Any, str]] = {
    "tool": ("0.4", (0, (1, 1)), "left: needs the tool or station"),
    "craft": (COLOURS[0], "-", "right: crafted from"),
    "smelt": (COLOURS[1], (0, (5, 1)), "smelted from"),
    "fuel": (COLOURS[3], (0, (4, 1, 1, 1)), "burns"),
    "mine": (COLOURS[2], "-", "mined with, used up"),
}
"""Colour, dashes and meaning of the edges."""
FILLS = {"mine": "#DFF1EA", "craft": "#E1EEF7", "smelt": "#FCF0D9"}
"""Colour of a box by the verb that gets its item."""
HALF, TALL = 1.35, 0.34
"""Half the width of a box, and half its height; rows are 1 apart."""
SIDE = 1.6
"""Room for arrows on either side."""
BOW = 0.34
"""How far an arrow bows out, as a share of its length."""


@styled
def item_figure(graph: nx.DiGraph, item: str, version: str) -> Figure:
    """A row an item, in bands by layer; ingredients lead down on the right, tools on the left."""
    rows = {name: -row for row, name in enumerate(sorted(graph, key=lambda name: graph.nodes[name]["layer"]))}
    figure, axes = plt.subplots(figsize=(0.75 * PAGE, 0.33 * len(rows) + 0.6))
    _bands(axes, graph, rows)
    for source, target, by in graph.edges(data="by"):
        _arrow(axes, rows[source], rows[target], by)
    for name, row in rows.items():
        _box(axes, row, name, graph)
    axes.set(xlim=(-HALF - SIDE, HALF + SIDE), ylim=(0.5 - len(rows), 0.5))
    axes.set_axis_off()
    used = {by for *_, by in graph.edges(data="by")}
    handles = [
        Line2D([], [], color=c, linestyle=d, label=text) for by, (c, d, text) in EDGES.items() if by in used
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    actions = sum(graph.nodes[name]["count"] for name in graph)
    name = item.replace("_", " ")
    stamp(
        figure,
        f"Shortest plan for 1 {name}, Minecraft {version}: {actions} actions. "
        "After the colon: what one takes.",
    )
    return figure


def _bands(axes: Axes, graph: nx.DiGraph, rows: dict[str, int]) -> None:
    """Every other layer on grey."""
    for layer in range(1, 1 + max(graph.nodes[name]["layer"] for name in graph), 2):
        inside = [row for name, row in rows.items() if graph.nodes[name]["layer"] == layer]
        axes.axhspan(min(inside) - 0.5, max(inside) + 0.5, color="0.955", zorder=0)


def _box(axes: Axes, row: int, name: str, graph: nx.DiGraph) -> None:
    facts = graph.nodes[name]
    takes = [f"{units} {source.replace('_', ' ')}" for source, _, units in graph.in_edges(name, "units")
             if graph.edges[source, name]["by"] in ("craft", "smelt", "mine")]  # fmt: skip
    style: dict[str, Any] = {
        "facecolor": FILLS.get(facts["verb"], "white"),
        "edgecolor": "0.2",
        "linewidth": 0.6,
        "zorder": 2,
    }
    axes.add_patch(plt.Rectangle((-HALF, row - TALL), 2 * HALF, 2 * TALL, **style))
    words = f"{facts['verb']} {facts['count']}x" + (f": {' + '.join(takes)}" if takes else "")
    axes.text(
        0, row + 0.15, name.replace("_", " "), ha="center", va="center", fontsize=7, weight="bold", zorder=3
    )
    axes.text(0, row - 0.16, words, ha="center", va="center", fontsize=6, zorder=3)


def _arrow(axes: Axes, source: int, target: int, by: str) -> None:
    """From the lower part of a box to the upper part of a later one, in a bow."""
    side = -1 if by == "tool" else 1
    colour, dash, _ = EDGES[by]
    patch = FancyArrowPatch(
        (side * HALF, source - 0.15), (side * HALF, target + 0.15), connectionstyle=f"arc3,rad={-side * BOW}",
        arrowstyle="-|>", mutation_scale=6, color=colour, linestyle=dash, linewidth=1.1, shrinkA=0, shrinkB=0,
    )  # fmt: skip
    axes.add_patch(patch)
