"""The table top as a world: action lines are explained, checked, and carried out one skill at a time.

It stands in for CLIPort's simulator (DEPS, appendix A.2), see :mod:`mnemocraft.envs.tabletop`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mnemocraft.envs import TabletopEnv
from mnemocraft.envs.tabletop.env import Action
from mnemocraft.envs.tabletop.scene import place
from mnemocraft.envs.tabletop.solver import Move, solve
from mnemocraft.envs.tabletop.tasks import MAX_STEPS, TASKS
from mnemocraft.errors import MnemocraftError
from mnemocraft.worlds.env_world import EnvWorld, numbered
from mnemocraft.worlds.guides import guide
from mnemocraft.worlds.world import Feedback, Observation, Task

_WORDING = """# Actions
An action is one line that names a thing and a place: pick the THING and place it in the PLACE. For example:
pick the red block and place it in the red bowl"""


class TabletopWorld(EnvWorld[TabletopEnv]):
    """A task on the table; see :class:`~mnemocraft.worlds.World`.

    Args:
        env: The table, which is reset.
    """

    guide, wording, encoder, idle = guide("tabletop"), _WORDING, "minilm", ""

    def __init__(self, env: TabletopEnv) -> None:
        super().__init__(env)
        env.reset()
        facts = {"things": len(env.where)}
        self.task = Task(f"tabletop/{env.task}", env.goal, env.max_steps, TASKS[env.task].label, facts)

    def observe(self) -> Observation:
        """Things, places and goal."""
        scene = self.env.observation()
        return Observation(f"{scene}\n\nGoal: {self.task.goal}", scene)

    def check(self, action: str) -> str:
        """Whether it is an action line that names a thing and a place of this table."""
        try:
            self.env.read(action)
        except MnemocraftError as error:
            return str(error)
        return ""

    def act(self, action: str, limit: int | None = None) -> Feedback:
        """Try an action line, which takes one step; none if it names nothing that is there."""
        before = self.env.steps
        info = self.env.step(action)[4]
        return Feedback(info["action_success"], self.env.steps - before, info.get("failure", ""))

    def how_to(self, query: str, question: str, level: str) -> str:
        """A shortest plan from here to the goal, whatever is asked about."""
        wanted = {thing: self.env.scene.wanted(thing) for thing in self.env.where}
        moves = solve(self.env.where, self.env.scene.places, wanted)
        return told(moves, level) if moves else "I do not know how to go on from here."

    def plain_scene(self) -> str:
        """The goal and what is there."""
        return f"{self.task.goal}\n{self.env.observation()}"

    def frame(self) -> np.ndarray:
        """A picture of the table."""
        return self.env.render()


def told(moves: Sequence[Move], level: str) -> str:
    """A plan at one of the four levels: action lines; what is moved where; where each thing ends; the last as
    a sentence."""
    last = dict(moves)
    ends = [f"the {thing} belongs {place(spot).at}" for thing, spot in last.items()]
    lines = {
        "executable": [Action(thing, spot).line for thing, spot in moves],
        "partially-executable": [f"move the {thing} to the {spot}" for thing, spot in moves],
    }.get(level, ends)
    if level == "non-executable":
        return ", and ".join(lines)
    return numbered(lines)


def tabletop(
    name: str, seed: int = 0, rates: Mapping[str, float] | None = None, max_steps: int = MAX_STEPS
) -> TabletopWorld:
    """A task on the table.

    Args:
        name: ``kits``, ``hanoi``, ``bowls``, ``packing`` or ``pyramid``.
        seed: Of the scene, and of which skills fail where.
        rates: Success rates of the controller by skill; None for a perfect one.
        max_steps: Skills allowed.
    """
    return TabletopWorld(TabletopEnv(name, seed, rates, max_steps))


def task_names() -> list[str]:
    """The five tasks."""
    return list(TASKS)
