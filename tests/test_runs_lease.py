"""One run writes to a folder at a time: on one machine, on several, and where files cannot be locked."""

import errno
import json
import os
import subprocess
import threading
import time
from pathlib import Path

import pytest

from mnemocraft import files
from mnemocraft.errors import MnemocraftError, RunLocked
from mnemocraft.files import draft_of, replace_file, replacing
from mnemocraft.runs import lease
from mnemocraft.runs.lease import Lease, hold


@pytest.fixture
def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases are renewed, and given up, within a fraction of a second."""
    monkeypatch.setattr(lease, "RENEWED_S", 0.05)
    monkeypatch.setattr(lease, "PATIENCE_S", 0.4)


def unlockable(descriptor: int, operation: int) -> None:
    raise OSError(errno.ENOLCK, "No locks available")


def test_a_folder_has_one_run(tmp_path: Path) -> None:
    with hold(tmp_path), pytest.raises(RunLocked, match="another run is writing to"), hold(tmp_path):
        pass
    with hold(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == [".lock"]


def test_a_run_on_another_machine_is_seen_by_its_renewals(
    tmp_path: Path, brisk: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock says nothing here; the other run lives as long as its lease changes."""
    monkeypatch.setattr(lease.fcntl, "flock", lambda descriptor, operation: None)
    with monkeypatch.context() as there:
        there.setattr(lease, "machine", lambda: "there 1")
        holding = hold(tmp_path)
        holding.__enter__()
    with pytest.raises(RunLocked, match=rf"\(process {os.getpid()} on there\) is writing to"), hold(tmp_path):
        pass
    holding.__exit__(None, None, None)
    with hold(tmp_path):
        pass


def test_a_lease_that_could_not_be_read_for_a_moment_is_renewed_again(
    tmp_path: Path, brisk: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hold(tmp_path) as mine:
        with monkeypatch.context() as outage:
            outage.setattr(lease, "_read", lambda file: {})
            time.sleep(0.2)
        before = mine.file.stat().st_mtime_ns
        time.sleep(0.2)
        assert mine.file.stat().st_mtime_ns > before


@pytest.mark.parametrize("flock", [unlockable, lambda descriptor, operation: None])
def test_a_lease_that_nobody_renews_is_taken_over(
    tmp_path: Path, brisk: None, monkeypatch: pytest.MonkeyPatch, flock: object
) -> None:
    dead = Lease(tmp_path)
    dead.write()
    (tmp_path / ".lease").write_text(json.dumps({"token": dead.token, "machine": "gone", "process": 1}))
    monkeypatch.setattr(lease.fcntl, "flock", flock)
    with hold(tmp_path) as mine:
        assert dead.stopped and not mine.stopped
        mine.check()
        with pytest.raises(RunLocked, match="nothing more is written"):
            dead.check()
    with pytest.raises(RunLocked, match="the run has ended"):
        mine.check()


def test_without_locks_two_runs_of_one_machine_are_told_apart_too(
    tmp_path: Path, brisk: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease.fcntl, "flock", unlockable)
    with hold(tmp_path), pytest.raises(RunLocked, match="another run"), hold(tmp_path):
        pass


def test_of_this_machine_s_dead_run_nothing_is_waited_for(tmp_path: Path) -> None:
    Lease(tmp_path).write()
    started = time.monotonic()
    with hold(tmp_path):
        assert time.monotonic() - started < 1


def test_a_clock_that_is_set_back_changes_nothing(tmp_path: Path, brisk: None) -> None:
    (tmp_path / ".lease").write_text(json.dumps({"token": "x", "machine": "there", "process": 1}))
    os.utime(tmp_path / ".lease", (4e9, 4e9))
    with hold(tmp_path):
        pass


@pytest.mark.parametrize("content", ["", "[]", "no JSON", '{"token": 3}'])
def test_a_damaged_lease_is_nobody_s(tmp_path: Path, brisk: None, content: str) -> None:
    (tmp_path / ".lease").write_text(content)
    with hold(tmp_path) as mine:
        mine.check()


def test_a_stop_holds_for_its_run_alone(tmp_path: Path) -> None:
    with hold(tmp_path) as first:
        first.stop()
        assert first.stopped
        first.check()  # what is in flight may still be kept
    with hold(tmp_path) as second:
        assert not second.stopped


def test_a_file_in_the_place_of_the_run_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    with pytest.raises(MnemocraftError, match="cannot be written"), hold(tmp_path / "run"):
        pass


def test_drafts_of_killed_processes_are_swept_and_those_of_others_stay(tmp_path: Path) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    mine = draft_of(tmp_path / "t.csv")
    old, far = (
        mine.with_name(mine.name.replace(str(os.getpid()), str(dead.pid))),
        mine.with_name(f".t.csv.elsewhere.{dead.pid}.tmp"),
    )
    for path in (mine, old, far):
        path.write_text("half a ta")
    replace_file(tmp_path / "u.csv", "x\n")
    assert {path.name for path in tmp_path.iterdir()} == {mine.name, far.name, "u.csv"}
    assert not files.alive(10**30)


def test_two_threads_that_write_one_file_do_not_share_a_draft(tmp_path: Path) -> None:
    path, first_opened, second_done = tmp_path / "t.csv", threading.Event(), threading.Event()

    def slowly() -> None:
        with replacing(path) as draft:
            draft.write_text("the first, ")
            first_opened.set()
            assert second_done.wait(10)
            draft.write_text("the first, whole\n")

    thread = threading.Thread(target=slowly)
    thread.start()
    assert first_opened.wait(10)
    replace_file(path, "the second\n")
    assert path.read_text() == "the second\n"
    second_done.set()
    thread.join()
    assert path.read_text() == "the first, whole\n"
    assert [each.name for each in tmp_path.iterdir()] == ["t.csv"]


def test_a_draft_that_found_no_room_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_file(tmp_path / "t.csv", "old\n")

    def full(self: Path, *arguments: object, **options: object) -> int:
        self.touch()
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(MnemocraftError, match=r"t\.csv cannot be written: No space left on device"):
            replace_file(tmp_path / "t.csv", "new\n")
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
    assert (tmp_path / "t.csv").read_text() == "old\n"


def test_readers_of_a_lease_never_see_half_of_it(tmp_path: Path) -> None:
    held = Lease(tmp_path)
    held.write()
    ended = threading.Event()

    def write() -> None:
        while not ended.is_set():
            held.write()

    writing = threading.Thread(target=write)
    writing.start()
    try:
        for _ in range(300):
            held.check()
    finally:
        ended.set()
        writing.join()
