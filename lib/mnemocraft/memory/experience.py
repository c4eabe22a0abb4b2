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

from mnemocraft.bounded import whole
from mnemocraft.encoders import TextEncoder, get_encoder
from mnemocraft.errors import MnemocraftError
from mnemocraft.memory.interface import Cue, Hit
from mnemocraft.memory.local import LocalStore, unit
from mnemocraft.memory.none import NoMemory
from mnemocraft.memory.qdrant import QdrantStore
from mnemocraft.memory.session import checked
from mnemocraft.memory.stores import Experience, Floats, Store

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

    Up to ``exact_up_to`` entries every one is looked at, which takes time in proportion: 100,000 are half a
    gigabyte. Above, an approximate index, which learns from the entries that are there then, proposes
    candidates, and these are scored exactly. It is many times faster: ``benchmarks/results/memory.json`` has
    both in milliseconds, and the share of the nearest that the index finds. Of equal scores the entry that
    was stored first comes first.

    Args:
        encoder: Name of an encoder of :mod:`mnemocraft.encoders`, or an encoder.
        weights: Of the cosines of state, task and plan.
        path: A file (SQLite) that keeps the entries; several processes may use it at once. None keeps them in
            this process.
        exact_up_to: Number of entries.
        location: Of a Qdrant server that keeps the entries instead of a file, for processes on many machines;
            see :class:`~mnemocraft.memory.qdrant.QdrantStore`.

    Raises:
        MnemocraftError: The weights are none, or the file or the server cannot be used or has vectors of
            another encoder.
        MissingExtra: There is a location, and qdrant-client is not installed.
    """

    def __init__(
        self,
        encoder: str | TextEncoder = "minilm",
        weights: Mapping[str, float] = WEIGHTS,
        path: str | Path | None = None,
        exact_up_to: int = 100_000,
        location: str | None = None,
    ) -> None:
        if sorted(weights) != sorted(PARTS) or not all(0 <= weights[part] < np.inf for part in PARTS):
            raise MnemocraftError(
                f"weights is {weights!r}; it must have a number from 0 on for {', '.join(PARTS)}."
            )
        self._encoder = encoder
        self.encoder = encoder if isinstance(encoder, str) else encoder.name
        self.weights = {part: float(weights[part]) for part in PARTS}
        if path is not None and location is not None:
            raise MnemocraftError("A memory is kept in a file (path) or by Qdrant (location), not in both.")
        store: tuple[str, list[float], int] = (self.encoder, list(self.weights.values()), exact_up_to)
        self.log: Store
        if location is None:
            self.log = LocalStore(None if path is None else Path(path), *store)
        else:
            self.log = QdrantStore(location, *store)

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
            if not isinstance(one.success, bool | np.bool_):
                raise MnemocraftError(
                    f"The success of an experience must be True or False, not {one.success!r}."
                )
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
        size = self.log.size
        if not whole(k, "k", 0) or not size:
            return []
        query = np.zeros((len(PARTS), size))
        query[: len(texts)] = unit(self._encoded(list(texts.values()), size))
        weights, wider = np.array(list(self.weights.values())), 0
        while True:
            places, vectors, least = self.log.candidates(query, k, wider)
            exact = vectors.astype(np.float64)
            lengths = np.sqrt(np.einsum("nij,nij->ni", exact, exact))
            cosines = np.einsum("nij,ij->ni", exact, query) / lengths
            # what is equal is not told apart by rounding errors
            scores = (cosines * weights).sum(axis=1).round(6).tolist()
            best = sorted(zip([-score for score in scores], places, strict=True))[:k]
            if least == -np.inf or least < -best[-1][0] - ROUNDING:
                found = self.log.experiences([place for _, place in best])
                return [(-score, one) for (score, _), one in zip(best, found, strict=True)]
            wider += 1  # more entries than were looked at may be as good as the last one

    def save(self, path: str | Path) -> None:
        """Write all entries to another file, which this class opens; a memory that is there is replaced.

        Raises:
            MnemocraftError: What is there is another database, or it cannot be written.
        """
        self.log.copy(Path(path))

    def load(self, path: str | Path) -> ExperienceMemory:
        """Add the entries of a file to those that are there; this memory.

        Raises:
            MnemocraftError: The file cannot be read, is no such memory, or has vectors of another encoder.
        """
        self.log.take(Path(path))
        return self

    def close(self) -> None:
        """Let go of the file."""
        self.log.close()

    def __len__(self) -> int:
        """Number of entries."""
        return len(self.log)

    def _encoded(self, texts: Sequence[str], size: int | None = None) -> Floats:
        """The texts' unit vectors; a query's are rounded as those that are kept, so that ties stay ties."""
        encoder = get_encoder(self._encoder) if isinstance(self._encoder, str) else self._encoder
        vectors = checked(encoder.encode(texts), 2, size)
        if len(vectors) != len(texts):
            raise MnemocraftError(
                f"The encoder {self.encoder!r} gives {len(vectors)} vectors for {len(texts)} texts."
            )
        if not vectors.any(axis=1).all():
            raise MnemocraftError(
                f"The encoder {self.encoder!r} gives a vector of zeros, which has no cosine."
            )
        return unit(vectors).astype(np.float32)


class Experiences(NoMemory):
    """MindStores' memory: the experiences nearest to where the agent is, whether they went well or not.

    Args:
        k: How many.
        path: See :class:`ExperienceMemory`.
        location: See there.

    Raises:
        MnemocraftError: ``k`` is no whole number of at least 0, or see :class:`ExperienceMemory`.
    """

    source = "experience"

    def __init__(
        self, k: int = NEIGHBOURS, path: str | Path | None = None, location: str | None = None
    ) -> None:
        self.k, self.store = whole(k, "k", 0), ExperienceMemory(path=path, location=location)
        self._episode: list[Experience] = []
        self._seen: Counter[Experience] = Counter()

    def recall(self, cue: Cue) -> list[Hit]:
        """By equation 2, or by equation 3 where the cue has a plan; what is looked up stands for the task."""
        found = self.store.nearest(cue.scene, cue.query or cue.goal, cue.plan or None, self.k)
        return [Hit(one.text, score, self.source) for score, one in found]

    def experience(self, cue: Cue, outcome: str, success: bool) -> None:
        """Stored at once, under what :meth:`recall` asks for; a later plan of the episode profits from it."""
        one = Experience(cue.scene, cue.query or cue.goal, cue.plan, outcome, success)
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


def _check_text(name: str, text: str) -> None:
    if not isinstance(text, str):
        raise MnemocraftError(f"The {name} of an experience must be a text, not {text!r}.")
    if not text.strip():
        raise MnemocraftError(f"The {name} of an experience is empty; it must say something.")
    if len(text) > LONGEST:
        raise MnemocraftError(
            f"The {name} of an experience has {len(text):,} characters; at most {LONGEST:,} are kept."
        )
