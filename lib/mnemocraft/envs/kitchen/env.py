"""Robotouille's kitchens as a Gymnasium environment: text in, text out, with lookahead."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Any, Self

import gymnasium
import numpy as np

from mnemocraft.bounded import whole
from mnemocraft.envs.kitchen.benchmark import task_horizon
from mnemocraft.envs.kitchen.domain import Domain, read_domain
from mnemocraft.envs.kitchen.engine import GroundAction, Object, State
from mnemocraft.envs.kitchen.environment import Kitchen
from mnemocraft.envs.kitchen.environment_file import read_environment
from mnemocraft.envs.kitchen.reading import read_json
from mnemocraft.envs.kitchen.scene import Scene, file_scene, task_scene
from mnemocraft.envs.spaces import TextSpace
from mnemocraft.envs.task_env import TaskEnv, outcome
from mnemocraft.errors import MnemocraftError

History = tuple[Any, str] | None
"""The actions since the start, last first; copies share what they have in common."""
Observation = dict[str, Any]
"""``text`` (str): the object blocks, the valid actions and the goal."""


class KitchenEnv(TaskEnv[str]):
    """One task in one kitchen, with the states, valid actions and texts of Robotouille.

    An action is one of the sentences in ``info["valid_actions"]``. Anything else is answered by a sentence in
    ``info["failure"]``; no time passes. Whether the goal is met is asked only after a step.

    Args:
        task: ``sync/0`` to ``sync/9`` or ``async/0`` to ``async/9``.
        seed: Seed of the layout; None for the kitchen as the benchmark's file has it.
        max_steps: Steps allowed (31.5 allows 32, as in the benchmark); None for 3 times the listed number.
        noisy: Lay out with Robotouille's noisy option (the benchmark never does).
        render_mode: None or ``"rgb_array"``; :meth:`render` works with either.

    Attributes:
        task: Name of the task, or of the environment file.
        seed: Seed of the present layout.
        steps: Steps taken so far.
        horizon: Listed number of steps; None for a kitchen from a file.
        max_steps: Steps allowed; None for no limit.
        reason: Why the episode is over (``success`` or ``max_steps``), empty before.
        scene: The laid-out kitchen with its engine and goal, shared by all environments that play in it.
        snapshot: The whole state with the effects going on; hashable, equal within one scene only.

    Raises:
        MnemocraftError: No such task, seed, number of steps or render mode.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(
        self,
        task: str = "sync/0",
        seed: int | None = 0,
        max_steps: float | None = None,
        noisy: bool = False,
        render_mode: str | None = "rgb_array",
    ) -> None:
        self.horizon: int | None = task_horizon(task)
        self._lay_out: Callable[[int | None], Scene] = partial(task_scene, task, noisy=noisy)
        self._open(task, seed, 3 * task_horizon(task) if max_steps is None else max_steps, render_mode)
        settings = {"max_steps": max_steps, "noisy": noisy, "render_mode": render_mode}
        self._record("Kitchen", task=task, seed=self.seed, **settings)

    @classmethod
    def from_files(
        cls,
        domain_json: str | Path,
        environment_json: str | Path,
        seed: int | None = None,
        max_steps: float | None = None,
        render_mode: str | None = "rgb_array",
    ) -> Self:
        """An environment from files in Robotouille's JSON formats.

        Args:
            domain_json: Predicates and actions.
            environment_json: The kitchen and its goal.
            seed: Seed of the layout; None leaves everything where the file has it.
            max_steps: Steps allowed; None for no limit.
            render_mode: None or ``"rgb_array"``.

        Raises:
            MnemocraftError: A file cannot be read or describes no kitchen, or its goal can never hold; one
                sentence that names the file and the place.
        """
        name = Path(environment_json).name
        domain = read_domain(read_json(domain_json), Path(domain_json).name)
        kitchen = read_environment(read_json(environment_json), domain, name)
        env = cls.__new__(cls)
        env.horizon = None
        env._lay_out = _Layouts(domain, kitchen, name)
        env._open(Path(environment_json).stem, seed, max_steps, render_mode)
        return env

    def _open(self, task: str, seed: int | None, max_steps: float | None, render_mode: str | None) -> None:
        number = isinstance(max_steps, Real) and not isinstance(max_steps, bool)
        if max_steps is not None and not (number and max_steps >= 1):
            raise MnemocraftError(f"max_steps must be a number and at least 1, not {max_steps!r}.")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise MnemocraftError(f"render_mode must be 'rgb_array' or None, not {render_mode!r}.")
        self.task, self.max_steps, self.render_mode = task, max_steps, render_mode
        self._start(seed)
        self._make_spaces()

    def _make_spaces(self) -> None:
        self.observation_space = gymnasium.spaces.Dict({"text": TextSpace(lambda: [self._text()])})
        self.action_space = TextSpace(lambda: self.valid_actions)

    def _start(self, seed: int | None) -> None:
        self.seed = _checked_seed(seed)
        self.scene = self._lay_out(self.seed)
        self.steps, self.reason = 0, ""
        self._history: History = None
        self._set(self.scene.engine.initial)

    def _set(self, state: State) -> None:
        self.snapshot = state
        self._actions: list[GroundAction] = self.scene.engine.actions(state)

    # --- episodes ---------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Back to the start; with a seed, the kitchen is laid out anew with it."""
        seed = _checked_seed(seed)
        super().reset(seed=seed, options=options)
        self._start(self.seed if seed is None else seed)
        return self._observe(), self._told()

    def step(self, action: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Do one of the valid actions.

        Returns:
            Observation, reward (1 for success, otherwise 0), terminated (success), truncated (no steps left)
            and ``info``: ``success``, ``steps``, ``valid_actions`` (a sentence that fits two waters comes
            twice), ``action_success``, ``failure`` if the action was refused, and at the end ``reason``:
            ``success`` or ``max_steps``. After the end nothing changes any more.
        """
        chosen = next((a for a in self._actions if a.text == action), None)
        failure = "The episode is over." if self.reason else None
        if not self.reason and chosen is None:
            failure = f"{action!r} is not one of the {len(self._actions)} valid actions."
        elif not self.reason and chosen is not None:
            self._set(self.scene.engine.step(self.snapshot, chosen))
            self._history = (self._history, chosen.text)
            self.steps += 1
            if self.goal_reached:
                self.reason = "success"
            elif self.max_steps is not None and self.steps >= self.max_steps:
                self.reason = "max_steps"
        info = self._told(failure)
        return self._observe(), float(self.success and not failure), *self._ends(), info

    def _observe(self) -> Observation:
        return {"text": self._text()}

    def _text(self) -> str:
        actions = "\n".join(self.valid_actions)
        return f"{self.observation()}\n\nValid Actions:\n{actions}\n\nGoal: {self.goal_description}"

    def _told(self, failure: str | None = None) -> dict[str, Any]:
        return self._info(valid_actions=self.valid_actions, **outcome(failure))

    # --- the present state ------------------------------------------------------------------------

    def observation(self) -> str:
        """The object blocks: what is true of each object."""
        return self.scene.describer.blocks(self.snapshot)

    @property
    def valid_actions(self) -> list[str]:
        """The sentences that can be acted on now, in the order of the domain's actions and of the objects."""
        return [action.text for action in self._actions]

    @property
    def state(self) -> frozenset[str]:
        """What is true now: ``"item_on(bread1,table1)"`` and so on."""
        return self.scene.engine.names(self.snapshot.facts)

    @property
    def goal_reached(self) -> bool:
        """Whether what is true now meets the goal."""
        return self.scene.goal.holds(self.snapshot.facts)

    @property
    def objects(self) -> list[Object]:
        """Name and type of every object, waters last."""
        return list(self.scene.engine.objects(self.snapshot.created))

    @property
    def goal_description(self) -> str:
        """The goal in words."""
        return self.scene.kitchen.goal_description

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the grid in cells."""
        return self.scene.kitchen.width, self.scene.kitchen.height

    @property
    def positions(self) -> dict[str, tuple[int, int]]:
        """Cell of each station, and of each player at the start; from the bottom left."""
        kitchen = self.scene.kitchen
        return {thing.name: thing.cell for thing in (*kitchen.stations, *kitchen.players)}

    # --- lookahead --------------------------------------------------------------------------------

    def successors(self) -> dict[str, frozenset[str]]:
        """For each valid action what would be true after it."""
        names = self.scene.engine.names
        return {text: names(state.facts) for text, state in self._successor_states().items()}

    def successor_texts(self) -> dict[str, str]:
        """For each valid action the object blocks after it."""
        blocks = self.scene.describer.blocks
        return {text: blocks(state) for text, state in self._successor_states().items()}

    def _successor_states(self) -> dict[str, State]:
        states: dict[str, State] = {}
        for action in self._actions:
            if action.text not in states:  # of two actions with one sentence, `step` takes the first, too
                states[action.text] = self.scene.engine.step(self.snapshot, action)
        return states

    def copy(self) -> KitchenEnv:
        """An independent environment in the same state."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._np_random = None
        other._make_spaces()
        return other

    def __copy__(self) -> KitchenEnv:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> KitchenEnv:
        return self.copy()  # what is shared never changes its meaning

    def __getstate__(self) -> dict[str, Any]:
        """The layout and the actions since (for workers): every engine numbers atoms in its own way."""
        left_out = ("scene", "snapshot", "_actions", "_history", "observation_space", "action_space")
        done, history = [], self._history
        while history:
            history, text = history
            done.append(text)
        return {key: value for key, value in self.__dict__.items() if key not in left_out} | {
            "done": done[::-1]
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        done = state.pop("done")
        self.__dict__.update(state)
        self.scene, self._history = self._lay_out(self.seed), None
        self._set(self.scene.engine.initial)
        for text in done:
            chosen = next(action for action in self._actions if action.text == text)
            self._set(self.scene.engine.step(self.snapshot, chosen))
            self._history = (self._history, text)
        self._make_spaces()

    def render(self) -> np.ndarray:
        """A picture of the kitchen, uint8 RGB."""
        from mnemocraft.envs.kitchen import painter  # loads matplotlib

        return painter.pixels(painter.paint(self))


class _Layouts:
    """The last scenes of a user's kitchen by seed."""

    def __init__(self, domain: Domain, kitchen: Kitchen, where: str) -> None:
        self._settings = domain, kitchen, where
        self.scenes: dict[int | None, Scene] = {}

    def __call__(self, seed: int | None) -> Scene:
        if seed not in self.scenes:
            domain, kitchen, where = self._settings
            scene = file_scene(domain, kitchen, seed, where)
            self.scenes = dict([*self.scenes.items(), (seed, scene)][-4:])
            return scene
        return self.scenes[seed]

    def __reduce__(self) -> tuple[Any, ...]:
        return _Layouts, self._settings


def _checked_seed(seed: Any) -> int | None:
    return None if seed is None else whole(seed, "seed", 0)
