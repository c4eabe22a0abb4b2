"""Numbers that users give, checked."""

from __future__ import annotations

from operator import index
from typing import Any

from mnemocraft.errors import MnemocraftError

MAX_SEED = 2**63 - 1


def whole(value: Any, name: str, low: int, high: int = MAX_SEED) -> int:
    """A whole number in a range (NumPy's too).

    Raises:
        MnemocraftError: It is none.
    """
    try:
        number = low - 1 if isinstance(value, bool) else index(value)
    except TypeError:
        number = low - 1
    if not low <= number <= high:
        top = "" if high == MAX_SEED else f" to {high}"
        raise MnemocraftError(f"{name} must be a whole number from {low}{top}, not {value!r}.")
    return number
