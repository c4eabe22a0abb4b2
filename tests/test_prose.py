"""What stands in the notebooks' Markdown: no measured result that somebody typed, and not too many cells.

A number that was measured is shown by a cell, or read from a table, so that it cannot differ from the run.
The scan looks for the shapes of results; a paper's numbers and settings are let through by a few rules.
"""

import json
import re
from pathlib import Path

import pytest

from mnemocraft import paths

NOTEBOOKS = sorted(paths.NOTEBOOKS.glob("*.ipynb"))
MOST_CELLS = 25
NUMBER = r"[-+−]?\d[\d,]*(?:\.\d+)?"
RESULT = re.compile(
    rf"{NUMBER}\s?(?:%|‰|per cent\b|points?\b|times\b)"  # 81 %, 22 points
    rf"|\[{NUMBER}, {NUMBER}\]"  # [13, 25]
    rf"|{NUMBER} (?:of|out of|against) \d[\d,]*"  # 182 of 400
    rf"|\d*[1-9] (?:and \d+ )?steps"  # 264 and 278 steps; limits of steps are round
    r"|[-+−]?\b\d+\.\d+"  # 0.269
)
NO_RESULTS = [
    r"```.*?```",
    r"`[^`]*`",  # code and files
    r"\]\([^)]*\)",
    r'"[^"]*"',  # a quotation
    r"arXiv \S+",
    r"(?:Tables?|Figures?|sections?|equations?|appendix|notebooks?|Python|MineDojo|version) "
    r"[A-Z]?\.?[\d.]+(?:(?:, | and | to | or )[\d.]+)*",
    r"\d+\.\d+\.\d+",  # a version of the game
    rf"[\wετλα]+ = {NUMBER}",  # a setting by its name
    r"95 %",
    r"below 0\.05",  # the level of a test
]
"""What is taken out of the text before it is scanned, in this order."""
PAPER = re.compile(r"\b[Pp]aper|\bprinted\b")
"""A sentence with this is about a paper's numbers."""
SETTING = re.compile(r"\bdefault\b|\bat most\b|\bprobability\b|\bon a scale\b|\blimit\b")
"""A sentence with this is about settings."""
ALLOWED = {
    "00_start_here": ["raised from 0.35"],
    "05_gig_embedding_separation": ["within 0.0001 of an earlier one", "(0.5"],  # a threshold, and chance
    "08_gig_flops_and_scaling": ["25 steps"],  # the paper's number
}
"""Texts that are let through, by notebook: add one only for a number that no run can change."""


def typed_results(markdown: str, allowed: list[str]) -> list[str]:
    """The numbers that look like measured results, each with its sentence."""
    for pattern in NO_RESULTS:
        markdown = re.sub(pattern, " ", markdown, flags=re.DOTALL | re.IGNORECASE)
    found = []
    for paragraph in re.split(r"\n\s*\n|\n\s*(?=[-*] |\d\. |\|)", markdown):
        text = " ".join(paragraph.split())
        if text.startswith("**Claim of the paper**"):
            continue
        for sentence in re.split(r"(?<=[.?!])\s+(?=[A-Z*(])", text):
            if PAPER.search(sentence) or SETTING.search(sentence):
                continue
            for text_allowed in allowed:
                sentence = sentence.replace(text_allowed, " ")
            found += [f"{match.strip()}: {sentence}" for match in RESULT.findall(sentence)]
    return found


def cells(notebook: Path) -> list[tuple[str, str]]:
    """Kind and text of every cell."""
    stored = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [(cell["cell_type"], "".join(cell["source"])) for cell in stored]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_result_is_typed(notebook: Path) -> None:
    allowed = ALLOWED.get(notebook.stem, [])
    found = [
        f"cell {number}: {result}"
        for number, (kind, text) in enumerate(cells(notebook))
        if kind == "markdown"
        for result in typed_results(text, allowed)
    ]
    assert not found, "let a cell print these numbers:\n" + "\n".join(found)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_few_cells(notebook: Path) -> None:
    number = len(cells(notebook))
    assert number <= MOST_CELLS, "move what belongs to an appendix, or join cells"


@pytest.mark.parametrize(
    "typed",
    [
        "The head solved **19 points more** than fixed order.",
        "It gains something [13, 25].",
        "It solved 182 of 400 worlds.",
        "Untrained weights come to 0.269.",
        "Some 81 % were solved.\n\nThe paper has more.",
        "As slow as the learned one (264 and 278 steps to a pig).",
        "The paper says so. Ours is -9.1 in `low`.",
    ],
)
def test_results_are_found(typed: str) -> None:
    assert typed_results(typed, [])


@pytest.mark.parametrize(
    "text",
    [
        "The paper's head gains 32.6 points with four goals.",
        "**Claim of the paper** (Wang et al.): an agent looks ahead. The gain is 22.3 points.",
        "Within τ = 0.1 of the state, as in Table 2 and section 4.3.1.",
        "`knowledge=0.5` is in `data/0.5.csv`; 1.16.5 is a version.",
        "Its knowledge is 0.8 by default.",
        "An episode of 1,000 steps in 2024; seeds 42, 84 ... 420.",
        "Columns show value [95 % interval].",
        "A claim holds if p is below 0.05.",
    ],
)
def test_settings_and_the_papers_numbers_are_let_through(text: str) -> None:
    assert typed_results(text, []) == []


def test_an_allowed_text_is_still_in_its_notebook() -> None:
    for stem, texts in ALLOWED.items():
        prose = " ".join(" ".join(text for _, text in cells(paths.NOTEBOOKS / f"{stem}.ipynb")).split())
        assert [text for text in texts if text not in prose] == []
