"""MineDojo 0.1 behind a few requests, with what must be done around its traps."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from .protocol import Arrays, Body

LAG = 2
"""Idle ticks until the effect of a command is seen; MineDojo waits as long after a craft."""


class Simulator:
    """One MineDojo task."""

    def do(self, what: str, arguments: dict[str, Any]) -> tuple[Body, Arrays]:
        """Do what is asked.

        Args:
            what: ``make``, ``reset``, ``step``, or a method of MineDojo's simulator that changes the world.
            arguments: Its keyword arguments.

        Returns:
            A body and, after ``reset`` and ``step``, the arrays of an observation, named ``inventory/name``.
        """
        known: dict[str, Any] = {"make": self._make, "reset": self._reset, "step": self._step}
        return known[what](**arguments) if what in known else self._change(what, arguments)

    def _make(self, task_id: str, settings: dict[str, Any], defaults: dict[str, Any]) -> tuple[Body, Arrays]:
        """Make the task; ``defaults`` hold only where the task's own specification is silent.

        MineDojo empties the specification of a task when it is made, so this works once in a process.
        """
        tasks = importlib.import_module("minedojo.tasks")
        item = importlib.import_module("minedojo.sim").InventoryItem
        fixed = tasks.ALL_TASKS_SPECS.get(task_id, {})
        doubled = sorted(set(fixed) & set(settings))
        if doubled:
            raise ValueError(f"the task itself sets {', '.join(doubled)}")
        wanted = {key: value for key, value in defaults.items() if key not in fixed} | settings
        if "initial_inventory" in wanted:
            wanted["initial_inventory"] = [item(*stack) for stack in wanted["initial_inventory"]]
        self._env = tasks.make(task_id, **wanted)
        self._actions = _holder(self._env, "_strict_check")
        self._actions._strict_check = False  # an empty slot is no error: time passes and nothing happens
        self._sum_rewards()
        names = importlib.import_module("minedojo.sim.mc_meta.mc").BIOMES_MAP
        self._biomes = {number: name for name, number in names.items()}
        return {"prompt": getattr(self._env, "task_prompt", "")}, {}

    def _sum_rewards(self) -> None:
        """Add up the rewards of all ticks of a step.

        An action of three ticks calls the task three times, and MineDojo passes on only the last reward,
        which loses that of every crafted item.
        """
        task = self._actions.env
        once = task.step

        def step(action: Any) -> Any:
            result = once(action)
            self._reward += float(result[1])
            return result

        task.step = step

    def _reset(self, seed: int) -> tuple[Body, Arrays]:
        """Begin an episode in a new world of a seed."""
        sim = self._env.unwrapped
        for generator in sim._sim_spec._world_generator_handlers:
            generator.force_reset = True  # otherwise what the last episode broke stays broken
            generator.world_seed = str(seed)
        task = self._actions.env
        for name in ("_mob_spawn_range_space", "_extra_spawn_range_space"):
            if name in vars(task):
                vars(task)[name].seed(seed)
        if "_rng" in vars(task):
            task._rng = np.random.default_rng(seed)
        self._reward = 0.0
        return self._answer(self._env.reset(), sim.prev_info, False)

    def _step(self, action: list[int]) -> tuple[Body, Arrays]:
        self._reward = 0.0
        observation, _, done, info = self._env.step(np.array(action, self._env.action_space.dtype))
        return self._answer(observation, info, bool(done))

    def _change(self, what: str, arguments: dict[str, Any]) -> tuple[Body, Arrays]:
        """Call a method of the simulator and let its effect arrive."""
        sim = self._env.unwrapped
        if "inventory_list" in arguments:
            item = importlib.import_module("minedojo.sim").InventoryItem
            arguments = {"inventory_list": [item(*stack) for stack in arguments["inventory_list"]]}
        getattr(sim, what)(**arguments)
        for _ in range(LAG):
            observation = sim.step(sim.action_space.no_op())[0]
        # MineDojo names what is in a slot by what it saw last.
        self._actions._inventory_names = observation["inventory"]["name"].copy()
        return {}, {}

    def _answer(self, observation: dict[str, Any], info: dict[str, Any], done: bool) -> tuple[Body, Arrays]:
        body = {
            "reward": self._reward,
            "done": done,
            "success": bool(getattr(self._env, "is_successful", False)),
            "deaths": int(info["stat"]["deaths"]),
            "biome": self._biomes.get(int(info["biome_id"]), str(info.get("biome_name", "unknown"))),
        }
        return body, _flat(observation)


def _holder(env: Any, attribute: str) -> Any:
    """The wrapper of an environment that has an attribute of its own."""
    while attribute not in vars(env):
        env = env.env
    return env


def _flat(observation: dict[str, Any], prefix: str = "") -> Arrays:
    arrays: Arrays = {}
    for key, value in observation.items():
        if isinstance(value, dict):
            arrays.update(_flat(value, f"{prefix}{key}/"))
        else:
            arrays[prefix + key] = np.asarray(value)
    return arrays
