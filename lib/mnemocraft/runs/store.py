"""The files of a run, written so that a kill at any moment loses only the episodes in flight.

A run folder holds ``streams/<stem>.jsonl`` (one record per finished episode),
``trajectories/<stem>.jsonl.gz`` (one gzip member per episode) and ``run.json`` (the streams of the latest
run). A trajectory is appended before its record, and the record's newline is the commit point: whatever
lies behind the last whole record is a torn tail and is cut off when the stream is opened again.
"""

from __future__ import annotations

import fcntl
import gzip
import hashlib
import json
import os
import shutil
import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mnemocraft.errors import MnemocraftError, RunLocked

Record = dict[str, Any]

RETRIED = ("budget", "error")
"""Statuses that a resumed run plays again where its stream had come to a stop with them: a budget that ran
out and a model that was out of reach are no outcomes of the agent. Within a finished stream errors stand."""

_FIELDS = {"status", "identity", "trajectory"}
_ORPHAN_WAIT_S = 30.0
"""How long to wait for a worker whose run was killed; it notices within milliseconds between its steps."""


@contextmanager
def run_lock(out: Path) -> Iterator[None]:
    """Hold a run folder. Raises :class:`RunLocked` if another run holds it."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        lock_file = (out / ".lock").open("a")
    except OSError as error:
        raise MnemocraftError(f"the run folder {out} cannot be written: {error.strerror}") from None
    with lock_file as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunLocked(
                f"another run is writing to {out}: wait for it, or choose another folder"
            ) from None
        yield


def replace_file(path: Path, text: str) -> None:
    """Write a text file (UTF-8, newlines as given) so that readers see the old one or the new one."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, encoding="utf-8", newline="")
        draft.replace(path)
    except OSError as error:
        raise MnemocraftError(f"{path} cannot be written: {error.strerror}") from None


def stream_path(out: Path, stem: str) -> Path:
    """Where the records of a stream are."""
    return out / "streams" / f"{stem}.jsonl"


def trajectory_path(out: Path, stem: str) -> Path:
    """Where the trajectories of a stream are."""
    return out / "trajectories" / f"{stem}.jsonl.gz"


def read_records(path: Path) -> Iterator[tuple[Record, int]]:
    """Yield the whole records of a stream file, each with the offset of its end; stops at damage."""
    end = 0
    with path.open("rb") as lines:
        for line in lines:
            end += len(line)
            record = _whole(line)
            if record is None:
                return
            yield record, end


def _whole(line: bytes) -> Record | None:
    """The record of a line; None if the line is torn or damaged."""
    try:
        record = json.loads(line) if line.endswith(b"\n") else None
    except ValueError:
        return None
    return record if isinstance(record, dict) and record.keys() >= _FIELDS else None


class StreamFile:
    """The two files of one stream, locked against every other process while open."""

    def __init__(self, out: Path, stem: str) -> None:
        self.records = stream_path(out, stem)
        self.trajectories = trajectory_path(out, stem)

    def __enter__(self) -> StreamFile:
        self._records_fd = _open_append(self.records)
        self._trajectories_fd = _open_append(self.trajectories)
        try:
            self._lock()
        except RunLocked:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc_info: object) -> None:
        os.close(self._trajectories_fd)
        os.close(self._records_fd)

    def recover(self, identities: Sequence[str]) -> list[Record]:
        """Cut torn tails, what is to be retried and records of other episodes; return what stands.

        Args:
            identities: Identities of the planned episodes. Whole records beyond the last of them belong to
                a longer list of tasks and stay in the file, but are not returned.
        """
        kept: list[Record] = []
        ends = [(0, 0)]
        size = os.fstat(self._trajectories_fd).st_size
        for record, end in read_records(self.records):
            place = record["trajectory"]
            past = place["offset"] + place["length"]
            stands = (
                record["status"] != "budget" and record["identity"] == identities[len(kept)] and past <= size
            )
            if not stands:
                break
            kept.append(record)
            ends.append((end, past))
            if len(kept) == len(identities):
                return kept
        while kept and kept[-1]["status"] in RETRIED:
            kept.pop()
            ends.pop()
        self._cut(*ends[-1])
        return kept

    def append(self, record: Record, trajectory: list[dict[str, Any]]) -> None:
        """Append an episode; ``record`` gains ``trajectory``.

        Raises:
            TypeError, ValueError: Something cannot be written as JSON; nothing was written.
            MnemocraftError: The files cannot be written, e.g. because the disk is full.
        """
        member = gzip.compress(json.dumps(trajectory).encode(), compresslevel=4, mtime=0)
        offset = os.fstat(self._trajectories_fd).st_size
        record["trajectory"] = {"offset": offset, "length": len(member)}
        line = json.dumps(record).encode() + b"\n"
        try:
            _write(self._trajectories_fd, member)
            _write(self._records_fd, line)
        except OSError as error:
            raise MnemocraftError(f"cannot write to {self.records.parent.parent}: {error.strerror}") from None

    def _lock(self) -> None:
        deadline = time.monotonic() + _ORPHAN_WAIT_S
        while True:
            with suppress(BlockingIOError):
                return fcntl.flock(self._records_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if time.monotonic() > deadline:
                raise RunLocked(f"another process is still writing to {self.records}: end it and run again")
            time.sleep(0.02)

    def _cut(self, records_end: int, trajectories_end: int) -> None:
        lost = self.records.read_bytes()[records_end:]
        lines = [line for line in lost.splitlines(keepends=True) if line.endswith(b"\n")]
        records = [_whole(line) for line in lines]
        if any(record is None or record["status"] not in RETRIED for record in records):
            # Finished episodes of another list of tasks, or behind a damaged line: never thrown away.
            tag = f".superseded-{hashlib.sha256(lost).hexdigest()[:12]}"
            for path in (self.records, self.trajectories):
                shutil.copy2(path, path.with_name(path.name + tag))
        os.ftruncate(self._records_fd, records_end)
        os.ftruncate(self._trajectories_fd, trajectories_end)


def read_member(path: Path, offset: int, length: int) -> list[dict[str, Any]]:
    """Read one trajectory back. Raises if the file does not hold it."""
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return json.loads(gzip.decompress(file.read(length)))
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise MnemocraftError(f"no trajectory at byte {offset} of {path}: {error}") from None


def _open_append(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND | os.O_CLOEXEC, 0o644)


def _write(descriptor: int, data: bytes) -> None:
    while data:  # a write may be short, e.g. when a signal arrives
        data = data[os.write(descriptor, data) :]
