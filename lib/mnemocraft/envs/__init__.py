"""Environments, all of them :class:`gymnasium.Env`."""

from mnemocraft.envs.plancraft import PlancraftEnv

__all__ = ["PlancraftEnv"]
