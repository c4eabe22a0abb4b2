"""How2 tasks: which examples a profile plays, and in which order a stream meets them."""

import random
from functools import cache

import networkx as nx

from mnemocraft.envs.plancraft import Example, PlancraftEnv, book, example, examples
from mnemocraft.studies.small_player import half

SPLITS = ("low", "high")
ADAPTER = "plancraft_gemma-3-270m"
"""Name of the small model's adapter and of its recording."""


def subset(split: str, size: int) -> tuple[Example, ...]:
    """A fixed sample of about ``size`` examples of a split, drawn by whole targets.

    Whole targets, because how often a target repeats is what the two splits differ in. The sample does
    not depend on the run's seeds, so that conditions and seeds are compared on the same tasks.
    """
    pool = examples(split)
    targets = sorted({item.target for item in pool})
    random.Random(f"subset of {split}").shuffle(targets)
    chosen: set[str] = set()
    count = 0
    for target in targets:
        if count >= size:
            break
        chosen.add(target)
        count += sum(item.target == target for item in pool)
    return tuple(item for item in pool if item.target in chosen)


def shuffled(tasks: tuple[Example, ...], seed: int) -> tuple[str, ...]:
    """Task ids in the seed's random order (the paper's runs of How2 had a curriculum: Table 6)."""
    ids = [item.id for item in tasks]
    random.Random(f"order {seed}").shuffle(ids)
    return tuple(ids)


def curriculum(tasks: tuple[Example, ...], seed: int) -> tuple[str, ...]:
    """Task ids from targets without dependencies to targets that need other recipes (Appendix C.2)."""
    depth = recipe_depth(seed)
    return tuple(sorted(shuffled(tasks, seed), key=lambda task: depth[example(task).target]))


def environment(task: str, max_steps: int) -> PlancraftEnv:
    """The environment of a task, by its id."""
    return PlancraftEnv.of_example(example(task), max_steps)


@cache
def recipe_depth(seed: int) -> dict[str, int]:
    """Generation of every item in the recipe graph, after edges of cycles are removed at random."""
    graph = book().graph()
    rng = random.Random(f"curriculum {seed}")
    for component in sorted(sorted(nodes) for nodes in nx.strongly_connected_components(graph)):
        rng.shuffle(component)
        rank = {item: n for n, item in enumerate(component)}
        inside = list(graph.subgraph(component).edges)
        graph.remove_edges_from(edge for edge in inside if rank[edge[0]] >= rank[edge[1]])
    return {item: n for n, layer in enumerate(nx.topological_generations(graph)) for item in layer}


@cache
def known_targets() -> frozenset[str]:
    """Half of all craftable items, a fixed random set: only these are ever made from memory in training.

    The small model sees the others only together with an answer, so that *knows* and *does not know* are
    conditions of a study.
    """
    return half("targets", book().by_result)
