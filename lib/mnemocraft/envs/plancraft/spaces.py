"""Gymnasium's view of Plancraft: slot contents, and tool calls by chance."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from mnemocraft.envs.plancraft.data import SLOT_NAMES
from mnemocraft.envs.plancraft.recipes import max_stack


class InventorySpace(gymnasium.Space[dict[str, Any]]):
    """What lies in each slot: ``{"I12": {"type": "beetroot", "quantity": 1}}``."""

    def __eq__(self, other: object) -> bool:
        """There is one such space."""
        return type(self) is type(other)

    def contains(self, x: Any) -> bool:
        """Whether ``x`` maps slot names to items in possible quantities."""
        return isinstance(x, dict) and all(
            slot in SLOT_NAMES and entry["type"] in max_stack() and 1 <= entry["quantity"] <= 64
            for slot, entry in x.items()
        )

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """One unit of a random item in each of four random slots."""
        slots = self.np_random.choice(SLOT_NAMES[1:], size=4, replace=False)
        items = self.np_random.choice(list(max_stack()), size=4)
        return {str(s): {"type": str(i), "quantity": 1} for s, i in zip(slots, items, strict=True)}


def random_call(random: np.random.Generator) -> dict[str, Any]:
    """A move or smelt between two different slots."""
    name = str(random.choice(["move", "smelt"]))
    slot_from, slot_to = (str(s) for s in random.choice(SLOT_NAMES[1:], size=2, replace=False))
    quantity = int(random.integers(1, 65))
    return {"name": name, "arguments": {"slot_from": slot_from, "slot_to": slot_to, "quantity": quantity}}
