"""What minds that believe sentences have in common: which they know, and which are put right."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from mnemocraft.surrogate.competence import Competence


@dataclass(frozen=True)
class Beliefs:
    """A reader with beliefs, for one call.

    Attributes:
        who: Its competence.
        task: The task's or goal's sentence; with the seed it fixes the beliefs.
        moment: What tells this call from others; draws about the call depend on it.
        told: Beliefs that something in the context has put right.
        world: What the beliefs are about, so that two worlds draw apart.
    """

    who: Competence
    task: str
    moment: str
    told: frozenset[str] = frozenset()
    world: ClassVar[str]

    def knows(self, belief: str) -> bool:
        """Whether a belief is right, by itself or because it was told."""
        own = self.who.knows(belief, self.world, self.who.seed, self.task, belief)
        return own or belief in self.told

    def again(self, belief: str) -> bool:
        """Whether thinking again puts a belief right."""
        return self.who.knows(belief, "again", self.who.seed, self.task, belief)

    def heeds(self, *what: object) -> bool:
        """Whether it takes notice of something in this call."""
        return self.who.heeds(self.moment, *what)

    def learns(self, beliefs: Iterable[str]) -> Self:
        """The same with some beliefs put right."""
        return replace(self, told=self.told | frozenset(beliefs))
