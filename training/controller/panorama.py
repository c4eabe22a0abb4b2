"""Trains the panorama head, last and alone: all else of the network stays as it is."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy
from tqdm import tqdm

from mnemocraft.controllers.network import CHANNELS, Network, PanoramaHead
from training.controller.rows import UNKNOWN, held_out, horizons_of

STEPS, BATCH, RATE, DECAY = 900, 128, 2e-3, 1e-2
AT_ONCE = 32
"""Places whose pictures go through the network together."""


def fit(network: Network, data: np.ndarray, seed: int) -> float:
    """Give a network a new panorama head and train it; the loss on held-out worlds.

    Args:
        network: All else of it is done.
        data: Looks around places (:func:`training.controller.views.look_around_in`).
        seed: Of the head's first weights and of the batches.
    """
    network.eval().requires_grad_(False)
    torch.manual_seed(seed)
    network.panorama = head = PanoramaHead(CHANNELS[1])
    inputs, left = _glances(network, data), torch.from_numpy(horizons_of(data[:, 0]))
    kept = held_out(data[:, 0])
    places, rng = np.flatnonzero(~kept), np.random.default_rng(seed)
    optimiser = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=DECAY)
    for step in tqdm(range(STEPS), desc="panorama", unit="batch"):
        optimiser.param_groups[0]["lr"] = RATE * 0.5 * (1 + math.cos(math.pi * step / STEPS))
        optimiser.zero_grad()
        _loss(network, inputs, left, rng.choice(places, BATCH)).backward()
        optimiser.step()
    head.eval()
    with torch.inference_mode():
        return float(_loss(network, inputs, left, np.flatnonzero(kept)))


def _glances(network: Network, data: np.ndarray) -> tuple[Tensor, Tensor, Tensor]:
    """What the head is given of all places; the rest of the network is fixed, so once is enough."""
    places, looks = data.shape
    with torch.inference_mode():
        images = (data["image"][at : at + AT_ONCE] for at in range(0, places, AT_ONCE))
        parts = [network.glance(torch.from_numpy(some).flatten(0, 1)) for some in images]
    quarters, sizes = (torch.cat(part).unflatten(0, (places, looks)) for part in zip(*parts, strict=True))
    return quarters, sizes, torch.from_numpy(data["numbers"].copy())


def _loss(
    network: Network, inputs: tuple[Tensor, Tensor, Tensor], left: Tensor, chosen: np.ndarray
) -> Tensor:
    logits = network.panorama(*(part[chosen] for part in inputs), network.goal.weight)
    return cross_entropy(logits.flatten(0, 1), left[chosen].flatten(), ignore_index=UNKNOWN)
