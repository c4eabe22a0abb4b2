"""How good a reader the surrogate is."""

from dataclasses import dataclass

from mnemocraft.surrogate.chance import chance


@dataclass(frozen=True)
class Competence:
    """The numbers of :mod:`mnemocraft.surrogate` (notebook 00 spells them out) and the seed of the draws."""

    knowledge: float
    attention: float
    slip: float
    seed: int

    def knows(self, belief: str, *draw: object) -> bool:
        """Whether a belief is right; ``draw`` is what that is drawn by."""
        return chance(*draw) < self.knowledge

    def heeds(self, *what: object) -> bool:
        """Whether it takes notice of something in its context."""
        return chance("heeds", self.seed, *what) < self.attention

    def slips(self, *what: object) -> bool:
        """Whether it makes a mistake in writing something."""
        return chance("slips", self.seed, *what) < self.slip
