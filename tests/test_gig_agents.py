"""The planners of the kitchen, with models that say what a test tells them to."""

import asyncio
import json
import re
import time

import numpy as np
import pytest

from fake_server import FakeServer, Fault
from helpers import Scripted, encoding, events, play, state_embedding
from mnemocraft.agents import rollout
from mnemocraft.agents.gig import prompts, recap
from mnemocraft.agents.gig.answers import (
    Decomposition,
    grammar,
    read_action,
    read_decomposition,
    read_fields,
    read_steps,
)
from mnemocraft.agents.gig.methods import METHODS
from mnemocraft.agents.gig.steps import MAX_TRIES
from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen.oracle import oracle_plan
from mnemocraft.errors import ModelError
from mnemocraft.llm import get_model
from mnemocraft.memory.none import NoMemory
from mnemocraft.memory.traces import Traces
from mnemocraft.studies.small_player import brief
from mnemocraft.worlds.kitchen import KitchenWorld
from mnemocraft.worlds.textworld import textworld

TASK, SEED = "sync/0", 42
PLAN = list(oracle_plan(TASK, SEED))


def gig_answer(action, number=0):
    notes = f"Summary: summary {number}\nCurrent Progress: part {number}"
    return f"Reasoning: because {number}\nAction: {action}\n{notes}"


def kitchen(max_steps=None, task=TASK):
    return KitchenWorld(KitchenEnv(task, SEED, max_steps=max_steps))


def gig(model, method="gig", memory=None, embed=state_embedding, world=None):
    with encoding(embed):
        return play(METHODS[method], world or kitchen(), model, memory, seed=SEED)


def baseline(method, model, world=None):
    return play(METHODS[method], world or kitchen(), model, seed=SEED)


def prompt(request):
    return request.messages[-1]["content"]


def blocks(text, name):
    """The part of a message from ``name:`` to the next block."""
    names = (
        "Observation|Valid Actions|Goal|Environment Simulation|Last Step Summary|Last Step Reasoning|"
        "Current Progress|Loop Warning|Past Experience|Context|Current Task|Last Result|Remaining Subtasks"
    )
    found = re.search(rf"^{name}:(.*?)(?=^(?:{names}):|\Z)", text, re.M | re.S)
    return found and found[1].strip()


def there_and_back():
    """An action that leads to another station, and the one that leads back."""
    there = next(a for a in kitchen().env.valid_actions if a.startswith("Move"))
    robot, start, end = re.fullmatch(r"Move (\S+) from (\S+) to (\S+)", there).groups()
    return there, f"Move {robot} from {end} to {start}"


# ---- answers ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        "Action: Do nothing",
        "Reasoning: wait\n\nAction: Do nothing.",
        'action: "Do nothing"\nSummary: x',
        "**Action:** `Do nothing`",
        "- **Action**: *Do nothing*",
        "Action:\n  'Do nothing'\nSummary: Action follows",
        "Action: Move robot1 from table1 to table2\nNo, wait.\nAction: Do nothing",
        "Reasoning: the Action: of moving is bad\nAction: “Do nothing”",
        "Action: Do nothing\nSummary: raw.\n- **Action**: cut lettuce1 (second of three)\n- Plan: serve it",
        "Action: Do nothing\nCurrent Progress: raw\n\nReasoning: now\nAction: Move robot1 from a to b",
        "Summary: raw\nAction: Do nothing",
    ],
)
def test_the_last_action_line_is_read_without_what_is_around_it(answer):
    assert read_action(answer) == "Do nothing"


def test_the_bullets_of_a_summary_are_its_own():
    answer = "Action: Wait\nSummary: raw.\n- **Action**: wait\n- Plan: serve it\n\nPlan: none"
    assert read_fields(answer) == {
        "action": "Wait", "summary": "raw.\n- **Action**: wait\n- Plan: serve it", "plan": "none"
    }  # fmt: skip


@pytest.mark.parametrize(
    "answer", ["", "I do nothing", "Action:", "Action:\nSummary: x", "{}", "Actions: Do nothing"]
)
def test_an_answer_without_an_action_line_has_none(answer):
    assert read_action(answer) == ""
    model = Scripted([answer, ModelError("gone")])
    gig(model)
    assert prompt(model.requests[1]).startswith('Error Feedback: The answer had no line "Action: ..."')


def test_actions_must_match_letter_for_letter_and_feedback_stays_one_short_sentence():
    world = kitchen()
    assert world.check("Do nothing") == ""
    assert '"do nothing" is not one of the valid actions' in world.check("do nothing")
    long = world.check("x\n" * 5000)
    assert len(long) < 300 and "\n" not in long


def test_fields_reach_to_the_next_name():
    fields = read_fields("Reasoning: a\nb\nAction: c\nSummary: d\n\ne\n## Current Progress: f")
    assert fields == {"reasoning": "a\nb", "action": "c", "summary": "d\n\ne", "current progress": "f"}


def test_plan_lines_are_the_numbered_ones_after_the_plan():
    answer = (
        "Reasoning:\n1. think\nPlan:\n1. `Do nothing`\n 2) Do nothing.\nthen\n**3.** x\n10. Pick up a from b"
    )
    assert read_steps(answer) == ["Do nothing", "Do nothing", "x", "Pick up a from b"]
    assert read_steps("1. Do nothing") == []


@pytest.mark.parametrize(
    "answer",
    [
        '{"think": "t", "subtasks": ["a", "b"]}',
        'Here it is:\n```json\n{"think": "t", "subtasks": ["a", "`b`."]}\n```\nDone {really}.',
        '{"think": "draft", "subtasks": []} no: {"think": "t", "subtasks": ["a", "", "b"]}',
        'A thought {in brackets}. {"think": "t", "subtasks": ["a", "b"], "more": {"subtasks": 3}}',
    ],
)
def test_decompositions_are_found_among_prose(answer):
    assert read_decomposition(answer) == Decomposition("t", ["a", "b"])


@pytest.mark.parametrize(
    "answer, says",
    [
        ("", "no JSON object"),
        ("[1, 2]", "no JSON object"),
        ('{"think": "t"}', "no JSON object"),
        ('{"think": "t", "subtasks": ["a"', "no JSON object"),
        ("{'think': 't', 'subtasks': [__import__('os')]}", "no JSON object"),
        ('{"a":' * 3000, "no JSON object"),
        ('{"think": "t", "subtasks": "a"}', "list of texts"),
        ('{"think": "t", "subtasks": ["a", 1]}', "list of texts"),
        ('{"think": ["t"], "subtasks": ["a"]}', "not a text"),
    ],
)
def test_malformed_decompositions_are_named_and_never_evaluated(answer, says):
    started = time.perf_counter()
    assert says in read_decomposition(answer)
    assert time.perf_counter() - started < 2


# ---- prompts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, fields",
    [
        ("gig", ["Reasoning:", "Action:", "Summary:", "Current Progress:"]),
        ("react", ["Reasoning:", "Action:"]),
        ("cot", ["Reasoning:", "Plan:", "1."]),
        ("recap", ['"think"', '"subtasks"']),
    ],
)
def test_every_system_message_is_the_kitchen_and_ends_with_the_answer_format(name, fields):
    text = prompts.system(kitchen(), name)["content"]
    assert text.startswith("You are a robot in a kitchen.")
    _, answer = text.split("\n# Answer format\n")
    assert all(field in answer for field in fields) and "\n# " not in answer
    assert ("Summary:" in answer) == (name == "gig")


def test_every_method_gets_the_environments_own_text():
    text = KitchenEnv(TASK, SEED).reset()[0]["text"]
    assert text.startswith("Station ") and "\n\nValid Actions:\n" in text and "\n\nGoal: " in text
    for method in ("react", "cot", "recap"):
        model = Scripted([ModelError("gone")])
        baseline(method, model)
        assert prompt(model.requests[0]).startswith(f"Observation:\n{text}")
    model = Scripted([ModelError("gone")])
    gig(model)
    assert prompt(model.requests[0]).startswith(f"Observation:\n{text}\n\nEnvironment Simulation:\n")


# ---- GiG --------------------------------------------------------------------------------------------------


def test_a_gig_episode_with_a_sensible_model_succeeds_and_counts():
    model = Scripted([gig_answer(a, n) for n, a in enumerate(PLAN)])
    episode = gig(model)
    assert (episode.success, episode.reason, episode.steps) == (True, "success", len(PLAN))
    assert episode.tokens["planner"]["calls"] == episode.metrics["calls"] == len(PLAN)
    assert [e["type"] for e in episode.trajectory] == ["start", *["call", "action"] * len(PLAN), "end"]
    assert {(r.temperature, r.max_tokens, r.seed) for r in model.requests} == {(0.0, 4096, SEED)}
    json.dumps(episode.trajectory)


def test_lookahead_shows_each_valid_action_with_its_true_successor_and_not_what_is_valid_then():
    model = Scripted([gig_answer(PLAN[0]), ModelError("gone")])
    gig(model)
    env = kitchen().env
    env.step(PLAN[0])
    shown = blocks(prompt(model.requests[1]), "Environment Simulation")
    parts = dict(re.findall(r'^After "(.*?)":\n(.*?)(?=\n\nAfter "|\Z)', shown, re.M | re.S))
    assert list(parts) == list(dict.fromkeys(env.valid_actions))
    for action, objects in parts.items():
        after = env.copy()
        after.step(action)
        assert objects == after.observation()
    assert prompt(model.requests[1]).count("Valid Actions:") == 1


@pytest.mark.parametrize("method, has", [("gig", True), ("gig_ld", False), ("gig_bl", True)])
def test_lookahead_and_loop_detection_are_parts_that_can_be_left_out(method, has):
    there, back = there_and_back()
    seen = []

    def embed(objects):
        seen.append(objects)
        return state_embedding(objects)

    model = Scripted([gig_answer(there), gig_answer(back), gig_answer(there), ModelError("gone")])
    episode = gig(model, method, embed=embed)
    texts = [prompt(r) for r in model.requests]
    assert all(("Environment Simulation:" in text) == has for text in texts)
    assert ["Loop Warning:" in text for text in texts] == [
        False,
        False,
        method != "gig_bl",
        method != "gig_bl",
    ]
    assert episode.metrics["loops"] == (0 if method == "gig_bl" else 1)
    assert (len(seen) == 0) == (method == "gig_bl")


def test_the_loop_warning_names_the_actions_since_the_state_was_last_there():
    there, back = there_and_back()
    script = ["Do nothing", there, back, there, ModelError("gone")]
    model = Scripted([s if isinstance(s, Exception) else gig_answer(s) for s in script])
    episode = gig(model)
    warnings = [blocks(prompt(r), "Loop Warning") for r in model.requests]
    begin = "You have been in this state before. Since then: "
    assert warnings == [
        None,
        f"{begin}Do nothing",
        None,
        f"{begin}{there}; {back}",
        f"{begin}{back}; {there}",
    ]
    told = [e["text"] if e["type"] == "note" else e["type"] for e in episode.trajectory]
    loops = ["Do nothing", f"{there}; {back}", f"{back}; {there}"]
    assert told == [
        "start", "call", "action", loops[0], "call", "action", "call", "action", loops[1], "call", "action",
        loops[2], "error", "end",
    ]  # fmt: skip
    assert {event["name"] for event in events(episode, "note")} == {"loop"}


@pytest.mark.parametrize("distance, shown", [(0.099, True), (0.101, False), (0.0, True)])
def test_experience_is_shown_iff_it_is_nearer_than_the_threshold(distance, shown):
    here = np.zeros(64, np.float32)
    near = here.copy()
    near[3] = distance
    memory, then = Traces(), PLAN[0].replace("1", "23")  # things of the same kinds, in another kitchen
    memory.store.add("Toast", [near + 5, near, near + 7], ["first", then, "third"])
    model = Scripted([gig_answer(PLAN[0]), gig_answer("Do nothing"), ModelError("gone")])
    episode = gig(model, "gig_exp", memory, embed=lambda objects: here)
    expected = f"Goal then: Toast\nAction then: {then}\nDistance: {distance:.3f}" if shown else None
    assert blocks(prompt(model.requests[0]), "Past Experience") == expected
    assert (episode.metrics["retrieved"], episode.metrics["followed"]) == (2 * shown, shown)
    told = [hit for event in events(episode, "recall") for hit in event["hits"]]
    asked = len(model.requests)
    assert [hit["action"] for hit in told] == [then] * asked * shown
    assert all(hit["source"] == "trace" for hit in told)
    assert [-hit["score"] for hit in told] == pytest.approx([distance] * asked * shown, abs=1e-6)


def test_the_memory_bank_grows_on_success_only():
    memory = Traces()
    gig(Scripted([gig_answer("Do nothing")] * 4), "gig_exp", memory, world=kitchen(max_steps=4))
    assert len(memory) == 0
    gig(Scripted([gig_answer(a) for a in PLAN]), "gig_exp", memory)
    assert len(memory) == len(PLAN)
    start = kitchen().observe().scene
    assert memory.store.closest(state_embedding(start)).action == PLAN[0]
    assert memory.store.closest(state_embedding("elsewhere")) is None


def test_summary_and_progress_are_carried_one_step_and_in_one_line_each():
    answers = [gig_answer(PLAN[0]).replace("summary 0", "two\nlines\nGoal: x"), gig_answer(PLAN[1], 1)]
    model = Scripted([*answers, f"Action: {PLAN[2]}", ModelError("gone")])
    gig(model)
    first, second, third, fourth = map(prompt, model.requests)
    assert "Last Step Summary" not in first and "Current Progress" not in first
    assert "\nLast Step Summary: two lines Goal: x\n\nCurrent Progress: part 0" in second
    assert blocks(third, "Last Step Summary") == "summary 1" and "part 0" not in third
    assert "Last Step Summary" not in fourth
    assert all(len(r.messages) == 2 for r in model.requests)


def test_gig_star_carries_the_whole_last_answer_and_no_other():
    model = Scripted([gig_answer(PLAN[0]), gig_answer(PLAN[1], 1), ModelError("gone")])
    gig(model, "gig_star")
    carried = [blocks(prompt(r), "Last Step Reasoning") for r in model.requests]
    assert carried[0] is None
    assert carried[1] == "\n".join(f"> {line}" for line in gig_answer(PLAN[0]).splitlines())
    assert "because 1" in carried[2] and "because 0" not in prompt(model.requests[2])
    assert not any("Last Step Summary" in prompt(r) for r in model.requests)


def test_invalid_answers_get_feedback_and_take_no_step():
    model = Scripted([gig_answer(PLAN[0]), gig_answer("Fly away", 1), "hm", *map(gig_answer, PLAN[1:])])
    episode = gig(model)
    assert (episode.success, episode.steps) == (True, len(PLAN))
    assert (episode.metrics["invalid_actions"], episode.metrics["calls"]) == (2, len(PLAN) + 2)
    texts = [prompt(r) for r in model.requests]
    assert texts[2].startswith('Error Feedback: "Fly away" is not one of the valid actions;')
    assert texts[3].startswith('Error Feedback: The answer had no line "Action: ..."')
    assert (
        texts[2].partition("\n\n")[2] == texts[3].partition("\n\n")[2] == texts[1]
    )  # nothing of them is kept
    assert not any(text.startswith("Error") for text in (*texts[:2], *texts[4:]))
    assert [r.sample for r in model.requests[:5]] == [0, 0, 1, 2, 0]
    assert {event["name"] for event in events(episode, "note")} == {"feedback"}
    assert [event["text"][:10] for event in events(episode, "note")] == [
        '"Fly away"',
        "The answer",
    ]


@pytest.mark.parametrize("planner", ["gig", "react"])
def test_the_third_step_that_uses_up_its_five_tries_ends_the_episode(planner):
    script = ["hm"] * MAX_TRIES + ["hm"] * 4 + [gig_answer(PLAN[0])] + ["hm"] * 2 * MAX_TRIES
    model = Scripted(script)
    episode = gig(model) if planner == "gig" else baseline("react", model)
    assert (episode.success, episode.reason, episode.steps) == (False, "invalid_actions", 1)
    assert episode.metrics["invalid_actions"] == 4 * MAX_TRIES - 1
    assert script == []


def test_a_step_limit_ends_the_episode_and_branching_counts_the_choices():
    choices = len(set(kitchen().env.valid_actions))
    episode = gig(Scripted([gig_answer("Do nothing")] * 3), world=kitchen(max_steps=3))
    assert (episode.success, episode.reason, episode.steps) == (False, "max_steps", 3)
    assert episode.metrics["branching"] == choices
    assert episode.metrics["loops"] == 2


@pytest.mark.parametrize("method", ["gig", "react", "recap"])
def test_a_failed_request_is_an_outcome_that_keeps_what_was_spent(method):
    answer = json.dumps({"think": "", "subtasks": PLAN[:1]}) if method == "recap" else gig_answer(PLAN[0])
    model = Scripted([answer, ModelError("gone")])
    episode = gig(model, method)
    assert (episode.success, episode.reason, episode.steps) == (False, "error", 1)
    assert episode.tokens["planner"]["calls"] == 1
    assert episode.trajectory[-2:] == [
        {"type": "error", "message": "gone"},
        {"type": "end", "reason": "error", "steps": 1},
    ]


# ---- ReAct and CoT ----------------------------------------------------------------------------------------


def test_react_keeps_every_accepted_exchange_and_no_invalid_one():
    model = Scripted([gig_answer(PLAN[0]), "Action: Fly", *(gig_answer(a) for a in PLAN[1:])])
    assert baseline("react", model).success
    *_, last = model.requests
    assert [m["role"] for m in last.messages] == ["system", *["user", "assistant"] * (len(PLAN) - 1), "user"]
    assert [m["content"] for m in last.messages if m["role"] == "assistant"] == list(
        map(gig_answer, PLAN[:-1])
    )
    assert last.messages[3]["content"].startswith('Error Feedback: "Fly"')
    for earlier, later in zip(model.requests[2:], model.requests[3:], strict=False):
        assert later.messages[: len(earlier.messages)] == earlier.messages  # the prefix can be cached


def test_cot_plans_once_and_follows_the_plan_blindly():
    model = Scripted(["Reasoning: r\nPlan:\n" + "\n".join(f"{n}. {a}" for n, a in enumerate(PLAN, 1))])
    episode = baseline("cot", model)
    assert (episode.success, episode.steps, len(model.requests)) == (True, len(PLAN), 1)


@pytest.mark.parametrize(
    "plan, reason, steps, invalid",
    [
        (PLAN[:3], "plan_ended", 3, 0),
        ([*PLAN[:2], "Fly", *PLAN[2:]], "plan_invalid", 2, 1),
        ([], "plan_invalid", 0, 1),
    ],
)
def test_cot_ends_with_its_plan_or_at_the_first_line_that_cannot_be_done(plan, reason, steps, invalid):
    model = Scripted(["Plan:\n" + "\n".join(f"{n}. {a}" for n, a in enumerate(plan, 1))])
    episode = baseline("cot", model)
    assert (episode.success, episode.reason, episode.steps) == (False, reason, steps)
    assert episode.metrics["invalid_actions"] == invalid


# ---- ReCAP ------------------------------------------------------------------------------------------------


def plan(*subtasks, think="t"):
    return json.dumps({"think": think, "subtasks": list(subtasks)})


def test_recap_decomposes_recursively_and_restates_the_branch_on_return():
    a, b, c = PLAN[:3]
    script = [
        plan("base", "top", think="two parts"),
        plan(a, b, think="the base"),  # in "base": a is carried out
        plan(b),
        plan(),  # "base" is done
        plan(c, "top", think="now the top"),
        ModelError("gone"),
    ]
    model = Scripted(script)
    episode = baseline("recap", model)
    asked = [prompt(r).partition("Goal: ")[2].partition("\n\n")[2] for r in model.requests]
    goal = kitchen().task.goal
    assert asked[0] == f"Current Task: {goal}\n\nDecompose it into subtasks."
    assert asked[1] == "Current Task: base\n\nDecompose it into subtasks."
    assert asked[2] == (
        f'Current Task: base\n\nLast Result: done "{a}"\n\nRemaining Subtasks:\n- {b}\n\nRefine them.'
    )
    assert asked[3].endswith(f'Last Result: done "{b}"\n\nRemaining Subtasks:\n\nRefine them.')
    assert asked[4].startswith(f'Current Task: {goal}\n\nLast Result: done "base"')
    root = f"Context:\nTask: {goal}\nThought: two parts\nStill to do: top\n"
    assert prompt(model.requests[0]).startswith("Observation:")
    assert prompt(model.requests[2]).startswith(
        f"{root}Task: base\nThought: the base\nStill to do: {b}\n\nObs"
    )
    assert prompt(model.requests[4]).startswith(f"{root}\nObservation:")
    assert [e["action"] for e in episode.trajectory if e["type"] == "action"] == [a, b, c]
    assert [e["about"] for e in episode.trajectory if e["type"] == "call"] == [
        goal,
        "base",
        "base",
        "base",
        goal,
    ]
    assert [len(r.messages) for r in model.requests] == [2, 4, 6, 8, 10, 12]


def test_recap_solves_a_kitchen_with_a_flat_plan_and_gives_up_when_the_goal_is_called_done():
    assert baseline("recap", Scripted([plan(*PLAN[n:]) for n in range(len(PLAN))])).success
    episode = baseline("recap", Scripted([plan(*PLAN[:2]), plan()]))
    assert (episode.success, episode.reason, episode.steps) == (False, "gave_up", 1)


def test_recap_keeps_the_last_64_exchanges_and_the_system_message():
    count = recap.WINDOW + 6
    model = Scripted([*[plan("Do nothing", think=str(n)) for n in range(count)], ModelError("gone")])
    baseline("recap", model, kitchen(task="sync/9"))
    last = model.requests[-1].messages
    assert len(last) == 2 * recap.WINDOW + 2
    assert [m["role"] for m in last] == ["system", *["user", "assistant"] * recap.WINDOW, "user"]
    assert json.loads(last[2]["content"])["think"] == "6"


def test_a_malformed_answer_fails_the_task_back_to_the_one_above():
    model = Scripted([plan("part", "rest"), "no JSON", plan(PLAN[0]), ModelError("gone")])
    episode = baseline("recap", model)
    assert episode.steps == episode.metrics["invalid_actions"] == 1
    text, after = prompt(model.requests[2]), prompt(model.requests[3])
    assert "\n\nError Feedback: The answer had no JSON object" in text
    assert f'Current Task: {kitchen().task.goal}\n\nLast Result: failed "part": The answer had no' in text
    assert "- rest" in text
    assert not any(m["content"] == "no JSON" for m in model.requests[2].messages)
    assert "Error Feedback" not in after


def test_tasks_deeper_than_the_limit_are_not_begun():
    model = Scripted([plan("a"), plan("b"), plan("c"), plan("d", "e"), plan(PLAN[0]), ModelError("gone")])
    episode = baseline("recap", model)
    text = prompt(model.requests[4])
    assert blocks(text, "Current Task") == "c"
    assert 'Last Result: failed "d": it is not one of the valid actions' in text
    assert "- e" in text and episode.steps == 1


def test_endless_refinement_without_an_action_is_given_up():
    for answer in ("hm", plan("think harder")):
        model = Scripted([answer] * 2 * recap.MAX_CALLS)
        episode = baseline("recap", model)
        assert (episode.reason, episode.steps) == ("gave_up", 0)
        assert len(model.requests) == recap.MAX_CALLS


# ---- an endpoint with faults ------------------------------------------------------------------------------


def test_a_gig_episode_survives_the_faults_of_a_server(monkeypatch):
    monkeypatch.setattr("openai._base_client.INITIAL_RETRY_DELAY", 0.005)
    faults = [
        Fault(429), Fault(), Fault(500), Fault(reset=True), Fault(),
        Fault(raw=b'{"choices": [{"message": {"con'), Fault(pause=1.5),
    ]  # fmt: skip
    plan = iter(PLAN)
    current = {}

    def answer(body):
        text = body["messages"][-1]["content"]
        if text not in current:
            current[text] = gig_answer(next(plan))
        return {"content": current[text]}

    async def run(server):
        model = get_model("m", base_url=server.url, api_key="k", timeout=1.0, max_retries=3)
        with encoding():
            episode = await rollout.play(METHODS["gig"], kitchen(), NoMemory(), model, seed=SEED)
        await model.aclose()
        return episode, model

    with FakeServer(answer, faults=faults) as server:
        episode, model = asyncio.run(run(server))
    assert (episode.success, episode.steps) == (True, len(PLAN))
    assert sum(model.failures.values()) == 5
    assert all(len(body["messages"][-1]["content"]) > 10_000 for body in server.requests)
    assert episode.tokens["planner"]["prompt"] > 2_500 * len(PLAN)


@pytest.mark.parametrize("method", ["react", "gig_ld", "recap"])
def test_answers_are_held_to_what_can_be_done_now_where_that_is_asked_for(method):
    def answers(request):
        action = PLAN[len(model.requests) - 1]
        return json.dumps({"think": "", "subtasks": [action]}) if method == "recap" else gig_answer(action)

    for held in (False, True):
        model, world = Scripted(answers), kitchen(max_steps=3)
        play(brief(METHODS[method], 50, held), world, model)
        asked = [request.grammar for request in model.requests]
        if not held or method == "recap":  # its answers are sub-tasks, which nothing lists
            assert asked == [None] * 3
            continue
        again = kitchen()
        wanted = model.requests[0].messages[0]["content"].partition("# Answer format")[2]
        fields = re.findall(r"^([A-Z][A-Za-z ]+): ", wanted, re.M)
        assert len(fields) == (4 if method == "gig_ld" else 2)
        for form, action in zip(asked, PLAN, strict=False):
            assert form == grammar(again.observe().actions, fields) and json.dumps(action) in form
            again.act(action)


def test_a_world_that_lists_no_actions_holds_nobody_to_them():
    model = Scripted(lambda request: "Reasoning: x\nAction: y")
    play(brief(METHODS["react"], 50, held=True), textworld("planks", 0), model)
    assert model.requests and not any(request.grammar for request in model.requests)
