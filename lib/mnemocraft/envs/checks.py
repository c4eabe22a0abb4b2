"""What users and models give, checked: the right thing comes back, anything else is told in one sentence."""

from __future__ import annotations

import json
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


def tool_call(action: Any) -> dict[str, Any]:
    """A tool call, given as a dict or its JSON.

    Raises:
        MnemocraftError: It is none; one sentence for whoever made it.
    """
    if isinstance(action, str):
        try:
            action = json.loads(action)
        except (ValueError, RecursionError):
            raise MnemocraftError("The action is not valid JSON.") from None
    if not isinstance(action, dict):
        raise MnemocraftError('An action must be a tool call with "name" and "arguments".')
    return action
