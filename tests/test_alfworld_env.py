"""AlfworldEnv: the engine's texts to the letter, and episodes that survive whatever happens to the worker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tarfile
from pathlib import Path
from random import Random
from typing import Any

import gymnasium
import pytest

from mnemocraft import paths
from mnemocraft.envs import AlfworldEnv
from mnemocraft.envs.alfworld import TYPES, generated_path, process, read_game
from mnemocraft.envs.alfworld.process import Worker, workers
from mnemocraft.errors import MissingExtra, MnemocraftError

SHARED = paths.ROOT.parent / "shared" / "alfworld"
GAME = "pick_heat_then_place_in_recep/3"
INFO = {"success", "steps", "valid_actions", "action_success"}
engine = pytest.mark.skipif(
    any(process.find_spec(name) is None for name in process.NEEDS),
    reason="the household needs ALFWorld (./run_all.sh alfworld)",
)


@pytest.fixture(autouse=True)
def _written_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMOCRAFT_OUTPUT_ROOT", str(tmp_path))


def seen(env: AlfworldEnv, told: tuple[Any, ...]) -> tuple[Any, ...]:
    return told, env.steps, env.reason, tuple(env.valid_actions)


def twins(**settings: Any) -> tuple[AlfworldEnv, AlfworldEnv, Random]:
    path = generated_path(GAME)
    return AlfworldEnv(path, **settings), AlfworldEnv(path, **settings), Random(5)


# --- the engine ---------------------------------------------------------------------------------------------


@engine
@pytest.mark.skipif(not SHARED.is_dir(), reason="ALFWorld's games are not here")
def test_the_golden_games_replay_to_the_letter(tmp_path: Path) -> None:
    with tarfile.open(SHARED / "valid_unseen.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    rows = [json.loads(line) for line in (SHARED / "golden.jsonl").read_text().splitlines()]
    assert len(rows) == 20
    if not os.environ.get("CI"):  # the first of each type, to be quick
        rows = list({row["task_type"]: row for row in reversed(rows)}.values())
    for row in rows:
        env = AlfworldEnv(tmp_path / "json_2.1.1" / row["game"])
        observation, info = env.reset()
        assert observation == {"text": row["observation"]} and info.keys() == INFO
        assert info["valid_actions"] == row["admissible_commands"] and f"{env.goal}." == row["task"]
        wins = [False] * (len(row["commands"]) - 1) + [True]
        told = zip(row["commands"], row["observations"], row["n_admissible"], wins, strict=True)
        for command, text, commands, won in told:
            observation, reward, terminated, truncated, info = env.step(command)
            assert observation == {"text": text} and len(info["valid_actions"]) == commands
            assert (reward, terminated, truncated, info["success"]) == (float(won), won, False, won)
            assert info.keys() == INFO | ({"reason"} if won else set())


@engine
def test_the_plain_engine_says_the_same_and_refuses_the_same() -> None:
    plain, ours = Worker(plain=True), Worker()
    wrong = [
        "",
        "LOOK",
        "go  to fridge 1",
        "put mug 1 in/on desk 1",
        "{1/0}",
        "#task#",
        "é\n\u2028",
        "x" * 5000,
    ]
    for number, kind in enumerate(list(TYPES)[::2]):
        game, random = read_game(generated_path(f"{kind}/{number}")), Random(number)
        ask: dict[str, Any] = {"do": "begin", "sha256": game.sha256, "game": game.content}
        before: list[str] = []
        for step in range(9):
            said = [each.ask(60, episode=number, **ask) for each in (plain, ours)]
            one, two = ({key: told[key] for key in told if key != "mib"} for told in said)
            assert one == two and one.keys() == {"text", "commands", "won"}
            if step and ask["command"] in wrong:
                assert one["text"] == "Nothing happens." and one["commands"] == before
            before = one["commands"]
            ask = {"do": "step", "command": random.choice(before if step % 3 else wrong)}
    plain.close()
    ours.close()


@engine
def test_what_is_not_admissible_takes_a_step_and_changes_nothing() -> None:
    env = AlfworldEnv(generated_path(GAME), max_steps=4)
    before = env.reset()[1]["valid_actions"]
    for steps, action in enumerate(("Look", "heat everything", None), 1):
        observation, reward, terminated, truncated, info = env.step(action)  # type: ignore[arg-type]
        assert observation == {"text": "Nothing happens."} and info["valid_actions"] == before
        assert (reward, terminated, truncated, info["steps"]) == (0.0, False, False, steps)
        assert not info["action_success"] and "admissible commands" in info["failure"]
    observation, *_, truncated, info = env.step(f"  {before[0]} ")
    assert observation["text"].startswith("You arrive at") and info["action_success"]
    assert truncated and info["reason"] == "max_steps" and not info["success"]
    after = env.step(before[1])
    assert (
        after[0] == observation and after[4]["steps"] == 4 and after[4]["failure"] == "The episode is over."
    )
    again, fresh = env.reset()
    assert fresh["steps"] == 0 and fresh["valid_actions"] == before and "Your task is to" in again["text"]


@engine
def test_made_by_gymnasium_it_is_the_environment_itself() -> None:
    made = gymnasium.make("mnemocraft/Alfworld-v0", game_path=generated_path(GAME), max_steps=7)
    again = gymnasium.make(made.spec)  # type: ignore[arg-type]
    assert type(made) is type(again) is AlfworldEnv and again.max_steps == 7
    assert made.reset() == again.reset()


# --- the worker ---------------------------------------------------------------------------------------------


@engine
@pytest.mark.parametrize("harm", [signal.SIGKILL, signal.SIGSTOP])
def test_an_episode_survives_a_worker_that_dies_or_hangs(
    harm: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    env, other, random = twins()
    for step in range(9):
        command = random.choice(env.valid_actions)
        untouched = seen(other, other.step(command))
        if step == 6:
            before = workers.now
            assert before is not None
            monkeypatch.setattr(before, "ask", lambda timeout, ask=before.ask, **what: ask(1.0, **what))
            os.kill(before.pid, harm)
        assert seen(env, env.step(command)) == untouched
        assert step != 6 or workers.now is not before


@engine
def test_an_episode_survives_a_worker_that_forgot_it_and_one_that_grew_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env, other, random = twins()
    for step in range(8):
        command = random.choice(env.valid_actions)
        if step == 3:
            assert workers.now is not None and env._session is not None
            workers.now.ask(20, do="end", episode=env._session._number)
        if step == 5:
            large = workers.now
            monkeypatch.setattr(process, "MAX_MIB", 1.0)
            AlfworldEnv(generated_path(GAME)).close()
            monkeypatch.undo()
            assert workers.now is not large
        assert seen(env, env.step(command)) == seen(other, other.step(command))


@engine
def test_a_large_process_has_no_large_worker_and_keeps_it() -> None:
    """A process counts the memory of the one that started it, until somebody looks more closely."""
    large = b"x" * (int(process.MAX_MIB) << 20)
    if workers.now is not None:
        workers.now.close()
    pids = set()
    for number in range(3):
        AlfworldEnv(generated_path(f"pick_heat_then_place_in_recep/{number}")).close()
        assert workers.now is not None and workers.now.mib < 150
        pids.add(workers.now.pid)
    assert len(pids) == 1 and len(large) > 0


@engine
def test_a_game_is_code_and_one_that_kills_its_worker_ends_in_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "bad.tw-pddl"
    text = generated_path(GAME).read_text()
    path.write_text(text.replace("Your task is to: ", "Your task is to: {__import__('os')._exit(3)}"))
    with pytest.raises(
        MnemocraftError, match=r"none of the 254 known ones, and the engine runs parts .* as code"
    ):
        AlfworldEnv(path)
    with pytest.raises(MnemocraftError, match="worker died when asked to begin the game, 2 times in a row"):
        AlfworldEnv(path, trusted=True)
    path.write_text(text.replace("(:init", "(:start"))
    with pytest.raises(MnemocraftError, match="engine cannot begin"):
        AlfworldEnv(path, trusted=True)
    assert AlfworldEnv(generated_path(GAME)).reset()[0]["text"], "the next game finds a worker"


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "find_spec", lambda name: None if name == "textworld" else object())
    with pytest.raises(
        MissingExtra, match=r"needs textworld, which is not installed: run `\./run_all\.sh alfworld`"
    ):
        Worker()


def test_nothing_of_ours_imports_the_engine() -> None:
    code = (
        "import sys; from mnemocraft.worlds import tasks, make; "
        "import mnemocraft.envs.alfworld, mnemocraft.worlds.household; print(len(tasks('household')), "
        "[name for name in ('alfworld', 'textworld', 'fast_downward', 'tatsu') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "254 []"
