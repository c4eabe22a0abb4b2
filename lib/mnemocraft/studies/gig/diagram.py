"""GiG in one picture (the parts of the paper's Figure 2, drawn anew): a graph in a graph, and its use."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch

from mnemocraft.figstyle import COLOURS, PAGE, styled

Point = tuple[float, float]

BOXES = {
    "kitchen": (0.1, 0.4, 1.5, 1.3, "Kitchen", "0.85"),
    "inner": (2.1, 0.1, 2.2, 1.9, "Scene graph (inner)", COLOURS[4]),
    "outer": (2.1, 2.55, 4.6, 1.75, "State-transition graph of the session (outer)", COLOURS[0]),
    "bank": (5.0, 0.1, 1.7, 1.9, "Experience bank", COLOURS[2]),
    "prompt": (7.2, 0.1, 2.3, 4.2, "Prompt", COLOURS[1]),
}
"""Left, bottom, width, height, title and colour of each box."""
THINGS: dict[str, Point] = {
    "robot": (2.5, 1.35),
    "table": (3.3, 1.35),
    "bread": (3.3, 0.45),
    "stove": (3.95, 0.95),
    "patty": (2.6, 0.5),
}
RELATIONS = (("robot", "table", "at"), ("bread", "table", "on"), ("robot", "patty", "holds"))
STATES: tuple[Point, ...] = tuple((2.6 + 0.9 * i, 3.35) for i in range(5))
PARTS = (
    ("Observation, valid actions, goal", "0.15"),
    ("Environment simulation:\nstate after each action", "#A0457C"),
    ("Last summary, progress", "0.15"),
    ("Loop warning: the path round", "#D55E00"),
    ("Past experience: goal, action", "#00704F"),
)
"""What a prompt is made of, and the colour of where it comes from."""


@styled
def diagram() -> Figure:
    """One step: observe, encode, look for loops and experiences, look ahead, ask, act."""
    figure, axes = plt.subplots(figsize=(PAGE, 3.3))
    for box in BOXES.values():
        _box(axes, *box)
    _inner(axes)
    _outer(axes)
    _bank(axes)
    _prompt(axes)
    _flow(axes)
    axes.set(xlim=(0, 9.6), ylim=(-0.45, 4.9))
    axes.set_axis_off()
    return figure


def _box(axes: Axes, x: float, y: float, width: float, height: float, title: str, colour: str) -> None:
    shape = "round,pad=0.04,rounding_size=0.1"
    style: dict[str, Any] = {"edgecolor": "0.2", "lw": 0.8}
    axes.add_patch(FancyBboxPatch((x, y), width, height, shape, facecolor="white", **style))
    axes.add_patch(FancyBboxPatch((x, y), width, height, shape, facecolor=colour, alpha=0.18, **style))
    _say(axes, title, (x + width / 2, y + height - 0.14), weight="bold", size=7)


def _say(axes: Axes, text: str, at: Point, size: float = 6.2, **style: Any) -> None:
    look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size, "linespacing": 1.1}
    axes.text(*at, text, **(look | style))


def _arrow(axes: Axes, start: Point, end: Point, bend: float = 0.0, colour: str = "0.2") -> None:
    style = {"arrowstyle": "-|>", "connectionstyle": f"arc3,rad={bend}", "color": colour, "lw": 1.1}
    axes.annotate("", end, start, arrowprops=style)


def _inner(axes: Axes) -> None:
    """Things as nodes, what holds between them as edges."""
    for one, other, relation in RELATIONS:
        (x0, y0), (x1, y1) = THINGS[one], THINGS[other]
        axes.plot([x0, x1], [y0, y1], color="0.35", lw=0.9, zorder=1)
        _say(axes, relation, ((x0 + x1) / 2, (y0 + y1) / 2), 6, backgroundcolor="#E1F0FA")
    for name, at in THINGS.items():
        axes.add_patch(Circle(at, 0.19, facecolor="white", edgecolor=COLOURS[0], lw=1.0, zorder=2))
        _say(axes, name, at, 6, zorder=3)


def _outer(axes: Axes) -> None:
    """States joined by actions, each a small scene graph; the last action leads back."""
    for index, (x, y) in enumerate(STATES):
        axes.add_patch(Circle((x, y), 0.24, facecolor="white", edgecolor=COLOURS[0], lw=1.0))
        dots = ((-0.1, 0.08), (0.1, 0.08), (0.0, -0.1))
        axes.plot(
            *zip(*(((x + a), (y + b)) for a, b in (*dots, dots[0])), strict=True),
            "o-",
            ms=2,
            lw=0.6,
            color="0.4",
        )
        _say(axes, f"$z_{index + 1}$", (x, y - 0.38))
        if index:
            _arrow(axes, (STATES[index - 1][0] + 0.26, y), (x - 0.26, y))
            _say(axes, f"$a_{index}$", ((STATES[index - 1][0] + x) / 2, y + 0.13))
    (x, y), (back, _) = STATES[-1], STATES[1]
    _arrow(axes, (x - 0.1, y + 0.26), (back + 0.1, y + 0.26), 0.22, "#D55E00")
    _say(axes, "a state that was there before: a loop", (4.4, 2.7), color="#B34700")


def _bank(axes: Axes) -> None:
    """Successful trajectories as rows of embeddings; the nearest state within the threshold is ringed."""
    for row, y in enumerate((1.45, 1.05, 0.65)):
        xs = [5.25 + 0.3 * i for i in range(5)]
        axes.plot(xs, [y] * 5, "o-", ms=4, lw=0.7, color=COLOURS[2])
        if row == 1:
            axes.plot(xs[2], y, "o", ms=10, mfc="none", mec="0.15", mew=1.1)
    _say(axes, "50 successes and new ones;\nnearest state within " + r"$\tau = 0.1$", (5.85, 0.31), 6)


def _prompt(axes: Axes) -> None:
    y = 3.8
    for text, colour in PARTS:
        lines = text.count("\n") + 1
        y -= 0.1 * (lines - 1)
        _say(axes, text, (8.35, y), color=colour)
        y -= 0.45 + 0.1 * (lines - 1)
    _say(axes, "model: reasoning, action,\nsummary, current progress", (8.35, 0.75), weight="bold")
    axes.plot([7.35, 9.35], [1.25, 1.25], color="0.5", lw=0.7)


def _flow(axes: Axes) -> None:
    """What is handed on between the boxes."""
    _say(axes, "stations, items,\nrobot: as text", (0.85, 0.95))
    _arrow(axes, (1.66, 1.05), (2.04, 1.05))
    _say(axes, "parse", (1.86, 1.2), 6)
    _arrow(axes, (3.2, 2.06), (3.2, 2.49))
    _say(axes, "GNN: 64 numbers", (3.9, 2.28), 6)
    _arrow(axes, (4.36, 1.05), (4.94, 1.05))
    _say(axes, "query $z_t$", (4.65, 1.2), 6)
    _arrow(axes, (6.76, 1.05), (7.12, 1.05), colour=COLOURS[2])
    _arrow(axes, (6.76, 3.3), (7.12, 3.3), colour="#D55E00")
    _arrow(axes, (6.2, 2.49), (6.2, 2.06), colour="0.45")
    _say(axes, "on success", (5.75, 2.28), 6, color="0.35")
    axes.plot([0.85, 0.85, 8.35], [1.76, 4.62, 4.62], color=COLOURS[3], lw=1.1)
    _arrow(axes, (8.35, 4.64), (8.35, 4.36), colour=COLOURS[3])
    _say(axes, "every valid action and the state it leads to", (4.4, 4.75), color="#A0457C")
    axes.plot([8.35, 8.35, 0.85], [0.04, -0.2, -0.2], color="0.2", lw=1.1)
    _arrow(axes, (0.85, -0.22), (0.85, 0.34))
    _say(axes, "the chosen action", (4.4, -0.34))
