"""The state-transition graph of a session and its loops (GiG, section 3.1.2; Algorithm 1, lines 4-7, 16)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mnemocraft.errors import MnemocraftError
from mnemocraft.memory.interface import Cue, Hit
from mnemocraft.memory.scenes import SceneMemory

SAME = 1e-4
"""Embeddings nearer than this (Euclidean) are one state: far above rounding, far below a change of scene.
Distances that differ by no more are equal: rounding, which differs from processor to processor, must not
choose among stored states that look alike."""

Embedding = npt.NDArray[np.float32]


class BadEmbedding(MnemocraftError):
    """Something given as an embedding is none: another shape, or not finite."""


def checked(embeddings: Any, dimensions: int, size: int | None) -> Embedding:
    """One embedding (``dimensions`` 1) or a matrix of them (2) as float32.

    Args:
        embeddings: Anything array-like.
        dimensions: 1 or 2.
        size: The length that an embedding must have; None for any.

    Raises:
        BadEmbedding: another shape, or a number is not finite.
    """
    try:
        with np.errstate(over="ignore"):  # too large for float32: told below
            array = np.array(embeddings, dtype=np.float32)
    except (TypeError, ValueError):
        raise BadEmbedding("Embeddings must be numbers, in rows of equal length.") from None
    if array.ndim != dimensions or not array.size or (size and array.shape[-1] != size):
        wanted = f"({size or 'size'},)" if dimensions == 1 else f"(states, {size or 'size'})"
        raise BadEmbedding(f"Embeddings have shape {array.shape}; it must be {wanted}, and nothing empty.")
    if not np.isfinite(array).all():
        raise BadEmbedding("An embedding has a NaN or infinite number; all must be finite in 32 bits.")
    return array


class SessionGraph:
    """What one episode has been through: nodes are embeddings of states, edges are actions.

    Attributes:
        nodes: The different states in the order of their first visit.
        path: The node of every step.
        actions: The actions between the steps, one fewer than ``path``.
    """

    def __init__(self) -> None:
        self.nodes: list[Embedding] = []
        self.path: list[int] = []
        self.actions: list[str] = []

    def visit(self, embedding: npt.ArrayLike, action: str | None = None) -> list[str] | None:
        """Enter a state.

        Args:
            embedding: Of the state's scene graph.
            action: What led here from the state before; None only for the first state.

        Returns:
            None if the state is new; otherwise the loop path, that is the actions since its last visit.

        Raises:
            BadEmbedding: not a finite vector, or of another length than those before.
            MnemocraftError: the first state with an action, or a later one without.
        """
        vector = checked(embedding, 1, self.nodes[0].size if self.nodes else None)
        if (action is None) != (not self.path):
            rule = "has no action before it" if not self.path else "needs the action that led to it"
            raise MnemocraftError(f"State {len(self.path)} of a session {rule}; action is {action!r}.")
        if action is not None:
            self.actions.append(action)
        node = self._find(vector)
        loop = None if node is None else self._since(node)
        if node is None:
            node = len(self.nodes)
            self.nodes.append(vector)
        self.path.append(node)
        return loop

    def since(self, embedding: npt.ArrayLike) -> list[str] | None:
        """The actions since a state was last visited; None if it never was. Nothing changes."""
        node = self._find(checked(embedding, 1, self.nodes[0].size if self.nodes else None))
        return None if node is None else self._since(node)

    def _since(self, node: int) -> list[str]:
        return self.actions[max(step for step, seen in enumerate(self.path) if seen == node) :]

    @property
    def edges(self) -> list[tuple[int, int, str]]:
        """The edges ``(from, to, action)`` in the order of the steps; repeated steps repeat them."""
        return list(zip(self.path, self.path[1:], self.actions, strict=False))

    @property
    def embeddings(self) -> Embedding:
        """The embedding of every step, shape (steps, size): what a :class:`TraceMemory` stores on success."""
        return (
            np.stack([self.nodes[node] for node in self.path]) if self.path else np.empty((0, 0), np.float32)
        )

    def _find(self, vector: Embedding) -> int | None:
        """The nearest node within :data:`SAME`."""
        if not self.nodes:
            return None
        distances = np.linalg.norm(np.stack(self.nodes).astype(np.float64) - vector, axis=1)
        nearest = int(distances.argmin())
        return nearest if distances[nearest] < SAME else None


class Loops(SceneMemory):
    """Loop detection (GiG, section 3.1.2): the states of this episode; nothing stays for the next one.

    Args:
        encoder: Name of the encoder; None for the world's own.
    """

    def __init__(self, encoder: str | None = None) -> None:
        super().__init__(encoder)
        self.graph = SessionGraph()
        self._last: str | None = None

    def path(self, cue: Cue) -> list[str] | None:
        """The actions since this state was there before; None if it is new."""
        since = self.graph.since(self.embed(cue)) if self.graph.path else None
        return None if since is None or self._last is None else [*since, self._last]

    def recall(self, cue: Cue) -> list[Hit]:
        """A warning if the state was there before."""
        path = self.path(cue)
        if path is None:
            return []
        return [Hit(f"You have been in this state before. Since then: {'; '.join(path)}", 1.0, "loops")]

    def observe(self, cue: Cue, action: str) -> None:
        """The state that the action was taken in becomes a node."""
        self.graph.visit(self.embed(cue), self._last)
        self._last = action

    def commit(self, goal: str, success: bool) -> None:
        """The next episode begins with an empty graph."""
        self.graph, self._last = SessionGraph(), None

    def __len__(self) -> int:
        """Number of different states."""
        return len(self.graph.nodes)
