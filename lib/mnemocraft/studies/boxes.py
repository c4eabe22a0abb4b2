"""Diagrams at the head of a notebook, declared as data: boxes, arrows between them, words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from mnemocraft.figstyle import PAGE

Point = tuple[float, float]
Box = tuple[float, float, float, float, str, str, str]
"""Left, bottom, width, height, title, colour and what is in it."""
Arrow = tuple[float, float, float, float]
"""From x, y to x, y."""


def picture(
    boxes: Iterable[Box], arrows: Iterable[Arrow], words: Iterable[tuple[float, float, str]], high: float
) -> tuple[Figure, Axes]:
    """Boxes, arrows and words (at x, y) in a figure ``high`` inches high; 9.6 units are its width."""
    figure, axes = plt.subplots(figsize=(PAGE, high))
    for each in boxes:
        box(axes, *each)
    for x, y, to_x, to_y in arrows:
        arrow(axes, (x, y), (to_x, to_y))
    for x, y, text in words:
        say(axes, text, (x, y))
    axes.set_xlim(0, 9.6)
    axes.set_axis_off()
    return figure, axes


def box(axes: Axes, x: float, y: float, wide: float, high: float, title: str, colour: str, text: str) -> None:
    """A box with a title and what is in it; ``x``, ``y`` is its lower left corner."""
    style: dict[str, Any] = {"boxstyle": "round,pad=0.04,rounding_size=0.1", "edgecolor": "0.2", "lw": 0.8}
    axes.add_patch(FancyBboxPatch((x, y), wide, high, facecolor="white", **style))
    axes.add_patch(FancyBboxPatch((x, y), wide, high, facecolor=colour, alpha=0.18, **style))
    say(axes, title, (x + wide / 2, y + high - 0.17), weight="bold", fontsize=7.5)
    say(axes, text, (x + wide / 2, y + (high - 0.3) / 2))


def say(axes: Axes, text: str, at: Point, **style: Any) -> None:
    """Small words in the middle of a point."""
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 6.5, "linespacing": 1.2}
    axes.text(*at, text, **(look | style))


def arrow(axes: Axes, start: Point, end: Point, style: str = "-|>", bend: float = 0, **look: Any) -> None:
    """An arrow; ``style`` is Matplotlib's, ``bend`` how far it bows out, as a share of its length."""
    shape = {"arrowstyle": style, "connectionstyle": f"arc3,rad={bend}", "color": "0.2", "lw": 1.0}
    axes.annotate("", end, start, arrowprops=shape | look)
