"""What the small model was shown of the kitchen: half of the dishes, a fixed random half of either mode."""

from __future__ import annotations

from functools import cache

from mnemocraft.studies.gig.load import MODES, tasks
from mnemocraft.studies.small_player import half


@cache
def known_dishes() -> frozenset[str]:
    """Tasks that are shown made from memory; of the others only what an experience in the prompt did."""
    return frozenset().union(*(half(tasks(mode)[0], tasks(mode)) for mode in MODES))
