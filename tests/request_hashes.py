"""What the studies' agents send: the SHA-256 of every request of a fixed set of episodes.

``python tests/request_hashes.py`` writes ``golden/requests.jsonl.gz`` anew; do that only if a prompt, its
layout or its sampling was changed on purpose. The order of properties counts (a model's grammar follows it),
so a request is hashed as it is sent, not in its sorted form.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from mnemocraft.llm import Model, get_model
from mnemocraft.llm.types import Reply, Request
from mnemocraft.runs import Stream, Study
from mnemocraft.studies.deps import sweep as deps
from mnemocraft.studies.deps.selectors import sweep as selectors
from mnemocraft.studies.gig import sweep as gig
from mnemocraft.studies.how2 import sweep as how2
from mnemocraft.studies.how2.load import SPLITS

FILE = Path(__file__).parent / "golden" / "requests.jsonl.gz"
DIGITS = 16
"""Hexadecimal digits that are kept of a hash."""
TEXT_TASKS = (
    "wooden_door", "stone_pickaxe", "cooked_beef", "leather_helmet", "shears", "rail",
)  # fmt: skip
SMALL_TASKS = 12
"""Tasks of a stream that the small model played when the expectation was made."""
OVERWORLD_TASKS = ("planks", "wooden_door", "stone_pickaxe")
Key = tuple[str, str, str, int, int]
"""Part, model, condition, seed and place in the stream."""


class Recorder:
    """A backend that hashes every request before another one answers it."""

    def __init__(self, name: str) -> None:
        self._model = get_model(name)
        self.name, self.cpu_bound = name, True
        self.hashes: list[str] = []

    async def generate(self, request: Request) -> Reply:
        """The answer of the model behind it."""
        sent = {item.name: getattr(request, item.name) for item in fields(request)}
        if not sent["grammar"]:  # the expectation is older than grammars
            del sent["grammar"]
        text = json.dumps(sent, ensure_ascii=False, separators=(",", ":"))
        self.hashes.append(hashlib.sha256(text.encode()).hexdigest()[:DIGITS])
        return await self._model.complete(**{k: v for k, v in sent.items() if k != "model"})

    async def aclose(self) -> None:
        """Nothing is open."""


def parts() -> Iterator[tuple[str, str, Study, tuple[int, ...]]]:
    """Name, model, study (all conditions), and the places of the tasks that are played of each stream."""
    yield "01", "surrogate", how2.study("quick", [0]), (0, 1, 2)
    small = how2.small("smoke", SPLITS)
    few = [how2.stream(stream.condition, 0, SMALL_TASKS) for stream in small.streams]
    yield "01 small", "surrogate:knowledge=0.2,attention=0.7", _of(small, few), (0, 1)
    everything = range(76)
    for world, keys, methods in (("text", TEXT_TASKS, None), ("overworld", OVERWORLD_TASKS, ("gpt", "deps"))):
        study = deps.study("full", [0], world)
        assert study is not None
        streams = [
            stream
            for stream in study.streams
            if stream.seed == 0 and (methods is None or stream.condition.settings["method"] in methods)
        ]
        places = tuple(n for n in everything if streams[0].tasks[n] in keys)
        yield f"03 {world}", "surrogate", _of(study, streams), places
        if world == "text":
            yield f"03 {world}", "surrogate:knowledge=0.9,slip=0.2", _of(study, streams), places
    yield "04", "surrogate", selectors.study("smoke", [100], ["sighted"]), (0, 2)
    learned = deps.study("full", [0], "learned")
    assert learned is not None
    yield "03 learned", "surrogate", _of(learned, [s for s in learned.streams if s.seed == 0][-1:]), (1,)
    for part in ("main", "weak", "star"):
        model = "surrogate:knowledge=0.5" if part == "weak" else "surrogate"
        yield f"09 {part}", model, gig.study("quick", [42], part), (0, 3)


def _of(study: Study, streams: list[Stream]) -> Study:
    return Study(study.name, tuple(streams), study.start, study.fingerprint)


def played() -> Iterator[tuple[Key, dict[str, Any]]]:
    """Every episode: what it sent, and how it went."""
    for part, name, study, places in parts():
        for stream in study.streams:
            recorder = Recorder(name)
            runner = study.start(stream, Model(name, recorder))
            for place in places:
                recorder.hashes.clear()
                episode = asyncio.run(runner.episode(stream.tasks[place]))
                found = {"success": episode.success, "reason": episode.reason, "steps": episode.steps}
                found |= {"metrics": episode.metrics, "tokens": episode.tokens}
                key = (part, name, stream.condition.id, stream.seed, place)
                yield key, found | {"requests": list(recorder.hashes)}


def recorded() -> dict[Key, dict[str, Any]]:
    """The same as it was."""
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        return {tuple(key): found for key, found in map(json.loads, lines)}


def write() -> None:
    """Make the file anew."""
    lines = [json.dumps([key, found], separators=(",", ":")) + "\n" for key, found in played()]
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
    print(f"{len(lines)} episodes, {FILE.stat().st_size / 1e3:.0f} kB: {FILE}", file=sys.stderr)


if __name__ == "__main__":
    write()
