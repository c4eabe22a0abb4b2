"""MineDojoEnv and a worker that fails in every way it can; what must be installed; the settings."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from mnemocraft import paths
from mnemocraft.envs import MineDojoEnv
from mnemocraft.envs.minedojo import launch
from mnemocraft.envs.overworld.spaces import NO_OP, observation_space
from mnemocraft.errors import MissingExtra, MnemocraftError

FAKE = Path(__file__).parent / "minedojo_fake.py"
WORKER = Path(launch.__file__).parent
SIZE = (4, 6)
Make = Callable[..., MineDojoEnv]


def flat(observation: dict[str, Any], prefix: str = "") -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = {}
    for key, value in observation.items():
        inner = flat(value, f"{prefix}{key}/") if isinstance(value, dict) else {prefix + key: value}
        arrays |= inner
    return arrays


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One observation in MineDojo's schema and types, which are wider than ours."""
    space = observation_space(SIZE)
    space.seed(0)
    arrays = {
        k: np.asarray(v) for k, v in flat(space.sample()).items() if k not in ("text", "biome", "image")
    }
    arrays["life_stats/life"] = np.array([11.5])
    path = tmp_path_factory.mktemp("fake") / "observation.npz"
    np.savez(path, **arrays)
    return path


@pytest.fixture
def make(prepared: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Make:
    """MineDojoEnv with a fake worker."""
    made: list[MineDojoEnv] = []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def start(fault: str = "none", **settings: Any) -> MineDojoEnv:
        words = [sys.executable, "-I", str(FAKE), str(WORKER), str(prepared), fault]
        monkeypatch.setattr(launch, "command", lambda: words)
        made.append(MineDojoEnv(**({"target": "log", "image_size": SIZE, "timeout": 60.0} | settings)))
        return made[-1]

    yield start
    for env in made:
        env.close()


def one_sentence(error: pytest.ExceptionInfo[MnemocraftError]) -> str:
    text = str(error.value)
    assert "\n" not in text and "Traceback" not in text
    return text


# --- a worker that works --------------------------------------------------------------------------


def test_an_episode_has_our_interface(make: Make, tmp_path: Path) -> None:
    env = make(max_steps=2)
    assert isinstance(env, gymnasium.Env)
    observation, info = env.reset(seed=5)
    assert info == {"success": False, "steps": 0, "action_success": True, "task_reward": 0.0}
    assert env.observation_space.contains(observation)
    assert observation["biome"] == "mesa" and observation["life"] == 11.5
    assert observation["text"].startswith("Biome: mesa. Position: ")
    assert np.array_equal(observation["image"].transpose(2, 0, 1), observation["rgb"])
    assert np.array_equal(np.asarray(observation["voxels"]), observation["voxels"]["block_name"])
    assert env.step(NO_OP)[2:4] == (False, False)
    _, reward, terminated, truncated, info = env.step(np.array(NO_OP))
    assert (reward, terminated, truncated, info["reason"]) == (0.0, False, True, "max_steps")
    assert env.render().shape == (*SIZE, 3)
    env.close()
    assert not list(tmp_path.glob("minedojo-*")), "the log of a worker that did well is gone"


def test_a_death_ends_the_episode_though_the_player_rises_again(make: Make) -> None:
    env = make("death")
    env.reset()
    env.step(NO_OP)
    _, reward, terminated, truncated, info = env.step(NO_OP)
    assert (reward, terminated, truncated, info["reason"]) == (0.0, True, False, "death")


@pytest.mark.parametrize(
    "action", [None, [0] * 7, [0, 0, 0, 25, 0, 0, 0, 0], [0.0] * 8, "no", [-1, *NO_OP[1:]], np.zeros((2, 8))]
)
def test_an_action_outside_the_space_is_refused(make: Make, action: Any) -> None:
    env = make("killed")  # would die at the second step
    env.reset()
    env.step(NO_OP)
    with pytest.raises(MnemocraftError, match="An action is eight whole numbers below 3, 3, 4, 25"):
        env.step(action)
    assert env.steps == 1


def test_an_answer_to_an_interrupted_request_is_not_taken_for_the_next(make: Make) -> None:
    env = make("late")
    env.reset()
    for steps in (1, 2, 3):
        assert env.step(NO_OP)[4]["steps"] == steps


# --- a worker that fails --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        ("killed", "ended (exit status -9) when asked to step; its last words: the game has crashed."),
        ("garbage", "sent something that is no answer to step: it starts with b'[INFO] L'."),
        ("half", "sent something that is no answer to step: it ends in the middle."),
        ("slow", "did not step within 3 s and was stopped."),
    ],
)
def test_a_failure_is_one_sentence_and_a_reset_starts_another(make: Make, fault: str, problem: str) -> None:
    env = make(fault)
    env._connection._timeout = 3.0 if fault == "slow" else 60.0
    env.reset()
    env.step(NO_OP)
    process, start = env._connection._process, time.monotonic()
    with pytest.raises(MnemocraftError) as error:
        env.step(NO_OP)
    assert problem in one_sentence(error)
    assert time.monotonic() - start < 30
    assert process.poll() is not None, "no process is left behind"
    assert env._connection.log.exists() and str(env._connection.log) in str(error.value)
    with pytest.raises(MnemocraftError, match="call reset"):
        env.step(NO_OP)
    assert env.reset()[1]["steps"] == 0
    assert env.step(NO_OP)[4]["steps"] == 1


def test_what_minedojo_refuses_leaves_the_worker_alive(make: Make) -> None:
    env = make("refused")
    env.reset()
    env.step(NO_OP)
    with pytest.raises(MnemocraftError) as error:
        env.step(NO_OP)
    assert one_sentence(error) == "MineDojo cannot step: AssertionError: no such thing."
    assert not env._connection.closed


def test_an_observation_that_lacks_something_is_named(make: Make) -> None:
    env = make("lacks")
    env.reset()
    env.step(NO_OP)
    with pytest.raises(MnemocraftError, match=r"should have life_stats/food of shape \(1,\); it has none"):
        env.step(NO_OP)


def test_a_game_that_ends_by_itself_is_an_error(make: Make) -> None:
    env = make("lost")
    env.reset()
    env.step(NO_OP)
    with pytest.raises(MnemocraftError, match="The game does not answer MineDojo any more"):
        env.step(NO_OP)


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        ("old protocol", "speaks version 2 of the protocol, not 1"),
        (
            "no package",
            "has no package minedojo, but 0.1 is needed; make it with `./run_all.sh minedojo-env` anew.",
        ),
        ("0.2", "has minedojo 0.2, but 0.1 is needed"),
    ],
)
def test_a_worker_of_another_version_is_refused(make: Make, fault: str, problem: str) -> None:
    with pytest.raises(MnemocraftError) as error:
        make(fault)
    assert problem in one_sentence(error)


def test_nothing_works_before_a_reset(make: Make) -> None:
    env = make()
    for attempt in (lambda: env.step(NO_OP), env.render, lambda: env.set_time(0)):
        with pytest.raises(MnemocraftError, match="call reset"):
            attempt()


# --- settings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"target": None}, "needs a target"),
        ({"task_id": "harvest_1_log"}, "no other task takes one"),
        ({"target": "oak_log"}, "has no item 'oak_log'"),
        ({"target": {"log": 0}}, "the number of log must be a whole number from 1, not 0"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"max_steps": 0.5}, "max_steps must be a whole number from 1"),
        ({"image_size": 64}, r"image_size must be \(height, width\), not 64"),
        ({"initial_inventory": {"log": 64 * 36 + 1}}, "fill 37 slots; there are 36"),
        ({"initial_inventory": ["log"]}, "must be items with numbers"),
        ({"start_position": {1, 2}}, "plain numbers, texts and lists"),
    ],
)
def test_a_wrong_setting_is_named(make: Make, settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(MnemocraftError, match=problem) as error:
        make(**settings)
    one_sentence(error)


# --- what must be installed -----------------------------------------------------------------------


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which nothing is installed."""
    for name in (launch.VARIABLE, "JAVA_HOME", "DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(launch, "FOLDER", tmp_path / "minedojo-env")
    monkeypatch.setattr(sys, "platform", "linux")
    return tmp_path


def install(path: Path, script: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")
def test_what_is_missing_is_said_one_after_the_other(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        with pytest.raises(MissingExtra) as error:
            MineDojoEnv(target="log")
        return one_sentence(error)

    assert f"{machine / 'minedojo-env'}; make it with `./run_all.sh minedojo-env`." in missing()
    install(machine / "elsewhere/bin/python")
    monkeypatch.setenv(launch.VARIABLE, str(machine / "elsewhere"))
    assert "there is no javac in PATH; install JDK 8" in missing()
    install(machine / "bin/javac", "exit 1")
    assert "does not tell its version; install JDK 8" in missing()
    install(machine / "bin/javac", "echo javac 17.0.15")
    assert "javac is version 17; install JDK 8" in missing()
    monkeypatch.setenv("JAVA_HOME", str(machine / "jdk8"))
    assert f"there is no javac in {machine / 'jdk8'}" in missing()
    install(machine / "jdk8/bin/javac", "echo javac 1.8.0_402 >&2")
    assert "needs a display" in missing()
    install(machine / "bin/xvfb-run")
    assert launch.command()[:2] == [str(machine / "elsewhere/bin/python"), "-I"]
    assert launch.variables()["MINEDOJO_HEADLESS"] == "1"
    monkeypatch.setenv("DISPLAY", ":0")
    assert "MINEDOJO_HEADLESS" not in launch.variables()


def test_the_sentences_name_a_command_that_exists() -> None:
    script = (paths.ROOT / "run_all.sh").read_text()
    assert "  minedojo-env)" in script and "build/minedojo-env" in script
    assert launch.FOLDER == paths.ROOT / "build" / "minedojo-env"
