"""Processes at once, a full disk, a folder without leave to write, and damage: one sentence, nothing lost."""

from __future__ import annotations

import multiprocessing
import resource
import signal
import time
from pathlib import Path

import pytest

from benchmarks.bench_memory import Plain
from helpers import told_without_rights, unwritable
from mnemocraft.errors import MnemocraftError
from mnemocraft.memory import Experience, ExperienceMemory
from test_experience import Hashed, refused, some

FORK = multiprocessing.get_context("fork")
EACH = 120


def stored(path: Path, who: str) -> None:
    """Entries one by one and in threes, all with keys; some that the other writer has too."""
    memory = ExperienceMemory(Plain(), path=path)
    for n in range(0, EACH, 3):
        names = [f"{who} {n}", f"{who} {n + 1}", f"both {n}"]
        memory.add_many([Experience(name, "task", name, "x" * 3000, True) for name in names], names)


def test_two_write_while_a_third_reads(tmp_path):
    path = tmp_path / "memory.db"
    reader = ExperienceMemory(Plain(), path=path)
    writers = [FORK.Process(target=stored, args=(path, who)) for who in "ab"]
    for writer in writers:
        writer.start()
    counts, deadline = [0], time.monotonic() + 60
    while any(writer.is_alive() for writer in writers):
        assert time.monotonic() < deadline
        found = reader.nearest("a 0", "task", k=5)
        assert all(one.state == one.plan and len(one.outcome) == 3000 for _, one in found)
        counts.append(len(reader))
    assert [writer.exitcode for writer in writers] == [0, 0] and counts == sorted(counts)
    plans = [one.plan for one in reader.log.entries()]
    expected = {f"{who} {n + m}" for who in "ab" for n in range(0, EACH, 3) for m in (0, 1)}
    assert sorted(plans) == sorted(expected | {f"both {n}" for n in range(0, EACH, 3)})
    for n in (0, 51):  # what others wrote is found as what was there before
        _, one = reader.nearest(f"both {n}", "task", f"both {n}", k=1)[0]
        assert one.task == "task"


def limited(path: Path, told) -> None:
    """Files may not grow beyond 200 kB: what root cannot write either."""
    memory = ExperienceMemory(Hashed(), path=path)
    memory.add_many(some(3))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    try:
        memory.add_many([Experience(f"state {n}", "task", "p" * 5000, "done", True) for n in range(500)])
    except MnemocraftError as error:
        told.put((str(error), len(memory), len(memory.nearest("state 1", "task 1"))))
    else:
        told.put(("nothing", len(memory), 0))


def test_a_disk_that_takes_no_more_loses_nothing_even_for_root(tmp_path):
    told = FORK.Queue()
    child = FORK.Process(target=limited, args=(tmp_path / "memory.db", told))
    child.start()
    sentence, count, found = told.get(timeout=30)
    child.join(30)
    assert "cannot be used: " in sentence and sentence.count(". ") == 0 and (count, found) == (3, 3)
    memory = ExperienceMemory(Hashed(), path=tmp_path / "memory.db")
    memory.add_many(some(500)[3:])
    assert list(memory.log.entries()) == some(500)[::-1]


@pytest.mark.parametrize("folder", ["a file", "/proc"])
def test_a_folder_that_even_root_cannot_write_to_is_told(tmp_path, folder):
    if not Path("/proc/self").exists():
        pytest.skip("this system has no /proc")
    (tmp_path / "a file").write_text("no folder")
    refused("cannot be opened", lambda: ExperienceMemory(Hashed(), path=tmp_path / folder / "memory.db"))


def test_a_read_only_folder_is_told_and_nothing_is_lost():
    with unwritable() as folder:
        told = told_without_rights(lambda: ExperienceMemory(Hashed(), path=folder / "new.db"))
        assert "cannot be used: " in told and told.count(". ") == 0 and "\n" not in told
        assert list(folder.iterdir()) == []
        path = folder / "memory.db"
        memory = ExperienceMemory(Hashed(), path=path)
        memory.add_many(some(3))
        memory.close()

        def add() -> None:
            ExperienceMemory(Hashed(), path=path).add_many(some(1))

        told = told_without_rights(add)
        assert "cannot be used: " in told and told.count(". ") == 0 and "\n" not in told
        assert list(ExperienceMemory(Hashed(), path=path).log.entries()) == some(3)[::-1]


def test_damage_in_the_middle_is_told_and_the_file_left_as_it_is(tmp_path):
    path = tmp_path / "memory.db"
    memory = ExperienceMemory(Hashed(), path=path)
    memory.add_many(some(2000))
    memory.close()
    content = bytearray(path.read_bytes())
    content[4096 * 2 :] = b"\xff" * (len(content) - 4096 * 2)
    path.write_bytes(content)

    def use() -> None:
        damaged = ExperienceMemory(Hashed(), path=path)
        damaged.nearest("state 3", "task 3")

    refused("damaged", use)
    assert path.read_bytes() == content


def test_a_memory_that_no_longer_says_whose_vectors_it_has_is_refused(tmp_path):
    path = tmp_path / "memory.db"
    memory = ExperienceMemory(Hashed(), path=path)
    memory.log.log.db.execute("DELETE FROM about WHERE name = 'encoder'")
    memory.close()
    refused("vectors of the encoder ''", lambda: ExperienceMemory(Hashed(), path=path))
    refused("vectors of the encoder ''", lambda: ExperienceMemory(Hashed()).log.take(path))
