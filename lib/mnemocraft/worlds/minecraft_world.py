"""What the Minecraft worlds have in common: goals as actions, a task in units, a teacher."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from string import Template
from typing import Any

from mnemocraft.envs.minecraft import plan
from mnemocraft.envs.minecraft.goals import Goal, goal_library
from mnemocraft.errors import MnemocraftError, one_of
from mnemocraft.worlds.asking import asked_item
from mnemocraft.worlds.guides import guide
from mnemocraft.worlds.minecraft import (
    GIVEN_TOOL,
    WORDING,
    Demand,
    example_names,
    goal_limit,
    listed,
    observation,
    read,
)
from mnemocraft.worlds.minecraft_tasks import LIMITS, minecraft_tasks
from mnemocraft.worlds.minecraft_teacher import plan_told
from mnemocraft.worlds.world import Feedback, Observation, Task


class MinecraftWorld(ABC):
    """A task whose action lines are goals; what it takes to reach one is up to the worlds.

    Args:
        task: Its id.
        env: Where it is played.
        wanted: When the task is done.
        limits: Steps allowed for a goal: the ``paper``'s or those of the released ``code``.
        version: Of the game.
        rules: ``game``, or ``mc-textworld`` for those by which DEPS's Table 3 judged plans.
    """

    encoder, idle = "minilm", ""
    wear = "They are not used up, so one of each is enough."
    """What the guide says of stations and tools."""

    def __init__(
        self, task: str, env: Any, wanted: Demand, limits: str, version: str, rules: str = "game"
    ) -> None:
        one_of("kind of limits", limits, LIMITS)
        self.env, self._wanted, self._limits = env, wanted, limits
        self.version, self._rules = version, rules
        names = {"version": version, "wear": self.wear} | example_names(version)
        self.guide = Template(guide("minecraft")).substitute(names)
        self.wording = WORDING.substitute(example_names(version))
        self.library, self.target = goal_library(version, rules), wanted.target
        self.task = Task(task, f"obtain {listed(self.target)}", env.max_steps, next(iter(self.target)))

    @abstractmethod
    def _held(self) -> Mapping[str, int]:
        """Units by item, with the given axe."""

    @abstractmethod
    def _pursue(self, goal: Goal, using: Sequence[str], limit: int) -> Feedback:
        """Try to reach a goal in so many steps."""

    @property
    def inventory(self) -> dict[str, int]:
        """Units by item, without the given axe."""
        return {item: units for item, units in self._held().items() if units and item != GIVEN_TOOL}

    @property
    def steps(self) -> int:
        """Steps taken."""
        return int(self.env.steps)

    @property
    def reason(self) -> str:
        """``success``, ``death``, ``max_steps`` or empty."""
        return str(self.env.reason) if self.lacking() else "success"

    @property
    def success(self) -> bool:
        """Whether nothing is lacking."""
        return not self.lacking()

    def lacking(self) -> str:
        """What the task still asks for."""
        return self._wanted.lacking(self._held())

    def observe(self) -> Observation:
        """Task and inventory."""
        return observation(self.task.goal, self.inventory)

    @abstractmethod
    def failure(self, goal: Goal) -> str:
        """Why a goal cannot be pursued now; empty if it can."""

    def check(self, action: str) -> str:
        """Whether it can be read as a goal."""
        try:
            read(str(action), self.version)  # what is no text is no goal either
        except MnemocraftError as unreadable:
            return str(unreadable)
        return ""

    def act(self, action: str, limit: int | None = None) -> Feedback:
        """Pursue a goal; ``limit``: by default the goal's own."""
        if wrong := self.check(action) or ("The episode is over." if self.reason else ""):
            return Feedback(False, 0, wrong)
        goal, using = read(action, self.version)
        return self._pursue(goal, using, goal_limit(goal, self._limits) if limit is None else limit)

    def how_to(self, query: str, question: str, level: str) -> str:
        """The shortest plan from here, by the rules alone, for the item that is asked about."""
        item = asked_item(query, question, self.library.rules.items, self.task.item)
        held = self._held()
        wanted = held.get(item, 0) + 1
        try:
            found = plan(item, wanted, version=self.version, rules=self._rules, inventory=held)
        except MnemocraftError:  # more than an inventory holds
            return "I do not know how to go on from here."
        return plan_told(found, item, level, self.library)

    def plain_scene(self) -> str:
        """What there is to see, in words."""
        return self.observe().text


def task_names() -> list[str]:
    """The tasks of DEPS."""
    return [task.key for task in minecraft_tasks()]
