"""Rows of demonstrations and views as the tensors that networks are trained on."""

from __future__ import annotations

import numpy as np
import torch

from mnemocraft.controllers.features import GOALS, SIDED
from mnemocraft.controllers.network import HORIZONS, Batch

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


def horizon_class(steps: np.ndarray) -> np.ndarray:
    """The class of each number of remaining steps."""
    return np.minimum(np.searchsorted(HORIZONS, steps), len(HORIZONS) - 1)


def mirrored_blocks(blocks: np.ndarray) -> np.ndarray:
    """The blocks (n, 27) in the mirror image."""
    return blocks.reshape(-1, 3, 3, 3)[..., ::-1].reshape(len(blocks), 27)


def mirrored_numbers(numbers: np.ndarray) -> np.ndarray:
    """The numbers (n, 30) in the mirror image."""
    mirrored = numbers.copy()
    mirrored[:, SIDED] *= -1
    return mirrored
