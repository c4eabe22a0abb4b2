"""The experience bank of GiG: successful traces, searched by state (section 3.3, equations 5 and 6)."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mnemocraft.errors import MnemocraftError
from mnemocraft.memory.index import import_faiss
from mnemocraft.memory.interface import Cue, Hit
from mnemocraft.memory.scenes import SceneMemory
from mnemocraft.memory.session import SAME, Embedding, checked

TAU = 0.1
"""Euclidean distance below which a stored state is retrieved (sections 4.1 and 4.2)."""


@dataclass(frozen=True)
class Match:
    """The stored transition whose state is nearest to a query.

    Attributes:
        goal: What its trace was after.
        actions: What its trace did from there on (``A`` of equation 6).
        distance: Euclidean distance of the two states.
        trace: Which trace, counted from 0 as they were added.
        step: Which step of it, counted from 0.
    """

    goal: str
    actions: tuple[str, ...]
    distance: float
    trace: int
    step: int

    @property
    def action(self) -> str:
        """The immediate transition: the only thing the paper's prompt shows besides the goal."""
        return self.actions[0]


class TraceMemory:
    """State-action pairs of successful traces in an exact FAISS index; retrieval looks at states only.

    Args:
        tau: Retrieval threshold, above 0.

    Raises:
        MnemocraftError: ``tau`` is not a positive number.
        MissingExtra: faiss is not installed.
    """

    def __init__(self, tau: float = TAU) -> None:
        if not isinstance(tau, int | float | np.floating) or not tau > 0:
            raise MnemocraftError(f"tau is {tau!r}; a distance threshold must be above 0.")
        self.tau = tau
        self._faiss = import_faiss("TraceMemory")
        self._index: Any = None
        self._traces: list[tuple[str, tuple[str, ...]]] = []
        self._places: list[tuple[int, int]] = []

    def add(self, goal: str, embeddings: npt.ArrayLike, actions: Sequence[str]) -> None:
        """Store a trace (Algorithm 1, line 18), every state with the action taken in it.

        Args:
            goal: What the trace reached.
            embeddings: Its states in order, shape (n, size); without the last state, or with it (n + 1): no
                action follows that one, so it is not stored.
            actions: The n actions.

        Raises:
            BadEmbedding: not a matrix, not finite, or of another size than the traces before.
            MnemocraftError: no action, or the lengths do not fit.
        """
        if isinstance(actions, str) or not len(actions):
            raise MnemocraftError(f"actions is {actions!r}; a trace needs a sequence of at least one action.")
        states = self._states(embeddings)
        if len(states) - len(actions) not in (0, 1):
            raise MnemocraftError(
                f"{len(states)} embeddings for {len(actions)} actions; there must be as many, or one more."
            )
        if self._index is None:
            self._index = self._faiss.IndexFlatL2(states.shape[1])
        self._index.add(states[: len(actions)])
        self._places += [(len(self._traces), step) for step in range(len(actions))]
        self._traces.append((goal, tuple(actions)))

    def closest(self, embedding: npt.ArrayLike) -> Match | None:
        """The nearest stored state's transition if it is nearer than tau; of equals (:data:`SAME`) the one
        stored first.

        Raises:
            BadEmbedding: not a finite vector of the stored size.
        """
        query = checked(embedding, 1, self._index.d if self._index else None)
        if not self._index:
            return None
        _, first = self._index.search(query[None], 1)
        if first[0, 0] < 0:  # nothing within the range of float32
            return None
        nearest = self._distances(first[0], query)[0]
        if not nearest < self.tau:
            return None
        _, _, near = self._index.range_search(query[None], (nearest + 2 * SAME) ** 2)  # float32: some more
        return self._first(np.sort(np.append(near, first[0])), query, self.tau)

    def other(self, embedding: npt.ArrayLike, match: Match, goal: str) -> Match | None:
        """The nearest transition that served neither a goal nor that of a match, at the match's distance.

        Of equals (:data:`SAME`) it is the one stored first; None if there is no such trace.
        """
        own = {goal, match.goal}
        places = [n for n, (trace, _) in enumerate(self._places) if self._traces[trace][0] not in own]
        if not places:
            return None
        found = self._first(np.array(places), checked(embedding, 1, self._index.d), np.inf)
        return replace(found, distance=match.distance)

    def _first(self, places: npt.NDArray[np.int64], query: Embedding, below: float) -> Match:
        """Of the equally nearest places the first whose distance is less than ``below``."""
        distances = self._distances(places, query)
        at = int(np.argmax((distances <= distances.min() + SAME) & (distances < below)))
        trace, step = self._places[places[at]]
        goal, actions = self._traces[trace]
        return Match(goal, actions[step:], float(distances[at]), trace, step)

    def _distances(self, places: npt.NDArray[np.int64], query: Embedding) -> npt.NDArray[np.float64]:
        stored = np.stack([self._index.reconstruct(int(place)) for place in places]).astype(np.float64)
        return np.linalg.norm(stored - query, axis=1)

    def __len__(self) -> int:
        """Number of stored transitions."""
        return len(self._places)

    def _states(self, embeddings: npt.ArrayLike) -> npt.NDArray[np.float32]:
        return checked(embeddings, 2, self._index.d if self._index else None)


class Traces(SceneMemory):
    """GiG's experience bank (section 3.3): the states and actions of successful episodes.

    Args:
        tau: Retrieval threshold, above 0.
        encoder: Name of the encoder; None for the world's own.
    """

    def __init__(self, tau: float = TAU, encoder: str | None = None) -> None:
        super().__init__(encoder)
        self.store = TraceMemory(tau)
        self._episode: list[tuple[Embedding, str]] = []

    def recall(self, cue: Cue) -> list[Hit]:
        """The transition of the nearest stored state, if it is nearer than tau."""
        match = self.match(cue)
        if match is None:
            return []
        lines = (
            f"Goal then: {match.goal}",
            f"Action then: {match.action}",
            f"Distance: {match.distance:.3f}",
        )
        return [Hit("\n".join(lines), -match.distance, "trace", match.action)]

    def match(self, cue: Cue) -> Match | None:
        """The transition that is handed out."""
        return self.store.closest(self.embed(cue))

    def observe(self, cue: Cue, action: str) -> None:
        """Kept until the episode is over."""
        self._episode.append((self.embed(cue), action))

    def commit(self, goal: str, success: bool) -> dict[str, Any] | None:
        """A success is stored (Algorithm 1, lines 17 to 19)."""
        episode, self._episode = self._episode, []
        if not success or not episode:
            return None
        embeddings, actions = zip(*episode, strict=True)
        return self.add(goal, np.stack(embeddings), actions)

    def add(self, goal: str, embeddings: Embedding, actions: Sequence[str]) -> dict[str, Any]:
        """Store a trace of this memory's encoder; what :meth:`restore` takes for it."""
        self.store.add(goal, embeddings, actions)
        numbers = base64.b64encode(embeddings.astype("<f4").tobytes()).decode()
        return {"encoder": self.encoder, "goal": goal, "actions": list(actions), "embeddings": numbers}

    def restore(self, deltas: Sequence[Any]) -> None:
        """Store the traces again.

        Raises:
            MnemocraftError: A trace was made by another encoder.
        """
        for delta in deltas:
            if delta is None:
                continue
            self.encoder = self.encoder or delta["encoder"]
            if delta["encoder"] != self.encoder:
                raise MnemocraftError(
                    f"The memory has states of the encoder {self.encoder!r}, and cannot take those of "
                    f"{delta['encoder']!r}."
                )
            numbers = np.frombuffer(base64.b64decode(delta["embeddings"]), "<f4")
            self.store.add(delta["goal"], numbers.reshape(len(delta["actions"]), -1), delta["actions"])

    def __len__(self) -> int:
        """Number of stored transitions."""
        return len(self.store)
