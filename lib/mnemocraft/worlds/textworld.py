"""The text world: Minecraft's rules without a map, and a controller that never fails."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mnemocraft.envs.minecraft.goals import Goal
from mnemocraft.envs.minecraft.textworld import TextWorldEnv
from mnemocraft.worlds.minecraft import GIVEN_TOOL, Demand, demand
from mnemocraft.worlds.minecraft_tasks import minecraft_task
from mnemocraft.worlds.minecraft_world import MinecraftWorld
from mnemocraft.worlds.minecraft_world import task_names as task_names
from mnemocraft.worlds.world import Feedback


class TextWorld(MinecraftWorld):
    """A task whose goals are reached whenever their preconditions hold, one step a unit.

    Stations have to be in the inventory; ``place`` and ``dig`` change nothing here.

    Args:
        name: Of the task.
        env: A world, not yet over; its own target is ignored.
        wanted: When the task is done.
        limits: Steps allowed for a goal: the ``paper``'s or those of the released ``code``.
    """

    def __init__(self, name: str, env: TextWorldEnv, wanted: Demand, limits: str = "paper") -> None:
        rules = "game" if env.engine.real else "mc-textworld"
        super().__init__(f"textworld/{name}", env, wanted, limits, env.engine.rules.version, rules)

    def failure(self, goal: Goal) -> str:
        """Why a goal cannot be pursued now; empty if it can. A furnace stays hot until its fuel is burnt."""
        return self.library.failure(goal, self._held(), heat=self.env.heat)

    def _held(self) -> dict[str, int]:
        return self.env.inventory

    def _pursue(self, goal: Goal, using: Sequence[str], limit: int) -> Feedback:
        before = self.steps
        failure = self.failure(goal) or self._do(goal, limit, list(using))
        return Feedback(not failure, self.steps - before, failure)

    def _do(self, goal: Goal, limit: int, using: list[str]) -> str:
        """Why the goal was not reached; empty if it was."""
        if goal.verb in ("place", "dig"):
            return ""
        items = [item for item, _ in self.library.objective(goal)]
        name = goal.item if goal.name in self.env.engine.operators or not items else items[0]
        call = {"name": goal.verb, "arguments": {"item": name, "using": using}}
        before = dict(self.env.inventory)
        for taken in range(limit + 1):
            held = self.env.inventory
            gained = max((held.get(item, 0) - before.get(item, 0) for item in items), default=taken)
            if gained >= (goal.count if items else 1):
                return ""
            if self.env.reason or taken == limit:
                break
            info = self.env.step(call)[4]
            if not info["action_success"]:
                return info["failure"]
        return f"I did not {goal}: gained {gained} of {goal.count} {' or '.join(items) or goal.item}."

    # --- capabilities -----------------------------------------------------------------------------

    def look_around(self) -> None:
        """There is nothing to see."""

    def turn_to(self, goal: Goal) -> None:
        """There is nothing to see."""

    def horizon(self, goals: Sequence[Goal]) -> np.ndarray:
        """Units to gain: an action gains one."""
        return np.array([1.0 if goal.verb == "dig" else float(goal.count) for goal in goals])


def textworld(
    name: str,
    seed: int = 0,
    version: str = "1.16.5",
    rules: str = "game",
    limits: str = "paper",
    max_steps: int | None = None,
) -> TextWorld:
    """A task in a fresh text world; nothing in it is random.

    Args:
        name: Of a task, such as ``stone_sword``.
        seed: Has no part in it.
        version: Of the game: 1.11.2, 1.16.5 or 1.19.2.
        rules: ``game``, or ``mc-textworld`` for those by which DEPS's Table 3 judged plans.
        limits: Steps allowed, of the ``paper`` or the released ``code``.
        max_steps: Steps allowed instead of the task's.

    Raises:
        MnemocraftError: There is no such task, version, rules or limits.
    """
    wanted = minecraft_task(name)
    most = wanted.steps(limits) if max_steps is None else max_steps
    env = TextWorldEnv(version, rules, inventory={GIVEN_TOOL: 1}, max_steps=most)
    return TextWorld(name, env, demand(wanted, version), limits)
