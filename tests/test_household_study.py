"""The household study: what it plays, the papers' numbers, and its tables on records whose truth is known."""

from __future__ import annotations

import pandas as pd
import pytest

from deps_synthetic import synthetic
from mnemocraft.errors import MnemocraftError
from mnemocraft.studies import findings as committed
from mnemocraft.studies import papers
from mnemocraft.studies.deps import measures
from mnemocraft.studies.deps import tables as rounds
from mnemocraft.studies.household import analysis, findings, load, sweep

KINDS, STEM = list(load.LABELS), load.STEM


def test_full_has_the_papers_games_by_type():
    paper = papers.table("gig_table18").drop_duplicates("type").set_index("type")["n_tasks"]
    games = load.games("full")
    assert {str(load.NUMBERS[kind]): len(names) for kind, names in games.items()} | {"Average": 134} == dict(
        paper
    )
    assert sum(map(len, games.values())) == papers.fact("gig", "alfworld_tasks")
    assert (
        sweep.MAX_STEPS
        == papers.fact("gig", "alfworld_max_steps")
        == papers.fact("deps", "alfworld_max_steps")
    )


def test_the_ten_tasks_are_as_many_of_each_type_as_depss():
    groups = papers.table("deps_table5")["group"].value_counts()
    assert {load.LABELS[kind]: number for kind, number in load.TEN.items()} == dict(groups)
    ten = load.ten("full")
    assert len({load.task_of(game) for game in ten}) == 10 and load.runs("full", [3]) == [0, 1, 2, 3, 4]
    assert set(ten) <= {name for names in load.games("full").values() for name in names}


def test_all_players_of_a_part_meet_the_same_games():
    study = sweep.study("quick", [0, 1])
    met: dict[str, set] = {}
    for stream in study.streams:
        met.setdefault(stream.condition.settings["player"], set()).update(
            (task, stream.seed) for task in stream.tasks
        )
    by_part = {
        part: [met[p] for p, who in load.PLAYERS.items() if who.part == part] for part in ("types", "ten")
    }
    assert all(each == group[0] for group in by_part.values() for each in group)
    assert len(by_part["types"][0]) == 18 and len(by_part["ten"][0]) == 20
    assert len({stream.condition.id + str(stream.seed) for stream in study.streams}) == len(study.streams)
    for wrong in (("large", [0]), ("quick", [])):
        with pytest.raises(MnemocraftError):
            sweep.study(*wrong)


def test_the_papers_averages_are_those_of_its_types_but_for_one():
    differing = {}
    for number in (18, 19, 20):
        table = papers.table(f"gig_table{number}").dropna(subset=["pass_rate"])
        for method, rows in table.groupby("method"):
            types = rows[rows["type"] != "Average"]
            mean = (types["pass_rate"] * types["n_tasks"]).sum() / types["n_tasks"].sum()
            printed = float(rows.loc[rows["type"] == "Average", "pass_rate"].iloc[0])
            if abs(mean - printed) > 1:
                differing[number, method] = printed
    assert differing == {(19, "ReCAP"): 86}


def test_depss_averages_are_means_of_its_ten_tasks_but_butlers():
    table = papers.table("deps_table6")
    number = papers.table("deps_table5")["group"].value_counts()
    printed = table[table["group"] == "Average"].set_index("method")["success_rate"]
    for method, rows in table[table["group"].isin(number.index)].groupby("method"):
        mean = (rows["success_rate"] * rows["group"].map(number)).sum() / 10
        assert (abs(mean - printed[method]) < 0.6) == (method != "BUTLER"), method


@pytest.fixture(scope="module")
def records() -> pd.DataFrame:
    """GiG and DEP solve all, ReAct and IM in sub-goals what is of the first type, the others nothing."""
    rows = []
    for player in ("gig", "react"):
        for kind, names in load.games("quick").items():
            success = player == "gig" or kind == "pick_and_place_simple"
            rows += [(player, kind, 0, name, success) for name in names]
    solved = {"dep": load.ten("quick"), "im_goals": load.games("quick")[KINDS[0]]}
    for player in ("dep", "gpt", "im", "im_goals"):
        rows += [
            (player, "ten", seed, name, name in solved.get(player, ()))
            for seed in (0, 1)
            for name in load.ten("quick")
        ]
    table = pd.DataFrame(rows, columns=["player", "part", "seed", "task", "success"])
    facts = {"model": "surrogate", "status": "ok", "steps": 7, "calls": 3, "tokens_planner_prompt": 100}
    reason = table["success"].map({True: "success", False: "max_steps"})
    return table.assign(**facts, reason=reason, condition=table["player"])


def test_every_number_of_the_papers_has_its_row_also_where_nothing_was_run(records):
    found = analysis.tables(records)
    for number in (3, 18, 19, 20):
        assert len(found[f"table{number}"]) == len(papers.table(f"gig_table{number}"))
    assert len(found["table6"]) == 35  # the repeated row of averages is left out
    recap = found["table3"].query("player == 'recap'")
    assert (recap["n"] == 0).all() and recap["paper"].notna().all()


def test_rates_by_type_and_their_average(records):
    found = analysis.tables(records)
    mine = found["table18"].query("player == 'react'").set_index("what")
    assert mine.loc["Pick & Place", "value"] == 1 and mine.loc["Heat & Place", "value"] == 0
    assert mine.loc["Average", "value"] == pytest.approx(3 / 18) and mine.loc["Average", "n"] == 18
    wilson = 3 / (3 + 1.959964**2)  # the lower end where all of three succeeded
    assert mine.loc["Pick & Place", ["low", "high"]].tolist() == pytest.approx([wilson, 1])
    assert mine.loc["Heat & Place", ["low", "high"]].tolist() == pytest.approx([0, 1 - wilson])
    six = found["table6"].set_index(["group", "method"])
    assert six.loc[("Pick & Place", "DEP"), ["value", "n"]].tolist() == [1, 6]
    assert six.loc[("Average", "GPT"), ["value", "n", "paper"]].tolist() == [0, 20, 0.1]
    assert found["table17"]["games"].tolist() == [3] * 6


def test_the_bars_of_figure_1_are_those_that_notebook_03_shows(records, monkeypatch):
    """Ten tasks, two seeds: in sub-goals the three of the first type are solved, in commands none."""
    left = {STEM: {"figure1": analysis.tables(records)["figure1"]}}
    monkeypatch.setattr(committed, "shipped", lambda stem: ("quick", {"surrogate": left.get(stem, {})}))
    shown = rounds.figure1(measures.prepare(synthetic(seeds=(0,)))).set_index(["environment", "controller"])
    bars = shown.loc["ALFWorld"]
    assert bars["value"].to_dict() == {"oracle": 6 / 20, "learned": 0} and (bars["n"] == 20).all()
    assert (bars["low"] <= bars["value"]).all() and (bars["world"] == "alfworld").all()
    assert bars["paper"].iloc[0] == 0.42 and (shown.loc["Tabletop", "n"] == 0).all()
    assert shown.loc[("Minecraft", "oracle"), "n"] > 0


def test_a_stand_in_gets_no_verdict_and_ten_games_no_test(records):
    judged = analysis.tables(records)["hypotheses"].set_index("claim")
    assert not set(judged["verdict"]) & {"holds", "fails", "undecided"}
    assert judged.loc["GiG solves more than ReAct", "effect"] == pytest.approx(15 / 18)
    assert judged.loc["DEP solves more than GPT", "paper_effect"] == pytest.approx(0.66)
    assert judged.loc["GiG solves more than ReCAP", "paper_effect"] == pytest.approx(0.08)
    other = analysis.tables(records.assign(model="some-model"))["hypotheses"].set_index("claim")
    assert other.loc["DEP solves more than GPT", "tasks"] == 10
    assert other.loc["DEP solves more than GPT", "verdict"] not in ("holds", "fails")


def test_findings_are_made_from_what_is_there(records):
    found = analysis.tables(records)
    said = findings.findings({"surrogate": found})
    assert "18 games" in said[0] and "ReCAP" not in said[0] and "no" in said[-1]
    assert "succeeds in 0.30 [0.11, 0.60] of the episodes when a script" in said[2] and "in 0.00 [" in said[2]
    assert findings.findings({"surrogate": {}}) == [
        "With a stand-in nothing is decided about language models."
    ]


def test_figures_of_partial_records_are_drawn(records):
    drawn = analysis.draw(analysis.tables(records), "surrogate")
    assert set(drawn) == {"figure6", "table6", "verdicts"}


def test_what_is_missing_is_said_in_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("ALFWORLD_DATA", str(tmp_path))
    monkeypatch.setattr(load, "NEEDS", ())
    assert load.problem("quick") == "" and "alfworld-download" in load.problem("full")
    monkeypatch.setattr(load, "NEEDS", ("no_such_engine",))
    assert load.problem("quick").startswith("ALFWorld needs no_such_engine")
