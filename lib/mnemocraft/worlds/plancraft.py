"""Plancraft's crafting table as a world; its teacher plans from what is on the table."""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from typing import Any

import numpy as np

from mnemocraft.envs import PlancraftEnv
from mnemocraft.envs.plancraft import Example, examples, parse_action, plan
from mnemocraft.envs.plancraft.actions import expert_actions
from mnemocraft.envs.plancraft.data import SPLITS, split_of
from mnemocraft.errors import MnemocraftError
from mnemocraft.worlds.env_world import EnvWorld
from mnemocraft.worlds.guides import guide
from mnemocraft.worlds.plancraft_teacher import answer, asked, seen_game, without_slots
from mnemocraft.worlds.world import Feedback, Observation, Task

_MOVE = re.compile(r"(move|smelt) from (\S+) to (\S+) with quantity (\d{1,4})")
_WORDING = """# Actions
An action is one line, one of
- move from SLOT to SLOT with quantity N
- smelt from SLOT to SLOT with quantity N
- impossible: REASON
"""


class PlancraftWorld(EnvWorld[PlancraftEnv]):
    """A crafting task; see :class:`~mnemocraft.worlds.World`.

    An action is a line such as ``move from I12 to A1 with quantity 1``, or a tool call as JSON. Besides the
    environment's ends, an episode is over once a craft has made the target unreachable: ``eager_crafting``
    (How2, appendix D.2, Figures 22 and 24).

    Args:
        env: The table, which is reset.
    """

    guide, wording, encoder, idle = guide("plancraft"), _WORDING, "minilm", '{"name": "noop"}'

    def __init__(self, env: PlancraftEnv) -> None:
        super().__init__(env)
        self._eager = False
        self._see(env.reset()[0])
        item = env.example
        goal = f"Craft an item of type: {item.target}"
        split = split_of(item.id) or "drawn"
        self.task = Task(f"plancraft/{split}/{item.id}", goal, env.max_steps, item.target, task_facts(item))

    @property
    def reason(self) -> str:
        """``success``, ``impossible_correct``, ``impossible_wrong``, ``eager_crafting``, ``max_steps``, or
        empty."""
        return self.env.reason or ("eager_crafting" if self._eager else "")

    @property
    def success(self) -> bool:
        """Whether the target was made, or rightly said to be impossible."""
        return self.reason in ("success", "impossible_correct")

    def observe(self) -> Observation:
        """The table as text."""
        return self._observation

    def _see(self, seen: dict[str, Any]) -> None:
        self._seen, text = seen, seen["text"]
        held: dict[str, int] = {}
        for slot, item in seen["inventory"].items():
            if slot != "0":
                held[item["type"]] = held.get(item["type"], 0) + item["quantity"]
        self._observation = Observation(text, text.partition("\n")[2], held)

    def check(self, action: str) -> str:
        """Whether it is a tool call, by itself."""
        return read(str(action))[1]

    def act(self, action: str, limit: int | None = None) -> Feedback:
        """Do one tool call, which takes one step; one that changes nothing succeeds as well."""
        if self.reason:
            return Feedback(False, 0, "The episode is over.")
        (call, problem), before = read(str(action)), self._seen["inventory"]
        self._see(self.env.step(call)[0])
        moved = not problem and call["name"] == "move"
        crafted = moved and "0" in before and before != self._seen["inventory"]
        if crafted and not self.env.reason and not self.env.example.impossible:
            self._eager = plan(seen_game(self._seen).counts(), self.env.example.target) is None
        return Feedback(not problem, 1, problem)

    def how_to(self, query: str, question: str, level: str) -> str:
        """A plan from here for the item that is asked about (:mod:`.plancraft_teacher`)."""
        return answer(level, self._seen, asked(self._seen, query, question))

    def plain_scene(self) -> str:
        """The target, and what is there without slots."""
        return without_slots(self._seen)

    def frame(self) -> np.ndarray:
        """The table as the package draws it."""
        return self.env.render()


@lru_cache(maxsize=1 << 12)
def read(action: str) -> tuple[Any, str]:
    """An action line, or a tool call as JSON, as the environment takes it; and what is wrong with it.

    The first is for reading only; the second is one sentence, empty if nothing is wrong.
    """
    call = _call(action)
    try:
        parse_action(call)
    except MnemocraftError as error:
        return call, str(error)
    return call, ""


def _call(action: str) -> Any:
    if match := _MOVE.fullmatch(action.strip()):
        name, slot_from, slot_to, quantity = match.groups()
        where = {"slot_from": slot_from, "slot_to": slot_to, "quantity": int(quantity)}
        return {"name": name, "arguments": where}
    name, colon, reason = action.strip().partition(":")
    if name == "impossible":
        return {"name": name, "arguments": {"reason": reason.strip()} if colon else {}}
    if not action.lstrip().startswith("{"):
        return {"name": action.strip()[:80]}  # there is no such action, which the environment says
    try:
        return json.loads(action)
    except (ValueError, RecursionError):
        return action  # no JSON, which the environment says


@cache
def task_facts(item: Example) -> dict[str, int | float | str]:
    """What a record says about a task: difficulty, target and the expert's number of actions (-1: none)."""
    length = -1 if item.impossible else len(expert_actions(item))
    return {"difficulty": item.difficulty, "target": item.target, "expert_actions": length}


def plancraft(name: str, seed: int = 0, max_steps: int = 30) -> PlancraftWorld:
    """A task of the data set; nothing in it is random.

    Args:
        name: Split and id, such as ``low/VAL0001``.
        seed: Has no part in it.
        max_steps: Steps allowed.
    """
    split, _, task = name.partition("/")
    if split not in SPLITS or task not in _places(split):
        raise MnemocraftError(
            f"There is no Plancraft task {name!r}; ids look like low/VAL0001, and the splits are "
            f"{', '.join(SPLITS)}."
        )
    return PlancraftWorld(PlancraftEnv(split, _places(split)[task], max_steps))


def task_names() -> list[str]:
    """Every task of the splits that How2 plays."""
    return [f"{split}/{item.id}" for split in ("low", "high") for item in examples(split)]


@cache
def _places(split: str) -> dict[str, int]:
    return {item.id: place for place, item in enumerate(examples(split))}
