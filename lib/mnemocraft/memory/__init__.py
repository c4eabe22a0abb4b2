"""Memories: ``get_memory("trace")`` for any agent in any world, and the stores by themselves."""

from typing import TYPE_CHECKING

from mnemocraft.lazy import importer

if TYPE_CHECKING:
    from mnemocraft.memory.episodic import EpisodicMemory
    from mnemocraft.memory.experience import ExperienceMemory
    from mnemocraft.memory.interface import Cue, Hit, Memory
    from mnemocraft.memory.keyed import KeyedMemory
    from mnemocraft.memory.registry import MEMORIES, get_memory
    from mnemocraft.memory.session import SessionGraph
    from mnemocraft.memory.stores import Experience
    from mnemocraft.memory.traces import Match, TraceMemory

__all__ = [
    "MEMORIES",
    "Cue",
    "EpisodicMemory",
    "Experience",
    "ExperienceMemory",
    "Hit",
    "KeyedMemory",
    "Match",
    "Memory",
    "SessionGraph",
    "TraceMemory",
    "get_memory",
]

_MODULES = {
    "registry": "MEMORIES get_memory",
    "interface": "Cue Hit Memory",
    "keyed": "KeyedMemory",
    "experience": "ExperienceMemory",
    "stores": "Experience",
    "traces": "Match TraceMemory",
    "session": "SessionGraph",
    "episodic": "EpisodicMemory",
}
__getattr__ = importer(__name__, _MODULES, "graph")
