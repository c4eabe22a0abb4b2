"""How well embeddings keep states apart (GiG, section 4.2, Figures 3 and 11), on kitchens not trained on.

Every encoder sees the same held-out traces. What is measured comes from distances of states: of one trace, of
neighbours in it, and of two traces. Pairs of traces are sorted by what their kitchens share.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import numpy.typing as npt
import torch
from scipy.spatial.distance import cdist, pdist, squareform

from mnemocraft.envs.kitchen import BENCHMARK_SEEDS, TASKS
from mnemocraft.errors import MnemocraftError, one_of
from mnemocraft.gnn import Encoder, SceneGraph, load_encoder, train_encoder
from mnemocraft.gnn.encoder import ABLATION, as_data, collate
from mnemocraft.gnn.features import kitchen_features
from mnemocraft.gnn.sequences import KitchenTrace, failed, solved, training_sequences
from mnemocraft.studies.checks import check_seeds
from mnemocraft.studies.gig.load import BANK_SEEDS

STEM = "05_gig_embedding_separation"
DECIMALS = 4
"""Distances are rounded, so that the last bits of a sum decide nothing."""

Floats = npt.NDArray[np.floating]
Embed = Callable[[Sequence[SceneGraph]], Floats]


@dataclass(frozen=True)
class Size:
    """What a profile measures.

    Attributes:
        tasks: Tasks of the held-out traces.
        seeds: How many of the given kitchen seeds are used; None for all.
        bank: Kitchen seeds of the memory bank.
        training: How many of the training sequences fit the controls; None for all 50.
        retrained: Training seeds with which the encoder is trained anew, to see how much that changes.
        layouts: Kitchen seeds that are used whatever is given.
    """

    tasks: tuple[str, ...]
    seeds: int | None
    bank: tuple[int, ...]
    training: int | None = None
    retrained: tuple[int, ...] = ()
    layouts: tuple[int, ...] = ()


PROFILES = {
    "smoke": Size(("sync/0", "sync/3", "async/0", "async/3"), 1, BANK_SEEDS[:1], training=6),
    "quick": Size(TASKS, None, BANK_SEEDS),
    "full": Size(TASKS, None, BANK_SEEDS, retrained=(1, 2, 3, 4, 5), layouts=BENCHMARK_SEEDS[:6]),
}


def size(profile: str, seeds: Sequence[int]) -> Size:
    """A profile's size.

    Raises:
        MnemocraftError: there is no such profile, or no seed, or one that the encoder was trained on.
    """
    one_of("profile", profile, PROFILES)
    check_seeds(seeds, 42)
    if min(seeds) < 10:
        raise MnemocraftError(
            f"seeds is {list(seeds)}; name some from 10 on: the encoder was trained on 0 to 9."
        )
    return PROFILES[profile]


def held_out(profile: str, seeds: Sequence[int]) -> list[KitchenTrace]:
    """The traces that are measured: of every task and seed the oracle's and one that fails."""
    chosen = size(profile, seeds)
    kitchens = [
        (task, seed) for task in chosen.tasks for seed in chosen.layouts or list(seeds)[: chosen.seeds]
    ]
    return [walk(*kitchen) for kitchen in kitchens for walk in (solved, failed)]


def bank(profile: str) -> list[KitchenTrace]:
    """The solved traces of the agents' memory bank; its kitchens are not among the held-out ones."""
    chosen = PROFILES[profile]
    return [solved(task, seed) for task in chosen.tasks for seed in chosen.bank]


# --- encoders and controls -------------------------------------------------------------------------


def encoders(profile: str) -> dict[str, Embed]:
    """What is compared: the committed encoder, three controls, and trainings with other choices.

    ``untrained`` has random weights, its BatchNorms fitted to the training traces; ``bag of nodes`` is the
    mean of the node features, which knows no edge; ``shuffled edges`` is the committed encoder on graphs
    whose edges join the wrong nodes (the same ones through a trace). ``λ = ...`` was trained with that weight
    of the uniformity term, ``seed ...`` (profile full) is trained here with another seed.
    """
    chosen = PROFILES[profile]
    sequences = list(islice(training_sequences(), chosen.training))
    traces = [trace.graphs for trace in sequences]
    committed = load_encoder()
    found: dict[str, Embed] = {
        "trained": committed.encode,
        "untrained": scaled(untrained(traces).encode, committed.encode, sequences),
        "bag of nodes": scaled(bag_of_nodes, committed.encode, sequences),
        "shuffled edges": lambda graphs: committed.encode([shuffled(graph) for graph in graphs]),
    }
    found |= {f"λ = {weight:g}": load_encoder(path).encode for weight, path in ABLATION.items()}
    retrained = {f"seed {seed}": train_encoder(traces, seed).encode for seed in chosen.retrained}
    return found | retrained


def untrained(traces: Sequence[Sequence[SceneGraph]]) -> Encoder:
    """Random weights; the statistics of the BatchNorms are those of the traces' states."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        encoder = Encoder()
        for norm in (encoder.norm1, encoder.norm2, encoder.norm3):
            norm.momentum = 1.0
        encoder.train()(collate([as_data(graph) for trace in traces for graph in trace]))
    return encoder.eval()


def bag_of_nodes(graphs: Sequence[SceneGraph]) -> Floats:
    """Means of the node features, shape (len(graphs), 384)."""
    return np.stack([kitchen_features()(graph.texts).mean(axis=0) for graph in graphs]).astype(float)


def shuffled(graph: SceneGraph) -> SceneGraph:
    """The graph with its edges between other nodes; which ones depends on the names alone."""
    order = sorted(range(len(graph)), key=lambda i: zlib.crc32(graph.names[i].encode()))
    edges = tuple((order[a], order[b], relation) for a, b, relation in graph.edges)
    return replace(graph, edges=edges)


# --- distances -------------------------------------------------------------------------------------


class Distances:
    """Euclidean distances between the states of some traces, under one encoder.

    Attributes:
        traces: The traces.
        states: Embeddings of each trace's states, shape (states, numbers).
        within: For each trace the distances of all its pairs of steps.
        inside: For each trace the mean distance of every state to the others.
        adjacent: For each trace the distances of neighbouring steps.
    """

    def __init__(self, embed: Embed, traces: Sequence[KitchenTrace]) -> None:
        self.traces = traces
        self.states = [embed(trace.graphs).astype(float) for trace in traces]
        self.within = [pdist(z).round(DECIMALS) for z in self.states]
        self.inside = [
            squareform(d).sum(axis=1) / (len(z) - 1) for d, z in zip(self.within, self.states, strict=True)
        ]
        self.adjacent = [np.linalg.norm(np.diff(z, axis=0), axis=1).round(DECIMALS) for z in self.states]

    def between(self, one: int, other: int) -> Floats:
        """Distances of two traces' states, shape (states of one, states of the other)."""
        return cdist(self.states[one], self.states[other]).round(DECIMALS)


def scaled(embed: Embed, like: Embed, traces: Sequence[KitchenTrace]) -> Embed:
    """An encoder scaled so that states of different traces have the median distance that another gives them.

    Thresholds such as τ mean something only relative to that distance. Training sets it; controls lack it.
    """
    factor = _typical(like, traces) / _typical(embed, traces)
    return lambda graphs: embed(graphs) * factor


def _typical(embed: Embed, traces: Sequence[KitchenTrace]) -> float:
    """The median distance of states of different traces."""
    found = Distances(embed, traces)
    pairs = [found.between(i, j).ravel() for i in range(len(traces)) for j in range(i)]
    return float(np.median(np.concatenate(pairs)))


# --- two traces ------------------------------------------------------------------------------------


def relation(one: KitchenTrace, other: KitchenTrace) -> str:
    """What the kitchens of two traces share. Equal seeds draw the same extra stations and items."""
    same_task, same_seed = one.task == other.task, one.seed == other.seed
    if same_task and same_seed:
        return "same kitchen"
    return "same task" if same_task else "same seed" if same_seed else "neither"


RELATIONS = ("neither", "same seed", "same task", "same kitchen")


KINDS = ("neighbouring steps", "one trace", "different traces")
"""Three kinds of distances; in :func:`of_all` different traces are of different kitchens."""


def of_two(found: Distances, one: int, other: int) -> dict[str, Floats]:
    """Distances of two traces' states by :data:`KINDS`."""
    parts = (found.adjacent, found.within)
    own = [np.concatenate([part[one], part[other]]) for part in parts]
    return dict(zip(KINDS, (*own, found.between(one, other).ravel()), strict=True))


def of_all(found: Distances) -> dict[str, Floats]:
    """Distances of all traces' states by :data:`KINDS`; of states in different kitchens an even sample."""
    traces = found.traces
    pairs = [(i, j) for i in range(len(traces)) for j in range(i)]
    apart = [(i, j) for i, j in pairs if relation(traces[i], traces[j]) != "same kitchen"]
    step = max(1, len(apart) // 40)
    between = np.concatenate([found.between(i, j).ravel()[::step] for i, j in apart])
    return dict(zip(KINDS, (*map(np.concatenate, (found.adjacent, found.within)), between), strict=True))


def auc(found: Distances, one: int, other: int, between: Floats) -> float:
    """Chance that a distance within one of two traces is below a distance between them (ties count half)."""
    inter = np.sort(between, axis=None)
    intra = np.concatenate([found.within[one], found.within[other]])
    ranks = np.searchsorted(inter, intra, "left") + np.searchsorted(inter, intra, "right")
    return float(1 - ranks.mean() / (2 * len(inter)))


def silhouette(found: Distances, one: int, other: int, between: Floats) -> float:
    """Mean silhouette of the states of two traces, each trace being a cluster (Rousseeuw 1987)."""
    scores = []
    for mine, b in ((one, between.mean(axis=1)), (other, between.mean(axis=0))):
        a = found.inside[mine]
        scores.append((b - a) / np.maximum(np.maximum(a, b), 10.0**-DECIMALS))
    return float(np.concatenate(scores).mean())
