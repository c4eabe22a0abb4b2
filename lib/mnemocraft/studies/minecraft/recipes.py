"""The rules of an item as a graph of what goes into it, and how the versions of the game differ in it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import networkx as nx
import pandas as pd

from mnemocraft.envs.minecraft import VERSIONS, Plan, ancestors, plan, raw_materials, rules
from mnemocraft.envs.minecraft.engine import Inventory, engine
from mnemocraft.envs.minecraft.operators import Operator
from mnemocraft.errors import MnemocraftError

VERSION = "1.11.2"
"""The version whose rules the overworld has."""
COLUMNS = (
    "item", "version", "items", "recipes", "smelting", "materials", "with_tools", "raw", "steps", "actions",
    "mined",
)  # fmt: skip


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
    rows = [_row(item, version) for item in dict.fromkeys(items) for version in VERSIONS]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _row(item: str, version: str) -> tuple[str | int, ...]:
    game, shortest = rules(version), plan(item, version=version)
    return (
        item,
        version,
        len(game.items),
        len(game.recipes),
        len(game.smelting),
        len(ancestors(item, version)),
        len(ancestors(item, version, tools=True)),
        len(raw_materials(item, version, tools=True)),
        len(shortest.steps),
        len(shortest),
        _mined(shortest),
    )


def _mined(shortest: Plan) -> str:
    return ", ".join(f"{count} {name}" for name, count in shortest.raw_materials.items())
