"""Plancraft as a Gymnasium environment: text first, pictures only when asked."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from mnemocraft.bounded import whole
from mnemocraft.envs.checks import tool_call
from mnemocraft.envs.plancraft.data import SLOT_NAMES, Example, examples
from mnemocraft.envs.plancraft.game import SLOT_INDEX, Game
from mnemocraft.envs.plancraft.recipes import max_stack
from mnemocraft.envs.plancraft.spaces import InventorySpace, random_call
from mnemocraft.envs.spaces import TextSpace, ToolCallSpace
from mnemocraft.envs.task_env import TaskEnv
from mnemocraft.errors import MnemocraftError

Action = dict[str, Any]
"""A tool call: ``{"name": "move", "arguments": {"slot_from": "I12", "slot_to": "A1", "quantity": 1}}``."""

Observation = dict[str, Any]
"""``text`` (str), ``inventory`` (``{"I12": {"type": "beetroot", "quantity": 1}}``) and ``target`` (str)."""

_STOPPED = "Plancraft environment is terminate due to stop action"  # the package's words
_OVER = "Plancraft environment is terminated"


class PlancraftEnv(TaskEnv[Action | str | None]):
    """One Plancraft task.

    Observations, rewards and ends are those of the ``plancraft`` package (Dagan et al., 2024), but slots are
    written without brackets, the last allowed step already reports the truncation, and the example is never
    changed. A malformed action counts as a step, changes nothing, and is answered by a sentence that says
    what is wrong with it.

    Args:
        split: ``train``, ``val``, ``test``, ``low`` (= val) or ``high`` (the repeated split of How2).
        index: Position of the task in its split.
        max_steps: Steps allowed.
        render_mode: None or ``"rgb_array"``; :meth:`render` works with either.

    Raises:
        MnemocraftError: No such split, index or number of steps.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(
        self, split: str, index: int, max_steps: int = 30, render_mode: str | None = "rgb_array"
    ) -> None:
        tasks = examples(split)
        if not isinstance(index, int) or not 0 <= index < len(tasks):
            raise MnemocraftError(
                f"Split {split!r} has tasks 0 to {len(tasks) - 1}; there is no task {index!r}."
            )
        self._record("Plancraft", split=split, index=index, max_steps=max_steps, render_mode=render_mode)
        self._open(tasks[index], max_steps, render_mode)

    @classmethod
    def of_example(cls, example: Example, max_steps: int = 30) -> PlancraftEnv:
        """A task that is in no split. Raises MnemocraftError for a wrong number of steps."""
        env = cls.__new__(cls)
        env._open(example, max_steps, "rgb_array")
        return env

    def _open(self, example: Example, max_steps: int, render_mode: str | None) -> None:
        self.example: Example = example
        self.max_steps, self.render_mode = whole(max_steps, "max_steps", 1), render_mode
        self.observation_space = gymnasium.spaces.Dict(
            {"text": TextSpace(_items), "inventory": InventorySpace(), "target": TextSpace(_items)}
        )
        self.action_space = ToolCallSpace(random_call)
        self._restart()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Put everything back to the start. Nothing is random; ``seed`` only seeds ``np_random``."""
        super().reset(seed=seed, options=options)
        self._restart()
        return self._observe(), self._info()

    def _restart(self) -> None:
        self.game = Game(self.example.slots)
        self.steps, self.reason = 0, ""
        self._done: list[tuple[str, str, str, int]] = []
        self._painter: Any = None
        self._painted = 0

    def step(self, action: Action | str | None) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Do one tool call, given as a dict or its JSON; None or ``noop`` passes the step.

        Returns:
            Observation, reward (1 for success, otherwise 0), terminated, truncated and ``info`` with
            ``success``, ``steps`` and, at the end, ``reason``: ``success``, ``impossible_correct``,
            ``impossible_wrong`` or ``max_steps``. After the end nothing changes any more.
        """
        if self.reason:
            terminated = self.reason != "max_steps"
            text = _OVER if terminated else f"Max steps ({self.max_steps}) reached"
            return self._observe(text), 0.0, terminated, True, self._info()
        self.steps += 1
        answer = self._act(action)
        if not self.reason and self.steps >= self.max_steps:
            self.reason = "max_steps"
        return self._observe(answer), float(self.success), *self._ends(), self._info()

    def render(self) -> np.ndarray:
        """The crafting table as the package draws it, uint8 RGB."""
        from mnemocraft.envs.plancraft.painter import Painter  # loads the package and its 900 pictures

        if self._painter is None:
            self._painter = Painter(self.example.slots)
        for action in self._done[self._painted :]:
            self._painter.act(*action)
        self._painted = len(self._done)
        return self._painter.frame

    def _act(self, action: Action | str | None) -> str | None:
        """Carry out an action; the text to answer with, or None for the usual one."""
        try:
            name, arguments = parse_action(action)
        except MnemocraftError as error:
            return str(error)
        if name == "impossible":
            self.reason = "impossible_correct" if self.example.impossible else "impossible_wrong"
            return _STOPPED
        if name != "noop":
            (self.game.move if name == "move" else self.game.smelt)(*arguments)
            self._done.append((name, *arguments))
            if self.game.holds(self.example.target):
                self.reason = "success"
        return None

    def _observe(self, text: str | None = None) -> Observation:
        slots = self.game.slots
        if text is None:
            lines = [f"\n - {item} {slot} quantity {n}" for slot, (item, n) in slots.items()]
            text = f"Craft an item of type: {self.example.target}\ninventory:{''.join(lines)}"
        inventory = {slot: {"type": item, "quantity": n} for slot, (item, n) in slots.items()}
        return {"text": text, "inventory": inventory, "target": self.example.target}

    @property
    def success(self) -> bool:
        """Whether the target was crafted, or rightly called impossible."""
        return self.reason in ("success", "impossible_correct")


def _items() -> list[str]:
    return list(max_stack())


def parse_action(action: Action | str | None) -> tuple[str, tuple[Any, ...]]:
    """Read a tool call: its name and, for ``move`` and ``smelt``, ``(slot_from, slot_to, quantity)``.

    Raises:
        MnemocraftError: The call is malformed; the message is one sentence for whoever made it.
    """
    if action is None:
        return "noop", ()
    call = tool_call(action)
    name, arguments = call.get("name"), call.get("arguments") or {}
    if name in ("noop", "impossible"):
        return name, ()
    if name not in ("move", "smelt"):
        raise MnemocraftError(f"There is no action {name!r}; use move, smelt or impossible.")
    if not isinstance(arguments, dict):
        raise MnemocraftError(f'The "arguments" of {name} must be an object.')
    return name, _slots_and_quantity(name, arguments)


def _slots_and_quantity(name: str, arguments: dict[str, Any]) -> tuple[str, str, int]:
    for key in ("slot_from", "slot_to", "quantity"):
        if key not in arguments:
            raise MnemocraftError(f"The action {name} lacks the argument {key}.")
    slot_from, slot_to = (str(arguments[key]).strip("[] ") for key in ("slot_from", "slot_to"))
    for key, slot in (("slot_from", slot_from), ("slot_to", slot_to)):
        if slot not in SLOT_INDEX:
            raise MnemocraftError(f"There is no slot {slot!r} ({key}); slots are 0, A1 to C3 and I1 to I36.")
    if slot_from == slot_to:
        raise MnemocraftError("slot_from and slot_to must be different.")
    if slot_to == SLOT_NAMES[0]:
        raise MnemocraftError(f"You cannot {name} items into slot 0, which only gives out what was crafted.")
    quantity = arguments["quantity"]
    if isinstance(quantity, str) and len(quantity) < 5 and quantity.strip().isdecimal():
        quantity = int(quantity)
    if isinstance(quantity, bool) or quantity not in range(1, 65):
        raise MnemocraftError(
            f"The quantity must be a whole number from 1 to 64, not {arguments['quantity']!r}."
        )
    return slot_from, slot_to, int(quantity)
