"""The files of a run, written so that a kill at any moment loses only the episodes in flight.

A run folder holds ``streams/<stem>.jsonl`` (one record per finished episode),
``trajectories/<stem>.jsonl.gz`` (one gzip member per episode) and ``run.json`` (the streams of the latest
run). A trajectory is appended before its record, and the record's newline is the commit point. Each line ends
with a CRC-32 of what stands before it, and holds the CRC-32 of its trajectory: what is damaged is known, set
aside, and played again.

Whoever opens a stream to write copies both files and puts the copies in their places. A writer that was there
before holds files without a name from then on: whatever it still writes, nobody reads.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import os
import shutil
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mnemocraft.errors import MnemocraftError, RunLocked
from mnemocraft.files import draft_of, unwritable

Record = dict[str, Any]

RETRIED = ("budget", "error", "crash")
"""Statuses that are no outcomes of the agent. A rerun plays them again: a budget that ran out and a crash
wherever they stand, a model that was out of reach (``error``) where its stream had come to a stop with it."""

_FIELDS = {"status", "identity", "index", "trajectory", "lineage"}
_COUNTED = ("steps", "wall_s", "metrics", "tokens")
_TAIL = b', "crc": "%08x"}\n'
_TAIL_LENGTH = len(_TAIL % 0)
_LIMIT = 2**63
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER = b"0" * 19

log = logging.getLogger(__name__)


def stream_path(out: Path, stem: str) -> Path:
    """Where the records of a stream are."""
    return out / "streams" / f"{stem}.jsonl"


def trajectory_path(out: Path, stem: str) -> Path:
    """Where the trajectories of a stream are."""
    return out / "trajectories" / f"{stem}.jsonl.gz"


def sealed(record: Record) -> bytes:
    """A record as a line: JSON whose last field ``crc`` is the CRC-32 of the bytes before it, in hex.

    Raises:
        TypeError: JSON cannot hold it.
        ValueError: A number in it does not fit into 64 bits, or JSON cannot hold it.
    """
    body = json.dumps(record).encode()[:-1]
    if not _counts(record, body):
        raise ValueError("a number of the record does not fit into 64 bits")
    return body + _TAIL % zlib.crc32(body)


def unsealed(line: bytes) -> Record | None:
    """The record of a line; None if the line is torn or damaged, or its numbers are out of range."""
    body = line[:-_TAIL_LENGTH]
    if line[-_TAIL_LENGTH:] != _TAIL % zlib.crc32(body):
        return None
    try:
        record = json.loads((body + b"}").decode())  # bytes take longer
    except (ValueError, RecursionError):
        return None
    whole = isinstance(record, dict) and record.keys() >= _FIELDS
    return record if whole and _counts(record, body) else None


def _counts(record: Record, text: bytes) -> bool:
    """Whether a table can hold the numbers of a record, whose JSON is ``text``."""
    return _LONG_NUMBER not in text.translate(_ZEROS) or all(_fits(record.get(name)) for name in _COUNTED)


def _fits(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_fits, value.values()))
    return not isinstance(value, int) or -_LIMIT <= value < _LIMIT


def read_lines(path: Path) -> Iterator[tuple[bytes, Record | None]]:
    """Every line of a stream file that ends, with its record; None where it is damaged."""
    try:
        with path.open("rb") as lines:
            yield from ((line, unsealed(line)) for line in lines if line.endswith(b"\n"))
    except FileNotFoundError:
        return


def lineage(before: str, delta: Any) -> str:
    """Name of what a memory holds: what it held before (``""``: nothing), and what an episode wrote."""
    return (
        hashlib.sha256(f"{before}{json.dumps(delta)}".encode()).hexdigest()[:16]
        if delta is not None
        else before
    )


@dataclass
class Found:
    """What the files of a stream hold of its planned episodes.

    Attributes:
        kept: Their records by index; None where the episode is to be played.
        beyond: Records of a longer list of tasks.
        others: Records of other episodes, or of a memory that is no longer so.
        damaged: Lines that were changed after they were written, or whose trajectory was.
    """

    kept: list[Record | None]
    beyond: list[Record] = field(default_factory=list)
    others: list[Record] = field(default_factory=list)
    damaged: list[bytes] = field(default_factory=list)

    @property
    def finished(self) -> int:
        """Number of episodes that need not be played."""
        return sum(record is not None for record in self.kept)

    def drop(self, first: int) -> None:
        """Let no episode stand from an index on."""
        self.others += [record for record in self.kept[first:] if record and record["status"] not in RETRIED]
        self.kept[first:] = [None] * (len(self.kept) - first)


def look(out: Path, stem: str, identities: Sequence[str]) -> Found:
    """Read what a stream's files hold, with every CRC checked.

    Args:
        out: The run folder.
        stem: The stream's name.
        identities: Of the planned episodes.
    """
    found = Found([None] * len(identities))
    with _Members(trajectory_path(out, stem)) as members:
        for line, record in read_lines(stream_path(out, stem)):
            if record is None or not members.hold(record):
                found.damaged.append(line)
            elif record["index"] >= len(identities):
                found.beyond.append(record)
            elif record["identity"] != identities[record["index"]]:
                found.others.append(record)
            elif record["status"] not in ("budget", "crash"):
                found.kept[record["index"]] = record
    _drop_last_errors(found)
    for index, (one, two) in enumerate(zip(found.kept, found.kept[1:], strict=False)):
        if one and two and one["lineage"][1] != two["lineage"][0]:
            found.drop(index + 1)
            break
    return found


def _drop_last_errors(found: Found) -> None:
    """In a stream that has episodes to play, the last ones do not stand if they were errors."""
    if None not in found.kept:
        return
    for index, record in reversed(list(enumerate(found.kept))):
        if record and record["status"] != "error":
            return
        found.kept[index] = None


class _Members:
    """A file of trajectories, to check what records say of it."""

    def __init__(self, path: Path) -> None:
        self._path, self._fd = path, -1

    def __enter__(self) -> _Members:
        if self._path.exists():
            self._fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._fd >= 0:
            os.close(self._fd)

    def hold(self, record: Record) -> bool:
        """Whether the record's trajectory is there as it was written."""
        place = record["trajectory"]
        member = os.pread(self._fd, place["length"], place["offset"]) if self._fd >= 0 else b""
        return len(member) == place["length"] and zlib.crc32(member) == place["crc"]


class StreamFile:
    """The two files of one stream, for their only writer.

    Attributes:
        found: What was there of the planned episodes.
        lineage: What the memory holds after the last episode that was kept or appended.
    """

    def __init__(self, out: Path, stem: str, identities: Sequence[str]) -> None:
        self.records, self.trajectories = stream_path(out, stem), trajectory_path(out, stem)
        self.found = look(out, stem, identities)
        self.lineage = ""
        self._fds: list[int] = []

    def __enter__(self) -> StreamFile:
        if self.found.damaged:
            aside = self._set_aside("damaged", self.found.damaged)
            log.warning(
                "%d damaged records of %s are set aside in %s; what they were of is played again",
                *(len(self.found.damaged), self.records.stem, aside),
            )
        self._take()
        return self

    def __exit__(self, *exc_info: object) -> None:
        for descriptor in self._fds:
            os.close(descriptor)
        self._fds = []

    def keeps(self, index: int) -> Record | None:
        """The record of the next episode if it stands; if not, none behind it does that built on it.

        An episode that was played again may have left another memory than the one that the next ones met.
        """
        record = self.found.kept[index]
        if record is not None and record["lineage"][0] != self.lineage:
            self.found.drop(index)
            self.__exit__()
            self._take()
            return None
        if record is not None:
            self.lineage = record["lineage"][1]
        return record

    def append(self, record: Record, trajectory: list[dict[str, Any]]) -> None:
        """Append an episode, once; ``record`` gains ``lineage`` and ``trajectory``.

        Raises:
            TypeError, ValueError: Something cannot be written; nothing was written.
            RunLocked: Another run has made itself the stream's writer.
            MnemocraftError: The files cannot be written, e.g. because the disk is full.
        """
        member = gzip.compress(json.dumps(trajectory).encode(), compresslevel=4, mtime=0)
        after = lineage(self.lineage, record.get("memory"))
        record["lineage"] = [self.lineage, after]
        with unwritable(self.records):
            place = {"offset": os.fstat(self._fds[1]).st_size, "length": len(member)}
            record["trajectory"] = place | {"crc": zlib.crc32(member)}
            line = sealed(record)
            self._check_owner()
            _write(self._fds[1], member)
            _write(self._fds[0], line)
        self.lineage = after
        self.found.kept[record["index"]] = record

    def _check_owner(self) -> None:
        here, mine = self.records.stat(), os.fstat(self._fds[0])
        if (here.st_dev, here.st_ino) != (mine.st_dev, mine.st_ino):
            raise RunLocked(f"another run has taken over {self.records}; it goes on from what is finished")

    def _take(self) -> None:
        """Put copies of the files in their places, with the records that stand."""
        if self.found.others:
            self._set_aside("superseded", map(sealed, self.found.others))
            self.found.others = []
        lines = [sealed(record) for record in (*self.found.kept, *self.found.beyond) if record]
        with unwritable(self.records):
            trajectories = _replaced(self.trajectories, None)
            self._fds = [_replaced(self.records, b"".join(lines)), trajectories]

    def _set_aside(self, why: str, lines: Iterable[bytes]) -> Path:
        """Keep lines in a file of their own: finished episodes are never thrown away."""
        content = b"".join(lines)
        tag = hashlib.sha256(content).hexdigest()[:12]
        aside = self.records.with_name(f"{self.records.name}.{why}-{tag}")
        with unwritable(aside):
            aside.write_bytes(content)
        return aside


def _replaced(path: Path, content: bytes | None) -> int:
    """A descriptor to append to a new file in the place of ``path``; None copies what is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = draft_of(path)
    if content is None and path.exists():
        shutil.copyfile(path, draft)
    else:
        draft.write_bytes(content or b"")
    descriptor = os.open(draft, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
    if os.fstat(descriptor).st_size:
        os.fsync(descriptor)  # before it takes the old one's place: a power failure may not lose both
    draft.replace(path)
    return descriptor


def read_member(path: Path, offset: int, length: int) -> list[dict[str, Any]]:
    """Read one trajectory back. Raises if the file does not hold it."""
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return json.loads(gzip.decompress(file.read(length)))
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise MnemocraftError(
            f"no trajectory at byte {offset} of {path} ({error}); running again plays its episode again"
        ) from None


def _write(descriptor: int, data: bytes) -> None:
    while data:  # a write may be short, e.g. when a signal arrives
        data = data[os.write(descriptor, data) :]
