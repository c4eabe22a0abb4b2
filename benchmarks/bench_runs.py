"""How fast the orchestration alone is: one-call episodes per second with a model that answers at once.

    python benchmarks/bench_runs.py [--episodes 6000] [--save]

Each episode is one model call and a trajectory of about 2 kB; the wall time of ``run_study`` counts whole:
start of the workers, records, trajectories, reading back. The figures of Inspect AI (0.3.285, a callable
mock model, samples of one call, a busy machine with two cores) are recorded from our own earlier
measurement and are not measured again here.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mnemocraft.llm.types import Reply, TokenLedger, Usage
from mnemocraft.runs import Condition, Episode, ModelSpec, Stream, Study, run_study

RECORDED = {"Inspect AI, as it comes (recorded)": "15-31", "Inspect AI, sample logs off (recorded)": "71"}
PROMPT = "Craft the target item. " * 40
STREAMS = 20


class Instant:
    """Answers at once."""

    name = "instant"

    def __init__(self, cpu_bound: bool) -> None:
        self.cpu_bound = cpu_bound

    async def complete(self, messages: list[dict[str, Any]]) -> Reply:
        return Reply("done", [], Usage(200, 1))

    async def aclose(self) -> None:
        pass


@dataclass(frozen=True)
class InstantSpec(ModelSpec):
    """Opens :class:`Instant`."""

    name: str = "instant"
    cpu_bound: bool = True

    def open(self) -> Any:
        return Instant(self.cpu_bound)


class OneCall:
    """Plays episodes of one call."""

    def __init__(self, stream: Stream, model: Any) -> None:
        self.model = model

    async def episode(self, task: str) -> Episode:
        ledger = TokenLedger()
        messages = [{"role": "system", "content": PROMPT}, {"role": "user", "content": task + PROMPT}]
        reply = await self.model.complete(messages)
        ledger.add("actor", reply)
        trajectory = [*messages, {"role": "assistant", "content": reply.text}]
        return Episode(True, "success", 1, {"calls": 1}, ledger.roles, trajectory, [task, reply.text])

    def restore(self, deltas: Sequence[Any]) -> None:
        """Nothing is remembered."""


def study(episodes: int) -> Study:
    """One condition; ``episodes`` over :data:`STREAMS` streams."""
    tasks = tuple(f"T{number:05d}" for number in range(episodes // STREAMS))
    condition = Condition("one-call", {})
    return Study("bench_runs", tuple(Stream(condition, seed, tasks) for seed in range(STREAMS)), OneCall, {})


def rate(episodes: int, spec: InstantSpec, workers: int) -> float:
    """Episodes per second of a whole run in a fresh folder."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        done = len(run_study(study(episodes), spec, out=Path(folder), workers=workers, progress=False))
        return done / (time.perf_counter() - started)


def bare_rate(episodes: int) -> float:
    """The same episodes played in a bare loop that keeps nothing."""

    async def play() -> None:
        for stream in study(episodes).streams:
            runner = OneCall(stream, Instant(True))
            for task in stream.tasks:
                await runner.episode(task)

    started = time.perf_counter()
    asyncio.run(play())
    return episodes / (time.perf_counter() - started)


def main() -> None:
    """Measure, print, and save if asked."""
    parser = argparse.ArgumentParser(description="Episodes per second of the orchestration alone.")
    parser.add_argument("--episodes", type=int, default=6000)
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/runs.json")
    arguments = parser.parse_args()
    rows = {
        "2 workers (processes)": rate(arguments.episodes, InstantSpec(), 2),
        "1 worker": rate(arguments.episodes, InstantSpec(), 1),
        "endpoint (one event loop)": rate(arguments.episodes, InstantSpec(cpu_bound=False), 1),
        "bare loop, nothing kept": bare_rate(arguments.episodes),
    }
    for name, value in rows.items():
        print(f"{name:<42}{value:>10,.0f} episodes/s")
    for name, text in RECORDED.items():
        print(f"{name:<42}{text:>10} episodes/s")
    if arguments.save:
        path = Path(__file__).parent / "results" / "runs.json"
        path.parent.mkdir(exist_ok=True)
        result = {"episodes": arguments.episodes, "episodes_per_s": rows, "recorded": RECORDED}
        path.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
