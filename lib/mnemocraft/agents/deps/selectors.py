"""Which of a plan's parallel goals is pursued next (section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

import numpy as np

from mnemocraft.controllers.sight import load_clip
from mnemocraft.envs.minecraft.goals import Goal, GoalLibrary
from mnemocraft.errors import MnemocraftError
from mnemocraft.worlds.world import Frames, Goals, Horizons, lacks

if TYPE_CHECKING:
    from mnemocraft.envs import OverworldEnv
    from mnemocraft.worlds import World


class Choice(NamedTuple):
    """The place of the chosen goal, the steps predicted to each one, if they were predicted, and whether the
    agent looked around for it and turned to it."""

    place: int
    horizons: np.ndarray | None = None
    looked: bool = False


class Selector(Protocol):
    """Chooses among goals that can all be pursued now."""

    def choose(self, goals: Sequence[Goal], world: World, random: np.random.Generator) -> Choice:
        """One of at least two goals."""


class Scorer(Protocol):
    """How well each of some texts fits an image, as CLIP says."""

    def __call__(self, image: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        """A number for each text, the best-fitting one's is the highest; the image is uint8 (h, w, 3)."""


def parallel(goals: Sequence[Goal], world: Goals) -> list[int]:
    """Places of those goals of a plan among which a selector may choose; the first goal is always one.

    A goal may be moved to the front if its preconditions hold now and no goal before it gains what it uses
    up: then no other goal of the plan is the worse for it. If the first goal's own preconditions do not hold,
    the plan is broken there, and nothing else is a candidate.
    """
    if not goals:
        return []
    if world.failure(goals[0]):
        return [0]
    found, gained = [0], set(_gains(world.library, goals[0]))
    for place, goal in enumerate(goals[1:], 1):
        if gained.isdisjoint(_uses(world.library, goal)) and not world.failure(goal):
            found.append(place)
        gained |= _gains(world.library, goal)
    return found


@cache
def _gains(library: GoalLibrary, goal: Goal) -> frozenset[str]:
    try:
        return frozenset(item for way in library.ways(goal) for item, _ in way.gives)
    except MnemocraftError:  # it will fail at its turn
        return frozenset()


@cache
def _uses(library: GoalLibrary, goal: Goal) -> frozenset[str]:
    """Materials and fuel that a goal may use up."""
    try:
        ways = library.ways(goal)
    except MnemocraftError:
        return frozenset()
    fuels = library.rules.fuels if any(way.heat for way in ways) else ()
    return frozenset(item for way in ways for members, _ in way.takes for item in members).union(fuels)


class FixedOrder:
    """The order of the plan: DEP, without a selector."""

    def choose(self, goals: Sequence[Goal], world: World, random: np.random.Generator) -> Choice:
        """The first one."""
        return Choice(0)


class RandomOrder:
    """Any of them."""

    def choose(self, goals: Sequence[Goal], world: World, random: np.random.Generator) -> Choice:
        """Each one is as likely."""
        return Choice(int(random.integers(len(goals))))


class HorizonSelector:
    """Draws from the softmax of minus the predicted horizons (equation 2).

    Horizons are in steps of 50 ms, as in the paper, so that the nearest goal is chosen but for near ties. It
    looks around first, where the predictions come from pictures (one view shows a fifth of what is around),
    and turns to where the chosen goal seems nearest.
    """

    def choose(self, goals: Sequence[Goal], world: World, random: np.random.Generator) -> Choice:
        """Near goals are likelier. Raises MnemocraftError: The world predicts no horizons."""
        if not isinstance(world, Horizons):
            raise lacks(world, Horizons, "The horizon-predictive selector")
        world.look_around()
        horizons = world.horizon(goals)
        place = int(random.choice(len(goals), p=probabilities(horizons)))
        world.turn_to(goals[place])
        return Choice(place, horizons, looked=True)


def probabilities(horizons: np.ndarray) -> np.ndarray:
    """Equation 2: the softmax of minus the horizons."""
    weights = np.exp(horizons.min() - horizons)
    return weights / weights.sum()


class NearestBySimulator:
    """The oracle: the nearest goal as the state of the overworld tells it."""

    def choose(self, goals: Sequence[Goal], world: World, random: np.random.Generator) -> Choice:
        """The one with the shortest way and work.

        Raises:
            MnemocraftError: The world is not the overworld, whose state can be read.
        """
        from mnemocraft.controllers import ScriptedController
        from mnemocraft.worlds.overworld import ControllerWorld

        if not isinstance(world, ControllerWorld):
            raise MnemocraftError(
                f"The nearest goal can only be known in the overworld, not in {world.task.id}."
            )
        horizons = ScriptedController(cast("OverworldEnv", world.env)).horizon(world.seen, goals)
        return Choice(int(np.argmin(horizons)), horizons)


class ImageText:
    """The goal whose words fit the view best, by a scorer such as CLIP or MineCLIP.

    Args:
        scorer: From an image and texts to numbers; :func:`clip` makes one.
    """

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    def choose(self, goals: Sequence[Goal], world: World, random: np.random.Generator) -> Choice:
        """The best-fitting one.

        Raises:
            MnemocraftError: There is nothing to see.
        """
        if not isinstance(world, Frames):
            raise lacks(world, Frames, "The image-text selector")
        texts = [f"{goal.verb} {goal.item.replace('_', ' ')}" for goal in goals]
        return Choice(int(np.argmax(self._scorer(world.frame(), texts))))


def clip(weights: str) -> Scorer:
    """A scorer with the weights of a CLIP model in the format of the library ``transformers``.

    Args:
        weights: A folder, or a model's name on the Hugging Face hub.

    Raises:
        MnemocraftError: No weights were named, or there are none of that name.
        MissingExtra: The library transformers is not installed.
    """
    if not weights:
        raise MnemocraftError(
            "The image-text selector needs weights: name a CLIP model in the format of the library "
            "transformers, such as clip('openai/clip-vit-base-patch32'), or a folder with one."
        )
    model, processor = load_clip(weights)

    def score(image: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        import torch

        with torch.inference_mode():
            inputs = processor(text=list(texts), images=image, return_tensors="pt", padding=True)
            return model(**inputs).logits_per_image[0].numpy()

    return score
