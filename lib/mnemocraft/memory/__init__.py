"""Memories of planning agents."""

from mnemocraft.memory.keyed import KeyedMemory
from mnemocraft.memory.session import SessionGraph
from mnemocraft.memory.traces import Match, TraceMemory

__all__ = ["KeyedMemory", "Match", "SessionGraph", "TraceMemory"]
