"""The stream files: whatever a kill or a fault of the disk leaves behind, the whole records survive."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemocraft.errors import MnemocraftError, RunLocked
from mnemocraft.runs import store
from mnemocraft.runs.store import StreamFile, look, read_lines, read_member, sealed, unsealed

IDENTITIES = [f"id{i}" for i in range(6)]


def fill(out: Path, first: int, names: list[str], status: str = "ok", delta: Any = None) -> None:
    """Append episodes from an index on; the identity of each is its name."""
    with StreamFile(out, "s", [*IDENTITIES[:first], *names]) as file:
        for index in range(first):
            assert file.keeps(index)
        for index, name in enumerate(names, first):
            record = {"identity": name, "status": status, "index": index, "memory": delta}
            file.append(record, [{"told": name}])


def told(out: Path, record: dict[str, Any]) -> str:
    place = record["trajectory"]
    return read_member(store.trajectory_path(out, "s"), place["offset"], place["length"])[0]["told"]


def standing(out: Path, identities: list[str] = IDENTITIES) -> list[str]:
    """Identities of the episodes that stand, each with its own trajectory."""
    found = [record for record in look(out, "s", identities).kept if record]
    assert all(told(out, record) == record["identity"] for record in found)
    return [record["identity"] for record in found]


def lines(out: Path) -> list[bytes]:
    return store.stream_path(out, "s").read_bytes().splitlines(keepends=True)


def aside(out: Path, why: str) -> list[bytes]:
    """Lines that were set aside."""
    found = (out / "streams").glob(f"s.jsonl.{why}-*")
    return [line for path in found for line in path.read_bytes().splitlines(keepends=True)]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_torn_tail_is_cut_to_the_last_whole_episode(
    tmp_path_factory: pytest.TempPathFactory, data: Any
) -> None:
    """Cut either file at any byte that a kill can leave: the trajectory is always written first."""
    out = tmp_path_factory.mktemp("run")
    fill(out, 0, IDENTITIES[:4])
    path = store.stream_path(out, "s")
    records = [record for _, record in read_lines(path) if record]
    ends = [sum(map(len, lines(out)[: n + 1])) for n in range(4)]
    written = data.draw(st.integers(0, path.stat().st_size), label="bytes of records on disk")
    whole = sum(end <= written for end in ends)
    in_flight = records[whole]["trajectory"]["length"] if whole < 4 else 0
    committed = sum(record["trajectory"]["length"] for record in records[:whole])
    extra = data.draw(st.integers(0, in_flight), label="bytes of the next member")
    with path.open("ab") as file:
        file.truncate(written)
    with store.trajectory_path(out, "s").open("ab") as file:
        file.truncate(committed + extra)

    assert standing(out) == IDENTITIES[:whole]
    fill(out, whole, IDENTITIES[whole:])
    assert standing(out) == IDENTITIES
    assert not aside(out, "damaged") and len(lines(out)) == 6


@settings(max_examples=150, deadline=None)
@given(bit=st.integers(0, 10**6), records=st.booleans())
def test_a_flipped_bit_costs_the_episode_that_it_hit_and_no_other(
    tmp_path_factory: pytest.TempPathFactory, bit: int, records: bool
) -> None:
    out = tmp_path_factory.mktemp("run")
    fill(out, 0, IDENTITIES)
    path = (store.stream_path if records else store.trajectory_path)(out, "s")
    content = bytearray(path.read_bytes())
    bit %= 8 * len(content)
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)
    left = standing(out)
    line_end = records and bytes(content).count(b"\n") != 6  # two lines became one, or one two
    assert 4 <= len(left) <= 5 if line_end else len(left) == 5
    assert left == [name for name in IDENTITIES if name in left], "and what stands is as it was written"


def test_an_episode_that_was_damaged_is_named_set_aside_and_played_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fill(tmp_path, 0, IDENTITIES)
    path = store.stream_path(tmp_path, "s")
    before = lines(tmp_path)
    path.write_bytes(b"".join([*before[:2], before[2].replace(b"id2", b"id9"), *before[3:]]))
    with StreamFile(tmp_path, "s", IDENTITIES) as file:
        assert [bool(file.keeps(index)) for index in range(6)] == [True, True, False, True, True, True]
        assert "1 damaged records of s are set aside in" in caplog.text
        file.append({"identity": "id2", "status": "ok", "index": 2, "memory": None}, [{"told": "id2"}])
    assert aside(tmp_path, "damaged") == [before[2].replace(b"id2", b"id9")]
    assert standing(tmp_path) == IDENTITIES


def test_what_built_on_another_memory_does_not_stand(tmp_path: Path) -> None:
    """The third episode, played again, remembers something else: the later ones had met what is gone."""
    fill(tmp_path, 0, IDENTITIES, delta=["a word"])
    path = store.stream_path(tmp_path, "s")
    path.write_bytes(b"".join([*lines(tmp_path)[:2], b"garbage\n", *lines(tmp_path)[3:]]))
    for delta, left in ((["a word"], 3), (["another"], 0)):
        with StreamFile(tmp_path, "s", IDENTITIES) as file:
            assert file.keeps(0) and file.keeps(1) and not file.keeps(2)
            record = {"identity": "id2", "status": "crash", "index": 2, "memory": delta}
            file.append(record, [{"told": "id2"}])
            assert sum(bool(file.keeps(index)) for index in range(3, 6)) == left
        assert len(lines(tmp_path)) == 3 + left
    assert [json.loads(line)["identity"] for line in aside(tmp_path, "superseded")] == IDENTITIES[3:]


def test_a_record_without_its_trajectory_does_not_stand(tmp_path: Path) -> None:
    fill(tmp_path, 0, IDENTITIES[:3])
    with store.trajectory_path(tmp_path, "s").open("ab") as file:
        file.truncate(file.tell() - 1)
    assert standing(tmp_path) == IDENTITIES[:2]


@pytest.mark.parametrize("status", ["budget", "crash", "error"])
def test_what_no_agent_did_at_the_end_of_a_stream_is_dropped_without_a_copy(
    tmp_path: Path, status: str
) -> None:
    fill(tmp_path, 0, IDENTITIES[:2])
    fill(tmp_path, 2, IDENTITIES[2:3], status=status)
    with StreamFile(tmp_path, "s", IDENTITIES) as stream:
        assert stream.found.finished == 2
    assert standing(tmp_path) == IDENTITIES[:2] and len(lines(tmp_path)) == 2
    assert len(list((tmp_path / "streams").iterdir())) == 1


def test_other_tasks_are_cut_off_but_kept_aside(tmp_path: Path) -> None:
    fill(tmp_path, 0, ["id0", "old1", "old2"])
    with StreamFile(tmp_path, "s", IDENTITIES) as stream:
        assert stream.found.finished == 1
    assert standing(tmp_path) == ["id0"] and len(lines(tmp_path)) == 1
    kept = [unsealed(line) for line in aside(tmp_path, "superseded")]
    assert [told(tmp_path, record) for record in kept if record] == ["old1", "old2"]


def test_errors_at_the_end_of_an_unfinished_stream_are_played_again(tmp_path: Path) -> None:
    fill(tmp_path, 0, IDENTITIES[:2])
    with StreamFile(tmp_path, "s", IDENTITIES) as file:
        assert file.keeps(0) and file.keeps(1)
        for index, status in enumerate(["error", "ok", "error"], 2):
            file.append({"identity": f"id{index}", "status": status, "index": index, "memory": None}, [])
    found = look(tmp_path, "s", IDENTITIES)
    assert [record["status"] for record in found.kept if record] == ["ok", "ok", "error", "ok"]


def test_errors_of_a_finished_stream_stand(tmp_path: Path) -> None:
    fill(tmp_path, 0, IDENTITIES[:5])
    fill(tmp_path, 5, IDENTITIES[5:], status="error")
    assert standing(tmp_path) == IDENTITIES


def test_crashes_are_played_again_wherever_they_stand(tmp_path: Path) -> None:
    with StreamFile(tmp_path, "s", IDENTITIES) as file:
        for index, name in enumerate(IDENTITIES):
            status = "crash" if index == 2 else "ok"
            file.append(
                {"identity": name, "status": status, "index": index, "memory": None}, [{"told": name}]
            )
    assert standing(tmp_path) == ["id0", "id1", "id3", "id4", "id5"]


@pytest.mark.parametrize("number", [2**70, -(2**63) - 1, 10**400])
def test_numbers_out_of_range_are_refused_and_take_no_other_line_away(tmp_path: Path, number: int) -> None:
    fill(tmp_path, 0, IDENTITIES[:2])
    with StreamFile(tmp_path, "s", IDENTITIES) as file, pytest.raises(ValueError, match="64 bits"):
        file.append({"identity": "id2", "status": "ok", "index": 2, "tokens": {"a": {"prompt": number}}}, [])
    assert standing(tmp_path) == IDENTITIES[:2]
    record = json.loads(lines(tmp_path)[0]) | {"steps": number}
    body = json.dumps({name: value for name, value in record.items() if name != "crc"}).encode()[:-1]
    line = body + b', "crc": "%08x"}\n' % store.zlib.crc32(body)
    assert unsealed(line) is None and unsealed(lines(tmp_path)[0])


@pytest.mark.parametrize(
    "damage", [b"{}\n", b"garbage\n", b"[1]\n", b"[" * 9999 + b"\n", b"9" * 9999 + b"\n"]
)
def test_no_line_can_make_the_others_unreadable(tmp_path: Path, damage: bytes) -> None:
    fill(tmp_path, 0, IDENTITIES)
    sealed_damage = damage[:-2] + b', "crc": "%08x"}\n' % store.zlib.crc32(damage[:-2])
    store.stream_path(tmp_path, "s").write_bytes(
        b"".join([*lines(tmp_path)[:2], damage, sealed_damage, *lines(tmp_path)[3:]])
    )
    assert standing(tmp_path) == ["id0", "id1", "id3", "id4", "id5"]


def test_a_shorter_plan_leaves_the_longer_stream_alone(tmp_path: Path) -> None:
    fill(tmp_path, 0, IDENTITIES)
    with StreamFile(tmp_path, "s", IDENTITIES[:2]) as stream:
        assert stream.found.finished == 2
    assert standing(tmp_path) == IDENTITIES


def test_what_json_cannot_hold_leaves_no_trace(tmp_path: Path) -> None:
    fill(tmp_path, 0, IDENTITIES[:1])
    with StreamFile(tmp_path, "s", IDENTITIES) as stream:
        assert stream.keeps(0)
        with pytest.raises(TypeError):
            stream.append({"identity": "id1", "status": "ok", "index": 1, "metrics": {1, 2}}, [])
        with pytest.raises(TypeError):
            stream.append({"identity": "id1", "status": "ok", "index": 1}, [{"bad": object()}])
    fill(tmp_path, 1, IDENTITIES[1:2])
    assert standing(tmp_path) == IDENTITIES[:2]


def test_short_writes_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = store.os.write
    monkeypatch.setattr(store.os, "write", lambda descriptor, data: real(descriptor, data[:7]))
    fill(tmp_path, 0, IDENTITIES)
    assert standing(tmp_path) == IDENTITIES


def test_a_full_disk_is_one_sentence_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, 0, IDENTITIES[:2])

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, StreamFile(tmp_path, "s", IDENTITIES) as stream:
        patch.setattr(store.os, "write", full)
        with pytest.raises(MnemocraftError, match="No space left on device"):
            stream.append({"identity": "id2", "status": "ok", "index": 2}, [])
    assert standing(tmp_path) == IDENTITIES[:2]


def test_a_writer_that_was_overtaken_is_refused_and_what_it_wrote_counts_for_nothing(tmp_path: Path) -> None:
    fill(tmp_path, 0, IDENTITIES[:1])
    with StreamFile(tmp_path, "s", IDENTITIES) as ghost:
        assert ghost.keeps(0)
        fill(tmp_path, 1, IDENTITIES[1:3])
        with pytest.raises(RunLocked, match="another run has taken over"):
            ghost.append({"identity": "id1", "status": "ok", "index": 1}, [{"told": "a ghost"}])
        store.os.write(ghost._fds[0], b"whatever it still writes\n")
        store.os.write(ghost._fds[1], b"whatever it still writes\n")
    assert standing(tmp_path) == IDENTITIES[:3] and not aside(tmp_path, "damaged")
    fill(tmp_path, 3, IDENTITIES[3:])
    assert standing(tmp_path) == IDENTITIES


def test_reading_past_the_end_is_a_sentence(tmp_path: Path) -> None:
    fill(tmp_path, 0, IDENTITIES[:1])
    with pytest.raises(MnemocraftError, match=r"no trajectory at byte 9999 .* plays its episode again"):
        read_member(store.trajectory_path(tmp_path, "s"), 9999, 10)


def test_records_are_plain_json_lines(tmp_path: Path) -> None:
    fill(tmp_path, 0, IDENTITIES[:2])
    found = [json.loads(line) for line in lines(tmp_path)]
    assert [record["identity"] for record in found] == IDENTITIES[:2]


def test_a_sealed_line_is_what_zlib_says_it_is() -> None:
    """Damage of any kind, not of one bit only: cut, doubled, bytes changed."""
    dice = random.Random(0)
    line = sealed({"status": "ok", "identity": "x", "index": 0, "trajectory": {}, "lineage": ["", ""]})
    for _ in range(3000):
        place, length = dice.randrange(len(line)), dice.randrange(1, 9)
        new = dice.choice([b"", line[place : place + length] * 2, dice.randbytes(length)])
        changed = line[:place] + new + line[place + length :]
        assert changed == line or unsealed(changed) is None
