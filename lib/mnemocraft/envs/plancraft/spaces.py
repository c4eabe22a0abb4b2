"""Gymnasium spaces of Plancraft: free text, slot contents and tool calls."""

from __future__ import annotations

from typing import Any

import gymnasium

from mnemocraft.envs.plancraft.data import SLOT_NAMES
from mnemocraft.envs.plancraft.recipes import max_stack


class TextSpace(gymnasium.Space[str]):
    """Any text (Gymnasium's own space limits its length and its characters)."""

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is text."""
        return isinstance(x, str)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A random item name."""
        return str(self.np_random.choice(list(max_stack())))


class InventorySpace(gymnasium.Space[dict[str, Any]]):
    """What lies in each slot: ``{"I12": {"type": "beetroot", "quantity": 1}}``."""

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


class ActionSpace(gymnasium.Space[dict[str, Any]]):
    """Tool calls. Samples are well-formed; malformed ones belong to the space because they get an answer."""

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is a tool call, its JSON, or None."""
        return x is None or isinstance(x, str | dict)

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        """A random move or smelt between two different slots."""
        name = str(self.np_random.choice(["move", "smelt"]))
        slot_from, slot_to = (str(s) for s in self.np_random.choice(SLOT_NAMES[1:], size=2, replace=False))
        quantity = int(self.np_random.integers(1, 65))
        return {"name": name, "arguments": {"slot_from": slot_from, "slot_to": slot_to, "quantity": quantity}}
