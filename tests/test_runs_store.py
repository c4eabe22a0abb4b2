"""The stream files: whatever a kill leaves behind, the whole records survive and nothing else does."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemocraft.errors import MnemocraftError, RunLocked
from mnemocraft.runs import store
from mnemocraft.runs.store import StreamFile, read_member, read_records, run_lock

IDENTITIES = [f"id{i}" for i in range(6)]


def fill(out: Path, identities: list[str], status: str = "ok") -> None:
    with StreamFile(out, "s") as file:
        for name in identities:
            file.append({"identity": name, "status": status}, [{"told": name}])


def stored(out: Path) -> tuple[list[str], list[Any]]:
    """Identities and trajectories that the files hold, read independently of ``recover``."""
    records = [record for record, _ in read_records(store.stream_path(out, "s"))]
    places = [record["trajectory"] for record in records]
    told = [read_member(store.trajectory_path(out, "s"), p["offset"], p["length"]) for p in places]
    return [record["identity"] for record in records], [t[0]["told"] for t in told]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_torn_tail_is_cut_to_the_last_whole_episode(
    tmp_path_factory: pytest.TempPathFactory, data: Any
) -> None:
    """Cut either file at any byte that a kill can leave: the trajectory is always written first."""
    out = tmp_path_factory.mktemp("run")
    fill(out, IDENTITIES[:4])
    path = store.stream_path(out, "s")
    records = list(read_records(path))
    written = data.draw(st.integers(0, path.stat().st_size), label="bytes of records on disk")
    whole = sum(end <= written for _, end in records)
    in_flight = records[whole][0]["trajectory"] if whole < 4 else None
    committed = sum(r["trajectory"]["length"] for r, _ in records[:whole])
    extra = (
        data.draw(st.integers(0, in_flight["length"]), label="bytes of the next member") if in_flight else 0
    )
    with path.open("ab") as file:
        file.truncate(written)
    with store.trajectory_path(out, "s").open("ab") as file:
        file.truncate(committed + extra)

    with StreamFile(out, "s") as file:
        assert [r["identity"] for r in file.recover(IDENTITIES)] == IDENTITIES[:whole]
    fill(out, IDENTITIES[whole:])
    assert stored(out) == (IDENTITIES, IDENTITIES)


def test_a_record_without_its_trajectory_does_not_stand(tmp_path: Path) -> None:
    fill(tmp_path, IDENTITIES[:3])
    with store.trajectory_path(tmp_path, "s").open("ab") as file:
        file.truncate(file.tell() - 1)
    with StreamFile(tmp_path, "s") as stream:
        assert len(stream.recover(IDENTITIES)) == 2


def test_budget_stops_are_dropped_without_a_copy(tmp_path: Path) -> None:
    fill(tmp_path, IDENTITIES[:2])
    fill(tmp_path, IDENTITIES[2:3], status="budget")
    with StreamFile(tmp_path, "s") as stream:
        assert len(stream.recover(IDENTITIES)) == 2
    assert stored(tmp_path) == (IDENTITIES[:2], IDENTITIES[:2])
    assert len(list((tmp_path / "streams").iterdir())) == 1


def test_other_tasks_are_cut_off_but_kept_aside(tmp_path: Path) -> None:
    fill(tmp_path, ["id0", "old1", "old2"])
    before = store.stream_path(tmp_path, "s").read_bytes()
    with StreamFile(tmp_path, "s") as stream:
        assert [r["identity"] for r in stream.recover(IDENTITIES)] == ["id0"]
    assert stored(tmp_path) == (["id0"], ["id0"])
    (copy,) = (tmp_path / "streams").glob("s.jsonl.superseded-*")
    assert copy.read_bytes() == before
    assert len(list((tmp_path / "trajectories").glob("s.jsonl.gz.superseded-*"))) == 1


def test_errors_at_the_end_of_an_unfinished_stream_are_played_again(tmp_path: Path) -> None:
    fill(tmp_path, IDENTITIES[:2])
    fill(tmp_path, IDENTITIES[2:3], status="error")
    fill(tmp_path, IDENTITIES[3:4])
    fill(tmp_path, IDENTITIES[4:5], status="error")
    with StreamFile(tmp_path, "s") as stream:
        assert [r["status"] for r in stream.recover(IDENTITIES)] == ["ok", "ok", "error", "ok"]


def test_errors_of_a_finished_stream_stand(tmp_path: Path) -> None:
    fill(tmp_path, IDENTITIES[:5])
    fill(tmp_path, IDENTITIES[5:], status="error")
    with StreamFile(tmp_path, "s") as stream:
        assert len(stream.recover(IDENTITIES)) == 6


@pytest.mark.parametrize("damage", [b"{}\n", b"garbage\n", b"[1]\n"])
def test_what_lies_behind_a_damaged_line_is_kept_aside(tmp_path: Path, damage: bytes) -> None:
    fill(tmp_path, IDENTITIES)
    path = store.stream_path(tmp_path, "s")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], damage, *lines[3:]]))
    before = path.read_bytes()
    with StreamFile(tmp_path, "s") as stream:
        assert len(stream.recover(IDENTITIES)) == 2
    (copy,) = path.parent.glob("s.jsonl.superseded-*")
    assert copy.read_bytes() == before


def test_a_file_in_the_place_of_the_run_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    with pytest.raises(MnemocraftError, match="cannot be written"), run_lock(tmp_path / "run"):
        pass


def test_a_shorter_plan_leaves_the_longer_stream_alone(tmp_path: Path) -> None:
    fill(tmp_path, IDENTITIES)
    with StreamFile(tmp_path, "s") as stream:
        assert len(stream.recover(IDENTITIES[:2])) == 2
    assert stored(tmp_path)[0] == IDENTITIES


def test_what_json_cannot_hold_leaves_no_trace(tmp_path: Path) -> None:
    fill(tmp_path, IDENTITIES[:1])
    with StreamFile(tmp_path, "s") as stream:
        with pytest.raises(TypeError):
            stream.append({"identity": "id1", "status": "ok", "metrics": {1, 2}}, [])
        with pytest.raises(TypeError):
            stream.append({"identity": "id1", "status": "ok"}, [{"bad": object()}])
    fill(tmp_path, IDENTITIES[1:2])
    assert stored(tmp_path) == (IDENTITIES[:2], IDENTITIES[:2])


def test_short_writes_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = store.os.write
    monkeypatch.setattr(store.os, "write", lambda descriptor, data: real(descriptor, data[:7]))
    fill(tmp_path, IDENTITIES)
    assert stored(tmp_path) == (IDENTITIES, IDENTITIES)


def test_a_full_disk_is_one_sentence_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, IDENTITIES[:2])

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, StreamFile(tmp_path, "s") as stream:
        patch.setattr(store.os, "write", full)
        with pytest.raises(MnemocraftError, match="No space left on device"):
            stream.append({"identity": "id2", "status": "ok"}, [])
    with StreamFile(tmp_path, "s") as stream:
        assert len(stream.recover(IDENTITIES)) == 2


def test_a_stream_has_one_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_ORPHAN_WAIT_S", 0.05)
    with (
        StreamFile(tmp_path, "s"),
        pytest.raises(RunLocked, match="still writing"),
        StreamFile(tmp_path, "s"),
    ):
        pass
    with StreamFile(tmp_path, "s"):  # free again
        pass


def test_a_folder_has_one_run(tmp_path: Path) -> None:
    with run_lock(tmp_path), pytest.raises(RunLocked, match="another run is writing to"), run_lock(tmp_path):
        pass
    with run_lock(tmp_path):
        pass


def test_reading_past_the_end_is_a_sentence(tmp_path: Path) -> None:
    fill(tmp_path, IDENTITIES[:1])
    with pytest.raises(MnemocraftError, match="no trajectory at byte 9999"):
        read_member(store.trajectory_path(tmp_path, "s"), 9999, 10)


def test_records_are_plain_json_lines(tmp_path: Path) -> None:
    fill(tmp_path, IDENTITIES[:2])
    lines = store.stream_path(tmp_path, "s").read_text().splitlines()
    assert [json.loads(line)["identity"] for line in lines] == IDENTITIES[:2]
