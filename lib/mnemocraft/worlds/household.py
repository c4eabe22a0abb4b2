"""ALFWorld's household tasks as a world: text that shows only what is in view, and listed commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mnemocraft.envs import AlfworldEnv
from mnemocraft.envs.alfworld import TYPES, generated_path, known_games, valid_unseen_path
from mnemocraft.envs.alfworld.env import TASK
from mnemocraft.errors import MnemocraftError
from mnemocraft.gnn.aggregation import RoomGraph
from mnemocraft.worlds.env_world import EnvWorld, quoted, unlisted
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
        return unlisted(str(action).strip(), self.env.valid_actions)

    def act(self, action: str, limit: int | None = None) -> Feedback:
        """Give a command, which takes one step whether it is refused or not."""
        if self.reason:
            return Feedback(False, 0, "The episode is over.")
        problem = self.check(action)
        self._give(action)
        return Feedback(not problem, 1, problem)

    def _give(self, command: str) -> None:
        self._reply = self.env.step(str(command))[0]["text"].strip()
        self.room.merge(self._reply, self.env.valid_actions)


_SUB_GOAL = re.compile(
    r"(?P<verb>pick|put|clean|heat|cool|use) (?:(?:an?|the) )?(?P<thing>[a-z]+) at (?P<place>[a-z]+ \d+)"
)
_WORDING = """# Sub-goals
A sub-goal is one line: VERB THING at RECEPTACLE. The verb is pick, put, clean, heat, cool or use.
The thing is a kind, without a number; the receptacle has its number. For example:
pick mug at desk 1"""
_COMMANDS = {
    "pick": r"take {thing} \d+ from {place}",
    "put": r"move {thing} \d+ to {place}",
    "use": r"use {thing} \d+",
}
"""The command that a sub-goal ends with, by verb; the others keep their verb."""


class SubGoal(NamedTuple):
    """What is to be done, with what kind of thing, at which receptacle."""

    verb: str
    thing: str
    place: str


class SubGoalWorld(HouseholdWorld):
    """The same task in sub-goals, which a script turns into commands.

    It stands for an oracle controller of DEPS's goals (``pick mug at desk 1``): it fails only where
    nothing can be done. The paper's own is a language model (appendix A.1.1, prompt 10).
    """

    guide, wording, idle = guide("household_goals"), _WORDING, ""

    def observe(self) -> Observation:
        """The last reply and the task."""
        scene = self.room.text
        rest = f"\n\n{TASK}{self.task.goal}."
        return Observation(
            f"{self._reply}{rest}", scene, aggregated=f"{scene}\nLast reply: {self._reply}{rest}"
        )

    def check(self, action: str) -> str:
        """Whether it is a sub-goal at a receptacle of this room."""
        found = _SUB_GOAL.fullmatch(str(action).strip())
        if found is None:
            return f'"{quoted(action)}" is no sub-goal; write VERB THING at RECEPTACLE.'
        return "" if found["place"] in self.room.doors else f"There is no {found['place']} in this room."

    def act(self, action: str, limit: int | None = None) -> Feedback:
        """Pursue a sub-goal for at most ``limit`` steps; what is none takes a step, like a wrong command."""
        if self.reason:
            return Feedback(False, 0, "The episode is over.")
        if problem := self.check(action):
            self._give("")
            return Feedback(False, 1, problem)
        goal = SubGoal(**_SUB_GOAL.fullmatch(action.strip()).groupdict())  # type: ignore[union-attr]
        before = self.steps
        for command in self._commands(goal):
            if not command:
                held = self.room.held or "nothing"
                why = f"nothing there lets me {goal.verb} a {goal.thing}; I hold {held}."
                return Feedback(False, self.steps - before, f"I am at {goal.place}, but {why}")
            if self.reason or self.steps - before == limit:
                return Feedback(False, self.steps - before, "The steps are used up.")
            self._give(command)
        return Feedback(True, self.steps - before)

    def _commands(self, goal: SubGoal) -> Iterator[str]:
        """The commands, each chosen when the ones before it were given; empty if there is none."""
        if goal.place not in self.room.here:
            yield f"go to {goal.place}"
        if self.room.doors[goal.place] == "closed":
            yield f"open {goal.place}"
        form = _COMMANDS.get(goal.verb, goal.verb + r" {thing} \d+ with {place}")
        wanted = re.compile(form.format(thing=goal.thing, place=goal.place))
        yield next(filter(wanted.fullmatch, self.env.valid_actions), "")


def household(name: str, seed: int = 0, max_steps: int = 50, sub_goals: bool = False) -> HouseholdWorld:
    """A household task; nothing in it is random.

    Args:
        name: ``generated/<type>/<number>`` for one of our small games, or
            ``valid_unseen/<task folder>/<trial>`` for one of ALFWorld's, which the user has downloaded.
        seed: Has no part in it.
        max_steps: Steps allowed.
        sub_goals: Whether it is played in sub-goals, see :class:`SubGoalWorld`.

    Raises:
        MnemocraftError: There is no such task, or it is not on this machine.
        MissingExtra: The engine is not installed.
    """
    source, _, game = name.partition("/")
    if source not in _PATHS:
        raise MnemocraftError(f"There is no household task {name!r}; it begins with {' or '.join(_PATHS)}.")
    env = AlfworldEnv(_PATHS[source](game), max_steps)
    kind = next(kind for kind in TYPES if game.startswith(kind))
    return (SubGoalWorld if sub_goals else HouseholdWorld)(name, env, {"task_type": kind})


def task_names() -> list[str]:
    """Our small games, then the 134 of ALFWorld's split ``valid_unseen``."""
    known = known_games()
    return [f"{source}/{name}" for source in _PATHS for name in known[source]]
