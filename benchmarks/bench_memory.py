"""How fast experiences are found and stored, how many of the nearest are found, and what kills leave behind.

    PYTHONPATH=lib python -m benchmarks.bench_memory [--entries 100000 1000000] [--peers] [--save]

The vectors are drawn with mean and covariance of all-MiniLM-L6-v2's for invented inventories, goals and
plans; state, task and plan independently, which is harder than real entries, as no two are alike. Where tasks
are ``repeated``, entries and queries have one of 1,000 each, as in a memory that is in use. Queries are drawn
in the same way and their vectors are at hand; what it takes to encode a text is told apart. A million
entries take 6 GB in a temporary folder.

``--peers`` measures other engines on the same vectors, each if it is installed: ``pip install --target DIR
lancedb qdrant-client chromadb`` and ``PYTHONPATH=lib:DIR``.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.memory_peers import compared
from mnemocraft.encoders import get_encoder
from mnemocraft.envs.minecraft import rules
from mnemocraft.memory import Experience, ExperienceMemory

PARTS, K, QUERIES, BATCH = ("state", "task", "plan"), 5, 200, 1000
ROOTS = np.sqrt(np.array([0.4, 0.4, 0.2], np.float32))[:, None]


class Drawn:
    """Hands out vectors that were drawn before, by text."""

    name = "drawn"

    def __init__(self, texts: int = 1000) -> None:
        draw, items = random.Random(0), sorted(rules("1.16.5").items)
        made: dict[str, Callable[[], str]] = {
            "state": lambda: "Inventory: " + ", ".join(draw.sample(items, draw.randint(1, 8))),
            "task": lambda: f"obtain {draw.randint(1, 9)} {draw.choice(items)}",
            "plan": lambda: "; ".join(
                f"craft {draw.randint(1, 9)} {item}" for item in draw.sample(items, draw.randint(1, 9))
            ),
        }
        started = time.perf_counter()
        real = {part: get_encoder("minilm").encode([made[part]() for _ in range(texts)]) for part in PARTS}
        self.encode_ms = (time.perf_counter() - started) / texts / len(PARTS) * 1e3
        self.spread = [
            (v.mean(0).astype("f4"), np.linalg.cholesky(np.cov(v.T) + 1e-7 * np.eye(384)).astype("f4"))
            for v in real.values()
        ]
        self.known: dict[str, np.ndarray] = {}

    def draw(self, seed: int, count: int, repeated: bool = False) -> np.ndarray:
        """Unit vectors of shape (count, 3, 384)."""
        lot = np.random.default_rng(seed)
        normal = [lot.standard_normal((count, 384), np.float32) for _ in PARTS]
        if repeated:
            tasks = np.random.default_rng(7).standard_normal((1000, 384), np.float32)
            normal[1] = tasks[lot.integers(1000, size=count)]
        drawn = [n @ root.T + mean for n, (mean, root) in zip(normal, self.spread, strict=True)]
        return np.stack([v / np.linalg.norm(v, axis=1, keepdims=True) for v in drawn], axis=1)

    def experiences(self, seed: int, count: int, repeated: bool = False) -> list[Experience]:
        """Entries whose vectors are known from now on, and those before no more."""
        vectors = self.draw(seed, count, repeated)
        self.known = {
            f"{part} {seed} {n}": vectors[n, i] for n in range(count) for i, part in enumerate(PARTS)
        }
        words = ([f"{part} {seed} {n}" for part in PARTS] for n in range(count))
        return [Experience(state, task, plan, "done", True) for state, task, plan in words]

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self.known[text] for text in texts])


def p50(calls: Sequence[Callable[[], Any]]) -> tuple[float, float]:
    """Milliseconds of the median call by the clock, and of this thread's processor alone (a busy machine)."""
    took = []
    for call in calls:
        clock, processor = time.perf_counter(), time.thread_time()
        call()
        took.append((time.perf_counter() - clock, time.thread_time() - processor))
    clock, processor = (statistics.median(column) * 1e3 for column in zip(*took, strict=True))
    return round(clock, 3), round(processor, 3)


def searched(drawn: Drawn, entries: int, folder: Path, exact_up_to: int, repeated: bool) -> dict[str, Any]:
    """Fill a file, index it, open it anew, and ask."""
    path = folder / "memory.db"
    memory, took = ExperienceMemory(drawn, path=path, exact_up_to=exact_up_to), 0.0
    asked = drawn.draw(10**6, QUERIES, repeated)
    best = [np.full((QUERIES, K), -np.inf), np.full((QUERIES, K), -np.inf)]
    names = [np.zeros((QUERIES, K), np.int64), np.zeros((QUERIES, K), np.int64)]
    queries = [(asked[:, :2] * ROOTS[:2]).reshape(QUERIES, -1), (asked * ROOTS).reshape(QUERIES, -1)]
    for seed in range(entries // BATCH):
        batch = drawn.experiences(seed, BATCH, repeated)
        started = time.perf_counter()
        memory.add_many(batch)
        took += time.perf_counter() - started
        stored = (
            np.stack([drawn.known[getattr(one, part)] for one in batch for part in PARTS]).reshape(-1, 3, 384)
            * ROOTS
        ).reshape(BATCH, -1)
        for i, query in enumerate(queries):
            scores = np.hstack([best[i], query @ stored[:, : query.shape[1]].T])
            ids = np.hstack([names[i], np.tile(np.arange(BATCH) + seed * BATCH, (QUERIES, 1))])
            order = np.argsort(-scores, axis=1)[:, :K]
            best[i], names[i] = np.take_along_axis(scores, order, 1), np.take_along_axis(ids, order, 1)
    drawn.known = {f"{part} q {n}": asked[n, i] for n in range(QUERIES) for i, part in enumerate(PARTS)}
    started = time.perf_counter()
    memory.nearest("state q 0", "task q 0")
    indexed = time.perf_counter() - started
    memory.close()
    started = time.perf_counter()
    memory = ExperienceMemory(drawn, path=path, exact_up_to=exact_up_to)
    memory.nearest("state q 0", "task q 0")
    row: dict[str, Any] = {
        "entries": entries,
        "tasks": "1,000 repeated" if repeated else "all different",
        "index": "flat" if exact_up_to >= entries else "codes",
        "batched_durable_writes_per_s": round(entries / took),
        "index_built_s": round(indexed, 1),
        "opened_with_first_query_s": round(time.perf_counter() - started, 2),
        "file_mb": round(path.stat().st_size / 1e6),
        "index_file_mb": round(sum(f.stat().st_size for f in folder.glob("*.faiss")) / 1e6),
    }
    for i, name in enumerate(("equation 2", "equation 3")):
        cues = [(f"state q {n}", f"task q {n}", f"plan q {n}" if i else None) for n in range(QUERIES)]
        clock, processor = p50([partial(memory.nearest, *cue, k=K) for cue in cues])
        row |= {f"p50_ms, {name}": clock, f"p50_processor_ms, {name}": processor}
        hits = 0
        for n, cue in enumerate(cues):
            found = {one.state for _, one in memory.nearest(*cue, k=K)}
            hits += len(found & {f"state {name // BATCH} {name % BATCH}" for name in names[i][n]})
        row[f"recall@5, {name}"] = round(hits / QUERIES / K, 4)
    memory.close()
    return row


def single_writes(drawn: Drawn, folder: Path) -> float:
    """Milliseconds of the median durable write of one entry."""
    memory, batch = ExperienceMemory(drawn, path=folder / "single.db"), drawn.experiences(0, 300)
    return p50([partial(memory.add_many, [one]) for one in batch])[0]


class Plain:
    """Vectors without meaning."""

    name = "plain"

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([[1.0, len(text)] for text in texts], np.float32)


def write(path: Path, who: str, told: Path) -> None:
    """Entries with keys until killed; what is committed is told to a file afterwards."""
    memory, number = ExperienceMemory(Plain(), path=path), 0
    with told.open("a") as log:
        while True:
            keys = [f"{who} {number + n}" for n in range(3)]
            memory.add_many([Experience(key, "task", key, "x" * 5000, True) for key in keys], keys)
            log.write("\n".join(keys) + "\n")
            log.flush()
            number += 3


def killed(folder: Path, rounds: int) -> dict[str, int]:
    """Two writers, killed at random in every round and begun again from their first entry."""
    path, draw, start = folder / "killed.db", random.Random(0), multiprocessing.get_context("fork")
    for number in range(rounds):
        writers = [
            start.Process(target=write, args=(path, who, folder / f"{who}{number}.told")) for who in "ab"
        ]
        for writer in writers:
            writer.start()
        for writer in writers:
            time.sleep(0.05 + 0.1 * draw.random())
            os.kill(writer.pid or 0, signal.SIGKILL)
            writer.join()
    memory = ExperienceMemory(Plain(), path=path)
    finished = {key for file in folder.glob("*.told") for key in file.read_text().split("\n")[:-1]}
    found = list(memory.log.entries())
    plans = {one.plan for one in found}
    whole = memory.log.log.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)  # type: ignore[attr-defined]
    return {
        "kills": 2 * rounds,
        "finished": len(finished),
        "lost": len(finished - plans),
        "doubled": len(found) - len(plans),
        "torn": sum(one.state != one.plan or len(one.outcome) != 5000 for one in found) + (not whole),
    }


def main() -> None:
    """Measure, print, and save if asked."""
    parser = argparse.ArgumentParser(description="Experiences found and stored.")
    parser.add_argument("--entries", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--peers", action="store_true", help="other engines too, at the first size")
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/memory.json")
    arguments = parser.parse_args()
    drawn, result = Drawn(), dict[str, Any](memory=[])
    result["encoding_a_text_ms"] = round(drawn.encode_ms, 2)
    with tempfile.TemporaryDirectory() as folder:
        result["kills of two writers"] = killed(Path(folder), 25)
        result["single_durable_write_p50_ms"] = single_writes(drawn, Path(folder))
    for entries in arguments.entries:
        for repeated in (False, True):
            for exact_up_to in [100_000, 0] if entries <= 100_000 else [100_000]:
                with tempfile.TemporaryDirectory() as folder:
                    row = searched(drawn, entries, Path(folder), exact_up_to, repeated)
                result["memory"].append(row)
                print(row, flush=True)
    if arguments.peers:
        stored = np.concatenate([drawn.draw(n, BATCH) for n in range(arguments.entries[0] // BATCH)])
        asked = drawn.draw(10**6, QUERIES)
        vectors, queries = ((v * ROOTS).reshape(len(v), -1) for v in (stored, asked))
        with tempfile.TemporaryDirectory() as folder:
            result["other engines, equation 3, tasks all different"] = compared(
                vectors, queries, K, Path(folder)
            )
    print(json.dumps(result, indent=1))
    if arguments.save:
        path = Path(__file__).parent / "results" / "memory.json"
        path.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
