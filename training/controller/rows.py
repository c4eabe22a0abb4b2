"""Rows of demonstrations and views as the tensors that networks are trained on."""

from __future__ import annotations

import numpy as np
import torch

from mnemocraft.controllers.features import GOALS
from mnemocraft.controllers.network import Batch, horizon_class

HELD_OUT = 10
"""Every tenth world is kept from the training."""
UNKNOWN = -100
"""Class of remaining steps that are not known: PyTorch's losses leave it out."""


def held_out(data: np.ndarray) -> np.ndarray:
    """Which rows are kept from the training, to measure the losses on."""
    return data["episode"] % HELD_OUT == 0


def cells_of(spots: np.ndarray) -> torch.Tensor:
    """Bits of the goals as (n, len(GOALS), GRID, GRID), 1 where a goal's source is seen."""
    bits = 1 << np.arange(len(GOALS), dtype=np.uint16)
    return torch.from_numpy((spots[:, None] & bits[:, None, None] > 0).astype(np.float32))


def horizons_of(rows: np.ndarray) -> np.ndarray:
    """Classes of the remaining steps (n, len(GOALS)); UNKNOWN where they are not known."""
    return np.where(rows["left"] == 0, UNKNOWN, horizon_class(rows["left"]))


def batch_of(rows: np.ndarray, device: str = "cpu") -> Batch:
    """Rows of demonstrations as inputs of the network."""
    names = ("image", "blocks", "numbers", "goal")
    parts = [torch.from_numpy(np.ascontiguousarray(rows[name])).to(device) for name in names]
    return Batch(parts[0], parts[1].long(), *parts[2:])
