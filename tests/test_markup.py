"""What comes from outside is words, in pages and in figures, whatever it looks like."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.studies.markup import escaped
from mnemocraft.viewer.card import FAILED, card

NASTY = [
    "<script>alert(1)</script>",
    "`code`",
    "**bold**",
    "[a](http://b)",
    "$x_{1}$",
    "a & b",
    "a | b",
    "![i](x)",
    "<b",
]


@given(st.text(min_size=1, max_size=30) | st.sampled_from(NASTY))
def test_an_escaped_name_is_one_text_in_markdown(name):
    page = MarkdownIt("commonmark").parse(f"with {escaped(name)}.")
    assert [token.type for token in page] == ["paragraph_open", "inline", "paragraph_close"]
    kinds = {child.type for child in page[1].children}
    assert kinds <= {"text", "text_special"} or "_" in name, kinds


@pytest.mark.parametrize(
    "name", ["replay:how2_gemma-3-270m", "gpt-4o", "meta-llama/Llama-3.3-70B", "a:b=1,c=0.5"]
)
def test_ordinary_names_stay_as_they_are(name):
    assert escaped(name) == name and figstyle.called(name) in (name, "Gemma 3 270M, fine-tuned here")


@pytest.mark.parametrize("name", [r"$\\frac{$", "$a", "$$", r"a$b$c\\"])
def test_dollars_in_a_name_or_an_answer_do_not_break_a_figure(name):
    """Matplotlib read them as mathematics, and raised."""
    figure = Figure(figsize=(3, 2))
    figstyle.stamp(figure, "n = 3", name)
    figure.canvas.draw()
    picture = card(f"Task {name}", [(f"mine {name}", FAILED)], [f"1 {name}"], None, f"I cannot {name}")
    assert isinstance(picture, np.ndarray)
