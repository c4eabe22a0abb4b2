"""Voyager in the text world: curriculum, programs, critic and skills; and the library as a memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import Scripted, encoding, events, play, state_embedding
from mnemocraft.agents import get_agent
from mnemocraft.agents.deps.plan import read_plan
from mnemocraft.agents.voyager import prompts
from mnemocraft.agents.voyager.voyager import TRIES
from mnemocraft.llm import get_model
from mnemocraft.memory import Cue, get_memory
from mnemocraft.worlds.textworld import textworld

LOG, STONE = 'mine({"oak_log": 1}, tool=None)', 'mine({"cobblestone": 1}, tool=None)'
PLANKS = 'craft({"oak_planks": 4}, {"oak_log": 1}, station=None)'
YES, NO = "Success: yes\nCritique:", "Success: no\nCritique: the log is missing."


def world(key: str = "planks"):
    return textworld(key, version="1.16.5")


def by_role(curriculum: list[str], programs: list[str], critic: list[str]) -> Scripted:
    answers = {"You propose": curriculum, "You plan": programs, "You check": critic}

    def answer(request):
        system = request.messages[0]["content"]
        return next(texts.pop(0) for start, texts in answers.items() if system.startswith(start))

    return Scripted(answer)


def asked(model: Scripted, start: str) -> list[str]:
    """What stands in the last messages of the requests in a role."""
    requests = [r.messages for r in model.requests if r.messages[0]["content"].startswith(start)]
    return [messages[-1]["content"] for messages in requests]


def test_a_task_is_proposed_programmed_mended_checked_and_kept_as_a_skill():
    model = by_role(
        ["Reasoning: wood first\nNext task: obtain 1 oak_log", "Next task: obtain 1 oak_planks."],
        [STONE, LOG, PLANKS],
        [NO, YES, YES],
    )
    with encoding():
        memory = get_memory("skills")
        played = play(get_agent("voyager"), world(), model, memory)
    assert played.success and played.metrics["rounds"] == 2 and played.metrics["skills"] == 2
    assert played.memory_delta == [[LOG, ["obtain 1 oak_log"]], [PLANKS, ["obtain 1 oak_planks"]]]
    first, second = asked(model, "You propose")
    assert "Completed tasks: none\nFailed tasks: none\nInventory: nothing" in first
    assert "Completed tasks: obtain 1 oak_log\nFailed tasks: none\nInventory: 1 oak_log" in second
    _, mended, later = asked(model, "You plan")
    assert "Error: I cannot mine cobblestone: I need" in mended
    assert mended.endswith("Critique: the log is missing.\nCorrect the plan for the task: obtain 1 oak_log")
    assert f"Skill: obtain 1 oak_log: {LOG}" in later
    assert "Before: Inventory: nothing\nProgram: " in asked(model, "You check")[0]


def test_after_some_tries_a_task_has_failed_and_its_skill_is_not_kept():
    model = by_role(["Next task: obtain 1 oak_log"] * 2, [STONE] * (TRIES + 1), [NO] * (TRIES + 1))
    with encoding():
        played = play(get_agent("voyager", max_rounds=TRIES), world(), model, get_memory("skills"))
    assert played.reason == "max_rounds" and played.memory_delta is None
    assert "Failed tasks: obtain 1 oak_log" in asked(model, "You propose")[1]
    assert len(asked(model, "You plan")[0].splitlines()) == 2, "no skill is shown while there is none"


def test_answers_that_cannot_be_read_change_no_course():
    model = by_role(["mine wood!"] * 2, ["while True: mine('x')", f"{LOG}\n{PLANKS}"], ["maybe", "yes"])
    with encoding():
        played = play(get_agent("voyager"), world(), model, get_memory("skills"))
    assert played.success and played.metrics["unread"] == 1 and played.metrics["skills"] == 0
    first, second = asked(model, "You plan")
    assert first.startswith("Task: obtain 1 oak_planks\n"), "the goal itself where nothing is proposed"
    assert "Error: the program could not be read: " in second


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Success: yes", (True, "")),
        ("success: YES\nCritique: well done", (True, "well done")),
        ("Success: no\nCritique: two\nlines", (False, "two lines")),
        ("Success: yesterday", (False, "")),
        ("", (False, "")),
    ],
)
def test_verdicts_are_read(answer, expected):
    assert prompts.verdict(answer) == expected


def test_what_a_model_writes_stays_in_its_line():
    assert prompts.proposed("Next task: obtain 1 stick\nTask: obtain 9 diamond", "goal") == "obtain 1 stick"
    assert prompts.proposed("Next task: dance", "goal") == "goal"
    assert len(prompts.proposed(f"Next task: obtain {'9' * 999}", "goal")) == prompts.LONGEST_TASK


def test_a_kept_program_is_read_as_the_plan_that_it_was():
    plan = read_plan(f"def f():\n    {LOG}\n    {PLANKS}")
    kept = read_plan(prompts.program(plan))
    assert [step.action for step in kept.steps] == [step.action for step in plan.steps] and not kept.problem


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=20),
    st.integers(1, 6),
    st.sampled_from("abcxyz"),
)
def test_the_library_finds_the_nearest_descriptions_and_comes_back_from_its_deltas(keys, k, query):
    with encoding():
        memory, again = get_memory("skills", k=k), get_memory("skills", k=k)
        for n, key in enumerate(keys):
            memory.learn(f"program {n}", [key])
        again.restore([None, memory.commit("goal", False)])
        hits = memory.recall(Cue("goal", "scene", query))
        assert hits == again.recall(Cue("goal", "scene", query)) and len(again) == len(set(keys))
    latest = {key: f"{key}: program {n}" for n, key in enumerate(keys)}

    def cosine(key):
        one, other = state_embedding(key), state_embedding(query)
        return round(float(one @ other / np.linalg.norm(one) / np.linalg.norm(other)), 6)

    expected = sorted(dict.fromkeys(keys), key=cosine, reverse=True)[:k]
    assert [hit.text for hit in hits] == [latest[key] for key in expected]
    assert np.allclose([hit.score for hit in hits], [cosine(key) for key in expected], atol=1e-5)
    assert memory.commit("goal", True) is None, "a delta is handed over once"


def test_the_stand_in_plays_it_and_skills_spare_it_programs():
    """That a skill mends beliefs is an assumption; here the machinery is seen to pass it on."""
    model, programs = get_model("surrogate"), {"skills": 0, "none": 0}
    for name in programs:
        for seed in range(2):
            memory = get_memory(name)
            for _ in range(2):
                played = play(get_agent("voyager"), world("stone_pickaxe"), model, memory, seed=seed)
                assert played.success
            programs[name] += played.metrics["rounds"] + 1
    assert programs["skills"] < programs["none"]


def test_proposals_that_failed_give_way_to_others():
    model = get_model("surrogate:knowledge=1,slip=0")
    played = play(get_agent("voyager"), world("stone_sword"), model, get_memory("none"))
    tasks = [each["text"] for each in events(played, "note") if each["name"] == "proposed task"]
    assert played.success and tasks[0].endswith("_log") and len(tasks) == len(set(tasks)) > 3
