"""M2PA's episodic memory for any agent in any world."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np

from mnemocraft.errors import MnemocraftError
from mnemocraft.memory.episodic import EpisodicMemory, Remembered
from mnemocraft.memory.interface import Cue, Hit
from mnemocraft.memory.none import NoMemory


class Episodic(NoMemory):
    """M2PA's memory of plans that worked, for any agent; where a world has no pictures alpha is 1.

    Args:
        options: Of :class:`EpisodicMemory`.
    """

    __signature__ = signature(EpisodicMemory)  # the registry checks names of options by it

    def __init__(self, **options: Any) -> None:
        self.store = EpisodicMemory(**options)
        self._new: list[dict[str, Any]] = []

    def recall(self, cue: Cue) -> list[Hit]:
        """The plans that worked for the query, else for the goal, in such a situation, the latest first."""
        found = self.store.retrieve(cue.query or cue.goal, *_shown(cue))
        return [Hit(_told(memory), -distance, "episodic") for distance, memory in found]

    def experience(self, cue: Cue, outcome: str, success: bool) -> None:
        """A plan that worked is kept, at once, under the query or the goal; one that failed is not."""
        if not success or not cue.plan.strip():
            return
        kept = self.store.add(cue.query or cue.goal, _shown(cue)[0], cue.plan, *_shown(cue)[1:]).situation
        features = None if kept.image is None else b64encode(kept.image.astype("<f4").tobytes()).decode()
        self._new.append(
            {"goal": kept.goal, "scene": kept.scene, "plan": cue.plan, "inventory": dict(kept.inventory)}
            | {"biome": kept.biome, "image": features, "images": self.store.images}
        )

    def commit(self, goal: str, success: bool) -> list[dict[str, Any]] | None:
        """What was kept in this episode, whether it succeeded or not: sub-goals may have been reached."""
        new, self._new = self._new, []
        return new or None

    def restore(self, deltas: Sequence[Any]) -> None:
        """Keep it again, in order, so that merging and forgetting come out as they did.

        Raises:
            MnemocraftError: Pictures were encoded by another encoder.
        """
        rows = [row for delta in deltas for row in delta or ()]
        for row in rows:
            if row["image"] and row["images"] != self.store.images:
                raise MnemocraftError(
                    f"The memory compares pictures by the encoder {self.store.images!r}, and cannot take "
                    f"those of {row['images']!r}."
                )
        for row in rows:
            image = np.frombuffer(b64decode(row["image"]), "<f4") if row["image"] else None
            self.store.add(row["goal"], row["scene"], row["plan"], row["inventory"], row["biome"], image)

    def __len__(self) -> int:
        """Number of memories."""
        return len(self.store)


def _shown(cue: Cue) -> tuple[str, Mapping[str, int], str, np.ndarray | None]:
    return cue.scene, cue.inventory, cue.biome, cue.image


def _told(memory: Remembered) -> str:
    """A memory for a prompt."""
    situation = memory.situation
    held = ", ".join(f"{units} {item}" for item, units in situation.inventory.items())
    where = f" in {situation.biome}" if situation.biome else ""
    return f"Goal then: {situation.goal}\nHeld then{where}: {held or 'nothing'}\nPlan then: {memory.plan}"
