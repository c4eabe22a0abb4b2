"""What the model layer itself costs: a cached call, and throughput against a slow server.

Run ``python benchmarks/bench_llm.py``. The server answers after 200 ms from a process of its own; ideal
throughput is ``concurrency / latency``. Calls come from as many workers as there are slots, one call
after the other, as the streams of a run make them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mnemocraft.llm import Model, get_model
from mnemocraft.paths import ROOT

LATENCY_S = 0.2
CONCURRENCY = 64
CONVERSATION = [
    {"role": "system", "content": "You craft items in a small world. " * 100},
    *(
        {"role": "user", "content": f"Step {i}: inventory of oak_log, stick and planks. " * 8}
        for i in range(6)
    ),
]


def conversation(tag: str) -> list[dict[str, str]]:
    """About 6 kB, the size of a step in the middle of an episode; ``tag`` makes it unique."""
    return [*CONVERSATION, {"role": "user", "content": tag}]


async def cached_call_ms(url: str, folder: Path, calls: int = 300) -> float:
    """Median milliseconds of a call answered by the cache."""
    model = get_model("bench", base_url=url, api_key="none", cache=folder / "answers.sqlite")
    requests = [conversation(f"cached {i}") for i in range(32)]
    await asyncio.gather(*(model.complete(messages) for messages in requests))
    times = []
    for i in range(calls):
        start = time.perf_counter()
        await model.complete(requests[i % len(requests)])
        times.append(time.perf_counter() - start)
    assert model.usage.cached == calls
    await model.aclose()
    return 1e3 * statistics.median(times)


async def throughput_share(url: str, folder: Path, rounds: int, cache: bool) -> tuple[float, float]:
    """Share of the ideal throughput, and processor milliseconds per call."""
    path = folder / "throughput.sqlite" if cache else None
    model = get_model("bench", base_url=url, api_key="none", max_concurrency=CONCURRENCY, cache=path)
    await _workers(model, 1, "warm")
    start, processor = time.perf_counter(), time.process_time()
    await _workers(model, rounds, "timed")
    seconds, processor = time.perf_counter() - start, time.process_time() - processor
    await model.aclose()
    return rounds * LATENCY_S / seconds, 1e3 * processor / (rounds * CONCURRENCY)


async def _workers(model: Model, rounds: int, tag: str) -> None:
    async def worker(index: int) -> None:
        for i in range(rounds):
            await model.complete(conversation(f"{tag} {index} {i}"))

    await asyncio.gather(*(worker(index) for index in range(CONCURRENCY)))


def measure(rounds: int) -> dict[str, float]:
    """All figures, by name."""
    server = subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / "fake_server.py"), "--latency", str(LATENCY_S)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            cached = asyncio.run(cached_call_ms(url, folder))
            share, cpu = asyncio.run(throughput_share(url, folder, rounds, cache=False))
            share_cache, cpu_cache = asyncio.run(throughput_share(url, folder, rounds, cache=True))
    finally:
        server.kill()
        server.wait()
    return {
        "cached_call_p50_ms": cached,
        "throughput_share_of_ideal": share,
        "cpu_ms_per_call": cpu,
        "throughput_share_of_ideal_filling_cache": share_cache,
        "cpu_ms_per_call_filling_cache": cpu_cache,
    }


def main() -> None:
    """Print the table; with ``--save`` keep it too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50, help="timed calls per worker")
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/llm.json")
    options = parser.parse_args()
    figures = measure(options.rounds)
    for name, value in figures.items():
        print(f"{name:45s} {value:8.3f}")
    if options.save:
        path = ROOT / "benchmarks" / "results" / "llm.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
