"""The key-value memory of How2 (section 3.2, equation 1)."""

from collections.abc import Iterable


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
