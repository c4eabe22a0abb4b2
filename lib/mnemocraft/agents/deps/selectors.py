"""Which of a plan's parallel goals is pursued next (section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from mnemocraft.agents.deps.stage import Stage, WorldStage
from mnemocraft.envs.minecraft.goals import Goal, GoalLibrary
from mnemocraft.errors import MissingExtra, MnemocraftError

if TYPE_CHECKING:
    from mnemocraft.controllers import Controller


class Selector(Protocol):
    """Chooses among goals that can all be pursued now."""

    def choose(self, goals: Sequence[Goal], stage: Stage, random: np.random.Generator) -> int:
        """The place of the chosen goal; there are at least two."""


class Scorer(Protocol):
    """How well each of some texts fits an image, as CLIP says."""

    def __call__(self, image: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        """A number for each text, the best-fitting one's is the highest; the image is uint8 (h, w, 3)."""


def parallel(goals: Sequence[Goal], stage: Stage) -> list[int]:
    """Places of those goals of a plan among which a selector may choose; the first goal is always one.

    A goal may be moved to the front if its preconditions hold now and no goal before it gains what it uses
    up: then no other goal of the plan is the worse for it. If the first goal's own preconditions do not hold,
    the plan is broken there, and nothing else is a candidate.
    """
    if not goals or stage.failure(goals[0]):
        return [0][: len(goals)]
    found, gained = [0], set(_gains(stage.library, goals[0]))
    for place, goal in enumerate(goals[1:], 1):
        if gained.isdisjoint(_uses(stage.library, goal)) and not stage.failure(goal):
            found.append(place)
        gained |= _gains(stage.library, goal)
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

    def choose(self, goals: Sequence[Goal], stage: Stage, random: np.random.Generator) -> int:
        """The first one."""
        return 0


class RandomOrder:
    """Any of them."""

    def choose(self, goals: Sequence[Goal], stage: Stage, random: np.random.Generator) -> int:
        """Each one is as likely."""
        return int(random.integers(len(goals)))


class HorizonSelector:
    """Draws from the softmax of minus the predicted horizons (equation 2).

    Horizons are in steps of 50 ms, as in the paper, so that the nearest goal is chosen but for near ties. It
    looks around first, where the predictions come from pictures (one view shows a fifth of what is around),
    and turns to where the chosen goal seems nearest.
    """

    def choose(self, goals: Sequence[Goal], stage: Stage, random: np.random.Generator) -> int:
        """Near goals are likelier."""
        stage.look_around()
        place = int(random.choice(len(goals), p=probabilities(stage.horizon(goals))))
        stage.turn_to(goals[place])
        return place


def probabilities(horizons: np.ndarray) -> np.ndarray:
    """Equation 2: the softmax of minus the horizons."""
    weights = np.exp(horizons.min() - horizons)
    return weights / weights.sum()


class NearestBySimulator:
    """The oracle: the nearest goal as the state of the simulator tells it.

    Args:
        oracle: A ``ScriptedController`` of the same world.
    """

    def __init__(self, oracle: Controller) -> None:
        self._oracle = oracle

    def choose(self, goals: Sequence[Goal], stage: Stage, random: np.random.Generator) -> int:
        """The one with the shortest way and work.

        Raises:
            MnemocraftError: The stage is the text world, which has no distances.
        """
        if not isinstance(stage, WorldStage):
            raise MnemocraftError("The nearest goal can only be known in the overworld or in MineDojo.")
        return int(np.argmin(self._oracle.horizon(stage.observation, goals)))


class ImageText:
    """The goal whose words fit the view best, by a scorer such as CLIP or MineCLIP.

    Args:
        scorer: From an image and texts to numbers; :func:`clip` makes one.
    """

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    def choose(self, goals: Sequence[Goal], stage: Stage, random: np.random.Generator) -> int:
        """The best-fitting one.

        Raises:
            MnemocraftError: There is nothing to see.
        """
        image = stage.frame()
        if image is None:
            raise MnemocraftError("An image-text selector needs images, and the text world has none.")
        texts = [f"{goal.verb} {goal.item.replace('_', ' ')}" for goal in goals]
        return int(np.argmax(self._scorer(image, texts)))


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
    try:
        import torch
        from transformers import CLIPModel, CLIPProcessor
    except ImportError as missing:
        raise MissingExtra(
            f"CLIP needs {missing.name}, which is not installed: pip install 'mnemocraft[finetune]'."
        ) from None
    try:
        model, processor = CLIPModel.from_pretrained(weights), CLIPProcessor.from_pretrained(weights)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise MnemocraftError(f"There is no CLIP model {weights!r}: {reason}") from None

    def score(image: np.ndarray, texts: Sequence[str]) -> np.ndarray:
        with torch.inference_mode():
            inputs = processor(text=list(texts), images=image, return_tensors="pt", padding=True)
            return model(**inputs).logits_per_image[0].numpy()

    return score
