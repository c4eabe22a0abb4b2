"""Voyager's skill library: programs under descriptions in words, found by how alike the descriptions are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mnemocraft.encoders import get_encoder
from mnemocraft.memory.interface import Cue, Hit
from mnemocraft.memory.none import NoMemory

RETRIEVED = 5
"""Skills that a look-up gives (Wang et al. 2023, section 2.2)."""


class Skills(NoMemory):
    """What was learnt, under its keys as descriptions; a new text under a known description replaces the old.

    Args:
        k: Skills that :meth:`recall` gives at most.
    """

    source = "skills"

    def __init__(self, k: int = RETRIEVED) -> None:
        self.k = k
        self._texts: dict[str, str] = {}
        self._vectors: list[np.ndarray] = []
        self._written: list[list[Any]] = []

    def recall(self, cue: Cue) -> list[Hit]:
        """The skills whose descriptions are nearest to the query, else to the goal, by cosine.

        Of equally near ones the first that was learnt comes first.
        """
        if not self._texts:
            return []
        scores = (np.stack(self._vectors) @ _unit(cue.query or cue.goal)).round(6)
        skills = list(self._texts.items())
        best = np.argsort(-scores, kind="stable")[: self.k]
        return [Hit(": ".join(skills[place]), float(scores[place]), self.source) for place in best]

    def learn(self, text: str, keys: Sequence[str]) -> None:
        """Keep it under every key, at once."""
        self._keep(text, keys)
        self._written.append([text, list(keys)])

    def commit(self, goal: str, success: bool) -> list[list[Any]] | None:
        """The skills written in this episode, whether it succeeded or not."""
        written, self._written = self._written, []
        return written or None

    def restore(self, deltas: Sequence[Any]) -> None:
        """Keep them again."""
        for delta in deltas:
            for text, keys in delta or ():
                self._keep(text, keys)

    def _keep(self, text: str, keys: Sequence[str]) -> None:
        for description in keys:
            if description not in self._texts:
                self._vectors.append(_unit(description))
            self._texts[description] = text

    def __len__(self) -> int:
        """Number of descriptions."""
        return len(self._texts)


def _unit(text: str) -> np.ndarray:
    vector = np.asarray(get_encoder("minilm").encode([text])[0], np.float64)
    return vector / np.linalg.norm(vector)
