"""Paid answers, kept: a content-addressed store in one SQLite file, safe for many processes."""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mnemocraft.bounded import read_json
from mnemocraft.errors import MnemocraftError, ModelError, ModelUnavailable, RequestTooLong
from mnemocraft.llm.types import MOST_TOKENS, Reply, Request, ToolCall, Usage

log = logging.getLogger(__name__)
VERSION = 1
_DEFAULT_NAME = "answers.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, request TEXT NOT NULL, reply TEXT NOT NULL
)"""
_TOO_LONG, _FAILED = "too_long", "failed"
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_INSERT = f"""
INSERT INTO answers VALUES (?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET reply = excluded.reply
WHERE CASE WHEN NOT json_valid(answers.reply) THEN 1 ELSE
    json_extract(answers.reply, '$.{_TOO_LONG}') IS NOT NULL
    OR json_extract(answers.reply, '$.{_FAILED}') IS NOT NULL
    OR blank(json_extract(answers.reply, '$.text'))
       AND json_array_length(answers.reply, '$.tool_calls') = 0
END
"""


def reply_to_json(reply: Reply | ModelError) -> str:
    """A reply as JSON text (without ``cached``, which says where it came from, not what it is)."""
    if isinstance(reply, ModelError):
        kind = _TOO_LONG if isinstance(reply, RequestTooLong) else _FAILED
        return json.dumps({kind: str(reply)}, ensure_ascii=False)
    fields = asdict(reply)
    del fields["cached"]
    # Unsorted: the order of a call's arguments is part of the answer, and of the next request.
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False)


def reply_from_json(fields: Any) -> Reply | ModelError:
    """What :func:`reply_to_json` was given; a reply is marked as cached.

    Raises:
        ValueError: It is none, as after damage; the message says what is wrong.
    """
    match fields:
        case {"too_long": str(why)}:
            return RequestTooLong(why)
        case {"failed": str(why)}:
            return ModelError(why)
        case {"text": str(text), "tool_calls": list(calls), "usage": dict(usage)}:
            return Reply(
                text, [_call_from_json(call) for call in calls], _usage_from_json(usage), cached=True
            )
    raise ValueError("it has no text, calls and usage")


def _call_from_json(fields: Any) -> ToolCall:
    match fields:
        case {"name": str(name), "arguments": dict(arguments), "error": str() | None as error}:
            return ToolCall(name, arguments, error)
    raise ValueError("a call is malformed")


def _usage_from_json(fields: Any) -> Usage:
    match fields:
        case {
            "prompt_tokens": int(prompt),
            "completion_tokens": int(completion),
            "estimated": bool(estimated),
        }:
            if 0 <= min(prompt, completion) <= max(prompt, completion) <= MOST_TOKENS:
                return Usage(prompt, completion, estimated)
    raise ValueError("its figures of tokens make no sense")


def is_refusal(reply: Reply) -> bool:
    """Whether the reply says nothing at all; a rerun asks again."""
    return _blank(reply.text) and not reply.tool_calls


def _blank(text: object) -> bool:
    return isinstance(text, str) and not text.strip()


class AnswerCache:
    """Answers by content address (:meth:`Request.key`); no expiry; the first answer stays.

    A file that turns out to be damaged is set aside, and a new one begun; a damaged answer is asked anew.
    That a request was too long or failed, or that the answer was empty, is kept for recordings only, which
    have to end an episode as it ended: a rerun asks again.

    Args:
        path: the SQLite file, made if missing; in an existing folder, ``answers.sqlite`` in it.

    Raises:
        MnemocraftError: the file cannot be opened, is not a cache, or is of another version.
    """

    def __init__(self, path: str | Path) -> None:
        path = Path(path).expanduser()
        self.path = (path / _DEFAULT_NAME if path.is_dir() else path).resolve()
        self._lock = threading.Lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._open()
        except sqlite3.OperationalError as error:
            raise self._lost(error) from None
        except sqlite3.DatabaseError as error:
            if self.path.suffix != ".sqlite":  # a file of the user's that never was a cache
                raise self._lost(error) from None
            self._begin_anew(error)
        except OSError as error:
            raise self._lost(error) from None

    def _lost(self, error: Exception) -> MnemocraftError:
        return ModelUnavailable(f"The answer cache {self.path} cannot be opened or read: {error}.")

    def _open(self) -> None:
        self._db = sqlite3.connect(self.path, timeout=60, isolation_level=None, check_same_thread=False)
        self._db.create_function("blank", 1, _blank, deterministic=True)
        self._prepare()

    def _begin_anew(self, damage: Exception) -> None:
        """Copy the damaged file, and empty it where it lies, as other processes may have it open."""
        aside = self.path.with_name(f"{self.path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
        log.warning(
            "The answer cache %s is damaged (%s); a copy is kept as %s, and it is begun anew.",
            self.path, damage, aside.name,
        )  # fmt: skip
        try:
            shutil.copy2(self.path, aside)
            if (newest := self.path.with_name(f"{self.path.name}-wal")).is_file():
                shutil.copy2(newest, f"{aside}-wal")
            try:
                with contextlib.closing(sqlite3.connect(":memory:")) as empty:
                    empty.execute(_SCHEMA)
                    empty.execute(f"PRAGMA user_version={VERSION}")
                    empty.backup(self._db)  # overwrites every page, under the file's own locks
            except sqlite3.DatabaseError:  # not even a header: nobody can have it open
                self._db.close()
                self.path.unlink()
                self._open()
        except (OSError, sqlite3.Error) as error:
            raise self._lost(error) from None

    def _run(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        """Execute a statement, once more with a new file if this one is damaged.

        Raises:
            sqlite3.DatabaseError: It cannot be executed: the disk is full, the file locked or gone, the cache
                closed.
        """
        with self._lock:
            try:
                return self._db.execute(statement, values).fetchall()
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _DAMAGE:
                    raise
                self._begin_anew(error)
                return self._db.execute(statement, values).fetchall()

    def _prepare(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION):
            raise MnemocraftError(
                f"The answer cache {self.path} has format {version}; this version reads format {VERSION}."
            )
        others = "SELECT 1 FROM sqlite_master WHERE tbl_name != 'answers'"
        if version == 0 and self._db.execute(others).fetchone():
            raise MnemocraftError(f"{self.path} is a database, but no answer cache.")
        self._db.execute("PRAGMA journal_mode=WAL")
        # In WAL mode NORMAL survives a killed process; only a power cut may lose the last answers.
        self._db.execute("PRAGMA synchronous=NORMAL")
        if version == 0:
            self._db.execute(_SCHEMA)
            self._db.execute(f"PRAGMA user_version={VERSION}")

    def get(self, key: str) -> Reply | None:
        """The stored answer, or None; a damaged one is dropped.

        Raises:
            ModelUnavailable: The file cannot be read; the run must stop rather than pay again.
        """
        try:
            rows = self._run("SELECT reply FROM answers WHERE key=?", (key,))
            try:
                reply = reply_from_json(read_json(rows[0][0])) if rows else None
            except (ValueError, TypeError) as damage:
                log.warning("An answer in the cache %s is damaged (%s); it is asked anew.", self.path, damage)
                self._run("DELETE FROM answers WHERE key=?", (key,))
                reply = None
        except sqlite3.Error as error:
            raise self._lost(error) from None
        return reply if isinstance(reply, Reply) and not is_refusal(reply) else None

    def put(self, request: Request, reply: Reply | ModelError, key: str | None = None) -> None:
        """Keep an answer.

        Raises:
            ModelUnavailable: it cannot be written; the run must stop rather than lose paid answers.
        """
        row = (key or request.key(), request.model, request.canonical(), reply_to_json(reply))
        try:
            self._run(_INSERT, row)
        except sqlite3.Error as error:
            raise ModelUnavailable(
                f"An answer could not be written to the cache {self.path} ({error}); "
                "the run stops here so that no further paid answers are lost."
            ) from None

    def models(self) -> list[str]:
        """The models that have answers here, sorted. Raises ModelUnavailable if the file cannot be read."""
        return [name for (name,) in self._read("SELECT DISTINCT model FROM answers ORDER BY model")]

    def rows(self, model: str) -> Iterator[tuple[str, dict[str, Any], str]]:
        """(key, request, reply JSON) of one model's answers, in order of the request's canonical text.

        Damaged ones are left out. Raises ModelUnavailable if the file cannot be read.
        """
        query = "SELECT key, request, reply FROM answers WHERE model=? ORDER BY request"
        for key, request, reply in self._read(query, model):
            try:
                asked = read_json(request)
                reply_from_json(read_json(reply))
            except (ValueError, TypeError) as damage:
                log.warning("An answer in the cache %s is damaged (%s); it is left out.", self.path, damage)
            else:
                yield key, asked, reply

    def _read(self, query: str, *values: str) -> Iterator[Any]:
        """Rows, one at a time. A damaged file is not begun anew, as what is left of it may be asked for."""
        try:
            with self._lock:
                yield from self._db.execute(query, values)
        except sqlite3.Error as error:
            raise self._lost(error) from None

    def claim(self, key: str) -> bool:
        """Try to become the only one, in any process, that asks the model for ``key``; do not wait."""
        return _claims.take(self.path, key)

    def release(self, key: str) -> None:
        """Give a claim back."""
        _claims.give_back(self.path, key)

    def close(self) -> None:
        """Close the file."""
        self._db.close()


class _Claims:
    """Who is asking for what: one locked byte per key in a side file.

    The kernel frees the locks of a process that dies, so a killed run never leaves a key blocked. Such
    locks are per process, and closing any handle of the file frees them all; hence one handle per file
    for the life of the process, and a set for the claims within it. Both know their process, because
    a forked child inherits the memory but not the locks.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._files: dict[tuple[int, Path], int] = {}
        self._held: set[tuple[int, Path, str]] = set()

    def take(self, path: Path, key: str) -> bool:
        mine = (os.getpid(), path, key)
        with self._guard:
            if mine in self._held:
                return False
            with contextlib.suppress(BlockingIOError, PermissionError):
                fcntl.lockf(self._file(path), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _offset(key))
                self._held.add(mine)
                return True
            return False

    def give_back(self, path: Path, key: str) -> None:
        with self._guard:
            self._held.discard((os.getpid(), path, key))
            fcntl.lockf(self._file(path), fcntl.LOCK_UN, 1, _offset(key))

    def _file(self, path: Path) -> int:
        mine = (os.getpid(), path)
        if mine not in self._files:
            name = path.with_name(path.name + "-claims")
            try:
                self._files[mine] = os.open(name, os.O_RDWR | os.O_CREAT, 0o644)
            except OSError as error:
                raise MnemocraftError(f"The lock file {name} cannot be opened: {error}.") from None
        return self._files[mine]


def _offset(key: str) -> int:
    return int(key[:15], 16)  # 60 bits: two keys that share one only wait for each other


_claims = _Claims()
