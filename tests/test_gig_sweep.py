"""The kitchen study: its grid, its streams, and that an interrupted stream goes on as if nothing had been."""

import asyncio
import base64
import json
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from helpers import Scripted, Stand
from mnemocraft import paths
from mnemocraft.agents.gig.methods import METHODS
from mnemocraft.encoders import get_encoder
from mnemocraft.envs.kitchen import BENCHMARK_SEEDS
from mnemocraft.envs.kitchen.oracle import oracle_plan
from mnemocraft.errors import MnemocraftError, ModelError
from mnemocraft.runs import ModelSpec, Stream, read_trajectory, run_study, sources
from mnemocraft.studies.gig import load, sweep
from mnemocraft.worlds.kitchen import KitchenWorld

PACKAGE = Path(paths.__file__).parent


def test_the_grid_is_the_papers_and_its_ids_are_unique():
    study = sweep.study("full", [42])
    seeds = Counter(stream.condition.id for stream in study.streams)
    assert set(seeds) == {
        *(
            f"{method}/{mode}"
            for method in ("gig", "gig_exp", "recap", "react", "cot")
            for mode in ("sync", "async")
        ),
        "gig_ld/sync",
        "gig_bl/sync",
    }
    assert set(seeds.values()) == {30}
    assert {stream.seed for stream in study.streams} == set(sweep.LAYOUTS)
    assert sweep.LAYOUTS[: len(BENCHMARK_SEEDS)] == BENCHMARK_SEEDS
    for stream in study.streams:
        mode = stream.condition.settings["mode"]
        assert stream.tasks == tuple(f"{mode}/{n}" for n in range(10))


def test_settings_say_which_parts_of_gig_are_on():
    parts = ("lookahead", "loop_detection", "experience", "carry")
    on = {name: {p for p in parts if sweep.condition(name, "sync").settings[p]} for name in METHODS}
    assert on["gig"] == {"lookahead", "loop_detection"}
    assert on["gig_exp"] == {"lookahead", "loop_detection", "experience"}
    assert (on["gig_ld"], on["gig_bl"]) == ({"loop_detection"}, {"lookahead"})
    assert on["gig_exp_star"] == set(parts)
    assert on["react"] == on["recap"] == on["cot"] == set()


def test_profiles_and_parts_choose_the_streams():
    smoke = sweep.study("smoke", [42, 84]).streams
    assert {(s.seed, s.tasks) for s in smoke} == {(42, ("sync/0",)), (42, ("async/0",))}
    weak = sweep.study("quick", [42, 84], "weak").streams
    assert {s.condition.id for s in weak} == {"gig_exp/sync", "gig/sync", "recap/sync", "react/sync"}
    main = {(s.condition.id, s.seed): s.condition for s in sweep.study("quick", [42, 84]).streams}
    assert all(main[s.condition.id, s.seed] == s.condition for s in weak)


@pytest.mark.parametrize("arguments", [("huge", [42]), ("quick", []), ("quick", [42], "strong")])
def test_unknown_profiles_and_parts_and_missing_seeds_are_named(arguments):
    with pytest.raises(MnemocraftError, match=r"profile|seeds|part"):
        sweep.study(*arguments)


def follow(tasks, seed):
    """What a model says that knows the oracle's plan of each task."""
    return [f"Reasoning: r\nAction: {action}" for task in tasks for action in oracle_plan(task, seed)]


def play(runner, tasks):
    return [asyncio.run(runner.episode(task)) for task in tasks]


def stream_of(method, mode, tasks=None):
    return Stream(sweep.condition(method, mode), 84, tasks or load.tasks(mode))


def test_the_memory_bank_is_50_oracle_trajectories_and_finds_its_own_states():
    memory = load.memory_bank("sync")
    lengths = [len(oracle_plan(task, seed)) for task in load.tasks("sync") for seed in load.BANK_SEEDS]
    assert (len(lengths), len(memory)) == (50, sum(lengths))
    assert not set(load.BANK_SEEDS) & set(BENCHMARK_SEEDS)
    world = KitchenWorld(load.environment("sync/1", 3, 3))
    match = memory.store.closest(embed(world.observe().scene))
    assert match.distance < 1e-3
    assert match.goal == world.task.goal


def looks(task, seed):
    """What there is to see before each of the oracle's actions."""
    env = load.environment(task, seed, 3)
    for action in oracle_plan(task, seed):
        yield env.observation()
        env.step(action)


def embed(objects):
    return get_encoder("scene_graph").encode([objects])[0]


def test_episodes_are_described_by_their_task_and_only_successes_are_remembered():
    stream = stream_of("gig_exp", "sync", ("sync/0", "sync/1"))
    script = [*follow(["sync/0"], 84), "Action: Do nothing", ModelError("gone")]
    runner = sweep.start(stream, Scripted(script))
    before = len(runner.memory)
    first, second = play(runner, stream.tasks)
    plan = list(oracle_plan("sync/0", 84))
    delta = dict(first.memory_delta)
    kept = np.frombuffer(base64.b64decode(delta.pop("embeddings")), "<f4").reshape(len(plan), 64)
    assert delta == {
        "encoder": "scene_graph",
        "goal": load.environment("sync/0", 84, 3).goal_description,
        "actions": plan,
    }
    assert np.array_equal(kept, [embed(state) for state in looks("sync/0", 84)])
    assert len(runner.memory) == before + len(plan)
    facts = {
        "task_index": 0,
        "horizon": 10,
        "oracle_steps": len(plan),
        "invalid_actions": 0,
        "calls": len(plan),
    }
    assert facts.items() <= first.metrics.items()
    assert (second.reason, second.memory_delta, second.metrics["task_index"]) == ("error", None, 1)
    without = sweep.start(stream_of("gig", "sync", ("sync/0",)), Scripted(follow(["sync/0"], 84)))
    assert play(without, ["sync/0"])[0].memory_delta is None


def test_the_step_limit_is_three_listed_horizons():
    runner = sweep.start(
        stream_of("react", "sync", ("sync/0",)), Scripted(lambda request: "Action: Do nothing")
    )
    episode = play(runner, ["sync/0"])[0]
    assert (episode.reason, episode.steps) == ("max_steps", 30)


def test_restoring_gives_the_bank_that_the_episodes_left_to_the_last_bit():
    stream = stream_of("gig_exp", "sync", ("sync/0", "sync/3"))
    runner = sweep.start(stream, Scripted(follow(stream.tasks, 84)))
    deltas = [episode.memory_delta for episode in play(runner, stream.tasks)]
    restored = sweep.start(stream, Scripted([]))
    restored.restore(json.loads(json.dumps([None, *deltas, None])))
    assert len(restored.memory) == len(runner.memory)
    for task in ("sync/0", "sync/1", "sync/3"):
        for objects in looks(task, 84):
            here = embed(objects)
            assert restored.memory.store.closest(here) == runner.memory.store.closest(here)


@pytest.mark.parametrize("method", ["gig_exp", "recap"])
def test_a_restored_stream_goes_on_as_if_it_had_never_stopped(method):
    stream = stream_of(method, "sync", load.tasks("sync")[:4])
    whole = play(sweep.start(stream, Stand("surrogate")), stream.tasks)
    resumed = sweep.start(stream, Stand("surrogate"))
    resumed.restore(json.loads(json.dumps([episode.memory_delta for episode in whole[:2]])))
    assert play(resumed, stream.tasks[2:]) == whole[2:]


def test_a_smoke_run_ends_with_a_record_of_every_condition(tmp_path, monkeypatch):
    monkeypatch.setattr(load, "BANK_SEEDS", (0,))  # a small bank is enough here
    load._oracle_trajectories.cache_clear()
    study = sweep.study("smoke", [42])
    frame = run_study(study, ModelSpec("surrogate"), out=tmp_path, workers=1, progress=False)
    load._oracle_trajectories.cache_clear()
    assert set(frame["condition"]) == {stream.condition.id for stream in study.streams}
    assert set(frame["status"]) == {"ok"}
    assert (frame["steps"] <= 3 * frame["horizon"]).all()
    assert (frame["tokens_planner_calls"] == frame["calls"]).all()
    entries = read_trajectory(tmp_path, frame[frame["method"] == "gig_exp"].iloc[0])
    assert [entries[0]["type"], entries[-1]["type"]] == ["start", "end"]
    assert (entries[0]["agent"], entries[0]["memory"]) == ("gig_exp", "Traces")


def test_the_fingerprint_changes_with_plans_and_weights_and_reaches_code_and_prompts(tmp_path, monkeypatch):
    before = sources.fingerprint(sweep.start, sweep.DATA)
    assert {name: len(value) for name, value in before.items()} == {"code": 64, "data": 64}
    reached = {str(file) for module in sources.closure(sweep.__name__) for file in sources._files(module)}
    expected = (
        "agents/gig/recap.py", "agents/gig/prompts/gig.txt", "agents/gig/prompts/gig.kitchen.txt",
        "worlds/guides/kitchen.txt", "worlds/kitchen.py", "envs/kitchen/tasks.toml", "memory/traces.py",
        "surrogate/minds/kitchen/beliefs.py",
        "gnn/encoder.py", "gnn/states.py", "llm/model.py", "envs/kitchen/engine.py", "studies/gig/load.py",
    )  # fmt: skip
    assert [name for name in expected if str(PACKAGE / name) not in reached] == []
    assert str(PACKAGE / "studies/gig/analysis.py") not in reached
    stored = (
        "models/gig_encoder.safetensors",
        "models/kitchen_texts.safetensors",
        "kitchen/oracle_plans.jsonl",
    )
    for name in stored:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(paths.DATA / name, tmp_path / name)
    monkeypatch.setattr(paths, "DATA", tmp_path)

    def again():
        sources._fingerprint.cache_clear()
        return sources.fingerprint(sweep.start, sweep.DATA)

    assert again() == before
    for name in stored:
        kept = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(kept + b"\n")
        after = again()
        assert after["data"] != before["data"] and after["code"] == before["code"]
        (tmp_path / name).write_bytes(kept)
    sources._fingerprint.cache_clear()
