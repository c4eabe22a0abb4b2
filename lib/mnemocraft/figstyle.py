"""One style for every figure: paper-column widths, colours that survive colour blindness and grey printing.

Draw inside :func:`styled`, end with :func:`stamp` (model, n, and a visible mark if the model is the
surrogate) and :func:`save` (PNG and PDF whose bytes depend on nothing but the drawing).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import matplotlib as mpl
import matplotlib.pyplot as plt
from IPython.display import Image
from matplotlib.figure import Figure

P = ParamSpec("P")
R = TypeVar("R")

COLUMN = 3.33
"""Width of a paper column, in inches."""
PAGE = 6.97
"""Width of both columns, in inches."""
MIN_FONT = 6.0
"""Smallest font in points that a figure may use."""
SURROGATE_MARK = "SURROGATE, not a language model"

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#000000")
"""Okabe and Ito's palette without its yellow, which vanishes on white paper."""
MARKERS = ("o", "s", "^", "D", "v", "x")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 2)))
HEAT = "cividis"
"""Colour map whose lightness rises evenly, so that it reads the same in grey."""

_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 7.5,
    "axes.labelsize": 7.5,
    "axes.titlesize": 7.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "hatch.linewidth": 0.5,
    "figure.constrained_layout.use": True,
    "figure.dpi": 120,
    "savefig.dpi": 300,
    "pdf.fonttype": 42,
}


def styled(draw: Callable[P, R]) -> Callable[P, R]:
    """Decorator: run a drawing function under the project's style, leaving the user's settings alone."""

    @wraps(draw)
    def inside(*args: P.args, **kwargs: P.kwargs) -> R:
        with mpl.rc_context(_STYLE), plt.ioff():
            return draw(*args, **kwargs)

    return inside


def line(i: int) -> dict[str, Any]:
    """Colour, marker and dashes of the ``i``-th series of a line plot: any one of them tells it apart."""
    return {"color": COLOURS[i], "marker": MARKERS[i], "linestyle": LINES[i]}


def bar(i: int) -> dict[str, Any]:
    """Colour and hatch of the ``i``-th series of a bar chart."""
    return {"color": COLOURS[i], "hatch": HATCHES[i], "edgecolor": "0.15", "linewidth": 0.5}


def is_surrogate(model: str) -> bool:
    """Whether a model name means the surrogate (with or without options)."""
    return model.startswith("surrogate")


def stamp(figure: Figure, note: str, model: str = "") -> None:
    """Write the model and ``note`` (n, conditions) under the figure; mark a surrogate's on its right edge."""
    text = f"Model: {model}. {note}" if model else note
    figure.supxlabel(text, fontsize=MIN_FONT, color="0.25")
    if is_surrogate(model):
        edge = 1 - 0.17 / figure.get_figwidth()
        figure.set_layout_engine("constrained", rect=(0, 0, edge, 1))
        box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "0.2", "linewidth": 0.6}
        figure.text(
            edge, 0.5, SURROGATE_MARK, rotation=270, va="center", fontsize=6.5, weight="bold", bbox=box
        )


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Save as ``name.pdf`` and ``name.png``, byte-identical for identical drawings, and close the figure."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.pdf", folder / f"{name}.png"]
    with mpl.rc_context(_STYLE):
        figure.draw_without_rendering()  # lays out once, for both files
        figure.set_layout_engine("none")
        figure.savefig(paths[0], metadata={"CreationDate": None, "Creator": "mnemocraft", "Producer": None})
        figure.savefig(paths[1], metadata={"Software": None})
    plt.close(figure)
    return paths


def show(folder: Path, name: str) -> Image:
    """A saved figure as a notebook displays it, a bit larger than on paper."""
    path = folder / f"{name}.png"
    inches = plt.imread(path).shape[1] / _STYLE["savefig.dpi"]
    return Image(filename=path, width=round(130 * inches))
