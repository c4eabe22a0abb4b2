"""M2PA's study: its tasks against the paper's tables, its grid, what it measures, and what it says."""

from __future__ import annotations

import asyncio
import json

import pandas as pd
import pytest

from helpers import Stand
from mnemocraft.envs.minecraft import plan
from mnemocraft.errors import MnemocraftError
from mnemocraft.memory import get_memory
from mnemocraft.memory.interface import Cue
from mnemocraft.runs import ModelSpec, run_study
from mnemocraft.studies import papers
from mnemocraft.studies.m2pa import analysis, browse, findings, fragments, lifelong, load, sweep, tables

pytest.importorskip("numba", reason="the overworld needs numba (extra `minecraft`)")
SECOND = "surrogate:knowledge=0.3"


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("run")


@pytest.fixture(scope="module")
def records(out):
    spec = ModelSpec.of_notebook("surrogate", None, None)
    return run_study(sweep.study("smoke", [0]), spec, out=out, workers=1, progress=False)


@pytest.fixture(scope="module")
def second(out):
    spec = ModelSpec.of_notebook(SECOND, None, None)
    return run_study(sweep.study("smoke", [0], True), spec, out=out / "compared", workers=1, progress=False)


def test_the_tasks_are_those_of_the_paper_and_can_be_had():
    table5, table6 = papers.table("m2pa_table5"), papers.table("m2pa_table6")
    levels = table6.drop_duplicates("task").set_index("task")["level"]
    assert {task.name: task.level for task in load.tasks()} == dict(levels)
    steps = table5.set_index("task")["max_steps"]
    for task in load.tasks():
        assert task.max_steps == steps.get(task.name, 36_000)
        assert not plan(task.item, version=load.VERSION).reason, task
    assert len({task.item for task in load.tasks()}) == 50


def test_hard_tasks_take_as_many_sub_goals_as_the_paper_prints():
    """A task that is another item than the paper's would stand out."""
    printed = papers.table("m2pa_table5").set_index("task")["min_subgoals"]
    for task in load.tasks():
        if task.level == "Hard" and task.name in printed:
            assert abs(len(plan(task.item, version=load.VERSION).steps) - printed[task.name]) <= 2, task


def test_the_players_of_a_scope_meet_the_same_tasks_with_the_same_seeds():
    for profile in ("quick", "full"):
        streams = sweep.study(profile, [0, 1]).streams
        for scope, size in load.SIZES[profile].items():
            mine = [each for each in streams if each.condition.settings["scope"] == scope]
            players = size.players or tuple(load.SCOPES[scope])
            assert {each.condition.settings["player"] for each in mine} == set(players)
            met = {
                name: {(e.seed, e.tasks) for e in mine if e.condition.id == f"{scope}/{name}"}
                for name in players
            }
            assert len(set(map(frozenset, met.values()))) == 1
        own = [
            sweep.begin({}, seed, task)[1]
            for seed, task in {
                (e.seed, task) for e in streams for task in e.tasks if e.condition.id == "main/m2pa"
            }
        ]
        assert len(set(own)) == len(own)
    full = [each for each in sweep.study("full", [7]).streams if each.condition.id == "main/m2pa"]
    assert len(full) * load.SIZES["full"]["main"].attempts == papers.fact("m2pa", "episodes_per_task")
    for wrong in (("large", [0]), ("quick", [])):
        with pytest.raises(MnemocraftError):
            sweep.study(*wrong)


def test_a_second_model_plays_the_same_episodes_with_and_without_memory():
    mine, other = sweep.study("quick", [0, 1]), sweep.study("quick", [0, 1], compared=True)
    assert {each.condition.settings["player"] for each in other.streams} == {"m2pa", "working"}
    assert {(e.condition.id, e.seed, e.tasks) for e in other.streams} <= {
        (e.condition.id, e.seed, e.tasks) for e in mine.streams
    }


def test_the_world_begins_empty():
    world, _ = sweep.begin({}, 0, "1/stick")
    assert world.inventory == {} and world.task.goal == "obtain 1 stick" and world.task.max_steps == 12_000


def test_every_player_has_its_rows(records, second, out):
    main = records[records["scope"] == "main"]
    assert set(main["player"]) == set(load.PLAYERS) and len(main) == 5 * len(load.PLAYERS)
    found = analysis.tables(records)
    assert set(found["table1"]["player"]) == set(load.PLAYERS)
    cell = found["table1"].query("player == 'm2pa' and level == 'Hard'")
    assert cell["paper"].tolist() == [0.52]
    row = found["table2"].query("what == 'diamond_pickaxe' and player == 'm2pa'")
    assert row.empty, "smoke does not play it"
    missing = found["table6"].query("item == 'chest' and player == 'deps'")
    assert missing["paper"].round(4).tolist() == [0.8667]
    assert found["table6"].query("item == 'clock'")["n"].eq(0).all() and len(found["table6"]) == 4 * 50
    assert found["table3"].query("player == 'controller'")["paper"].tolist() == [0.9933]
    assert found["table3"].query("player == 'mean_colour'")["paper"].tolist() == [0.9727]
    assert set(found["statuses"]["player"]) >= set(load.PLAYERS)
    found["figure5"] = analysis.two_models(pd.concat([records, second]))
    assert set(found["figure5"]["model"]) == {"surrogate", SECOND}
    drawn = analysis.draw(found, "surrogate", SECOND)
    assert set(drawn) == {"table1", "table3", "figure5", "figure7", "figure8", "figure9", "verdicts"}
    assert any("Two stand-ins" in text.get_text() for text in drawn["figure5"].texts)
    claims = found["hypotheses"]
    assert set(claims["verdict"]) == {"not tested"}, "in so few tasks"
    told = findings.findings({"surrogate": found})
    assert "nothing is decided about language models" in told[-1]
    assert any("(Figure 8)" in line for line in told) and not any("(Figure 9)" in line for line in told)
    assert findings.findings({"gpt": {}}) == []
    assert "M2PA has not been played" in str(browse.memory_browser(records[:0], out))


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
    stream = next(each for each in study.streams if each.condition.id == "main/m2pa")
    names, whole = stream.tasks[5:20], sweep.start(stream, model)
    episodes = [asyncio.run(whole.episode(task)) for task in names]
    again = sweep.start(stream, model)
    again.restore([episode.memory_delta for episode in episodes[:8]])
    for task, before in zip(names[8:], episodes[8:], strict=True):
        assert asyncio.run(again.episode(task)) == before


# --- sub-goals of a diamond, settings, the control -------------------------------------------------------


def test_the_sub_goals_lead_to_a_diamond_and_are_not_about_it():
    known = fragments.experiences()
    assert len(known) == max(load.STEPS)
    assert known[0].inventory == {} and not any("diamond" in f"{cue.query} {cue.plan}" for cue in known)
    world, _ = sweep.begin({}, 0, "1/diamond")
    for _, line, _ in fragments.steps():
        assert world.act(line).success, line
    assert world.act("mine 1 diamond").success and world.success


def test_a_memory_is_given_its_sub_goals_and_no_episode_reports_them():
    for number in load.STEPS:
        stream = next(
            e for e in sweep.study("full", [0]).streams if e.condition.id == f"fragments/steps_{number}"
        )
        runner = sweep.start(stream, Stand("surrogate"))
        assert len(runner.memory) == number
        assert runner.memory.commit("", False) is None


def test_wrong_memories_are_as_many_and_never_of_the_goal():
    right, wrong = get_memory("episodic"), get_memory("episodic_shuffled")
    for memory in (right, wrong):
        for cue in fragments.experiences():
            memory.experience(cue, "Success: the sub-goal was reached.", True)
    delta = wrong.commit("", True)
    assert json.dumps(delta) == json.dumps(right.commit("", True)), "they keep the same"
    for cue in fragments.experiences():
        one, other = right.recall(cue), wrong.recall(cue)
        assert len(one) == len(other) >= 1 and [hit.score for hit in one] == [hit.score for hit in other]
        assert not any(f"Goal then: {cue.query}\n" in hit.text for hit in other)
        assert len({hit.text for hit in other}) == len(other)
    alone = get_memory("episodic_shuffled")
    alone.experience(fragments.experiences()[0], "Success.", True)
    (hit,) = alone.recall(fragments.experiences()[0])
    assert hit.text == "oak_log 3 mine then: Plan nothing then: Held oak_log 1 obtain then: Goal", (
        "nothing else"
    )
    assert get_memory("episodic_shuffled").recall(Cue("obtain 1 stick", "")) == []


def test_settings_are_compared_in_the_same_streams():
    rows = [
        {
            "scope": scope,
            "player": player,
            "seed": seed,
            "level": "Hard",
            "passed": passed,
            "recalled": 1,
            "steps": 2,
        }
        for scope, player, seed, passed in (
            ("main", "m2pa", 0, 1.0),
            ("main", "m2pa", 5, 0.0),  # no other capacity was played with this seed
            ("sweep", "capacity_10", 0, 0.0),
            ("sweep", "threshold_0.3", 0, 0.0),
            ("sight", "controller", 0, 1.0),
            ("sight", "alpha_0", 0, 0.0),
        )
    ]
    episodes = pd.DataFrame(rows)
    found = lifelong.capacity(episodes).set_index("capacity")["value"]
    assert found.to_dict() == {10: 0.0, 300: 1.0}
    other = lifelong.settings(episodes).set_index(["setting", "at"])["value"]
    assert other.to_dict() == {
        ("threshold", 0.05): 1.0, ("threshold", 0.3): 0.0, ("alpha", 0.0): 0.0, ("alpha", 0.7): 1.0
    }  # fmt: skip


def test_milestones_count_any_tree():
    rows = [
        {"scope": "fragments", "player": "steps_0", "items": "birch_log,oak_planks"},
        {"scope": "fragments", "player": "steps_0", "items": ""},
    ]
    found = lifelong.milestones(pd.DataFrame(rows)).set_index("milestone")["value"]
    assert (found["log"], found["planks"], found["stick"], found["diamond"]) == (0.5, 0.5, 0, 0)
