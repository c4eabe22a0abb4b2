"""The state-transition graph of an episode so far: states along a winding path, returns across it."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch

from mnemocraft.figstyle import COLOURS

NEW, RETURN, HINT = COLOURS[0], "#D55E00", COLOURS[2]
"""Colours of the current state, of what leads back, and of states with a retrieved experience."""
LEGEND = "orange: back to an earlier state    rings: loop warning (orange), experience shown (green)"
POINTS = 300
"""About the width of the axes."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Walk:
    """The states of an episode in the order of visits.

    Attributes:
        nodes: State at every time, numbered in the order of first visits: 0, 1, 2, 1 went back once.
        warned, hinted: Times at which a loop warning and a past experience were shown.
    """

    nodes: tuple[int, ...]
    warned: frozenset[int] = frozenset()
    hinted: frozenset[int] = frozenset()

    @classmethod
    def of(cls, states: Sequence[Hashable], warned: Collection[int], hinted: Collection[int]) -> Walk:
        """Number the states of an episode."""
        number: dict[Hashable, int] = {}
        nodes = tuple(number.setdefault(state, len(number)) for state in states)
        return cls(nodes, frozenset(warned), frozenset(hinted))

    @property
    def size(self) -> int:
        """Number of different states."""
        return max(self.nodes) + 1

    def returns(self, until: int) -> int:
        """How many of the actions up to a time led to a state that had been there before."""
        seen = self.nodes[: until + 1]
        return len(seen) - len(set(seen))


def draw(axes: Axes, walk: Walk, time: int) -> None:
    """Draw the graph as it is at a time; states keep their places as time goes on."""
    columns = max(5, math.ceil(walk.size**0.5))
    at = [_place(node, columns) for node in range(walk.size)]
    seen = walk.nodes[: time + 1]
    size = 0.4 * POINTS / columns
    for one, other in sorted(set(pairwise(seen))):
        _edge(axes, at[one], at[other], size / 2, straight=other == one + 1, back=other < one)
    for node in sorted(set(seen)):
        rings = [c for c, times in ((RETURN, walk.warned), (HINT, walk.hinted)) if _any(seen, node, times)]
        _node(axes, at[node], str(node), rings, size * (1.4 if node == seen[-1] else 1), now=node == seen[-1])
    rows = math.ceil(walk.size / columns)
    axes.set(xlim=(-0.6, columns - 0.4), ylim=(-rows + 0.4, 0.7), aspect="equal", anchor="N")
    axes.set_axis_off()
    axes.set_title(
        f"states: {len(set(seen))}   actions: {time}   back to an earlier state: {walk.returns(time)}"
    )


def _any(seen: Sequence[int], node: int, times: Collection[int]) -> bool:
    return any(time < len(seen) and seen[time] == node for time in times)


def _place(node: int, columns: int) -> Point:
    """Along rows that turn round at their ends."""
    row, column = divmod(node, columns)
    return float(columns - 1 - column if row % 2 else column), float(-row)


def _edge(axes: Axes, one: Point, other: Point, gap: float, *, straight: bool, back: bool) -> None:
    """An arrow that keeps ``gap`` points from the middle of the discs; for no change a ring on top of one."""
    if one == other:
        axes.add_patch(Circle((one[0], one[1] + 0.27), 0.16, fill=False, edgecolor=RETURN, lw=1.2))
        return
    style: dict[str, Any] = {"arrowstyle": "-|>", "color": RETURN if back else NEW}
    style |= {"connectionstyle": f"arc3,rad={0.0 if straight else 0.3}"}
    axes.add_patch(FancyArrowPatch(one, other, lw=1.1, shrinkA=gap, shrinkB=gap, mutation_scale=8, **style))


def _node(axes: Axes, at: Point, label: str, rings: Sequence[str], size: float, *, now: bool) -> None:
    """A disc of ``size`` points with the number of its state, and rings around it."""
    for extra, colour in enumerate(rings, 1):
        axes.plot(*at, "o", ms=size + 5 * extra, mfc="none", mec=colour, mew=1.8)
    fill, letters = (NEW, "white") if now else ("#E8EEF3", "0.15")
    axes.plot(*at, "o", ms=size, mfc=fill, mec="0.3", mew=0.6)
    axes.text(*at, label, ha="center", va="center", fontsize=min(8.0, 0.5 * size), color=letters)
