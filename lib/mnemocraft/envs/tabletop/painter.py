"""A picture of the table: places above, what lies on the table below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

from mnemocraft.envs.tabletop.scene import BOX, PYRAMID, SIZES, STANDS, TABLE, place, shape

if TYPE_CHECKING:
    from mnemocraft.envs.tabletop.env import TabletopEnv

Point = tuple[float, float]
INCHES, DPI = (3.2, 2.4), 100
WIDE, HIGH = 8.0, 6.0
"""Of the table, in units of about a block."""
MARKS = {
    "star": "*", "heart": "$\u2665$", "disc": "o", "cross": "P", "hexagon": "h", "arrow": ">",
    "letter L": "$\\mathbf{L}$", "letter T": "$\\mathbf{T}$", "block": "s",
}  # fmt: skip
"""Matplotlib's marker of a shape."""
WOOD = {STANDS[0]: "#e6cfa6", STANDS[1]: "#b98a52", STANDS[2]: "#6e4a22"}
RINGS = dict(zip(SIZES, ("#0072B2", "#E69F00", "#009E73"), strict=True))
PYRAMID_AT = {
    "left base": (2.7, 3.1), "middle base": (4.0, 3.1), "right base": (5.3, 3.1),
    "left step": (3.35, 4.2), "right step": (4.65, 4.2), "top step": (4.0, 5.3),
}  # fmt: skip


def picture(env: TabletopEnv) -> np.ndarray:
    """The table now, uint8 (240, 320, 3)."""
    figure = Figure(figsize=INCHES, dpi=DPI)
    figure.set_layout_engine("none")
    canvas = FigureCanvasAgg(figure)
    draw(env, figure.add_axes((0.0, 0.0, 1.0, 1.0)))
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def draw(env: TabletopEnv, axes: Axes) -> None:
    """Draw the table into axes."""
    axes.set(xlim=(0, WIDE), ylim=(0, HIGH), aspect="equal")
    axes.set_axis_off()
    axes.add_patch(Rectangle((0, 0), WIDE, HIGH, facecolor="#f4efe6", zorder=0))
    spots = _spots(env)
    for name, (x, y) in spots.items():
        _place(axes, name, x, y)
    seen: dict[str, Point] = {}
    for thing in sorted(env.where, key=lambda thing: (env.where[thing] in env.where, _size(thing))):
        seen[thing] = x, y = _at(env, thing, spots, seen)
        _thing(axes, thing, x, y)


def _spots(env: TabletopEnv) -> dict[str, Point]:
    """The middle of every place but the table."""
    names = [name for name in env.scene.places if name != TABLE]
    if names[0] in PYRAMID:
        return dict(PYRAMID_AT)
    return {name: ((n + 0.5) * WIDE / len(names), 4.2) for n, name in enumerate(names)}


def _at(env: TabletopEnv, thing: str, spots: dict[str, Point], seen: dict[str, Point]) -> Point:
    """Where a thing is drawn."""
    where = env.where[thing]
    if where in seen:
        return seen[where][0] + 0.22, seen[where][1] + 0.4
    if where == TABLE:
        things = list(env.where)
        return (things.index(thing) + 0.5) * WIDE / len(things), 1.1
    x, y = spots[where]
    inside = [other for other in env.where if env.where[other] == where]
    if place(where).kind == "stand":
        return x, 3.15 + 0.5 * sorted(inside, key=_size).index(thing)
    if where == BOX:
        return x - 2.0 + inside.index(thing), y
    return x, y


def _size(thing: str) -> int:
    """Largest first, so that rings are drawn from below."""
    word = thing.partition(" ")[0]
    return -SIZES.index(word) if word in SIZES else 0


def _place(axes: Axes, name: str, x: float, y: float) -> None:
    kind, colour = place(name).kind, name.partition(" ")[0]
    if kind == "bowl":
        axes.add_patch(Circle((x, y), 0.85, facecolor=colour, edgecolor="0.2", alpha=0.35, lw=2))
    elif kind == "hole":
        axes.add_patch(Rectangle((x - 0.7, y - 0.7), 1.4, 1.4, facecolor="#d9c7a3", edgecolor="0.4"))
        axes.plot(x, y, marker=MARKS[name.removesuffix(" hole")], ms=17, color="#f4efe6", mec="0.3", mew=0.6)
    elif kind == "stand":
        axes.add_patch(Rectangle((x - 1.15, 2.6), 2.3, 0.3, facecolor=WOOD[name], edgecolor="0.2"))
        axes.add_patch(Rectangle((x - 0.1, 2.9), 0.2, 2.0, facecolor=WOOD[name], edgecolor="0.2"))
    elif kind == "box":
        axes.add_patch(Rectangle((x - 2.7, y - 0.9), 5.4, 1.8, facecolor="#b98a52", edgecolor="0.2", lw=2))
    else:
        axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1.0, 1.0, facecolor="none", edgecolor="0.6", ls=":"))


def _thing(axes: Axes, thing: str, x: float, y: float) -> None:
    word = thing.partition(" ")[0]
    if shape(thing) == "ring":
        half = 0.5 + 0.28 * SIZES.index(word)
        rounded = FancyBboxPatch(
            (x - half, y - 0.2), 2 * half, 0.4, boxstyle="round,pad=0,rounding_size=0.2",
            facecolor=RINGS[word], edgecolor="0.2", zorder=3,
        )  # fmt: skip
        axes.add_patch(rounded)
        return
    axes.plot(x, y, marker=MARKS[shape(thing)], ms=17, color=word, mec="0.2", mew=0.6, zorder=3)
