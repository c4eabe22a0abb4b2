"""A run of a million episodes: time and memory to write its records, read them, and find nothing missing.

    python benchmarks/bench_scale.py [--episodes 1000000] [--workers 2] [--save]

Records are of the size that notebook 01 makes (about 1,000 bytes and a trajectory of 200); the agent decides
nothing, so that only the keeping is measured. A fiftieth is played; the other streams' files are made of
those, with the names and checksums of their own. Each step has a process of its own; memory is its largest
resident size. Where pyarrow is installed, the table is written to and read from Parquet for comparison: that
is without the checks of a rerun, which reads every byte of records and trajectories.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd

from mnemocraft.runs import Condition, Episode, ModelSpec, Stream, Study, load_records, run_study
from mnemocraft.runs.identity import identify
from mnemocraft.runs.store import read_lines, sealed, stream_path, trajectory_path

LENGTH = 1000
"""Episodes of a stream."""


class Nobody:
    """Is asked nothing."""

    name, cpu_bound = "nobody", True

    async def aclose(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True)
class NobodySpec(ModelSpec):
    """Opens :class:`Nobody`."""

    name: str = "nobody"

    def open(self) -> Any:
        return Nobody()


class Dice:
    """Plays episodes that a die decides; a third of them leave something in the memory."""

    def __init__(self, stream: Stream, model: Any) -> None:
        self.seed = stream.seed

    async def episode(self, task: str) -> Episode:
        dice = Random(f"{self.seed} {task}")
        metrics: dict[str, int | float | str] = {f"metric_{n:02d}": dice.randint(0, 30) for n in range(12)}
        metrics |= {"target": task[-2:], "difficulty": "easy"}
        tokens = {"actor": {"prompt": dice.randint(500, 3000), "completion": 40, "calls": 2, "cached": 0}}
        events = [{"type": "note", "name": "said", "text": f"{dice.random()}"} for _ in range(9)]
        delta = [task, "what was learned " * 4] if dice.random() < 1 / 3 else None
        return Episode(dice.random() < 0.5, "success", 5, metrics, tokens, events, delta)

    def restore(self, deltas: Sequence[Any]) -> None:
        """Nothing is remembered."""


def study(episodes: int) -> Study:
    """Streams of :data:`LENGTH` episodes."""
    settings = {"setup": "how2", "teacher": "executable", "split": "low", "variant": "main", "max_steps": 30}
    tasks = tuple(f"VAL{number:04d}" for number in range(LENGTH))
    condition = Condition("how2/executable/low/main", settings)
    streams = tuple(Stream(condition, seed, tasks) for seed in range(episodes // LENGTH))
    return Study("bench_scale", streams, Dice, {"code": "1"})


def play(out: Path, episodes: int, workers: int) -> int:
    """Play what is missing."""
    return len(run_study(study(episodes), NobodySpec(), out=out, workers=workers, progress=False))


def begin(out: Path, episodes: int, workers: int) -> int:
    """Play a fiftieth, at least a stream."""
    play(out, max(episodes // 50 // LENGTH, 1) * LENGTH, workers)
    return episodes


def copy(out: Path, episodes: int, workers: int) -> int:
    """Write the other streams' files, of the records and trajectories of those that were played."""
    whole = study(episodes)
    names = [identify(whole, stream, NobodySpec()) for stream in whole.streams]
    played = [name for name in names if stream_path(out, name.stem).exists()]
    for number, (stream, name) in enumerate(zip(whole.streams, names, strict=True)):
        if name in played:
            continue
        source = played[number % len(played)].stem
        lines = []
        for (_, record), identity in zip(read_lines(stream_path(out, source)), name.episodes, strict=True):
            assert record
            lines.append(sealed(record | {"stream": name.stem, "seed": stream.seed, "identity": identity}))
        stream_path(out, name.stem).write_bytes(b"".join(lines))
        shutil.copyfile(trajectory_path(out, source), trajectory_path(out, name.stem))
    return episodes


def load(out: Path, episodes: int, workers: int) -> int:
    """Read the table."""
    return len(load_records(out))


def lose(out: Path, episodes: int, workers: int) -> int:
    """Lose the last record of every tenth stream, as a kill does."""
    for path in sorted(out.glob("streams/*.jsonl"))[::10]:
        content = path.read_bytes()
        path.write_bytes(content[: content.rindex(b"\n", 0, -1) + 9])
    return episodes


def to_parquet(out: Path, episodes: int, workers: int) -> int:
    """Write the table to Parquet."""
    load_records(out).to_parquet(out / "records.parquet")
    return episodes


def from_parquet(out: Path, episodes: int, workers: int) -> int:
    """Read it from there."""
    return len(pd.read_parquet(out / "records.parquet"))


STEPS: dict[str, Callable[[Path, int, int], int]] = {
    "play 1 episode in 50": begin,
    "(write the other files)": copy,
    "rerun, nothing missing": play,
    "load the table": load,
    "(lose 1 record in 10,000)": lose,
    "rerun, these missing": play,
    "load, write Parquet": to_parquet,
    "load Parquet": from_parquet,
}


def step(name: str, out: Path, episodes: int, workers: int) -> dict[str, float]:
    """Wall and processor seconds, and memory in MB, of a step in this process."""
    started = time.perf_counter()
    assert STEPS[name](out, episodes, workers) == episodes
    used = resource.getrusage(resource.RUSAGE_SELF)
    wall_s = time.perf_counter() - started
    return {"s": wall_s, "cpu_s": used.ru_utime + used.ru_stime, "memory_mb": used.ru_maxrss / 1024}


def main() -> None:
    """Measure, print, and save if asked."""
    parser = argparse.ArgumentParser(description="Keeping a million episodes.")
    parser.add_argument("--episodes", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/scale.json")
    arguments = parser.parse_args()
    out, rows = Path(tempfile.mkdtemp(prefix="bench_scale-")), {}
    try:
        for name in STEPS:
            if "Parquet" in name and not find_spec("pyarrow"):
                continue
            with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
                rows[name] = pool.submit(step, name, out, arguments.episodes, arguments.workers).result()
            print(f"{name:<28}" + "  ".join(f"{key} {value:,.1f}" for key, value in rows[name].items()))
        size = {
            kind: sum(p.stat().st_size for p in (out / kind).iterdir())
            for kind in ("streams", "trajectories")
        }
    finally:
        shutil.rmtree(out)
    print({kind: f"{value / 1e6:,.0f} MB" for kind, value in size.items()})
    if arguments.save:
        path = Path(__file__).parent / "results" / "scale.json"
        path.write_text(
            json.dumps({"episodes": arguments.episodes, "steps": rows, "bytes": size}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
