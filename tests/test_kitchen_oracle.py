"""The oracle: its plans work and are as short as known, it plans from anywhere, its failed walks fail."""

import json
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kitchen_golden import domain_json, needs_traces, open_files, records, row_kitchen
from mnemocraft.envs.kitchen import BENCHMARK_SEEDS, HORIZONS, TASKS, KitchenEnv, oracle
from mnemocraft.envs.kitchen.oracle import SEEDS, failed_walk, oracle_plan, plan_kitchen
from mnemocraft.envs.kitchen.planner.bound import steps_left
from mnemocraft.envs.kitchen.planner.compact import read
from mnemocraft.envs.kitchen.planner.moves import moves
from mnemocraft.envs.kitchen.planner.roles import castings
from mnemocraft.envs.kitchen.planner.search import sentences
from mnemocraft.errors import MnemocraftError
from training import kitchen_plans

# Shortest lengths in the file's own kitchen and at the ten benchmark seeds (42 ... 420), found outside this
# project with A* and replayed in Robotouille's own engine (commit c8236a2e); ~ is the best found, not proven.
KNOWN = {
    "sync/0": "8 | 7 8 10 11 8 14 8 8 8 5",
    "sync/1": "14 | 14 14 20 12 13 13 14 18 11 16",
    "sync/2": "24 | 24 24 21 19 23 26 24 28 21 30",
    "sync/3": "8 | 8 12 14 8 8 10 8 8 8 8",
    "sync/4": "15 | 12 12 18 18 12 13 12 12 12 10",
    "sync/5": "23 | 20 20 26 22 20 30 20 26 23 25",
    "sync/6": "35 | 36 32 37 34 26 31 29 34 33 34",
    "sync/7": "43 | 33 37 38 34 36 38 33 35 41 37",
    "sync/8": "39 | 33 40 41 41 36 37 41 39 41 45",
    "sync/9": "57 | 47 54 48 55 50 51 51 53 44 49",
    "async/0": "21 | 19 19 20 17 17 15 17 19 19 22",
    "async/1": "27 | 23 20 20 18 27 22 27 27 23 29",
    "async/2": "37 | 31 33 36 32 37 28 30 32 34 39",
    "async/3": "42 | 42 36 35 41 38 44 35 31 43 40",
    "async/4": "46 | 42 46 48 48 45 38 42 43 38 43",
    "async/5": "19 | 21 25 21 23 18 19 21 19 19 19",
    "async/6": "42 | 37 45 42 43 46 46 50 45 42 46",
    "async/7": "44 | 40 46 43 44 40 41 40 45 44 44",
    "async/8": "~67 | ~65 56 ~67 ~79 ~66 60 66 60 ~68 57",
    "async/9": "~91 | ~77 ~82 68 ~76 ~75 ~80 ~73 76 ~77 ~87",
}
SHORTER_THAN_PROVEN = {("async/8", 336): 59}
"""Ours, a step shorter than the 60 listed as proven; the pot is lifted twice just after an item was added."""
KITCHENS = [(task, seed) for task in TASKS for seed in SEEDS]
WORK = ("cut", "cook", "fry", "fill-pot", "boil-water")
SMALL = [f"sync/{i}" for i in range(5)] + ["async/0", "async/1", "async/2", "async/5"]


def known():
    for task, lengths in KNOWN.items():
        for seed, length in zip((None, *BENCHMARK_SEEDS), lengths.replace("|", "").split(), strict=True):
            yield task, seed, int(length.lstrip("~")), not length.startswith("~")


def replay(env, actions):
    """Take the actions, all of them valid; the last ``info``."""
    info = {"success": env.reason == "success"}
    for action in actions:
        assert not info["success"], "the goal is reached before the plan ends"
        *_, info = env.step(action)
        assert info["action_success"], info
    return info


# --- stored plans --------------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
def test_stored_plans_reach_the_goal_with_their_last_action_within_the_benchmarks_own_limit(task):
    number = TASKS.index(task) % 5
    others = (number, number + 5)  # of the seeds 0 to 9; the command that stores plans replays them all
    for seed in (None, *BENCHMARK_SEEDS, *others):
        env = KitchenEnv(task, seed, max_steps=1.5 * HORIZONS[task])
        assert replay(env, oracle_plan(task, seed))["success"], seed


def test_stored_plans_are_complete_and_say_their_length():
    lines = [json.loads(line) for line in oracle.PLANS.read_text(encoding="utf-8").splitlines()]
    assert [(line["task"], line["seed"]) for line in lines] == KITCHENS
    assert all(line["length"] == len(line["actions"]) for line in lines)


def test_plans_are_no_longer_than_known_and_as_long_where_that_is_proven():
    for task, seed, length, proven in known():
        ours = len(oracle_plan(task, seed))
        assert ours <= length, (task, seed)
        if proven:
            assert ours == SHORTER_THAN_PROVEN.get((task, seed), length), (task, seed)


@needs_traces
def test_plans_of_the_memory_banks_seeds_are_no_longer_than_the_recorded_ones():
    for record in records("solutions"):
        ours = len(oracle_plan(record["name"], record["seed"]))
        assert ours <= record["length"], (record["name"], record["seed"])
        if record["proven_shortest"] and (record["name"], record["seed"]) not in SHORTER_THAN_PROVEN:
            assert ours == record["length"], (record["name"], record["seed"])


def test_the_command_writes_what_is_stored(tmp_path, monkeypatch):
    stored = oracle.PLANS.read_text(encoding="utf-8").splitlines()
    monkeypatch.setattr(kitchen_plans, "PLANS", tmp_path / "new" / "plans.jsonl")
    monkeypatch.setattr(kitchen_plans, "TASKS", ("sync/2", "async/5"))
    kitchen_plans.main(["--workers", "2"])
    written = kitchen_plans.PLANS.read_text(encoding="utf-8").splitlines()
    assert written == [line for line in stored if json.loads(line)["task"] in ("sync/2", "async/5")]


def test_other_seeds_are_planned_when_asked_for_and_unknown_tasks_refused():
    assert replay(KitchenEnv("sync/4", 12345), oracle_plan("sync/4", 12345))["success"]
    with pytest.raises(MnemocraftError, match="Unknown kitchen task 'sync/10'"):
        oracle_plan("sync/10", 0)


# --- the planner ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "seed"), [("sync/1", 126), ("sync/5", 252), ("async/3", 84), ("async/7", 42), ("async/9", 126)]
)
def test_planning_live_finds_the_known_length(task, seed):
    plan = plan_kitchen(KitchenEnv(task, seed))
    assert plan is not None and len(plan) == len(oracle_plan(task, seed))


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(SMALL), st.integers(0, 300), st.integers(0, 25), st.integers(0, 10**6))
def test_plans_from_any_state_that_play_can_reach(task, seed, steps, chance):
    env = KitchenEnv(task, seed, max_steps=1000)
    choose = random.Random(chance).choice
    for _ in range(steps):
        if not env.reason:
            env.step(choose(env.valid_actions))
    before = env.snapshot
    plan = plan_kitchen(env, effort=3)
    assert env.snapshot == before
    if plan is None:  # what is in water or in a bowl stays there
        assert any(fact.startswith(("addedto", "in(water1,bowl")) for fact in env.state)
    else:
        assert replay(env, plan)["success"]


def test_a_solved_kitchen_needs_one_more_step_and_a_finished_episode_none():
    env = KitchenEnv("sync/3", 42)
    assert replay(env, oracle_plan("sync/3", 42))["success"]
    assert plan_kitchen(env) == ()
    solved = env.copy()
    solved.reason = ""
    assert plan_kitchen(solved) == ("Do nothing",)
    late = KitchenEnv("sync/3", 42, max_steps=1)
    late.step("Do nothing")
    assert plan_kitchen(late) is None


SANDWICH = [
    ("item_on", ["bread", "table"], [1, 2]),
    ("iscut", ["lettuce"], [3]),
    ("item_at", ["lettuce", "table"], [3, 2]),
    ("item_at", ["bread", "table"], [4, 2]),
    ("clear", ["bread"], [4]),
]
FRIES = [("iscut", ["potato"], [1]), ("isfried", ["potato"], [1]), ("item_on", ["potato", "table"], [1, 2])]
SOUP = [
    ("in", ["water", "bowl"], [1, 2]),
    ("isboiling", ["water"], [1]),
    ("addedto", ["potato", "water"], [3, 1]),
    ("container_at", ["bowl", "table"], [2, 4]),
]
LINKS = [
    ("item_on", ["bread", "table"], [1, 2]),
    ("iscooked", ["patty"], [3]),
    ("atop", ["patty", "bread"], [3, 1]),
    ("atop", ["cheese", "patty"], [4, 3]),
]


def fewest_steps(env):
    """Length of the shortest plan, None if there is none, by breadth-first search in the engine."""
    engine, goal = env.scene.engine, env.scene.goal
    layer, seen, steps = [env.snapshot], {env.snapshot}, 0
    while layer and not any(goal.holds(state.facts) for state in layer):
        following = (engine.step(state, action) for state in layer for action in engine.actions(state))
        layer = [state for state in dict.fromkeys(following) if state not in seen]
        seen.update(layer)
        steps += 1
    return steps if layer else None


@pytest.mark.parametrize(
    ("stations", "goal"),
    [
        (["table: bread bread", "board: lettuce"], SANDWICH),  # impossible: the bread finds no place to wait
        (["table: bread bread", "board: lettuce", "sink"], SANDWICH),
        (["board: bread lettuce", "table: bread", "sink"], SANDWICH),
        (["board: lettuce bread bread", "table: onion"], SANDWICH),
        (["fryer: potato", "board", "table: lettuce"], FRIES),
        (["table: patty", "stove: cheese", "table: bread"], LINKS),
        (["table: bread cheese", "stove: patty"], LINKS),
        (["table: bowl", "sink: pot", "stove", "table: potato"], SOUP),
        (["sink: bowl", "table: pot", "stove: potato", "table"], SOUP),
    ],
)
def test_no_plan_is_shorter_in_small_kitchens(tmp_path, stations, goal):
    env = open_files(tmp_path, row_kitchen(stations, goal=goal))
    plan = plan_kitchen(env)
    assert (plan and len(plan)) == fewest_steps(env)


@pytest.mark.parametrize(
    ("stations", "goal"),
    [
        (["board: lettuce", "table"], [("iscut", ["lettuce"], [1])]),
        (["table: bread", "board"], [("item_on", ["bread", "board"], [1, 2])]),
        (["board: bread", "table"], [("item_at", ["bread", "table"], [1, 2])]),
        (["table: lettuce", "board"], [*FRIES[2:], ("iscut", ["lettuce"], [3])]),
        (["table: pot", "table: pot", "table: bowl", "sink", "stove", "table: potato"], SOUP),
        (["table: pot", "table: bowl", "sink", "stove", "table: potato"], SOUP[:1] + SOUP[2:]),
    ],
)
def test_goals_and_kitchens_of_other_kinds_get_no_plan(tmp_path, stations, goal):
    things = stations if any("potato" in station for station in stations) else [*stations, "table: potato"]
    assert plan_kitchen(open_files(tmp_path, row_kitchen(things, goal=goal))) is None


def test_kitchens_with_rules_of_their_own_get_no_plan(tmp_path):
    domain = domain_json()
    next(a for a in domain["action_defs"] if a["name"] == "cut")["sfx"] = []
    kitchen = row_kitchen(["table: bread", "table"], goal=[("item_on", ["bread", "table"], [1, 2])])
    assert plan_kitchen(open_files(tmp_path, kitchen)) == ("Do nothing",)
    assert (
        plan_kitchen(
            open_files(
                tmp_path,
                row_kitchen(["board: bread", "table"], goal=[("item_on", ["bread", "table"], [1, 2])]),
                domain,
            )
        )
        is None
    )


# --- the compact model ---------------------------------------------------------------------------


def rated(kitchen):
    """Castings with their bounds, best first."""
    return castings(kitchen, lambda c: steps_left(kitchen, c, kitchen.start, lifted=False))


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(TASKS), st.sampled_from(SEEDS), st.integers(0, 10**6))
def test_compact_states_are_those_of_the_engine(task, seed, chance):
    env = KitchenEnv(task, seed, max_steps=10**6)
    kitchen, draw = read(env), random.Random(chance)
    casting = rated(kitchen)[0][1]
    state = kitchen.start
    for step in range(40):
        options = list(moves(kitchen, casting, state, step == 0))
        working = [option for option in options if option[1].action in WORK]
        cost, move, after = draw.choice(working if working and draw.random() < 0.5 else options)
        actions = sentences(replace(kitchen, start=state), [move])
        assert len(actions) == cost
        replay(env, actions)
        if env.reason:
            return
        assert read(env).start == after
        state = after


@settings(max_examples=10, deadline=None)
@given(st.sampled_from(TASKS), st.sampled_from(SEEDS))
def test_the_bound_is_never_above_what_the_plan_still_takes(task, seed):
    env = KitchenEnv(task, seed)
    plan = oracle_plan(task, seed)
    for done, action in enumerate(plan):
        assert rated(read(env))[0][0] <= len(plan) - done, (done, action)
        env.step(action)


# --- failed walks --------------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
def test_failed_walks_are_valid_repeatable_and_never_reach_the_goal(task):
    env = KitchenEnv(task, 3)
    walk = failed_walk(task, 3)
    assert not replay(env, walk)["success"] and not env.goal_reached
    assert walk == failed_walk(task, 3) and len(walk) == len(oracle_plan(task, 3))
