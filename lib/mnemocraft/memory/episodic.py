"""The episodic memory of M2PA (section 2.2.4, equations 2 and 3, appendix A.4).

A memory is a plan that worked, and where: goal, scene, plan, inventory, biome, and a time that only counts.
Two situations are compared element by element; the similarity of their contexts is the mean of these cosines
with :data:`WEIGHTS`, and that of the situations is ``alpha * context + (1 - alpha) * image``. It stands for
the similarity of equation 2, which adds the vectors themselves; those of ada-002 and MineCLIP, the paper's,
lie in spaces of their own and cannot be added. Where one of two has no picture, alpha is 1.

The paper retrieves what has the greatest similarity (equation 2), but asks for a *score below* 0.05 (appendix
A.4.2), which only makes sense for a distance. Here a hit is nearer than ``threshold`` in the distance
``1 - similarity``; the similarity of equation 3 is compared with ``merge_threshold``. The paper then takes
the most recent hit as the initial plan; here the three nearest hits are told, the most recent of them first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import fsum, sqrt
from typing import NamedTuple

import numpy as np

from mnemocraft.bounded import whole
from mnemocraft.encoders import Floats, get_encoder, get_image_encoder
from mnemocraft.errors import MnemocraftError
from mnemocraft.memory.experience import LONGEST
from mnemocraft.memory.session import BadEmbedding, checked

ALPHA, THRESHOLD, CAPACITY = 0.7, 0.05, 300
"""Weight of the context beside the picture (the paper prints none), distance below which a memory is a hit,
memories kept (section 3.4.3)."""
MERGE_THRESHOLD, PER_TASK, PERIOD, MERGED = 0.98, 10, 50, 3
"""Equation 3's theta and delta, new memories between two consolidations (none of the three is printed), and
how many memories one consolidation merges (appendix A.4.3)."""
ROUNDING = 1e-6
"""How far from 1 the length of a unit vector may be."""
WEIGHTS = {"goal": 0.8, "situation": 0.15, "biome": 0.05}
"""Of the context's elements; the paper has a weighted mean without its weights. With them a memory of another
goal is hardly ever a hit, and one of the same goal is where what is held is much the same."""


@dataclass(frozen=True)
class Situation:
    """Where a plan was made, or would be.

    Attributes:
        goal: In words.
        scene: What is there as text, where nothing is held in numbers.
        inventory: Units by item.
        biome: Its name, or empty.
        image: Unit vector of what is seen, or None.
    """

    goal: str
    scene: str = ""
    inventory: Mapping[str, int] = field(default_factory=dict)
    biome: str = ""
    image: Floats | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Remembered:
    """A memory: the situation, the plan that worked in it, and when; ``time`` counts memories."""

    situation: Situation
    plan: str
    time: int


class Recalled(NamedTuple):
    """A memory and its distance from what was asked."""

    distance: float
    memory: Remembered


class EpisodicMemory:
    """Plans that worked, recalled by similarity of the situation and then by recency.

    Args:
        alpha: Weight of the context, 0 to 1; the rest is the picture's.
        threshold: Hits are nearer than this.
        capacity: Memories kept at most.
        merge_threshold: Memories of one goal that are more similar than this are one: the new one replaces
            the old (equation 3's theta).
        per_task: Memories of one goal that stay after a consolidation (equation 3's delta).
        period: New memories between two consolidations.
        encoder: Of texts, see :mod:`mnemocraft.encoders`.
        images: Of pictures, likewise.

    Raises:
        MnemocraftError: A number is out of bounds.
    """

    def __init__(
        self,
        alpha: float = ALPHA,
        threshold: float = THRESHOLD,
        capacity: int = CAPACITY,
        merge_threshold: float = MERGE_THRESHOLD,
        per_task: int = PER_TASK,
        period: int = PERIOD,
        encoder: str = "minilm",
        images: str = "controller",
    ) -> None:
        for name, share in (("alpha", alpha), ("merge_threshold", merge_threshold)):
            if not isinstance(share, int | float) or not 0 <= share <= 1:
                raise MnemocraftError(f"{name} must be from 0 to 1, not {share!r}.")
        if not isinstance(threshold, int | float) or not threshold > 0:
            raise MnemocraftError(f"threshold must be above 0, not {threshold!r}.")
        self.alpha, self.threshold, self.merge_threshold = alpha, threshold, merge_threshold
        self.capacity, self.per_task = whole(capacity, "capacity", 1), whole(per_task, "per_task", 1)
        self.period = whole(period, "period", 1)
        self.encoder, self.images = encoder, images
        self.memories: list[Remembered] = []
        self.time = 0

    def situation(
        self,
        goal: str,
        scene: str = "",
        inventory: Mapping[str, int] | None = None,
        biome: str = "",
        image: np.ndarray | None = None,
    ) -> Situation:
        """A situation as it is compared; ``image`` is a picture (uint8) or its features (anything else)."""
        features = None
        if isinstance(image, np.ndarray) and image.dtype == np.uint8:
            features = get_image_encoder(self.images).encode([image])[0]
        elif image is not None:
            features = self._unit(checked(image, 1, None))
        held = {item: int(units) for item, units in (inventory or {}).items() if units > 0}
        return Situation(goal, scene, held, biome, features)

    def add(
        self,
        goal: str,
        scene: str = "",
        plan: str = "",
        inventory: Mapping[str, int] | None = None,
        biome: str = "",
        image: np.ndarray | None = None,
    ) -> Remembered:
        """Remember a plan that worked; what is in excess after that is merged or forgotten (equation 3).

        Args:
            goal: What the plan was for.
            scene: What was there as text, which counts where nothing is held.
            plan: What was done.
            inventory: Units by item before it.
            biome: Where.
            image: What was seen: a picture (uint8), or its features (any other numbers).

        Raises:
            MnemocraftError: The goal or the plan is empty, or a text is too long; nothing is kept then.
        """
        if not goal.strip() or not plan.strip():
            raise MnemocraftError("A memory needs a goal and a plan.")
        for name, text in (("goal", goal), ("scene", scene), ("plan", plan)):
            if len(text) > LONGEST:
                raise MnemocraftError(
                    f"The {name} of a memory has {len(text):,} characters; at most {LONGEST:,} are kept."
                )
        self.time += 1
        new = Remembered(self.situation(goal, scene, inventory, biome, image), plan, self.time)
        self.memories = [old for old in self.memories if not self._same(old, new)]  # real-time update
        self.memories.append(new)
        if self.time % self.period == 0:
            self.consolidate()
        while len(self.memories) > self.capacity:
            goals = [each.situation.goal for each in self.memories]
            fullest = max(goals, key=goals.count)
            if goals.count(fullest) > 1:
                self._merge(fullest)
            else:
                self.memories.remove(min(self.memories, key=lambda each: each.time))  # one of each goal
        return new

    def retrieve(
        self,
        goal: str,
        scene: str = "",
        inventory: Mapping[str, int] | None = None,
        biome: str = "",
        image: np.ndarray | None = None,
        k: int = 3,
    ) -> list[Recalled]:
        """The k nearest memories that are nearer than the threshold, the most recent first."""
        asked = self.situation(goal, scene, inventory, biome, image)
        found = [Recalled(self.distance(asked, each.situation), each) for each in self.memories]
        hits = sorted((hit for hit in found if hit.distance < self.threshold), key=lambda hit: hit.distance)
        return sorted(hits[:k], key=lambda hit: -hit.memory.time)

    def consolidate(self) -> None:
        """Periodic update: the three most similar memories of a goal become their most recent one, until no
        goal has more than ``per_task``."""
        for goal in dict.fromkeys(each.situation.goal for each in self.memories):
            while sum(each.situation.goal == goal for each in self.memories) > self.per_task:
                self._merge(goal)

    def distance(self, one: Situation, other: Situation) -> float:
        """1 - similarity, from 0 on, with six decimals.

        The same goal with the same things in another biome is exactly :data:`THRESHOLD` away: the last digits
        of an encoder, which differ from processor to processor, must not decide whether that is a hit.
        """
        goals = get_encoder(self.encoder).encode([one.goal, other.goal])
        context = (
            WEIGHTS["goal"] * float(goals[0] @ goals[1])
            + WEIGHTS["situation"] * self._situations(one, other)
            + WEIGHTS["biome"] * (one.biome == other.biome)
        )
        if one.image is None or other.image is None:
            return max(0.0, round(1 - context, 6))
        picture = float(one.image @ other.image)
        return max(0.0, round(1 - self.alpha * context - (1 - self.alpha) * picture, 6))

    def __len__(self) -> int:
        """Number of memories."""
        return len(self.memories)

    def _unit(self, features: Floats) -> Floats:
        """Features of length 1; what has it but for rounding is left as it is.

        Raises:
            BadEmbedding: They are all 0, or others are remembered of another size.
        """
        sizes = {each.situation.image.size for each in self.memories if each.situation.image is not None}
        length = float(np.linalg.norm(features))
        if not length or not sizes <= {features.size}:
            wanted = f"{sizes.pop()} numbers" if sizes else "numbers"
            raise BadEmbedding(f"The features of a picture must be {wanted} that are not all 0.")
        return features if abs(length - 1) < ROUNDING else features / length

    def _situations(self, one: Situation, other: Situation) -> float:
        """Similarity of what is there: of inventories where one has any, else of scenes."""
        if one.inventory or other.inventory:
            return _overlap(one.inventory, other.inventory)
        if not one.scene or not other.scene:
            return float(one.scene == other.scene)
        scenes = get_encoder(self.encoder).encode([one.scene, other.scene])
        return float(scenes[0] @ scenes[1])

    def _same(self, old: Remembered, new: Remembered) -> bool:
        one, other = old.situation, new.situation
        return one.goal == other.goal and 1 - self.distance(one, other) > self.merge_threshold

    def _merge(self, goal: str) -> None:
        """Keep the most recent of the three most similar memories of a goal (of two: of these).

        They are one memory and the two nearest to it, whose similarities have the greatest sum.
        """
        own = [each for each in self.memories if each.situation.goal == goal]
        apart = np.array([[self.distance(a.situation, b.situation) for b in own] for a in own])
        nearest = np.argsort(apart + np.where(np.eye(len(own)), -1, 0), axis=1, kind="stable")[:, :MERGED]
        sums = np.take_along_axis(apart, nearest, axis=1).sum(1)
        chosen = sorted((own[place] for place in nearest[int(sums.argmin())]), key=lambda each: each.time)
        self.memories = [each for each in self.memories if not any(each is gone for gone in chosen[:-1])]


def _overlap(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """Cosine of two inventories by the roots of their units."""
    common = fsum(sqrt(units * other[item]) for item, units in one.items() if item in other)
    return common / sqrt(sum(one.values()) * sum(other.values())) if common else 0.0
