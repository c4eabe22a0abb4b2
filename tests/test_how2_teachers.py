import re

import pytest

from helpers import Scripted, crafting, play
from mnemocraft.agents.how2.agent import agent
from mnemocraft.agents.how2.settings import Settings
from mnemocraft.envs.plancraft import book, examples, plan
from mnemocraft.errors import ModelError, RequestTooLong
from mnemocraft.memory import Cue, get_memory
from mnemocraft.studies.how2.load import environment
from mnemocraft.worlds.asking import asked_item
from mnemocraft.worlds.plancraft_teacher import (
    in_words,
    seen_game,
    templated_answer,
    without_slots,
)

TEMPLATED = ("executable", "partially-executable", "subgoal-partially-executable")
EXECUTABLE = re.compile(r"^\d+\. (move|smelt) from (\w+) to (\w+) with quantity (\d+)$")
SAMPLE = [item.id for split in ("low", "high") for item in examples(split)[::7]]


@pytest.mark.parametrize("task", SAMPLE[::4])
def test_copying_the_executable_answer_solves_the_task(task):
    env = environment(task, 30)
    observation, _ = env.reset()
    answer = templated_answer("executable", observation, observation["target"])
    if env.example.impossible:
        assert answer == f"{observation['target']} cannot be made from the current inventory."
        return
    for line in answer.splitlines()[1:]:
        name, slot_from, slot_to, quantity = EXECUTABLE.fullmatch(line).groups()
        arguments = {"slot_from": slot_from, "slot_to": slot_to, "quantity": int(quantity)}
        *_, info = env.step({"name": name, "arguments": arguments})
    assert info["reason"] == "success"


def test_only_the_executable_teacher_names_inventory_slots_and_only_subgoals_have_headings():
    for task in SAMPLE:
        observation, _ = environment(task, 30).reset()
        answers = [templated_answer(teacher, observation, observation["target"]) for teacher in TEMPLATED]
        if "cannot be made" in answers[0]:
            assert answers[0] == answers[1] == answers[2]
            continue
        assert [bool(re.search(r"\bI\d+\b", answer)) for answer in answers] == [True, False, False]
        headings = [len(re.findall(r"^\d+\. (?:Craft|Smelt)", answer, re.M)) for answer in answers]
        recipes = plan(seen_game(observation).counts(), observation["target"])
        assert headings[:2] == [0, 0]
        assert 1 <= headings[2] <= len(recipes)
        assert len(answers[1].splitlines()) + headings[2] == len(answers[2].splitlines())


def test_the_teacher_plans_from_the_current_state_not_from_the_first_one():
    env = environment("VAL0531", 30)
    observation, _ = env.reset()
    before = templated_answer("executable", observation, "crimson_planks")
    observation, *_ = env.step(
        {"name": "move", "arguments": {"slot_from": "I15", "slot_to": "B2", "quantity": 1}}
    )
    after = templated_answer("executable", observation, "crimson_planks")
    assert len(after.splitlines()) == len(before.splitlines()) - 1


def test_a_question_about_something_at_hand_or_unknown():
    observation, _ = environment("VAL0531", 30).reset()
    assert "already" in templated_answer("executable", observation, "crimson_hyphae")
    items = ("stick", "stone", "stone_sword", "torch", "oak_planks")
    assert asked_item("my recipe", "How do I make a stick?", items, "torch") == "stick"
    assert asked_item("something", "How do I make it?", items, "torch") == "torch"
    assert asked_item("stick", "How do I make a torch?", items, "torch") == "stick"
    for written in ("Stone Sword", "stone-sword", "minecraft:stone_sword", "stone swords", "a stone sword"):
        assert asked_item(written, "How do I craft a stick?", items, "torch") == "stone_sword"
        assert asked_item("", f"How do I craft {written}?", items, "torch") == "stone_sword"
    assert asked_item("oak planks", "", items, "torch") == "oak_planks"


@pytest.mark.parametrize("split", ["low", "high"])
def test_a_target_written_in_words_is_asked_for_by_its_name(split):
    for example in examples(split):
        words = example.target.replace("_", " ").title()
        for query, question in ((words, ""), ("", f"How do I craft {words}?")):
            assert asked_item(query, question, book().by_result, "") in (example.target, "")


def test_what_is_asked_in_words_is_learnt_under_the_name():
    asked = [("read_memory", {"recipe": "Crimson Hyphae"}), ("read_memory", {"recipe": "crimson_hyphae"})]
    memory = get_memory("keyed")
    asked.append(RequestTooLong("enough"))
    model = Scripted(lambda request: asked.pop(0) if request.tools else "How do I craft it?")
    play(agent(Settings("memory_only", "executable")), crafting("VAL0531"), model, memory)
    assert len(memory) == 1 and memory.recall(Cue("", "", query="crimson_hyphae"))


def test_the_non_executable_teacher_is_shown_no_slot_at_all():
    for task in SAMPLE[::5]:
        world = crafting(task)
        target = world.env.example.target
        script = [("read_memory", {"recipe": target}), "How?", "Put it anywhere.", ModelError("gone")]
        model = Scripted(script)
        play(agent(Settings("just_ask", "non-executable")), world, model)
        assert [bool(request.tools) for request in model.requests] == [True, False, False, True]
        prompt = model.requests[2].messages[-1]["content"]
        assert not re.search(r"\b(?:[ABC][123]|I\d+|slot 0)\b", prompt)
        assert target in prompt and "How?" in prompt
        assert model.requests[3].messages[-1]["content"] == "Put it anywhere."


def test_the_world_answers_at_all_four_levels_about_what_is_asked():
    world = crafting("VAL0531")
    seen, _ = environment("VAL0531", 30).reset()
    for level in TEMPLATED:
        assert world.how_to("crimson_planks", "How?", level) == templated_answer(
            level, seen, "crimson_planks"
        )
    words = in_words(templated_answer("subgoal-partially-executable", seen, "crimson_planks"))
    assert world.how_to("?", "How do I make crimson_planks?", "non-executable") == words
    assert "crimson_hyphae in the inventory already" in world.how_to("crimson_hyphae", "", "executable")


def test_words_for_places_are_all_different_and_quantities_are_summed():
    places = in_words("A1 A2 A3 B1 B2 B3 C1 C2 C3")
    assert len(set(re.findall(r"the [a-z ]+?(?= the|$)", places))) == 9
    seen = {
        "target": "torch",
        "inventory": {"I1": {"type": "coal", "quantity": 3}, "A1": {"type": "coal", "quantity": 2}},
    }
    assert without_slots(seen).endswith("\n- 5 coal")
