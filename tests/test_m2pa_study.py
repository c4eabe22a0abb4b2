"""M2PA's study: its tasks against the paper's tables, its grid, what it measures, and what it says."""

from __future__ import annotations

import asyncio

import pandas as pd
import pytest

from helpers import Stand
from mnemocraft.envs.minecraft import plan
from mnemocraft.errors import MnemocraftError
from mnemocraft.runs import ModelSpec, run_study
from mnemocraft.studies import papers
from mnemocraft.studies.m2pa import analysis, findings, load, sweep, tables


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    study = sweep.study("smoke", [0])
    spec = ModelSpec.of_notebook("surrogate", None, None)
    return run_study(study, spec, out=tmp_path_factory.mktemp("run"), workers=1, progress=False)


def test_the_tasks_are_those_of_the_paper_and_can_be_had():
    table5, table6 = papers.table("m2pa_table5"), papers.table("m2pa_table6")
    levels = table6.drop_duplicates("task").set_index("task")["level"]
    assert {task.name: task.level for task in load.tasks()} == dict(levels.drop("craft raw gold block"))
    steps = table5.set_index("task")["max_steps"]
    for task in load.tasks():
        assert task.max_steps == steps.get(task.name, 36_000)
        assert not plan(task.item, version=load.VERSION).reason, task
    assert len({task.item for task in load.tasks()}) == 49


def test_all_players_meet_the_same_tasks_with_the_same_seeds():
    study = sweep.study("quick", [0, 1])
    assert len(study.streams) == 2 * len(load.PLAYERS)
    assert len({stream.tasks for stream in study.streams}) == 1
    assert len(study.streams[0].tasks) == len(set(study.streams[0].tasks)) == 3 * 49
    own = [sweep.begin({}, seed, task)[1] for seed in (0, 1) for task in study.streams[0].tasks]
    assert len(set(own)) == len(own)
    full = sweep.study("full", [7])
    assert len({stream.seed for stream in full.streams}) * load.ATTEMPTS["full"] == papers.fact(
        "m2pa", "episodes_per_task"
    )
    for wrong in (("large", [0]), ("quick", [])):
        with pytest.raises(MnemocraftError):
            sweep.study(*wrong)


def test_the_world_begins_empty():
    world, _ = sweep.begin({}, 0, "1/stick")
    assert world.inventory == {} and world.task.goal == "obtain 1 stick" and world.task.max_steps == 12_000


def test_every_player_has_its_rows(records):
    assert set(records["player"]) == set(load.PLAYERS) and len(records) == 5 * len(load.PLAYERS)
    found = analysis.tables(records)
    assert set(found["table1"]["player"]) == set(load.PLAYERS)
    cell = found["table1"].query("player == 'm2pa' and level == 'Hard'")
    assert cell["paper"].tolist() == [0.52]
    row = found["table2"].query("what == 'diamond_pickaxe' and player == 'm2pa'")
    assert row.empty, "smoke does not play it"
    missing = found["table6"].query("item == 'chest' and player == 'deps'")
    assert missing["paper"].round(4).tolist() == [0.8667]
    assert found["table6"].query("item == 'clock'")["n"].eq(0).all()
    assert set(found["statuses"]["player"]) == set(load.PLAYERS)
    assert {name for name, _ in analysis.draw(found, "surrogate").items()} == {
        "table1",
        "figure7",
        "verdicts",
    }
    claims = found["hypotheses"]
    assert claims["verdict"].str.startswith(("consequence of", "not built in")).all()
    assert "nothing is decided about language models" in findings.findings({"surrogate": found})[-1]
    assert findings.findings({"gpt": {}}) == []


def test_the_conditional_rate_counts_attempts_after_the_first_success():
    rows = [("stick", attempt, passed) for attempt, passed in ((1, 0), (2, 1), (3, 0))]
    rows += [("bowl", attempt, passed) for attempt, passed in ((1, 1), (2, 1), (3, 1))]
    episodes = pd.DataFrame(rows, columns=["item", "attempt", "passed"]).assign(
        player="m2pa", seed=0, level="Easy"
    )
    found = tables.conditional(episodes.astype({"passed": float})).set_index("rate")
    assert (found["value"]["overall"], found["n"]["overall"]) == (pytest.approx(4 / 6), 6)
    assert (found["value"]["conditional"], found["n"]["conditional"]) == (pytest.approx(2 / 3), 3)


def test_a_stream_taken_up_again_goes_on_as_it_would_have():
    study, model = sweep.study("quick", [0]), Stand("surrogate")
    stream = next(each for each in study.streams if each.condition.id == "m2pa")
    names, whole = stream.tasks[5:20], sweep.start(stream, model)
    episodes = [asyncio.run(whole.episode(task)) for task in names]
    again = sweep.start(stream, model)
    again.restore([episode.memory_delta for episode in episodes[:8]])
    for task, before in zip(names[8:], episodes[8:], strict=True):
        assert asyncio.run(again.episode(task)) == before
