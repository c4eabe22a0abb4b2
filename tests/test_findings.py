"""What a notebook opens with: the findings that were shipped, then those of its own run."""

import json
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from nbclient import NotebookClient

from mnemocraft import paths
from mnemocraft.studies import findings

STUDY = """
from mnemocraft import paths
from mnemocraft.studies import findings

def say(played):
    return [f"{model}: {tables['t']['value'].iloc[0]}" for model, tables in played.items()]
"""


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tables of two models; only one has played at full size."""
    monkeypatch.setattr(paths, "DATA", tmp_path)
    for model, profile, value in (
        ("surrogate", "quick", 1),
        ("surrogate", "full", 2),
        ("replay-a", "quick", 3),
    ):
        folder = tmp_path / "results" / "01_x" / model / profile
        folder.mkdir(parents=True)
        pd.DataFrame({"value": [value]}).to_csv(folder / "t.csv", index=False)
        told = {"tables": {"t": {"model": model.replace("-", ":")}}}
        (folder / "provenance.json").write_text(json.dumps(told))
    (tmp_path / "results/01_x/gpt/smoke").mkdir(parents=True)
    return tmp_path


def test_the_largest_profile_of_every_model_is_what_was_shipped(results: Path) -> None:
    profiles, played = findings.shipped("01_x")
    assert profiles == {"surrogate": "full", "replay:a": "quick"}
    assert {model: int(tables["t"]["value"][0]) for model, tables in played.items()} == {
        "surrogate": 2,
        "replay:a": 3,
    }
    assert findings.shipped("02_not_run") == ({}, {})


def test_a_notebook_opens_with_what_was_shipped_and_ends_with_its_own(results: Path) -> None:
    """As papermill runs it: the last cell changes what the first one shows."""
    here = f"from pathlib import Path\npaths.DATA = Path({str(results)!r})"
    opening = f"{STUDY}\n{here}\ntop = findings.Opening('01_x', say)"
    cells = [nbformat.v4.new_code_cell(text) for text in (opening, "pass")]
    close = "import pandas as pd\ntop.close({'none': {'t': pd.DataFrame({'value': [9]})}}, 'quick')"
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    shown = []
    for more in ([], [nbformat.v4.new_code_cell(close)]):
        notebook = nbformat.v4.new_notebook(cells=[*cells, *more], metadata=kernel)
        NotebookClient(notebook, timeout=60).execute()
        shown.append(notebook.cells[0].outputs[0]["data"]["text/markdown"])
        assert len(notebook.cells[0].outputs) == 1 and not notebook.cells[-1].outputs
    assert "- surrogate: 2" in shown[0] and "- replay:a: 3" in shown[0] and "profile `full`" in shown[0]
    assert shown[1] == "**What we found** (played by no language model; profile `quick`)\n\n- none: 9"


def test_lines_that_a_partial_run_cannot_make_are_left_out() -> None:
    tables = {"t": pd.DataFrame({"value": [1]})}
    lines = [
        lambda model, tables: f"{model}: {tables['t']['value'].iloc[0]}",
        lambda model, tables: tables["missing"].iloc[0]["value"],
        lambda model, tables: tables["t"]["other"].iloc[0],
        lambda model, tables: tables["t"].query("value > 1").iloc[0]["value"],
        lambda model, tables: "",
    ]
    assert findings.gather({"m": tables, "n": {}}, lines) == ["m: 1"]


def test_a_claim_is_told_with_the_parts_that_were_played_and_its_p_where_the_interval_misleads() -> None:
    """Of the first claim only a part was played; nothing of the third."""
    bare = {"effect": None, "low": None, "high": None, "verdict": "not measured"}
    beside = {"effect": -0.1, "low": -0.2, "high": 0.01, "p": 0.036, "p_holm": 0.324, "verdict": "undecided"}
    rows = [
        {"claim": "a", "part": "all"} | bare,
        {"claim": "a", "part": "known"} | bare | {"effect": 0.5, "verdict": "not tested"},
        {"claim": "a", "part": "unknown"} | bare,
        {"claim": "b", "part": "all"} | beside,
        {"claim": "b", "part": "known"} | beside | {"high": -0.01},
        {"claim": "c", "part": "all"} | bare,
        {"claim": "d", "part": "all"} | beside | {"high": -0.01},
        {"claim": "e", "part": "all"}
        | {"effect": 0.3, "low": 0.2, "high": 0.4, "verdict": "not tested"}
        | {"finding": "+0.300 [+0.200, +0.400], not tested: it cannot write"},
    ]
    assert findings.each(pd.DataFrame(rows)).strip().splitlines() == [
        "- a: **not measured** (known ones +50.0 points, not tested)",
        "    - b: -10.0 points [-20.0, +1.0]: **undecided** "
        "(known ones -10.0 points [-20.0, -1.0], p = 0.036 and 0.324 corrected for all claims)",
        "    - d: -10.0 points [-20.0, -1.0]: **undecided**, p = 0.036 and 0.324 corrected for all claims",
        "    - e: +30.0 points [+20.0, +40.0]: **not tested**, it cannot write",
    ]


def test_points_are_read_with_their_interval_if_they_have_one() -> None:
    row = pd.Series({"effect": 0.1625, "low": 0.095, "high": 0.2275})
    assert findings.points(row) == "+16.2 points [+9.5, +22.8]"
    assert findings.points(pd.Series({"gain": 1.0, "low": None, "high": None}), "gain") == "+100.0 points"


def test_what_runs_so_large_can_find_is_told_of_whole_claims() -> None:
    table = pd.DataFrame({"part": ["all", "low", "all", "all"], "detectable": [0.11, 0.9, 0.25, np.nan]})
    told = "If there were a true difference of {}, four of five such runs would find it."
    assert findings.power(table) == told.format("11 to 25 points, depending on the claim")
    assert findings.power(table[:2]) == told.format("11 points")
    assert findings.power(table[3:]) == "No claim could be tested."


def test_effects_against_their_claims_are_counted_over_all_of_it() -> None:
    """What was not tested, here the last, does not count: its sign says nothing about the claim."""
    parts, effects = ["all", "low", "all", "all", "all"], [-0.1, -0.2, 0.0, np.nan, -0.3]
    table = pd.DataFrame({"part": parts, "effect": effects, "verdict": [*["undecided"] * 4, "not tested"]})
    table["detectable"] = 0.2
    told = findings.power_and_signs(table).partition("find it. ")[2]
    assert told == "Point estimates against their claims: 1 of 2 tested."
    assert not findings.power_and_signs(table[-1:]).endswith("tested.")
