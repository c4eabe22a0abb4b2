"""The recipe graph: which item goes into which, and what is needed for it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mnemocraft.envs.minecraft.engine import engine
from mnemocraft.errors import MnemocraftError

if TYPE_CHECKING:
    import networkx as nx


@cache
def recipe_graph(version: str = "1.16.5", rules: str = "game", tools: bool = False) -> nx.DiGraph:
    """An edge from every ingredient to what it can become part of.

    Args:
        version: Minecraft's version.
        rules: ``"game"`` or ``"mc-textworld"``.
        tools: With True also edges from tools and stations to what is got with them.

    Returns:
        A frozen graph. Nodes have ``raw`` (nature gives the item); edges have ``by``: ``craft``, ``smelt``,
        ``mine`` (an empty bucket becomes a full one) or ``tool``.
    """
    import networkx as nx  # slow to import, and who only plays needs no graph

    world = engine(version, rules)
    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(sorted(world.items), raw=False)
    for (verb, _), ways in world.operators.items():
        for way in ways if verb in ("craft", "smelt", "mine") else ():
            result = way.gives[0][0]
            graph.add_node(result)
            graph.nodes[result]["raw"] = graph.nodes[result].get("raw", False) or (
                verb == "mine" and not way.takes
            )
            parts = [(verb, members) for members, _ in way.takes]
            parts += [("tool", members) for members, _ in way.needs] if tools else []
            for by, members in parts:
                graph.add_edges_from(((m, result) for m in members if not graph.has_edge(m, result)), by=by)
    frozen: nx.DiGraph = nx.freeze(graph)
    return frozen


def ancestors(item: str, version: str = "1.16.5", rules: str = "game", tools: bool = False) -> set[str]:
    """Every item that may become part of ``item`` (or, with ``tools``, be needed for it), at any depth.

    Raises:
        MnemocraftError: No such item.
    """
    graph = recipe_graph(version, rules, tools)
    if item not in graph:
        raise MnemocraftError(f"There is no item {item!r} in Minecraft {version}.")
    import networkx as nx

    return set(nx.ancestors(graph, item))


def raw_materials(item: str, version: str = "1.16.5", rules: str = "game", tools: bool = False) -> set[str]:
    """Those ancestors of an item, or itself, that nature gives. Numbers: ``plan(item).raw_materials``."""
    graph = recipe_graph(version, rules, tools)
    return {name for name in ancestors(item, version, rules, tools) | {item} if graph.nodes[name]["raw"]}
