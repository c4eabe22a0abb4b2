"""The recordings in the repository answer what they were made for, without network or model."""

from dataclasses import replace

import pytest

from mnemocraft.llm.replay import find_recording, read_recording
from mnemocraft.llm.types import Request
from mnemocraft.runs import ModelSpec, run_study
from mnemocraft.studies.deps import small
from mnemocraft.studies.gig import small as kitchen
from mnemocraft.studies.gig import small_tables as kitchen_tables
from mnemocraft.studies.household import load
from mnemocraft.studies.household import small as household
from mnemocraft.studies.household import small_tables as household_tables
from mnemocraft.studies.how2 import start_here
from mnemocraft.studies.how2.load import ADAPTER
from mnemocraft.studies.mindstores import small as mindstores


def test_a_request_has_its_own_key():
    """Every tenth: a key takes as long as the conversation is."""
    _, entries = read_recording(find_recording(ADAPTER))
    asked = [entry for number, entry in enumerate(entries) if number % 10 == 0]
    assert len(asked) > 2000 and all(Request(**entry["request"]).key() == entry["key"] for entry in asked)


def test_the_demonstration_replays_as_it_was_played(tmp_path):
    model = ModelSpec(start_here.RECORDED)
    records = run_study(start_here.demo("quick"), model, out=tmp_path, workers=1, progress=False)
    # What was recorded on 29 November 2026 (with at most 20 steps, and not 8, which no request says).
    assert list(records["reason"]) == ["success", "success", "eager_crafting"]
    assert list(records["tokens_actor_calls"]) == [6, 2, 3]
    assert list(records["tokens_actor_cached"]) == [6, 2, 3]
    assert (records["tokens_actor_estimated"] == 0).all()


def test_the_planners_replay_as_they_were_played(tmp_path):
    """Eight tasks by both rules: the recording knows every request; they end as on 30 November 2026."""
    model = ModelSpec("replay:minecraft_gemma-3-270m")
    records = run_study(small.study("smoke"), model, out=tmp_path, workers=1, progress=False)
    assert set(records["status"]) == {"ok"}
    ended = records.groupby("method")[["success", "calls"]].sum()
    assert ended["success"].to_dict() == {
        "deps": 4, "deps_unexplained": 4, "gpt": 0, "inner_monologue": 3, "cot": 0
    }  # fmt: skip
    assert ended["calls"].to_dict() == {
        "deps": 98, "deps_unexplained": 94, "gpt": 18, "inner_monologue": 175, "cot": 20
    }  # fmt: skip


def test_mindstores_asks_what_was_recorded(tmp_path):
    """The first games of notebook 06's study; a miss would be an error. They end as on 30 November 2026."""
    model = ModelSpec("replay:minecraft_gemma-3-270m")
    records = run_study(mindstores.study("smoke"), model, out=tmp_path, workers=1, progress=False)
    assert set(records["status"]) == {"ok"}
    ended = records.groupby("player")[["success", "calls", "revisions"]].sum()
    assert ended["success"].to_dict() == {"k5": 2, "deps": 2, "shuffled": 3, "unaided": 2}
    assert ended["calls"].to_dict() == {"k5": 159, "deps": 31, "shuffled": 155, "unaided": 91}
    assert ended["revisions"].to_dict() == {"k5": 42, "deps": 0, "shuffled": 39, "unaided": 0}


def test_the_kitchen_replays_as_it_was_played(tmp_path):
    """The first of 24 layouts; its dishes end as when they were recorded, on 27 and 28 November 2026."""
    whole = kitchen.study("full", kitchen_tables.RECORDED)
    first = tuple(stream for stream in whole.streams if stream.seed == kitchen.LAYOUTS[0])
    model = ModelSpec("replay:kitchen_gemma-3-270m")
    records = run_study(replace(whole, streams=first), model, out=tmp_path, workers=1, progress=False)
    assert set(records["status"]) == {"ok"}
    ended = records.set_index(["method", "task"])[["reason", "steps"]].apply(tuple, axis=1)
    assert ended.to_dict() == {
        ("gig_ld", "sync/0"): ("success", 7),
        ("gig_ld", "sync/1"): ("invalid_actions", 7),
        ("gig_ld", "sync/6"): ("max_steps", 108),
        ("react", "sync/0"): ("success", 7),
        ("react", "sync/1"): ("invalid_actions", 0),
        ("react", "sync/6"): ("dialogue_full", 36),
        ("gig_ld_exp", "sync/0"): ("success", 7),
        ("gig_ld_exp", "sync/1"): ("success", 19),
        ("gig_ld_exp", "sync/6"): ("max_steps", 108),
        ("gig_ld_exp", "sync/2"): ("invalid_actions", 0),
        ("gig_ld_exp", "sync/3"): ("invalid_actions", 12),
        ("gig_ld_exp", "sync/4"): ("invalid_actions", 7),
        ("gig_ld_exp", "sync/5"): ("max_steps", 69),
        ("gig_ld_exp", "sync/7"): ("max_steps", 132),
        ("gig_ld", "sync/2"): ("invalid_actions", 0),
        ("gig_ld", "sync/3"): ("invalid_actions", 12),
        ("gig_ld", "sync/4"): ("invalid_actions", 7),
        ("gig_ld", "sync/5"): ("max_steps", 69),
        ("gig_ld", "sync/7"): ("invalid_actions", 20),
        ("gig_ld_exp_shuffled", "sync/0"): ("success", 7),
        ("gig_ld_exp_shuffled", "sync/1"): ("invalid_actions", 7),
        ("gig_ld_exp_shuffled", "sync/6"): ("max_steps", 108),
        ("gig_ld_exp_shuffled", "sync/2"): ("invalid_actions", 0),
        ("gig_ld_exp_shuffled", "sync/3"): ("invalid_actions", 12),
        ("gig_ld_exp_shuffled", "sync/4"): ("invalid_actions", 7),
        ("gig_ld_exp_shuffled", "sync/5"): ("max_steps", 69),
        ("gig_ld_exp_shuffled", "sync/7"): ("invalid_actions", 7),
        ("gig_plain", "sync/0"): ("success", 7),
        ("gig_plain", "sync/1"): ("success", 19),
        ("gig_plain", "sync/6"): ("max_steps", 108),
        ("gig_ld_held", "sync/0"): ("success", 7),
        ("gig_ld_held", "sync/1"): ("success", 20),
        ("gig_ld_held", "sync/6"): ("max_steps", 108),
        ("react_held", "sync/0"): ("success", 7),
        ("react_held", "sync/1"): ("max_steps", 42),
        ("react_held", "sync/6"): ("dialogue_full", 36),
        ("recap", "sync/0"): ("gave_up", 0),
        ("recap", "sync/1"): ("gave_up", 0),
        ("recap", "sync/6"): ("gave_up", 0),
        ("gig_ld", "sync/8"): ("max_steps", 189),
        ("gig_ld", "sync/9"): ("invalid_actions", 29),
        ("gig", "sync/0"): ("invalid_actions", 0),
        ("gig", "sync/1"): ("invalid_actions", 3),
        ("gig", "sync/6"): ("invalid_actions", 1),
    }


@pytest.mark.skipif(bool(load.problem("quick")), reason="the extra 'alfworld' is not installed")
def test_the_household_replays_as_it_was_played(tmp_path):
    """The 18 generated games; they end as on 26 November 2026."""
    model = ModelSpec("replay:household_gemma-3-270m")
    records = run_study(
        household.study("quick", household_tables.RECORDED), model, out=tmp_path, workers=1, progress=False
    )
    assert set(records["status"]) == {"ok"}
    ended = records.groupby("player")[["success", "calls"]].sum()
    assert ended["success"].to_dict() == {"gig": 6, "react": 6}
    assert ended["calls"].to_dict() == {"gig": 403, "react": 362}
