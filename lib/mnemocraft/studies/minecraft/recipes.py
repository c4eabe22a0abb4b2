"""The rules of an item as a graph of what goes into it, its picture, and how the versions differ in it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import matplotlib.pyplot as plt
import networkx as nx
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch

from mnemocraft.envs.minecraft import VERSIONS, ancestors, plan, raw_materials, rules
from mnemocraft.envs.minecraft.engine import Inventory, engine
from mnemocraft.envs.minecraft.operators import Operator
from mnemocraft.errors import MnemocraftError
from mnemocraft.figstyle import COLOURS, PAGE, stamp, styled

VERSION = "1.11.2"
"""The version whose rules the overworld has."""


def item_graph(item: str, version: str = VERSION) -> nx.DiGraph:
    """What the shortest plan for an item makes, and what goes into what.

    Returns:
        Nodes are items, in the plan's order, with ``verb``, ``count`` (how often the plan does it) and
        ``layer`` (the longest way to it). Edges have ``by``: ``craft`` or ``smelt`` (it is used up), ``fuel``
        (it is burnt) or ``tool`` (a tool or station that stays), and ``units``: how many an action takes. No
        edge leads back: what the plan first makes later than the item it goes into is left out.

    Raises:
        MnemocraftError: there is no such item, or no plan for it.
    """
    found = plan(item, version=version)
    if not found:
        raise MnemocraftError(found.reason)
    world, graph = engine(version, "game"), nx.DiGraph()
    inventory: Inventory = {}
    heat = 0
    for step in (once for once in found.steps for _ in range(once.count)):
        way = world.choose((step.verb, step.item), inventory, heat, step.using)
        assert way is not None  # a plan can be carried out
        before, (inventory, heat) = inventory, world.apply(way, inventory, heat, step.using)
        graph.add_node(step.item, verb=step.verb)
        graph.nodes[step.item]["count"] = graph.nodes[step.item].get("count", 0) + 1
        _join(graph, way, before, inventory)
    for layer, nodes in enumerate(nx.topological_generations(graph)):
        for node in nodes:
            graph.nodes[node]["layer"] = layer
    return graph


def _join(graph: nx.DiGraph, way: Operator, before: Inventory, after: Inventory) -> None:
    """Edges from what an action used, as the inventories before and after it tell."""
    verb, result = way.name
    earlier = list(graph)[: list(graph).index(result)]
    taken = {item for members, _ in way.takes for item in members}
    for item in earlier:
        if (gone := before.get(item, 0) - after.get(item, 0)) > 0:
            graph.add_edge(item, result, by=verb if item in taken else "fuel", units=gone)
    for members, units in way.needs:
        at_hand = (item for item in earlier if item in members and before.get(item, 0) >= units)
        graph.add_edges_from(((item, result) for item in islice(at_hand, 1)), by="tool", units=units)


def versions(items: Sequence[str]) -> pd.DataFrame:
    """How many items, recipes, materials and actions each version needs for some items.

    Columns: ``items``, ``recipes`` and ``smelting`` of the whole version; ``materials``: items that may
    become part of the item, at any depth; ``with_tools``: those, and the tools and stations that may be used
    on the way; ``raw``: how many of these nature gives; ``steps``, ``actions`` and ``mined`` of the shortest
    plan.
    """
    return pd.DataFrame(_row(item, version) for item in dict.fromkeys(items) for version in VERSIONS)


def _row(item: str, version: str) -> dict[str, str | int]:
    game, shortest = rules(version), plan(item, version=version)
    counted = {
        **{name: getattr(game, name) for name in ("items", "recipes", "smelting")},
        "materials": ancestors(item, version),
        "with_tools": ancestors(item, version, tools=True),
        "raw": raw_materials(item, version, tools=True),
        "steps": shortest.steps,
        "actions": shortest,
    }
    mined = ", ".join(f"{count} {name}" for name, count in shortest.raw_materials.items())
    return {"item": item, "version": version, **{k: len(v) for k, v in counted.items()}, "mined": mined}


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
HALF, TALL = 1.35, 0.36
"""Half the width of a box, and half its height; rows are 1 apart."""
SIDE = 1.6
"""Room for arrows on either side."""
BOW = 0.34
"""How far an arrow bows out, as a share of its length."""


@styled
def item_figure(graph: nx.DiGraph, item: str, version: str) -> Figure:
    """A row an item, in bands by layer; ingredients lead down on the right, tools on the left."""
    rows = {name: -row for row, name in enumerate(sorted(graph, key=lambda name: graph.nodes[name]["layer"]))}
    figure, axes = plt.subplots(figsize=(PAGE, 0.36 * len(rows) + 0.6))
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
    made = f"1 {item.replace('_', ' ')}, Minecraft {version}: {actions} actions"
    stamp(figure, f"Shortest plan for {made}. After the colon: what one takes.")
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
    style: dict[str, Any] = {"facecolor": FILLS.get(facts["verb"], "white"), "edgecolor": "0.2", "zorder": 2}
    axes.add_patch(plt.Rectangle((-HALF, row - TALL), 2 * HALF, 2 * TALL, linewidth=0.6, **style))
    words = f"{facts['verb']} {facts['count']}x" + (f": {' + '.join(takes)}" if takes else "")
    centre: Any = {"ha": "center", "va": "center", "zorder": 3}
    axes.text(0, row + 0.16, name.replace("_", " "), weight="bold", **centre)
    axes.text(0, row - 0.17, words, **centre)


def _arrow(axes: Axes, source: int, target: int, by: str) -> None:
    """From the lower part of a box to the upper part of a later one, in a bow."""
    side = -1 if by == "tool" else 1
    colour, dash, _ = EDGES[by]
    patch = FancyArrowPatch(
        (side * HALF, source - 0.15), (side * HALF, target + 0.15), connectionstyle=f"arc3,rad={-side * BOW}",
        arrowstyle="-|>", mutation_scale=6, color=colour, linestyle=dash, linewidth=1.1, shrinkA=0, shrinkB=0,
    )  # fmt: skip
    axes.add_patch(patch)
