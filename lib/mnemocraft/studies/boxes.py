"""Boxes and arrows, for the diagrams at the head of a notebook."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

Point = tuple[float, float]


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


def arrow(axes: Axes, start: Point, end: Point, style: str = "-|>") -> None:
    """An arrow; ``style`` is Matplotlib's."""
    axes.annotate("", end, start, arrowprops={"arrowstyle": style, "color": "0.2", "lw": 1.0})
