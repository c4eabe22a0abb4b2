"""The overworld and MineDojo as worlds: an action line is a goal, and a controller pursues it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mnemocraft.envs.minecraft.goals import Goal
from mnemocraft.errors import MnemocraftError
from mnemocraft.worlds import controllers
from mnemocraft.worlds.minecraft import GIVEN_TOOL, Demand, demand, observation
from mnemocraft.worlds.minecraft_tasks import minecraft_task
from mnemocraft.worlds.minecraft_world import MinecraftWorld
from mnemocraft.worlds.minecraft_world import task_names as task_names
from mnemocraft.worlds.world import Feedback, Observation

if TYPE_CHECKING:
    from mnemocraft.controllers import Controller
    from mnemocraft.envs import MineDojoEnv, OverworldEnv

VERSION = "1.11.2"
"""The only version of the game that these worlds have."""
UNKNOWN_HORIZON = 2000.0
"""Steps assumed for a goal of which the controller knows nothing."""


class ControllerWorld(MinecraftWorld):
    """A world with MineDojo's face, in which a controller pursues the goals.

    Args:
        task: Its id.
        env: An ``OverworldEnv`` or ``MineDojoEnv``; its episode is begun as in the released code of DEPS:
            animals are put near, and the agent looks once.
        controller: What acts.
        wanted: When the task is done.
        limits: Steps allowed for a goal: the ``paper``'s or those of the released ``code``.
    """

    wear = (
        "Stations are not used up. Tools wear out: one of wood breaks after 59 blocks, of stone after 131, "
        "of iron after 250."
    )

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

        super().__init__(task, env, wanted, limits, VERSION)
        self.controller = controller
        env.reset()
        random = np.random.default_rng(env.seed)
        for kind in FARM:
            herd(env, kind, random)
        controller.reset()
        self.seen: dict[str, Any] = env.step(functional(0))[0]
        self._around: list[dict[str, Any]] = []

    def _held(self) -> dict[str, int]:
        from mnemocraft.controllers.success import counts

        return counts(self.seen)

    def observe(self) -> Observation:
        """Task, inventory, biome, and the view where the environment has images."""
        biome, image = str(self.seen["biome"]), self.seen.get("image")
        return observation(self.task.goal, self.inventory, biome, image)

    def failure(self, goal: Goal) -> str:
        """Why a goal cannot be pursued now; empty if it can."""
        from mnemocraft.controllers.success import nearby

        return self.library.failure(goal, self._held(), nearby(self.seen))

    def _pursue(self, goal: Goal, using: Sequence[str], limit: int) -> Feedback:
        """The controller chooses materials and fuel itself; of a goal that it does not know it says so."""
        from mnemocraft.controllers import pursue

        before, self._around = self.steps, []
        try:
            outcome = pursue(self.env, self.controller, goal, self.seen, limit)
        except MnemocraftError as unable:
            return Feedback(False, self.steps - before, str(unable))
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
    from mnemocraft.controllers.herd import NOON
    from mnemocraft.envs import MineDojoEnv

    wanted = minecraft_task(name)
    most = wanted.steps(limits) if max_steps is None else max_steps
    env = MineDojoEnv(
        "open-ended",
        seed,
        max_steps=most,
        image_size=(128, 128),
        initial_inventory={GIVEN_TOOL: 1},
        generate_world_type="specified_biome",
        specified_biome="plains",
        start_time=NOON,
        allow_time_passage=False,
    )
    actor = controllers.controller("learned", env, seed)
    return ControllerWorld(f"minedojo/{name}", env, actor, demand(wanted, VERSION), limits)
