"""What users and models give, checked: the right thing comes back, anything else is told in one sentence."""

from __future__ import annotations

import json
from typing import Any

from mnemocraft.errors import MnemocraftError


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
