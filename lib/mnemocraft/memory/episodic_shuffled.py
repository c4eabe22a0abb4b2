"""The control of M2PA's memory: as many hits as it has, of wrong content."""

from __future__ import annotations

from mnemocraft.memory.controls import exchanged
from mnemocraft.memory.episodes import Episodic, _told
from mnemocraft.memory.interface import Cue, Hit


class ShuffledEpisodic(Episodic):
    """Keeps what ``episodic`` keeps; each hit gives way to a memory of another goal, the nearest in length.

    Each of those is used once. While there are not enough of them, a hit's own words come from back to front.
    """

    def recall(self, cue: Cue) -> list[Hit]:
        """Memories of other goals, as many and scored as the right ones."""
        asked = cue.query or cue.goal
        others = [_told(each) for each in self.store.memories if each.situation.goal != asked]
        return exchanged(super().recall(cue), others, reversed, "episodic_shuffled")
