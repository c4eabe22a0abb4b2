"""The index of the experiences' vectors: made from the log, with FAISS; nothing is lost with it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mnemocraft.errors import MissingExtra
from mnemocraft.files import replacing

Floats = npt.NDArray[np.float32]

COMPONENTS, SCANNED = 256, 128
"""What stands for the vectors where there are too many to look at each: their first principal components.
Codes of 4 bits for pairs of the first ones (PQ) are all compared, with FAISS's fast scan; the best of them,
as many as are asked for times half the cube root of the number of entries, by codes of 8 bits of all
components. This only proposes candidates: their scores come from the log's vectors. A pair has one of the
greater and one of the lesser components: in their order, twice as many of the best are needed, or more.

Components are of the second moment, not of the covariance, and are compared by inner product: by distance,
which what is cut off disturbs, it takes half as many components again. Also tried: cells (IVF), which save
nothing at 300,000 entries for what they miss; codes of one bit (RaBitQ), three times slower and worse; a
graph (HNSW, 48 links), which took 20 minutes to make for 540,000 entries that are all different, and 4.8 ms
a search; bounds for an exact search (FAISS's Panorama), 8 instead of 19 ms at 100,000.
"""

SAMPLE, LEAST = 20_000, 256
"""From how many vectors components and codes are learnt, and with how many every one is looked at instead."""


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

    Args:
        size: Of a vector.
        sample: Vectors like those to come, which an approximate index learns from; None for an exact index.
    """

    def __init__(self, size: int, sample: Floats | None = None) -> None:
        self._faiss = faiss = import_faiss("ExperienceMemory")
        self.exact, by = sample is None, faiss.METRIC_INNER_PRODUCT
        if sample is None:
            self._index = faiss.IndexFlatIP(size)
            return
        components = min(size, COMPONENTS) // 2 * 2
        scanned = min(components, SCANNED)
        _, directions = np.linalg.eigh(sample.T @ sample)  # the greatest last
        project = faiss.LinearTransform(size, components)
        faiss.copy_array_to_vector(directions.T[::-1][:components].ravel(), project.A)
        project.is_trained = True
        first = faiss.RemapDimensionsTransform(components, scanned, False)
        order = np.arange(scanned, dtype=np.int32)
        pairs = np.stack([order, order[::-1]], axis=1)[: scanned // 2]  # the greatest with the least
        faiss.copy_array_to_vector(pairs.ravel(), first.map)
        short = faiss.IndexPQFastScan(scanned, scanned // 2, 4, by)
        long = faiss.IndexScalarQuantizer(components, faiss.ScalarQuantizer.QT_8bit, by)
        codes = faiss.IndexRefine(faiss.IndexPreTransform(first, short), long)
        self._index = faiss.IndexPreTransform(project, codes)
        self._index.train(sample)

    def add(self, vectors: Floats) -> None:
        """Append vectors, shape (n, size)."""
        self._index.add(np.ascontiguousarray(vectors, np.float32))

    def search(self, query: Floats, count: int) -> tuple[list[int], float]:
        """The places of the nearest vectors, best first, and the last one's product (exact indexes only)."""
        if not self.exact:
            self._faiss.downcast_index(self._index.index).k_factor = len(self) ** (1 / 3) / 2
        scores, found = self._index.search(np.ascontiguousarray(query[None], np.float32), count)
        return [int(place) for place in found[0] if place >= 0], float(scores[0, -1])

    def __len__(self) -> int:
        return self._index.ntotal

    def write(self, path: Path) -> None:
        """Keep it in a file; where that is impossible it is made again another time."""
        with suppress(RuntimeError, OSError), replacing(path) as draft:
            self._faiss.write_index(self._index, str(draft))

    @classmethod
    def read(cls, path: Path) -> VectorIndex | None:
        """An approximate index from a file; None if there is none that can be read."""
        self = cls.__new__(cls)
        self._faiss, self.exact = import_faiss("ExperienceMemory"), False
        try:
            self._index = self._faiss.read_index(str(path))
        except RuntimeError:
            return None
        return self
