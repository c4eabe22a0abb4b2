"""Gemma 3 270M in PyTorch: many dialogues at a time, on a graphics card or a processor.

The weights are the dequantised ones of the very file that llama.cpp serves. It multiplies them with
activations of 8 bits and keeps keys and values in 16. Here both factors have the 11 significant bits that a
card's matrix units take (TF32), or, on a processor that multiplies them, the 8 of bfloat16, which keys and
values are then kept in, too; sums have 32-bit floats. In attention the model was trained with bfloat16.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from mnemocraft.llm.gguf_file import read_gguf

LAYERS, HEADS, SIZE, WIDTH, WINDOW = 18, 4, 256, 640, 512
GLOBAL = 6
"""Every sixth layer looks back to the beginning, the others 512 tokens."""
EPSILON = 1e-6
DRAFTS = {"cuda": 0, "cpu": 8}
"""Tokens after the next one that a dialogue may have read with it, if they can be guessed: a processor takes
little more time for them. A card's graph has one place for each."""
TOGETHER = 128
"""New tokens that look back at a time there: in a local layer, at as many more than each of them sees."""
CHUNKS = {"cuda": 2048, "cpu": 512}
"""Tokens of a prompt that are computed at a time. For a local layer, which looks at 512, much of
the attention in a large part is computed in vain."""


def load(path: Path) -> dict[str, np.ndarray]:
    """Weights by name, float32, of a model in llama.cpp's format whatever it is quantised to."""
    from gguf.quants import dequantize

    tensors = read_gguf(path).tensors
    return {item.name: dequantize(item.data, item.tensor_type).astype(np.float32) for item in tensors}


class Engine:
    """Keys and values of ``slots`` dialogues of up to ``context`` tokens, and what computes the next tokens.

    Args:
        weights: as :func:`load` gives them.
        slots: dialogues that are kept, and answered at a time.
        context: tokens that one takes at most.
        device: ``cuda`` or ``cpu``.
        dtype: What matrices are multiplied in.
    """

    def __init__(
        self,
        weights: dict[str, np.ndarray],
        slots: int,
        context: int,
        device: str,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        torch.set_float32_matmul_precision("high")
        self.slots, self.context, self.device = slots, context, device
        self._weights = {name: torch.from_numpy(value).to(device) for name, value in weights.items()}
        for layer in range(LAYERS):
            parts = [
                self._weights.pop(f"blk.{layer}.{name}.weight") for name in ("attn_q", "attn_k", "attn_v")
            ]
            self._weights[f"blk.{layer}.qkv.weight"] = torch.cat(parts)
        for name, value in self._weights.items():
            if value.dim() > 1:
                self._weights[name] = value.to(dtype)
        self._dtype, self._embedding = dtype, self._weights["token_embd.weight"]
        able = device == "cpu" and torch.ops.mkldnn._is_mkldnn_bf16_supported()
        self._packed = able and dtype == torch.bfloat16
        if self._packed:  # laid out once as oneDNN multiplies them, and not in every product
            for name, value in self._weights.items():
                if value.dim() > 1:
                    self._weights[name] = torch.ops.mkldnn._reorder_linear_weight(value)
        self.vocabulary = len(weights["token_embd.weight"])
        shape = (LAYERS, slots, context, SIZE)
        self._keys, self._values = _zeros(shape, device, dtype), _zeros(shape, device, dtype)
        self._turns = [_rotation(base, context, device) for base in (10_000.0, 1_000_000.0)]
        self._tokens = torch.zeros(slots, dtype=torch.long, device=device)
        self._places = torch.zeros(slots, dtype=torch.long, device=device)
        self._told = torch.zeros(slots, self.vocabulary, device=device)
        self._graphs: dict[int, torch.cuda.CUDAGraph] = {}
        self._rows = torch.arange(slots, device=device)

    @torch.inference_mode()
    def copy(self, source: int, slot: int, size: int) -> None:
        """Put a dialogue's first ``size`` tokens into another slot, too, as if they had been read there."""
        for kept in (self._keys, self._values):
            kept[:, slot, :size] = kept[:, source, :size]

    @torch.inference_mode()
    def read(self, slot: int, tokens: list[int], start: int) -> torch.Tensor:
        """Read ``tokens`` into a slot at place ``start``; logits, shape (vocabulary,), of what comes next."""
        hidden = torch.empty(0)
        size = CHUNKS[self.device]
        for first in range(0, len(tokens), size):
            part = tokens[first : first + size]
            if self.device == "cpu":
                hidden = self._advance_few([slot], [part], [start + first], whole=False)
            else:
                hidden = self._read(slot, torch.tensor(part, device=self.device), start + first)
        return self._logits(hidden[-1:])[0]

    def _read(self, slot: int, tokens: torch.Tensor, start: int) -> torch.Tensor:
        """Hidden states, shape (tokens, width), on a card."""
        end = start + len(tokens)
        places = torch.arange(start, end, device=self.device)
        far = torch.arange(end, device=self.device)
        behind = places[:, None] - far[None, :]
        masks = [(behind >= 0) & (behind < WINDOW), behind >= 0]
        hidden = self._embed(tokens)
        for layer in range(LAYERS):
            wide = _is_global(layer)
            query, key, value = self._project(layer, hidden, places)
            self._keys[layer, slot, start:end] = key
            self._values[layer, slot, start:end] = value
            first = 0 if wide else max(0, start + 1 - WINDOW)
            found = functional.scaled_dot_product_attention(
                query.transpose(0, 1)[None],
                self._keys[layer, slot, first:end].expand(1, HEADS, -1, -1),
                self._values[layer, slot, first:end].expand(1, HEADS, -1, -1),
                attn_mask=masks[wide][:, first:],
                scale=SIZE**-0.5,
            )
            hidden = self._finish(layer, hidden, found[0].transpose(0, 1).reshape(len(tokens), -1))
        return hidden

    @torch.inference_mode()
    def step(self, slots: list[int], tokens: list[list[int]], places: list[int]) -> list[torch.Tensor]:
        """Logits, shape (tokens, vocabulary) a slot, of what comes after each token.

        Args:
            slots: Which.
            tokens: Of each the last token, not read yet, and up to :data:`DRAFTS` that may come after it.
            places: Where the first of them comes.
        """
        if self.device == "cpu":
            hidden = self._advance_few(slots, tokens, places)
            return list(self._logits(hidden).split([len(some) for some in tokens]))
        self._begin(slots, [first for first, *_ in tokens], places, 1)
        self._graph(max(places) + 1).replay()
        return list(self._told[slots].cpu()[:, None])

    @torch.inference_mode()
    def steps(self, slots: list[int], tokens: list[int], places: list[int], count: int) -> list[list[int]]:
        """On a card, the ``count`` likeliest next tokens in some slots, shape (count, dialogues)."""
        self._begin(slots, tokens, places, count)
        graph, told = self._graph(max(places) + count), []
        for _ in range(count):
            graph.replay()
            told.append(self._tokens.clone())
        return torch.stack(told)[:, slots].tolist()

    def _begin(self, slots: list[int], tokens: list[int], places: list[int], count: int) -> None:
        """Put all where a graph finds it; slots at rest read at the end, which is nobody's when they do."""
        every_token, every_place = [0] * self.slots, [self.context - count] * self.slots
        for slot, token, place in zip(slots, tokens, places, strict=True):
            every_token[slot], every_place[slot] = token, place
        self._tokens.copy_(torch.tensor(every_token))
        self._places.copy_(torch.tensor(every_place))

    def _graph(self, longest: int) -> torch.cuda.CUDAGraph:
        """One step of dialogues of up to ``longest`` tokens."""
        size = min(self.context, max(1024, 1 << longest.bit_length()))
        if size not in self._graphs:
            before = self._tokens.clone(), self._places.clone()
            self._advance(size)  # warms up
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self._advance(size)
            self._tokens.copy_(before[0])
            self._places.copy_(before[1])
            self._graphs[size] = graph
        return self._graphs[size]

    def _advance(self, size: int) -> None:
        """One step of all slots, of which none at work is longer than ``size``."""
        places, rows = self._places, self._rows
        hidden = self._embed(self._tokens)
        near = places[:, None] - torch.arange(WINDOW - 1, -1, -1, device=self.device)
        early = torch.where(near < 0, float("-inf"), 0.0)
        late = torch.where(torch.arange(size, device=self.device) > places[:, None], float("-inf"), 0.0)
        near = near.clamp(min=0)
        for layer in range(LAYERS):
            query, key, value = self._project(layer, hidden, places)
            self._keys[layer, rows, places] = key
            self._values[layer, rows, places] = value
            if _is_global(layer):
                keys, values, hidden_from = self._keys[layer, :, :size], self._values[layer, :, :size], late
            else:
                keys, values = (part[layer][rows[:, None], near] for part in (self._keys, self._values))
                hidden_from = early
            scores = torch.bmm(query * SIZE**-0.5, keys.transpose(1, 2)) + hidden_from[:, None]
            found = torch.bmm(scores.softmax(-1), values)
            hidden = self._finish(layer, hidden, found.reshape(self.slots, -1))
        self._told.copy_(self._logits(hidden))
        self._tokens.copy_(self._told.argmax(-1))
        self._places += 1

    def _advance_few(
        self, slots: list[int], tokens: list[list[int]], places: list[int], whole: bool = True
    ) -> torch.Tensor:
        """Hidden states, shape (all tokens, width), of new tokens in some slots, on a processor.

        Each slot is looked at where it lies: to copy and to pad it, as a card's graph does, takes its time.
        If not the ``whole`` is asked for, it is the last token's: of the others the last layer then has keys
        and values alone.
        """
        sizes = [len(some) for some in tokens]
        owner = [slot for slot, size in zip(slots, sizes, strict=True) for _ in range(size)]
        at = torch.cat([torch.arange(p, p + size) for p, size in zip(places, sizes, strict=True)])
        hidden = self._embed(torch.tensor([token for some in tokens for token in some]))
        views = [
            [
                _View.of(slot, place + start, min(TOGETHER, size - start), window)
                for slot, place, size in zip(slots, places, sizes, strict=True)
                for start in range(0, size, TOGETHER)
            ]
            for window in (WINDOW, self.context)
        ]
        parts = [view.size for view in views[0]]
        for layer in range(LAYERS):
            query, key, value = self._project(layer, hidden, at)
            self._keys[layer, owner, at] = key.to(self._dtype)
            self._values[layer, owner, at] = value
            query, seen = query.to(self._dtype), views[_is_global(layer)]
            if not whole and layer == LAYERS - 1:
                hidden, query, parts = hidden[-1:], query[-1:], [1]
                seen = [_View.of(slots[-1], places[-1] + sizes[-1] - 1, 1, self.context)]
            found = [
                view.look(some, self._keys[layer], self._values[layer])
                for view, some in zip(seen, query.split(parts), strict=True)
            ]
            hidden = self._finish(layer, hidden, torch.cat(found).flatten(1))
        return hidden

    def _embed(self, tokens: torch.Tensor) -> torch.Tensor:
        return self._embedding[tokens].float() * WIDTH**0.5

    def _logits(self, hidden: torch.Tensor) -> torch.Tensor:
        return self._times(self._norm(hidden, "output_norm"), "token_embd").float()

    def _times(self, values: torch.Tensor, name: str, gelu: bool = False) -> torch.Tensor:
        """Values by a matrix, of its type, and GELU of that if it is said."""
        matrix, values = self._weights[f"{name}.weight"], values.to(self._dtype)
        if self._packed:
            kind, way = ("gelu", "tanh") if gelu else ("none", "")
            return torch.ops.mkldnn._linear_pointwise(values, matrix, None, kind, [], way)
        product = values @ matrix.T
        return functional.gelu(product, approximate="tanh") if gelu else product

    def _norm(self, values: torch.Tensor, name: str) -> torch.Tensor:
        """Of float32, whatever is given. On a processor PyTorch's takes twice the time."""
        weight, values = self._weights[f"{name}.weight"], values.float()
        if self.device == "cuda":
            return functional.rms_norm(values, values.shape[-1:], weight, EPSILON)
        length = torch.linalg.vector_norm(values, dim=-1, keepdim=True)
        return (values * (length.square() / values.shape[-1] + EPSILON).rsqrt()).mul_(weight)

    def _project(self, layer: int, hidden: torch.Tensor, places: torch.Tensor) -> list[torch.Tensor]:
        """Query (n, heads, size), key and value (n, size) of n tokens."""
        name = f"blk.{layer}"
        both = self._times(self._norm(hidden, f"{name}.attn_norm"), f"{name}.qkv")
        query, key, value = both.split([HEADS * SIZE, SIZE, SIZE], dim=-1)
        query = self._norm(query.view(-1, HEADS, SIZE), f"{name}.attn_q_norm")
        key = self._norm(key, f"{name}.attn_k_norm")
        cosine, sine = (part[places] for part in self._turns[_is_global(layer)])
        return [_turned(query, cosine[:, None], sine[:, None]), _turned(key, cosine, sine), value]

    def _finish(self, layer: int, hidden: torch.Tensor, found: torch.Tensor) -> torch.Tensor:
        name = f"blk.{layer}"
        found = self._times(found, f"{name}.attn_output")
        hidden = hidden + self._norm(found, f"{name}.post_attention_norm")
        narrow = self._norm(hidden, f"{name}.ffn_norm").to(self._dtype)
        gate, up = self._times(narrow, f"{name}.ffn_gate", gelu=True), self._times(narrow, f"{name}.ffn_up")
        found = self._times(gate * up, f"{name}.ffn_down")
        return hidden + self._norm(found, f"{name}.post_ffw_norm")


@dataclass(frozen=True)
class _View:
    """What some new tokens of a slot see in one kind of layers.

    Attributes:
        slot: Whose keys and values.
        size: How many tokens look.
        seen: The places that they look at.
        hidden: What is added to scores, shape (tokens times heads, places): minus infinity where nothing is
            seen. Nothing is hidden from one token.
    """

    slot: int
    size: int
    seen: slice
    hidden: torch.Tensor | None

    @classmethod
    def of(cls, slot: int, place: int, size: int, window: int) -> _View:
        """For ``size`` tokens from ``place`` on, each of which looks back ``window`` tokens at most."""
        far, end = place + 1 - window, place + size  # where the first of them would look back to
        first = max(0, far)
        if size == 1:
            return cls(slot, size, slice(first, end), None)
        hidden, all_ = torch.zeros(size, HEADS, end - first), torch.full((size, size), float("-inf"))
        hidden[..., place - first :] = all_.triu(1)[:, None]  # what comes later
        hidden[..., :size] += all_.tril(min(0, far) - 1)[:, None]  # what is too far back
        return cls(slot, size, slice(first, end), hidden.flatten(0, 1))

    def look(self, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        """What queries, shape (tokens, heads, size), find in a layer, of the same shape.

        All heads have the same keys and values, so that heads are to them what tokens are.
        """
        found = functional.scaled_dot_product_attention(
            queries.reshape(1, 1, -1, SIZE),
            keys[None, None, self.slot, self.seen],
            values[None, None, self.slot, self.seen],
            attn_mask=self.hidden,
        )
        return found.view(self.size, HEADS, SIZE)


def _zeros(shape: tuple[int, ...], device: str, dtype: torch.dtype) -> torch.Tensor:
    """Of a processor's memory no more is taken than is written to: NumPy leaves that to the system."""
    if device == "cpu":
        bits = np.zeros(shape, np.int16 if dtype == torch.bfloat16 else np.int32)
        return torch.from_numpy(bits).view(dtype)
    return torch.zeros(shape, device=device, dtype=dtype)


def _is_global(layer: int) -> bool:
    return layer % GLOBAL == GLOBAL - 1


def _rotation(base: float, context: int, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines and sines of rotary embeddings, shape (context, size / 2) each."""
    speeds = base ** -(torch.arange(0, SIZE, 2, dtype=torch.float64) / SIZE)
    angles = torch.outer(torch.arange(context, dtype=torch.float64), speeds)
    return angles.cos().float().to(device), angles.sin().float().to(device)


def _turned(values: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
    turned = torch.empty_like(values)
    (first, second), (left, right) = values.chunk(2, dim=-1), turned.chunk(2, dim=-1)
    torch.mul(first, cosine, out=left).addcmul_(second, sine, value=-1)
    torch.mul(second, cosine, out=right).addcmul_(first, sine)
    return turned
