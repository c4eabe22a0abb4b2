"""No memory at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mnemocraft.memory.interface import Cue, Hit


class NoMemory:
    """Remembers nothing: the control of every claim about memory."""

    def recall(self, cue: Cue) -> list[Hit]:
        """Nothing."""
        return []

    def observe(self, cue: Cue, action: str) -> None:
        """Nothing is kept."""

    def learn(self, text: str, keys: Sequence[str]) -> None:
        """Nothing is kept."""

    def experience(self, cue: Cue, outcome: str, success: bool) -> None:
        """Nothing is kept."""

    def commit(self, goal: str, success: bool) -> Any:
        """Nothing was left."""
        return None

    def restore(self, deltas: Sequence[Any]) -> None:
        """There is nothing to bring back."""

    def __len__(self) -> int:
        """0."""
        return 0
