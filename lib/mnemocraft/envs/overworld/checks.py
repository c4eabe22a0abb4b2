"""What a user gives, checked: the right thing comes back, anything else is told in one sentence."""

from __future__ import annotations

from difflib import get_close_matches
from operator import contains
from typing import Any

import numpy as np

from mnemocraft.bounded import whole
from mnemocraft.envs.overworld.items import ITEMS, stack_of
from mnemocraft.envs.overworld.spaces import SIZES
from mnemocraft.errors import MnemocraftError

SLOTS = 36
_WHOLE = (int, np.integer)
_RANGES = tuple(map(range, SIZES))


def image_size(size: Any) -> tuple[int, int]:
    """Height and width of an image."""
    try:
        height, width = size
    except (TypeError, ValueError):
        raise MnemocraftError(f"image_size must be (height, width), not {size!r}.") from None
    return whole(height, "The image height", 1, 4096), whole(width, "The image width", 1, 4096)


def action(given: Any) -> list[int]:
    """An action as eight whole numbers."""
    if isinstance(given, np.ndarray) and given.shape == (len(SIZES),) and given.dtype.kind in "iu":
        chosen: list[int] = given.tolist()
        if all(map(contains, _RANGES, chosen)):  # once a step, so it should be quick
            return chosen
    try:
        numbers = given.tolist() if isinstance(given, np.ndarray) else list(given)
    except TypeError:
        numbers = []
    fits = len(numbers) == len(SIZES)
    for number, size in zip(numbers, SIZES, strict=False):
        fits = fits and isinstance(number, _WHOLE) and bool(0 <= number < size)
    if not fits:
        raise MnemocraftError(
            f"An action is eight whole numbers below {', '.join(map(str, SIZES))}, not {given!r}."
        )
    return [int(n) for n in numbers]


def items(given: Any, name: str) -> dict[str, int]:
    """Items with numbers."""
    if not isinstance(given, dict):
        raise MnemocraftError(f"{name} must be items with numbers, for example {{'log': 3}}, not {given!r}.")
    for item in given:
        if item not in ITEMS[1:]:
            close = get_close_matches(str(item), ITEMS, 1)
            hint = f"; did you mean {close[0]!r}?" if close else "."
            raise MnemocraftError(f"{name}: Minecraft 1.11.2 has no item {item!r}{hint}")
    return {item: whole(n, f"{name}: the number of {item}", 1) for item, n in given.items()}


def target(given: str | dict[str, int] | None) -> dict[str, int]:
    """What an episode is for: an item, items with numbers, or nothing."""
    return items({given: 1} if isinstance(given, str) else given or {}, "target")


def stacks(checked: dict[str, int]) -> list[tuple[str, int]]:
    """Items with numbers as full stacks, one a slot."""
    found = [
        (item, min(stack_of(item), number - done))
        for item, number in checked.items()
        for done in range(0, number, stack_of(item))
    ]
    if len(found) > SLOTS:
        raise MnemocraftError(f"These items fill {len(found)} slots; there are {SLOTS}.")
    return found
