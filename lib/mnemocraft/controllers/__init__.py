"""Controllers: they pursue one goal at a time, ``act(observation, goal)``.

Where to look: ``actions`` (the 42 discrete actions), ``success`` (when a goal is reached), ``targets`` (what
leaves an item, which tool to hold), ``inventory`` (craft, smelt, equip, place), ``scripted`` with ``walker``
and ``surroundings`` (the oracle), ``learned`` with ``network`` and ``features`` (the cloned policy and its
horizon head), ``pursuit`` (one goal in an environment), ``skills``, ``demonstrations``, ``train`` and
``evaluate``. The goals themselves are :mod:`mnemocraft.envs.minecraft.goals`.

What needs Numba or PyTorch is imported on first use (``pip install 'mnemocraft[minecraft,graph]'``).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mnemocraft.envs.minecraft.goals import Goal, GoalLibrary, goal_library
from mnemocraft.errors import MissingExtra

if TYPE_CHECKING:
    from mnemocraft.controllers.learned import LearnedController
    from mnemocraft.controllers.pursuit import Controller, Outcome, pursue
    from mnemocraft.controllers.scripted import ScriptedController
    from mnemocraft.controllers.success import Progress

__all__ = [
    "Controller",
    "Goal",
    "GoalLibrary",
    "LearnedController",
    "Outcome",
    "Progress",
    "ScriptedController",
    "goal_library",
    "pursue",
]

_LAZY = {
    "Controller": "pursuit",
    "LearnedController": "learned",
    "Outcome": "pursuit",
    "Progress": "success",
    "ScriptedController": "scripted",
    "pursue": "pursuit",
}


def __getattr__(name: str) -> Any:
    """Imports what needs compiled code when it is first asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{_LAZY[name]}")
    except ImportError as missing:
        raise MissingExtra(
            f"{name} needs {missing.name}, which is not installed: pip install 'mnemocraft[minecraft,graph]'."
        ) from None
    return getattr(module, name)
