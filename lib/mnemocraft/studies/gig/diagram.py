"""GiG in one picture (the parts of the paper's Figure 2, drawn anew): a graph in a graph, and its use."""

from __future__ import annotations

from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from mnemocraft.figstyle import COLOURS, styled
from mnemocraft.studies.boxes import Box, Point, arrow, picture, say

LOOP, AHEAD = "#D55E00", COLOURS[3]
BOXES: tuple[Box, ...] = (
    (0.1, 0.4, 1.5, 1.3, "Kitchen", "0.75", "stations, items,\nrobot: as text"),
    (2.1, 0.1, 2.2, 1.9, "Scene graph (inner)", COLOURS[4], ""),
    (2.1, 2.55, 4.6, 1.75, "State-transition graph of the session (outer)", COLOURS[0], ""),
    (5.0, 0.1, 1.7, 1.9, "Experience bank", COLOURS[2], ""),
    (7.2, 0.1, 2.3, 4.2, "Prompt", COLOURS[1], ""),
)
ARROWS = (
    (1.66, 1.05, 2.04, 1.05), (3.2, 2.06, 3.2, 2.49), (4.36, 1.05, 4.94, 1.05), (6.2, 2.49, 6.2, 2.06),
)  # fmt: skip
WORDS = (
    (1.86, 1.2, "parse"), (3.9, 2.28, "GNN: 64 numbers"), (4.65, 1.2, "query $z_t$"),
    (5.75, 2.28, "on success"), (4.4, 4.75, "every valid action and the state it leads to"),
    (4.4, -0.34, "the chosen action"), (4.4, 2.7, "a state that was there before: a loop"),
    (5.85, 0.33, "50 successes and new\nones; nearest within " + r"$\tau = 0.1$"),
)  # fmt: skip
PROMPT = (
    (3.8, "Observation, valid actions, goal", "0.15"),
    (3.25, "Environment simulation:\nstate after each action", "#A0457C"),
    (2.7, "Last summary, progress", "0.15"),
    (2.25, "Loop warning: the path round", LOOP),
    (1.8, "Past experience: goal, action", "#00704F"),
    (0.75, "model: reasoning, action,\nsummary, current progress", "0"),
)
"""What a prompt is made of and answered with: its height, and the colour of where it comes from."""
THINGS: dict[str, Point] = {
    "robot": (2.5, 1.35), "table": (3.3, 1.35), "bread": (3.3, 0.45), "stove": (3.95, 0.95),
    "patty": (2.6, 0.5),
}  # fmt: skip
RELATIONS = (("robot", "table", "at"), ("bread", "table", "on"), ("robot", "patty", "holds"))


@styled
def diagram() -> Figure:
    """One step: observe, encode, look for loops and experiences, look ahead, ask, act."""
    figure, axes = picture(BOXES, ARROWS, WORDS, 3.3)
    for y, text, colour in PROMPT:
        say(axes, text, (8.35, y), color=colour)
    axes.plot([7.35, 9.35], [1.25, 1.25], color="0.5", lw=0.7)
    _inner(axes)
    _outer(axes)
    for row, y in enumerate((1.45, 1.05, 0.65)):  # stored traces; the nearest state is ringed
        axes.plot([5.25 + 0.3 * i for i in range(5)], [y] * 5, "o-", ms=4, lw=0.7, color=COLOURS[2])
        if row == 1:
            axes.plot(5.85, y, "o", ms=10, mfc="none", mec="0.15", mew=1.1)
    for y, colour in ((1.05, COLOURS[2]), (3.3, LOOP)):
        arrow(axes, (6.76, y), (7.12, y), color=colour)
    axes.plot([0.85, 0.85, 8.35], [1.76, 4.62, 4.62], color=AHEAD, lw=1.1)
    arrow(axes, (8.35, 4.64), (8.35, 4.36), color=AHEAD)
    axes.plot([8.35, 8.35, 0.85], [0.04, -0.2, -0.2], color="0.2", lw=1.1)
    arrow(axes, (0.85, -0.22), (0.85, 0.34))
    axes.set_ylim(-0.45, 4.9)
    return figure


def _inner(axes: Axes) -> None:
    """Things as nodes, what holds between them as edges."""
    for one, other, relation in RELATIONS:
        (x0, y0), (x1, y1) = THINGS[one], THINGS[other]
        axes.plot([x0, x1], [y0, y1], color="0.35", lw=0.9, zorder=1)
        say(axes, relation, ((x0 + x1) / 2, (y0 + y1) / 2), fontsize=6, backgroundcolor="#E1F0FA")
    for name, at in THINGS.items():
        axes.add_patch(Circle(at, 0.19, facecolor="white", edgecolor=COLOURS[0], lw=1.0, zorder=2))
        say(axes, name, at, fontsize=6, zorder=3)


def _outer(axes: Axes) -> None:
    """States joined by actions, each a small scene graph; the last action leads back."""
    y, places = 3.35, [2.6 + 0.9 * i for i in range(5)]
    for number, x in enumerate(places, 1):
        axes.add_patch(Circle((x, y), 0.24, facecolor="white", edgecolor=COLOURS[0], lw=1.0))
        triangle = ([x - 0.1, x + 0.1, x, x - 0.1], [y + 0.08, y + 0.08, y - 0.1, y + 0.08])
        axes.plot(*triangle, "o-", ms=2, lw=0.6, color="0.4")
        say(axes, f"$z_{number}$", (x, y - 0.38))
    for number, (x, after) in enumerate(pairwise(places), 1):
        arrow(axes, (x + 0.26, y), (after - 0.26, y))
        say(axes, f"$a_{number}$", ((x + after) / 2, y + 0.13))
    arrow(axes, (places[-1] - 0.1, y + 0.26), (places[1] + 0.1, y + 0.26), bend=0.22, color=LOOP)
