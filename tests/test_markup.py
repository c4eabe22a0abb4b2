"""What comes from outside is words, in pages and in figures, whatever it looks like."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from matplotlib.figure import Figure

from mnemocraft import figstyle
from mnemocraft.paths import ROOT
from mnemocraft.studies import claims, findings
from mnemocraft.studies.how2 import compare, facts
from mnemocraft.studies.markup import escaped, listed
from mnemocraft.viewer import strip
from mnemocraft.viewer.card import FAILED, card
from mnemocraft.viewer.strip import Moment

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
    "name", ["replay:plancraft_gemma-3-270m", "gpt-4o", "meta-llama/Llama-3.3-70B", "a:b=1,c=0.5"]
)
def test_ordinary_names_stay_as_they_are(name):
    assert escaped(name) == name and figstyle.called(name) in (name, "Gemma 3 270M, fine-tuned here")


def shown_by_notebooks() -> dict[str, Callable[[Mapping[str, Any]], Sequence[str]]]:
    """By notebook what finds its opening lines, read from its first cell."""
    found = {}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]
        code = next(cell for cell in cells if "findings.Opening(" in cell)
        (alias,) = re.findall(r"Opening\([^,]+, ([\w.]+)\)", code)
        module, _, function = alias.rpartition(".")
        (package, name) = next(
            (package, name)
            for package, names in re.findall(r"from ([\w.]+) import (.+)", code)
            for name in names.split(", ")
            if name.split()[-1] == module
        )
        found[path.stem] = getattr(import_module(f"{package}.{name.split()[0]}"), function)
    return found


FINDINGS = shown_by_notebooks()


@pytest.mark.parametrize("stem", FINDINGS)
def test_a_models_name_is_words_wherever_a_notebook_says_it(stem):
    """In what it opens with, in its verdicts, and in its tables."""
    name = "<script>alert(1)</script>$x$"
    _, played = findings.shipped(stem)
    tables = max(played.values(), key=len)
    opening = findings.Opening(stem, FINDINGS[stem])
    pages = [opening._text({name: tables}, {name: "full"})]
    if "hypotheses" in tables and "hypothesis" in tables["hypotheses"]:
        pages.append(claims.sentences(tables["hypotheses"], name))
    for page in pages:
        assert "<script" not in page and not re.search(r"(?<!\\)\$", page)


def test_a_table_and_a_strip_are_html_without_scripts_or_mathematics():
    name = "<script>alert(1)</script>$x$"
    frame = pd.DataFrame({name: [name]}, index=pd.Index([name], name=name)).rename_axis(columns=name)
    page = frame._repr_html_()
    assert "<script" not in page and "mathjax_ignore" in page
    folded = compare.folded(escaped(name), frame).data + facts.teaching(name) + "".join(facts.told(name, {}))
    assert "<script" not in folded and folded.count("$x$") == page.count("$x$")
    moment = Moment(rf"{name} $\frac{{$", lambda: np.zeros((8, 8, 3), np.uint8), (name,))
    page = strip.static([moment]).data
    assert "<script" not in page and page.startswith(f'<div class="{strip.NO_MATHEMATICS}">')


@pytest.mark.parametrize("name", [r"$\\frac{$", "$a", "$$", r"a$b$c\\"])
def test_dollars_in_a_name_or_an_answer_do_not_break_a_figure(name):
    """Matplotlib read them as mathematics, and raised."""
    figure = Figure(figsize=(3, 2))
    figstyle.stamp(figure, "n = 3", name)
    figure.canvas.draw()
    picture = card(f"Task {name}", [(f"mine {name}", FAILED)], [f"1 {name}"], None, f"I cannot {name}")
    assert isinstance(picture, np.ndarray)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (["all calls, no memory 3", "b 4"], "all calls, no memory 3; and b 4"),
        (["b 4", "all calls, no memory 3", "c"], "b 4; all calls, no memory 3; and c"),
    ],
)
def test_names_are_listed_as_one_reads_them(names: list[str], told: str) -> None:
    assert listed(names) == told
