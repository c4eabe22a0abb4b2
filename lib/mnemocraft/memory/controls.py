"""Controls of every claim that a memory helps: they keep the same experiences, and hand out others."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from mnemocraft.bounded import whole
from mnemocraft.memory.experience import Experiences
from mnemocraft.memory.interface import Cue, Hit
from mnemocraft.memory.traces import Match, Traces

CHARACTERS = 4
"""Of a token, as the stand-in for a model counts them."""


class Shuffled(Experiences):
    """As many hits as ``experience`` has, of their scores and about their sizes, with wrong texts.

    A hit gives way to the entry of another task, and not among the hits, that is nearest in length; each one
    is used once. While there are not enough of them, a hit's own words come in another order.
    """

    source = "shuffled"

    def recall(self, cue: Cue) -> list[Hit]:
        """Wrong texts in the right number."""
        hits, task = super().recall(cue), cue.query or cue.goal
        own = {hit.text for hit in hits}
        others = [one.text for one in self.store.log.entries() if one.task != task and one.text not in own]
        return exchanged(hits, others, _draw(cue).permutation, self.source)


def exchanged(
    hits: Sequence[Hit], others: list[str], mixed: Callable[[list[str]], Iterable[str]], source: str
) -> list[Hit]:
    """Hits with their scores and other texts: for each the one left that is nearest in length.

    Args:
        hits: The right ones.
        others: The texts to take, each once.
        mixed: Brings a hit's own words into another order, once no other text is left.
        source: Of the new hits.
    """
    wrong = []
    for hit in hits:
        apart = [abs(len(text) - len(hit.text)) for text in others]
        text = others.pop(apart.index(min(apart))) if others else " ".join(mixed(hit.text.split()))
        wrong.append(Hit(text, hit.score, source))
    return wrong


class ShuffledTraces(Traces):
    """The control of GiG's experience: in the place of the nearest step the nearest one of another goal.

    It is handed out whenever ``trace`` with the same content would hand out one, and says the same distance,
    but served neither the episode's goal nor that of the right one. While there is none, there is nothing.
    """

    def match(self, cue: Cue) -> Match | None:
        """A wrong transition in the place of the nearest."""
        right = super().match(cue)
        return right and self.store.other(self.embed(cue), right, cue.goal)


class Random(Experiences):
    """Entries drawn by lot: the same ones whenever it is asked the same and has the same entries."""

    source = "random"

    def recall(self, cue: Cue) -> list[Hit]:
        """``k`` different entries."""
        entries = list(self.store.log.entries())
        places = _draw(cue).permutation(len(entries))[: self.k]
        return [Hit(entries[place].text, 0.0, self.source) for place in places]


class BM25(Experiences):
    """Entries that share words with what is asked, ranked by SQLite's full-text search (FTS5)."""

    source = "bm25"

    def recall(self, cue: Cue) -> list[Hit]:
        """By the words of their states, tasks and plans."""
        words = re.findall(r"\w+", f"{cue.scene} {cue.query or cue.goal} {cue.plan}")
        return [Hit(one.text, score, self.source) for score, one in self.store.log.worded(words, self.k)]


class History(Experiences):
    """Everything, the newest first, as far as a budget of tokens goes; an entry is kept whole or left out.

    Args:
        tokens: The budget.
        path: See :class:`~mnemocraft.memory.ExperienceMemory`.
        location: See there.

    Raises:
        MnemocraftError: ``tokens`` is no whole number of at least 0.
    """

    source = "history"

    def __init__(
        self, tokens: int = 8_000, path: str | Path | None = None, location: str | None = None
    ) -> None:
        super().__init__(path=path, location=location)
        self.tokens = whole(tokens, "tokens", 0)

    def recall(self, cue: Cue) -> list[Hit]:
        """Whatever is asked."""
        hits, left = [], self.tokens * CHARACTERS
        for one in self.store.log.entries():
            left -= len(one.text)
            if left < 0:
                break
            hits.append(Hit(one.text, 0.0, self.source))
        return hits


class Oracle(Experiences):
    """What the very task left, whatever the state: its successes, then its failures, the latest first.

    It knows which task an entry is of, which the nearest entries are only likely to be of. Of a new task
    there is nothing but what the episode itself has failed at.
    """

    source = "oracle"

    def recall(self, cue: Cue) -> list[Hit]:
        """At most ``k`` entries."""
        task = cue.query or cue.goal
        right = [one for one in self.store.log.entries() if one.task == task]
        right.sort(key=lambda one: not one.success)
        return [Hit(one.text, 1.0, self.source) for one in right[: self.k]]


def _draw(cue: Cue) -> np.random.Generator:
    asked = "\n".join((cue.goal, cue.scene, cue.query, cue.plan))
    return np.random.default_rng(list(hashlib.sha256(asked.encode()).digest()))
