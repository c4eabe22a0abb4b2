"""The text world: Minecraft's rules without a map, and a controller that never fails."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mnemocraft.envs.minecraft import plan
from mnemocraft.envs.minecraft.goals import Goal, goal_library
from mnemocraft.envs.minecraft.textworld import TextWorldEnv
from mnemocraft.errors import MnemocraftError
from mnemocraft.worlds.minecraft import (
    GIVEN_TOOL,
    OVER,
    Demand,
    check_limits,
    demand,
    described,
    goal_limit,
    minecraft_guide,
    minecraft_wording,
    observation,
    obtain,
    read,
)
from mnemocraft.worlds.minecraft_tasks import minecraft_task, minecraft_tasks
from mnemocraft.worlds.minecraft_teacher import asked_item, plan_told
from mnemocraft.worlds.world import Feedback, Observation, Task


class TextWorld:
    """A task whose goals are reached whenever their preconditions hold, one step a unit.

    Stations have to be in the inventory; ``place`` and ``dig`` change nothing here.

    Args:
        name: Of the task.
        env: A world, not yet over; its own target is ignored.
        wanted: When the task is done.
        limits: Steps allowed for a goal: the ``paper``'s or those of the released ``code``.
    """

    encoder, idle = "minilm", ""

    def __init__(self, name: str, env: TextWorldEnv, wanted: Demand, limits: str = "paper") -> None:
        check_limits(limits)
        self.env, self._wanted, self._limits = env, wanted, limits
        self.version = env.engine.rules.version
        self.guide, self.wording = minecraft_guide(self.version), minecraft_wording(self.version)
        self.library = goal_library(self.version, "game" if env.engine.real else "mc-textworld")
        self.target = wanted.target
        self.task = Task(f"textworld/{name}", obtain(self.target), env.max_steps, next(iter(self.target)))

    @property
    def inventory(self) -> dict[str, int]:
        """Units by item, without the given axe."""
        return described(self.env.inventory)

    @property
    def steps(self) -> int:
        """Actions taken."""
        return self.env.steps

    @property
    def reason(self) -> str:
        """``success``, ``max_steps`` or empty."""
        return self.env.reason if self.lacking() else "success"

    @property
    def success(self) -> bool:
        """Whether nothing is lacking."""
        return not self.lacking()

    def lacking(self) -> str:
        """What the task still asks for."""
        return self._wanted.lacking(self.env.inventory)

    def observe(self) -> Observation:
        """Task and inventory."""
        return observation(self.task.goal, self.inventory)

    def failure(self, goal: Goal) -> str:
        """Why a goal cannot be pursued now; empty if it can."""
        return self.library.failure(goal, self.env.inventory)

    def check(self, action: str) -> str:
        """Whether it can be read as a goal."""
        try:
            read(action, self.version)
        except MnemocraftError as unreadable:
            return str(unreadable)
        return ""

    def act(self, action: str, limit: int | None = None) -> Feedback:
        """Do a goal's action until its units are gained; ``limit``: by default the goal's own."""
        if wrong := self.check(action) or (OVER if self.reason else ""):
            return Feedback(False, 0, wrong)
        goal, using = read(action, self.version)
        before = self.env.steps
        most = goal_limit(goal, self._limits) if limit is None else limit
        failure = self.failure(goal) or self._do(goal, most, list(using))
        return Feedback(not failure, self.env.steps - before, failure)

    def _do(self, goal: Goal, limit: int, using: list[str]) -> str:
        """Why the goal was not reached; empty if it was."""
        if goal.verb in ("place", "dig"):
            return ""
        items = [item for item, _ in self.library.objective(goal)]
        name = goal.item if goal.name in self.env.engine.operators or not items else items[0]
        call = {"name": goal.verb, "arguments": {"item": name, "using": using}}
        before = dict(self.env.inventory)
        for gained in range(limit + 1):
            if items:
                gained = max(self.env.inventory.get(item, 0) - before.get(item, 0) for item in items)
            if gained >= (goal.count if items else 1):
                return ""
            if self.env.reason:
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

    def how_to(self, query: str, question: str, level: str) -> str:
        """The shortest plan from here for the item that is asked about."""
        item = asked_item(query, question, self.library, next(iter(self.target)))
        held = self.env.inventory
        rules = "game" if self.env.engine.real else "mc-textworld"
        found = plan(item, held.get(item, 0) + 1, version=self.version, rules=rules, inventory=held)
        return plan_told(found, item, level, self.library)

    def plain_scene(self) -> str:
        """Task and inventory."""
        return self.observe().text


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


def task_names(kind: str) -> list[str]:
    """The tasks of DEPS."""
    return [task.key for task in minecraft_tasks()]
