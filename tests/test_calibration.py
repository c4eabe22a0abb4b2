"""Notebook 90: what it says comes from its tables."""

import pandas as pd
import pytest

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError
from mnemocraft.runs import write_table
from mnemocraft.studies import calibration


def test_the_findings_count_verdicts_of_real_players_only() -> None:
    rates = pd.DataFrame(
        {"clusters": [9, 20], "0.05": [0.11, 0.08], "0.05 / 8": [0.03, 0.02], "0.05 / 29": [0.02, 0.01]}
    )
    rows = [
        ("01_x", "surrogate", "a", "all", 300, 0.01, "consequence of: one move list"),
        ("02_x", "none", "b", "all", 400, 0.1, "holds"),
        ("02_x", "none", "c", "all", 400, 0.3, "undecided"),
        ("01_x", "replay:a", "a", "all", 9, float("nan"), "not tested"),
        ("02_x", "none", "c", "low", 30, 0.2, "fails"),
        ("04_x", "none", "d", "high", 60, 0.1, "fails"),
    ]
    columns = ["notebook", "model", "claim", "part", "clusters", "detectable", "verdict"]
    verdicts = pd.DataFrame(rows, columns=columns)
    lines = calibration.findings({"none": {"error_rates": rates, "verdicts": verdicts}})
    assert "11.0%" in lines[0] and "8.0%" in lines[0]
    assert lines[1].startswith("Of 4 claims in the committed tables 1 were played by the stand-in")
    assert lines[1].endswith("The other 3: 1 holds, 1 undecided, 1 not tested.")
    assert lines[2].endswith(
        "clusters are 30 (02: c, low), and the largest detectable effect is 0.200 (02: c, low)."
    )
    assert calibration.findings({}) == []


@pytest.mark.parametrize(
    ("profile", "seeds", "sentence"), [("huge", [0], "no profile 'huge'"), ("smoke", 5, "must be a list")]
)
def test_wrong_parameters_are_one_sentence(profile: str, seeds: object, sentence: str) -> None:
    with pytest.raises(MnemocraftError, match=sentence):
        calibration.tables(profile, seeds)  # type: ignore[arg-type]


def test_every_notebook_and_every_committed_figure_is_listed() -> None:
    assert set(calibration.notebooks()["notebook"]) == {path.stem for path in paths.NOTEBOOKS.glob("*.ipynb")}
    assert len(calibration.figures()) == len(list((paths.ROOT / "figures").glob("*/*.png")))


def test_the_committed_verdicts_are_those_of_the_committed_tables(tmp_path):
    """After a change of ``data/results``: ``./run_all.sh --profile full --only 90``, and ``quick``."""
    write_table(calibration.verdicts(), tmp_path / "verdicts.csv")
    now = (tmp_path / "verdicts.csv").read_bytes()
    for profile in ("quick", "full"):
        folder = paths.DATA / "results" / "90_how_we_test" / "none" / profile
        assert (folder / "verdicts.csv").read_bytes() == now, profile
