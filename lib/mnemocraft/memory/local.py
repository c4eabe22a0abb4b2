"""Experiences on this machine: the log (SQLite) and an index that is made from it (FAISS)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mnemocraft.memory.index import COMPONENTS, LEAST, SAMPLE, SCANNED, VectorIndex
from mnemocraft.memory.log import ExperienceLog
from mnemocraft.memory.stores import Candidates, Doubles, Experience, Floats


class LocalStore:
    """Entries in a file that several processes may use at once, or in this process.

    Up to ``exact_up_to`` entries every one is looked at. Above, an approximate index proposes candidates.

    Args:
        path: The file; None keeps the entries in this process.
        encoder: Name of the encoder that the vectors are from.
        weights: Of the cosines of state, task and plan.
        exact_up_to: Number of entries; fewer than :data:`LEAST` are too few to learn from.
    """

    def __init__(self, path: Path | None, encoder: str, weights: Sequence[float], exact_up_to: int) -> None:
        self.log, self.encoder = ExperienceLog(path, encoder), encoder
        self.exact_up_to = max(exact_up_to, LEAST)
        self._weights = np.array(weights)
        self._index: VectorIndex | None = None
        self._kept = 0
        self.append, self.entries, self.worded = self.log.append, self.log.entries, self.log.worded
        self.copy, self.take = self.log.copy, self.log.take

    def candidates(self, query: Doubles, k: int, wider: int) -> Candidates:
        """See :class:`~mnemocraft.memory.stores.Store`."""
        index = self._caught_up()
        if index is None:
            return Candidates([], np.zeros((0, 3, 0), np.float32), -np.inf)
        count = min((2 * k + 8) * 4**wider if index.exact else 2 * k + 6, len(index))
        places, least = index.search(self._scaled(query[None])[0], count)
        ids = [place + 1 for place in places]
        whole = not index.exact or count == len(index)
        return Candidates(ids, self.log.vectors_of(ids), -np.inf if whole else least)

    def experiences(self, places: Sequence[int]) -> list[Experience]:
        """See :class:`~mnemocraft.memory.stores.Store`."""
        rows = self.log.experiences_of(places)
        return [rows[place] for place in places]

    def close(self) -> None:
        """Let go of the file, and keep what the approximate index has gained."""
        self._keep(1)
        self.log.db.close()

    @property
    def size(self) -> int:
        """See :class:`~mnemocraft.memory.stores.Store`."""
        return self.log.size

    def __len__(self) -> int:
        """Number of entries."""
        return self.log.last

    def _scaled(self, vectors: Doubles) -> Floats:
        """What the index holds of unit vectors of shape (n, 3, size)."""
        return (vectors * np.sqrt(self._weights)[:, None]).reshape(len(vectors), -1).astype(np.float32)

    def _caught_up(self) -> VectorIndex | None:
        """The index of all entries that are committed by now; None if there are none."""
        last = self.log.last
        if not last:
            return None
        if self._index is None or (self._index.exact and last > self.exact_up_to):
            self._index = self._begun(last)
        for vectors in self.log.vectors(len(self._index)) if len(self._index) < last else ():
            self._index.add(self._scaled(unit(vectors)))
        self._keep(1 + self._kept // 100)
        return self._index

    def _keep(self, gained: int) -> None:
        """Write an approximate index to its file if it has gained so many entries."""
        index, cache = self._index, self._cache
        if index and cache and not index.exact and len(index) >= self._kept + gained:
            index.write(cache)
            self._kept = len(index)

    def _begun(self, last: int) -> VectorIndex:
        """An index without entries, or with those of the file that it was kept in."""
        size = 3 * self.log.size
        if last <= self.exact_up_to:
            return VectorIndex(size)
        kept = VectorIndex.read(self._cache) if self._cache else None
        if kept and len(kept) <= last:
            self._kept = len(kept)
            return kept
        ids = list(range(1, last + 1, max(1, last // SAMPLE)))
        return VectorIndex(size, self._scaled(unit(self.log.vectors_of(ids))))

    @property
    def _cache(self) -> Path | None:
        """Where the approximate index is kept: it is derived, and made again if it is missing."""
        if self.log.path is None:
            return None
        made_of = f"{self.log.name} {self._weights.tolist()} {COMPONENTS} {SCANNED}"
        name = hashlib.sha256(made_of.encode()).hexdigest()[:8]
        return self.log.path.with_name(f"{self.log.path.name}.{name}.faiss")


def unit(vectors: Floats | Doubles) -> Doubles:
    """Of unit length (equation 1), but for the zeros of what is not asked for."""
    exact = vectors.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=-1, keepdims=True)
    return exact / np.where(lengths, lengths, 1)
