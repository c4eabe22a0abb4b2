"""What an :class:`~mnemocraft.memory.ExperienceMemory` wants of the engine that keeps its entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Experience:
    """What was tried where, and what came of it: the tuple (s, t, p, o) of section 3.2, in words.

    Attributes:
        state: Where it was tried.
        task: What for.
        plan: What was done.
        outcome: What came of it, with the reason if it failed.
        success: Whether it did what it was for.
    """

    state: str
    task: str
    plan: str
    outcome: str
    success: bool

    @property
    def text(self) -> str:
        """For a prompt."""
        return f"State: {self.state}\nTask: {self.task}\nPlan: {self.plan}\nOutcome: {self.outcome}"


class Candidates(NamedTuple):
    """Entries that may be the nearest.

    Attributes:
        places: What each is found again by; in the order of insertion where sorted.
        vectors: Of state, task and plan, shape (candidates, 3, size).
        least: No entry that is missing here has a greater weighted sum of cosines, but for rounding;
            ``-inf`` if none is missing, or where the engine gives no such promise.
    """

    places: list[Any]
    vectors: Floats
    least: float


class Store(Protocol):
    """Keeps entries with their vectors, and proposes which of them are the nearest.

    Every method raises MnemocraftError where the engine cannot do what it is asked.
    """

    def append(self, entries: Sequence[Experience], vectors: Floats, keys: Sequence[str | None]) -> None:
        """Keep entries; one whose key is there already is left out.

        Args:
            entries: In their order.
            vectors: Unit vectors of state, task and plan, shape (entries, 3, size).
            keys: What each is told from others by, None for those that are always new.
        """

    def candidates(self, query: Doubles, k: int, wider: int) -> Candidates:
        """Entries, among which the ``k`` nearest are expected.

        Args:
            query: Unit vectors of state, task and plan, or zeros for what is not asked for, shape (3, size).
            k: At least so many, if there are.
            wider: How often they have been too few; each time more are given.
        """

    def experiences(self, places: Sequence[Any]) -> list[Experience]:
        """The entries at these places, in their order."""

    def entries(self) -> Iterator[Experience]:
        """All of them, the newest first."""

    def worded(self, words: Sequence[str], k: int) -> list[tuple[float, Experience]]:
        """The ``k`` entries whose states, tasks and plans are best by BM25, with their scores."""

    def copy(self, path: Path) -> None:
        """Write all entries to an SQLite file."""

    def take(self, path: Path) -> None:
        """Append the entries of such a file, but for those whose keys are there."""

    def close(self) -> None:
        """Let go of the engine."""

    @property
    def size(self) -> int:
        """How many numbers a vector has; 0 while there is none."""

    def __len__(self) -> int:
        """Number of entries."""
