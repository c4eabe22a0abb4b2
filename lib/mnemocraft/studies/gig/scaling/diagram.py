"""What the agents of notebook 08 attend to, as a schematic."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.costs import Lengths
from mnemocraft.figstyle import COLOURS, PAGE, stamp, styled

DIAGRAM = Lengths(11, 18, 12, 2)
"""Lengths in the schematic, which has no scale."""


@styled
def diagram() -> Figure:
    """Bars, one a step: what is read from the cache and what is read or written anew, for both agents."""
    figure, grid = plt.subplots(2, 1, figsize=(PAGE, 3.2), sharey=True, sharex=True)
    s, o, r, e = DIAGRAM
    for k in range(1, 5):
        earlier, carried = [("earlier steps", o + r)] * (k - 1), [("last output", r)] * (k > 1)
        _strip(grid[0], k, [("system", s), *earlier, ("observation", o), ("output", r)])
        _strip(grid[1], k, [("system", s), *carried, ("observation and lookahead", e * o), ("output", r)])
    grid[0].set_title("ReAct, ReCAP: one conversation, kept in the cache", loc="left")
    grid[1].set_title("GiG: the present state, its successors, the last output", loc="left")
    grid[0].invert_yaxis()
    for axes in grid:
        axes.set_xticks([])
        axes.set_yticks(range(1, 5), [f"step {k}" for k in range(1, 5)])
        axes.spines[["bottom", "left"]].set_visible(False)
        axes.tick_params(length=0)
    stamp(figure, "Grey: attended to, but in the cache. Blue: read anew. Orange, hatched: written. No scale.")
    return figure


def _strip(axes: Axes, row: int, parts: Sequence[tuple[str, float]]) -> None:
    """One step as a row of boxes, from left to right; the first step has nothing in the cache."""
    left = 0.0
    for name, width in parts:
        cached = row > 1 and name in ("system", "earlier steps", "last output")
        style = figstyle.bar(1) if name == "output" else {"color": "0.85" if cached else COLOURS[4]}
        axes.barh(row, width, 0.85, left, **(style | {"edgecolor": "0.15", "linewidth": 0.5}))
        if row == 2:
            box = {"facecolor": COLOURS[1], "edgecolor": "none", "pad": 1} if name == "output" else None
            axes.text(left + width / 2, row, name, ha="center", va="center", bbox=box)
        left += width
