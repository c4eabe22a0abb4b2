"""What is the same in all studies, on synthetic records whose truth is known: files, sentences, figures."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import deps_synthetic
import gig_synthetic
import how2_synthetic
from mnemocraft import figstyle, stats
from mnemocraft.errors import MnemocraftError, one_of
from mnemocraft.runs import code_version
from mnemocraft.studies import boxes, checks, claims, estimates, report
from mnemocraft.studies.deps import analysis as deps
from mnemocraft.studies.gig import analysis as gig
from mnemocraft.studies.gig import diagram as gig_diagram
from mnemocraft.studies.how2 import analysis as how2

WEAK = "surrogate:knowledge=0.5"
Tables = dict[str, pd.DataFrame]


class Case(NamedTuple):
    """A study: its records, what is measured and drawn, and figures that are not of a model; whether
    the rows of its tables have an order of their own, or that of the records."""

    records: Callable[[], pd.DataFrame]
    tables: Callable[[pd.DataFrame], Tables]
    draw: Callable[[Tables, str], dict]
    of_data: tuple[str, ...]
    ordered: bool = True


CASES = {
    "how2": Case(
        lambda: how2_synthetic.synthetic(1, size=60),
        lambda records: how2.tables(records, Path("no trajectory is read")) | how2.data_tables(),
        lambda found, model: how2.draw({model: found}) | {"method": boxes.diagram("how2")},
        ("figure6", "method"),
    ),
    "gig": Case(
        lambda: gig_synthetic.synthetic(seeds=(42, 84)),
        lambda records: gig.tables(records, gig_synthetic.synthetic("weak", seeds=(42, 84))),
        lambda found, model: (
            gig.draw(found, model, WEAK if model == "surrogate" else "other")
            | {"method": gig_diagram.diagram()}
        ),
        ("method",),
    ),
    "deps": Case(
        lambda: deps_synthetic.synthetic(seeds=(0, 1)),
        lambda records: deps.tables(records, "tables9-16", "paper"),
        lambda found, model: deps.draw(found, model) | {"method": boxes.diagram("deps")},
        ("method",),
        ordered=False,
    ),
}


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


@pytest.fixture(scope="module")
def found(case: Case) -> Tables:
    return case.tables(case.records())


# --- files


def test_tables_hold_results_only_and_do_not_depend_on_row_order(case: Case, tmp_path: Path) -> None:
    records = case.records()
    for folder, rows in (("a", records), ("b", records.sample(frac=1, random_state=1))):
        tables = case.tables(rows)
        report.write(tables if folder == "a" else dict(reversed(tables.items())), rows, tmp_path / folder)
    for path in (tmp_path / "a").iterdir():
        one, other = (each.read_text().splitlines() for each in (path, tmp_path / "b" / path.name))
        assert one == other if case.ordered else sorted(one) == sorted(other), path.name
    told = json.loads((tmp_path / "a" / report.PROVENANCE).read_text())
    assert set(told["tables"]) == {path.stem for path in (tmp_path / "a").glob("*.csv")}
    source = told["tables"]["hypotheses"]
    assert source["model"] == "surrogate" and source["commit"] == code_version()
    assert source["seeds"] == " ".join(map(str, sorted(records["seed"].unique()))) and source["config"]
    for path in (tmp_path / "a").glob("*.csv"):
        assert not set(pd.read_csv(path).columns) & {"model", "seeds", "commit", "config"}


def test_provenance_keeps_what_other_runs_wrote_and_forgets_lost_tables(tmp_path: Path) -> None:
    table = pd.DataFrame({"value": [0.1234567]})
    report.write({"one": table, "lost": table}, {"model": "none", "seeds": "1"}, tmp_path)
    (tmp_path / "lost.csv").unlink()
    report.write({"two": table}, {"model": "m", "seeds": "2"}, tmp_path, {"two": ["value"]})
    told = json.loads((tmp_path / report.PROVENANCE).read_text())
    assert {name: source["model"] for name, source in told["tables"].items()} == {"one": "none", "two": "m"}
    assert told["packages"]["numpy"] == np.__version__ and told["machine"]["architecture"]
    assert (tmp_path / "one.csv").read_text() == "value\n0.123457\n"
    assert (tmp_path / "two.csv").read_text() == "value\n0.1235\n"


def test_statuses_count_every_episode_and_show_what_was_planned() -> None:
    ended = {"status": ["ok", "ok", "crash"], "reason": ["success", "max_steps", "crash"]}
    episodes = pd.DataFrame({"world": "w", "method": ["b", "b", "a"]} | ended)
    by = ["world", "method"]
    table = estimates.statuses(episodes, by, [("w", "a"), ("w", "b"), ("w", "c")])
    assert table["episodes"].tolist() == [1, 2, 0] and table["crash"].tolist() == [1, 0, 0]
    assert list(table.columns[-2:]) == ["ended_max_steps", "ended_success"]
    assert estimates.statuses(episodes, by)["method"].tolist() == ["b", "a"]


@pytest.mark.parametrize(
    "check", [lambda: one_of("profile", "huge", ["quick"]), lambda: checks.check_seeds([], 42)]
)
def test_wrong_parameters_are_one_sentence(check: Callable[[], None]) -> None:
    with pytest.raises(MnemocraftError, match=r"^[^\n]+\.$"):
        check()


# --- claims


def test_sentences_have_effect_size_interval_and_the_papers_effect_if_there_is_one(found: Tables) -> None:
    table = found["hypotheses"]
    text = claims.sentences(table, "a model")
    assert text.count("\n") == len(table) - 1 and "nan" not in text
    whole = table[table["part"] == claims.ALL]
    assert text.count("Cohen's h") == whole["cohens_h"].notna().sum() > 0
    assert text.count("paper's effect ") == table["paper_effect"].notna().sum() > 0
    bounded = table.dropna(subset="low")
    assert ((bounded["low"] <= bounded["effect"]) & (bounded["effect"] <= bounded["high"])).all()


def test_of_a_claim_that_was_not_measured_no_parts_are_told(found: Tables) -> None:
    table = found["hypotheses"]
    name = table.loc[table["part"] != claims.ALL, "claim"].iloc[0]
    table = table.assign(verdict=table["verdict"].mask(table["claim"] == name, stats.NOT_MEASURED))
    lines = claims.sentences(table, "a model").splitlines()
    parts = (table["claim"] == name) & (table["part"] != claims.ALL)
    assert len(lines) == len(table) - parts.sum() < len(table)
    assert sum(f": {stats.NOT_MEASURED}**" in line for line in lines) == 1


# --- figures


def shown(figure: plt.Figure) -> list[plt.Text]:
    return [text for text in figure.findobj(plt.Text) if text.get_visible() and text.get_text().strip()]


def test_figures_are_legible_whole_and_marked(case: Case, found: Tables) -> None:
    for name, figure in case.draw(found, "surrogate").items():
        figure.draw_without_rendering()
        whole = figure.get_tightbbox(figure.canvas.get_renderer())  # inches
        assert whole.x0 >= -0.01 and whole.x1 <= figure.get_figwidth() + 0.01, name
        assert whole.y0 >= -0.01 and whole.y1 <= figure.get_figheight() + 0.01, name
        assert min(text.get_fontsize() for text in shown(figure)) >= figstyle.MIN_FONT, name
        marked = any(figstyle.SURROGATE_MARK in text.get_text() for text in shown(figure))
        assert marked == (name not in case.of_data), name
        assert figure.get_figwidth() in (figstyle.COLUMN, figstyle.PAGE)
        plt.close(figure)


def test_a_language_models_figures_bear_its_name_and_no_mark(case: Case, found: Tables) -> None:
    for name, figure in case.draw(found, "llama-3.3-70b").items():
        texts = " ".join(text.get_text() for text in shown(figure))
        assert figstyle.SURROGATE_MARK not in texts, name
        assert ("llama-3.3-70b" in texts) or name in (*case.of_data, "figure7"), name
        plt.close(figure)


@pytest.mark.parametrize(
    ("interval", "told"),
    [
        ((0.5, 0.3, 0.7), "yes"),
        ((0.5, 0.2, 0.7), "undecided (yes by its value)"),
        ((0.2, 0.1, 0.4), "undecided (no by its value)"),
        ((0.1, 0.0, 0.2), "no"),
        ((np.nan, np.nan, np.nan), "not measured"),
    ],
)
def test_a_goal_is_met_if_the_whole_interval_is_within_it(interval: tuple[float, ...], told: str) -> None:
    value, low, high = interval
    assert estimates.met({"value": value, "low": low, "high": high}, least=0.3) == told
    assert estimates.met({"value": 1 - value, "low": 1 - high, "high": 1 - low}, most=0.7) == told
