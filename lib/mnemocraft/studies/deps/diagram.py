"""DEPS in one picture (the parts of the paper's Figure 2, drawn anew), and its selector in another."""

from __future__ import annotations

from matplotlib.figure import Figure

from mnemocraft.figstyle import COLOURS, stamp, styled
from mnemocraft.studies.boxes import Box, picture

LOOP: tuple[Box, ...] = (
    (0.1, 2.55, 1.35, 0.95, "Task", "0.75", "obtain 1 stone_sword\ninventory: nothing"),
    (2.0, 2.2, 2.2, 1.65, "Planner (P)", COLOURS[3],
     'mine({"log": 3}, tool=None)\ncraft({"planks": 12}, ...)\n...'),
    (4.75, 2.2, 2.1, 1.65, "Selector (S)", COLOURS[0],
     "of the goals that can be\npursued now the one\nthat is nearest"),
    (7.4, 2.2, 2.1, 1.65, "Controller and world", COLOURS[2],
     "acts until the goal is\nreached, fails, or takes\ntoo long"),
    (7.4, 0.1, 2.1, 1.3, "Descriptor (D)", COLOURS[4],
     "what was done, what failed,\nwhat is there now; no model"),
    (4.75, 0.1, 2.1, 1.3, "Explainer (E)", COLOURS[3],
     "why it failed, in a sentence:\n'because ... so ...'"),
    (2.0, 0.1, 2.2, 1.3, "Dialogue", "0.75",
     "all plans, descriptions and\nexplanations so far; full\nafter 7 or 8 rounds"),
)  # fmt: skip
LOOP_ARROWS = (
    (1.5, 3.0, 1.95, 3.0), (4.25, 3.0, 4.7, 3.0), (6.9, 3.0, 7.35, 3.0), (8.45, 2.15, 8.45, 1.46),
    (7.35, 0.75, 6.92, 0.75), (4.7, 0.75, 4.27, 0.75), (3.1, 1.46, 3.1, 2.14), (7.35, 3.5, 6.92, 3.5),
)  # fmt: skip
LOOP_WORDS = (
    (9.0, 1.8, "a goal failed"),
    (3.85, 1.8, "plan again: a round"),
    (7.12, 4.1, "reached: next goal"),
)
CHOICE: tuple[Box, ...] = (
    (0.1, 0.5, 1.8, 1.7, "Parallel goals", "0.75", "kill sheep\nkill cow\nkill pig\nkill chicken"),
    (2.5, 0.5, 2.1, 1.7, "Horizon head", COLOURS[0],
     "from six looks around\nand a goal to the steps\nthat are left"),
    (5.2, 0.5, 1.9, 1.7, "Equation 2", COLOURS[4], "softmax of minus\nthe predicted steps"),
    (7.7, 0.5, 1.8, 1.7, "Controller", COLOURS[2],
     "pursues the goal until\nit is reached, at most\n600 steps"),
)  # fmt: skip
CHOICE_ARROWS = ((1.95, 1.35, 2.45, 1.35), (4.65, 1.35, 5.15, 1.35), (7.15, 1.35, 7.65, 1.35),
                 (3.55, 0.2, 3.55, 0.46))  # fmt: skip


@styled
def loop() -> Figure:
    """A round of DEPS: plan, select, act; on a failure describe, explain, plan again."""
    figure, axes = picture(LOOP, LOOP_ARROWS, LOOP_WORDS, 3.0)
    axes.set_ylim(-0.1, 4.3)
    stamp(figure, "Pink: answered by the language model. DEP is the same without the selector (blue).")
    return figure


@styled
def choice() -> Figure:
    """How the horizon-predictive selector chooses."""
    figure, axes = picture(CHOICE, CHOICE_ARROWS, [(6.1, 0.05, "what is still lacking")], 1.75)
    axes.plot([8.6, 8.6, 3.55, 3.55], [0.44, 0.2, 0.2, 0.3], color="0.2", lw=1.0)
    axes.set_ylim(-0.1, 2.3)
    stamp(figure, "Fixed and random order skip the blue box; the oracle asks the simulator instead of it.")
    return figure
