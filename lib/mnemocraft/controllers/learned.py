"""The learned controller: acts on images, and predicts how far its goals are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.features import IMAGE, SHARP, features, token
from mnemocraft.controllers.inventory import InventoryHand
from mnemocraft.controllers.network import WEIGHTS, Network, collate, expected_steps, load_network
from mnemocraft.controllers.recollection import Recollection
from mnemocraft.controllers.success import Observation
from mnemocraft.controllers.targets import search_level
from mnemocraft.envs.minecraft.goals import Goal

TEMPERATURE = 1.0
"""Of the softmax that actions are drawn from: 0 repeats mistakes for ever, 1 interrupts what takes long."""
OTHER_STEPS = {"craft": 2.0, "smelt": 2.0, "equip": 1.0, "place": 4.0}
"""Horizon of goals that go through the inventory; they do not ask the network."""
TICKS_A_LEVEL = 20.0


class LearnedController:
    """A goal-conditioned policy, cloned from the scripted controller, for any world with MineDojo's face.

    ``mine`` and ``kill`` goals are the network's; crafting, smelting, equipping and placing are as scripted
    (from the observation), ``dig`` looks down and digs.

    Args:
        weights: File of the weights, or the network itself.
        seed: Of the draws of actions.

    Attributes:
        problem: Always empty: the network does not say what is wrong.
        looks: Always: its predictions get better by looking around first.
    """

    problem, looks = "", True

    def __init__(self, weights: Path | Network = WEIGHTS, seed: int = 0) -> None:
        self._network = weights if isinstance(weights, Network) else load_network(weights)
        self._seed = seed
        self._hand = InventoryHand()
        self.reset()

    def reset(self) -> None:
        """A new episode."""
        self._hand.reset()
        self._random = np.random.default_rng(self._seed)
        self._last, self._goal, self._past = a.index(a.STAND, a.NONE), -1, Recollection()

    def act(self, observation: Observation, goal: Goal) -> np.ndarray:
        """The next action of MineDojo's space.

        Raises:
            MnemocraftError: The goal is not one of those it was trained for, or the image has another size.
        """
        action = self._hand.act(observation, goal)
        if action is not None:
            return action
        if goal.verb == "dig":
            self._last = downwards(observation)
        elif goal.verb in ("mine", "kill"):
            if token(goal) != self._goal:
                self._goal, self._past = token(goal), Recollection(search_level(goal))
            self._last = self.move(observation, goal, self._last, self._past)
        else:
            self._last = a.index(a.STAND, a.NONE)
        return a.to_minedojo(self._last)

    def move(self, observation: Observation, goal: Goal, last: int, past: Recollection) -> int:
        """The network's choice of the 42 actions for a mine or kill goal, after a last one.

        What it sees of the goal's sources is kept in ``past``.

        Raises:
            MnemocraftError: The goal is not one of those it was trained for, or the image has another size.
        """
        with torch.inference_mode():
            logits, _, spots = self._network(collate([features(observation, past)], [token(goal)]))
        past.look(observation, torch.sigmoid(spots[0, token(goal)]).numpy(), last)
        return int(draw(logits, TEMPERATURE, self._random)[0])

    def horizon(
        self, observation: Observation, goals: Sequence[Goal], around: Sequence[Observation] = ()
    ) -> np.ndarray:
        """Predicted steps to each goal from here (DEPS, section 3.3): from one view, or from looks around."""
        tokens = {goal: token(goal) for goal in goals if goal.verb in ("mine", "kill")}
        if tokens:
            steps = self._predict(around or [observation])
        return np.array(
            [
                float(steps[tokens[goal]]) * goal.count if goal in tokens else _other(observation, goal)
                for goal in goals
            ]
        )

    def _predict(self, views: Sequence[Observation]) -> np.ndarray:
        """Steps to every goal that the network knows."""
        several = len(views) > 1
        side = SHARP if several else IMAGE
        batch = collate([features(view, Recollection(), side) for view in views], [0] * len(views))
        with torch.inference_mode():
            logits = (
                self._network.around(batch.image, batch.numbers) if several else self._network(batch)[1][0]
            )
        return expected_steps(logits)


def draw(logits: torch.Tensor, temperature: float, random: np.random.Generator) -> np.ndarray:
    """An action for each row of logits (n, 42)."""
    scaled = logits.double().numpy() / temperature
    noise = -np.log(-np.log(random.random(scaled.shape)))
    return np.argmax(scaled + noise, 1)


def _other(observation: Observation, goal: Goal) -> float:
    if goal.verb == "dig":
        return max(0.0, float(observation["position"][1]) - goal.count) * TICKS_A_LEVEL
    return OTHER_STEPS[goal.verb]


def downwards(observation: Observation) -> int:
    """Look straight down and dig."""
    return a.index(a.STAND, a.ATTACK if float(observation["location_stats"]["pitch"][0]) >= 80 else a.DOWN)
