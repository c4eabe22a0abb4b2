"""What agents and memories say to each other.

Stores (``KeyedMemory``, ``TraceMemory`` ...) know nothing of it; a thin adapter beside each puts it
behind this interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np


@dataclass(frozen=True)
class Cue:
    """What a memory is asked by.

    Attributes:
        goal: Of the task, in words.
        scene: What is there now, as text.
        query: What the agent looks up, if it named something; else the goal counts.
        encoder: Name of the encoder that tells such scenes apart.
        plan: What the agent intends to do, if it asks what came of such plans, or has done.
        inventory: Units by item, where things are held in numbers.
        image: What the agent sees, uint8 (height, width, 3), where the world shows images.
        biome: Where it is, in worlds that have biomes.
    """

    goal: str
    scene: str
    query: str = ""
    encoder: str = "minilm"
    plan: str = ""
    inventory: Mapping[str, int] = field(default_factory=dict)
    image: np.ndarray | None = field(default=None, compare=False)
    biome: str = ""


@dataclass(frozen=True)
class Hit:
    """Something remembered.

    Attributes:
        text: For a prompt.
        score: How well it fits; its scale is the memory's own, and greater is better.
        source: Which memory it is from.
        action: The action that it suggests, if it suggests one.
    """

    text: str
    score: float
    source: str
    action: str = ""


class Memory(Protocol):
    """Remembers within an episode, and from one to the next.

    A stream calls :meth:`recall`, :meth:`observe`, :meth:`learn` and :meth:`experience` while an episode
    goes on, :meth:`commit` at its end, and :meth:`restore` with the deltas of finished episodes when it is
    taken up again.
    """

    def recall(self, cue: Cue) -> list[Hit]:
        """What is remembered about a cue, best first; nothing changes."""

    def observe(self, cue: Cue, action: str) -> None:
        """An action was carried out in a situation."""

    def learn(self, text: str, keys: Sequence[str]) -> None:
        """Keep a text that was learnt, and what it is about."""

    def experience(self, cue: Cue, outcome: str, success: bool) -> None:
        """A plan (``cue.plan``) was carried out from a situation; the outcome is a sentence."""

    def commit(self, goal: str, success: bool) -> Any:
        """The episode is over.

        Returns:
            What it left in the memory as JSON, so that :meth:`restore` can bring it back; None for nothing.
        """

    def restore(self, deltas: Sequence[Any]) -> None:
        """Bring back what earlier episodes left, given in their order; None for those that left nothing."""

    def __len__(self) -> int:
        """Number of things kept."""
