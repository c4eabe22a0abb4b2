"""Worlds for agents: ``make("kitchen/sync/3", seed=0)`` gives a task in a world, text in and text out.

Each kind of world is a module here, a thin adapter over an environment of :mod:`mnemocraft.envs`.
"""

from typing import TYPE_CHECKING

from mnemocraft.lazy import importer

if TYPE_CHECKING:
    from mnemocraft.worlds.registry import KINDS, make, tasks
    from mnemocraft.worlds.world import (
        LEVELS,
        Feedback,
        Frames,
        Goals,
        Horizons,
        Lookahead,
        Observation,
        Task,
        Teaching,
        World,
        lacks,
    )

__all__ = [
    "KINDS",
    "LEVELS",
    "Feedback",
    "Frames",
    "Goals",
    "Horizons",
    "Lookahead",
    "Observation",
    "Task",
    "Teaching",
    "World",
    "lacks",
    "make",
    "tasks",
]

_MODULES = {
    "registry": "KINDS make tasks",
    "world": "LEVELS Feedback Frames Goals Horizons Lookahead Observation Task Teaching World lacks",
}
__getattr__ = importer(__name__, _MODULES, "minecraft,graph")
