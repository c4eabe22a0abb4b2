"""The table of claims, and what may stand in the tables it is made of.

After a change of ``data/results`` regenerate CLAIMS.md and the README's excerpt with
``python -m mnemocraft.studies.evidence``.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from mnemocraft import paths, stats
from mnemocraft.errors import MnemocraftError
from mnemocraft.figstyle import is_surrogate
from mnemocraft.studies import evidence

COMMAND = "python -m mnemocraft.studies.evidence"
JUDGED = {"holds", "fails", "reverses"}
TOLD = {"claim", "hypothesis", "paper_verdict"}
"""Columns in which a verdict word may stand: the claim itself, and what the paper says."""
ROW = {
    "hypothesis": "H1", "claim": "answers help", "part": "all", "metric": "sr", "effect": 0.1, "low": 0.05,
    "high": 0.15, "cohens_h": 0.2, "pairs": 300, "targets": 40, "detectable": 0.04, "p": "0.01",
    "p_holm": "0.02", "paper_effect": 0.2, "paper_verdict": "holds (4.1)", "verdict": "holds",
    "direction": "same", "size": "excludes", "finding": "+0.100",
}  # fmt: skip
STANDIN = {"verdict": "consequence of: plans perfectly", "direction": "", "size": ""}


def standin_verdicts(results: Path) -> list[str]:
    """Where a verdict word stands in a table of the stand-in."""
    found = []
    for path in sorted(results.glob("*/surrogate*/*/*.csv")):
        told = pd.read_csv(path, dtype=str).drop(columns=list(TOLD), errors="ignore")
        for column, values in told.items():
            if values.str.contains(r"\b(?:holds|fails|agrees)\b", na=False).any():
                found.append(f"{path.relative_to(results)}, column {column}")
    return found


def few_clusters(claims: pd.DataFrame) -> list[str]:
    """The verdicts from fewer clusters than are needed for one."""
    few = claims["verdict"].isin(JUDGED) & (claims["clusters"] < stats.MIN_CLUSTERS)
    return [f"{row.notebook}, {row.clusters} {row.unit}: {row.claim}" for row in claims[few].itertuples()]


def put(results: Path, notebook: str, model: str, profile: str, *rows: dict[str, object]) -> None:
    folder = results / notebook / paths.slug(model) / profile
    folder.mkdir(parents=True)
    pd.DataFrame([ROW | row for row in rows]).to_csv(folder / "hypotheses.csv", index=False)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Tables of two notebooks: by the stand-in, by a recording, and by a model of somebody's own."""
    folder = tmp_path / "results"
    put(folder, "01_x", "surrogate", "full", STANDIN | {"claim": "a"}, STANDIN | {"part": "low"})
    put(folder, "01_x", "a-users-own", "full", {"claim": "not listed"})
    put(
        folder,
        "02_y",
        "replay:m",
        "quick",
        {"claim": "b"},
        {"part": "high", "low": None, "paper_effect": None},
    )
    runs = "notebook,model,profile,command,minutes\n01_x,surrogate,full,./a,12\n02_y,replay:m,quick,./b,0.5\n"
    (tmp_path / "runs.csv").write_text(runs)
    return folder


def test_language_models_come_first_and_only_listed_runs_count(results: Path) -> None:
    table = evidence.table(results, results.parent / "runs.csv")
    assert table["claim"].tolist() == ["b", "answers help", "a", "answers help"]
    assert table["profile"].tolist() == ["quick", "quick", "full", "full"]
    first = table.iloc[0]
    assert (first["command"], first["minutes"], first["unit"], first["clusters"]) == (
        "./b",
        0.5,
        "targets",
        40,
    )
    assert set(table["tolerance"]) == {evidence.SAME_BYTES}


def test_the_page_says_how_each_run_is_made_and_shows_parts_below_their_claim(results: Path) -> None:
    page = evidence.markdown(evidence.table(results, results.parent / "runs.csv"))
    assert "## 02_y: `replay:m`, profile `quick`\n\n`./b`: 0.5 minutes on two cores; tolerance: byte-" in page
    assert (
        "| b | +0.100 [+0.050, +0.150] | +0.200 | 40 targets | 0.040 | holds | same, excludes its size |"
        in page
    )
    assert "| → in high | +0.100 | - | 40 targets |" in page
    assert "| consequence of: plans perfectly | - |" in page


def test_the_readme_shows_the_first_claims_between_its_marks(results: Path) -> None:
    table = evidence.table(results, results.parent / "runs.csv")
    readme = f"above\n{evidence.BEGIN}\nformer\n{evidence.END}\nbelow\n"
    made = evidence.in_readme(readme, table)
    assert made.startswith("above\n") and made.endswith("\nbelow\n") and "former" not in made
    assert "| b | 02 | replay:m | +0.100 [+0.050, +0.150] | 40 targets | holds |" in made
    assert "→" not in made
    assert evidence.in_readme(made, table) == made


def test_the_readme_begins_with_real_models_whose_claims_could_be_tested(results: Path) -> None:
    one = evidence.table(results, results.parent / "runs.csv").query("part == 'all' and model == 'replay:m'")
    rows = [
        ("few clusters", "replay:m", 9, "not tested"),
        ("nobody", paths.NO_MODEL, 400, "holds"),
        ("unfit", "replay:m", 40, "not tested"),
        ("tested", "replay:m", 40, "fails"),
    ]
    told = ("claim", "model", "clusters", "verdict")
    many = pd.concat([one.head(1).assign(**dict(zip(told, row, strict=True))) for row in rows])
    named = [line.split(" | ")[0].strip("| ") for line in evidence.excerpt(many).splitlines()[2:]]
    assert named == ["tested", "few clusters", "unfit", "nobody"]


def test_the_readme_has_every_claim_of_a_real_model_with_a_test(results: Path) -> None:
    one = evidence.table(results, results.parent / "runs.csv").query("part == 'all' and model == 'replay:m'")
    number = evidence.FIRST + 3
    tested = [one.head(1).assign(claim=f"claim {n}", clusters=40, verdict="fails") for n in range(number)]
    many = pd.concat([one.head(1).assign(claim="too few", clusters=9, verdict="not tested"), *tested])
    named = [line.split(" | ")[0].strip("| ") for line in evidence.excerpt(many).splitlines()[2:]]
    assert named == [f"claim {n}" for n in range(number)]


def test_claims_in_a_table_of_their_own_are_listed_with_their_unit(results: Path) -> None:
    folder = results / "02_y/replay-m/quick"
    theirs = pd.DataFrame([ROW | {"claim": "orders matter"}])
    unit = theirs.columns[list(theirs).index("pairs") + 1]
    theirs.rename(columns={unit: "orders"}).to_csv(folder / "order_claims.csv", index=False)
    table = evidence.table(results, results.parent / "runs.csv")
    row = table[table["claim"] == "orders matter"].iloc[0]
    assert (row["unit"], row["notebook"], row["profile"]) == ("orders", "02_y", "quick")


def test_a_missing_table_and_one_of_an_older_form_are_said(results: Path) -> None:
    path = results / "02_y/replay-m/quick/hypotheses.csv"
    pd.DataFrame([ROW]).drop(columns="part").to_csv(path, index=False)
    with pytest.raises(MnemocraftError, match=r"02_y/replay-m/quick/hypotheses\.csv is of an older form"):
        evidence.table(results, results.parent / "runs.csv")
    path.unlink()
    with pytest.raises(
        MnemocraftError, match=r"hypotheses\.csv is missing, and data/runs\.csv lists its run"
    ):
        evidence.table(results, results.parent / "runs.csv")


def test_verdicts_of_a_standin_or_from_few_clusters_are_found(results: Path) -> None:
    table = evidence.table(results, results.parent / "runs.csv")
    assert standin_verdicts(results) == [] and few_clusters(table) == []
    (results / "01_x/surrogate/full/other.csv").write_text("paper_verdict,found\nholds,it agrees with it\n")
    assert standin_verdicts(results) == ["01_x/surrogate/full/other.csv, column found"]
    assert few_clusters(table.assign(clusters=19)) == [
        "02_y, 19 targets: b",
        "02_y, 19 targets: answers help",
    ]


def test_claims_md_and_the_readme_are_what_the_committed_tables_give() -> None:
    table = evidence.table()
    assert evidence.CLAIMS.exists(), f"run `{COMMAND}`"
    assert evidence.CLAIMS.read_text() == evidence.markdown(table), f"run `{COMMAND}`"
    readme = evidence.README.read_text()
    assert readme == evidence.in_readme(readme, table), f"run `{COMMAND}`"


def test_no_committed_table_of_the_standin_has_a_verdict() -> None:
    """A stand-in proves nothing: run the notebook again if this names a table that an older version made."""
    assert standin_verdicts(evidence.RESULTS) == []


def test_no_committed_verdict_is_from_fewer_than_20_clusters() -> None:
    assert few_clusters(evidence.table()) == []


def test_the_largest_committed_run_of_each_notebook_and_model_is_listed() -> None:
    if not (paths.ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "ls-files", "data/results/*/hypotheses.csv"]
    tracked = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=True).stdout
    largest: dict[tuple[str, str], str] = {}
    for _, _, notebook, model, profile, _ in (line.split("/") for line in tracked.split()):
        largest[notebook, model] = max(
            profile, largest.get((notebook, model), "smoke"), key=paths.PROFILES.index
        )
    runs = pd.read_csv(evidence.RUNS).itertuples()
    assert {(run.notebook, paths.slug(run.model)): run.profile for run in runs} == largest


def test_every_listed_run_names_its_notebook_and_profile() -> None:
    for run in pd.read_csv(evidence.RUNS).itertuples():
        assert (paths.NOTEBOOKS / f"{run.notebook}.ipynb").exists()
        assert re.search(rf"--only {run.notebook[:2]}\b", run.command)
        assert ("--profile full" in run.command) == (run.profile == "full")
        assert run.minutes > 0
        assert is_surrogate(run.model) or ":" in run.model or run.model == paths.NO_MODEL
