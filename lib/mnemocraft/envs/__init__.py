"""Environments, all of them :class:`gymnasium.Env`, and registered: ``mnemocraft/Kitchen-v0`` and so on.

Each is imported when first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import mnemocraft.envs.task_env  # noqa: F401 (registers them)

if TYPE_CHECKING:
    from mnemocraft.envs.kitchen.env import KitchenEnv
    from mnemocraft.envs.minecraft.textworld import TextWorldEnv
    from mnemocraft.envs.minedojo.env import MineDojoEnv
    from mnemocraft.envs.overworld.env import OverworldEnv
    from mnemocraft.envs.plancraft.env import PlancraftEnv

__all__ = ["KitchenEnv", "MineDojoEnv", "OverworldEnv", "PlancraftEnv", "TextWorldEnv"]

_MODULES = {
    "KitchenEnv": "kitchen.env",
    "MineDojoEnv": "minedojo.env",
    "OverworldEnv": "overworld.env",
    "PlancraftEnv": "plancraft.env",
    "TextWorldEnv": "minecraft.textworld",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
