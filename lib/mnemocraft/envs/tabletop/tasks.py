"""The five tasks (Table 7) in our own words, and their scenes by seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mnemocraft.envs.tabletop.scene import (
    BOX,
    COLOURS,
    PYRAMID,
    SHAPES,
    SIZES,
    STANDS,
    TABLE,
    Where,
    aims,
)

MAX_STEPS = 15
"""Skills allowed in an episode: k of appendix A.2.1."""


@dataclass(frozen=True)
class Scene:
    """A task's things and places at the beginning.

    Attributes:
        places: Their names, the table first where it can be used.
        start: Where every thing is.
    """

    places: tuple[str, ...]
    start: Where

    def wanted(self, thing: str) -> frozenset[str]:
        """Where a thing shall be in the end: one of these places."""
        return aims(thing, self.places)


@dataclass(frozen=True)
class TabletopTask:
    """A task.

    Attributes:
        label: What Table 7 calls it.
        goal: What is asked for, in words.
        scene: Draws a scene.
    """

    label: str
    goal: str
    scene: Callable[[np.random.Generator], Scene]


def _kits(random: np.random.Generator) -> Scene:
    """Five shapes of any colours, and a kit with a hole for each."""
    shapes = random.choice(SHAPES, 5, replace=False)
    holes = tuple(f"{shape} hole" for shape in random.permutation(shapes))
    return Scene((TABLE, *holes), {f"{random.choice(COLOURS)} {shape}": TABLE for shape in shapes})


def _hanoi(random: np.random.Generator) -> Scene:
    """Three rings on the light stand: seven moves."""
    return Scene(STANDS, {f"{size} ring": STANDS[0] for size in SIZES})


def _bowls(random: np.random.Generator) -> Scene:
    """Three or four blocks, three or four bowls; at least two blocks have a bowl of their colour."""
    blocks = random.choice(COLOURS, random.integers(3, 5), replace=False)
    matched = random.integers(2, len(blocks) + 1)
    others = [colour for colour in COLOURS if colour not in blocks]
    strange = random.choice(others, max(0, int(random.integers(3, 5) - matched)), replace=False)
    bowls = random.permutation([*random.choice(blocks, matched, replace=False), *strange])
    return Scene((TABLE, *(f"{colour} bowl" for colour in bowls)), {f"{c} block": TABLE for c in blocks})


def _packing(random: np.random.Generator) -> Scene:
    """Four or five shapes, of which one or two lie on others, and a box."""
    shapes = random.choice(SHAPES, random.integers(4, 6), replace=False)
    things = [f"{random.choice(COLOURS)} {shape}" for shape in shapes]
    where = dict.fromkeys(things, TABLE)
    for above, below in list(zip(things[::2], things[1::2], strict=False))[: random.integers(1, 3)]:
        where[above] = below
    return Scene((TABLE, BOX), {thing: where[thing] for thing in random.permutation(things).tolist()})


def _pyramid(random: np.random.Generator) -> Scene:
    """Six blocks of different colours, and a stand with room for three rows."""
    blocks = random.choice(COLOURS, 6, replace=False)
    return Scene((TABLE, *PYRAMID), {f"{colour} block": TABLE for colour in blocks})


TASKS = {
    "kits": TabletopTask("Assembling Kits", "put every thing into the hole of its shape", _kits),
    "hanoi": TabletopTask("Towers of Hanoi", "bring all rings to the dark stand", _hanoi),
    "bowls": TabletopTask(
        "Put Block in Bowl", "put every block into the bowl of its colour, if there is one", _bowls
    ),
    "packing": TabletopTask("Packing Shapes", "pack all things into the brown box", _packing),
    "pyramid": TabletopTask("Stack Block Pyramid", "build a pyramid of all blocks", _pyramid),
}
"""By name, in the order of Table 7."""
