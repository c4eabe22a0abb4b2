"""Worlds by their ids: every kind keeps the promises of the interface, whatever it is told to do."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemocraft.envs.minecraft.goals import DOWN, VERBS, Goal
from mnemocraft.envs.plancraft import examples
from mnemocraft.errors import MnemocraftError
from mnemocraft.worlds import (
    KINDS,
    LEVELS,
    Frames,
    Goals,
    Horizons,
    Lookahead,
    Teaching,
    World,
    lacks,
    make,
    tasks,
)
from mnemocraft.worlds.minecraft import MAX_COUNT, line_of, read

SOLVABLE = [item for split in ("low", "high") for item in examples(split) if not item.impossible][::75]
TEXT_TASKS = (
    "planks", "wooden_door", "stone_pickaxe", "cooked_beef", "leather_helmet", "shears", "rail", "bed",
    "iron_pickaxe", "diamond",
)  # fmt: skip
SAMPLES = (
    "plancraft/low/VAL0531", "kitchen/sync/0", "textworld/stone_sword", "overworld/planks", "tabletop/hanoi",
)  # fmt: skip
CAPABILITIES = {
    "plancraft": {Teaching, Frames},
    "kitchen": {Lookahead, Teaching, Frames},
    "textworld": {Goals, Horizons, Teaching},
    "overworld": {Goals, Horizons, Teaching, Frames},
    "tabletop": {Teaching, Frames},
}
"""What papers need of a kind: lookahead is GiG's, goals and horizons are DEPS's, a teacher is How2's."""


def kind_of(world: World) -> str:
    return world.task.id.partition("/")[0]


def state(world: World) -> tuple[Any, ...]:
    seen = world.observe()
    return seen.text, seen.scene, dict(seen.inventory), seen.actions, world.steps, world.reason, world.success


@cache
def shared(task: str) -> World:
    """A world that nobody acts in."""
    return make(task)


# --- by name ----------------------------------------------------------------------------------------------


def test_tasks_of_all_kinds_are_named_by_ids_that_make_takes() -> None:
    every = tasks()
    assert len(set(every)) == len(every)
    counts = {kind: sum(task.startswith(f"{kind}/") for task in every) for kind in KINDS}
    minecraft = dict.fromkeys(("textworld", "overworld", "minedojo"), 76)
    assert counts == {"plancraft": 1140, "kitchen": 20, **minecraft, "tabletop": 5, "household": 254}
    assert [task for kind in KINDS for task in tasks(kind)] == every
    assert set(SAMPLES) <= set(every)


@pytest.mark.parametrize("task", SAMPLES)
def test_a_fresh_world_shows_its_task_and_has_not_begun(task: str) -> None:
    world, seen = make(task), shared(task).observe()
    assert (world.task.id, world.steps, world.reason, world.success) == (task, 0, "", False) or (
        kind_of(world) == "overworld" and world.steps == 1  # it has looked once
    )
    assert world.task.goal in seen.text and seen.scene in seen.text and world.task.goal not in seen.scene
    assert world.guide and world.encoder == ("scene_graph" if kind_of(world) == "kitchen" else "minilm")
    assert bool(world.wording) == (seen.actions is None), "what is not listed is explained"
    assert all(not world.check(action) for action in seen.actions or ())
    assert {each for each in (Lookahead, Goals, Horizons, Teaching, Frames) if isinstance(world, each)} == (
        CAPABILITIES[kind_of(world)]
    )


@pytest.mark.parametrize(
    ("task", "options", "sentence"),
    [
        (
            "moon/rock",
            {},
            "no kind of world 'moon'; .* plancraft, kitchen, textworld, overworld, minedojo, tabletop",
        ),
        ("planks", {}, "no kind of world 'planks'"),
        ("plancraft/low/VAL9999", {}, "no Plancraft task 'low/VAL9999'"),
        ("plancraft/VAL0531", {}, "no Plancraft task 'VAL0531'"),
        ("kitchen/sync/10", {}, "sync/10"),
        ("textworld/elytra", {}, "no task 'elytra'"),
        ("overworld/elytra", {}, "no task 'elytra'"),
        ("kitchen/sync/0", {"speed": 2}, "kitchen world has no option 'speed'; it has max_steps"),
        ("textworld/planks", {"biome": "forest"}, "has no option 'biome'; it has version, rules, limits"),
        ("textworld/planks", {"version": "1.8"}, "1.8"),
        ("textworld/planks", {"limits": "mine"}, "no kind of limits 'mine'"),
        ("overworld/planks", {"controller": "perfect"}, "no controller 'perfect'"),
        ("plancraft/low/VAL0531", {"name": "x"}, "has no option 'name'"),
    ],
)
def test_what_cannot_be_made_is_one_sentence(task: str, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(MnemocraftError, match=sentence) as refused:
        make(task, **options)
    assert "\n" not in str(refused.value) and str(refused.value).endswith(".")


def test_an_unknown_kind_has_no_tasks() -> None:
    with pytest.raises(MnemocraftError, match="no kind of world 'moon'"):
        tasks("moon")


def test_what_a_world_lacks_is_said_with_who_needs_it() -> None:
    told = str(lacks(shared("kitchen/sync/0"), Goals, "DEPS"))
    assert told == "DEPS needs goals, which kitchen/sync/0 does not have."


def test_the_seed_makes_the_kitchen_and_the_steps_can_be_limited() -> None:
    one, same, other = (make("kitchen/sync/3", seed, max_steps=2) for seed in (1, 1, 2))
    assert one.observe() == same.observe() != other.observe()
    assert one.task.max_steps == 2
    for _ in range(2):
        one.act(one.idle)
    assert (one.reason, one.success, one.steps) == ("max_steps", False, 2)


# --- action lines -----------------------------------------------------------------------------------------

names = st.from_regex(r"[a-z][a-z0-9_]{0,63}", fullmatch=True)
goals = st.builds(
    Goal,
    st.sampled_from([verb for verb in VERBS if verb != "dig"]),
    names,
    st.integers(1, MAX_COUNT),
    st.one_of(st.just(""), names),
)


@given(goals, st.lists(names, max_size=3))
def test_a_goal_is_read_from_its_own_line(goal: Goal, using: list[str]) -> None:
    assert read(line_of(goal, using), "1.16.5") == (goal, tuple(using))


@given(st.integers(1, MAX_COUNT))
def test_digging_down_is_read_from_its_own_line(depth: int) -> None:
    goal = Goal("dig", DOWN, depth)
    assert read(line_of(goal), "1.16.5") == (goal, ())


@given(goals)
def test_a_tool_call_means_what_its_line_means(goal: Goal) -> None:
    arguments = {"item": goal.item, "count": goal.count} | ({"tool": goal.tool} if goal.tool else {})
    call = json.dumps({"name": goal.verb, "arguments": arguments})
    assert read(call, "1.16.5") == read(line_of(goal), "1.16.5")


def test_a_tool_call_is_its_line_in_the_text_world() -> None:
    one, other = make("textworld/planks"), make("textworld/planks")
    lines = [("mine", "oak_log", 2), ("craft", "oak_planks", 9), ("craft", "oak_planks", 4)]
    for verb, item, count in lines:
        call = json.dumps({"name": verb, "arguments": {"item": item, "count": count}})
        assert one.act(f"{verb} {count} {item}") == other.act(call)
        assert state(one) == state(other)
    assert one.success


def test_a_tool_call_is_its_line_in_plancraft() -> None:
    one, other = make("plancraft/low/VAL0531"), make("plancraft/low/VAL0531")
    for slot_from, slot_to, quantity in (("I15", "A1", 1), ("I30", "A2", 1), ("0", "I1", 4)):
        arguments = {"slot_from": slot_from, "slot_to": slot_to, "quantity": quantity}
        call = json.dumps({"name": "move", "arguments": arguments})
        assert one.act(f"move from {slot_from} to {slot_to} with quantity {quantity}") == other.act(call)
        assert state(one) == state(other)
    assert one.success and one.steps == 3
    for said in ("impossible: no way", '{"name": "impossible", "arguments": {"reason": "no way"}}'):
        world = make("plancraft/low/VAL0531")
        assert world.act(said).steps == 1 and world.reason == "impossible_wrong"


texts = st.one_of(
    st.text(max_size=200),
    st.sampled_from(
        ["{", "{}", '{"name": ', '{"name": "move"}', '{"name": [1]}', '{"a":' * 2000, "[1]", "1"]
    ),
    st.builds("{} {} {}".format, st.sampled_from(VERBS), st.integers(-9, 10**9), st.text(max_size=9)),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "arguments"]), inner)
        ),
        max_leaves=8,
    ).map(json.dumps),
)


@pytest.mark.parametrize("task", SAMPLES)
@settings(max_examples=60, deadline=None)
@given(action=texts)
def test_any_text_is_a_possible_action_or_refused_in_one_sentence(task: str, action: str) -> None:
    world = shared(task)
    before = state(world)
    wrong = world.check(action)
    assert "\n" not in wrong and len(wrong) < 1000
    if wrong and kind_of(world) in ("textworld", "overworld"):
        refused = world.act(action)
        assert (refused.success, refused.steps, refused.failure) == (False, 0, wrong)
    assert state(world) == before


@pytest.mark.parametrize("task", SAMPLES)
@pytest.mark.parametrize("action", [{"name": "move", "arguments": {}}, None, 5, ["mine 1 dirt"]])
def test_an_action_that_is_no_text_is_refused_in_one_sentence(task: str, action: Any) -> None:
    world = make(task)
    before = world.observe().inventory
    refused = world.act(action)
    assert not refused.success and refused.failure.endswith((".", "?")) and "\n" not in refused.failure
    assert world.observe().inventory == before and world.check(action) and not world.reason


# --- the end ----------------------------------------------------------------------------------------------


LAST = {
    "plancraft": ["move from I15 to A1 with quantity 1", "impossible: now"],
    "kitchen": ["Do nothing"],
    "textworld": ["mine 1 dirt", "craft 1 oak_planks", "dig 3", "place 1 crafting_table"],
    "overworld": ["mine 1 dirt", "craft 1 planks", "dig 3", "place 1 crafting_table"],
    "tabletop": ["pick the small ring and place it on the brown stand", "pick it"],
}


def nothing_changes(world: World) -> None:
    before = state(world)
    for action in [*LAST[kind_of(world)], *(world.observe().actions or ())[:3]]:
        assert world.act(action).steps == 0
        assert state(world) == before


@pytest.mark.parametrize("task", SAMPLES)
def test_when_the_steps_are_used_up_nothing_changes_any_more(task: str) -> None:
    world: Any = make(task, max_steps=3)
    lines = {"plancraft": '{"name": "noop"}', "kitchen": "Do nothing", "tabletop": LAST["tabletop"][0]}
    line = lines.get(kind_of(world), "mine 64 dirt")
    while not world.reason:
        world.act(line)
    assert (world.reason, world.success, world.steps) == ("max_steps", False, 3)
    nothing_changes(world)


@pytest.mark.parametrize("task", SAMPLES)
def test_after_a_success_nothing_changes_any_more(task: str) -> None:
    world: Any = make(task)
    told = steps_of(world.how_to(world.task.item, "How?", LEVELS[0]))
    for line in ["mine 1 log", "craft 4 planks"] if kind_of(world) == "overworld" else told:
        assert world.act(line).success, line
    assert (world.reason, world.success) == ("success", True)
    nothing_changes(world)


# --- teachers ---------------------------------------------------------------------------------------------


def steps_of(answer: str) -> list[str]:
    """The numbered lines of an executable answer."""
    return re.findall(r"^\d+\. (.+)$", answer, re.M)


@pytest.mark.parametrize("task", TEXT_TASKS)
def test_the_executable_answer_reaches_the_item_in_the_text_world(task: str) -> None:
    world: Any = make(f"textworld/{task}")
    answer = world.how_to(world.task.item, f"How do I get {world.task.item}?", LEVELS[0])
    assert steps_of(answer)
    for line in steps_of(answer):
        assert not world.check(line)
        assert world.act(line).success, line
    assert world.success and world.reason == "success"


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_executable_answer_serves_the_dish(number: int) -> None:
    world: Any = make(f"kitchen/sync/{number}", seed=1)
    for line in steps_of(world.how_to("", "How do I do it?", LEVELS[0])):
        assert world.act(line).success, line
    assert world.success


@pytest.mark.parametrize("item", SOLVABLE, ids=lambda item: item.id)
def test_the_executable_answer_crafts_the_target(item: Any) -> None:
    split = "high" if item.id.startswith("VALR") else "low"
    world: Any = make(f"plancraft/{split}/{item.id}")
    for line in steps_of(world.how_to(item.target, "How?", LEVELS[0])):
        assert not world.check(line)
        assert world.act(line).success, line
    assert world.reason == "success"


@pytest.mark.parametrize("task", SAMPLES)
def test_a_teacher_says_less_and_less_from_level_to_level(task: str) -> None:
    world: Any = make(task)
    answers = [world.how_to(world.task.item, "How?", level) for level in LEVELS]
    assert len(set(answers)) == 4 and "\n" in answers[0]
    marks = r"\bI\d+\b|\bMove \b|\b(?:mine|craft) \d|\bpick the"
    places = [len(re.findall(marks, answer)) for answer in answers]
    assert places[0] > places[1] == places[2] == places[3] == 0
    assert state(world) == state(make(task)), "to answer changes nothing"


def test_a_teacher_goes_on_from_where_one_is() -> None:
    world: Any = make("textworld/stone_sword")
    lines = steps_of(world.how_to("stone_sword", "", LEVELS[0]))
    world.act(lines[0])
    assert steps_of(world.how_to("stone_sword", "", LEVELS[0])) == lines[1:]
