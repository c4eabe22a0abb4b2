"""Faults of the surroundings: the run stops with a sentence, no agent is blamed, a rerun mends it all."""

import random
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from helpers import told_without_rights, unwritable
from mnemocraft.errors import MnemocraftError, RunLocked
from mnemocraft.runs import Study, load_records, read_memory, read_trajectory, run_study
from mnemocraft.runs.lease import Lease
from runs_toy import TASKS, InstantSpec, ToyRunner, toy_study

VARYING = ["wall_s", "trajectory_offset"]


def run(study: Study, out: Path, workers: int = 1) -> pd.DataFrame:
    frame = run_study(study, InstantSpec(), out=out, workers=workers, progress=False)
    return frame.drop(columns=VARYING)


def faulty(fault: Callable[[str], None], **options: Any) -> Study:
    """The toy study, with something that happens before each episode."""

    class Faulty(ToyRunner):
        async def episode(self, task: str) -> Any:
            fault(task)
            return await super().episode(task)

    return replace(toy_study(**options), start=lambda stream, model: Faulty(stream, model))


def raising(error: Exception, at: str = "T004") -> Callable[[str], None]:
    """Raises an error at a task."""

    def fault(task: str) -> None:
        if task == at:
            raise error

    return fault


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(28, "No space left on device"), r"task T004 .* gave way \(OSError: .*No space left"),
        (PermissionError(13, "Permission denied", "/x"), "Permission denied"),
        (MemoryError(), "there is too little memory for task T004: use fewer workers"),
        (sqlite3.DatabaseError("database disk image is malformed"), "DatabaseError: .* is malformed"),
        (TimeoutError("of a lock, not of the episode"), "TimeoutError"),
    ],
)
def test_what_gives_way_around_an_agent_stops_the_run_and_is_no_outcome(
    tmp_path: Path, error: Exception, sentence: str
) -> None:
    with pytest.raises(MnemocraftError, match=f"{sentence}.*run again to go on"):
        run(faulty(raising(error), tasks=TASKS[:8]), tmp_path)
    kept = load_records(tmp_path)
    assert set(kept.status) == {"ok"} and "T004" not in set(kept.task) and len(kept) >= 4
    whole = run(toy_study(tasks=TASKS[:8]), tmp_path)
    pd.testing.assert_frame_equal(whole, run(toy_study(tasks=TASKS[:8]), tmp_path / "in peace"))


def test_crashes_are_played_again_and_what_built_on_them_too(tmp_path: Path) -> None:
    """What made two episodes crash is gone: table and memories are those of a run in peace."""

    def fault(task: str) -> None:
        if task in ("T002", "T005"):
            raise KeyError("a file that was read half")

    crashed = run(faulty(fault, tasks=TASKS[:8]), tmp_path)
    assert list(crashed[crashed.status == "crash"].task) == ["T002", "T005"] * 4
    mended = run(toy_study(tasks=TASKS[:8]), tmp_path)
    pd.testing.assert_frame_equal(mended, run(toy_study(tasks=TASKS[:8]), tmp_path / "in peace"))


def test_a_crash_that_stays_is_played_again_alone(tmp_path: Path) -> None:
    played = []

    def fault(task: str) -> None:
        played.append(task)
        if task == "T002":
            raise KeyError(task)

    study = faulty(fault, tasks=TASKS[:8], seeds=[0])
    once = run(study, tmp_path)
    played.clear()
    pd.testing.assert_frame_equal(run(study, tmp_path), once)
    assert played == ["T002"] * 2, "one of each stream"


@pytest.mark.parametrize("tasks", [8, 1], ids=["of one stream", "of many streams"])
@pytest.mark.parametrize("workers", [1, 2])
def test_crashes_in_a_row_stop_the_run_for_any_number_of_workers(
    tmp_path: Path, tasks: int, workers: int
) -> None:
    study = toy_study(tasks=TASKS[:tasks], seeds=range(3), faults=dict.fromkeys(TASKS, "crash"))
    sentence = r"5 episodes in a row crashed, the last one \(toy/.*\) with ZeroDivisionError: a bug"
    with pytest.raises(MnemocraftError, match=sentence):
        run(study, tmp_path, workers)
    kept = load_records(tmp_path)
    assert set(kept.status) == {"crash"}
    assert "a bug" in read_trajectory(tmp_path, kept.iloc[0])[0]["message"], "where to look"


def test_four_crashes_in_a_row_are_outcomes(tmp_path: Path) -> None:
    study = toy_study(tasks=TASKS[:9], seeds=[0], faults=dict.fromkeys(TASKS[2:6], "crash"))
    assert list(run(study, tmp_path).status[:9]) == ["ok"] * 2 + ["crash"] * 4 + ["ok"] * 3


def test_flipped_bits_in_a_finished_run_are_noticed_and_healed(tmp_path: Path) -> None:
    """One bit after another, in any file: the table is the same after each rerun."""
    study = toy_study(tasks=TASKS[:6], seeds=[0])
    peace = run(study, tmp_path)
    dice = random.Random(1)
    for _ in range(40):
        path = dice.choice(sorted([*tmp_path.glob("streams/*.jsonl"), *tmp_path.glob("trajectories/*.gz")]))
        content = bytearray(path.read_bytes())
        place = dice.randrange(len(content))
        content[place] ^= 1 << dice.randrange(8)
        path.write_bytes(content)
        pd.testing.assert_frame_equal(run(study, tmp_path), peace)
        for _, row in load_records(tmp_path).iterrows():
            assert len(read_trajectory(tmp_path, row)) == 2
        for _, rows in peace.groupby("stream"):  # what was played again lies behind the others in the file
            assert [word[0] for word in read_memory(tmp_path, rows)] == list(range(6))


def test_damage_is_told_where_a_table_is_read(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    run(toy_study(tasks=TASKS[:6], seeds=[0]), tmp_path)
    path = sorted(tmp_path.glob("streams/*.jsonl"))[0]
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], lines[2].replace(b"T002", b"T003"), *lines[3:]]))
    assert len(load_records(tmp_path)) == 11
    assert f"{path} is damaged in line 3; running again plays" in caplog.text


def test_a_damaged_plan_is_a_sentence_and_written_anew(tmp_path: Path) -> None:
    study = toy_study(tasks=TASKS[:3])
    once = run(study, tmp_path)
    (tmp_path / "run.json").write_text('{"streams": [')
    with pytest.raises(MnemocraftError, match=r"run\.json is damaged; running again writes it anew"):
        load_records(tmp_path)
    pd.testing.assert_frame_equal(run(study, tmp_path), once)


def test_a_run_that_was_overtaken_stops_and_writes_nothing_more(tmp_path: Path) -> None:
    """Another machine, where the lock says nothing, takes the folder while an episode is in flight."""

    def fault(task: str) -> None:
        if task == "T004":
            Lease(tmp_path).write()

    with pytest.raises(RunLocked, match="another has taken over"):
        run(faulty(fault, tasks=TASKS[:8], seeds=[0]), tmp_path)
    assert sorted(load_records(tmp_path).task) == list(TASKS[:4])
    (tmp_path / ".lease").unlink()
    whole = run(toy_study(tasks=TASKS[:8], seeds=[0]), tmp_path)
    pd.testing.assert_frame_equal(whole, run(toy_study(tasks=TASKS[:8], seeds=[0]), tmp_path / "in peace"))


def test_a_folder_that_cannot_be_written_is_a_sentence() -> None:
    with unwritable() as folder:
        told = told_without_rights(lambda: run(toy_study(), folder / "run"))
    assert "cannot be written: Permission denied" in told and told.count(". ") == 0
