"""Gymnasium's view of the text world: contents of an inventory, and tool calls by chance."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from mnemocraft.envs.minecraft.engine import TextWorldEngine


class InventorySpace(gymnasium.Space[dict[str, int]]):
    """Items of the version and how many: ``{"oak_log": 3}``."""

    def __init__(self, world: TextWorldEngine) -> None:
        super().__init__()
        self.world = world

    def __eq__(self, other: object) -> bool:
        """Of the same version and rules."""
        return isinstance(other, InventorySpace) and self.world is other.world

    def contains(self, x: Any) -> bool:
        """Whether ``x`` maps items of the version to whole numbers."""
        return isinstance(x, dict) and all(
            (item in self.world.items or not self.world.real) and isinstance(units, int) and units >= 0
            for item, units in x.items()
        )

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, int]:
        """One unit of each of four random items."""
        every = sorted(self.world.items)
        return {every[int(i)]: 1 for i in self.np_random.choice(len(every), size=4, replace=False)}


def random_call(world: TextWorldEngine, random: np.random.Generator) -> dict[str, Any]:
    """A known action."""
    every = list(world.operators)
    verb, item = every[int(random.integers(len(every)))]
    return {"name": verb, "arguments": {"item": item} if item else {}}
