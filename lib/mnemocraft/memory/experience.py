"""The experiences of MindStores: what was tried where, and what came of it (sections 3.2 and 3.3).

Texts are encoded by all-MiniLM-L6-v2, as the paper says; its vectors have 384 numbers, and the 768 that the
paper prints (section 4.1, appendix B.3) is a slip. The weighted sums of cosines of equations 2 and 3 are
inner products of vectors that hold state, task and plan side by side, each of unit length times the root of
its weight; a query by equation 2 has zeros for the plan.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mnemocraft.encoders import TextEncoder, get_encoder
from mnemocraft.errors import MnemocraftError
from mnemocraft.memory.index import GRAPH, SAMPLE, VectorIndex
from mnemocraft.memory.interface import Cue, Hit
from mnemocraft.memory.log import Experience, ExperienceLog, Floats
from mnemocraft.memory.none import NoMemory
from mnemocraft.memory.session import checked

PARTS = ("state", "task", "plan")
WEIGHTS = {"state": 0.4, "task": 0.4, "plan": 0.2}
"""Section 4.1."""
NEIGHBOURS = 5
"""k of section 4.1."""
LONGEST = 100_000
"""Characters that a text may have."""
ROUNDING = 1e-5
"""More than products of 32-bit numbers are off by."""


class ExperienceMemory:
    """Experiences, searched by state and task (equation 2), or by state, task and plan (equation 3).

    Up to ``exact_up_to`` entries every one is looked at. Above, an approximate index proposes candidates, and
    these are scored exactly. Of equal scores the entry that was stored first comes first.

    Args:
        encoder: Name of an encoder of :mod:`mnemocraft.encoders`, or an encoder.
        weights: Of the cosines of state, task and plan.
        path: A file (SQLite) that keeps the entries; several processes may use it at once. None keeps them in
            this process.
        exact_up_to: Number of entries.

    Raises:
        MnemocraftError: The weights are none, or the file cannot be used or has vectors of another encoder.
    """

    def __init__(
        self,
        encoder: str | TextEncoder = "minilm",
        weights: Mapping[str, float] = WEIGHTS,
        path: str | Path | None = None,
        exact_up_to: int = 100_000,
    ) -> None:
        if sorted(weights) != sorted(PARTS) or not all(0 <= weights[part] < np.inf for part in PARTS):
            raise MnemocraftError(
                f"weights is {weights!r}; it must have a number from 0 on for {', '.join(PARTS)}."
            )
        self._encoder = encoder
        self.encoder = encoder if isinstance(encoder, str) else encoder.name
        self.weights = {part: float(weights[part]) for part in PARTS}
        self.exact_up_to = exact_up_to
        self.log = ExperienceLog(None if path is None else Path(path), self.encoder)
        self._index: VectorIndex | None = None
        self._kept = 0

    def add(
        self, state: str, task: str, plan: str, outcome: str, success: bool = False, key: str | None = None
    ) -> None:
        """Store an experience; when this returns, it is on the disk.

        Args:
            state: See :class:`Experience`, like the next four.
            task: See there.
            plan: See there.
            outcome: See there.
            success: See there.
            key: If another entry has this key the experience is not stored, as when a run begins again.

        Raises:
            MnemocraftError: A text is empty or too long, or nothing can be written; nothing is stored then.
        """
        self.add_many([Experience(state, task, plan, outcome, success)], [key])

    def add_many(self, experiences: Sequence[Experience], keys: Sequence[str | None] | None = None) -> None:
        """Store several at once, all or none: much faster than one by one. See :meth:`add`."""
        if not experiences:
            return
        for one in experiences:
            for name in (*PARTS, "outcome"):
                _check_text(name, getattr(one, name))
        texts = [getattr(one, part) for one in experiences for part in PARTS]
        vectors = self._encoded(texts).reshape(len(experiences), len(PARTS), -1)
        self.log.append(experiences, vectors, keys or [None] * len(experiences))

    def nearest(
        self, state: str, task: str, plan: str | None = None, k: int = NEIGHBOURS
    ) -> list[tuple[float, Experience]]:
        """The ``k`` experiences with the greatest weighted sums of cosines, and these, best first.

        Args:
            state: Where one is.
            task: What is to be done.
            plan: What one intends to do: equation 3 instead of 2.
            k: At most so many.

        Raises:
            MnemocraftError: A text is empty or too long, or its vector has another size than those stored.
        """
        texts = {"state": state, "task": task, **({} if plan is None else {"plan": plan})}
        for name, text in texts.items():
            _check_text(name, text)
        index = self._caught_up()
        if index is None or k < 1:
            return []
        parts = self._encoded(list(texts.values()), self.log.size)
        query = np.zeros((len(PARTS), parts.shape[1]), np.float32)
        query[: len(parts)] = parts
        scaled = self._side_by_side(query[None])[0]
        count = 2 * k + 8 if index.exact else 6 * k
        while True:
            places, least = index.search(scaled, min(count, len(index)))
            scored = self._scored(query, [place + 1 for place in places])[:k]
            if not index.exact or count >= len(index) or least < scored[-1][0] - ROUNDING:
                return scored
            count *= 4  # more entries than were looked at may be as good as the last one

    def save(self, path: str | Path) -> None:
        """Write all entries to another file, which this class opens."""
        self.log.copy(Path(path))

    def load(self, path: str | Path) -> ExperienceMemory:
        """Add the entries of a file to those that are there; this memory.

        Raises:
            MnemocraftError: The file cannot be read, is no such memory, or has vectors of another encoder.
        """
        self.log.take(Path(path), self.encoder)
        return self

    def close(self) -> None:
        """Let go of the file."""
        self.log.db.close()

    def __len__(self) -> int:
        """Number of entries."""
        return self.log.last

    def _side_by_side(self, vectors: Floats) -> Floats:
        """What the index holds of vectors of shape (n, 3, size)."""
        roots = np.sqrt(np.array([[self.weights[part]] for part in PARTS]))
        return (_unit(vectors) * roots).reshape(len(vectors), -1).astype(np.float32)

    def _encoded(self, texts: Sequence[str], size: int | None = None) -> Floats:
        """The texts' vectors."""
        encoder = get_encoder(self._encoder) if isinstance(self._encoder, str) else self._encoder
        vectors = checked(encoder.encode(texts), 2, size)
        if not vectors.any(axis=1).all():
            raise MnemocraftError(
                f"The encoder {self.encoder!r} gives a vector of zeros, which has no cosine."
            )
        return vectors

    def _scored(self, query: Floats, ids: list[int]) -> list[tuple[float, Experience]]:
        """Entries with their scores in 64 bits, best first."""
        rows = self.log.rows(ids)
        weights = np.array(list(self.weights.values()))
        vectors = np.stack([rows[id][1] for id in ids]).astype(np.float64)
        lengths = np.sqrt(np.einsum("nij,nij->ni", vectors, vectors))
        cosines = np.einsum("nij,ij->ni", vectors, _unit(query)) / lengths
        scores = (
            (cosines * weights).sum(axis=1).round(9)
        )  # what is equal is not told apart by rounding errors
        best = sorted(zip(-scores, ids, strict=True))
        return [(float(-score), rows[id][0]) for score, id in best]

    def _caught_up(self) -> VectorIndex | None:
        """The index of all entries that are committed by now; None if there are none."""
        last = self.log.last
        if not last:
            return None
        if self._index is None or (self._index.exact and last > self.exact_up_to):
            self._index = self._begun(last)
        for vectors in self.log.vectors(len(self._index)) if len(self._index) < last else ():
            self._index.add(self._side_by_side(vectors))
        if (cache := self._cache) and not self._index.exact and len(self._index) > self._kept * 1.01:
            self._index.write(cache)
            self._kept = len(self._index)
        return self._index

    def _begun(self, last: int) -> VectorIndex:
        """An index without entries, or with those of the file that it was kept in."""
        size = len(PARTS) * self.log.size
        if last <= self.exact_up_to:
            return VectorIndex(size)
        kept = VectorIndex.read(self._cache) if self._cache else None
        if kept and len(kept) <= last:
            self._kept = len(kept)
            return kept
        ids = range(1, last + 1, max(1, last // SAMPLE))
        sample = np.stack([vectors for _, vectors in self.log.rows(list(ids)).values()])
        return VectorIndex(size, self._side_by_side(sample))

    @property
    def _cache(self) -> Path | None:
        """Where the approximate index is kept: it is derived, and made again if it is missing."""
        if self.log.path is None:
            return None
        made_of = f"{self.log.name} {self.weights} {GRAPH}"
        name = hashlib.sha256(made_of.encode()).hexdigest()[:8]
        return self.log.path.with_name(f"{self.log.path.name}.{name}.faiss")


class Experiences(NoMemory):
    """MindStores' memory: the experiences nearest to where the agent is, whether they went well or not.

    Args:
        k: How many.
        path: See :class:`ExperienceMemory`.
    """

    source = "experience"

    def __init__(self, k: int = NEIGHBOURS, path: str | Path | None = None) -> None:
        self.k, self.store = k, ExperienceMemory(path=path)
        self._episode: list[Experience] = []
        self._seen: Counter[Experience] = Counter()

    def recall(self, cue: Cue) -> list[Hit]:
        """By equation 2, or by equation 3 where the cue has a plan; what is looked up stands for the task."""
        found = self.store.nearest(cue.scene, cue.query or cue.goal, cue.plan or None, self.k)
        return [Hit(one.text, score, self.source) for score, one in found]

    def experience(self, cue: Cue, outcome: str, success: bool) -> None:
        """Stored at once, so that a later plan of the same episode profits from it."""
        one = Experience(cue.scene, cue.goal, cue.plan, outcome, success)
        self._add([one])
        self._episode.append(one)

    def commit(self, goal: str, success: bool) -> list[list[Any]] | None:
        """The episode's experiences."""
        episode, self._episode = self._episode, []
        return [[one.state, one.task, one.plan, one.outcome, one.success] for one in episode] or None

    def restore(self, deltas: Sequence[Any]) -> None:
        """Add them; those that the file has from then are not added again."""
        self._add([Experience(*fields) for delta in deltas for fields in delta or ()])

    def _add(self, experiences: Sequence[Experience]) -> None:
        """Store experiences under keys that are the same when a stream is taken up again."""
        keys = []
        for one in experiences:
            self._seen[one] += 1
            keys.append(hashlib.sha256(f"{one.text}\n{self._seen[one]}".encode()).hexdigest())
        self.store.add_many(experiences, keys)

    def __len__(self) -> int:
        """Number of experiences."""
        return len(self.store)


def _unit(vectors: Floats) -> npt.NDArray[np.float64]:
    """Of unit length (equation 1), but for the zeros of a plan that is not asked for."""
    exact = vectors.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=-1, keepdims=True)
    return exact / np.where(lengths, lengths, 1)


def _check_text(name: str, text: str) -> None:
    if not text.strip():
        raise MnemocraftError(f"The {name} of an experience is empty; it must say something.")
    if len(text) > LONGEST:
        raise MnemocraftError(
            f"The {name} of an experience has {len(text):,} characters; at most {LONGEST:,} are kept."
        )
