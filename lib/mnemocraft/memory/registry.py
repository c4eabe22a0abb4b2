"""Every memory by name. A new memory is one file and one row here."""

from __future__ import annotations

from typing import Any

from mnemocraft.memory.interface import Memory
from mnemocraft.registry import entry, made

MEMORIES = {
    "none": "mnemocraft.memory.none:NoMemory",
    "keyed": "mnemocraft.memory.keyed:Keyed",
    "trace": "mnemocraft.memory.traces:Traces",
    "trace_shuffled": "mnemocraft.memory.controls:ShuffledTraces",
    "loops": "mnemocraft.memory.session:Loops",
    "skills": "mnemocraft.memory.skills:Skills",
    "episodic": "mnemocraft.memory.episodes:Episodic",
    "episodic_shuffled": "mnemocraft.memory.episodic_shuffled:ShuffledEpisodic",
    "experience": "mnemocraft.memory.experience:Experiences",
    "shuffled": "mnemocraft.memory.controls:Shuffled",
    "random": "mnemocraft.memory.controls:Random",
    "bm25": "mnemocraft.memory.controls:BM25",
    "history": "mnemocraft.memory.controls:History",
    "oracle": "mnemocraft.memory.controls:Oracle",
}
"""Where the class of each memory is."""


def get_memory(name: str, **options: Any) -> Memory:
    """An empty memory.

    Args:
        name: One of :data:`MEMORIES`.
        options: Of its class, such as ``tau`` of ``trace``.

    Raises:
        MnemocraftError: There is no such memory or option.
    """
    return made(entry(MEMORIES, name, "memory"), f"memory {name!r}", **options)
