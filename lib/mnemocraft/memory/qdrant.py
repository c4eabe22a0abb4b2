"""Experiences on a Qdrant server, for more than one machine; also in Qdrant's embedded mode.

An entry is a point with one named vector: the unit vectors of state, task and plan side by side. Its product
with a query whose parts are scaled by the weights is the weighted sum of cosines of equations 2 and 3, and
any weights go with what is stored. One search per part, merged, would not be exact: the best entry may be
among the first of no part. A point with a key has an id made from the key, so that none is stored twice.

Qdrant counts no insertions: entries are ordered by the clock of the machine that stored them.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from mnemocraft.errors import MissingExtra, MnemocraftError
from mnemocraft.memory.log import ExperienceLog
from mnemocraft.memory.stores import Candidates, Doubles, Experience, Floats

COLLECTION = "experiences"
"""Where the location names none."""
VECTOR, PARTS, TIME = "experience", 3, "time"
WAIT_S = 5
"""How long a server may take to answer."""
BATCH = 64
"""Entries of a request: with the longest texts they stay below the 32 MB that a server takes."""
_FIELDS = ("state", "task", "plan", "outcome", "success")


class QdrantStore:
    """Entries in a collection of a Qdrant server.

    Args:
        location: ``http://host:6333``, and after a ``#`` the collection's name, else :data:`COLLECTION`; a
            folder or ``:memory:`` for the embedded mode, which looks at every entry and is for one process.
            The key of a server that wants one is read from ``QDRANT_API_KEY``.
        encoder: Name of the encoder that the vectors are from.
        weights: Of the cosines of state, task and plan.
        exact_up_to: Up to so many entries the server looks at each.

    Raises:
        MissingExtra: qdrant-client is not installed.
        MnemocraftError: The server cannot be used, or the collection has vectors of another encoder.
    """

    def __init__(self, location: str, encoder: str, weights: Sequence[float], exact_up_to: int) -> None:
        try:
            import qdrant_client
        except ImportError:
            raise MissingExtra(
                f"A memory at {location} needs qdrant-client, which is not installed: "
                "pip install 'mnemocraft[qdrant]'."
            ) from None
        self.location, self.encoder, self.exact_up_to = location, encoder, exact_up_to
        self._weights, self._models, self._last = np.array(weights), qdrant_client.models, 0
        where, _, name = location.partition("#")
        self._name, self._remote = name or COLLECTION, "://" in where
        with self._told():
            if self._remote:
                key = os.environ.get("QDRANT_API_KEY")
                self._client = qdrant_client.QdrantClient(
                    url=where, api_key=key, timeout=WAIT_S, check_compatibility=False
                )
            elif where == ":memory:":
                self._client = qdrant_client.QdrantClient(where)
            else:
                self._client = qdrant_client.QdrantClient(path=where)
            self._size = self._found()

    def _found(self) -> int:
        """The size of the collection's vectors, 0 if there is no collection; raises for another encoder."""
        if not self._client.collection_exists(self._name):
            return 0
        config = self._client.get_collection(self._name).config
        encoder = (config.metadata or {}).get("encoder")
        if encoder != self.encoder:
            self._client.close()
            raise MnemocraftError(
                f"The memory has vectors of the encoder {encoder!r}, and cannot be used with "
                f"{self.encoder!r}."
            )
        return config.params.vectors[VECTOR].size // PARTS

    def append(self, entries: Sequence[Experience], vectors: Floats, keys: Sequence[str | None]) -> None:
        """See :class:`Store`. What a broken connection leaves out is stored by doing it again with keys."""
        with self._told():
            if not self.size:
                self._create(vectors.shape[2])
            if self._size != vectors.shape[2]:
                raise MnemocraftError(
                    f"The vectors have {vectors.shape[2]} numbers each, and those in the memory {self._size}."
                )
            points = []
            flat = vectors.reshape(len(entries), -1)
            for entry, vector, key in zip(entries, flat, keys, strict=True):
                self._last = max(time.time_ns(), self._last + 1)
                id = uuid.uuid4() if key is None else uuid.uuid5(uuid.NAMESPACE_OID, key)
                payload = {name: getattr(entry, name) for name in _FIELDS} | {TIME: self._last, "key": key}
                points.append(
                    self._models.PointStruct(id=str(id), vector={VECTOR: vector.tolist()}, payload=payload)
                )
            for start in range(0, len(points), BATCH):
                self._client.upsert(
                    self._name,
                    points[start : start + BATCH],
                    wait=True,
                    update_mode=self._models.UpdateMode.INSERT_ONLY,
                )

    def _create(self, size: int) -> None:
        """Make the collection, unless another process is faster."""
        models = self._models
        try:
            self._client.create_collection(
                self._name,
                {VECTOR: models.VectorParams(size=PARTS * size, distance=models.Distance.DOT)},
                metadata={"encoder": self.encoder},
            )
            if self._remote:  # the embedded mode orders without an index
                self._client.create_payload_index(self._name, TIME, models.PayloadSchemaType.INTEGER)
        except Exception:
            if not self._found():
                raise
        self._size = self._found()

    def candidates(self, query: Doubles, k: int, wider: int) -> Candidates:
        """See :class:`Store`; exact up to ``exact_up_to`` entries."""
        if not self.size:
            return Candidates([], np.zeros((0, PARTS, 0), np.float32), -np.inf)
        count = (2 * k + 8) * 4**wider
        with self._told():
            exact = not self._remote or len(self) <= self.exact_up_to
            found = self._client.query_points(
                self._name,
                query=(query * self._weights[:, None]).ravel().astype(np.float32).tolist(),
                using=VECTOR,
                limit=count,
                search_params=self._models.SearchParams(exact=exact) if self._remote else None,
                with_payload=[TIME],
                with_vectors=True,
            ).points
        vectors = np.array([point.vector[VECTOR] for point in found], np.float32)
        places = [(point.payload[TIME], point.id) for point in found]
        least = found[-1].score if exact and len(found) == count else -np.inf
        return Candidates(places, vectors.reshape(len(found), PARTS, -1), least)

    def experiences(self, places: Sequence[tuple[int, Any]]) -> list[Experience]:
        """See :class:`Store`."""
        ids = [id for _, id in places]
        with self._told():
            found = {point.id: point for point in self._client.retrieve(self._name, ids, list(_FIELDS))}
        return [_experience(found[id].payload) for id in ids]

    def entries(self) -> Iterator[Experience]:
        """See :class:`Store`."""
        for payload, _ in self._points(self._models.Direction.DESC, vectors=False):
            yield _experience(payload)

    def _points(self, direction: Any, vectors: bool) -> Iterator[tuple[dict[str, Any], Any]]:
        """All payloads and vectors by time; entries of the same time are never cut apart."""
        start, seen = None, set()
        while self.size:
            with self._told():
                page, _ = self._client.scroll(
                    self._name,
                    limit=4 * BATCH,
                    order_by=self._models.OrderBy(key=TIME, direction=direction, start_from=start),
                    with_vectors=vectors,
                )
            new = [point for point in page if point.id not in seen]
            if not new:
                return
            for point in new:
                seen.add(point.id)
                yield point.payload or {}, point.vector
            start = new[-1].payload[TIME]

    def worded(self, words: Sequence[str], k: int) -> list[tuple[float, Experience]]:
        """See :class:`Store`; by SQLite's full-text search over a copy."""
        log = ExperienceLog(None, self.encoder)
        self._poured(log)
        return log.worded(words, k)

    def copy(self, path: Path) -> None:
        """See :class:`Store`."""
        self._poured(ExperienceLog(path, self.encoder))

    def _poured(self, log: ExperienceLog) -> None:
        """Append all entries to a log, the oldest first."""
        for payload, vector in self._points(self._models.Direction.ASC, vectors=True):
            vectors = np.array(vector[VECTOR], np.float32).reshape(1, PARTS, -1)
            log.append([_experience(payload)], vectors, [payload["key"]])

    def take(self, path: Path) -> None:
        """See :class:`Store`."""
        log = ExperienceLog(None, self.encoder)
        log.take(path)
        for entries, vectors, keys in log.batches():
            self.append(entries, vectors, keys)

    def close(self) -> None:
        """See :class:`Store`."""
        self._client.close()

    @property
    def size(self) -> int:
        """See :class:`Store`."""
        if not self._size:
            with self._told():
                self._size = self._found()
        return self._size

    def __len__(self) -> int:
        """Number of entries."""
        with self._told():
            return self._client.count(self._name, exact=True).count if self.size else 0

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What the client says, as one sentence."""
        from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse

        try:
            yield
        except UnexpectedResponse as error:
            why = f"the server answers {error.status_code} {error.reason_phrase}"
        except ResponseHandlingException:
            why = f"no Qdrant server answers there within {WAIT_S} seconds"
        except (OSError, RuntimeError, ValueError) as error:
            why = " ".join(str(error).split()).rstrip(".").replace(". ", "; ")
        else:
            return
        raise MnemocraftError(f"The memory {self.location} cannot be used: {why}.") from None


def _experience(payload: Any) -> Experience:
    return Experience(*(payload[name] for name in _FIELDS))
