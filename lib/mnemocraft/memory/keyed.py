"""The key-value memory of How2 (section 3.2, equation 1)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from mnemocraft.memory.interface import Cue, Hit
from mnemocraft.memory.none import NoMemory


class KeyedMemory:
    """Maps a query to the set of entries written under it; look-up is by exact string.

    Entries are kept in the order in which they were first written and never forgotten; the same
    entry is stored once per key.
    """

    def __init__(self) -> None:
        self._entries: dict[str, list[str]] = {}

    def read(self, key: str) -> list[str]:
        """All entries stored under ``key``, oldest first; empty when there are none."""
        return list(self._entries.get(key, ()))

    def write(self, entry: str, keys: Iterable[str]) -> None:
        """Store ``entry`` under every key (Algorithm 1, lines 13 to 15); a single string is one key."""
        for key in [keys] if isinstance(keys, str) else keys:
            entries = self._entries.setdefault(key, [])
            if entry not in entries:
                entries.append(entry)

    def __len__(self) -> int:
        """Number of keys."""
        return len(self._entries)


class Learnt(NoMemory, ABC):
    """Keeps texts under keys as soon as agents learn them, whether the episode succeeds or not."""

    def __init__(self) -> None:
        self._written: list[list[Any]] = []

    @abstractmethod
    def _keep(self, text: str, keys: Sequence[str]) -> None:
        """Store a text under every key."""

    def learn(self, text: str, keys: Sequence[str]) -> None:
        """Write it under every key, at once."""
        self._keep(text, keys)
        self._written.append([text, list(keys)])

    def commit(self, goal: str, success: bool) -> list[list[Any]] | None:
        """The texts written in this episode with their keys, whether it succeeded or not."""
        written, self._written = self._written, []
        return written or None

    def restore(self, deltas: Sequence[Any]) -> None:
        """Write them again."""
        for delta in deltas:
            for text, keys in delta or ():
                self._keep(text, keys)


class Keyed(Learnt):
    """How2's memory: texts under exact keys (section 3.2), those that agents learn during an episode."""

    def __init__(self) -> None:
        super().__init__()
        self.store = KeyedMemory()

    def recall(self, cue: Cue) -> list[Hit]:
        """The texts under the query, else under the goal, oldest first."""
        return [Hit(text, 1.0, "keyed") for text in self.store.read(cue.query or cue.goal)]

    def _keep(self, text: str, keys: Sequence[str]) -> None:
        self.store.write(text, keys)

    def __len__(self) -> int:
        """Number of keys."""
        return len(self.store)
