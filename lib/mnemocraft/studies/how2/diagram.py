"""How2 in one picture (the roles of the paper's Figure 2, drawn anew)."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from mnemocraft.figstyle import COLOURS, PAGE, styled

BOXES = {
    "table": (0.0, 1.2, "Plancraft\nmove, smelt, impossible"),
    "actor": (2.3, 1.2, "Actor\nthink, read_memory"),
    "memory": (4.6, 1.2, "Memory\nexact key"),
    "relevance": (6.9, 1.2, "Relevance\nusable now?"),
    "parse": (2.3, 0.0, "Parse\nabstract, add tags"),
    "teacher": (4.6, 0.0, "Teacher\none of four"),
    "ask": (6.9, 0.0, "Ask\na how-to question"),
}
"""Centre of each box and its text."""
ARROWS = (
    ("table", "actor", "state", 0.1),
    ("actor", "table", "action", -0.1),
    ("actor", "memory", "query", 0.1),
    ("memory", "relevance", "entries", 0.1),
    ("relevance", "ask", "none is", 0.0),
    ("ask", "teacher", "question", 0.0),
    ("teacher", "parse", "answer", 0.0),
    ("parse", "actor", "new entry,\nstored too", 0.0),
)
WIDTH, HEIGHT = 1.5, 0.55


@styled
def diagram() -> Figure:
    """Boxes for the roles, arrows for what they hand on; a hit goes back along the top, a miss round."""
    figure, axes = plt.subplots(figsize=(PAGE, 2.3))
    for i, (name, (x, y, text)) in enumerate(BOXES.items()):
        role = name in ("relevance", "parse")
        _box(axes, x, y, text, COLOURS[1] if role else COLOURS[4] if i else "0.85")
    for start, end, label, shift in ARROWS:
        _arrow(axes, BOXES[start][:2], BOXES[end][:2], label, shift)
    hit: Any = {"arrowstyle": "->", "connectionstyle": "arc3,rad=0.28", "color": "0.2"}
    top = 1.2 + HEIGHT / 2
    axes.annotate("", (2.3, top), (6.9, top), arrowprops=hit)
    axes.text(4.6, 2.25, "hit: the relevant entries", ha="center", fontsize=7)
    axes.text(
        0.0,
        0.0,
        "orange: only in\nset-ups with this role",
        ha="center",
        va="center",
        fontsize=6.5,
        color="0.3",
    )
    axes.set_xlim(-1, 7.9)
    axes.set_ylim(-0.45, 2.45)
    axes.set_axis_off()
    return figure


def _box(axes: Axes, x: float, y: float, text: str, colour: str) -> None:
    corner = (x - WIDTH / 2, y - HEIGHT / 2)
    style = "round,pad=0.06"
    axes.add_patch(
        FancyBboxPatch(corner, WIDTH, HEIGHT, style, facecolor=colour, alpha=0.45, edgecolor="0.2", lw=0.8)
    )
    name, _, rest = text.partition("\n")
    axes.text(x, y + 0.13, name, ha="center", va="center", weight="bold")
    axes.text(x, y - 0.15, rest, ha="center", va="center", fontsize=6.5)


def _arrow(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], label: str, shift: float
) -> None:
    """A straight arrow between the edges of two boxes; ``shift`` moves it up, to make room for another."""
    (x0, y0), (x1, y1) = start, end
    if y0 == y1:
        sign = 1 if x1 > x0 else -1
        tail, head = (x0 + sign * 0.82, y0 + shift), (x1 - sign * 0.82, y1 + shift)
    else:
        sign = 1 if y1 > y0 else -1
        tail, head = (x0, y0 + sign * 0.35), (x1, y1 - sign * 0.35)
    axes.annotate("", head, tail, arrowprops={"arrowstyle": "->", "color": "0.2"})
    middle = ((tail[0] + head[0]) / 2, (tail[1] + head[1]) / 2)
    offset = (0.08, 0.0) if x0 == x1 else (0.0, 0.11 if shift >= 0 else -0.13)
    place = "left" if x0 == x1 else "center"
    axes.text(middle[0] + offset[0], middle[1] + offset[1], label, ha=place, va="center", fontsize=6.5)
