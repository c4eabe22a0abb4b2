"""What an agent acts on: the text world, the overworld or MineDojo, with one face."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from mnemocraft.envs.minecraft.goals import Goal, GoalLibrary, goal_library
from mnemocraft.envs.minecraft.textworld import TextWorldEnv
from mnemocraft.errors import MnemocraftError

if TYPE_CHECKING:
    from mnemocraft.controllers import Controller
    from mnemocraft.envs import MineDojoEnv, OverworldEnv

GIVEN_TOOL = "diamond_axe"
"""In the inventory at every start (an axe in Table 1, of diamond in the released code), never described."""
UNKNOWN_HORIZON = 2000.0
"""Steps assumed for a goal of which the controller knows nothing."""


@dataclass(frozen=True)
class Attempt:
    """How an attempt at a goal ended: whether it was reached, steps taken, and why not (one sentence)."""

    success: bool
    steps: int
    reason: str = ""


class Stage(Protocol):
    """A world, a controller and a task.

    Attributes:
        version: Of the game.
        library: The goals there are.
        target: Units by item that the task asks for.
        max_steps: Steps allowed.
    """

    version: str
    library: GoalLibrary
    target: dict[str, int]
    max_steps: int

    @property
    def inventory(self) -> dict[str, int]:
        """Units by item, without the given axe."""

    @property
    def nearby(self) -> Collection[str]:
        """Stations that stand within reach."""

    @property
    def biome(self) -> str:
        """Where the agent is; empty where there are no biomes."""

    @property
    def steps(self) -> int:
        """Steps taken."""

    @property
    def reason(self) -> str:
        """Why the episode is over: ``success``, ``death`` or ``max_steps``; empty while it goes on."""

    def lacking(self) -> str:
        """What the task still asks for, ``0 of 1 stone_sword``; empty if nothing."""

    def failure(self, goal: Goal) -> str:
        """Why a goal cannot be pursued now, in one sentence; empty if it can."""

    def attempt(self, goal: Goal, limit: int, using: Sequence[str] = ()) -> Attempt:
        """Pursue a goal for at most ``limit`` steps; of fuels and materials prefer those of ``using``."""

    def look_around(self) -> None:
        """Look all around if that makes the predictions of :meth:`horizon` better; it may take steps."""

    def turn_to(self, goal: Goal) -> None:
        """After looking around: turn to the side on which the goal seems nearest; it may take a step."""

    def horizon(self, goals: Sequence[Goal]) -> np.ndarray:
        """Predicted steps to each goal from here."""

    def frame(self) -> np.ndarray | None:
        """What the agent sees, uint8 (height, width, 3); None where there is nothing to see."""


class Judge:
    """Knows when a task is done: units of the target, or of what counts for it, in the inventory.

    Args:
        target: Units by item.
        accepts: By item, all items that count; an item that is missing here counts alone.
    """

    def __init__(self, target: Mapping[str, int], accepts: Mapping[str, Collection[str]]) -> None:
        self.target = dict(target)
        self._accepts = {item: tuple(accepts.get(item, (item,))) for item in target}

    def lacking(self, inventory: Mapping[str, int]) -> str:
        """``0 of 1 stone_sword``; empty if nothing is lacking."""
        had = {item: sum(inventory.get(i, 0) for i in self._accepts[item]) for item in self.target}
        missing = [f"{had[item]} of {n} {item}" for item, n in self.target.items() if had[item] < n]
        return ", ".join(missing)


def described(inventory: Mapping[str, int]) -> dict[str, int]:
    """An inventory as the agent is told it: without the given axe."""
    return {item: units for item, units in inventory.items() if units and item != GIVEN_TOOL}


class TextStage:
    """The text world: every goal whose preconditions hold is reached, one action a unit.

    Stations have to be in the inventory; ``place`` and ``dig`` change nothing there.

    Args:
        env: A world, not yet over; its own target is ignored.
        judge: When the task is done.
    """

    biome = ""
    nearby = ()

    def __init__(self, env: TextWorldEnv, judge: Judge) -> None:
        self._env, self._judge = env, judge
        self.version = env.engine.rules.version
        self.library = goal_library(self.version, "game" if env.engine.real else "mc-textworld")
        self.target, self.max_steps = judge.target, env.max_steps

    @property
    def inventory(self) -> dict[str, int]:
        """Units by item, without the given axe."""
        return described(self._env.inventory)

    @property
    def steps(self) -> int:
        """Actions taken."""
        return self._env.steps

    @property
    def reason(self) -> str:
        """``success``, ``max_steps`` or empty."""
        return self._env.reason if self.lacking() else "success"

    def lacking(self) -> str:
        """What the task still asks for."""
        return self._judge.lacking(self._env.inventory)

    def failure(self, goal: Goal) -> str:
        """Why a goal cannot be pursued now; empty if it can."""
        return self.library.failure(goal, self._env.inventory)

    def attempt(self, goal: Goal, limit: int, using: Sequence[str] = ()) -> Attempt:
        """Do the goal's action until its units are gained."""
        start = self._env.steps
        reason = self.failure(goal) or self._act(goal, limit, list(using))
        return Attempt(not reason, self._env.steps - start, reason)

    def _act(self, goal: Goal, limit: int, using: list[str]) -> str:
        """Why the goal was not reached; empty if it was."""
        if goal.verb in ("place", "dig"):
            return ""
        objective = self.library.objective(goal)
        items = [item for item, _ in objective]
        name = goal.item if goal.name in self._env.engine.operators or not items else items[0]
        call = {"name": goal.verb, "arguments": {"item": name, "using": using}}
        before = dict(self._env.inventory)
        for gained in range(limit + 1):
            if items:
                gained = max(self._env.inventory.get(item, 0) - before.get(item, 0) for item in items)
            if gained >= (goal.count if items else 1):
                return ""
            if self._env.reason:
                break
            info = self._env.step(call)[4]
            if not info["action_success"]:
                return info["failure"]
        return f"I did not {goal}: gained {gained} of {goal.count} {' or '.join(items) or goal.item}."

    def look_around(self) -> None:
        """There is nothing to see."""

    def turn_to(self, goal: Goal) -> None:
        """There is nothing to see."""

    def horizon(self, goals: Sequence[Goal]) -> np.ndarray:
        """Units to gain: an action gains one."""
        return np.array([1.0 if goal.verb == "dig" else float(goal.count) for goal in goals])

    def frame(self) -> None:
        """There is nothing to see."""


class WorldStage:
    """A world with MineDojo's face, in which a controller pursues the goals.

    Args:
        env: An ``OverworldEnv`` or ``MineDojoEnv`` whose episode has begun.
        controller: What acts.
        observation: The env's last one.
        judge: When the task is done.
    """

    def __init__(
        self,
        env: OverworldEnv | MineDojoEnv,
        controller: Controller,
        observation: dict[str, Any],
        judge: Judge,
    ) -> None:
        from mnemocraft.controllers.success import VERSION

        self.env, self.controller, self.observation, self._judge = env, controller, observation, judge
        self._around: list[dict[str, Any]] = []
        self.version, self.library = VERSION, goal_library(VERSION)
        self.target, self.max_steps = judge.target, env.max_steps

    @property
    def inventory(self) -> dict[str, int]:
        """Units by item, without the given axe."""
        return described(self._held())

    def _held(self) -> dict[str, int]:
        from mnemocraft.controllers.success import counts

        return counts(self.observation)

    @property
    def nearby(self) -> Collection[str]:
        """Stations that stand within reach."""
        from mnemocraft.controllers.success import nearby

        return nearby(self.observation)

    @property
    def biome(self) -> str:
        """The observation's biome."""
        return str(self.observation["biome"])

    @property
    def steps(self) -> int:
        """Steps taken, of 50 ms (some take three)."""
        return self.env.steps

    @property
    def reason(self) -> str:
        """``success``, ``death``, ``max_steps`` or empty."""
        return self.env.reason if self.lacking() else "success"

    def lacking(self) -> str:
        """What the task still asks for."""
        return self._judge.lacking(self._held())

    def failure(self, goal: Goal) -> str:
        """Why a goal cannot be pursued now; empty if it can."""
        return self.library.failure(goal, self._held(), self.nearby)

    def attempt(self, goal: Goal, limit: int, using: Sequence[str] = ()) -> Attempt:
        """Let the controller act; it chooses materials and fuel itself.

        A goal that the controller does not know fails with the sentence in which it says so.
        """
        from mnemocraft.controllers import pursue

        before, self._around = self.env.steps, []
        try:
            outcome = pursue(self.env, self.controller, goal, self.observation, limit)
        except MnemocraftError as unable:
            return Attempt(False, self.env.steps - before, str(unable))
        self.observation = outcome.observation
        return Attempt(outcome.success, outcome.steps, outcome.reason)

    def look_around(self) -> None:
        """Turn around once, if the controller's predictions get better by it; what it sees is kept until it
        acts again."""
        from mnemocraft.controllers import look_around

        if self.controller.looks and not self._around:
            self._around = look_around(self.env, self.observation)
            self.observation = self._around[-1]

    def turn_to(self, goal: Goal) -> None:
        """Turn to the one of the looks around in which alone the controller predicts the fewest steps."""
        from mnemocraft.controllers.looks import turn_back_to

        if self._around and not self.reason:
            steps = [self._horizons([goal], view, ())[0] for view in self._around]
            last = len(steps) - 1  # where it looks now: nothing is gained by turning if all sides are alike
            nearest = last if steps[last] == min(steps) else int(np.argmin(steps))
            self.observation = turn_back_to(self.env, self.observation, nearest)

    def horizon(self, goals: Sequence[Goal]) -> np.ndarray:
        """The controller's predictions, steps; 2,000 for goals that it does not know."""
        from mnemocraft.controllers.looks import with_image

        seen = with_image(self.env, self.observation) if self.controller.looks else self.observation
        return self._horizons(goals, seen, self._around)

    def _horizons(
        self, goals: Sequence[Goal], seen: dict[str, Any], around: Sequence[dict[str, Any]]
    ) -> np.ndarray:
        try:
            return self.controller.horizon(seen, goals, around)
        except MnemocraftError:
            if len(goals) == 1:
                return np.array([UNKNOWN_HORIZON])
            return np.concatenate([self._horizons([goal], seen, around) for goal in goals])

    def frame(self) -> np.ndarray:
        """The agent's view."""
        return self.env.render()
