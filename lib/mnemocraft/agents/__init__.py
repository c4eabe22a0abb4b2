"""Agents: ``get_agent("react")`` for any world and any memory, and ``play`` for an episode."""

from typing import TYPE_CHECKING

from mnemocraft.lazy import importer

if TYPE_CHECKING:
    from mnemocraft.agents.registry import AGENTS, get_agent
    from mnemocraft.agents.rollout import Agent, Rollout, Stopped, play
    from mnemocraft.agents.stream import EpisodeStream

__all__ = ["AGENTS", "Agent", "EpisodeStream", "Rollout", "Stopped", "get_agent", "play"]

_MODULES = {
    "registry": "AGENTS get_agent",
    "rollout": "Agent Rollout Stopped play",
    "stream": "EpisodeStream",
}
__getattr__ = importer(__name__, _MODULES, "graph")
