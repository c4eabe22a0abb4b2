"""What the small model is taught: fresh tasks, an expert whose dialogues hold up in the real environment."""

import json
import random
from collections import Counter
from dataclasses import replace

import pytest

from helpers import Scripted, crafting, play
from mnemocraft.agents.how2.agent import agent
from mnemocraft.agents.how2.settings import Settings
from mnemocraft.envs import PlancraftEnv
from mnemocraft.envs.plancraft import book, examples, plan
from mnemocraft.errors import ModelError
from mnemocraft.studies.how2.load import known_targets
from training.finetune import courses, demonstrate, tasks
from training.finetune.demonstrate import COURSES, dialogues
from training.finetune.tasks import fresh_task

FIRST = replace(COURSES[0], impossible=0.12)
"""The first course, with more tasks that can be done."""


@pytest.fixture(scope="module")
def shown():
    return list(dialogues(7, replace(FIRST, tasks=60)))


@pytest.fixture(scope="module")
def actors(shown):
    return [d for d in shown if d.role == "actor"]


def calls(dialogue):
    """The expert's tool calls, in order."""
    said = [m for m in dialogue.messages if m["role"] == "assistant"]
    functions = [m["tool_calls"][0]["function"] for m in said]
    return [{"name": f["name"], "arguments": json.loads(f["arguments"])} for f in functions]


def target(dialogue):
    return dialogue.messages[1]["content"].splitlines()[0].rpartition(" ")[2]


def test_half_of_all_craftable_items_are_known():
    everything = set(book().by_result)
    assert known_targets() < everything
    assert len(known_targets()) == len(everything) // 2


@pytest.mark.parametrize("impossible", [False, True])
def test_fresh_tasks_are_what_they_claim_to_be(impossible):
    items = sorted(book().by_result)
    made = [fresh_task(f"T{n}", items[n * 7 % len(items)], impossible, 4, n) for n in range(40)]
    made = [task for task in made if task is not None]
    assert len(made) > 20
    for task in made:
        assert (plan(task.inventory, task.target) is None) == task.impossible == impossible
        assert task.target not in task.inventory
        held: dict[str, int] = {}
        for item, quantity in task.slots.values():
            held[item] = held.get(item, 0) + quantity
        assert held == task.inventory


def test_a_task_of_the_data_set_is_never_trained_on(monkeypatch):
    """A sampler that happens to draw an evaluation example again is refused."""
    from plancraft.environment import sampler

    evaluated = next(e for e in examples("high") if not e.impossible)
    numbers = {name: n for n, name in enumerate(tasks.SLOT_NAMES)}
    slotted = {numbers[s]: {"type": item, "quantity": n} for s, (item, n) in evaluated.slots.items()}
    monkeypatch.setattr(sampler, "sample_recipes", lambda *_: (dict(evaluated.inventory), set()))
    monkeypatch.setattr(sampler, "sample_distractors", lambda *_: {})
    monkeypatch.setattr(sampler, "assign_to_slots", lambda _: slotted)
    assert fresh_task("T", evaluated.target, False, 0, 0) is None
    next(iter(slotted.values()))["quantity"] += 1  # one unit more, and it is another task
    assert fresh_task("T", evaluated.target, False, 0, 0) is not None


def test_the_global_random_generator_is_given_back():
    random.seed(5)
    before = random.getstate()
    fresh_task("T", "stick", False, 8, 3)
    assert random.getstate() == before


def test_only_known_targets_are_made_from_memory(actors):
    from_memory = [d for d in actors if "read_memory" not in str(d.tools)]
    assert len(from_memory) > 10
    assert {target(d) for d in from_memory} <= known_targets()
    answered = {target(d) for d in actors if "read_memory" in str(d.tools)}
    assert answered - known_targets(), "the others are seen with an answer"


def test_with_a_memory_the_expert_looks_the_target_up_first(actors):
    for dialogue in actors:
        first = calls(dialogue)[0]
        if "read_memory" in str(dialogue.tools):
            assert first == {"name": "read_memory", "arguments": {"recipe": target(dialogue)}}
        else:
            assert first["name"] != "read_memory"


def test_the_tools_are_those_of_run_time(actors):
    offered = {tuple(t["function"]["name"] for t in d.tools) for d in actors}
    full = ("move", "smelt", "impossible", "think")
    assert offered == {full, (*full, "read_memory")}
    model = Scripted([ModelError("enough seen")])
    play(agent(Settings("base")), crafting("VAL0531"), model)
    assert all(d.messages[0] == model.requests[0].messages[0] for d in actors)


def test_mistakes_are_shown_but_never_learnt():
    """With a mistake in every episode: the wrong call is masked, the next one moves the item to its place."""
    rng = random.Random(1)
    task = fresh_task("T", "chest", False, 4, 2)
    env = PlancraftEnv.of_example(task)
    expert = demonstrate.Expert(env, rng)
    expert.rng = type("Always", (random.Random,), {"random": lambda _: 0.0})(1)
    played = list(demonstrate.play(task, demonstrate.Settings("base"), expert.rng))
    dialogue = played[0]
    assert dialogue.targets.count(False) == 1
    wrong = dialogue.targets.index(False)
    done = calls(dialogue)
    assert done[wrong + 1]["arguments"]["slot_from"] == done[wrong]["arguments"]["slot_to"]


def test_executable_answers_are_followed_line_by_line(shown):
    seen = 0
    for dialogue in shown:
        if dialogue.role != "actor" or len(dialogue.messages) < 5 or not all(dialogue.targets):
            continue
        answer = dialogue.messages[3]["content"]
        lines = [line.partition(". ")[2] for line in answer.splitlines()[1:]]
        if not lines or " from " not in lines[0] or "with quantity" not in lines[0]:
            continue
        seen += 1
        carried_out = [
            f"{c['name']} from {a['slot_from']} to {a['slot_to']} with quantity {a['quantity']}"
            for c in calls(dialogue)[1:]
            for a in (c["arguments"],)
        ]
        assert carried_out == lines
    assert seen >= 3


def test_demonstrations_depend_on_the_seed_alone(shown):
    few = replace(FIRST, tasks=6)
    again = list(dialogues(7, few))
    assert again == shown[: len(again)]
    assert [d.messages for d in dialogues(8, few)] != [d.messages for d in again]


def test_a_product_put_on_something_else_is_put_right():
    """The useless call is masked, leaves everything as it was, and only the slot of the next one differs."""
    course = replace(COURSES[1], tasks=8, full_slot=1.0)
    slips = 0
    for dialogue in dialogues(3, course):
        if dialogue.role != "actor":
            continue
        done, asked = calls(dialogue), [m for m in dialogue.messages if m["role"] in ("user", "tool")]
        for n, learnt in enumerate(dialogue.targets):
            if not learnt and done[n]["arguments"]["slot_from"] == "0":
                slips += 1
                assert asked[n + 1]["content"] == asked[n]["content"]
                slots = [done[k]["arguments"]["slot_to"] for k in (n, n + 1)]
                assert f" {slots[0]} " in asked[n]["content"] and f" {slots[1]} " not in asked[n]["content"]
                assert done[n + 1]["arguments"] | {"slot_to": ""} == done[n]["arguments"] | {"slot_to": ""}
    assert slips >= 4


def test_the_turns_compared_are_of_every_role_and_never_mistakes(monkeypatch):
    wanted = {"actor": 60, "ask": 2, "relevance": 3, "parse": 3, "teacher": 3}
    monkeypatch.setitem(courses.TURNS, "plancraft", wanted)
    turns = courses.fresh_turns("plancraft")
    assert Counter(role for role, *_ in turns) == wanted
    for role, messages, tools, said in turns:
        assert (tools is not None) == (role == "actor")
        assert messages[-1]["role"] in ("user", "tool") and said
        moved = json.loads(said)["arguments"] if role == "actor" else {}
        if moved.get("slot_from") == "0":  # the product goes where nothing lies
            assert f" {moved['slot_to']} " not in messages[-1]["content"]
    relevant = {said for role, _, _, said in turns if role == "relevance"}
    assert relevant <= {"yes", "no"}
