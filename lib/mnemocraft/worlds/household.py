"""ALFWorld's household tasks as a world: text that shows only what is in view, and listed commands."""

from __future__ import annotations

from mnemocraft.envs import AlfworldEnv
from mnemocraft.envs.alfworld import TYPES, generated_path, known_games, valid_unseen_path
from mnemocraft.envs.alfworld.env import TASK
from mnemocraft.errors import MnemocraftError
from mnemocraft.gnn.aggregation import RoomGraph
from mnemocraft.worlds.env_world import EnvWorld, unlisted
from mnemocraft.worlds.guides import guide
from mnemocraft.worlds.world import Feedback, Observation, Task

_WELCOME = "-= Welcome to TextWorld, ALFRED! =-"
_PATHS = {"generated": generated_path, "valid_unseen": valid_unseen_path}
"""Where tasks come from, and how their files are found."""


class HouseholdWorld(EnvWorld[AlfworldEnv]):
    """A household task; see :class:`~mnemocraft.worlds.World`.

    What is seen is the reply to the last command, at first a list of the receptacles in the room. A command
    that is not among the listed ones takes a step as well. The scene is all that was seen so far, merged into
    one graph.

    Args:
        name: Of the task, without the kind.
        env: The game, which is reset.
        facts: What a record says about it.
    """

    guide, wording, encoder, idle = guide("household"), "", "room_graph", "look"

    def __init__(self, name: str, env: AlfworldEnv, facts: dict[str, int | float | str]) -> None:
        super().__init__(env)
        first = env.reset()[0]["text"].partition(TASK)[0]
        self._reply = first.removeprefix(_WELCOME).strip()
        self.room = RoomGraph()
        self.room.merge(self._reply)
        self.task = Task(f"household/{name}", env.goal, env.max_steps, env.goal, facts)

    def observe(self) -> Observation:
        """The last reply, the task and the admissible commands."""
        actions = tuple(self.env.valid_actions)
        rest = "\n".join([f"\n{TASK}{self.task.goal}.\n\nValid Actions:", *actions])
        scene = self.room.text
        aggregated = f"{scene}\nLast reply: {self._reply}\n{rest}"
        return Observation(f"{self._reply}\n{rest}", scene, actions=actions, aggregated=aggregated)

    def check(self, action: str) -> str:
        """Whether it is one of the admissible commands letter for letter; only outer spaces do not count."""
        return unlisted(action.strip(), self.env.valid_actions)

    def act(self, action: str, limit: int | None = None) -> Feedback:
        """Give a command, which takes one step whether it is refused or not."""
        if self.reason:
            return Feedback(False, 0, "The episode is over.")
        problem = self.check(action)
        self._reply = self.env.step(action)[0]["text"].strip()
        self.room.merge(self._reply, self.env.valid_actions)
        return Feedback(not problem, 1, problem)


def household(name: str, seed: int = 0, max_steps: int = 50) -> HouseholdWorld:
    """A household task; nothing in it is random.

    Args:
        name: ``generated/<type>/<number>`` for one of our small games, or
            ``valid_unseen/<task folder>/<trial>`` for one of ALFWorld's, which the user has downloaded.
        seed: Has no part in it.
        max_steps: Steps allowed.

    Raises:
        MnemocraftError: There is no such task, or it is not on this machine.
        MissingExtra: The engine is not installed.
    """
    source, _, game = name.partition("/")
    if source not in _PATHS:
        raise MnemocraftError(f"There is no household task {name!r}; it begins with {' or '.join(_PATHS)}.")
    env = AlfworldEnv(_PATHS[source](game), max_steps)
    kind = next(kind for kind in TYPES if game.startswith(kind))
    return HouseholdWorld(name, env, {"task_type": kind})


def task_names(kind: str) -> list[str]:
    """Our small games, then the 134 of ALFWorld's split ``valid_unseen``."""
    known = known_games()
    return [f"{source}/{name}" for source in _PATHS for name in known[source]]
