"""The table top as a Gymnasium environment."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from mnemocraft.bounded import whole
from mnemocraft.envs.spaces import TextSpace
from mnemocraft.envs.tabletop.scene import KINDS, TABLE, place, refusal
from mnemocraft.envs.tabletop.tasks import MAX_STEPS, TASKS
from mnemocraft.envs.task_env import TaskEnv, outcome
from mnemocraft.errors import MnemocraftError, one_of

Observation = dict[str, Any]
"""``text`` (str): the scene and the goal."""
SKILLS = ("pick", *KINDS)
"""What has a success rate: picking, and placing on or in each kind of place."""
_LINE = re.compile(
    r"pick (?:up )?(?:the )?(.+?) and (?:place|put) it (?:in|on|onto|into) (?:the )?(.+?)", re.I
)
_QUOTED = 100
"""Characters of a wrong action that a sentence about it repeats."""


@dataclass(frozen=True)
class Action:
    """What an action line asks for: a thing, and the name of a place."""

    thing: str
    place: str

    @property
    def line(self) -> str:
        """``pick the red block and place it in the red bowl``."""
        return f"pick the {self.thing} and place it {place(self.place).at}"


class TabletopEnv(TaskEnv[str]):
    """One of five tasks of rearranging things (DEPS, Table 7), without CLIPort's simulator and policy.

    An action is a line, ``pick the red block and place it in the green bowl``. One that breaks a rule, or
    whose skill fails, counts as a step, changes nothing, and is answered by one sentence; one that names
    nothing that is there does not even count. The controller is deterministic, as a trained policy is: the
    seed decides which things it can pick and where it can place them, so that trying the same again fails
    again.

    Args:
        task: ``kits``, ``hanoi``, ``bowls``, ``packing`` or ``pyramid``.
        seed: Of the scene, and of which skills fail where.
        rates: Success rates of the controller by skill (:data:`SKILLS`), from 0 to 1; those that are not
            named are 1, a perfect controller's.
        max_steps: Skills allowed; 15 in the paper (appendix A.2.1).
        render_mode: None or ``"rgb_array"``; :meth:`render` works with either.

    Raises:
        MnemocraftError: No such task, seed, skill or number; one sentence.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 2}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(
        self,
        task: str = "bowls",
        seed: int = 0,
        rates: Mapping[str, float] | None = None,
        max_steps: int = MAX_STEPS,
        render_mode: str | None = "rgb_array",
    ) -> None:
        one_of("table-top task", task, TASKS)
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise MnemocraftError(f"render_mode must be 'rgb_array' or None, not {render_mode!r}.")
        self.task, self.goal, self.render_mode = task, TASKS[task].goal, render_mode
        self.rates = _checked({} if rates is None else rates)
        self.max_steps = whole(max_steps, "max_steps", 1)
        self.observation_space = gymnasium.spaces.Dict({"text": TextSpace(self._observations)})
        self.action_space = TextSpace(self.valid_actions)
        settings = {"rates": rates, "max_steps": max_steps, "render_mode": render_mode}
        self._record("Tabletop", task=task, seed=seed, **settings)
        self._restart(whole(seed, "seed", 0))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Back to the start; with a seed, another scene."""
        super().reset(seed=seed, options=options)
        self._restart(self.seed if seed is None else whole(seed, "seed", 0))
        return self._observe(), self._info()

    def _observations(self) -> list[str]:
        return [self.observation()]

    def _restart(self, seed: int) -> None:
        self.seed = seed
        self.scene = TASKS[self.task].scene(np.random.default_rng(seed))
        self.where = dict(self.scene.start)
        self.steps, self.reason = 0, ""

    def step(self, action: str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Do one action line.

        Returns:
            Observation, reward (1 for success), terminated (success), truncated (no steps left) and ``info``:
            ``success``, ``steps``, ``action_success``, ``failure`` if it failed (one sentence), and at the
            end ``reason``: ``success`` or ``max_steps``. After the end nothing changes any more.
        """
        failure = self._try(action)
        info = self._info(**outcome(failure))
        return self._observe(), float(self.success and not failure), *self._ends(), info

    def _try(self, action: str) -> str:
        """Carry out an action line; why it failed, empty if it did not."""
        if self.reason:
            return "The episode is over."
        try:
            asked = self.read(action)
        except MnemocraftError as error:
            return str(error)
        self.steps += 1
        failure = refusal(self.where, asked.thing, place(asked.place)) or self._slip(asked)
        if not failure:
            self.where[asked.thing] = asked.place
        if all(at in self.scene.wanted(thing) for thing, at in self.where.items()):
            self.reason = "success"
        elif self.steps >= self.max_steps:
            self.reason = "max_steps"
        return failure

    def _slip(self, asked: Action) -> str:
        """What the controller did wrong; empty if the skill works here."""
        target = place(asked.place)
        if random.Random(f"{self.seed} pick {asked.thing}").random() >= self.rates["pick"]:
            return f"The gripper missed the {asked.thing}."
        if random.Random(f"{self.seed} {asked.line}").random() >= self.rates[target.kind]:
            return f"The {asked.thing} slipped off before it was {target.at}, and is back where it was."
        return ""

    def read(self, action: str) -> Action:
        """The thing and the place that an action line names.

        Raises:
            MnemocraftError: It is no such line, or names what is not here; one sentence.
        """
        found = _LINE.fullmatch(" ".join(str(action).split()).rstrip("."))
        if found is None:
            shown = " ".join(str(action).split())[:_QUOTED]
            raise MnemocraftError(f"{shown!r} is no action; write: pick the THING and place it in the PLACE.")
        thing = _named(found[1], "thing", list(self.where))
        return Action(thing, _named(found[2], "place", list(self.scene.places)))

    def valid_actions(self) -> list[str]:
        """The action lines that break no rule now, by thing and place."""
        every = (Action(thing, target) for thing in self.where for target in self.scene.places)
        return [each.line for each in every if not refusal(self.where, each.thing, place(each.place))]

    def observation(self) -> str:
        """The scene: where every thing is, then every place and whether it is empty.

        ``Things: red block (on the table), blue block (in the blue bowl)``, and
        ``Places: table, blue bowl (filled), green bowl (empty)``.
        """
        things = [f"{thing} ({self._at(at)})" for thing, at in self.where.items()]
        filled = set(self.where.values())
        places = [
            name if name == TABLE else f"{name} ({'filled' if name in filled else 'empty'})"
            for name in self.scene.places
        ]
        return f"Things: {', '.join(things)}\nPlaces: {', '.join(places)}"

    def _at(self, where: str) -> str:
        return f"on the {where}" if where in self.where else place(where).at

    def _observe(self) -> Observation:
        return {"text": f"{self.observation()}\n\nGoal: {self.goal}"}

    def render(self) -> np.ndarray:
        """The table as a picture, uint8 (height, width, 3)."""
        from mnemocraft.envs.tabletop.painter import picture

        return picture(self)


def _checked(rates: Mapping[str, float]) -> dict[str, float]:
    for skill, rate in rates.items():
        one_of("skill", skill, SKILLS)
        if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 <= rate <= 1:
            raise MnemocraftError(f"The success rate of {skill} must be a number from 0 to 1, not {rate!r}.")
    return dict.fromkeys(SKILLS, 1.0) | dict(rates)


def _named(name: str, what: str, known: list[str]) -> str:
    """The one of the known names that is meant, whatever its case."""
    found = next((each for each in known if each.lower() == name.lower()), None)
    if found is None:
        raise MnemocraftError(f"There is no {what} {name[:_QUOTED]!r} here; there are {', '.join(known)}.")
    return found
