"""The Minecraft worlds in one picture: rules as data, what is built on them, one interface for agents."""

from __future__ import annotations

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mnemocraft.figstyle import COLOURS, PAGE, stamp, styled
from mnemocraft.studies.boxes import Point, arrow, box, say

BOXES: dict[str, tuple[float, float, float, float, str, str, str]] = {
    "rules": (0.1, 1.05, 1.75, 1.5, "Rules as data", COLOURS[1],
              "recipes, tools, drops,\nore heights, biomes;\n1.11.2, 1.16.5, 1.19.2"),
    "graph": (2.6, 2.65, 2.3, 0.95, "Recipe graph, planner", COLOURS[2],
              "what goes into what,\nshortest plans"),
    "text": (2.6, 1.35, 2.3, 0.95, "TextWorldEnv", COLOURS[2], "inventory only,\na perfect controller"),
    "over": (2.6, 0.05, 2.3, 0.95, "OverworldEnv", COLOURS[0],
             "voxels, 20 ticks a second,\nfirst-person images"),
    "dojo": (2.6, -1.25, 2.3, 0.95, "MineDojoEnv", "0.75", "the real package in a\nworker; needs Java 8"),
    "face": (5.6, -1.25, 1.4, 2.25, "One interface", COLOURS[4],
             "MineDojo 0.1's\nobservations,\nactions, masks,\nrewards, success"),
    "goals": (7.7, -1.25, 1.75, 2.25, "Goals, controllers", COLOURS[3],
              "mine, kill, craft, ...;\nscripted or learned;\nsuccess seen from\nthe inventory"),
    "agent": (7.7, 1.35, 1.75, 2.25, "LLM planners", COLOURS[3], "plan in goals\n(other notebooks)"),
}  # fmt: skip
"""Left, bottom, width, height, title, colour and what is in it."""


@styled
def diagram() -> Figure:
    """From the rules to the worlds, and from the worlds to whoever acts in them."""
    figure, axes = plt.subplots(figsize=(PAGE, 3.5))
    for each in BOXES.values():
        box(axes, *each)
    for name in ("graph", "text", "over"):
        x, y, _, height, *_ = BOXES[name]
        arrow(axes, (1.92, 1.8), (x - 0.07, y + height / 2))
    for name in ("over", "dojo"):
        _both(axes, (4.97, BOXES[name][1] + 0.47), (5.53, BOXES[name][1] + 0.47))
    _both(axes, (7.07, -0.12), (7.63, -0.12))
    _both(axes, (8.57, 1.0), (8.57, 1.38))
    _both(axes, (4.97, 1.83), (7.63, 1.83))
    say(axes, "actions and inventory in words", (6.3, 1.97))
    arrow(axes, (4.97, 3.12), (7.63, 3.12))
    say(axes, "checks and reference plans", (6.3, 3.26))
    axes.set(xlim=(0, 9.6), ylim=(-1.4, 3.75))
    axes.set_axis_off()
    stamp(
        figure,
        "Orange: data. Green: without a map. Blue: walks, maps and frames below. Grey: not run here.",
    )
    return figure


def _both(axes: Axes, start: Point, end: Point) -> None:
    arrow(axes, start, end, "<|-|>")
