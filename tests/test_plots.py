"""What the studies' figures have in common: claims by verdict, equal series, lines beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from math import nan

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.studies import plots

CLAIMS = (
    ("one helps", "all", 0.2, "holds"),
    ("one helps", "low", 0.3, "holds"),
    ("one helps", "high", -0.1, "reverses"),
    ("two helps", "all", -0.2, "fails"),
    ("three helps", "all", 0.0, "cannot be decided here"),
    ("four helps", "all", nan, ""),
)


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


def claims(**others: object) -> pd.DataFrame:
    table = pd.DataFrame(CLAIMS, columns=["claim", "part", "effect", "verdict"])
    ends = {"low": table["effect"] - 0.05, "high": table["effect"] + 0.05, "paper_effect": 0.15}
    return table.assign(**ends, pairs=[40, 20, 20, 40, 30, 0], worlds=20, detectable=0.1).assign(**others)


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_claims_are_drawn_by_verdict_with_what_cannot_be_found_and_the_papers_effect() -> None:
    figure = plots.verdicts(claims(), "qwen3-8b", "A note.")
    shown = ["holds", "fails", "reverses", "cannot be decided here"]
    assert set(legend(figure)) == {*shown, "the paper", "too small to be found (power under 80 %)"}
    axes = figure.axes[0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == [
        "four helps (not run)", "three helps", "two helps", "high", "low", "one helps",
    ]  # fmt: skip
    span = axes.patches[-1]
    assert (span.get_x(), span.get_width()) == (-10, 20)
    holds = next(drawn for drawn in axes.containers if drawn.get_label() == "holds")
    assert holds.lines[0].get_xdata().tolist() == [20]
    stamp = figure._supxlabel.get_text().replace("\N{NO-BREAK SPACE}", " ")
    assert "n = 20 to 40 pairs in 20 worlds" in stamp and "95 % over worlds. A note." in stamp


def test_a_stand_ins_claims_have_one_look_without_a_verdict() -> None:
    figure = plots.verdicts(claims(verdict=["consequence of: a", "not built in"] * 3), "surrogate")
    assert not set(legend(figure)) & (set(plots.VERDICTS) - {plots.STAND_IN})
    assert plots.STAND_IN in legend(figure)


def test_equal_series_are_one() -> None:
    one, other = (pd.DataFrame({"value": [v, nan], "low": 0.0, "high": 1.0}) for v in (0.5, 0.6))
    assert list(plots.merged({"a": one, "b": other, "c": one.copy()})) == ["a = c", "b"]


def test_lines_stand_beside_each_other_and_keep_their_look_where_one_is_missing() -> None:
    rows = pd.DataFrame({"x": [1.0, 2.0], "value": [0.1, 0.4], "low": [0.0, 0.2], "high": [0.3, 0.9]})
    figure, axes = plt.subplots()
    plots.lines(axes, {"a": rows, "b": rows.iloc[:0], "c": rows}, "x", ["c"], apart=10)
    figure.draw_without_rendering()
    a, c = (drawn.lines[0] for drawn in axes.containers)
    assert (a.get_color(), c.get_color()) == (figstyle.COLOURS[0], figstyle.COLOURS[2])
    moved = c.get_window_extent().x0 - a.get_window_extent().x0
    assert np.isclose(moved, 20 * figure.dpi / 72)
    assert axes.get_ylim()[1] > 90 and axes.get_xlim()[0] <= 1


def test_logarithmic_axes_have_no_exponents() -> None:
    figure, axes = plt.subplots()
    axes.plot([0.1, 1e5], [1, 2])
    plots.logarithmic(axes, "x")
    figure.draw_without_rendering()
    assert {"0.1", "1", "1k", "100k"} <= {tick.get_text() for tick in axes.get_xticklabels()}
