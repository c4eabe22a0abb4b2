"""Pictures of the crafting table, drawn by the ``plancraft`` package itself.

The package paints over its last picture at every change, and what it leaves behind (old quantities, for
instance) is part of the picture. So the actions since the start are played again on its own environment,
with the one set of pictures that this process loads.
"""

from __future__ import annotations

import copy
from functools import cache

import numpy as np
from plancraft.environment.env import PlancraftEnvironment

from mnemocraft.envs.plancraft.data import Slots
from mnemocraft.envs.plancraft.game import SLOT_INDEX


@cache
def _pristine() -> PlancraftEnvironment:
    """An environment to copy: making one loads all pictures."""
    return PlancraftEnvironment()


class Painter:
    """The package's environment at the same state as one of our games.

    Args:
        slots: Where the items lie at the start.
    """

    def __init__(self, slots: Slots) -> None:
        self._peer = copy.copy(_pristine())
        self._peer.table = copy.copy(self._peer.table)
        self._peer.reset({SLOT_INDEX[s]: {"type": item, "quantity": n} for s, (item, n) in slots.items()})

    def act(self, name: str, slot_from: str, slot_to: str, quantity: int) -> None:
        """Draw what a move or smelt does."""
        do = self._peer.move_item if name == "move" else self._peer.smelt_item
        do(SLOT_INDEX[slot_from], SLOT_INDEX[slot_to], quantity)
        self._peer.clean_state()

    @property
    def frame(self) -> np.ndarray:
        """The picture, uint8 RGB."""
        return self._peer.table.frame
