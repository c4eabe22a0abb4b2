"""The small model's study of notebook 06: who plays what, and what is counted."""

from dataclasses import replace
from functools import partial

import pandas as pd
import pytest

from mnemocraft import paths
from mnemocraft.errors import MnemocraftError
from mnemocraft.runs import ModelSpec, read_events, run_study
from mnemocraft.runs.events import Action, Call, Note
from mnemocraft.studies import findings as shipped
from mnemocraft.studies.deps import small as deps
from mnemocraft.studies.mindstores import analysis, findings, foresight, load, small, small_tables


def record(player, item, trial, success):
    names = {"part": "small", "player": player, "task": f"{item}/{trial}", "seed": 0, "model": "replay:x"}
    return names | {"steps": 1, "status": "ok", "reason": "success", "success": success, "calls": 2}


def test_all_players_meet_every_task_twice_and_smoke_is_the_beginning_of_it():
    """So that one recording serves both: an entry of the memory depends on all that was met before."""
    whole, part = small.study("full").streams, small.study("smoke").streams
    assert len({stream.tasks for stream in whole}) == 1
    met = [task.split("/") for task in whole[0].tasks]
    assert [trial for _, trial in met] == ["0"] * 76 + ["1"] * 76
    assert len({item for item, _ in met[:76]}) == len({item for item, _ in met[76:]}) == 76
    assert [item for item, _ in met[:76]] != [item for item, _ in met[76:]]
    assert all(b.tasks == a.tasks[: len(b.tasks)] for a, b in zip(whole, part, strict=True))
    with pytest.raises(MnemocraftError, match="no profile 'huge'"):
        small.study("huge")


def test_who_remembers_nothing_does_what_deps_does_in_notebook_03(tmp_path):
    """Request for request, so that a recording answers both."""
    mine = run_study(small.study("smoke"), ModelSpec("surrogate"), out=tmp_path / "06", workers=1)
    whole = deps.study("full")
    same = tuple(each for each in whole.streams if each.condition.id == f"{load.VERSION}/deps")
    theirs = run_study(replace(whole, streams=same), ModelSpec("surrogate"), out=tmp_path / "03", workers=1)
    theirs = theirs.set_index("task")
    for row in mine[mine["player"] == load.DEPS].to_dict("records"):
        other = theirs.loc[row["task"].partition("/")[0]]
        assert row["success"] == (other["success"] and other["rounds"] <= load.ROUNDS)
        if row["success"]:
            assert row["tokens_planner_prompt"] == other["tokens_planner_prompt"]
    assert (mine.query("player != 'k5' and player != 'shuffled'")["entries"] == 0).all()
    assert (mine.query("player == 'k5'")["entries"] > 0).all()


def test_success_by_trial_and_kind_of_task_and_the_three_claims():
    """Iron pickaxes are not known in 1.11.2, sticks are."""
    won = {"k5": (1, 1, 0, 1), "deps": (1, 1, 0, 0), "shuffled": (1, 0, 0, 0), "unaided": (0, 0, 0, 0)}
    games = [("stick", 0), ("stick", 1), ("iron_pickaxe", 0), ("iron_pickaxe", 1)]
    rows = [
        record(player, *game, bool(passed))
        for player, all_passed in won.items()
        for game, passed in zip(games, all_passed, strict=True)
    ]
    found = small_tables.tables(pd.DataFrame(rows))
    rates = found["known_items"].set_index(["player", "trial", "items"])["value"]
    assert rates["k5", "1", "unknown"] == 0 and rates["k5", "2", "unknown"] == 1
    assert rates["k5", "both", "all"] == 0.75 and rates["deps", "both", "known"] == 1
    effects = found["hypotheses"].set_index(["hypothesis", "part"])["effect"]
    assert effects["memory", "unknown"] == 0.5 and effects["memory", "known"] == 0
    assert effects["content", "all"] == 0.5 and effects["calls", "all"] == 0.75


def test_who_mends_a_failed_plan_is_counted_beside_who_needs_none():
    """Of four episodes one is done by its first plan, one by its third, and two are not done."""
    done = ((True, 1), (True, 3), (False, 3), (False, 1))
    rows = [
        record("deps", item, 0, success) | {"rounds": plans - 1}
        for item, (success, plans) in zip(("stick", "planks", "torch", "bowl"), done, strict=True)
    ]
    table = small_tables.tables(pd.DataFrame(rows))["mended"].set_index(["plan", "items"])
    assert table.loc[(small_tables.FIRST_PLAN, "all"), ["value", "n"]].to_list() == [0.25, 4]
    assert table.loc[(small_tables.LATER, "all"), ["value", "n"]].to_list() == [0.25, 4]


def test_the_first_episodes_alone_make_all_tables(tmp_path):
    found = small_tables.tables(pd.DataFrame([record("k5", "stick", 0, True)]))
    assert found["hypotheses"]["effect"].isna().all()
    none = pd.DataFrame(columns=["player", "task"])
    assert foresight.table(none, tmp_path).empty and foresight.plans(none, tmp_path).empty


def test_a_plan_that_was_never_carried_out_is_judged_where_it_would_have_begun():
    """Sticks: the draft lacks the planks, unless they are there already, and the revision has them."""
    draft, whole = 'craft({"stick": 4}, {"planks": 2}, None)', (
        'mine({"log": 1}, None)\ncraft({"planks": 4}, {"log": 1}, None)\n'
        'craft({"stick": 4}, {"planks": 2}, None)'
    )  # fmt: skip
    planks = ("mine 1 log", "craft 4 planks using log")
    begin = partial(foresight._world, "stick/0")

    def said(answer, prediction):
        return [Call("planner", answer, [], 1, 1), Note("prediction", prediction)]

    events = [
        *said(draft, "Failure: sticks need planks."),
        *said(draft, "Failure: sticks need planks."),
        *said(whole, "success"),
        *(Action(action, True, "", step) for step, action in enumerate(planks, 1)),
        *said(draft, "Failure: it did not work before."),
        *said("Sticks are made of planks.", "failure"),
    ]
    assert list(foresight.judged(events, begin)) == [(True, False), (False, True), (True, True)]
    # The draft is made once more when its failure is foreseen; the two other revisions are other plans.
    found = {"predictions": 5, "revised": 3, "repeat": 1, "again": 1, "in_words": 1}
    assert foresight._counted(events) == found


def test_a_plan_that_was_carried_out_is_judged_as_it_went(tmp_path):
    """Of the stand-in's predictions those after which the same plan was tried."""
    records = run_study(small.study("smoke"), ModelSpec("surrogate"), out=tmp_path, workers=1)
    pairs = []
    for _, row in records.iterrows():
        events = read_events(tmp_path, row)
        judged = iter(foresight.judged(events, partial(foresight._world, row["task"])))
        tried, acted, plan, made = None, 0, None, []
        for event in events:
            if isinstance(event, Note) and event.name == "prediction" and plan not in made:
                tried = next(judged)
                made.append(plan)
            elif isinstance(event, Call) and event.role == "planner":
                tried, plan = None, (acted, event.text)
            elif isinstance(event, Action):
                acted += 1
            elif isinstance(event, Note) and event.name == "outcome" and tried:
                pairs.append((tried.done, event.text.startswith("Success")))
    assert len(pairs) > 30 and {one for one, _ in pairs} == {True, False}
    assert all(one == other for one, other in pairs)


def test_the_small_models_tables_and_figures_lie_in_folders_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path))
    found = analysis.run_small("surrogate", (None, None, "smoke", 1), "smoke", 1)
    folder = paths.results_dir(load.STEM, "surrogate", "smoke")
    assert {path.stem for path in folder.glob("*.csv")} == set(found)
    assert shipped.read(folder)["conduct"]["episodes"].sum() == 8 * len(small.PLAYERS)
    drawn = {path.stem for path in paths.figures_dir(load.STEM, "surrogate", "smoke").glob("*.png")}
    assert drawn == {"learning", "verdicts"}
    assert any("MindStores does more tasks than DEPS" in line for line in findings.findings({"x": found}))
