"""Controllers: they pursue one goal at a time, ``act(observation, goal)``.

Where to look: ``actions`` (the 42 discrete actions), ``success`` (when a goal is reached), ``targets`` (what
leaves an item, which tool to hold), ``inventory`` (craft, smelt, equip, place), ``scripted`` with ``walker``
and ``surroundings`` (the oracle), ``learned`` with ``network`` and ``features`` (the cloned policy and its
horizon heads), ``sighted`` with ``teacher`` (a script that has to see), ``looks`` (looking around),
``pursuit`` (one goal in an environment), ``skills`` and ``herd`` (what is tried, and where). The goals
themselves are :mod:`mnemocraft.envs.minecraft.goals`, training is :mod:`training.controller`.

What needs Numba or PyTorch is imported on first use (``pip install 'mnemocraft[minecraft,graph]'``).
"""

from typing import TYPE_CHECKING

from mnemocraft.envs.minecraft.goals import Goal, GoalLibrary, goal_library
from mnemocraft.lazy import importer

if TYPE_CHECKING:
    from mnemocraft.controllers.learned import LearnedController
    from mnemocraft.controllers.looks import look_around
    from mnemocraft.controllers.pursuit import Controller, Outcome, pursue
    from mnemocraft.controllers.scripted import ScriptedController
    from mnemocraft.controllers.sighted import SightedController
    from mnemocraft.controllers.success import Progress

__all__ = [
    "Controller",
    "Goal",
    "GoalLibrary",
    "LearnedController",
    "Outcome",
    "Progress",
    "ScriptedController",
    "SightedController",
    "goal_library",
    "look_around",
    "pursue",
]

_MODULES = {
    "pursuit": "Controller Outcome pursue",
    "learned": "LearnedController",
    "success": "Progress",
    "scripted": "ScriptedController",
    "sighted": "SightedController",
    "looks": "look_around",
}
__getattr__ = importer(__name__, _MODULES, "minecraft,graph")
