"""A picture of one moment of an episode: the plan with its marks, the inventory, and the view, if any."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill, shorten

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mnemocraft.envs.kitchen import painter
from mnemocraft.figstyle import COLOURS, styled

DONE, FAILED, LATER = "done", "failed", "later"
MARKS = {DONE: ("✓", COLOURS[2]), FAILED: ("✗", "#D55E00"), LATER: ("·", "0.5")}
"""Sign and colour of a step, by how it stands."""
LINES = 13
"""Lines of a plan that are shown."""

Step = tuple[str, str]
"""A line, and how it stands."""


@styled
def card(
    title: str, steps: Sequence[Step], inventory: Sequence[str], view: np.ndarray | None, note: str = ""
) -> np.ndarray:
    """The plan on the left with a note below it, the inventory and the view on the right; uint8 RGB.

    Args:
        title: Above the plan.
        steps: The plan, one line a step.
        inventory: One line an item.
        view: What the agent sees; None where there is nothing to see.
        note: What was said, such as why a step failed; its end is cut off where there is no room.
    """
    figure = Figure(figsize=(9.0, 3.3), dpi=100)
    figure.set_layout_engine("none")
    _plan(figure.add_axes((0.02, 0.2, 0.6, 0.7)), steps)
    words = fill(shorten(note, 270, placeholder=" ..."), 90)
    figure.text(0.02, 0.17, words, fontsize=7.2, va="top", style="italic", color="0.2", parse_math=False)
    figure.text(0.02, 0.95, title, fontsize=9, weight="bold", va="center", parse_math=False)
    right = figure.add_axes((0.66, 0.02, 0.32, 0.36 if view is not None else 0.88))
    _column(right, "Inventory", list(inventory) or ["nothing"])
    if view is not None:
        seen = figure.add_axes((0.66, 0.4, 0.32, 0.52))
        seen.imshow(view)
        seen.set_axis_off()
    return painter.pixels(figure)


def _plan(axes: Axes, steps: Sequence[Step]) -> None:
    """A line a step; of a long plan those around the one that is being done."""
    axes.set_axis_off()
    axes.set(xlim=(0, 1), ylim=(LINES, -0.5))
    at = max((place for place, (_, state) in enumerate(steps) if state != LATER), default=0)
    first = max(0, min(at - LINES // 2, len(steps) - LINES))
    for row, (line, state) in enumerate(steps[first : first + LINES]):
        sign, colour = MARKS[state]
        axes.text(0.0, row, sign, fontsize=8, color=colour, va="center", family="DejaVu Sans")
        text = shorten(f"{first + row + 1}. {line}", 84, placeholder=" ...")
        weight = "bold" if state == FAILED else "normal"
        axes.text(0.035, row, text, fontsize=7.6, color=colour, va="center", weight=weight, parse_math=False)
    if not steps:
        axes.text(0.0, 0, "no plan yet", fontsize=8, color="0.5", va="center")


def _column(axes: Axes, title: str, lines: Sequence[str]) -> None:
    axes.set_axis_off()
    rows = 7 if axes.get_position().height < 0.5 else 16
    axes.set(xlim=(0, 1), ylim=(rows, -0.5))
    axes.text(0, 0, title, fontsize=8, weight="bold", va="center")
    for row, line in enumerate(lines[: 2 * (rows - 1)]):
        axes.text(
            0.5 * (row // (rows - 1)), 1 + row % (rows - 1), line, fontsize=7, va="center", parse_math=False
        )
