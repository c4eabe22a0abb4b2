"""How2 in one picture (the roles of the paper's Figure 2, drawn anew)."""

from __future__ import annotations

from matplotlib.figure import Figure

from mnemocraft.figstyle import COLOURS, styled
from mnemocraft.studies.boxes import Box, arrow, picture

_ROLE, _PART = COLOURS[1], COLOURS[4]
BOXES: tuple[Box, ...] = (
    (0.1, 1.4, 1.8, 0.8, "Plancraft", "0.75", "move, smelt, impossible"),
    (2.6, 1.4, 1.8, 0.8, "Actor", _PART, "think, read_memory"),
    (5.1, 1.4, 1.8, 0.8, "Memory", _PART, "exact key"),
    (7.6, 1.4, 1.8, 0.8, "Relevance", _ROLE, "usable now?"),
    (2.6, 0.0, 1.8, 0.8, "Parse", _ROLE, "abstract, add tags"),
    (5.1, 0.0, 1.8, 0.8, "Teacher", _PART, "one of four"),
    (7.6, 0.0, 1.8, 0.8, "Ask", _PART, "a how-to question"),
)
ARROWS = (
    (1.95, 1.9, 2.55, 1.9), (2.55, 1.6, 1.95, 1.6), (4.45, 1.8, 5.05, 1.8), (6.95, 1.8, 7.55, 1.8),
    (8.5, 1.35, 8.5, 0.85), (7.55, 0.4, 6.95, 0.4), (5.05, 0.4, 4.45, 0.4), (3.5, 0.85, 3.5, 1.35),
)  # fmt: skip
WORDS = (
    (2.25, 2.0, "state"), (2.25, 1.48, "action"), (4.75, 1.92, "query"), (7.25, 1.92, "entries"),
    (8.85, 1.1, "none is"), (7.25, 0.52, "question"), (4.75, 0.52, "answer"),
    (4.4, 1.1, "new entry, stored too"), (6.0, 2.72, "hit: the relevant entries"),
    (1.0, 0.4, "orange: only in\nset-ups with this role"),
)  # fmt: skip


@styled
def diagram() -> Figure:
    """Boxes for the roles, arrows for what they hand on; a hit goes back along the top, a miss round."""
    figure, axes = picture(BOXES, ARROWS, WORDS, 2.3)
    arrow(axes, (8.5, 2.25), (3.5, 2.25), bend=0.14)
    axes.set_ylim(-0.1, 2.85)
    return figure
