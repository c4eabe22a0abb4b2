"""Memories of planning agents."""

from mnemocraft.memory.keyed import KeyedMemory

__all__ = ["KeyedMemory"]
