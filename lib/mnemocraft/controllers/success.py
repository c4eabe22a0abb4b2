"""When a goal is reached: seen from the observations alone, so for any world with MineDojo's face."""

from __future__ import annotations

from typing import Any

import numpy as np

from mnemocraft.envs.minecraft.goals import STATIONS, Goal, Objective, goal_library

Observation = dict[str, Any]
VERSION = "1.11.2"
"""MineDojo's version of the game, and the overworld's."""


def units(observation: Observation, objective: Objective) -> int:
    """Units of an item (of one variant, or any) in the 36 slots."""
    item, variant = objective
    inventory = observation["inventory"]
    same = inventory["name"] == item.replace("_", " ")
    if variant is not None:
        same = same & (inventory["variant"] == variant)
    return int(inventory["quantity"][same].sum())


def counts(observation: Observation) -> dict[str, int]:
    """Units by item, names with underscores, in the 36 slots."""
    held: dict[str, int] = {}
    inventory = observation["inventory"]
    for name, quantity in zip(inventory["name"].tolist(), inventory["quantity"].tolist(), strict=True):
        if quantity:
            item = name.replace(" ", "_")
            held[item] = held.get(item, 0) + int(quantity)
    return held


def nearby(observation: Observation) -> list[str]:
    """Stations within reach and in view."""
    near = observation["nearby_tools"]
    return [station for station, key in zip(STATIONS, ("table", "furnace"), strict=True) if near[key]]


class Progress:
    """Watches one goal from the observation on at which it is taken up.

    Mined, crafted and smelted items count as *gained* since then; a kill by what the mob surely leaves, as
    each of the paper's goals has an item that shows it was reached (appendix C.1). ``equip`` looks at the
    equipment, ``place`` at the inventory and (stations) at what stands near, ``dig`` at the height.

    Args:
        goal: What to reach.
        observation: The first one.

    Attributes:
        gained: Units gained so far.
        reached: Whether the goal is reached.
    """

    def __init__(self, goal: Goal, observation: Observation) -> None:
        self.goal, self.gained, self.reached = goal, 0, False
        library = goal_library(VERSION)
        self._objective = library.objective(goal)
        if goal.verb == "place":
            self._objective = ((goal.item, None),)
        self._start = [units(observation, objective) for objective in self._objective]
        self._seen: Any = None
        self.update(observation)

    def update(self, observation: Observation) -> bool:
        """Take notice of the next observation; whether the goal is reached."""
        verb = self.goal.verb
        if verb == "equip":
            self.reached = self.goal.item.replace("_", " ") in observation["equipment"]["name"].tolist()
        elif verb == "dig":
            self.reached = bool(np.floor(float(observation["position"][1]) + 0.125) <= self.goal.count)
        else:
            self._count(observation)
            self.reached = self.gained >= self.goal.count and (verb != "place" or self._stands(observation))
        return self.reached

    def _count(self, observation: Observation) -> None:
        if observation["inventory"] is self._seen:
            return
        self._seen = observation["inventory"]
        sign = -1 if self.goal.verb == "place" else 1
        gains = [units(observation, o) - n for o, n in zip(self._objective, self._start, strict=True)]
        self.gained = max(sign * gain for gain in gains)

    def _stands(self, observation: Observation) -> bool:
        return self.goal.item not in STATIONS or self.goal.item in nearby(observation)

    def __str__(self) -> str:
        """How far it is, in words."""
        if self.reached:
            return f"I did {self.goal}."
        if self.goal.verb in ("equip", "dig"):
            return f"I did not {self.goal}."
        verb = "placed" if self.goal.verb == "place" else "gained"
        items = " or ".join(item for item, _ in self._objective)
        return f"I did not {self.goal}: {verb} {max(0, self.gained)} of {self.goal.count} {items}."
