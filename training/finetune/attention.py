"""Attention in blocks of queries, each of which meets only the keys that it may see.

PyTorch's kernel for processors computes every pair of a mask and then hides most of them. Of Gemma 3's 18
layers 15 look back 512 tokens, so that in a dialogue of 4,000 tokens nearly all of that is wasted. The sums
are the same; in half precision they round otherwise.
"""

from __future__ import annotations

from typing import Any

import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

NAME = "blocks"
"""What a model calls it: ``model.set_attn_implementation(NAME)``."""
BLOCK = 256
"""Queries of a block."""


def attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    sliding_window: int | None = None,
    **options: Any,
) -> tuple[torch.Tensor, None]:
    """Causal attention as ``transformers`` calls it.

    Args:
        module: The layer that asks.
        query: Shape (batch, heads, queries, size). The last of them is at the last key.
        key, value: Shape (batch, key heads, keys, size).
        attention_mask: Shape (batch, 1, queries, keys), which keys a query sees; None: all before it.
        sliding_window: How many keys, its own included, a query looks back at most; None: to the first.
        options: What else ``sdpa_attention_forward`` takes.

    Returns:
        Shape (batch, queries, heads, size); no weights.
    """
    if attention_mask is None:  # the kernel is told that it is causal, and skips what is hidden
        return sdpa_attention_forward(module, query, key, value, None, **options)
    before, blocks = key.shape[2] - query.shape[2], []
    for start in range(0, query.shape[2], BLOCK):
        end = min(start + BLOCK, query.shape[2])
        first = max(0, before + start + 1 - sliding_window) if sliding_window else 0
        seen = slice(first, before + end)
        mask = attention_mask[:, :, start:end, seen]
        blocks.append(
            sdpa_attention_forward(
                module, query[:, :, start:end], key[:, :, seen], value[:, :, seen], mask, **options
            )[0]
        )
    return torch.cat(blocks, dim=1), None


AttentionInterface.register(NAME, attend)
AttentionMaskInterface.register(NAME, sdpa_mask)
