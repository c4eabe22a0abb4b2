"""A picture of a kitchen: stations, what stands on them bottom up, the robot and what it holds."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

import matplotlib.patheffects as effects
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mnemocraft.envs.kitchen import sprites
from mnemocraft.envs.kitchen.environment import kind_of
from mnemocraft.envs.kitchen.placement import Placement, Thing, placement
from mnemocraft.envs.kitchen.sprites import Box

if TYPE_CHECKING:
    from mnemocraft.envs.kitchen.env import KitchenEnv

Cell = tuple[int, int]

CELL_INCHES = 1.15
"""Side of a cell in :func:`paint`."""
LEGEND_INCHES = 0.3
LEGEND = (
    "white gaps: cut    dark bars: cooked    dots: fried    steam: hot    disc: part done (grey: stopped)"
)
LETTERED = 0.55
"""Cells smaller than this (inches) carry no names: they would not be legible."""
SIDES = ((0, 1), (0, -1), (1, 0), (-1, 0))
"""Where a robot may stand at a station: above, below, to its right or left."""
VESSELS = ("pot", "bowl")
LAYER, VESSEL = 0.25, 0.62
"""Height of an item and of a container, in cells; tall stacks are squeezed."""


def paint(env: KitchenEnv) -> Figure:
    """A new figure of the kitchen, with a legend of the marks below."""
    width, height = env.size
    figure = Figure(figsize=(CELL_INCHES * width, CELL_INCHES * height + LEGEND_INCHES), dpi=100)
    legend = LEGEND_INCHES / figure.get_figheight()
    draw(figure.add_axes((0.0, legend, 1.0, 1 - legend)), env)
    figure.text(0.5, legend / 2, LEGEND, ha="center", va="center", fontsize=7, color="0.25")
    return figure


def pixels(figure: Figure) -> np.ndarray:
    """A figure as uint8 RGB."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def draw(axes: Axes, env: KitchenEnv) -> None:
    """Draw the kitchen into axes; names are left out where cells are too small for them."""
    now, size = placement(env), _letters(axes, env.size)
    axes.set(xlim=(0, env.size[0]), ylim=(0, env.size[1]), aspect="equal")
    axes.set_axis_off()
    _floor(axes, env.size)
    for name, pile in now.stacks.items():
        x, y = env.positions[name]
        _station(axes, name, (x, y), size)
        _pile(axes, pile, (x + 0.17, y + 0.17, 0.66, 0.76), size)
    cells = standing(env, now)
    for player, station in now.at.items():
        _player(axes, player, cells[player], env.positions[station], now.held.get(player), size)


def standing(env: KitchenEnv, now: Placement) -> dict[str, Cell]:
    """The cell in which each player is drawn: the first free one beside its station, else the station's own.

    The kitchen has no cells for players on the move; they are only *at* stations.
    """
    taken = {env.positions[name] for name in now.stacks}
    cells: dict[str, Cell] = {}
    for player, station in now.at.items():
        x, y = env.positions[station]
        sides = [(x + dx, y + dy) for dx, dy in SIDES]
        free = [c for c in sides if c not in taken and 0 <= c[0] < env.size[0] and 0 <= c[1] < env.size[1]]
        cells[player] = free[0] if free else (x, y)
        taken.add(cells[player])
    return cells


def _letters(axes: Axes, size: tuple[int, int]) -> float:
    """Font size in points that suits the cells; 0 for no letters."""
    box = axes.get_position()
    figure: Any = axes.figure
    inches = min(figure.get_figwidth() * box.width / size[0], figure.get_figheight() * box.height / size[1])
    return 0.0 if inches < LETTERED else min(6.4 * inches, 9.0)


def _floor(axes: Axes, size: tuple[int, int]) -> None:
    x, y = np.indices(size)
    tiles = np.where(((x + y) % 2 == 1)[..., None], (250, 250, 248), (241, 241, 237)).astype(np.uint8)
    axes.imshow(tiles.swapaxes(0, 1), extent=(0, size[0], 0, size[1]), origin="lower", zorder=-1)


def _label(axes: Axes, text: str, at: tuple[float, float], size: float, **style: Any) -> None:
    """Letters with a white rim, centred."""
    if size:
        rim = [effects.withStroke(linewidth=1.6, foreground="white")]
        look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size, "zorder": 8}
        axes.text(*at, text, **(look | {"path_effects": rim} | style))


def _station(axes: Axes, name: str, cell: Cell, size: float) -> None:
    x, y = cell
    sprites.station(axes, kind_of(name), (x + 0.03, y + 0.03, 0.94, 0.94))
    _label(axes, name, (x + 0.5, y + 0.1), 0.9 * size, color="0.3")


def _pile(axes: Axes, pile: tuple[Thing, ...], box: Box, size: float) -> None:
    """Things one above the other, from the bottom of the box."""
    x, y, width, height = box
    tall = [VESSEL if thing.kind in VESSELS else LAYER for thing in pile]
    scale = min(1.0, height / sum(tall)) if pile else 1.0
    for thing, own in zip(pile, tall, strict=True):
        _thing(axes, thing, (x, y, width, scale * own), size)
        y += scale * own


def _thing(axes: Axes, thing: Thing, box: Box, size: float) -> None:
    x, y, width, height = box
    if thing.kind in VESSELS:
        _vessel(axes, thing, box, size)
    else:
        sprites.item(axes, thing.kind, thing.marks, box)
        _label(axes, _in_words(thing), (x + width / 2, y + height / 2), size)
    if "cooking" in thing.marks:
        sprites.steam(axes, (x, y + height, width, 0.16))
    if thing.timer:
        sprites.clock(axes, (x + width + 0.06, y + height), thing.timer.done, thing.timer.going)


def _vessel(axes: Axes, thing: Thing, box: Box, size: float) -> None:
    """A container and what is in it: small pictures at the bottom, names above them."""
    x, y, width, height = box
    boiling = "boiling" in thing.marks
    sprites.container(axes, thing.kind, box, filled=bool(thing.meals), boiling=boiling)
    for index, added in enumerate(thing.added):
        shift = 0.19 * (index % 3 - (min(len(thing.added), 3) - 1) / 2)
        place = (x + width / 2 + shift - 0.08, y + 0.05 + index // 3 * 0.12, 0.16, 0.1)
        sprites.item(axes, added.kind, added.marks, place)
    _label(axes, thing.name, (x + width / 2, y + 0.86 * height), size)
    inside = " ".join((*thing.meals, *thing.marks, *map(_in_words, thing.added)))
    _label(axes, fill(inside, 15), (x + width / 2, y + 0.5 * height), 0.85 * size, linespacing=0.95)


def _in_words(thing: Thing) -> str:
    return " ".join((thing.name, *thing.marks))


def _player(axes: Axes, name: str, cell: Cell, station: Cell, holding: Thing | None, size: float) -> None:
    """The robot in its cell, what it holds in its hands, and a mark around the station where it stands."""
    x, y = cell
    axes.add_patch(sprites.frame((station[0] + 0.03, station[1] + 0.03, 0.94, 0.94)))
    if cell != station:
        sprites.pointer(axes, (x + 0.5, y + 0.5), (station[0] - x, station[1] - y))
    if holding:
        sprites.hands(axes, (x + 0.5, y + 0.3))
        _thing(axes, holding, (x + 0.17, y + 0.54, 0.66, 0.42 if holding.kind in VESSELS else 0.2), size)
    sprites.robot(axes, (x + 0.5, y + (0.3 if holding else 0.45)))
    _label(axes, name, (x + 0.5, y + 0.1), 0.9 * size, color="#004C78", weight="bold")
