"""Environments, all of them :class:`gymnasium.Env`, and registered: ``mnemocraft/Kitchen-v0`` and so on.

Each is imported when first asked for.
"""

from typing import TYPE_CHECKING

import mnemocraft.envs.task_env  # noqa: F401 (registers them)
from mnemocraft.lazy import importer

if TYPE_CHECKING:
    from mnemocraft.envs.alfworld.env import AlfworldEnv
    from mnemocraft.envs.kitchen.env import KitchenEnv
    from mnemocraft.envs.minecraft.textworld import TextWorldEnv
    from mnemocraft.envs.minedojo.env import MineDojoEnv
    from mnemocraft.envs.overworld.env import OverworldEnv
    from mnemocraft.envs.plancraft.env import PlancraftEnv
    from mnemocraft.envs.tabletop.env import TabletopEnv

__all__ = [
    "AlfworldEnv",
    "KitchenEnv",
    "MineDojoEnv",
    "OverworldEnv",
    "PlancraftEnv",
    "TabletopEnv",
    "TextWorldEnv",
]

_MODULES = {
    "alfworld.env": "AlfworldEnv",
    "kitchen.env": "KitchenEnv",
    "minedojo.env": "MineDojoEnv",
    "overworld.env": "OverworldEnv",
    "plancraft.env": "PlancraftEnv",
    "tabletop.env": "TabletopEnv",
    "minecraft.textworld": "TextWorldEnv",
}
__getattr__ = importer(__name__, _MODULES)
