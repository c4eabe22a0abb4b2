"""The style of figures: widths, fonts, venues, and how a folder of them is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure
from PIL import Image

from mnemocraft import figstyle
from mnemocraft.errors import MnemocraftError
from mnemocraft.figstyle import COLUMN, MIN_FONT, PAGE


@figstyle.styled
def drawn(width: float = COLUMN, size: float = MIN_FONT, word: str = "a word") -> Figure:
    figure, axes = plt.subplots(figsize=(width, 2.2))
    axes.plot([0, 1], **figstyle.line(1))
    axes.text(0.2, 0.5, word, fontsize=size)
    figstyle.stamp(figure, "n = 2. " + 9 * "A note that is longer than a line. ", "surrogate:knowledge=0.5")
    return figure


@pytest.fixture
def here() -> Iterator[None]:
    yield
    figstyle.venue("here")


def test_what_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(MnemocraftError, match=r"no venue 'ACL'; it is one of "):
        figstyle.venue("ACL")
    with pytest.raises(MnemocraftError, match=r"There is no figure .*nothing\.png"):
        figstyle.show(tmp_path, "nothing")


def test_a_folder_may_be_a_text_and_a_figure_without_one(tmp_path: Path) -> None:
    figure = plt.figure(figsize=(COLUMN, 1))
    assert all(path.is_file() for path in figstyle.save(figure, str(tmp_path), "empty"))


def width(path: Path) -> float:
    with Image.open(path) as picture:
        return picture.width / 300


def test_a_figure_is_saved_in_one_of_two_widths_and_its_smallest_text_is_told(tmp_path: Path) -> None:
    for inches in (COLUMN, PAGE):
        pdf, png = figstyle.save(drawn(inches), tmp_path, f"f{inches:g}")
        assert width(png) == inches
        assert b"/Type3" not in pdf.read_bytes() and b"/FontFile2" in pdf.read_bytes()
    told = figstyle.sheet(tmp_path, tmp_path / "sheet.png")
    assert told == ["f3.3: 3.3 in wide, text from 7 pt", "f7: 7 in wide, text from 7 pt"]


@pytest.mark.parametrize(
    ("figure", "problem"),
    [
        (lambda: drawn(5.0), r"5 in wide"),
        (lambda: drawn(size=6.9), r"text of 6\.9 pt"),
        (lambda: drawn(word="$z_t$"), r"text of 4\.9 pt"),
    ],
)
def test_what_cannot_be_printed_is_not_saved(figure, problem: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=problem):
        figstyle.save(figure(), tmp_path, "f")
    assert not list(tmp_path.glob("*.p*"))
    plt.close("all")


@figstyle.styled
def test_the_surrogates_mark_fits_on_a_low_figure() -> None:
    figure, _ = plt.subplots(figsize=(PAGE, 0.9))
    figstyle.stamp(figure, "n = 1", "surrogate")
    figure.draw_without_rendering()
    [mark] = [text for text in figure.texts if text.get_text() == figstyle.SURROGATE_MARK]
    box = mark.get_bbox_patch().get_window_extent()
    assert figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1
    plt.close(figure)


@pytest.mark.parametrize("name", figstyle.VENUES)
def test_a_venue_sets_widths_and_font(name: str, here: None, tmp_path: Path) -> None:
    figstyle.venue(name)
    chosen = figstyle.VENUES[name]
    for nominal, inches in ((COLUMN, chosen.column), (PAGE, chosen.page)):
        figure = drawn(nominal)
        assert {text.get_fontname() for text in figure.findobj(plt.Text)} == {chosen.font}
        pdf, png = figstyle.save(figure, tmp_path, "f")
        assert width(png) == pytest.approx(inches, abs=0.004)
        assert chosen.font.replace(" ", "").encode() in pdf.read_bytes()


def test_the_stamp_is_broken_into_lines_within_the_figure() -> None:
    figure = drawn()
    figure.draw_without_rendering()
    stamp = figure._supxlabel.get_window_extent()
    assert stamp.x0 >= 0 and stamp.x1 <= figure.bbox.width and stamp.height > 3 * MIN_FONT
    plt.close(figure)


def test_models_have_names_for_readers() -> None:
    assert figstyle.called("replay:plancraft_gemma-3-270m") == "Gemma 3 270M, fine-tuned here"
    assert figstyle.called("surrogate") == "surrogate (not a language model)"
    assert figstyle.called("surrogate:knowledge=0.5") == "surrogate (knowledge=0.5, not a language model)"
    assert figstyle.called("qwen3-8b") == "qwen3-8b"


def test_the_sheet_has_colour_on_the_left_and_grey_on_the_right(tmp_path: Path) -> None:
    figstyle.save(drawn(), tmp_path, "f")
    figstyle.sheet(tmp_path, tmp_path / "out.png")
    with Image.open(tmp_path / "out.png") as sheet:
        left, right = (sheet.crop((x, 0, x + sheet.width // 2, sheet.height)) for x in (0, sheet.width // 2))
        assert any(r != g or g != b for _, (r, g, b) in left.getcolors(99999))
        assert all(r == g == b for _, (r, g, b) in right.getcolors(99999))


def test_figure_files_are_deterministic(tmp_path: Path) -> None:
    first, second = (
        [path.read_bytes() for path in figstyle.save(drawn(), tmp_path / name, "f")] for name in "ab"
    )
    assert first == second
