"""A slider over the moments of an episode, or a strip of some of them where nobody can click."""

from __future__ import annotations

import base64
import io
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from textwrap import fill, shorten
from typing import Any

import ipywidgets as widgets
import numpy as np
import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure
from matplotlib.image import imsave

HEADLESS = "MNEMOCRAFT_HEADLESS"
"""Set this environment variable, as run_all.sh does, where nobody can click: widgets become pictures."""


def headless() -> bool:
    """Whether to show static pictures instead of widgets."""
    return bool(os.environ.get(HEADLESS))


@dataclass(frozen=True)
class Moment:
    """The world after one action (or at the start), and what was said since the action before.

    Attributes:
        title: The action in a few words, e.g. ``"3: move I12 to A1, 1"``.
        draw: Makes the picture of it; called when somebody looks.
        words: Thoughts, memory reads and error messages that led to the action.
    """

    title: str
    draw: Callable[[], np.ndarray]
    words: tuple[str, ...]

    @cached_property
    def picture(self) -> np.ndarray:
        """The world after the action, uint8 RGB."""
        return self.draw()


@dataclass(frozen=True)
class Look:
    """How large pictures are shown.

    Attributes:
        width: Of a picture above the slider, in pixels.
        columns, inches: Pictures in a row of the strip, and the width of one.
        limit: Pictures in a strip.
    """

    width: int = 352
    columns: int = 4
    inches: float = 2.4
    limit: int = 8


SMALL = Look()
"""For small worlds, such as a crafting table."""
NO_MATHEMATICS = "tex2jax_ignore mathjax_ignore"
"""The class of HTML in which a page takes no dollars for mathematics."""
Replay = Callable[[Mapping[str, Any]], list[Moment]]
"""From the record of an episode to its moments."""


def strip(moments: list[Moment], look: Look = SMALL) -> Figure:
    """A static strip: the start, up to ``look.limit`` moments spread over the episode, and the end."""
    spread = np.linspace(0, len(moments) - 1, min(look.limit, len(moments)))
    chosen = [moments[i] for i in sorted(set(spread.round().astype(int)))]
    columns = min(look.columns, len(chosen))
    rows = -(-len(chosen) // columns)
    tall, wide = chosen[0].picture.shape[:2]
    size = (look.inches * columns, (look.inches * tall / wide + 0.32) * rows)
    figure = Figure(figsize=size, layout="constrained", dpi=100)
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid.flat:
        axes.set_axis_off()
    for axes, moment in zip(grid.flat, chosen, strict=False):
        axes.imshow(moment.picture)
        letters = int(16 * look.inches)
        title = fill(shorten(moment.title, 2 * letters - 8, placeholder=" ..."), letters)
        axes.set_title(title, fontsize=7, parse_math=False)
    return figure


def png(picture: np.ndarray) -> bytes:
    """An RGB array as a PNG file."""
    buffer = io.BytesIO()
    imsave(buffer, picture, format="png")
    return buffer.getvalue()


def static(moments: list[Moment], look: Look = SMALL) -> HTML:
    """The strip, and folded up below it what was said before each action, as a notebook displays it."""
    buffer = io.BytesIO()
    strip(moments, look).savefig(buffer, format="png", metadata={"Software": None})
    picture = base64.b64encode(buffer.getvalue()).decode()
    said = "".join(map(_in_html, moments))
    folded = f"<details><summary>What was said, {len(moments)} moments</summary>{said}</details>"
    return HTML(f'<div class="{NO_MATHEMATICS}"><img src="data:image/png;base64,{picture}">{folded}</div>')


def _in_html(moment: Moment) -> str:
    said = "".join(f"<pre style='white-space: pre-wrap'>{escape(line)}</pre>" for line in moment.words)
    return f"<div>{said}<b>{escape(moment.title)}</b></div>"


def stepper(moments: list[Moment], look: Look = SMALL) -> widgets.VBox:
    """A slider over the moments, the world, and what was said before each."""
    slider = widgets.IntSlider(max=len(moments) - 1, description="moment")
    picture = widgets.Image(format="png", width=look.width)
    text = widgets.HTML()

    def update(_: object = None) -> None:
        picture.value = png(moments[slider.value].picture)
        text.value = _in_html(moments[slider.value])

    slider.observe(update, "value")
    update()
    box = widgets.HBox if look.width <= SMALL.width else widgets.VBox
    return widgets.VBox([slider, box([picture, text])])


OFFERED = 50
"""Episodes in the menu of a viewer, the first of a run."""


def show(episodes: pd.DataFrame, replay: Replay, look: Look) -> widgets.VBox | HTML:
    """A viewer for some episodes of a run: a menu of the first of them and a stepper.

    Headless it is the strip of the first episode.

    Args:
        episodes: Rows of :func:`mnemocraft.runs.load_records`, at least one.
        replay: How to play one of them again.
        look: How large its pictures are shown.
    """

    def moments(position: int) -> list[Moment]:
        return replay({str(name): value for name, value in episodes.iloc[position].items()})

    if headless():
        return static(moments(0), look)
    names = [f"{r.condition} seed {r.seed} {r.task}: {r.reason}" for r in episodes.head(OFFERED).itertuples()]
    menu = widgets.Dropdown(options=[(name, i) for i, name in enumerate(names)], description="episode")

    def steps(position: int) -> list[widgets.Widget]:
        return [menu, stepper(moments(position), look)]

    box = widgets.VBox(steps(0))
    menu.observe(lambda change: setattr(box, "children", steps(change["new"])), "value")
    return box
