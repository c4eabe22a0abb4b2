"""Environments, all of them :class:`gymnasium.Env`."""

from mnemocraft.envs.kitchen import KitchenEnv
from mnemocraft.envs.minecraft.textworld import TextWorldEnv
from mnemocraft.envs.minedojo import MineDojoEnv
from mnemocraft.envs.overworld import OverworldEnv
from mnemocraft.envs.plancraft import PlancraftEnv

__all__ = ["KitchenEnv", "MineDojoEnv", "OverworldEnv", "PlancraftEnv", "TextWorldEnv"]
