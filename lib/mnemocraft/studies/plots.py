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
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.figstyle import PAGE, stamp, styled
from mnemocraft.viewer import headless

PAPER = "#D55E00"
"""Colour of the paper's numbers beside ours."""
Series = Mapping[str, pd.DataFrame]


def series(table: pd.DataFrame, column: str, labels: Mapping[str, str]) -> dict[str, pd.DataFrame]:
    """The rows of every value of a column, by the value's label."""
    return {label: table[table[column] == value] for value, label in labels.items()}


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
    axes.set(ylim=(0, 100), yticks=range(0, 101, 25), ylabel=label)


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


def lines(axes: Axes, named: Series, x: str, bands: Collection[str] = (), scale: float = 100) -> None:
    """Lines over the column ``x``; those named in ``bands`` with their intervals."""
    for i, (label, rows) in enumerate(named.items()):
        axes.plot(rows[x], scale * rows["value"], label=label, clip_on=False, **figstyle.line(i))
        if label in bands:
            low, high = scale * rows["low"], scale * rows["high"]
            axes.fill_between(rows[x], low, high, color=figstyle.COLOURS[i], alpha=0.12, lw=0)


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
    for i, (shift, (label, rows)) in enumerate(zip(shifts(len(named), apart), named.items(), strict=True)):
        mine = rows.set_index(by).reindex(list(places))
        at, value = np.arange(len(places)) + shift, scale * mine["value"].astype(float)
        style = figstyle.line(i) | ({} if joined else {"linestyle": "none"}) | {"elinewidth": 0.8}
        if upright:
            axes.errorbar(at, value, yerr=whiskers(mine, scale), label=label, **style)
        else:
            axes.errorbar(value, at, xerr=whiskers(mine, scale), label=label, **style)


def heat_map(axes: Axes, values: pd.DataFrame, texts: pd.DataFrame) -> None:
    """Fractions as colours, with a text in every cell; grey is what is NaN."""
    import seaborn

    style: dict[str, Any] = {"cmap": figstyle.HEAT, "vmin": 0, "vmax": 100, "cbar": False, "fmt": ""}
    axes.set_facecolor("0.88")
    seaborn.heatmap(100 * values.astype(float), annot=texts, annot_kws={"size": 6}, ax=axes, **style)
    for text, value in zip(axes.texts, values.stack().dropna(), strict=True):
        text.set_color("white" if value < 0.5 else "black")
    axes.set(xlabel="", ylabel="")
    axes.tick_params(length=0, rotation=0)


@styled
def verdicts(table: pd.DataFrame, model: str, note: str, xlabel: str = "success", wide: int = 60) -> Figure:
    """Claims as differences with their intervals, by verdict, and the paper's difference as a mark.

    Args:
        table: From :func:`mnemocraft.studies.claims.judge`.
        model: Who played, for the stamp.
        note: For the stamp.
        xlabel: Of what the claims are differences.
        wide: Characters of a claim in a line.
    """
    rows = table.iloc[::-1].reset_index(drop=True)
    names = rows["claim"] + rows["effect"].isna().map({True: " (not run)", False: ""})
    names = names.map(lambda claim: fill(claim, wide))
    figure, axes = plt.subplots(figsize=(PAGE, 0.9 + 0.12 * (len(rows) + sum(names.str.count("\n") + 1))))
    axes.axvline(0, color="0.6", lw=0.6)
    for outcome, i in (("holds", 2), ("undecided", 5), ("fails", 3)):
        mine = rows[(rows["verdict"] == outcome) & rows["effect"].notna()].rename(columns={"effect": "value"})
        look = figstyle.line(i) | {"linestyle": "none", "label": outcome}
        axes.errorbar(100 * mine["value"], mine.index, xerr=whiskers(mine, 100), **look)
    axes.plot(100 * rows["paper_effect"], rows.index, "|", color=PAPER, ms=9, mew=1.6, label="the paper")
    axes.set_yticks(rows.index, names)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_xlabel(f"Difference in {xlabel} (points)")
    legend(figure, axes, 4)
    stamp(figure, note, model)
    return figure


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
