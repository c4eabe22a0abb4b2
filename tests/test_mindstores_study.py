"""The study of MindStores: what is played, and its tables, claims, figures and findings on a small run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mnemocraft import figstyle
from mnemocraft.errors import MnemocraftError
from mnemocraft.runs import ModelSpec, run_study
from mnemocraft.studies import papers
from mnemocraft.studies.mindstores import analysis, findings, load, sweep, tables


@pytest.fixture(scope="module")
def records(tmp_path_factory) -> pd.DataFrame:
    out = tmp_path_factory.mktemp("mindstores")
    return run_study(sweep.study("smoke", [0]), ModelSpec("surrogate"), out=out, workers=1, progress=False)


@pytest.fixture(scope="module")
def found(records) -> dict[str, pd.DataFrame]:
    return analysis.tables(records)


def test_the_grid_has_the_papers_tasks_and_every_player_the_same_games():
    assert len(load.tasks()) == 52 and load.tasks()[-1] == "diamond"
    for profile in load.SIZES:
        streams = sweep.study(profile, [0, 1]).streams
        games: dict[tuple[str, str], set] = {}
        for stream in streams:
            choice = stream.condition.settings
            games.setdefault((choice["part"], choice["player"]), set()).update(
                (t, stream.seed) for t in stream.tasks
            )
        for part, players in load.PLAYERS.items():
            assert len({frozenset(games[part, player]) for player in players}) == 1
    assert len(games["fresh", "deps"]) == 52 * 30
    assert max(load.Size(None, n, 1).trials for n in (30,)) <= sweep.APART
    with pytest.raises(MnemocraftError, match="no profile"):
        sweep.study("huge", [0])


def test_equal_games_have_equal_seeds_whatever_the_part():
    for settings in ({"part": "fresh"}, {"part": "shared"}):
        assert sweep.begin(settings, 1, "stick/4")[1] == 1000 * 34 + 2


def test_every_table_and_figure_of_a_small_run(records, found, tmp_path):
    assert (records["status"] == "ok").all()
    assert len(found["table2"]) == 2 * 53 and set(found["table4"]["player"]) == set(load.FRESH_PLAYERS)
    assert list(found["figure5"].query("group == 'AVG'")["k"]) == list(load.NEIGHBOURS)
    gap = found["hypotheses"].loc[0, "paper_effect"]
    means = papers.table("mindstores_table2").groupby("method")["success_rate"].mean()
    assert np.isclose(gap, (means["MINDSTORES"] - means["DEPS"]) / 100)
    assert found["hypotheses"]["verdict"].str.match("consequence of|not built in").all()
    conduct = found["conduct"].set_index(["part", "player"])
    assert (
        conduct.loc[("fresh", "unaided"), "recalled"] == 0 < conduct.loc[("fresh", "mindstores"), "recalled"]
    )
    assert conduct.loc[("fresh", "no_prediction"), "predictions"] == 0
    for name, figure in analysis.draw(found, "surrogate").items():
        assert figstyle.save(figure, tmp_path, name)[0].is_file()


def test_findings_are_made_from_tables_and_say_nothing_without_them(found):
    lines = findings.findings({"surrogate": found})
    assert any("nothing is decided about language models" in line for line in lines)
    assert findings.findings({"surrogate": {"table4": found["table4"]}}) == []


def test_the_papers_numbers_by_meta_task_are_the_means_of_its_rows():
    rows = papers.table("mindstores_table2").groupby(["meta_task", "method"])["success_rate"].mean()
    table = papers.table("mindstores_table4")
    for group, method, printed in zip(
        table["meta_task"], table["method"], table["success_rate"], strict=True
    ):
        assert abs(rows[group, method.partition(" ")[0]] - printed) < 0.11


def test_a_game_is_a_trial_of_a_task(records):
    episodes = tables.prepare(records)
    fresh = episodes[episodes["part"] == load.FRESH]
    assert set(fresh["trial"]) == {0, 1} and fresh.groupby("player").size().nunique() == 1


def test_a_run_that_is_taken_up_again_ends_with_the_same_records(tmp_path):
    whole = sweep.study("smoke", [0])
    shared = tuple(s for s in whole.streams if s.condition.settings["player"] == load.FULL)
    study, spec = replace(whole, streams=shared), ModelSpec("surrogate")
    begun = replace(study, streams=tuple(replace(s, tasks=s.tasks[:3]) for s in shared))
    run_study(begun, spec, out=tmp_path / "twice", workers=1, progress=False)
    runs = [run_study(study, spec, out=tmp_path / n, workers=1, progress=False) for n in ("twice", "once")]
    one, other = (run.drop(columns="wall_s") for run in runs)
    pd.testing.assert_frame_equal(one, other)
