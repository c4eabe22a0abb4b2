"""One style for every figure: a paper's two widths, colours that survive colour blindness and grey printing.

Draw inside :func:`styled` as wide as :data:`COLUMN` or :data:`PAGE`, end with :func:`stamp` (model, n, and a
visible mark if the model is the surrogate) and :func:`save` (PNG and PDF whose bytes depend on nothing but
the drawing; it refuses another width and text that cannot be read in print). :func:`venue` changes widths and
fonts of all figures at once. To see a folder of figures as they are printed, in colour and in grey, and to
list their widths and smallest texts::

    python -m mnemocraft.figstyle figures/03_deps_rounds /tmp/sheet.png
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import wraps
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

import matplotlib as mpl
import matplotlib.pyplot as plt
from IPython.display import Image
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image as Picture

from mnemocraft.errors import MnemocraftError, one_of

P = ParamSpec("P")
R = TypeVar("R")

COLUMN = 3.3
"""Width of a paper column, in inches."""
PAGE = 7.0
"""Width of both columns, in inches."""
MIN_FONT = 7.0
"""Smallest font in points that a figure may use."""
SURROGATE_MARK = "SURROGATE, not a language model"
MARK_HEIGHT = 2.05
"""Inches that it takes: no figure with it is lower."""
PRINT_DPI = 110
"""Pixels an inch in the sheet of a folder's figures."""


class Venue(NamedTuple):
    """What a venue's template sets: its widths in inches, and the font that goes with its text.

    The fonts are those that come with Matplotlib, so that every machine draws the same.
    """

    column: float
    page: float
    font: str


VENUES = {
    "here": Venue(COLUMN, PAGE, "DejaVu Sans"),
    "acl": Venue(3.03, 6.3, "STIXGeneral"),
    "icml": Venue(3.25, 6.75, "STIXGeneral"),
    "neurips": Venue(2.7, 5.5, "STIXGeneral"),
}
_SUBSCRIPT = re.compile(r"\$[^$]*[_^][^$]*\$")

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#000000")
"""Okabe and Ito's palette without its yellow, which vanishes on white paper."""
MARKERS = ("o", "s", "^", "D", "v", "x")
HATCHES = ("", "////", "-----", "xxxx", "\\\\\\\\", "++++")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 2)))
HEAT = "cividis"
"""Colour map whose lightness rises evenly, so that it reads the same in grey."""

_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 7,
    "axes.labelsize": 7,
    "axes.titlesize": 7.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.title_fontsize": 7,
    "figure.labelsize": 7,
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
_widths = {COLUMN: COLUMN, PAGE: PAGE}


def venue(name: str) -> None:
    """From now on figures have the widths and the font of one of :data:`VENUES`.

    Raises:
        MnemocraftError: There is none of that name.
    """
    one_of("venue", name, VENUES)
    chosen = VENUES[name]
    _STYLE["font.family"] = chosen.font
    _widths.update({COLUMN: chosen.column, PAGE: chosen.page})


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


def called(model: str) -> str:
    """A model's name for readers: a replay's is that of the model that was recorded."""
    kind, _, rest = model.partition(":")
    if is_surrogate(model):
        return f"surrogate ({rest}{', ' * bool(rest)}not a language model)"
    if kind == "replay" and "gemma-3-270m" in rest:
        return "Gemma 3 270M, fine-tuned here"
    return plain(model)


def plain(text: str) -> str:
    """A text in which matplotlib reads no mathematics."""
    return text.replace("$", r"\$")


def stamp(figure: Figure, note: str, *models: str) -> None:
    """Write the models and ``note`` (n, conditions) under the figure; mark a surrogate's on its edge."""
    names = "; ".join(called(model) for model in models if model)
    text = f"Model: {names}. {note}" if names else note
    text = text.replace(" %", "\N{NO-BREAK SPACE}%").replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    edge = 1.0
    if any(map(is_surrogate, models)):
        figure.set_figheight(max(figure.get_figheight(), MARK_HEIGHT))
        edge = 1 - 0.19 / figure.get_figwidth()
        figure.set_layout_engine("constrained", rect=(0, 0, edge, 1))
        box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "0.2", "linewidth": 0.6}
        style: Any = {"rotation": 270, "va": "center", "fontsize": MIN_FONT, "weight": "bold", "bbox": box}
        figure.text(edge + 0.02 / figure.get_figwidth(), 0.5, SURROGATE_MARK, **style)
    figure.supxlabel(text, x=edge / 2, fontsize=MIN_FONT, color="0.25", wrap=True)


def smallest(figure: Figure) -> float:
    """Size in points of the smallest text that can be seen; an index or exponent has 0.7 of its text's.

    Without any text it is infinite.
    """
    seen = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    sizes = (float(text.get_fontsize()) * (0.7 if _SUBSCRIPT.search(text.get_text()) else 1) for text in seen)
    return min(sizes, default=inf)


def save(figure: Figure, folder: str | Path, name: str) -> list[Path]:
    """Save as ``name.pdf`` and ``name.png``, byte-identical for identical drawings, and close the figure.

    Raises:
        ValueError: The figure is neither :data:`COLUMN` nor :data:`PAGE` wide, or some of its text is smaller
            than :data:`MIN_FONT`.
    """
    if figure.get_figwidth() not in _widths:
        raise ValueError(f"{name} is {figure.get_figwidth():g} in wide, not {COLUMN:g} or {PAGE:g}.")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.pdf", folder / f"{name}.png"]
    with mpl.rc_context(_STYLE):
        figure.set_figwidth(_widths[figure.get_figwidth()])
        figure.draw_without_rendering()  # lays out once, for both files
        if (least := smallest(figure)) < MIN_FONT:
            raise ValueError(f"{name} has text of {least:g} pt, less than {MIN_FONT:g}.")
        told = f"{figure.get_figwidth():g} in wide, text from {least:g} pt"
    # Not the engine "none": with any, each file is drawn twice.
    with mpl.rc_context(_STYLE | {"figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)
        figure.savefig(paths[0], metadata={"CreationDate": None, "Creator": "mnemocraft", "Producer": None})
        figure.savefig(paths[1], metadata={"Software": None, "Description": told})
    plt.close(figure)
    return paths


def show(folder: str | Path, name: str) -> Image:
    """A saved figure as a notebook displays it, a bit larger than on paper.

    Raises:
        MnemocraftError: It is not there.
    """
    path = Path(folder) / f"{name}.png"
    if not path.is_file():
        raise MnemocraftError(
            f"There is no figure {path}; what is drawn is saved by mnemocraft.figstyle.save."
        )
    inches = plt.imread(path).shape[1] / _STYLE["savefig.dpi"]
    return Image(filename=path, width=round(130 * inches))


def sheet(folder: Path, out: Path) -> list[str]:
    """Every PNG of a folder below each other as large as in print, in colour and beside it in grey.

    Returns:
        A line a figure: its name, width and smallest text, as :func:`save` measured them.
    """
    lines, rows = [], []
    for path in sorted(folder.glob("*.png")):
        with Picture.open(path) as picture:
            lines.append(f"{path.stem}: {picture.info.get('Description', 'not measured')}")
            share = PRINT_DPI / _STYLE["savefig.dpi"]
            rows.append(picture.convert("RGB").resize([round(share * side) for side in picture.size]))
    wide = max(row.width for row in rows) + PRINT_DPI // 5
    pasted = Picture.new("RGB", (2 * wide, sum(row.height for row in rows)), "white")
    top = 0
    for row in rows:
        pasted.paste(row, (0, top))
        pasted.paste(row.convert("L").convert("RGB"), (wide, top))
        top += row.height
    pasted.save(out)
    return lines


if __name__ == "__main__":
    print("\n".join(sheet(*map(Path, sys.argv[1:]))))
