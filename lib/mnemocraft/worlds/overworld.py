"""The overworld and MineDojo as worlds: an action line is a goal, and a controller pursues it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mnemocraft.envs.minecraft import plan
from mnemocraft.envs.minecraft.goals import Goal, goal_library
from mnemocraft.errors import MnemocraftError
from mnemocraft.worlds import controllers
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

if TYPE_CHECKING:
    from mnemocraft.controllers import Controller
    from mnemocraft.envs import MineDojoEnv, OverworldEnv

VERSION = "1.11.2"
"""The only version of the game that these worlds have."""
UNKNOWN_HORIZON = 2000.0
"""Steps assumed for a goal of which the controller knows nothing."""


class ControllerWorld:
    """A world with MineDojo's face, in which a controller pursues the goals.

    Args:
        task: Its id.
        env: An ``OverworldEnv`` or ``MineDojoEnv``; its episode is begun as in the released code of DEPS:
            animals are put near, and the agent looks once.
        controller: What acts.
        wanted: When the task is done.
        limits: Steps allowed for a goal: the ``paper``'s or those of the released ``code``.
    """

    encoder, idle, version = "minilm", "", VERSION

    def __init__(
        self,
        task: str,
        env: OverworldEnv | MineDojoEnv,
        controller: Controller,
        wanted: Demand,
        limits: str = "paper",
    ) -> None:
        from mnemocraft.controllers.actions import functional
        from mnemocraft.controllers.herd import FARM, herd

        check_limits(limits)
        self.env, self.controller, self._wanted, self._limits = env, controller, wanted, limits
        self.guide, self.wording = minecraft_guide(VERSION), minecraft_wording(VERSION)
        self.library, self.target = goal_library(VERSION), wanted.target
        self.task = Task(task, obtain(self.target), env.max_steps, next(iter(self.target)))
        env.reset()
        random = np.random.default_rng(env.seed)
        for kind in FARM:
            herd(env, kind, random)
        controller.reset()
        self.seen: dict[str, Any] = env.step(functional(0))[0]
        self._around: list[dict[str, Any]] = []

    @property
    def inventory(self) -> dict[str, int]:
        """Units by item, without the given axe."""
        return described(self._held())

    def _held(self) -> dict[str, int]:
        from mnemocraft.controllers.success import counts

        return counts(self.seen)

    @property
    def nearby(self) -> Collection[str]:
        """Stations that stand within reach."""
        from mnemocraft.controllers.success import nearby

        return nearby(self.seen)

    @property
    def steps(self) -> int:
        """Steps taken, of 50 ms (some take three)."""
        return self.env.steps

    @property
    def reason(self) -> str:
        """``success``, ``death``, ``max_steps`` or empty."""
        return self.env.reason if self.lacking() else "success"

    @property
    def success(self) -> bool:
        """Whether nothing is lacking."""
        return not self.lacking()

    def lacking(self) -> str:
        """What the task still asks for."""
        return self._wanted.lacking(self._held())

    def observe(self) -> Observation:
        """Task, inventory, biome, and the view where the environment has images."""
        biome, image = str(self.seen["biome"]), self.seen.get("image")
        return observation(self.task.goal, self.inventory, biome, image)

    def failure(self, goal: Goal) -> str:
        """Why a goal cannot be pursued now; empty if it can."""
        return self.library.failure(goal, self._held(), self.nearby)

    def check(self, action: str) -> str:
        """Whether it can be read as a goal."""
        try:
            read(action, VERSION)
        except MnemocraftError as unreadable:
            return str(unreadable)
        return ""

    def act(self, action: str, limit: int | None = None) -> Feedback:
        """Let the controller pursue a goal; it chooses materials and fuel itself.

        A goal that the controller does not know fails with the sentence in which it says so.
        """
        from mnemocraft.controllers import pursue

        if wrong := self.check(action) or (OVER if self.reason else ""):
            return Feedback(False, 0, wrong)
        goal, _ = read(action, VERSION)
        before, self._around = self.env.steps, []
        most = goal_limit(goal, self._limits) if limit is None else limit
        try:
            outcome = pursue(self.env, self.controller, goal, self.seen, most)
        except MnemocraftError as unable:
            return Feedback(False, self.env.steps - before, str(unable))
        self.seen = outcome.observation
        return Feedback(outcome.success, outcome.steps, outcome.reason)

    # --- capabilities -----------------------------------------------------------------------------

    def look_around(self) -> None:
        """Turn around once, if the controller's predictions get better by it; what it sees is kept until it
        acts again."""
        from mnemocraft.controllers import look_around

        if self.controller.looks and not self._around:
            self._around = look_around(self.env, self.seen)
            self.seen = self._around[-1]

    def turn_to(self, goal: Goal) -> None:
        """Turn to the one of the looks around in which alone the controller predicts the fewest steps."""
        from mnemocraft.controllers.looks import turn_back_to

        if self._around and not self.reason:
            steps = [self._horizons([goal], view, ())[0] for view in self._around]
            last = len(steps) - 1  # where it looks now: nothing is gained by turning if all sides are alike
            nearest = last if steps[last] == min(steps) else int(np.argmin(steps))
            self.seen = turn_back_to(self.env, self.seen, nearest)

    def horizon(self, goals: Sequence[Goal]) -> np.ndarray:
        """The controller's predictions, steps; 2,000 for goals that it does not know."""
        from mnemocraft.controllers.looks import with_image

        seen = with_image(self.env, self.seen) if self.controller.looks else self.seen
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

    def how_to(self, query: str, question: str, level: str) -> str:
        """The shortest plan from here, by the rules alone, for the item that is asked about."""
        item = asked_item(query, question, self.library, next(iter(self.target)))
        held = self._held()
        found = plan(item, held.get(item, 0) + 1, version=VERSION, inventory=held)
        return plan_told(found, item, level, self.library)

    def plain_scene(self) -> str:
        """Task, inventory and biome."""
        return self.observe().text

    def frame(self) -> np.ndarray:
        """The agent's view."""
        return self.env.render()


def overworld_env(
    seed: int, max_steps: int, biome: str | None = "plains", image_size: tuple[int, int] | None = None
) -> OverworldEnv:
    """The overworld as the released code of DEPS begins: noon, the given axe.

    Args:
        seed: Of the world.
        max_steps: Steps allowed.
        biome: Of all land; None for a natural mixture, as the paper says.
        image_size: Of the images; the learned controller takes (64, 64).
    """
    from mnemocraft.controllers.herd import NOON
    from mnemocraft.envs import OverworldEnv

    return OverworldEnv(
        seed,
        max_steps=max_steps,
        image_size=image_size,
        specified_biome=biome,
        initial_inventory={GIVEN_TOOL: 1},
        start_time=NOON,
        allow_time_passage=False,
    )


def overworld(
    name: str,
    seed: int = 0,
    controller: str = "scripted",
    limits: str = "paper",
    biome: str | None = "plains",
    max_steps: int | None = None,
) -> ControllerWorld:
    """A task in the overworld.

    Args:
        name: Of a task, such as ``stone_sword``.
        seed: Of the world and the controller.
        controller: ``scripted`` (knows where everything is), ``sighted`` (a script that has to see) or
            ``learned``.
        limits: Steps allowed, of the ``paper`` or the released ``code``.
        biome: Of all land; None for a natural mixture.
        max_steps: Steps allowed instead of the task's.

    Raises:
        MnemocraftError: There is no such task, controller, limits or biome.
    """
    wanted = minecraft_task(name)
    most = wanted.steps(limits) if max_steps is None else max_steps
    env = overworld_env(seed, most, biome, controllers.image_size(controller))
    actor = controllers.controller(controller, env, seed)
    return ControllerWorld(f"overworld/{name}", env, actor, demand(wanted, VERSION), limits)


def minedojo(
    name: str, seed: int = 0, limits: str = "paper", max_steps: int | None = None
) -> ControllerWorld:
    """A task in MineDojo's game, played by the learned controller. The game has never been run with it.

    Args:
        name: Of a task, such as ``stone_sword``.
        seed: Of the world and the controller.
        limits: Steps allowed, of the ``paper`` or the released ``code``.
        max_steps: Steps allowed instead of the task's.

    Raises:
        MissingExtra: MineDojo's environment, Java 8 or a display is missing; one sentence says which.
        MnemocraftError: There is no such task or limits.
    """
    from mnemocraft.envs import MineDojoEnv

    wanted = minecraft_task(name)
    most = wanted.steps(limits) if max_steps is None else max_steps
    env = MineDojoEnv(
        "open-ended", seed, max_steps=most, image_size=(128, 128), initial_inventory={GIVEN_TOOL: 1}
    )
    actor = controllers.controller("learned", env, seed)
    return ControllerWorld(f"minedojo/{name}", env, actor, demand(wanted, VERSION), limits)


def task_names(kind: str) -> list[str]:
    """The tasks of DEPS."""
    return [task.key for task in minecraft_tasks()]
