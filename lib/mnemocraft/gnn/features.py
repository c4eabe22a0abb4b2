"""Features of scene-graph nodes: sentence embeddings of their texts (MiniLM, 384 numbers, unit length).

The texts that kitchens make are few, and their embeddings lie in a committed table, so that
studies start without loading a language model. Any other text goes through MiniLM
(:mod:`mnemocraft.encoders`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from mnemocraft import paths, weights
from mnemocraft.encoders import get_encoder

Floats = npt.NDArray[np.float32]

SIZE = 384
"""Length of a feature vector."""
TABLE = paths.DATA / "models" / "kitchen_texts.safetensors"


class NodeFeatures:
    """Feature vectors by text; what is not known yet is embedded once and kept in memory.

    Args:
        known: Texts with their vectors, shape (len(texts), 384).
    """

    def __init__(self, known: tuple[Sequence[str], Floats] = ((), np.empty((0, SIZE), np.float32))) -> None:
        texts, self._matrix = known
        self._row = {text: i for i, text in enumerate(texts)}

    def __call__(self, texts: Sequence[str]) -> Floats:
        """The vectors of some texts, shape (len(texts), 384)."""
        new = list(dict.fromkeys(text for text in texts if text not in self._row))
        if new:
            self._row |= {text: len(self._matrix) + i for i, text in enumerate(new)}
            self._matrix = np.concatenate([self._matrix, get_encoder("minilm").encode(new)])
        return self._matrix[[self._row[text] for text in texts]]

    def unknown(self, texts: Iterable[str]) -> list[str]:
        """Those of the texts that would need MiniLM."""
        return sorted({text for text in texts if text not in self._row})


@cache
def kitchen_features() -> NodeFeatures:
    """The features every encoder of this process shares, beginning with the committed table.

    Raises:
        MnemocraftError: the table is missing or damaged.
    """
    tensors, about = weights.read(TABLE, "training.scene_encoder")
    return NodeFeatures((about["texts"], tensors["features"].astype(np.float32)))
