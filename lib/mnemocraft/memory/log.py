"""The durable log of experiences: a SQLite file (WAL) that several processes may write and read at once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from mnemocraft.errors import MnemocraftError
from mnemocraft.memory.stores import Experience, Floats

OURS = 0x4D4E454D
"""Says in a file's header (``application_id``) that it is a memory of experiences."""

WAIT_S = 30.0
"""How long a writer waits for another one."""

MAPPED = 1 << 34
"""Bytes of the file that are read through memory rather than by calls, as candidates' vectors are."""

_SCHEMA = (
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE entries (id INTEGER PRIMARY KEY, state TEXT NOT NULL, task TEXT NOT NULL,"
    " plan TEXT NOT NULL, outcome TEXT NOT NULL, success INTEGER NOT NULL, key TEXT, vectors BLOB NOT NULL)",
    "CREATE UNIQUE INDEX keys ON entries (key) WHERE key IS NOT NULL",
    f"PRAGMA application_id = {OURS}",
)
_WORDS = "state, task, plan, outcome, success"
_COLUMNS = f"{_WORDS}, key, vectors"
_OF_THESE = "FROM entries WHERE id IN (SELECT value FROM json_each(?))"
_TROUBLE = {
    "SQLITE_FULL": "there is no room left on its disk",
    "SQLITE_IOERR": "its disk cannot be read or written",
    "SQLITE_READONLY": "it, or the folder it is in, is read-only",
    "SQLITE_CANTOPEN": "it cannot be opened; its folder must be there, and writable",
    "SQLITE_CORRUPT": "the file is damaged",
    "SQLITE_NOTADB": "the file is damaged, or is no database",
    "SQLITE_BUSY": f"another process has been writing to it for more than {WAIT_S:.0f} seconds",
}


class ExperienceLog:
    """Entries in the order in which they were committed, with the ids 1, 2, 3 ...; none is ever changed.

    Args:
        path: The file, made if there is none; None keeps the log in this process.
        encoder: Name of the encoder that the vectors are from.

    Raises:
        MnemocraftError: The file cannot be used, or has vectors of another encoder.
    """

    def __init__(self, path: Path | None, encoder: str) -> None:
        self.path, self.encoder = path, encoder
        with self._told():
            self.db = sqlite3.connect(path or ":memory:", timeout=WAIT_S, isolation_level=None, uri=True)
            self.db.execute(f"PRAGMA mmap_size = {MAPPED}")
            (owner,) = self.db.execute("PRAGMA application_id").fetchone()
            if owner != OURS:
                self._create()
            self.db.execute("PRAGMA synchronous = FULL")  # what is committed outlasts a power failure
            about = dict(self.db.execute("SELECT name, value FROM about"))
        self._check(about.get("encoder", ""))

    def _create(self) -> None:
        _check_ours(self.db, self.path)
        self.db.execute("PRAGMA journal_mode = WAL")
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            if self.db.execute("PRAGMA application_id").fetchone()[0] == OURS:
                return  # another process was faster
            for statement in _SCHEMA:
                self.db.execute(statement)
            self.db.execute(
                "INSERT INTO about VALUES ('encoder', ?), ('name', lower(hex(randomblob(8))))",
                [self.encoder],
            )

    def _check(self, found: str) -> None:
        """Raise MnemocraftError where vectors are of another encoder."""
        if found != self.encoder:
            raise MnemocraftError(
                f"The memory has vectors of the encoder {found!r}, and cannot be used with {self.encoder!r}."
            )

    def _check_size(self, size: int) -> None:
        """Raise MnemocraftError where vectors have another size than those that are here."""
        if self.size not in (0, size):
            raise MnemocraftError(
                f"The vectors have {size} numbers each, and those in the memory {self.size}."
            )

    def append(self, entries: Sequence[Experience], vectors: Floats, keys: Sequence[str | None]) -> None:
        """Commit entries, all or none; one whose key is there already is left out.

        Args:
            entries: In their order.
            vectors: Of state, task and plan, shape (entries, 3, size).
            keys: What each is told from others by, None for those that are always new.

        Raises:
            MnemocraftError: The vectors have another size than those before, or nothing could be written.
        """
        rows = [
            (e.state, e.task, e.plan, e.outcome, e.success, key, numbers.astype("<f4").tobytes())
            for e, key, numbers in zip(entries, keys, vectors, strict=True)
        ]
        with self._told(), self.db:
            self.db.execute("BEGIN IMMEDIATE")
            self._check_size(vectors.shape[2])
            self.db.executemany(f"INSERT OR IGNORE INTO entries ({_COLUMNS}) VALUES (?,?,?,?,?,?,?)", rows)

    def vectors_of(self, ids: Sequence[int]) -> Floats:
        """The vectors of entries, shape (entries, 3, size), in the order of their ids."""
        with self._told():
            blobs = dict(self.db.execute(f"SELECT id, vectors {_OF_THESE}", [json.dumps(list(ids))]))
        return np.frombuffer(b"".join([blobs[id] for id in ids]), "<f4").reshape(len(ids), 3, -1)

    def experiences_of(self, ids: Sequence[int]) -> dict[int, Experience]:
        """Entries by id."""
        with self._told():
            found = self.db.execute(f"SELECT id, {_WORDS} {_OF_THESE}", [json.dumps(list(ids))]).fetchall()
        return {id: _experience(*fields) for id, *fields in found}

    def batches(self, batch: int = 1000) -> Iterator[tuple[list[Experience], Floats, list[str | None]]]:
        """All entries with their vectors and keys, the oldest first."""
        with self._told():
            found = self.db.execute(f"SELECT {_COLUMNS} FROM entries ORDER BY id")
            while rows := found.fetchmany(batch):
                vectors = np.frombuffer(b"".join(row[-1] for row in rows), "<f4").reshape(len(rows), 3, -1)
                yield [_experience(*row[:5]) for row in rows], vectors, [row[5] for row in rows]

    def vectors(self, after: int, batch: int = 10_000) -> Iterator[Floats]:
        """The vectors of all entries behind an id, in batches of shape (at most ``batch``, 3, size)."""
        with self._told():
            found = self.db.execute("SELECT vectors FROM entries WHERE id > ? ORDER BY id", [after])
            while blobs := found.fetchmany(batch):
                yield np.frombuffer(b"".join(blob for (blob,) in blobs), "<f4").reshape(len(blobs), 3, -1)

    def entries(self) -> Iterator[Experience]:
        """All of them, the newest first."""
        with self._told():
            for fields in self.db.execute(f"SELECT {_WORDS} FROM entries ORDER BY id DESC"):
                yield _experience(*fields)

    def worded(self, words: Sequence[str], k: int) -> list[tuple[float, Experience]]:
        """The ``k`` entries whose states, tasks and plans are best by BM25, with their scores."""
        if not words:
            return []
        asked = " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
        with self._told():
            self.db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5(state, task, plan)")
            self.db.execute(
                "INSERT INTO temp.words (rowid, state, task, plan) SELECT id, state, task, plan FROM entries"
                " WHERE id > (SELECT coalesce(max(rowid), 0) FROM temp.words)"
            )
            found = self.db.execute(
                "SELECT rowid, -bm25(words) FROM temp.words WHERE words MATCH ?"
                " ORDER BY bm25(words), rowid LIMIT ?",
                [asked, k],
            ).fetchall()
        rows = self.experiences_of([id for id, _ in found])
        return [(score, rows[id]) for id, score in found]

    def take(self, path: Path) -> None:
        """Append the entries of another file, but for those whose keys are there.

        Raises:
            MnemocraftError: It is this file, no memory, or has vectors of another encoder or size.
        """
        with self._told(path):
            if self.path and self.path.exists() and path.exists() and path.samefile(self.path):
                raise MnemocraftError(f"{path} is the file of this memory itself, which has its entries.")
            self.db.execute("ATTACH ? AS other", [f"{path.absolute().as_uri()}?mode=ro"])
            try:
                about = dict(self.db.execute("SELECT name, value FROM other.about"))
                self._check(about.get("encoder", ""))
                theirs = self.db.execute("SELECT length(vectors) / 12 FROM other.entries LIMIT 1").fetchone()
                if theirs:
                    self._check_size(theirs[0])
                with self.db:
                    self.db.execute(
                        f"INSERT OR IGNORE INTO entries ({_COLUMNS})"
                        f" SELECT {_COLUMNS} FROM other.entries ORDER BY id"
                    )
            finally:
                self.db.execute("DETACH other")

    def copy(self, path: Path) -> None:
        """Write all entries to another file; a memory that is there is replaced.

        Raises:
            MnemocraftError: What is there is another database, or it cannot be written.
        """
        with self._told(path), closing(sqlite3.connect(path)) as other:
            _check_ours(other, path)
            self.db.backup(other)

    @property
    def last(self) -> int:
        """The id of the last entry, which is also how many there are."""
        with self._told():
            return self.db.execute("SELECT max(id) FROM entries").fetchone()[0] or 0

    @property
    def size(self) -> int:
        """How many numbers a vector has; 0 while there is none."""
        with self._told():
            row = self.db.execute("SELECT length(vectors) / 12 FROM entries LIMIT 1").fetchone()
        return row[0] if row else 0

    @property
    def name(self) -> str:
        """Tells this log from every other."""
        with self._told():
            return self.db.execute("SELECT value FROM about WHERE name = 'name'").fetchone()[0]

    @contextmanager
    def _told(self, path: Path | None = None) -> Iterator[None]:
        """What SQLite says, as one sentence."""
        try:
            yield
        except sqlite3.Error as error:
            name = getattr(error, "sqlite_errorname", "")
            why = next((text for code, text in _TROUBLE.items() if name.startswith(code)), str(error))
            raise MnemocraftError(f"The memory {path or self.path} cannot be used: {why}.") from None


def _check_ours(db: sqlite3.Connection, path: Path | None) -> None:
    """Raise MnemocraftError for a database that has anything in it and is no memory.

    Another process may be making it one: tables and mark are committed at once, so the mark is read last.
    """
    filled = db.execute("SELECT 1 FROM sqlite_master").fetchone()
    if filled and db.execute("PRAGMA application_id").fetchone() != (OURS,):
        raise MnemocraftError(f"{path} is a database, but no memory of experiences.")


def _experience(state: str, task: str, plan: str, outcome: str, success: int) -> Experience:
    return Experience(state, task, plan, outcome, bool(success))
