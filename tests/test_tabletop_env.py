"""The table top: rules that nothing breaks, scenes that can be solved, a controller as told."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemocraft.envs import TabletopEnv
from mnemocraft.envs.tabletop.env import Action
from mnemocraft.envs.tabletop.scene import PYRAMID, SIZES, STANDS, place
from mnemocraft.envs.tabletop.solver import solve
from mnemocraft.envs.tabletop.tasks import TASKS
from mnemocraft.errors import MnemocraftError


def shortest(env: TabletopEnv) -> list[str]:
    wanted = {thing: env.scene.wanted(thing) for thing in env.where}
    return [Action(*move).line for move in solve(env.where, env.scene.places, wanted) or []]


def check(env: TabletopEnv) -> None:
    """What holds whatever was done, said anew and not by the rules' own code."""
    assert set(env.where) == set(env.scene.start), "nothing comes or goes"
    for thing, at in env.where.items():
        together = [other for other, there in env.where.items() if there == at]
        assert at in env.scene.places or at in env.where
        if at in env.scene.places and place(at).room == 1:
            assert together == [thing], "two things in one place"
        if at.endswith(" hole"):
            assert thing.endswith(at.removesuffix(" hole"))
        if at in PYRAMID:
            assert set(PYRAMID[at]) <= set(env.where.values()), "a block hangs in the air"
        if at in env.where:
            assert env.where[at] == "table", "things lie on things on the table only"


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(list(TASKS)), st.integers(0, 2**32), st.data())
def test_whatever_is_done_the_rules_hold(task: str, seed: int, data: st.DataObject) -> None:
    env = TabletopEnv(task, seed, rates={"pick": 0.9}, max_steps=30)
    lines = [Action(thing, at).line for thing in env.where for at in env.scene.places]
    for _ in range(12):
        before, possible = dict(env.where), env.valid_actions()
        line = data.draw(st.sampled_from([*lines, *possible]))
        info = env.step(line)[4]
        moved = [thing for thing in before if env.where[thing] != before[thing]]
        assert len(moved) == int(info["action_success"])
        assert info["action_success"] <= (line in possible), "what is valid is what the rules allow"
        assert "\n" not in info.get("failure", "")
        check(env)
        if info["success"]:
            break


@given(st.lists(st.tuples(st.sampled_from(SIZES), st.sampled_from(STANDS)), max_size=14))
def test_towers_of_hanoi_are_those_of_a_stack_machine(moves: list[tuple[str, str]]) -> None:
    """Three real stacks as an independent peer: a ring moves if it is on top and lands on a larger one."""
    env = TabletopEnv("hanoi", max_steps=100)
    stacks = {STANDS[0]: [2, 1, 0], STANDS[1]: [], STANDS[2]: []}
    for size, stand in moves:
        ring = SIZES.index(size)
        origin = next(name for name, stack in stacks.items() if ring in stack)
        allowed = stacks[origin][-1] == ring and origin != stand
        allowed = allowed and (not stacks[stand] or stacks[stand][-1] > ring)
        done = env.step(f"pick the {size} ring and place it on the {stand}")[4]["action_success"]
        assert done == allowed
        if allowed:
            stacks[stand].append(stacks[origin].pop())
        if env.reason:
            assert stacks[STANDS[2]] == [2, 1, 0]
            return


@pytest.mark.parametrize("task", TASKS)
def test_every_scene_can_be_solved_within_the_papers_fifteen_steps(task: str) -> None:
    for seed in range(25):
        env = TabletopEnv(task, seed)
        lines = shortest(env)
        assert 0 < len(lines) <= 15 and (task != "hanoi" or len(lines) == 2**3 - 1)
        for line in lines:
            assert not env.success and env.step(line)[4]["action_success"], line
        assert env.success and env.step(lines[0])[4]["failure"] == "The episode is over."


def test_a_seed_is_a_scene_and_scenes_differ() -> None:
    for task in TASKS:
        texts = [TabletopEnv(task, seed).reset()[0]["text"] for seed in range(12)]
        assert texts == [TabletopEnv(task, seed).reset()[0]["text"] for seed in range(12)]
        assert len(set(texts)) > 6 or task == "hanoi"
    env = TabletopEnv("kits", 1)
    assert env.reset(seed=2)[0]["text"] == TabletopEnv("kits", 2).reset()[0]["text"]


def test_skills_succeed_as_often_as_told_and_fail_again_where_they_failed() -> None:
    worked = []
    for seed in range(400):
        env = TabletopEnv("kits", seed, rates={"pick": 0.8, "hole": 0.5})
        line = shortest(env)[0]
        first, again = env.step(line)[4]["action_success"], env.step(line)[4]["action_success"]
        assert not (not first and again)
        worked.append(first)
    assert abs(np.mean(worked) - 0.4) < 0.1  # four standard errors
    never = TabletopEnv("bowls", 0, rates={"pick": 0})
    for n in range(15):
        info = never.step(shortest(never)[0])[4]
        assert "gripper missed" in info["failure"] and info["steps"] == n + 1
    assert info["reason"] == "max_steps"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("dance", "is no action"),
        (
            "pick the red ring and place it on the dark stand",
            "no thing 'red ring' here; there are small ring",
        ),
        ("pick the small ring and place it on the moon", "no place 'moon' here; there are light stand"),
        ("pick the large ring and place it on the dark stand", "the small ring lies on it"),
        ("pick the small ring and place it on the light stand", "it is there already"),
    ],
)
def test_what_does_not_work_is_one_sentence(line: str, sentence: str) -> None:
    env = TabletopEnv("hanoi")
    before = dict(env.where)
    info = env.step(line)[4]
    assert sentence in info["failure"] and info["failure"].endswith(".") and env.where == before
    assert env.steps == int(info["failure"].startswith("I cannot"))


@pytest.mark.parametrize(
    ("settings_", "sentence"),
    [
        ({"task": "chess"}, "no table-top task 'chess'; it is one of kits, hanoi"),
        ({"seed": -1}, "seed must be"),
        ({"max_steps": 0}, "max_steps must be"),
        ({"rates": {"throw": 1}}, "no skill 'throw'"),
        ({"rates": {"pick": 1.5}}, "success rate of pick must be a number from 0 to 1"),
        ({"render_mode": "human"}, "render_mode"),
    ],
)
def test_wrong_settings_are_one_sentence(settings_: dict, sentence: str) -> None:
    with pytest.raises(MnemocraftError, match=sentence) as told:
        TabletopEnv(**settings_)
    assert "\n" not in str(told.value)


def test_pictures_show_what_changes() -> None:
    for task in TASKS:
        env = TabletopEnv(task, 3)
        before = env.render()
        assert before.dtype == np.uint8 and before.shape == (240, 320, 3)
        assert (env.render() == before).all()
        env.step(shortest(env)[0])
        assert (env.render() != before).any()
