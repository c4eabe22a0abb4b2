"""KitchenEnv: episodes, texts, lookahead and the laws that every kitchen keeps."""

import copy
import pickle
import random
import sys
import threading
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given, settings
from hypothesis import strategies as st

from kitchen_golden import needs_traces, open_files, records, row_kitchen, runs
from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import BENCHMARK_SEEDS, HORIZONS, TASKS, TITLES
from mnemocraft.envs.kitchen.scene import task_scene
from mnemocraft.errors import MnemocraftError


def solutions():
    return [r for r in records("solutions") if "actions" in r and r["seed"] is None]


def play(env, actions):
    """The last result of ``step``."""
    for action in actions:
        result = env.step(action)
    return result


def test_is_a_gymnasium_environment():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(KitchenEnv("async/5", 3))
    env = KitchenEnv("async/5", 3)
    env.action_space.seed(0)
    assert env.step(env.action_space.sample())[4]["action_success"]
    assert gymnasium.make(env.spec).unwrapped.state == KitchenEnv("async/5", 3).state


def test_tasks_horizons_and_limits():
    assert len(TASKS) == len(HORIZONS) == len(TITLES) == 20 and (*range(42, 421, 42),) == BENCHMARK_SEEDS
    env = KitchenEnv("sync/1", 126)
    assert (env.horizon, env.max_steps, env.goal_description) == (
        14,
        42,
        "Prepare a lettuce sandwich on a table",
    )


@needs_traces
def test_known_solutions_succeed_once_and_then_nothing_changes():
    for record in solutions():
        env = KitchenEnv(record["name"], record["seed"])
        *most, last = record["actions"]
        _, reward, terminated, _, info = play(env, most)
        assert (reward, terminated, info["success"]) == (0.0, False, False)
        observation, reward, terminated, truncated, info = env.step(last)
        assert (reward, terminated, truncated) == (1.0, True, False) and env.goal_reached
        assert info["reason"] == "success" and info["steps"] == record["length"]
        again, reward, terminated, _, info = env.step(env.valid_actions[0])
        assert again == observation and (reward, terminated, info["steps"]) == (0.0, True, record["length"])
        assert info["failure"] == "The episode is over."


@needs_traces
def test_replaying_the_sentences_of_a_trace_gives_its_states_and_texts():
    for task in ("sync/9", "async/9"):
        (init, walks), *_ = runs(task.replace("/", "_"), lambda init: init["seed"] == 42)
        for walk in walks:
            env, true = KitchenEnv(task, 42, max_steps=1000), set(init["true"])
            assert env.observation() == init["obs"]
            for step in walk[:-1]:
                if env.reason:
                    break
                assert sorted(env.valid_actions) == [text for text, *_ in step["valid"]]
                env.step(step["action"])
                true = true - set(step["del"]) | set(step["add"])
                assert env.state == true


@needs_traces
def test_the_text_is_blocks_then_actions_then_goal():
    record = next(records("async_5"))
    env = KitchenEnv("async/5", seed=None)
    text = env.reset()[0]["text"]
    blocks, actions, goal = (
        text.split("\n\nValid Actions:\n")[0],
        *text.split("Valid Actions:\n")[1].split("\n\n"),
    )
    assert blocks == record["obs"] and sorted(actions.split("\n")) == sorted(env.valid_actions)
    assert goal == f"Goal: {record['goal_description']}"


def test_an_invalid_action_takes_no_time():
    env = KitchenEnv("sync/0", 42)
    before, (start, _) = env.snapshot, env.reset()
    for action in ("Move robot1 to the moon", "", "do nothing", None):
        observation, reward, terminated, truncated, info = env.step(action)
        assert not info["action_success"] and repr(action) in info["failure"] and "\n" not in info["failure"]
        assert (reward, terminated, truncated, info["steps"]) == (0.0, False, False, 0)
        assert observation == start and env.snapshot == before and info["valid_actions"] == env.valid_actions


@pytest.mark.parametrize(("limit", "steps"), [(2, 2), (2.5, 3), (1, 1)])
def test_the_limit_may_be_a_fraction(limit, steps):
    env = KitchenEnv("sync/0", 0, max_steps=limit)
    ends = [env.step("Do nothing")[3] for _ in range(4)]
    assert ends == [i + 1 >= steps for i in range(4)] and env.steps == steps
    assert env.reason == "max_steps"


def test_reset_with_a_seed_lays_out_anew_and_without_one_goes_back():
    env = KitchenEnv("async/9", 42)
    play(env, env.valid_actions[:1])
    assert env.reset()[0] == KitchenEnv("async/9", 42).reset()[0] and env.steps == 0
    assert env.reset(seed=84)[0] == KitchenEnv("async/9", 84).reset()[0] and env.seed == 84
    assert env.reset()[0] == KitchenEnv("async/9", 84).reset()[0]


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"task": "sync/10"}, "sync/0 to sync/9"),
        ({"task": "synchronous/0"}, "synchronous/0"),
        ({"seed": -1}, "seed"),
        ({"seed": "42"}, "seed"),
        ({"seed": 1.0}, "seed"),
        ({"seed": np.bool_(True)}, "seed"),
        ({"max_steps": 0}, "max_steps"),
        ({"max_steps": "5"}, "max_steps"),
        ({"max_steps": True}, "max_steps"),
        ({"render_mode": "human"}, "render_mode"),
        ({"max_steps": float("nan")}, "max_steps"),
    ],
)
def test_wrong_settings_get_a_sentence(settings, word):
    with pytest.raises(MnemocraftError, match=word):
        KitchenEnv(**settings)


def test_seeds_of_numpy_are_whole_numbers():
    env = KitchenEnv("sync/0", np.int64(42), max_steps=np.int64(5))
    assert type(env.seed) is int and env.reset(seed=np.uint8(84))[0] == KitchenEnv("sync/0", 84).reset()[0]


def test_the_render_mode_can_be_chosen(tmp_path):
    assert KitchenEnv("sync/0").render_mode == "rgb_array"
    env = gymnasium.make(KitchenEnv("sync/0").spec, render_mode=None)
    assert env.unwrapped.render_mode is None and env.unwrapped.render().ndim == 3
    kitchen = row_kitchen(["table: bread", "board: lettuce"])
    assert open_files(tmp_path, kitchen, render_mode=None).render_mode is None


def test_an_environment_that_was_pickled_goes_on_as_the_first(tmp_path):
    kitchen = row_kitchen(["table: bread", "board: lettuce"])
    for env in (KitchenEnv("async/5", 42), open_files(tmp_path, kitchen, seed=None)):
        draw = random.Random(1)
        for _ in range(9):
            env.step(draw.choice(env.valid_actions))
        again = pickle.loads(pickle.dumps(env))  # noqa: S301 (our own bytes)
        for _ in range(30):
            action = draw.choice(env.valid_actions)
            assert again.step(action) == env.step(action)
        assert again.reset(seed=5) == env.reset(seed=5)


# --- laws --------------------------------------------------------------------------------------

walks = st.tuples(
    st.sampled_from(("sync/5", "sync/9", "async/4", "async/8", "async/9")),
    st.sampled_from((None, 0, 42, 84)),
    st.lists(st.integers(0, 10**6), max_size=60),
)


def walk_of(task, seed, choices):
    """Random actions, moves (most of the valid ones) only every fourth time."""
    env = KitchenEnv(task, seed, max_steps=10**6)
    for choice in choices:
        actions = (
            [a for a in env.valid_actions if not a.startswith("Move")] if choice % 4 else env.valid_actions
        )
        env.step(actions[choice % len(actions)])
        yield env


def places(env):
    """Where each item and container is, from the facts."""
    found = {name: [] for name, kind in env.objects if kind in ("item", "container")}
    for fact in env.state:
        predicate, _, args = fact[:-1].partition("(")
        args = args.split(",")
        if predicate in ("item_at", "container_at", "addedto"):
            found[args[0]].append(args[1])
        elif predicate in ("has_item", "has_container"):
            found[args[1]].append(args[0])
    return found


@settings(max_examples=12, deadline=None)
@given(walks)
def test_everything_is_in_one_place_and_what_is_held_is_nowhere_else(walk):
    for env in walk_of(*walk):
        state, where = env.state, places(env)
        assert all(len(found) == 1 for found in where.values())
        held = [name for name, found in where.items() if found == ["robot1"]]
        assert len(held) + ("nothing(robot1)" in state) == 1
        for name in held:
            on_it = {
                f"clear({name})",
                *(f for f in state if f.startswith("atop") and name in f[5:-1].split(",")),
            }
            assert not on_it & state and not any(f.startswith(f"item_on({name},") for f in state)
        empty = {f[14:-1] for f in state if f.startswith("station_empty(")}
        used = {f[:-1].split(",")[1] for f in state if f.startswith(("item_on(", "container_at("))}
        assert not empty & used and empty | used == {n for n, kind in env.objects if kind == "station"}


@settings(max_examples=12, deadline=None)
@given(walks)
def test_lookahead_tells_what_comes_and_changes_nothing(walk):
    predicted = None
    for env in walk_of(*walk):
        before = (env.snapshot, env.observation(), env.valid_actions, env.steps)
        states, texts = env.successors(), env.successor_texts()
        assert list(states) == list(texts) == list(dict.fromkeys(env.valid_actions))
        assert before == (env.snapshot, env.observation(), env.valid_actions, env.steps)
        action = env.valid_actions[len(states) // 2]
        other = env.copy()
        other.step(action)
        if not env.reason:
            assert other.state == states[action] and other.observation() == texts[action]
        assert before == (env.snapshot, env.observation(), env.valid_actions, env.steps)
        predicted = other
    assert predicted is None or predicted.action_space is not env.action_space


def test_snapshots_see_what_the_text_does_not():
    hidden = KitchenEnv("async/5", None)
    play(hidden, ["Move robot1 from table1 to table3", "Pick up pot1 from table3 using robot1"])
    play(hidden, ["Move robot1 from table3 to sink1", "Place pot1 on sink1 using robot1"])
    filling = hidden.copy()
    filling.step("Fill pot1 with water from sink1 using robot1")
    assert filling.state == hidden.state and filling.observation() == hidden.observation()
    assert len({filling.snapshot, hidden.snapshot, hidden.copy().snapshot}) == 2


def test_environments_of_one_kitchen_may_live_in_several_threads():
    def texts(seed):
        env, draw = KitchenEnv("async/9", 7, max_steps=10**6), random.Random(seed)
        return [env.step(draw.choice(env.valid_actions))[0]["text"] for _ in range(30)]

    found, interval = {}, sys.getswitchinterval()
    task_scene.cache_clear()
    KitchenEnv("async/9", 7)
    threads = [threading.Thread(target=lambda s=seed: found.update({s: texts(s)})) for seed in range(4)]
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    for seed in range(4):
        task_scene.cache_clear()
        assert found[seed] == texts(seed)


def test_copies_are_independent_of_each_other():
    env = KitchenEnv("sync/0", 42)
    for other in (env.copy(), copy.copy(env), copy.deepcopy(env)):
        before = env.observation()
        assert other.observation() == before and other.snapshot == env.snapshot
        other.step(other.valid_actions[0])
        assert (env.observation(), env.steps) == (before, 0) and other.steps == 1
        env.step(env.valid_actions[-2])
        assert other.steps == 1 and other.observation() != env.observation()
        env.reset()


def test_positions_are_those_of_the_grid():
    env = KitchenEnv("async/5", 42)
    stations = [name for name, kind in env.objects if kind == "station"]
    assert set(env.positions) == {*stations, "robot1"} and len(set(env.positions.values())) == len(
        env.positions
    )
    assert all(0 <= x < env.size[0] and 0 <= y < env.size[1] for x, y in env.positions.values())
