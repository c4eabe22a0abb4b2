"""The sighted controller: a script that acts on what it can see, and has to look for the rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.inventory import InventoryHand
from mnemocraft.controllers.learned import downwards
from mnemocraft.controllers.recollection import Recollection
from mnemocraft.controllers.success import Observation
from mnemocraft.controllers.targets import search_level
from mnemocraft.controllers.teacher import Teacher
from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.minecraft.goals import Goal

PACE = 2
"""Steps for an action that is no blow; the others are spent standing. So it takes about as many steps to a
sheep, cow or pig as the learned controller (``benchmarks/bench_pace.py``); at full speed it takes half."""
SEEN = np.ones((1, 1))
"""The picture's cells for somebody who looks straight at what it goes for."""


class SightedController:
    """The learned controller's teacher as a controller of its own.

    It reaches what it sees as surely as the script does, and searches as the learned controller does, as
    slowly as that: what an episode costs is finding things, and hardly anything is due to clumsiness. For
    ``mine`` and ``kill``; all else as the learned controller does it.

    Args:
        env: The world.
        pace: Steps for an action that is no blow.

    Attributes:
        problem: Always empty.
        looks: Never: it predicts nothing.
    """

    problem, looks = "", False

    def __init__(self, env: OverworldEnv, pace: int = PACE) -> None:
        self._env, self._pace, self._hand = env, pace, InventoryHand()
        self.reset()

    def reset(self) -> None:
        """A new episode."""
        self._hand.reset()
        self._searches: dict[Goal, tuple[Teacher, Recollection]] = {}
        self._last, self._clock = a.index(a.STAND, a.NONE), 0

    def act(self, observation: Observation, goal: Goal) -> np.ndarray:
        """The next action of MineDojo's space."""
        self._clock += 1
        if self._clock % self._pace and self._last % len(a.HEADS) != a.ATTACK:
            return a.to_minedojo(a.index(a.STAND, a.NONE))
        action = self._hand.act(observation, goal)
        if action is not None:
            return action
        if goal.verb in ("mine", "kill"):
            teacher, past = self._search(goal)
            chosen = teacher.move()
            past.look(observation, SEEN if teacher.knows else None, self._last)
        else:
            chosen = downwards(observation) if goal.verb == "dig" else a.index(a.STAND, a.NONE)
        self._last = chosen
        return a.to_minedojo(chosen)

    def _search(self, goal: Goal) -> tuple[Teacher, Recollection]:
        """Who looks for a goal; a search that was interrupted goes on."""
        if goal not in self._searches:
            past = Recollection(search_level(goal))
            self._searches[goal] = Teacher(self._env, goal, past), past
        return self._searches[goal]

    def horizon(
        self, observation: Observation, goals: Sequence[Goal], around: Sequence[Observation] = ()
    ) -> np.ndarray:
        """It does not know."""
        return np.zeros(len(goals))
