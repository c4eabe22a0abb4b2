"""Killing a real run at random moments until it is done: the tables are those of a run left in peace."""

import random
import subprocess
import sys
import time
from pathlib import Path

from mnemocraft.runs import load_records, read_trajectory, run_study, write_table
from runs_toy import KILL_STUDY, InstantSpec

KILLS = 12
SCRIPT = Path(__file__).with_name("runs_toy.py")
VARYING = ["wall_s", "commit", "trajectory_offset"]


def lines(out: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in (out / "streams").glob("*.jsonl"))


def start_and_kill(out: Path, workers: int, dice: random.Random) -> None:
    """Kill a run after some more episodes and a little while; its workers must notice by themselves."""
    target, pause = lines(out) + dice.randint(0, 9), dice.uniform(0, 0.03)
    process = subprocess.Popen([sys.executable, str(SCRIPT), str(out), str(workers), "slow"])
    while lines(out) < target:
        assert process.poll() is None, "it ended before it could be killed: give it more episodes"
        time.sleep(0.001)
    time.sleep(pause)
    process.kill()
    process.wait()


def table(out: Path, path: Path) -> bytes:
    write_table(load_records(out).drop(columns=VARYING), path)
    return path.read_bytes()


def test_a_run_killed_again_and_again_ends_with_the_same_tables(tmp_path: Path) -> None:
    killed, peace = tmp_path / "killed", tmp_path / "peace"
    dice = random.Random(20)
    for number in range(KILLS):
        start_and_kill(killed, 1 + number % 2, dice)
    left = len(load_records(killed))
    assert 0 < left < 440, "the kills fell into the middle of the run"
    run_study(KILL_STUDY, InstantSpec(), out=killed, workers=2, progress=False)
    run_study(KILL_STUDY, InstantSpec(), out=peace, workers=1, progress=False)

    assert table(killed, tmp_path / "killed.csv") == table(peace, tmp_path / "peace.csv")
    records = load_records(killed)
    for (_, one), (_, two) in zip(records.iterrows(), load_records(peace).iterrows(), strict=True):
        assert read_trajectory(killed, one) == read_trajectory(peace, two)
    assert not list(killed.rglob("*superseded*")), "a torn tail is not another experiment"
