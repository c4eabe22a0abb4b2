"""The small model's study of notebook 03: what is known, who may ask how often, and what counts as done."""

import asyncio

import pandas as pd
import pytest

from mnemocraft import paths
from mnemocraft.agents import get_agent
from mnemocraft.agents.rollout import play
from mnemocraft.errors import MnemocraftError
from mnemocraft.llm import get_model
from mnemocraft.memory.none import NoMemory
from mnemocraft.runs import ModelSpec, run_study
from mnemocraft.studies.deps import analysis, figures, findings, load, small, small_tables
from mnemocraft.studies.deps.known import known, known_items, needed
from mnemocraft.studies.findings import read
from mnemocraft.worlds.minecraft_tasks import minecraft_tasks
from mnemocraft.worlds.textworld import textworld


def record(method, task, calls, success, rounds, version="1.11.2"):
    names = {"method": method, "task": task, "version": version, "world": "text", "seed": 0, "items": ""}
    counts = {"calls": calls, "rounds": rounds, "steps": 1, "status": "ok", "reason": "success"}
    return names | counts | {"model": "replay:x", "success": success}


def test_a_task_is_known_if_nothing_on_the_way_is_not():
    """How many are known stands in the plan, which was written before this study."""
    tasks = [task.key for task in minecraft_tasks()]
    assert [sum(known(v, task) for task in tasks) for v in ("1.11.2", "1.16.5")] == [32, 37]
    assert "diamond" in known_items() and "iron_pickaxe" not in known_items()
    assert "iron_pickaxe" in needed("1.11.2", "diamond") and not known("1.11.2", "diamond")


def test_the_control_hears_what_happened_and_asks_nobody_why():
    def played(name):
        world = textworld("stone_pickaxe", 0, version="1.11.2", limits="paper")
        agent = get_agent(name, max_rounds=3)
        return asyncio.run(play(agent, world, NoMemory(), get_model("surrogate"), seed=1)).trajectory

    control, whole = played("deps_unexplained"), played("deps")
    assert any(e["type"] == "call" and e["role"] == "explainer" for e in whole)
    assert not any(e["type"] == "call" and e["role"] == "explainer" for e in control)
    notes = [e for e in control if e["type"] == "note"]
    assert any("I failed at step" in str(note) for note in notes)


def test_both_arms_may_ask_equally_often(tmp_path):
    played = run_study(small.study("full"), ModelSpec("surrogate"), out=tmp_path, workers=1)
    most = played.groupby("method")["calls"].max()
    assert most["deps"] == most["deps_unexplained"] == small_tables.CALLS and most["gpt"] == 1
    assert len(played) == 2 * 76 * len(small.METHODS)


def test_smoke_is_a_part_of_the_whole_so_that_one_recording_serves_both():
    whole = {s.condition.id: set(s.tasks) for s in small.study("full").streams}
    for stream in small.study("smoke").streams:
        assert set(stream.tasks) < whole[stream.condition.id]
    with pytest.raises(MnemocraftError, match="no profile 'huge'"):
        small.study("huge")


def test_the_goal_is_given_without_tasks_of_lessons_too(monkeypatch):
    met = pd.DataFrame({"task": ["stick", "planks"], "version": ["1.11.2", "1.16.5"]})
    monkeypatch.setattr(small_tables, "alike", lambda adapter: met)
    done = [("stick", True), ("planks", False), ("bowl", True)]  # a bowl is unknown
    records = [record("deps", task, 1, passed, 0, v) for task, passed in done for v in ("1.11.2", "1.16.5")]
    rows = small_tables.tables(pd.DataFrame(records))["goals_of_the_design"]
    assert rows["value"].tolist() == pytest.approx([0.5, 0.5, 1]) and rows["n"].tolist() == [4, 2, 2]


def test_success_is_counted_within_calls_and_the_first_plan_apart():
    records = pd.DataFrame(
        [
            record("deps", "stick", 1, True, 0),
            record("deps", "wooden_door", 5, True, 2),
            record("deps", "diamond", 9, True, 4),  # too late
            record("deps_unexplained", "stick", 1, True, 0),
            record("deps_unexplained", "wooden_door", 7, False, 6),
            record("deps_unexplained", "diamond", 2, True, 1),
            record("inner_monologue", "wooden_door", 9, True, 2),  # a step a call: the limit is not its own
        ]
    )
    found = small_tables.tables(records)
    rates = found["known_items"].query("version == 'both' and items == 'all'").set_index("arm")["value"]
    assert rates["first plan"] == pytest.approx(1 / 3)
    assert rates["deps"] == rates["deps_unexplained"] == pytest.approx(2 / 3)
    assert rates["inner_monologue"] == 1
    calls = found["within_calls"].query("items == 'all'").set_index(["arm", "max_calls"])["value"]
    assert calls["deps", 3] == pytest.approx(1 / 3) and calls["deps", 5] == pytest.approx(2 / 3)
    assert calls["deps_unexplained", 1] == pytest.approx(1 / 3)
    assert calls["deps_unexplained", 3] == pytest.approx(2 / 3)
    first = found["hypotheses"].query("part == 'all'").set_index("hypothesis")["effect"]
    assert first["explanations"] == 0 and first["rounds"] == pytest.approx(1 / 3)
    assert pd.isna(first["DEPS"])  # GPT was not played


@pytest.mark.parametrize("method", ["deps", "gpt"])
def test_the_first_episodes_alone_make_all_tables_and_the_figure(method):
    """As in a first look, which plays some twenty episodes of a study."""
    found = small_tables.tables(pd.DataFrame([record(method, "iron_pickaxe", 1, True, 0)]))
    assert (found["hypotheses"]["verdict"] != "holds").all()
    met = found["goals_of_the_design"].set_index("items")["met"]
    assert met["known"] == "not measured" and met["unknown"] == ("no" if method == "deps" else "not measured")
    figures.within_calls(found["within_calls"], "replay:x")


def test_the_small_models_tables_and_figures_lie_in_folders_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path))
    found = analysis.run_small("surrogate", (None, None, "smoke", 1), "smoke", 1)
    folder = paths.results_dir(load.STEM, "surrogate", "smoke")
    assert {path.stem for path in folder.glob("*.csv")} == set(found)
    assert read(folder)["conduct"]["episodes"].sum() == 8 * 2 * len(small.METHODS)
    drawn = {path.stem for path in paths.figures_dir(load.STEM, "surrogate", "smoke").glob("*.png")}
    assert drawn == {"within_calls", "verdicts"}


def test_the_opening_tells_the_first_plan_apart_and_what_was_not_played_costs_no_other_line():
    tasks = [task.key for task in minecraft_tasks()][:4]
    rows = [record("deps", task, 1 + 2 * n, True, n) for n, task in enumerate(tasks)]
    rows += [record("deps_unexplained", task, 1, False, 0) for task in tasks]
    gpt = [record("gpt", task, 1, False, 0) for task in tasks]
    said = findings.findings({"m": small_tables.tables(pd.DataFrame(rows + gpt))})
    [line] = [line for line in said if "with one call each" in line]
    assert "DEPS completes 25 % [" in line and "GPT 0 % [" in line  # of four tasks
    rest = findings.findings({"m": small_tables.tables(pd.DataFrame(rows))})
    assert any("explanations and rounds" in line for line in rest)
    assert not any("with one call each" in line for line in rest)
