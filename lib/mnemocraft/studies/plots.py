"""What the studies' figures have in common: bars, lines and points with their intervals, heat maps, verdicts.

A series is a table with ``value`` and, if it has an interval, ``low`` and ``high``; series are handed over by
their label, and the place of one in the mapping decides its look (:mod:`mnemocraft.figstyle`).
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from textwrap import fill
from typing import Any

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from IPython.display import Image
from matplotlib.axes import Axes
from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, NullLocator
from matplotlib.transforms import ScaledTranslation

from mnemocraft import figstyle
from mnemocraft.figstyle import PAGE, stamp, styled
from mnemocraft.stats import NOT_TESTED, UNDECIDED
from mnemocraft.studies.claims import ALL, unit
from mnemocraft.studies.estimates import span
from mnemocraft.viewer import headless

PAPER = "#D55E00"
"""Colour of the paper's numbers beside ours."""
Series = Mapping[str, pd.DataFrame]
_brief = EngFormatter(sep="")


def series(table: pd.DataFrame, column: str, labels: Mapping[str, str]) -> dict[str, pd.DataFrame]:
    """The rows of every value of a column, by the value's label."""
    return {label: table[table[column] == value] for value, label in labels.items()}


def merged(named: Series) -> dict[str, pd.DataFrame]:
    """The series, those with the same numbers as one: its label names all of them."""
    alike: dict[str, list[str]] = {}
    for label, rows in named.items():
        numbers = rows[["value", "low", "high"]].round(9).to_csv(index=False)
        alike.setdefault(numbers, []).append(label)
    return {" = ".join(labels): named[labels[0]] for labels in alike.values()}


def whiskers(rows: pd.DataFrame, scale: float = 1.0) -> np.ndarray:
    """Distances from value to the ends of the interval, shape (2, rows); unknown is 0."""
    ends = np.stack([rows["value"] - rows["low"], rows["high"] - rows["value"]]).astype(float)
    return np.nan_to_num(scale * ends).clip(min=0)


def legend(figure: Figure, axes: Axes | Iterable[Axes], columns: int, **more: Any) -> None:
    """One legend above the panels, for what is labelled in ``axes``."""
    panels = [axes] if isinstance(axes, Axes) else axes
    named = {
        label: line for each in panels for line, label in zip(*each.get_legend_handles_labels(), strict=True)
    }
    style: Any = {"loc": "outside upper center", "ncols": columns, "columnspacing": 1.0, **more}
    figure.legend(named.values(), named.keys(), **style)


def per_cent(axes: Axes, label: str) -> None:
    """A vertical axis from 0 to 100."""
    axes.set(ylim=(-3, 103), yticks=range(0, 101, 25), ylabel=label)


def shifts(number: int, apart: float) -> np.ndarray:
    """Places of ``number`` things side by side, ``apart`` from each other, around 0."""
    return apart * (np.arange(number) - (number - 1) / 2)


def bars(axes: Axes, named: Series, order: Sequence[str], by: str, scale: float = 100) -> None:
    """Groups of bars with intervals; a series is a colour, ``order`` are the groups, values of ``by``."""
    width = 0.8 / len(named)
    for i, (shift, (label, rows)) in enumerate(zip(shifts(len(named), width), named.items(), strict=True)):
        mine, x = rows.set_index(by).reindex(list(order)), np.arange(len(order)) + shift
        axes.bar(x, scale * mine["value"].astype(float), width, label=label, **figstyle.bar(i))
        whisker(axes, x, mine, scale)


def whisker(axes: Axes, x: np.ndarray, rows: pd.DataFrame, scale: float) -> None:
    """The intervals of bars at ``x``."""
    ends = whiskers(rows, scale)
    axes.errorbar(x, scale * rows["value"].astype(float), ends, fmt="none", ecolor="0.2", elinewidth=0.7)


def lines(
    axes: Axes, named: Series, x: str, whisked: Collection[str] = (), scale: float = 100, apart: float = 2
) -> None:
    """Lines over the column ``x``, ``apart`` points from each other; those in ``whisked`` with intervals."""
    for i, (label, rows) in enumerate(named.items()):
        beside = ScaledTranslation(shifts(len(named), apart)[i] / 72, 0, axes.figure.dpi_scale_trans)
        if rows.empty:  # has its look all the same
            continue
        value = scale * rows["value"].astype(float)
        ends = whiskers(rows, scale) if label in whisked else np.zeros((2, len(rows)))
        look = figstyle.line(i) | {"elinewidth": 0.7, "clip_on": False, "transform": axes.transData + beside}
        axes.errorbar(rows[x], value, ends if label in whisked else None, label=label, **look)
        for end in (value - ends[0], value + ends[1]):
            axes.update_datalim(np.column_stack([rows[x], end]))
    axes.autoscale_view()


def points(
    axes: Axes,
    named: Series,
    places: Sequence[Any],
    by: str,
    *,
    apart: float,
    scale: float = 100,
    upright: bool = True,
    joined: bool = False,
) -> None:
    """Marks with intervals, the series ``apart`` from each other around each of the ``places``.

    Args:
        axes: Where.
        named: The series.
        places: Values of the column ``by``, in their order along the axis.
        by: What stands along the axis.
        apart: Distance of two series; two places are 1 apart.
        scale: What values are multiplied by.
        upright: Values go upwards and places to the right; else values go to the right, places downwards.
        joined: The marks of a series are joined by a line.
    """
    beside = iter(shifts(sum(not rows.empty for rows in named.values()), apart))
    for i, (label, rows) in enumerate(named.items()):
        if rows.empty:  # has its look all the same
            continue
        mine = rows.set_index(by).reindex(list(places))
        at, value = np.arange(len(places)) + next(beside), scale * mine["value"].astype(float)
        style = figstyle.line(i) | ({} if joined else {"linestyle": "none"}) | {"elinewidth": 0.8}
        if upright:
            axes.errorbar(at, value, yerr=whiskers(mine, scale), label=label, **style)
        else:
            axes.errorbar(value, at, xerr=whiskers(mine, scale), label=label, **style)


def logarithmic(axes: Axes, *names: str) -> None:
    """Logarithmic axes (``x``, ``y``) whose numbers have no exponents: 1k, 10k, 1M."""
    for name in names:
        axes.set(**{f"{name}scale": "log"})
        axis = getattr(axes, f"{name}axis")
        axis.set_major_formatter(lambda value, _: _brief(value) if value >= 1 else f"{value:g}")
        axis.set_minor_locator(NullLocator())


def heat_map(axes: Axes, values: pd.DataFrame, texts: pd.DataFrame) -> None:
    """Fractions as colours, with a text in every cell; hatched is what is NaN."""
    import seaborn

    style: dict[str, Any] = {"cmap": figstyle.HEAT, "vmin": 0, "vmax": 100, "cbar": False, "fmt": ""}
    axes.patch.set(facecolor="white", edgecolor="0.75", hatch="/////")
    style |= {"annot": texts, "annot_kws": {"size": figstyle.MIN_FONT}}
    figure = axes.get_figure(root=True)
    assert figure is not None  # axes that were removed have none
    canvas = figure.canvas
    FigureCanvasBase(figure)  # draws nothing; seaborn would draw the whole figure for each of its maps
    seaborn.heatmap(100 * values.astype(float), ax=axes, **style)
    figure.set_canvas(canvas)
    for text, value in zip(axes.texts, values.stack().dropna(), strict=True):
        text.set_color("white" if value < 0.5 else "black")
    axes.set(xlabel="", ylabel="")
    axes.tick_params(length=0, rotation=0)


STAND_IN = "a stand-in's: no evidence"
VERDICTS: Mapping[str, dict[str, Any]] = {
    "holds": figstyle.line(2),
    "fails": figstyle.line(3),
    "reverses": figstyle.line(1),
    UNDECIDED: figstyle.line(5),
    NOT_TESTED: {"color": "0.45", "marker": "D", "mfc": "white"},
    "cannot be decided here": {"color": "0.45", "marker": "s", "mfc": "white"},
    STAND_IN: {"color": "0.35", "marker": "o", "mfc": "white"},
}
"""The look of a verdict; whatever a stand-in's table says instead of one has the last."""


@styled
def verdicts(table: pd.DataFrame, model: str, note: str = "", xlabel: str = "success") -> Figure:
    """Claims as differences with their intervals, by verdict, and the paper's difference as a stroke.

    A claim's parts are below it, smaller; grey is what is too small to be found.

    Args:
        table: From :func:`mnemocraft.studies.claims.judge`.
        model: Who played, for the stamp.
        note: For the stamp, after n and what the intervals are.
        xlabel: Of what the claims are differences.
    """
    rows = table.iloc[::-1].reset_index(drop=True)
    whole, ran = rows["part"] == ALL, rows["effect"].notna()
    names = rows["claim"].map(lambda claim: fill(claim, 60)).where(whole, rows["part"])
    in_parts = whole & ran.groupby(rows["claim"]).transform("any")
    names += in_parts.map({True: " (not run as a whole)", False: " (not run)"}).where(~ran, "")
    high = names.str.count("\n") + 1 + 0.4 * whole  # lines
    y = high.cumsum() - high / 2
    figure, axes = plt.subplots(figsize=(PAGE, 0.9 + 0.125 * high.sum()))
    axes.use_sticky_edges = False  # a grey band that ends at the frame looks cut
    axes.axvline(0, color="0.6", lw=0.6)
    found = 100 * rows["detectable"].astype(float)
    small: Any = {"color": "0.92", "label": "too small to be found (power under 80 %)", "zorder": 0}
    axes.barh(y, 2 * found, 0.8 * high, -found, **small)
    outcome = rows["verdict"].where(rows["verdict"].isin(VERDICTS), STAND_IN)
    for name in (name for name in VERDICTS if (outcome[ran] == name).any()):
        for chosen, size, label in ((whole, 4.5, name), (~whole, 2.8, "")):
            mine = rows[ran & chosen & (outcome == name)].rename(columns={"effect": "value"})
            look = VERDICTS[name] | {"linestyle": "none", "ms": size, "elinewidth": size / 4, "label": label}
            axes.errorbar(100 * mine["value"], y[mine.index], xerr=whiskers(mine, 100), **look)
    if (paper := rows["paper_effect"].astype(float)).notna().any():
        axes.plot(100 * paper, y, "|", color=PAPER, ms=8, mew=1.6, label="the paper")
    axes.set_yticks(y, names)
    for tick, big in zip(axes.get_yticklabels(), whole, strict=True):
        tick.set_color("black" if big else "0.4")
    axes.tick_params(axis="y", length=0)
    axes.set(ylim=(0, high.sum()), xlabel=f"Difference in {xlabel} (points)")
    legend(figure, axes, 4)
    stamp(figure, f"{sizes(rows[ran])} a claim; whiskers: 95 % over {unit(table)}. {note}", model)
    return figure


def sizes(table: pd.DataFrame) -> str:
    """Pairs and clusters of a table of claims, e.g. ``n = 12 to 36 pairs in 9 targets``."""
    return f"n = {span(table['pairs'])} pairs in {span(table[unit(table)])} {unit(table)}"


def explorer(draw: Callable[..., Figure], controls: Sequence[Any], width: int) -> widgets.VBox | Image:
    """A figure that is drawn anew when a control is moved; headless, its picture as the controls stand.

    Args:
        draw: Takes the controls' values and returns the figure.
        controls: Widgets with a ``value``.
        width: Of the picture in pixels.
    """

    def picture() -> bytes:
        buffer, figure = io.BytesIO(), draw(*(control.value for control in controls))
        figure.savefig(buffer, format="png", dpi=200, metadata={"Software": None})
        plt.close(figure)
        return buffer.getvalue()

    if headless():
        return Image(picture(), width=width)
    image = widgets.Image(value=picture(), format="png", width=width)
    for control in controls:
        control.observe(lambda _: setattr(image, "value", picture()), "value")
    return widgets.VBox([*controls, image])
