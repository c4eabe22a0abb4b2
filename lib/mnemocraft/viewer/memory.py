"""Look into a memory: a query, its neighbours with their scores, what came of them, and a map of all entries.

It knows no world and no memory: a study hands over texts, vectors and a function that looks up.
"""

from __future__ import annotations

import base64
import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import NamedTuple

import ipywidgets as widgets
import numpy as np
import numpy.typing as npt
from IPython.display import HTML
from matplotlib.figure import Figure

from mnemocraft.errors import MnemocraftError
from mnemocraft.figstyle import COLOURS, MARKERS, styled
from mnemocraft.viewer import strip

GROUPS = 5
"""Groups with a colour of their own, the largest ones; the others are grey."""
RING = "#D55E00"
"""Colour of what a query finds."""


class Found(NamedTuple):
    """What a memory answers.

    Attributes:
        vector: Of the query, as long as those of the entries.
        hits: Number of an entry and its score, best first.
    """

    vector: npt.NDArray[np.floating]
    hits: Sequence[tuple[int, float]]


Find = Callable[[str], Found]
"""Looks up a query."""


@dataclass(frozen=True)
class Entries:
    """What a memory holds.

    Attributes:
        texts: Of the entries, in the order in which they were stored.
        vectors: Their vectors, of shape (entries, numbers).
        groups: What each is coloured by on the map, such as ``success``.

    Raises:
        MnemocraftError: There are not as many vectors or groups as texts.
    """

    texts: Sequence[str]
    vectors: npt.NDArray[np.floating]
    groups: Sequence[str]

    def __post_init__(self) -> None:
        if not len(self.texts) == len(self.vectors) == len(self.groups):
            raise MnemocraftError(
                f"There are {len(self.texts)} texts, {len(self.vectors)} vectors and {len(self.groups)} "
                "groups; every entry must have one of each."
            )

    @cached_property
    def _plane(self) -> tuple[np.ndarray, np.ndarray]:
        """The mean, and the two directions in which the entries differ most (PCA), shape (2, numbers)."""
        vectors = np.asarray(self.vectors, np.float64)
        mean = vectors.mean(axis=0)
        axes = np.linalg.svd(vectors - mean, full_matrices=False)[2][:2]
        signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])  # the sign is arbitrary
        plane = np.zeros((2, vectors.shape[1]))
        plane[: len(axes)] = axes * signs[:, None]
        return mean, plane

    def place(self, vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
        """Where vectors are on the map: shape (vectors, 2)."""
        mean, plane = self._plane
        return (np.atleast_2d(vectors) - mean) @ plane.T


def browse(entries: Entries, find: Find, told: Mapping[str, Sequence[str]]) -> widgets.VBox | HTML | str:
    """A browser of a memory; headless, the first query with its map, and the other ones folded up below.

    Args:
        entries: What the memory holds.
        find: Looks up a query; where somebody can click also one that is typed in.
        told: Queries to begin with, and what came of each, a line each: insights, what the plan became.
    """
    if not len(entries.texts) or not told:
        return "There is nothing in this memory to look at."
    if strip.headless():
        return _static(entries, find, told)
    query = widgets.Combobox(options=list(told), value=next(iter(told)), description="query")
    query.layout.width = "95%"
    picture, text = widgets.Image(format="png", width=430), widgets.HTML()

    def update(_: object = None) -> None:
        if query.value.strip():
            found = find(query.value)
            picture.value = _png(entries, found)
            text.value = _in_html(entries, found, told.get(query.value, ()))

    query.observe(update, "value")
    update()
    return widgets.VBox([query, widgets.HBox([picture, text])])


def _static(entries: Entries, find: Find, told: Mapping[str, Sequence[str]]) -> HTML:
    (first, lines), *others = told.items()
    found = find(first)
    picture = base64.b64encode(_png(entries, found)).decode()
    shown = f'<img width="430" src="data:image/png;base64,{picture}">{_in_html(entries, found, lines)}'
    folded = "".join(
        f"<details><summary>{escape(query)}</summary>{_in_html(entries, find(query), lines)}</details>"
        for query, lines in others
    )
    return HTML(f"<div class='{strip.NO_MATHEMATICS}'><b>{escape(first)}</b>{shown}{folded}</div>")


@styled
def draw_map(entries: Entries, found: Found) -> Figure:
    """All entries by group, those found ringed and numbered by rank, and the query as a star."""
    figure = Figure(figsize=(4.3, 3.6), dpi=100, layout="constrained")
    axes = figure.add_subplot()
    points = entries.place(entries.vectors)
    largest = [name for name, _ in Counter(entries.groups).most_common(GROUPS)]
    groups = np.array(entries.groups, dtype=object)
    for name, colour, marker in zip(largest, COLOURS, MARKERS, strict=False):
        mine = points[groups == name]
        axes.plot(
            *mine.T, marker, ms=4, color=colour, alpha=0.6, mew=0.5, ls="none", label=f"{name} ({len(mine)})"
        )
    rest = points[~np.isin(groups, largest)]
    if len(rest):
        axes.plot(*rest.T, ".", ms=4, color="0.7", ls="none", label=f"others ({len(rest)})")
    for point, ranks in _ranked(points, found).items():
        axes.plot(*point, "o", ms=9, mfc="none", mec=RING, mew=1.4)
        said = ", ".join(map(str, ranks))
        axes.annotate(said, point, (7, 0), textcoords="offset points", va="center", color=RING, weight="bold")
    axes.plot(*entries.place(found.vector).T, "*", ms=11, color=RING, mec="white", ls="none", label="query")
    axes.set(xticks=[], yticks=[], xlabel=f"{len(points):,} entries, first two principal components")
    figure.legend(loc="outside upper center", ncols=3)
    return figure


def _ranked(points: npt.NDArray[np.float64], found: Found) -> dict[tuple[float, float], list[int]]:
    """The ranks found at each point of the map, where several entries may lie on one another."""
    ranked: dict[tuple[float, float], list[int]] = {}
    for rank, (place, _) in enumerate(found.hits, 1):
        x, y = points[place].round(6)
        ranked.setdefault((float(x), float(y)), []).append(rank)
    return ranked


def _png(entries: Entries, found: Found) -> bytes:
    buffer = io.BytesIO()
    draw_map(entries, found).savefig(buffer, format="png", dpi=200, metadata={"Software": None})
    return buffer.getvalue()


def _in_html(entries: Entries, found: Found, lines: Sequence[str]) -> str:
    """The neighbours with their scores, and what came of them."""
    rows = "".join(
        f"<tr><td>{rank}</td><td>{score:.3f}</td>"
        f"<td style='text-align: left; white-space: pre-wrap'>{escape(entries.texts[place])}</td></tr>"
        for rank, (place, score) in enumerate(found.hits, 1)
    )
    said = "".join(f"<pre style='white-space: pre-wrap'>{escape(line)}</pre>" for line in lines)
    return f"<table><tr><th>rank</th><th>score</th><th>entry</th></tr>{rows}</table>{said}"
