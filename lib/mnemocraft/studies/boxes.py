"""Diagrams at the head of a notebook: boxes, arrows and words, declared in ``diagrams/<name>.toml``.

``boxes`` are left, bottom, width, height, title, colour and what is in it; ``arrows`` go along ``points``;
``words`` are x, y, text and, if it is not black, colour. 9.6 units are the width of a page.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from mnemocraft.figstyle import COLOURS, MIN_FONT, PAGE, stamp, styled

Point = tuple[float, float]
NAMED = dict(zip(("blue", "orange", "green", "pink", "sky"), COLOURS, strict=False))


@styled
def diagram(name: str) -> Figure:
    """A diagram by its name: ``how2``, ``deps``, ``selector``, ``gig`` (its frame), ``minecraft`` ...."""
    text = files("mnemocraft.studies").joinpath(f"diagrams/{name}.toml").read_text(encoding="utf-8")
    drawn = tomllib.loads(text)
    figure, axes = plt.subplots(figsize=(PAGE, drawn["high"]))
    for each in drawn["boxes"]:
        _box(axes, *each)
    for each in drawn["arrows"]:
        arrow(axes, **each)
    for x, y, word, *colour in drawn["words"]:
        say(axes, word, (x, y), color=colour[0] if colour else "black")
    axes.set(xlim=(0, 9.6), ylim=drawn["y"])
    axes.set_axis_off()
    if "note" in drawn:
        stamp(figure, drawn["note"])
    return figure


def _box(
    axes: Axes, x: float, y: float, wide: float, high: float, title: str, colour: str, text: str
) -> None:
    style: dict[str, Any] = {"boxstyle": "round,pad=0.04,rounding_size=0.1", "edgecolor": "0.2", "lw": 0.8}
    fill = NAMED.get(colour, colour)
    axes.add_patch(FancyBboxPatch((x, y), wide, high, facecolor="white", **style))
    axes.add_patch(FancyBboxPatch((x, y), wide, high, facecolor=fill, alpha=0.18, **style))
    say(axes, title, (x + wide / 2, y + high - 0.17), weight="bold", fontsize=7.5)
    say(axes, text, (x + wide / 2, y + (high - 0.3) / 2))


def say(axes: Axes, text: str, at: Point, **style: Any) -> None:
    """Small words in the middle of a point."""
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": MIN_FONT, "linespacing": 1.2}
    axes.text(*at, text, **(look | style))


def arrow(
    axes: Axes, points: Sequence[Point], style: str = "-|>", bend: float = 0, color: str = "0.2"
) -> None:
    """An arrow along points; ``style`` is Matplotlib's, ``bend`` how far its end bows out, as a share."""
    axes.plot(*zip(*points[:-1], strict=True), color=color, lw=1.0)
    shape = {"arrowstyle": style, "connectionstyle": f"arc3,rad={bend}", "color": color, "lw": 1.0}
    axes.annotate("", points[-1], points[-2], arrowprops=shape | {"shrinkA": 0, "shrinkB": 0})
