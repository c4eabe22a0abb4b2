"""Every memory by name. A new memory is one file and one row here."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any

from mnemocraft.errors import MnemocraftError
from mnemocraft.memory.interface import Memory

MEMORIES = {
    "none": "mnemocraft.memory.none:NoMemory",
    "keyed": "mnemocraft.memory.keyed:Keyed",
    "trace": "mnemocraft.memory.traces:Traces",
    "loops": "mnemocraft.memory.session:Loops",
}
"""Where the class of each memory is."""


def get_memory(name: str, **options: Any) -> Memory:
    """An empty memory.

    Args:
        name: One of :data:`MEMORIES`.
        options: Of its class, such as ``tau`` of ``trace``.

    Raises:
        MnemocraftError: There is no such memory or option.
    """
    if name not in MEMORIES:
        raise MnemocraftError(f"There is no memory {name!r}; it is one of {', '.join(MEMORIES)}.")
    module, _, kind = MEMORIES[name].partition(":")
    make = getattr(import_module(module), kind)
    known = list(inspect.signature(make).parameters)
    for option in options:
        if option not in known:
            raise MnemocraftError(
                f"The memory {name!r} has no option {option!r}; it has {', '.join(known) or 'none'}."
            )
    return make(**options)
