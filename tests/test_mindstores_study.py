"""The study of MindStores: what is played, and its tables, claims, figures and findings on a small run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mnemocraft import figstyle
from mnemocraft.errors import MnemocraftError
from mnemocraft.runs import ModelSpec, read_events, read_memory, run_study
from mnemocraft.runs.events import Recall
from mnemocraft.studies import papers
from mnemocraft.studies.mindstores import analysis, browse, findings, lifelong, load, sweep, tables
from mnemocraft.viewer import HEADLESS


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("mindstores")


@pytest.fixture(scope="module")
def records(run_folder) -> pd.DataFrame:
    pytest.importorskip("numba", reason="the overworld needs numba (extra `minecraft`)")
    study = sweep.study("smoke", [0])
    return run_study(study, ModelSpec("surrogate"), out=run_folder, workers=1, progress=False)


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
            if part != load.SKILLS:  # there the number of plans is the same, and a trial may take several
                assert len({frozenset(games[part, player]) for player in players}) == 1
        for stream in streams:
            assert len(set(stream.tasks)) == len(stream.tasks)
    assert len(games["fresh", "deps"]) == 52 * 30
    assert all(size[load.FRESH].trials <= sweep.APART for size in load.SIZES.values())
    with pytest.raises(MnemocraftError, match="no profile"):
        sweep.study("huge", [0])


def test_equal_games_have_equal_seeds_whatever_the_part():
    for settings in ({"part": "fresh"}, {"part": "shared"}):
        assert sweep.begin(settings, 1, "stick/4")[1] == 1000 * 34 + 2


def test_learners_of_skills_may_carry_out_as_many_plans_and_stay_the_same():
    plans: dict[str, int] = {}
    for stream in sweep.study("full", [0]).streams:
        player = load.PLAYERS[stream.condition.settings["part"]][stream.condition.settings["player"]]
        if stream.condition.id.endswith("/iron_ore"):
            name = stream.condition.settings["player"]
            plans[name] = len(stream.tasks) * (player.options.get("max_rounds", 0) + 1)
    assert set(plans.values()) == {load.SIZES["full"][load.SKILLS].trials} and len(plans) == 3
    for part in load.LEARNERS:
        assert {sweep.begin({"part": part}, 3, f"coal/{trial}")[1] for trial in range(3)} == {3}


def test_orders_are_permutations_of_the_ten_tasks_and_the_first_one_is_as_listed():
    assert load.ordered(load.TEN, 0) == list(load.TEN) and load.TEN[-1] == "minecart"
    found = {tuple(load.ordered(load.TEN, seed)) for seed in range(24)}
    assert len(found) == 24 and {frozenset(order) for order in found} == {frozenset(load.TEN)}
    assert set(load.TEN) <= set(load.tasks()) and set(load.ABROAD) <= set(load.tasks())
    assert set(lifelong.ITEM_OF.values()) <= set(load.TEN)


def toy(rows) -> pd.DataFrame:
    columns = ["part", "player", "item", "seed", "trial", "plans", "calls", "passed"]
    return pd.DataFrame(rows, columns=columns)


def test_iterations_end_with_the_first_success_and_count_all_where_there_is_none():
    part = load.SKILLS
    episodes = toy(
        [
            (part, "reflexion", "log", 0, 0, 1, 2, 0.0),
            (part, "reflexion", "log", 0, 2, 1, 2, 0.0),  # not in order
            (part, "reflexion", "log", 0, 1, 1, 1, 1.0),
            (part, "reflexion", "log", 1, 0, 1, 2, 0.0),
            (part, "reflexion", "log", 1, 1, 1, 2, 0.0),
            (part, "mindstores", "log", 0, 0, 3, 9, 1.0),
        ]
    )
    found = lifelong.learners(episodes).set_index(["player", "item", "seed"])
    assert found.loc[("reflexion", "log", 0)].tolist() == [2, 3, 1]
    assert found.loc[("reflexion", "log", 1)].tolist() == [2, 4, 0]
    assert found.loc[("mindstores", "log", 0)].tolist() == [3, 9, 1]
    table = lifelong.table3(episodes).set_index(["item", "player"])
    assert table.loc[("log", "reflexion"), ["value", "learnt", "n", "paper"]].tolist() == [2, 0.5, 2, 9]
    assert table.loc[("iron_ore", "voyager"), "n"] == 0 and table.loc[("iron_ore", "voyager"), "paper"] == 500
    curve = lifelong.learnt(episodes).set_index(["player", "iterations"])["value"]
    assert curve["reflexion", 1] == 0 and curve["reflexion", 3] == 0.5 and curve["mindstores", 3] == 1


def test_plans_are_summed_in_the_order_of_each_seed():
    part, items = load.CONTINUAL, ("wooden_door", "minecart")
    swapped = next(seed for seed in range(1, 9) if load.ordered(items, seed) == ["minecart", "wooden_door"])
    episodes = toy(
        [
            (part, player, item, seed, 0, plans, 1, 1.0)
            for player, more in (("mindstores", 0), ("reset", 2))
            for seed in (0, swapped)
            for item, plans in (("minecart", 5 + more), ("wooden_door", 1 + more))
        ]
    ).assign(steps=10, entries=3, prompt=0.0, model="m")
    table = lifelong.figure6(episodes).set_index(["player", "place"])
    assert table.loc[("mindstores", 1), ["value", "low", "high"]].tolist() == [3, 1, 5]
    assert table.loc[("mindstores", 2), ["value", "low", "high", "steps"]].tolist() == [6, 6, 6, 20]
    last = lifelong.printed(episodes).set_index("task").loc["Minecart"]
    assert last[["place", "plans", "steps", "paper_steps"]].tolist() == [2, 6, 20, 9112]
    found = lifelong.orders(episodes).set_index("player")
    assert found.loc["reset", ["value", "fewest", "most", "orders"]].tolist() == [5, 5, 5, 2]
    saved = lifelong.verdicts(episodes).iloc[0]
    assert saved["effect"] == -2 and saved["verdict"] != "holds", "two orders decide nothing"


def test_the_browser_finds_what_the_episode_recalled(records, run_folder, monkeypatch):
    monkeypatch.setenv(HEADLESS, "1")
    page = browse.memory_browser(records, run_folder)
    assert page.data.count("data:image/png") == 1
    mine = records.query(f"part == '{load.SHARED}' and player == '{load.FULL}'").sort_values("index")
    known, before = browse._kept(read_memory(run_folder, mine))
    assert len(known) == mine["entries"].iloc[-1] and before[0] == 0
    checked = 0
    for _, row in mine.iterrows():
        events = read_events(run_folder, row)
        first = next((event for event in events if isinstance(event, Recall) and not event.query), None)
        if first is None or before[row["index"]] == 0:
            continue
        entries, find = browse.opened(known, {"q": browse._asked(events, before[row["index"]])})
        hits = find("q").hits
        assert [entries.texts[place] for place, _ in hits] == [hit["text"] for hit in first.hits]
        assert np.allclose([score for _, score in hits], [hit["score"] for hit in first.hits], atol=1e-6)
        checked += 1
    assert checked >= 2
    assert "has not been played" in browse.memory_browser(records.query("part == 'fresh'"), run_folder)


def test_every_table_and_figure_of_a_small_run(records, found, tmp_path):
    assert (records["status"] == "ok").all()
    assert len(found["table2"]) == 2 * 53 and set(found["table4"]["player"]) == set(load.FRESH_PLAYERS)
    assert list(found["figure5"].query("group == 'AVG'")["k"]) == list(load.NEIGHBOURS)
    assert len(found["table3"]) == 18 and len(found["figure6_printed"]) == 4
    assert set(found["orders"]["player"]) == set(load.CONTINUAL_PLAYERS)
    assert (found["orders"]["fewest"] <= found["orders"]["most"]).all()
    assert list(found["table1"]["in_table2"]) == [7, 9, 7, 6, 7, 6, 10, 1]
    gap = found["hypotheses"].loc[0, "paper_effect"]
    means = papers.table("mindstores_table2").groupby("method")["success_rate"].mean()
    assert np.isclose(gap, (means["MINDSTORES"] - means["DEPS"]) / 100)
    assert set(found["hypotheses"]["verdict"]) == {"not tested"}, "in so few tasks"
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
