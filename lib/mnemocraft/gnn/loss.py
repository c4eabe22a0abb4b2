"""The loss of GiG's encoder, equation 2: a triplet term and a term against collapse."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import normalize

MARGIN = 1.0
"""α of equation 2 (section 4.2)."""
UNIFORMITY = 0.5
"""λ of equation 2 (appendix A.4.2)."""


def triplet(anchors: Tensor, positives: Tensor, negatives: Tensor) -> Tensor:
    """Mean over triplets of ``max(0, |a - p|² - |a - n|² + α)``; all of shape (triplets, size)."""
    near = (anchors - positives).square().sum(dim=1)
    far = (anchors - negatives).square().sum(dim=1)
    return (near - far + MARGIN).clamp(min=0).mean()


def uniformity(embeddings: Tensor) -> Tensor:
    """Sum of the squared cosines of all N(N-1)/2 pairs over N², as equation 2 has it.

    The text calls it a mean over the pairs, which would be about twice as much.
    """
    n = len(embeddings)
    cosines = normalize(embeddings) @ normalize(embeddings).T
    return torch.triu(cosines.square(), diagonal=1).sum() / n**2


def loss(anchors: Tensor, positives: Tensor, negatives: Tensor, weight: float = UNIFORMITY) -> Tensor:
    """Equation 2; the uniformity term is over anchors and positives, N = 2 × triplets."""
    together = torch.cat([anchors, positives])
    return triplet(anchors, positives, negatives) + weight * uniformity(together)
