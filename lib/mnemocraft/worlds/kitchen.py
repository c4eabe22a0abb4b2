"""Robotouille's kitchens as a world: valid actions are listed, and what they lead to can be asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import TASKS
from mnemocraft.envs.kitchen.oracle import plan_kitchen
from mnemocraft.worlds.env_world import EnvWorld, numbered, unlisted
from mnemocraft.worlds.guides import guide
from mnemocraft.worlds.world import Feedback, Observation, Task

_MOVES = ("Move ", "Do nothing")
"""What is left out of a plan that is only partially executable."""


class KitchenWorld(EnvWorld[KitchenEnv]):
    """A task in a kitchen; see :class:`~mnemocraft.worlds.World`.

    Args:
        env: The kitchen, which is reset.
    """

    guide, wording, encoder, idle = guide("kitchen"), "", "scene_graph", "Do nothing"

    def __init__(self, env: KitchenEnv) -> None:
        super().__init__(env)
        self._text = env.reset()[0]["text"]
        known = {}
        if env.task in TASKS:  # not a kitchen of files
            known = {"task_index": int(env.task.rpartition("/")[2]), "horizon": env.horizon or 0}
        self.task = Task(
            f"kitchen/{env.task}", env.goal_description, env.max_steps, env.goal_description, known
        )

    def observe(self) -> Observation:
        """Objects, valid actions and goal."""
        actions = tuple(dict.fromkeys(self.env.valid_actions))
        return Observation(self._text, self.env.observation(), actions=actions)

    def check(self, action: str) -> str:
        """Whether it is one of the valid actions letter for letter, upper and lower case included."""
        return unlisted(action, self.env.valid_actions)

    def act(self, action: str, limit: int | None = None) -> Feedback:
        """Do one of the valid actions, which takes one step."""
        before = self.env.steps
        observation, *_, info = self.env.step(action)
        self._text = observation["text"]
        return Feedback(info["action_success"], self.env.steps - before, info.get("failure", ""))

    def successors(self) -> dict[str, str]:
        """The object blocks after every valid action."""
        return self.env.successor_texts()

    def how_to(self, query: str, question: str, level: str) -> str:
        """The oracle's plan from here to the goal, whatever is asked about."""
        actions = plan_kitchen(self.env.copy())
        if actions is None:
            return "I do not know how to go on from here."
        return told(actions, level)

    def plain_scene(self) -> str:
        """The goal and what is there."""
        return f"{self.task.goal}\n{self.env.observation()}"

    def frame(self) -> np.ndarray:
        """A picture of the kitchen."""
        return self.env.render()


def told(actions: Sequence[str], level: str) -> str:
    """A plan at one of the four levels: every action; without the ways between stations; only what is done
    to each thing; and the same as a sentence."""
    done = [action for action in actions if not action.startswith(_MOVES)]
    subgoals = [action for action in done if not action.startswith("Pick up")]
    lines = {"executable": list(actions), "partially-executable": done}.get(
        level, list(dict.fromkeys(subgoals))
    )
    if level == "non-executable":
        return ", then ".join(lines)
    return numbered(lines)


def kitchen(name: str, seed: int = 0, max_steps: float | None = None) -> KitchenWorld:
    """A kitchen of the benchmark.

    Args:
        name: ``sync/0`` to ``sync/9`` or ``async/0`` to ``async/9``.
        seed: Of the layout.
        max_steps: Steps allowed; None for three times the listed horizon.
    """
    return KitchenWorld(KitchenEnv(name, seed, max_steps=max_steps))


def task_names() -> list[str]:
    """The 20 tasks of the benchmark."""
    return list(TASKS)
