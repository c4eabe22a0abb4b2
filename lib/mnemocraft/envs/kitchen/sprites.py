"""Shapes of kitchen things, side view, in matplotlib patches: recognisable when small and without colour.

Every shape fills a box ``(x, y, width, height)`` in data units; marks of its state are drawn over it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc, Circle, Ellipse, FancyBboxPatch, Patch, Polygon, Rectangle, Wedge

Box = tuple[float, float, float, float]

INK, ROBOT = "0.15", "#0072B2"
EDGE: dict[str, Any] = {"edgecolor": INK, "linewidth": 0.7}
WATER, METAL, WOOD = "#9CCBEB", "#C9CDD2", "#DDB580"
STATIONS = {"table": "#F0DFC4", "board": "#E7EBD8", "stove": "#B9BCC2", "fryer": "#D8DCE0", "sink": "#DCEAF4"}
"""Ground colour of the stations that have a picture; others are plain grey."""
RAW = {
    "bread": "#F3D9A4",
    "bottombun": "#D9A152",
    "topbun": "#D9A152",
    "lettuce": "#6CB33F",
    "tomato": "#D9412F",
    "onion": "#E6CFE3",
    "cheese": "#FFD23F",
    "patty": "#C98B84",
    "chicken": "#F5C9B5",
    "potato": "#C8A165",
}
DONE = {"patty": "#6B3E26", "chicken": "#C9822B", "potato": "#E8B53A"}
"""Colour once cooked or fried."""


def _soft(box: Box, rounding: float, **style: Any) -> FancyBboxPatch:
    """A rectangle with round corners."""
    x, y, width, height = box
    shape = f"round,pad=0,rounding_size={rounding}"
    return FancyBboxPatch((x, y), width, height, shape, **(EDGE | style))


def _inside(box: Box, left: float, bottom: float, width: float, height: float) -> Box:
    """The part of a box given in fractions of it."""
    x, y, w, h = box
    return x + left * w, y + bottom * h, width * w, height * h


# --- stations


def station(axes: Axes, kind: str, box: Box) -> None:
    """The ground of a station's cell and, in its upper corners, what tells its kind."""
    axes.add_patch(_soft(box, 0.06, facecolor=STATIONS.get(kind, "0.85"), linewidth=1.0))
    if kind in _FURNITURE:
        _FURNITURE[kind](axes, box)


def _stove(axes: Axes, box: Box) -> None:
    x, y, width, height = _inside(box, 0.5, 0.52, 0.8, 0.7)
    for size in (1.0, 0.66, 0.33):
        axes.add_patch(Ellipse((x, y), size * width, size * height, fill=False, edgecolor="#8A2F1B", lw=1.1))


def _board(axes: Axes, box: Box) -> None:
    axes.add_patch(_soft(_inside(box, 0.1, 0.2, 0.8, 0.7), 0.05, facecolor=WOOD))
    x, y, width, height = _inside(box, 0.8, 0.3, 0.1, 0.5)
    blade = [(x, y + 0.4 * height), (x, y + height), (x + width / 2, y + height), (x + width / 2, y)]
    axes.add_patch(Polygon(blade, closed=True, facecolor="white", **EDGE))
    axes.add_patch(Rectangle((x, y), width / 2, 0.4 * height, facecolor=INK))


def _fryer(axes: Axes, box: Box) -> None:
    x, y, width, height = _inside(box, 0.12, 0.2, 0.76, 0.68)
    axes.add_patch(_soft((x, y, width, height), 0.03, facecolor="#F2C14E"))
    for at in np.linspace(0, 1, 7)[1:-1]:
        axes.plot([x + at * width] * 2, [y, y + height], color=INK, lw=0.5)
        axes.plot([x, x + width], [y + at * height] * 2, color=INK, lw=0.5)


def _sink(axes: Axes, box: Box) -> None:
    axes.add_patch(_soft(_inside(box, 0.1, 0.2, 0.8, 0.62), 0.1, facecolor=WATER))
    x, y, width, height = _inside(box, 0.5, 0.82, 0.22, 0.3)
    axes.plot(
        [x - width / 2, x - width / 2, x], [y, y + 0.3 * height, y + 0.3 * height], color="0.35", lw=2.5
    )
    axes.plot([x, x], [y + 0.3 * height, y - 0.15 * height], color="0.35", lw=2.5)


_FURNITURE: dict[str, Callable[[Axes, Box], None]] = {
    "stove": _stove,
    "board": _board,
    "fryer": _fryer,
    "sink": _sink,
}


# --- items


def item(axes: Axes, kind: str, marks: tuple[str, ...], box: Box) -> None:
    """An item of a kind with the marks of its state (cut, cooked, fried, cooking) drawn over it."""
    done = {"cooked", "fried"} & set(marks)
    colour = (DONE if done else RAW).get(kind) or RAW.get(kind, "0.7")
    outline = _outline(kind, box, colour)
    axes.add_patch(outline)
    if "cut" in marks:  # gaps from top to bottom
        _lines(axes, box, outline, 0.0, color="white", lw=2.2)
    if "cooked" in marks:  # dark slanting bars of a grill
        _lines(axes, box, outline, 0.06, color="#2B1508", lw=1.3)
    if "fried" in marks:
        _crumbs(axes, box, outline)
    if kind == "onion":
        _rings(axes, box)
    if kind == "chicken":
        _bone(axes, box)
    if kind in _SPECKS:
        speck, size, places = _SPECKS[kind]
        for u, v in places:
            x, y, width, height = _inside(box, u, v, size, 0.1)
            axes.add_patch(Ellipse((x, y), width, height, facecolor=speck, edgecolor="none"))


def _outline(kind: str, box: Box, colour: str) -> Patch:
    """The shape of an item: one with corners, a round one, or a rectangle with round corners."""
    x, y, width, height = box
    if kind in _CORNERS:
        return _polygon(box, _CORNERS[kind], facecolor=colour)
    if kind in ("tomato", "onion", "potato", "chicken"):
        return Ellipse((x + width / 2, y + height / 2), 0.86 * width, height, facecolor=colour, **EDGE)
    if kind == "bread":
        return _soft(box, 0.04, facecolor=colour, edgecolor="#8A5A22", linewidth=1.6)
    return _soft(box, min(height / 2, 0.06) if kind == "patty" else 0.02, facecolor=colour)


def _polygon(box: Box, corners: np.ndarray, **style: Any) -> Polygon:
    """A polygon whose corners are given in fractions of the box."""
    return Polygon(np.array(box[:2]) + corners * box[2:], closed=True, **(EDGE | style))


def _cup(corners: int, height: float = 1.0) -> np.ndarray:
    """The lower half of an ellipse, from left to right."""
    angle = np.linspace(np.pi, 2 * np.pi, corners)
    return np.stack([(1 + np.cos(angle)) / 2, height * (1 + np.sin(angle))], 1)


def _leaf() -> np.ndarray:
    across = np.linspace(0, 1, 49)
    wave = 0.16 * np.sin(across * 2 * np.pi * 6)
    return np.vstack([np.stack([across, 0.82 + wave], 1), np.stack([across[::-1], 0.18 + wave], 1)])


_TURN = np.linspace(0, np.pi, 24)
_CORNERS = {
    "bottombun": np.vstack([(0, 1), _cup(20, 0.75), (1, 1)]),
    "topbun": np.stack([(1 + np.cos(_TURN)) / 2, np.sin(_TURN) ** 0.7], 1),
    "lettuce": _leaf(),
    "cheese": np.array([(0, 1), (1, 1), (1, 0.45), (0.72, 0.45), (0.56, 0), (0.4, 0.45), (0, 0.45)]),
}
_SPECKS = {
    "topbun": ("white", 0.05, ((0.25, 0.6), (0.42, 0.82), (0.6, 0.82), (0.76, 0.6))),
    "potato": ("#6E4F22", 0.04, ((0.25, 0.55), (0.5, 0.25), (0.72, 0.65))),
}
"""Sesame and eyes: their colour, width and places."""


def _rings(axes: Axes, box: Box) -> None:
    for size in (0.6, 0.3):
        x, y, width, height = _inside(box, 0.5, 0.5, 0.86 * size, size)
        axes.add_patch(Ellipse((x, y), width, height, fill=False, edgecolor="#8E5C86", lw=0.8))


def _bone(axes: Axes, box: Box) -> None:
    x, y, width, height = _inside(box, 0.9, 0.5, 0.16, 0.22)
    axes.add_patch(Rectangle((x - 0.02, y - height / 2), width, height, facecolor="white", **EDGE))
    for sign in (-1, 1):
        axes.add_patch(
            Ellipse((x + width, y + sign * height / 2), height / 2, height, facecolor="white", **EDGE)
        )


def _lines(axes: Axes, box: Box, clip: Patch, slant: float, **style: Any) -> None:
    x, y, width, height = box
    for at in (0.22, 0.42, 0.62, 0.82):
        (line,) = axes.plot([x + (at - slant) * width, x + (at + slant) * width], [y, y + height], **style)
        line.set_clip_path(clip)


def _crumbs(axes: Axes, box: Box, clip: Patch) -> None:
    """Fried: a crust of dots."""
    across, up = np.meshgrid(np.linspace(0.12, 0.88, 9), (0.25, 0.5, 0.75))
    x, y, width, height = box
    (dots,) = axes.plot(x + across.ravel() * width, y + up.ravel() * height, ".", color="#7A4A00", ms=1.8)
    dots.set_clip_path(clip)


# --- containers, robots, timers


def container(axes: Axes, kind: str, box: Box, *, filled: bool, boiling: bool) -> None:
    """A pot (with handles) or bowl, cut open so that the water in it shows; bubbles and steam if it boils."""
    x, y, width, height = box
    shape = _bowl if kind == "bowl" else _pot
    outline = shape(axes, box)
    if filled:
        surface = Rectangle((x, y), width, 0.72 * height, facecolor=WATER, edgecolor="#2F6F9F", lw=0.8)
        axes.add_patch(surface)
        surface.set_clip_path(outline)
    if boiling:
        _boil(axes, box)


def _pot(axes: Axes, box: Box) -> Patch:
    x, y, width, height = box
    for side in (x - 0.06 * width, x + width):
        axes.add_patch(Rectangle((side, y + 0.62 * height), 0.06 * width, 0.2 * height, facecolor=INK))
    outline = _soft(box, 0.05, facecolor=METAL, linewidth=1.1)
    axes.add_patch(outline)
    return outline


def _bowl(axes: Axes, box: Box) -> Patch:
    outline = _polygon(box, _cup(40), facecolor="#F4F1EA", linewidth=1.1)
    axes.add_patch(outline)
    return outline


def _boil(axes: Axes, box: Box) -> None:
    for u, v, size in ((0.2, 0.6, 0.03), (0.42, 0.64, 0.022), (0.6, 0.58, 0.03), (0.82, 0.63, 0.022)):
        x, y, _, _ = _inside(box, u, v, 0, 0)
        axes.add_patch(Circle((x, y), size, facecolor="white", edgecolor="#2F6F9F", lw=0.7))
    steam(axes, _inside(box, 0, 1.02, 1, 0.32))


def steam(axes: Axes, box: Box) -> None:
    """Three wavy lines: something is being heated."""
    x, y, width, height = box
    up = np.linspace(0, 1, 20)
    for at in (0.3, 0.5, 0.7):
        wave = x + at * width + 0.02 * np.sin(2 * np.pi * up)
        axes.plot(wave, y + up * height, color="0.25", lw=1.0)


def clock(axes: Axes, centre: tuple[float, float], done: float, going: bool) -> None:
    """A timer: the filled part of the disc is the part that is done; grey while it stands still."""
    axes.add_patch(Circle(centre, 0.09, facecolor="white", edgecolor=INK, lw=0.8, zorder=6))
    colour = "#D55E00" if going else "0.55"
    axes.add_patch(Wedge(centre, 0.072, 90 - 360 * done, 90, facecolor=colour, zorder=7))


def robot(axes: Axes, centre: tuple[float, float]) -> None:
    """A robot's head, about 0.4 wide and 0.4 high with its aerial."""
    x, y = centre
    axes.plot([x, x], [y + 0.14, y + 0.2], color=INK, lw=1.2)
    axes.add_patch(Circle((x, y + 0.21), 0.03, facecolor="#E69F00", **EDGE))
    axes.add_patch(_soft((x - 0.2, y - 0.14, 0.4, 0.29), 0.07, facecolor=ROBOT))
    for side in (-0.085, 0.085):
        axes.add_patch(Circle((x + side, y + 0.035), 0.042, facecolor="white", edgecolor="none"))
        axes.add_patch(Circle((x + side, y + 0.035), 0.018, facecolor=INK, edgecolor="none"))
    axes.add_patch(Arc((x, y - 0.04), 0.15, 0.08, theta1=180, theta2=360, color="white", lw=1.2))


def hands(axes: Axes, centre: tuple[float, float]) -> None:
    """Two arms that reach up from a robot's head."""
    x, y = centre
    for side in (-1, 1):
        axes.plot([x + side * 0.19, x + side * 0.29], [y, y + 0.26], color=ROBOT, lw=2.4)


def frame(box: Box) -> Patch:
    """What marks the station at which a robot is."""
    return _soft(box, 0.06, fill=False, edgecolor=ROBOT, linewidth=2.4, zorder=4)


def pointer(axes: Axes, middle: tuple[float, float], way: tuple[int, int]) -> None:
    """A triangle on the edge of a robot's cell, towards its station ``way`` (one cell off)."""
    (x, y), (dx, dy) = middle, way
    corners = [(0.52, 0.0), (0.4, 0.1), (0.4, -0.1)]
    shape = [(x + along * dx - across * dy, y + along * dy + across * dx) for along, across in corners]
    axes.add_patch(Polygon(shape, closed=True, facecolor=ROBOT, edgecolor="none", zorder=5))
