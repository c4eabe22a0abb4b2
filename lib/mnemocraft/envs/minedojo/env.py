"""MineDojo as a Gymnasium environment with the face of ``OverworldEnv``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from mnemocraft.bounded import whole
from mnemocraft.envs.minedojo import launch
from mnemocraft.envs.minedojo.connection import Connection
from mnemocraft.envs.minedojo.minedojo_worker.protocol import Arrays, Body
from mnemocraft.envs.minedojo.observation import translate
from mnemocraft.envs.minedojo.outcome import failure
from mnemocraft.envs.overworld import checks
from mnemocraft.envs.overworld.spaces import ActionSpace, observation_space
from mnemocraft.envs.task_env import TaskEnv, outcome
from mnemocraft.errors import MnemocraftError

Observation = dict[str, Any]
Info = dict[str, Any]


class MineDojoEnv(TaskEnv[np.ndarray]):
    """A task of MineDojo 0.1, with the observations, actions, rewards and ends of an episode of
    ``OverworldEnv``.

    The game itself (Java) was never run with this class. What was: the real package with its bridge to Java
    replaced by our overworld, on Python 3.11, from the settings it sends to the game to the observations it
    makes of what the game sends back. Untested are therefore the start of the game, its speed, and how long
    the effects of a command take to arrive.

    What differs from ``OverworldEnv``: the game must be built and started at the first :meth:`reset`, which
    takes minutes and needs the network; ``reset`` always makes a new world; equip and place take the first
    stack of the name in the slot, as MineDojo names items and not slots to the game; ``failure`` is inferred
    from the inventory, so that "use" and "attack" never fail; sleeping, rain and blocks beyond the
    overworld's occur.

    Args:
        task_id: A task of MineDojo, such as ``"techtree_from_barehand_to_wooden_sword"`` or ``"creative:7"``,
            or one of its families. The default, ``"harvest"``, asks for the target.
        seed: Seed of the world and of MineDojo's own chance.
        target: Item, or items with numbers, that must be *gained* since the start; only for ``"harvest"``.
        max_steps: Steps allowed.
        image_size: Height and width of the images.
        initial_inventory: Items with numbers, put into the slots from the main hand on.
        timeout: Seconds to wait for any answer. Building the game at the very first reset takes longest.
        settings: Any other keyword of the task in MineDojo, such as ``specified_biome``,
            ``allow_time_passage``, ``initial_weather``, and in the family ``"open-ended"`` also
            ``start_time`` and ``allow_mob_spawn``.

    Attributes:
        prompt: MineDojo's instruction of the task, empty if it has none.
        steps: Steps taken so far.
        reason: Why the episode is over (``success``, ``death`` or ``max_steps``), empty before.

    Raises:
        MissingExtra: MineDojo's environment, Java 8 or a display is missing; one sentence says which.
        MnemocraftError: A setting is none of the allowed ones, or MineDojo does not start.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}  # noqa: RUF012 (as Gymnasium declares it)
    render_mode = "rgb_array"

    def __init__(
        self,
        task_id: str = "harvest",
        seed: int = 0,
        target: str | dict[str, int] | None = None,
        max_steps: int = 12_000,
        image_size: tuple[int, int] = (160, 256),
        *,
        initial_inventory: dict[str, int] | None = None,
        timeout: float = 1800.0,
        **settings: Any,
    ) -> None:
        self.task_id, self.seed = task_id, whole(seed, "seed", 0)
        self.max_steps = whole(max_steps, "max_steps", 1)
        self._record(
            "MineDojo",
            task_id=task_id,
            seed=self.seed,
            target=target,
            max_steps=self.max_steps,
            image_size=image_size,
            initial_inventory=initial_inventory,
            timeout=timeout,
            **settings,
        )
        self.target = checks.target(target)
        if bool(self.target) != (task_id == "harvest"):
            raise MnemocraftError("The task 'harvest' needs a target, and no other task takes one.")
        if self.target:
            settings |= {"target_names": list(self.target), "target_quantities": self.target}
        if initial_inventory:
            settings["initial_inventory"] = _stacks(checks.items(initial_inventory, "initial_inventory"))
        self._settings, self._timeout = _sendable(settings), timeout
        self.image_size = checks.image_size(image_size)
        self.action_space = ActionSpace()
        self._space = self.observation_space = observation_space(self.image_size)
        self.steps, self.reason = 0, ""
        self._observation: Observation = {}
        self._connection = self._connect()

    def _connect(self) -> Connection:
        """Start a worker and make the task there."""
        connection = Connection(launch.command(), launch.variables(), self._timeout)
        defaults = {
            "image_size": self.image_size,
            "seed": self.seed,
            "world_seed": str(self.seed),
            "use_voxel": True,
            "fast_reset": False,
        }
        try:
            body, _ = connection.ask("make", task_id=self.task_id, settings=self._settings, defaults=defaults)
        except BaseException:
            connection.close()
            raise
        self.prompt = str(body["prompt"])
        return connection

    # --- episodes ---------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin an episode in a new world; with a seed, in the world of that seed.

        After a failure of the worker this starts another one.

        Raises:
            MnemocraftError: The game does not start.
        """
        if seed is not None:
            self.seed = whole(seed, "seed", 0)
        super().reset(seed=seed, options=options)
        if self._connection.closed:
            self._connection = self._connect()
        self._observation = {}
        body, arrays = self._connection.ask("reset", seed=self.seed)
        self._deaths = body["deaths"]
        self.steps, self.reason = 0, ""
        self._read(body, arrays)
        return self._observation, self._told("", 0.0)

    def step(self, action: Sequence[int] | np.ndarray) -> tuple[Observation, float, bool, bool, Info]:
        """Act for one tick, or three.

        Returns:
            As ``OverworldEnv.step``; ``info`` also has ``task_reward``, the reward that MineDojo itself gives
            for the step, with all ticks counted.

        Raises:
            MnemocraftError: The action is not in the action space and nothing has changed, or there is no
                episode, or the worker or the game failed.
        """
        chosen = checks.action(action)
        if not self._observation:
            raise MnemocraftError("There is no episode to step in; call reset() first.")
        if self.reason:
            return self._observation, 0.0, *self._ends(), self._told("The episode is over.", 0.0)
        before = self._observation
        body, arrays = self._ask("step", action=chosen)
        self._read(body, arrays)
        self.steps += 1
        self._judge(body)
        info = self._told(failure(chosen, before, self._observation), body["reward"])
        return self._observation, float(self.success), *self._ends(), info

    def _ask(self, what: str, **arguments: Any) -> tuple[Body, Arrays]:
        """Ask the worker; if that fails, so has the episode."""
        try:
            return self._connection.ask(what, **arguments)
        except MnemocraftError:
            self._observation = {}
            raise

    def _read(self, body: Body, arrays: Arrays) -> None:
        self._observation = translate(self._space, arrays, body["biome"])

    def _judge(self, body: Body) -> None:
        """Set ``reason`` if the episode is over."""
        if body["success"]:
            self.reason = "success"
        elif body["deaths"] > self._deaths or self._observation["life"] <= 0:
            self.reason = "death"  # the game goes on after a death; ours does not
        elif body["done"]:
            self._observation = {}
            self._connection.close()
            raise MnemocraftError("The game does not answer MineDojo any more; reset() starts it anew.")
        elif self.steps >= self.max_steps:
            self.reason = "max_steps"

    def _told(self, problem: str, reward: float) -> Info:
        return self._info(**outcome(problem), task_reward=reward)

    def render(self) -> np.ndarray:
        """The player's view at the last step, uint8 (height, width, 3)."""
        if not self._observation:
            raise MnemocraftError("There is nothing to see yet; call reset() first.")
        return self._observation["image"]

    def close(self) -> None:
        """End the worker and the game."""
        self._connection.close()
        self._observation = {}

    # --- what MineDojo lets one do besides acting -------------------------------------------------

    def set_inventory(self, items: dict[str, int]) -> None:
        """Replace the whole inventory; see ``initial_inventory``. This and the following take ticks."""
        stacks = _stacks(checks.items(items, "inventory"))
        self._change("clear_inventory")
        if stacks:
            self._change("set_inventory", inventory_list=stacks)

    def teleport_agent(self, x: float, y: float, z: float, yaw: int = 0, pitch: int = 0) -> None:
        """Put the player's feet at a place; angles in degrees."""
        self._change("teleport_agent", x=x, y=y, z=z, yaw=yaw, pitch=pitch)

    def set_block(self, block: str, offset: tuple[int, int, int], variant: int = 0) -> None:
        """Put a block at an offset (x, y, z) from the player's feet."""
        self._change("set_block", blocks=f"{block} {variant}", rel_positions=list(offset))

    def spawn_mobs(self, mob: str, offset: tuple[int, int, int]) -> None:
        """Put a mob at an offset from the player's feet; MineDojo does not tell whether there was room."""
        self._change("spawn_mobs", mobs=mob, rel_positions=list(offset))

    def set_time(self, time: int) -> None:
        """Set the time of day in ticks."""
        self._change("set_time", time=whole(time, "time", 0))

    def _change(self, what: str, **arguments: Any) -> None:
        if not self._observation:
            raise MnemocraftError("There is no world to change; call reset() first.")
        self._ask(what, **arguments)


def _stacks(items: dict[str, int]) -> list[tuple[int, str, int, int]]:
    """Slot, item, variant and number of each stack, from slot 0 on."""
    return [(slot, item, 0, units) for slot, (item, units) in enumerate(checks.stacks(items))]


def _sendable(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings that can travel to the worker."""
    try:
        json.dumps(settings)
    except (TypeError, ValueError) as error:
        raise MnemocraftError(
            f"Settings of MineDojo must be plain numbers, texts and lists: {error}."
        ) from None
    return settings
