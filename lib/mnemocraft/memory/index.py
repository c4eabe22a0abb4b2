"""The index of the experiences' vectors: made from the log, with FAISS; nothing is lost with it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mnemocraft.errors import MissingExtra

Floats = npt.NDArray[np.float32]

GRAPH = "PCA{},HNSW48_SQ8"
"""What stands for the vectors where there are too many to look at each: a navigable graph over their first
256 principal components in 8 bits. It only proposes candidates: their scores come from the log's vectors."""

BUILD, BREADTH = 200, 192
"""How many candidates are kept in view when the graph is built (``efConstruction``) and searched."""

SAMPLE = 20_000
"""From how many vectors the components are learnt."""


def import_faiss(who: str) -> Any:
    """FAISS. Raises MissingExtra if it is not installed."""
    try:
        import faiss
    except ImportError:
        raise MissingExtra(
            f"{who} needs faiss-cpu, which is not installed: pip install 'mnemocraft[graph]'."
        ) from None
    faiss.omp_set_num_threads(1)  # single queries gain little from more, and wait for them on a busy machine
    return faiss


class VectorIndex:
    """Vectors by the order in which they came, from 0 on; the nearest are those with the largest product.

    All vectors have one length, so that the nearest by distance, which the graph goes by, are the same.

    Args:
        size: Of a vector.
        sample: Vectors like those to come, which a graph learns from; None for an exact index.
    """

    def __init__(self, size: int, sample: Floats | None = None) -> None:
        self._faiss = import_faiss("ExperienceMemory")
        self.exact = sample is None
        if sample is None:
            self._index = self._faiss.IndexFlatIP(size)
            return
        self._index = self._faiss.index_factory(size, GRAPH.format(min(size, 256)))
        self._index.train(sample)
        graph = self._faiss.downcast_index(self._index.index).hnsw
        graph.efConstruction, graph.efSearch = BUILD, BREADTH

    def add(self, vectors: Floats) -> None:
        """Append vectors, shape (n, size)."""
        self._index.add(np.ascontiguousarray(vectors, np.float32))

    def search(self, query: Floats, count: int) -> tuple[list[int], float]:
        """The places of the nearest vectors, best first, and the last one's product (exact indexes only)."""
        scores, found = self._index.search(np.ascontiguousarray(query[None], np.float32), count)
        return [int(place) for place in found[0] if place >= 0], float(scores[0, -1])

    def __len__(self) -> int:
        return self._index.ntotal

    def write(self, path: Path) -> None:
        """Keep it in a file; where that is impossible it is made again another time."""
        draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        with suppress(RuntimeError, OSError):
            self._faiss.write_index(self._index, str(draft))
            draft.replace(path)
        draft.unlink(missing_ok=True)

    @classmethod
    def read(cls, path: Path) -> VectorIndex | None:
        """A graph from a file; None if there is none that can be read."""
        self = cls.__new__(cls)
        self._faiss, self.exact = import_faiss("ExperienceMemory"), False
        try:
            self._index = self._faiss.read_index(str(path))
        except RuntimeError:
            return None
        return self
