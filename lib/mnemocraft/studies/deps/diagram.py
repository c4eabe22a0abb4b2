"""DEPS in one picture (the parts of the paper's Figure 2, drawn anew), and its selector in another."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from mnemocraft.figstyle import COLOURS, PAGE, stamp, styled
from mnemocraft.studies.boxes import arrow, box, say

LOOP = {
    "task": (0.1, 2.55, 1.35, 0.95, "Task", "0.75", "obtain 1 stone_sword\ninventory: nothing"),
    "planner": (2.0, 2.2, 2.2, 1.65, "Planner (P)", COLOURS[3],
                'mine({"log": 3}, tool=None)\ncraft({"planks": 12}, ...)\n...'),
    "selector": (4.75, 2.2, 2.1, 1.65, "Selector (S)", COLOURS[0],
                 "of the goals that can be\npursued now the one\nthat is nearest"),
    "world": (7.4, 2.2, 2.1, 1.65, "Controller and world", COLOURS[2],
              "acts until the goal is\nreached, fails, or takes\ntoo long"),
    "descriptor": (7.4, 0.1, 2.1, 1.3, "Descriptor (D)", COLOURS[4],
                   "what was done, what failed,\nwhat is there now; no model"),
    "explainer": (4.75, 0.1, 2.1, 1.3, "Explainer (E)", COLOURS[3],
                  "why it failed, in a sentence:\n'because ... so ...'"),
    "dialogue": (2.0, 0.1, 2.2, 1.3, "Dialogue", "0.75",
                 "all plans, descriptions and\nexplanations so far; full\nafter 7 or 8 rounds"),
}  # fmt: skip
"""Left, bottom, width, height, title, colour and what is in it."""
CHOICE = {
    "plan": (0.1, 0.5, 1.8, 1.7, "Parallel goals", "0.75",
             "kill sheep\nkill cow\nkill pig\nkill chicken"),
    "head": (2.5, 0.5, 2.1, 1.7, "Horizon head", COLOURS[0],
             "from six looks around\nand a goal to the steps\nthat are left"),
    "soft": (5.2, 0.5, 1.9, 1.7, "Equation 2", COLOURS[4], "softmax of minus\nthe predicted steps"),
    "act": (7.7, 0.5, 1.8, 1.7, "Controller", COLOURS[2],
            "pursues the goal until\nit is reached, at most\n600 steps"),
}  # fmt: skip


@styled
def loop() -> Figure:
    """A round of DEPS: plan, select, act; on a failure describe, explain, plan again."""
    figure, axes = plt.subplots(figsize=(PAGE, 3.0))
    for each in LOOP.values():
        box(axes, *each)
    for start, end in ((1.5, 1.95), (4.25, 4.7), (6.9, 7.35)):
        arrow(axes, (start, 3.0), (end, 3.0))
    arrow(axes, (8.45, 2.15), (8.45, 1.46))
    say(axes, "a goal failed", (9.0, 1.8), color="#B34700")
    arrow(axes, (7.35, 0.75), (6.92, 0.75))
    arrow(axes, (4.7, 0.75), (4.27, 0.75))
    arrow(axes, (3.1, 1.46), (3.1, 2.14))
    say(axes, "plan again: a round", (3.85, 1.8))
    arrow(axes, (7.35, 3.5), (6.92, 3.5))
    say(axes, "reached: next goal", (7.12, 4.1))
    axes.set(xlim=(0, 9.6), ylim=(-0.1, 4.3))
    axes.set_axis_off()
    stamp(figure, "Pink: answered by the language model. DEP is the same without the selector (blue).")
    return figure


@styled
def choice() -> Figure:
    """How the horizon-predictive selector chooses."""
    figure, axes = plt.subplots(figsize=(PAGE, 1.75))
    for each in CHOICE.values():
        box(axes, *each)
    for start, end in ((1.95, 2.45), (4.65, 5.15), (7.15, 7.65)):
        arrow(axes, (start, 1.35), (end, 1.35))
    axes.plot([8.6, 8.6, 3.55, 3.55], [0.44, 0.2, 0.2, 0.3], color="0.2", lw=1.0)
    arrow(axes, (3.55, 0.2), (3.55, 0.46))
    say(axes, "what is still lacking", (6.1, 0.05))
    axes.set(xlim=(0, 9.6), ylim=(-0.1, 2.3))
    axes.set_axis_off()
    stamp(figure, "Fixed and random order skip the blue box; the oracle asks the simulator instead of it.")
    return figure
