"""Environments, all of them :class:`gymnasium.Env`."""

from mnemocraft.envs.kitchen import KitchenEnv
from mnemocraft.envs.plancraft import PlancraftEnv

__all__ = ["KitchenEnv", "PlancraftEnv"]
