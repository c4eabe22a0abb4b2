"""Voyager's skill library: programs under descriptions in words, found by how alike the descriptions are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mnemocraft.bounded import whole
from mnemocraft.encoders import get_encoder
from mnemocraft.memory.interface import Cue, Hit
from mnemocraft.memory.keyed import Learnt

RETRIEVED = 5
"""Skills that a look-up gives (Wang et al. 2023, section 2.2)."""


class Skills(Learnt):
    """What was learnt, under its keys as descriptions; a new text under a known description replaces the old.

    Args:
        k: Skills that :meth:`recall` gives at most.

    Raises:
        MnemocraftError: ``k`` is no whole number of at least 0.
    """

    source = "skills"

    def __init__(self, k: int = RETRIEVED) -> None:
        super().__init__()
        self.k = whole(k, "k", 0)
        self._texts: dict[str, str] = {}
        self._vectors: list[np.ndarray] = []

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
