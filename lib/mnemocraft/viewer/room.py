"""A household's aggregated scene graph: receptacles in rows, each with what was seen in it."""

from __future__ import annotations

import math
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes

from mnemocraft.figstyle import COLOURS
from mnemocraft.gnn.aggregation import RoomGraph

AGENT, SEEN, UNSEEN = "#D55E00", COLOURS[0], "white"
LEGEND = "?: not looked at   blue: looked at   grey: closed   orange: within reach   green: changed things"
_MOST = 7
"""Columns at most."""
_RING = 0.3
"""Distance of an object from its receptacle, which are 1 apart."""


def draw(axes: Axes, room: RoomGraph) -> None:
    """Draw what is known: objects are dots around their receptacle, joined to it, and named below it."""
    names = list(room.doors)
    columns = min(_MOST, math.ceil((2 * len(names)) ** 0.5))
    for place, name in enumerate(names):
        x, y = place % columns, -1.25 * (place // columns)
        door, inside = room.doors[name], room.contents.get(name, ())
        for turn, thing in zip(
            np.linspace(0.1, 2 * math.pi, len(inside), endpoint=False), inside, strict=True
        ):
            at = x + _RING * math.cos(turn), y + _RING * math.sin(turn)
            axes.plot((x, at[0]), (y, at[1]), color="0.6", lw=0.7, zorder=1)
            colour = COLOURS[2] if room.states.get(thing) else SEEN
            axes.plot(*at, "o", ms=4, color=colour, zorder=2)
        _receptacle(axes, (x, y), door, name in room.here)
        told = ", ".join(inside) or ("empty" if name in room.contents else "")
        told = fill(told, 26, max_lines=3, placeholder=" ...")
        label = "bold" if name in room.here else "normal"
        axes.text(x, y - 0.4, name, ha="center", va="top", fontsize=7, fontweight=label)
        axes.text(x, y - 0.56, told, ha="center", va="top", fontsize=6, color="0.3")
    held = f"{room.held} ({', '.join(sorted(room.states.get(room.held, ())))})".removesuffix(" ()")
    known = sum(len(inside) for inside in room.contents.values())
    axes.set_title(
        f"holds {held or 'nothing'}; seen into {len(room.contents)} of {len(names)} places, {known} things"
    )
    rows = math.ceil(len(names) / columns)
    axes.set(xlim=(-0.6, columns - 0.4), ylim=(-1.25 * rows + 0.3, 0.5))
    axes.set_axis_off()


def _receptacle(axes: Axes, at: tuple[float, float], door: str | None, near: bool) -> None:
    fill = UNSEEN if door is None else "0.75" if door == "closed" else "#BFD7EA"
    edge = AGENT if near else "0.3"
    axes.plot(*at, "s", ms=13, mfc=fill, mec=edge, mew=2 if near else 0.8, zorder=3)
    if door is None:
        axes.text(*at, "?", ha="center", va="center", fontsize=7, color="0.4", zorder=4)
