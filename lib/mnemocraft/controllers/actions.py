"""The 42 discrete actions of the controllers, as DEPS (appendix C.1) has them in number.

The paper does not list its 42. Ours are seven motions of the body times six things to do with head and hand;
what goes through the inventory (craft, equip, place) stays MineDojo's own action.
"""

from __future__ import annotations

import numpy as np

MOTIONS = ("stand", "forward", "forward_jump", "sprint", "back", "left", "right")
HEADS = ("none", "attack", "up", "down", "turn_left", "turn_right")
ACTIONS = len(MOTIONS) * len(HEADS)
"""42: action ``len(HEADS) * motion + head``."""
STAND, FORWARD, FORWARD_JUMP, SPRINT, BACK, LEFT, RIGHT = range(len(MOTIONS))
NONE, ATTACK, UP, DOWN, TURN_LEFT, TURN_RIGHT = range(len(HEADS))
STILL = 12
"""MineDojo's bin for no turn; a bin is 15 degrees."""
_WALK = ((0, 0, 0), (1, 0, 0), (1, 0, 1), (1, 0, 3), (2, 0, 0), (0, 1, 0), (0, 2, 0))
_USE_HAND = 3

MIRROR = tuple(
    len(HEADS) * (0, 1, 2, 3, 4, 6, 5)[action // len(HEADS)] + (0, 1, 2, 3, 5, 4)[action % len(HEADS)]
    for action in range(ACTIONS)
)
"""The action that does the same in the mirror image."""


def index(motion: int, head: int) -> int:
    """The number of an action."""
    return len(HEADS) * motion + head


def to_minedojo(action: int) -> np.ndarray:
    """One of the 42 as MineDojo's eight whole numbers."""
    motion, head = divmod(action, len(HEADS))
    pitch = STILL + {UP: -1, DOWN: 1}.get(head, 0)
    yaw = STILL + {TURN_LEFT: -1, TURN_RIGHT: 1}.get(head, 0)
    return np.array([*_WALK[motion], pitch, yaw, _USE_HAND if head == ATTACK else 0, 0, 0])


def functional(function: int, *, craft: int = 0, slot: int = 0, pitch: int = 0, yaw: int = 0) -> np.ndarray:
    """An action of MineDojo that uses the inventory, or turns by whole bins.

    Args:
        function: 0 none, 4 craft, 5 equip, 6 place.
        craft: Place in MineDojo's list of what can be crafted.
        slot: Slot of the inventory.
        pitch: Bins to turn down.
        yaw: Bins to turn right.
    """
    return np.array([0, 0, 0, STILL + pitch, STILL + yaw, function, craft, slot])
