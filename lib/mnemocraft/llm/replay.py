"""Recordings: a model's answers as one portable, readable file, and a model that answers only from it."""

from __future__ import annotations

import gzip
import itertools
import json
import zlib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from mnemocraft import __version__
from mnemocraft.bounded import read_json
from mnemocraft.errors import MnemocraftError, ModelError, ReplayMiss
from mnemocraft.files import named, replace_file
from mnemocraft.llm.cache import AnswerCache, reply_from_json
from mnemocraft.llm.toolformat import normal
from mnemocraft.llm.types import Reply, Request
from mnemocraft.paths import DATA

RECORDINGS = DATA / "recordings"
SUFFIX = ".jsonl.gz"
VERSION = 3
"""2 had every request whole, and is still read. 1 had the keys of the tools' schemas sorted, so that nobody
could ask the same again."""
LONGEST_LINE = 4_000_000
"""Characters of an answer with its request."""
MOST_CHARACTERS = 1_000_000_000
"""Of a whole recording, unpacked."""
MOST_MESSAGES = 10_000
"""Of a request: a few characters of a recording can stand for all that the request before has."""
Json = dict[str, Any]


def export_recording(cache_path: str | Path, out_path: str | Path, model: str | None = None) -> int:
    """Write one model's answers from a cache to a recording.

    The file is gzipped JSON lines: a header (format, version, model, created_by, count), then one line
    per answer with ``key``, ``same``, ``request`` and ``reply``, in order of the request's text, so that
    what is said in one conversation stands together. Of its messages the first ``same`` are those of the
    request before; they are left out, and so are fields that are as there. The same answers give the same
    bytes; nothing in it but requests and replies.

    Args:
        cache_path: the answer cache.
        out_path: the recording to write, by custom ``*.jsonl.gz``.
        model: which model's answers; may be left out when the cache holds only one.

    Returns:
        The number of answers written.

    Raises:
        MnemocraftError: no cache, no such model in it, or several models and none named.
    """
    if not Path(cache_path).expanduser().exists():
        raise MnemocraftError(f"There is no answer cache at {cache_path}.")
    cache = AnswerCache(cache_path)
    try:
        model = _choose(cache.models(), model, cache.path)
        lines = list(_written(cache.rows(model)))
    finally:
        cache.close()
    header = {
        "format": "mnemocraft-recording",
        "version": VERSION,
        "model": model,
        "created_by": f"mnemocraft {__version__}",
        "count": len(lines),
    }
    text = "\n".join((json.dumps(header, ensure_ascii=False), *lines, ""))
    content = gzip.compress(text.encode(), mtime=0)  # bytes that hang on the text alone
    replace_file(Path(out_path).expanduser(), content)
    return len(lines)


def _written(rows: Iterator[tuple[str, Json, str]]) -> Iterator[str]:
    """Lines of answers: key, request and reply."""
    before: dict[str, str] = {}
    said: list[str] = []
    for key, request, reply in rows:
        asked = [_json(message) for message in request["messages"]]
        same = _prefix(asked, said)
        names = dict.fromkeys((*request, *before))
        messages = f"[{','.join(asked)}]"
        fields = {name: messages if name == "messages" else _json(request.get(name)) for name in names}
        new = {name: value for name, value in fields.items() if before.get(name) != value}
        new["messages"] = f"[{','.join(asked[same:])}]"
        written = ",".join(f'"{name}":{value}' for name, value in new.items())
        yield f'{{"key":"{key}","same":{same},"request":{{{written}}},"reply":{reply}}}'
        before, said = fields, asked


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _choose(models: list[str], model: str | None, path: Path) -> str:
    if model is None and len(models) == 1:
        return models[0]
    if model in models:
        return str(model)
    wanted = "choose one with model=" if model is None else f"not '{model}'"
    raise MnemocraftError(f"The cache {path} has answers of {', '.join(models) or 'no model'}; {wanted}.")


def import_recording(path: str | Path, cache_path: str | Path) -> int:
    """Put every answer of a recording into a cache (answers already there stay).

    Returns:
        The number of answers read.

    Raises:
        MnemocraftError: the file is not a recording, or a request does not match its key.
    """
    source = find_recording(str(path))
    header, entries = read_recording(source)
    cache = AnswerCache(cache_path)
    try:
        for count, entry in enumerate(entries, 1):
            request = Request(**entry["request"])
            if request.key() != entry["key"]:
                raise MnemocraftError(f"{source}: the request of answer {count} does not match its key.")
            cache.put(request, reply_from_json(entry["reply"]), entry["key"])
    finally:
        cache.close()
    return int(header["count"])


def find_recording(name: str) -> Path:
    """The file of a recording: a path, or the name of one in ``data/recordings``."""
    for text in (name, str(RECORDINGS / name), str(RECORDINGS / f"{name}{SUFFIX}")):
        if (path := named(text)) is not None:
            return path
    known = sorted(path.name.removesuffix(SUFFIX) for path in RECORDINGS.glob(f"*{SUFFIX}"))
    raise MnemocraftError(
        f"There is no recording '{name}': give a path, or one of these: {', '.join(known) or '(none)'}."
    )


def read_recording(path: Path) -> tuple[Json, Iterator[Json]]:
    """Header and entries of a recording, the entries read one at a time.

    Raises:
        MnemocraftError: the file is not a recording of version 2 or 3, or is cut or damaged.
    """
    lines = _lines(path)
    header = next(lines, None)
    if (
        not isinstance(header, dict)
        or header.get("format") != "mnemocraft-recording"
        or header.get("version") not in (2, VERSION)
        or not isinstance(header.get("model"), str)
        or type(header.get("count")) is not int
    ):
        raise MnemocraftError(f"{path} is not a recording of version 2 or {VERSION}.")
    entries = lines if header["version"] == 2 else _whole(lines)
    return header, _counted(entries, header["count"], path)


def _lines(path: Path) -> Iterator[Any]:
    left = MOST_CHARACTERS
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            while line := file.readline(LONGEST_LINE + 1):
                left -= len(line)
                if len(line) > LONGEST_LINE or left < 0:  # a small file may unpack to any size
                    raise MnemocraftError(
                        f"The recording {path} is too long: {LONGEST_LINE:,} characters a line and "
                        f"{MOST_CHARACTERS:,} in all are allowed."
                    )
                yield read_json(line)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise MnemocraftError(f"The recording {path} cannot be read: {error}.") from None


def _whole(lines: Iterator[Any]) -> Iterator[Any]:
    """Entries with all that their requests have; one that is damaged stays so."""
    before: Json = {"messages": []}
    for entry in lines:
        if not isinstance(entry, dict) or not isinstance(request := entry.get("request"), dict):
            yield entry
            continue
        same, new = entry.pop("same", None), request.get("messages")
        if type(same) is not int or not 0 <= same <= len(before["messages"]) or not isinstance(new, list):
            yield {**entry, "request": None}
            continue
        before = {**before, **request, "messages": before["messages"][:same] + new}
        yield {**entry, "request": before}


def _counted(lines: Iterator[Any], count: int, path: Path) -> Iterator[Json]:
    read = 0
    for read, entry in enumerate(lines, 1):
        if problem := _problem(entry):
            raise MnemocraftError(f"The recording {path} is damaged: answer {read} {problem}.")
        yield entry
    if read != count:
        what = "is cut" if read < count else "has too many"
        raise MnemocraftError(f"The recording {path} {what}: {read} of {count} answers.")


def _problem(entry: Any) -> str:
    """What is wrong with an entry; empty if nothing is."""
    if not isinstance(entry, dict) or not isinstance(entry.get("key"), str):
        return "is no answer"
    request = entry.get("request")
    if not isinstance(request, dict) or request.keys() | {"grammar"} != set(Request.__slots__):
        return "has no request"
    messages = request["messages"]
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        return "has a request without messages"
    if len(messages) > MOST_MESSAGES:
        return f"has more than {MOST_MESSAGES:,} messages"
    try:
        reply_from_json(entry.get("reply"))
    except ValueError as error:
        return f"has a reply that is none ({error})"
    return ""


@lru_cache(maxsize=2)
def _replies(path: Path, modified: int) -> tuple[str, dict[str, str]]:
    """Model name and reply JSON by key; kept, because every stream of a run opens the same recording."""
    header, entries = read_recording(path)
    return header["model"], {entry["key"]: json.dumps(entry["reply"]) for entry in entries}


class Replay:
    """A backend that answers only from a recording: no key, no network.

    Args:
        recording: a path, or the name of a recording in ``data/recordings``.
    """

    cpu_bound = True

    def __init__(self, recording: str) -> None:
        self._path = find_recording(recording)
        self.name, self._answers = _replies(self._path, self._path.stat().st_mtime_ns)

    async def generate(self, request: Request) -> Reply:
        """The recorded reply.

        Raises:
            ReplayMiss: the request was not recorded; the message names what differs from the nearest.
            RequestTooLong: it was too long when it was recorded.
            ModelError: it failed when it was recorded.
        """
        request = normal(request)
        answer = self._answers.get(request.key())
        if answer is None:
            _, entries = read_recording(self._path)
            asked = json.loads(request.canonical())
            raise ReplayMiss(f"This request is not in {self._path.name}. {explain_miss(asked, entries)}")
        reply = reply_from_json(json.loads(answer))
        if isinstance(reply, ModelError):
            raise reply
        return reply

    async def aclose(self) -> None:
        """Nothing to release."""


def explain_miss(asked: Json, entries: Iterator[Json]) -> str:
    """One sentence on how the nearest recorded request differs.

    Nearest: the same messages; else the longest run of equal leading messages, then the most equal
    leading characters in the first message that differs; among these the fewest other differences.
    """
    nearest = max((entry["request"] for entry in entries), key=lambda r: _nearness(r, asked), default=None)
    if nearest is None:
        return "The recording is empty."
    differences = [
        _difference(f, nearest.get(f), asked.get(f))
        for f in dict.fromkeys([*asked, *nearest])
        if not _equal(nearest.get(f), asked.get(f))
    ]
    return f"The nearest recorded request differs in {'; '.join(differences)}."


def _nearness(recorded: Json, asked: Json) -> tuple[bool, int, int, int]:
    ours, theirs = asked["messages"], recorded["messages"]
    equal = _prefix(theirs, ours)
    characters = 0
    if equal < min(len(ours), len(theirs)):
        characters = _prefix(str(theirs[equal].get("content")), str(ours[equal].get("content")))
    others = sum(recorded.get(name) != asked[name] for name in asked)
    return ours == theirs, equal, characters, -others


def _prefix(a: Any, b: Any) -> int:
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def _equal(recorded: Any, asked: Any) -> bool:
    """Whether two JSON values are the same to a model, which sees the order of keys."""
    return json.dumps(recorded) == json.dumps(asked)


def _difference(path: str, recorded: Any, asked: Any) -> str:
    """Where two JSON values first differ, as ``messages[3].content differs at character 17: ...``."""
    if recorded == asked:
        return f"{path} (the same, but its keys are in another order)"
    if isinstance(recorded, dict) and isinstance(asked, dict):
        keys = sorted({*recorded, *asked})
        key = next(k for k in keys if recorded.get(k, ...) != asked.get(k, ...))  # null is not nothing
        if key not in recorded or key not in asked:
            return f"{path}.{key} ({'recorded' if key in recorded else 'asked'} only)"
        return _difference(f"{path}.{key}", recorded[key], asked[key])
    if isinstance(recorded, list) and isinstance(asked, list):
        equal = _prefix(recorded, asked)
        if equal < min(len(recorded), len(asked)):
            return _difference(f"{path}[{equal}]", recorded[equal], asked[equal])
        return f"{path} ({len(recorded)} recorded, {len(asked)} asked; the first {equal} are equal)"
    if isinstance(recorded, str) and isinstance(asked, str) and max(len(recorded), len(asked)) > 40:
        at = _prefix(recorded, asked)
        shown = slice(max(0, at - 10), at + 30)
        return f"{path} at character {at} ({recorded[shown]!r} recorded, {asked[shown]!r} asked)"
    return f"{path} ({json.dumps(recorded)} recorded, {json.dumps(asked)} asked)"
