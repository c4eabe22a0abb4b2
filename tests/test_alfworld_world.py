"""The household as a world: what every world promises, with a task played to its end."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mnemocraft.envs.alfworld import TYPES, process
from mnemocraft.errors import MnemocraftError
from mnemocraft.worlds import Frames, Goals, Horizons, Lookahead, Teaching, make, tasks
from mnemocraft.worlds.household import SubGoalWorld
from mnemocraft.worlds.world import Feedback

TASK = "household/generated/look_at_obj_in_light/2"
engine = pytest.mark.skipif(
    any(process.find_spec(name) is None for name in process.NEEDS),
    reason="the household needs ALFWorld (./run_all.sh alfworld)",
)


@pytest.fixture(autouse=True)
def _written_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path))


@engine
def test_a_fresh_world_shows_room_task_and_commands() -> None:
    world = make(TASK, seed=3)
    shown = world.observe()
    assert (world.task.id, world.steps, world.reason, world.success) == (TASK, 0, "", False)
    assert world.task.facts == {"task_type": "look_at_obj_in_light"} and world.task.max_steps == 50
    assert shown.text.startswith("You are in the middle of a room.") and shown.scene in shown.aggregated
    assert shown.scene.startswith("You are at: the middle of the room") and "Not looked at: " in shown.scene
    assert world.task.goal in shown.text and world.task.goal not in shown.scene and "ALFRED" not in shown.text
    assert shown.actions and all(
        f"\n{each}" in shown.text and not world.check(each) for each in shown.actions
    )
    assert world.idle in shown.actions and not world.wording and world.guide and world.encoder == "room_graph"
    assert not any(isinstance(world, each) for each in (Lookahead, Goals, Horizons, Teaching, Frames))
    assert world.observe() == shown and world.steps == 0


@engine
def test_a_search_of_the_room_ends_in_success_and_then_nothing_changes() -> None:
    world = make(TASK)
    found = re.fullmatch(r"(?:look at|examine the) (\w+) (?:under|with) the (\w+)", world.task.goal)
    assert found is not None
    thing, lamp = found.groups()
    start = world.observe().actions or ()
    places, where = [each for each in start if each.startswith("go to ")], ""
    for go in places:
        assert world.act(go) == Feedback(True, 1)
        opening = [each for each in world.observe().actions or () if each.startswith("open ")]
        if opening:
            world.act(opening[0])
        where = go if f"{lamp} 1" in world.observe().text else where
        taking = [each for each in world.observe().actions or () if each.startswith(f"take {thing} ")]
        if taking:
            world.act(taking[0])
            break
    for go in [where] if where else places:
        world.act(go)
        if f"use {lamp} 1" in (world.observe().actions or ()):
            world.act(f"use {lamp} 1")
            break
    assert (world.success, world.reason) == (True, "success") and world.steps < 50
    before = world.observe(), world.steps
    for action in ("look", "nonsense", places[0]):
        told = world.act(action)
        assert (told.success, told.steps, told.failure) == (False, 0, "The episode is over.")
        assert (world.observe(), world.steps) == before


@engine
def test_a_refused_command_takes_a_step_and_the_last_one_ends_it() -> None:
    world = make(TASK, max_steps=2)
    told = world.act("fetch " * 100)
    assert (told.success, told.steps, world.steps) == (False, 1, 1)
    assert (
        told.failure == world.check("fetch " * 100) and "\n" not in told.failure and len(told.failure) < 300
    )
    assert world.observe().text.startswith("Nothing happens.")
    assert world.act("  look").success and (world.reason, world.success) == ("max_steps", False)


def in_sub_goals(number: int, max_steps: int = 50) -> SubGoalWorld:
    world = make(
        f"household/generated/pick_heat_then_place_in_recep/{number}", sub_goals=True, max_steps=max_steps
    )
    assert isinstance(world, SubGoalWorld)
    return world


@engine
def test_a_controller_goes_opens_and_does_what_a_sub_goal_asks_for() -> None:
    """Every receptacle is tried for the thing: one pick succeeds, and then the task is done in two more."""
    world = in_sub_goals(0)
    found = re.fullmatch(r"(?:put a hot|heat some) (\w+) (?:and put it )?(?:in|on) (\w+)", world.task.goal)
    assert found is not None and "Valid Actions" not in world.observe().text
    thing, target = found.groups()
    for place in sorted(world.room.doors):
        before = world.steps
        told = world.act(f"pick {thing} at {place}")
        assert told.steps == world.steps - before and place in world.room.contents, "it has looked inside"
        if told.success:
            break
        assert told.failure.startswith(
            f"I am at {place}, but nothing there lets me pick a {thing}; I hold nothing"
        )
    assert world.room.held.startswith(f"{thing} ") and not world.success
    wrong = world.act(f"heat {thing} at {place}")
    assert not wrong.success and wrong.steps == 0 and f"I hold {world.room.held}" in wrong.failure
    assert world.act(f"heat a {thing} at microwave 1").success
    put = next(place for place in world.room.doors if place.startswith(f"{target} "))
    assert world.act(f"put {thing} at {put}").success and world.success and world.reason == "success"
    assert world.act(f"pick {thing} at {put}") == Feedback(False, 0, "The episode is over.")


@engine
def test_what_is_no_sub_goal_takes_a_step_and_is_never_given_to_the_engine() -> None:
    world = in_sub_goals(0, max_steps=4)
    command = world.env.valid_actions[0]
    assert command.startswith("go to ")
    for line, sentence in (
        (command, "is no sub-goal"),
        ("pick mug at moon 1", "no moon 1 in this room"),
        ("", "is no"),
    ):
        assert sentence in world.check(line)
        told = world.act(line)
        assert (told.success, told.steps) == (False, 1) and told.failure == world.check(line)
    assert not world.room.here and not world.room.contents, "it never left the middle of the room"
    far = next(place for place in world.room.doors if place not in world.room.here)
    told = world.act(f"pick mug at {far}")
    assert told.steps == 1 and world.reason == "max_steps" and not told.success


@pytest.mark.parametrize(
    ("task", "options", "sentence"),
    [
        ("household/kitchen", {}, "no household task 'kitchen'; it begins with generated or valid_unseen"),
        ("household/generated/pick_and_place_simple/x", {}, "no generated game 'pick_and_place_simple/x'"),
        ("household/valid_unseen/a/b", {}, "no game 'a/b' in valid_unseen"),
        (TASK, {"speed": 2}, "household world has no option 'speed'; it has max_steps, sub_goals"),
    ],
)
def test_what_cannot_be_made_is_one_sentence(task: str, options: dict[str, int], sentence: str) -> None:
    with pytest.raises(MnemocraftError, match=sentence):
        make(task, **options)


def test_tasks_are_ours_first_and_of_all_types() -> None:
    names = tasks("household")
    assert [name.split("/")[1] for name in names] == ["generated"] * 120 + ["valid_unseen"] * 134
    assert all(any(f"/{kind}" in name for kind in TYPES) for name in names)
