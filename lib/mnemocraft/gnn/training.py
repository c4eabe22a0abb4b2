"""Training the encoder on traces: neighbours in time are pulled together, other traces pushed away.

GiG, section 3.1.3 and appendix A.4.2. The paper prints margin, λ, dropout, epochs and the number of traces;
batch, optimiser and rate are our choices (the card in ``data/models/`` says why).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import torch
from torch_geometric.data import Data

from mnemocraft.bounded import whole
from mnemocraft.errors import MnemocraftError
from mnemocraft.gnn.encoder import Encoder, State, as_data, collate, one_thread
from mnemocraft.gnn.loss import UNIFORMITY, loss

Trace = Iterable[State]
"""The states of one exploration in order."""

RATE = 0.0003
"""Learning rate of Adam."""
TRACES = 50
"""Traces that a batch draws from, at most; the paper has 50 in all."""
PAIRS = 1
"""Pairs of neighbouring states that each trace gives to a batch."""


def train_encoder(
    traces: Iterable[Trace], seed: int = 0, epochs: int = 200, uniformity: float = UNIFORMITY
) -> Encoder:
    """Train a new encoder; equal traces and seed give equal weights.

    Args:
        traces: At least two, each of at least two states.
        seed: Of the first weights, of dropout and of the draws of triplets.
        epochs: Rounds over the traces.
        uniformity: λ of equation 2.

    Raises:
        MnemocraftError: too few traces, a trace that is too short, or no epoch.
    """
    graphs = [[as_data(state) for state in trace] for trace in traces]
    _check(graphs, epochs)
    rng = np.random.default_rng(seed)
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        encoder = Encoder().train()
        optimiser = torch.optim.Adam(encoder.parameters(), lr=RATE)
        for _ in range(epochs):  # one batch each
            optimiser.zero_grad()
            triplets(encoder, graphs, rng, uniformity).backward()
            optimiser.step()
    return encoder.eval()


def triplets(
    encoder: Encoder, graphs: Sequence[Sequence[Data]], rng: np.random.Generator, weight: float
) -> torch.Tensor:
    """The loss of one batch: pairs of neighbours from each of some traces, negatives from the others."""
    chosen = rng.permutation(len(graphs))[:TRACES].repeat(PAIRS).tolist()
    steps = rng.integers([len(graphs[trace]) - 1 for trace in chosen]).tolist()
    first = [graphs[trace][step] for trace, step in zip(chosen, steps, strict=True)]
    second = [graphs[trace][step + 1] for trace, step in zip(chosen, steps, strict=True)]
    embeddings = encoder(collate(first + second))
    anchors, positives = embeddings.chunk(2)
    owner = np.tile(chosen, 2)
    negatives = [rng.choice(np.flatnonzero(owner != trace)) for trace in chosen]
    return loss(anchors, positives, embeddings[negatives], weight)


def _check(traces: Sequence[Sequence[Data]], epochs: int) -> None:
    if len(traces) < 2:
        raise MnemocraftError(
            f"Negatives come from other traces, so training needs 2 of them, not {len(traces)}."
        )
    for i, trace in enumerate(traces):
        if len(trace) < 2:
            raise MnemocraftError(f"Trace {i} has {len(trace)} states; a pair of neighbours needs 2.")
    whole(epochs, "epochs", 1)
