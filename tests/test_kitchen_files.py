"""Domain and environment files: ours equal the benchmark's, and legal ones of others open."""

import json
from functools import partial

import pytest

from kitchen_golden import SHARED, domain_json, needs_traces, open_files, records, row_kitchen, short
from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import TASKS, kitchen_domain, read_domain, task_kitchen
from mnemocraft.envs.kitchen.environment import LISTS
from mnemocraft.envs.kitchen.environment_file import read_environment
from mnemocraft.worlds.kitchen import KitchenWorld

FREE = (("clear", ["bread"], [1]),)


def shared_tasks():
    files = {short(str(f.relative_to(SHARED / "data"))): f for f in SHARED.glob("data/*/*.json")}
    assert set(files) == set(TASKS)
    return files


@pytest.fixture
def opened(tmp_path):
    return partial(open_files, tmp_path)


# --- ours are the benchmark's --------------------------------------------------------------------


@needs_traces
def test_our_domain_is_the_benchmarks():
    theirs = read_domain(json.loads((SHARED / "data" / "domain.json").read_text()), "domain.json")
    ours = kitchen_domain()
    assert ours == theirs
    assert list(ours.predicates) == list(theirs.predicates)
    assert [a.name for a in ours.actions] == [a.name for a in theirs.actions]


def comparable(kitchen):
    """A kitchen without the order and the absolute stack levels of its file."""
    lists = {
        key: [
            (t.kind, t.cell, t.flags, t.direction)
            for t in sorted(getattr(kitchen, key), key=lambda t: (t.cell, t.level))
        ]
        for key in LISTS
    }
    return lists, kitchen.width, kitchen.height, kitchen.goal, kitchen.goal_description


@needs_traces
def test_our_tasks_are_the_benchmarks():
    for task, file in shared_tasks().items():
        theirs = read_environment(json.loads(file.read_text()), kitchen_domain(), file.name)
        assert comparable(task_kitchen(task)) == comparable(theirs), task


# --- legal files ---------------------------------------------------------------------------------


@needs_traces
@pytest.mark.parametrize("task", ["sync/8", "sync/9", "async/6"])
def test_the_benchmarks_own_files_open(task):
    domain, file = SHARED / "data" / "domain.json", shared_tasks()[task]
    for seed in (None, 42):
        env = KitchenEnv.from_files(domain, file, seed=seed)
        assert env.reset()[0] == KitchenEnv(task, seed).reset()[0]
        assert (env.task, env.horizon, env.max_steps) == (file.stem, None, None)
        assert KitchenWorld(env).task.id == f"kitchen/{file.stem}"


@needs_traces
def test_the_kitchens_of_the_traces_open(opened):
    seen = set()
    for record in records("stress", "init"):
        if record["kitchen"] not in seen:
            seen.add(record["kitchen"])
            assert sorted(opened(record["env"]).state) == record["true"]
    assert len(seen) == 4


def test_held_things_meals_own_ids_and_wildcards(opened):
    env = row_kitchen(["station: item", "stove: pot", "table: bread"], robot=0)
    env["items"][0]["id"] = "mine"
    env["stations"][2]["id"] = "there"
    env["items"].append({"name": "tomato", "x": 0, "y": 1})
    env["meals"] = [{"name": "water", "x": 1, "y": 0, "predicates": ["isboiling"], "id": 7}]
    env["goal"] = [
        {"predicate": "item_at", "args": ["item", "station"], "ids": ["mine", "there"]},
        {"predicate": "in", "args": ["water", "pot"], "ids": [1, "2"]},
    ]
    played = opened(env)
    held = next(f[16:-1] for f in played.state if f.startswith("has_item(robot1,tomato"))
    assert {"in(water1,pot1)", "isboiling(water1)"} <= played.state
    assert not {f"clear({held})", "container_empty(pot1)", "nothing(robot1)"} & played.state
    assert opened(env).state == played.state
    assert any(f.startswith("in(water1") for f in opened(env, seed=5).state)


def test_a_kitchen_that_starts_solved_is_done_after_the_first_step(opened):
    env = opened(row_kitchen(["table: bread", "table"], goal=FREE))
    assert env.goal_reached and not env.reset()[1]["success"]
    assert env.step("Do nothing")[2]


def test_without_a_limit_an_episode_goes_on(opened):
    env = opened(row_kitchen(["table: bread", "board: lettuce"]))
    assert not any(env.step("Do nothing")[3] for _ in range(500))


def test_an_action_of_the_users_own_is_played(opened):
    """A domain with another action and a delayed effect of its own."""
    domain = domain_json()
    domain["predicate_defs"].append(
        {"name": "isripe", "param_types": ["item"], "language_descriptors": {"0": "{0} is ripe"}}
    )
    ripen = {
        "type": "delayed",
        "param": "i1",
        "fx": [{"predicate": "isripe", "params": ["i1"], "is_true": True}],
        "sfx": [],
    }
    domain["action_defs"].append(
        {
            "name": "ripen",
            "precons": [{"predicate": "clear", "params": ["i1"], "is_true": True}],
            "immediate_fx": [],
            "sfx": [ripen],
            "language_description": "Leave {i1} to ripen",
        }
    )
    env = opened(row_kitchen(["table: bread"], goal=(("isripe", ["bread"], [1]),)), domain)
    ends = [env.step("Leave bread1 to ripen")[2], *(env.step("Do nothing")[2] for _ in range(3))]
    assert ends == [False, False, False, True] and "bread1 is ripe" in env.observation()
