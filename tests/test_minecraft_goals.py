"""The goal library agrees with the text world on what goals need and bring."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mnemocraft.envs import TextWorldEnv
from mnemocraft.envs.minecraft.goals import Goal, goal_library
from mnemocraft.errors import MnemocraftError

VERSIONS = ("1.11.2", "1.16.5", "1.19.2")
FUEL = {"coal": 64}


def needed(goal: Goal, version: str) -> dict[str, int]:
    """An inventory that meets a goal's preconditions exactly, with the first item of each family."""
    held: dict[str, int] = {}
    for members, number in goal_library(version).ways(goal)[0].demands:
        held[members[0]] = held.get(members[0], 0) + number
    return held


@st.composite
def made(draw: st.DrawFn) -> tuple[str, Goal]:
    version = draw(st.sampled_from(VERSIONS))
    names = [name for name in goal_library(version).names if name[0] in ("craft", "smelt")]
    verb, item = draw(st.sampled_from(names))
    return version, Goal(verb, item, draw(st.integers(1, 12)))


@settings(max_examples=150, deadline=None)
@given(made())
def test_what_is_needed_is_enough_and_nothing_of_it_can_be_missed(case: tuple[str, Goal]) -> None:
    version, goal = case
    library = goal_library(version)
    held = needed(goal, version)
    fuel = FUEL if goal.verb == "smelt" else {}
    assert library.failure(goal, held | fuel) == ""
    for item, number in held.items():
        if item in library.rules.fuels and goal.verb == "smelt":
            continue  # what is spare as fuel may serve as material
        lacking = {name: units - (name == item) for name, units in (held | fuel).items()}
        others = {name for members, _ in library.ways(goal)[0].demands for name in members} - {item}
        if not others & set(lacking) or number == 1:
            assert item in library.failure(goal, lacking) or len(library.ways(goal)) > 1


@settings(max_examples=100, deadline=None)
@given(made())
def test_effects_are_what_the_text_world_does(case: tuple[str, Goal]) -> None:
    version, goal = case
    library = goal_library(version)
    if len(library.ways(goal)) > 1:
        return  # the text world may choose another way
    start = needed(goal, version) | ({"coal": 64} if goal.verb == "smelt" else {})
    env = TextWorldEnv(version, inventory=start)
    env.reset()
    times = -(-goal.count // dict(library.engine.operators[goal.name][0].gives).get(goal.item, 1))
    for _ in range(times):
        info = env.step({"name": goal.verb, "arguments": {"item": goal.item}})[4]
        assume(info["category"] != "inventory_full")  # so many empty buckets find no room
        assert info["action_success"], info
    after = env.inventory
    way = library.ways(goal)[0]
    effects = Counter(dict(way.gives))
    for members, asked in way.takes:
        effects[members[0]] -= asked
    for item, change in effects.items():
        if item not in library.rules.fuels or goal.verb == "craft":
            assert after.get(item, 0) - start.get(item, 0) == change
    assert after.get(goal.item, 0) - start.get(goal.item, 0) >= goal.count or goal.item in start


@pytest.mark.parametrize(
    ("goal", "held", "words"),
    [
        (Goal("mine", "iron_ore"), {"wooden_pickaxe": 1}, ("stone_pickaxe",)),
        (Goal("mine", "diamond", 1, "stone_pickaxe"), {"stone_pickaxe": 1}, ("iron_pickaxe",)),
        (Goal("mine", "dirt", 1, "iron_shovel"), {}, ("iron_shovel",)),
        (Goal("craft", "stick", 6), {"planks": 3}, ("1 more planks", "3 of 4")),
        (Goal("craft", "furnace"), {"cobblestone": 8}, ("crafting_table",)),
        (Goal("smelt", "iron_ingot", 2), {"iron_ore": 2, "furnace": 1}, ("fuel",)),
        (Goal("equip", "shield"), {}, ("shield",)),
        (Goal("place", "stick"), {"stick": 1}, ("no block",)),
        (Goal("dig", "down", 12), {"stick": 1}, ("pickaxe",)),
        (Goal("dig", "up", 12), {}, ("down", "up")),
        (Goal("fly", "home"), {}, ("fly", "mine")),
        (Goal("mine", "dimond"), {}, ("diamond",)),
        (Goal("craft", "stick", 0), {"planks": 64}, ("count", "0")),
        (Goal("mine", "log", 1, "stone_axxe"), {}, ("stone_axxe",)),
    ],
)
def test_failures_say_what_is_wrong(goal: Goal, held: dict[str, int], words: tuple[str, ...]) -> None:
    failure = goal_library("1.11.2").failure(goal, held)
    assert failure and all(word in failure for word in words)
    assert failure.count("\n") == 0


def test_a_station_nearby_serves_as_station_but_not_as_material() -> None:
    library = goal_library("1.11.2")
    assert library.failure(Goal("craft", "chest"), {"planks": 8}, ["crafting_table"]) == ""
    assert "furnace" in library.failure(Goal("craft", "furnace_minecart"), {"minecart": 1}, ["furnace"])


def test_ready_goals_are_those_that_do_not_wait_for_each_other() -> None:
    plan = [
        Goal("mine", "log", 2),
        Goal("kill", "sheep"),
        Goal("craft", "planks", 4),
        Goal("mine", "iron_ore"),
    ]
    library = goal_library("1.11.2")
    assert [goal for goal in plan if not library.failure(goal, {})] == plan[:2]
    assert not any(library.failure(goal, {"log": 1, "stone_pickaxe": 1}) for goal in plan)


def test_logs_of_a_species_are_goals_where_items_have_no_such_name() -> None:
    library = goal_library("1.11.2")
    assert library.objective(Goal("mine", "birch_log")) == (("log", 2),)
    assert library.objective(Goal("mine", "log")) == (("log", None),)
    assert goal_library("1.16.5").objective(Goal("mine", "birch_log")) == (("birch_log", None),)


def test_a_kill_shows_in_what_the_mob_surely_leaves() -> None:
    objective = goal_library("1.11.2").objective
    assert {item for item, _ in objective(Goal("kill", "sheep"))} == {"wool", "mutton"}
    assert objective(Goal("kill", "cow")) == (("beef", None),)  # leather may be none
    assert objective(Goal("kill", "llama")) == (("leather", None),)  # there is nothing else


def test_every_goal_of_every_version_has_ways_and_objectives() -> None:
    for version in VERSIONS:
        library = goal_library(version)
        for verb, item in library.names:
            goal = Goal(verb, item, 1)
            assert library.ways(goal)
            assert (verb in ("equip", "place", "dig")) == (library.objective(goal) == ())


def test_an_unknown_goal_is_refused() -> None:
    with pytest.raises(MnemocraftError, match="unicorn"):
        goal_library("1.11.2").ways(Goal("kill", "unicorn"))
