"""Every table and figure of the papers has a place or a reason, and the page says what the list says."""

from __future__ import annotations

import re

import pytest

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError
from mnemocraft.studies import coverage

INDEX = paths.ROOT.parent / "shared" / "papers" / "README.md"
COUNTS = {"How2": (24, 11), "M2PA": (9, 7), "DEPS": (9, 21), "GiG": (13, 20), "MindStores": (6, 4)}
"""Figures and tables of each paper."""


def test_every_item_is_listed_once_and_every_artefact_is_there() -> None:
    rows = coverage.table()
    assert not rows.duplicated(["paper", "item"]).any()
    for paper, (figures, tables) in COUNTS.items():
        every = {f"Figure {n + 1}" for n in range(figures)} | {f"Table {n + 1}" for n in range(tables)}
        assert set(rows.loc[rows["paper"] == paper, "item"]) == every
    assert set(rows["paper"]) == set(coverage.PAPERS) == set(COUNTS)
    for stem in set(rows["notebook"]) - {""}:
        assert (paths.NOTEBOOKS / f"{stem}.ipynb").is_file()


def test_the_page_is_what_the_list_says() -> None:
    assert coverage.COVERAGE.read_text(encoding="utf-8") == coverage.markdown(coverage.table())
    assert "COVERAGE.md" in (paths.ROOT / "README.md").read_text(encoding="utf-8")


def test_the_list_is_that_of_the_papers_index() -> None:
    if not INDEX.is_file():
        pytest.skip("the index of the papers is not here")
    sections = re.split(r"^## ", INDEX.read_text(encoding="utf-8"), flags=re.M)
    for paper, counts in COUNTS.items():
        section = next(text for text in sections if text.startswith(f"{paper}\n"))
        cells = re.findall(r"^\| ((?:Fig|Table) [^|]+?) \|", section, re.M)
        for kind, number in zip(("Fig", "Table"), counts, strict=True):
            named: set[int] = set()
            for cell in cells:
                if cell.startswith(kind):
                    for low, high in re.findall(r"(\d+)(?:-(\d+))?", cell):
                        named |= set(range(int(low), int(high or low) + 1))
            assert named == set(range(1, number + 1)), (paper, kind)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("DEPS,Table 1,tasks,,,", "needs a notebook and its artefacts, or a reason"),
        ("DEPS,Table 1,tasks,03_deps_rounds,,", "needs a notebook and its artefacts"),
        (
            "DEPS,Table 1,tasks,03_deps_rounds,nothing.csv,",
            "names nothing.csv, which notebook 03_deps_rounds",
        ),
    ],
)
def test_a_row_without_a_place_is_one_sentence(row, sentence, tmp_path, monkeypatch) -> None:
    (tmp_path / "papers").mkdir()
    head = "paper,item,what,notebook,artefact,reason"
    (tmp_path / "papers" / "coverage.csv").write_text(f"{head}\n{row}\n")
    (tmp_path / "results").symlink_to(paths.DATA / "results")
    monkeypatch.setattr(paths, "DATA", tmp_path)
    with pytest.raises(MnemocraftError, match=sentence) as told:
        coverage.table()
    assert "\n" not in str(told.value)
