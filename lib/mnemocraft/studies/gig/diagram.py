"""GiG in one picture (the parts of the paper's Figure 2, drawn anew): a graph in a graph, and its use."""

from __future__ import annotations

from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from mnemocraft.figstyle import COLOURS, styled
from mnemocraft.studies import boxes
from mnemocraft.studies.boxes import Point, arrow, say

THINGS: dict[str, Point] = {
    "robot": (2.5, 1.35), "table": (3.3, 1.35), "bread": (3.3, 0.45), "stove": (3.95, 0.95),
    "patty": (2.6, 0.5),
}  # fmt: skip
RELATIONS = (("robot", "table", "at"), ("bread", "table", "on"), ("robot", "patty", "holds"))


@styled
def diagram() -> Figure:
    """One step: observe, encode, look for loops and experiences, look ahead, ask, act."""
    figure = boxes.diagram("gig")
    axes = figure.axes[0]
    axes.plot([7.35, 9.35], [1.25, 1.25], color="0.5", lw=0.7)
    _scene(axes)
    _session(axes)
    for y in (1.45, 1.05, 0.65):  # stored traces; the nearest state is ringed
        axes.plot([5.25 + 0.3 * i for i in range(5)], [y] * 5, "o-", ms=4, lw=0.7, color=COLOURS[2])
    axes.plot(5.85, 1.05, "o", ms=10, mfc="none", mec="0.15", mew=1.1)
    return figure


def _scene(axes: Axes) -> None:
    """Things as nodes, what holds between them as edges."""
    for one, other, relation in RELATIONS:
        (x0, y0), (x1, y1) = THINGS[one], THINGS[other]
        axes.plot([x0, x1], [y0, y1], color="0.35", lw=0.9, zorder=1)
        say(axes, relation, ((x0 + x1) / 2, (y0 + y1) / 2), backgroundcolor="#E1F0FA")
    for name, at in THINGS.items():
        axes.add_patch(Circle(at, 0.22, facecolor="white", edgecolor=COLOURS[0], lw=1.0, zorder=2))
        say(axes, name, at, zorder=3)


def _session(axes: Axes) -> None:
    """States joined by actions, each a small scene graph; the last action leads back."""
    y, places = 3.35, [2.6 + 0.9 * i for i in range(5)]
    for number, x in enumerate(places, 1):
        axes.add_patch(Circle((x, y), 0.24, facecolor="white", edgecolor=COLOURS[0], lw=1.0))
        triangle = ([x - 0.1, x + 0.1, x, x - 0.1], [y + 0.08, y + 0.08, y - 0.1, y + 0.08])
        axes.plot(*triangle, "o-", ms=2, lw=0.6, color="0.4")
        say(axes, f"z{number}", (x, y - 0.38))
    for number, (x, after) in enumerate(pairwise(places), 1):
        arrow(axes, [(x + 0.26, y), (after - 0.26, y)])
        say(axes, f"a{number}", ((x + after) / 2, y + 0.13))
    back = [(places[-1] - 0.1, y + 0.26), (places[1] + 0.1, y + 0.26)]
    arrow(axes, back, bend=0.22, color="#D55E00")
