"""Runs on dask.distributed: speed by workers, what binds when there are many, and what twenty kills change.

    python benchmarks/bench_cluster.py [--save]

Measured on this machine: episodes per second with one and two workers, the scheduler's tasks per second, the
time that an episode's files and lease take. From these a list schedule (a stream is played by one worker at a
time, longest first) gives the duration with more workers than there are here. Last, a run whose workers are
killed at random moments is compared with a serial one.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import random
import signal
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import distributed

from bench_runs import InstantSpec, OneCall
from bench_runs import study as instant
from mnemocraft.runs import Episode, Study, cluster, load_records, run_study, write_table
from mnemocraft.runs.lease import hold
from mnemocraft.runs.store import StreamFile
from mnemocraft.studies.how2 import sweep

EPISODE_S = 0.0125
"""Notebook 01 with the surrogate: 121,410 episodes took two workers 759 s."""
SERVED_S = 10.0
"""An example of an episode with a served model: five calls of two seconds."""
WORKERS = (1, 2, 10, 100, 1000)


class Paced(OneCall):
    """An episode that takes the processor for as long as one of notebook 01."""

    async def episode(self, task: str) -> Episode:
        ends = time.process_time() + EPISODE_S
        while time.process_time() < ends:
            pass
        return await super().episode(task)


def makespan(lengths: Sequence[int], episode_s: float, workers: int) -> float:
    """Seconds until the last stream ends, longest first, each on the worker that is free first."""
    free = [0.0] * workers
    for length in sorted(lengths, reverse=True):
        heapq.heappush(free, heapq.heappop(free) + length * episode_s)
    return max(free)


def play(study: Study, address: str) -> tuple[float, bytes]:
    """Seconds and table of a run on a cluster, or here where there is no address."""
    os.environ[cluster.SCHEDULER] = address
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        run_study(study, InstantSpec(), out=Path(folder) / "run", workers=1, progress=False)
        return time.perf_counter() - started, _table(Path(folder) / "run")


def _table(out: Path) -> bytes:
    frame = load_records(out).drop(columns=["wall_s", "trajectory_offset", "trajectory_length", "commit"])
    write_table(frame, out / "t.csv")
    return (out / "t.csv").read_bytes()


def dask(workers: int) -> Any:
    """A cluster on this machine whose scheduler forgives deaths."""
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    )


def tasks_per_s() -> float:
    """How many empty jobs a scheduler hands out."""
    with dask(2) as found, distributed.Client(found) as client:
        pool = client.get_executor(pure=False)
        pool.submit(abs, 1).result()
        started = time.perf_counter()
        for future in [pool.submit(abs, number) for number in range(2000)]:
            future.result()
        return 2000 / (time.perf_counter() - started)


def file_s() -> float:
    """Seconds that the lease and the files of an episode take."""
    names = [str(number) for number in range(1000)]
    events = [{"type": "note", "name": "said", "text": "x" * 200}] * 9
    with (
        tempfile.TemporaryDirectory() as folder,
        hold(Path(folder)) as lease,
        StreamFile(Path(folder), "s", names) as file,
    ):
        started = time.perf_counter()
        for index, name in enumerate(names):
            assert not lease.stopped
            lease.check()
            file.append({"identity": name, "index": index, "status": "ok", "memory": None}, events)
        return (time.perf_counter() - started) / len(names)


def survive(kills: int) -> dict[str, Any]:
    """Kill workers at random moments; whether the tables are the same."""
    study = replace(instant(4000), start=Paced)
    dice, killed = random.Random(20), []
    with dask(2) as found:
        address, ended = found.scheduler_address, threading.Event()

        def kill() -> None:
            while len(killed) < kills and not ended.wait(dice.uniform(0.1, 1.5)):
                alive = [nanny.pid for nanny in found.workers.values() if nanny.pid]
                if len(found.scheduler.workers) == 2:  # a nanny gives up a worker that dies while it starts
                    killed.append(dice.choice(alive))
                    os.kill(killed[-1], signal.SIGKILL)

        thread = threading.Thread(target=kill)
        thread.start()
        seconds, table = play(study, address)
        ended.set()
        thread.join()
    return {"kills": len(killed), "s": seconds, "same_table": table == play(study, "")[1]}


def main() -> None:
    """Measure, print, and save if asked."""
    parser = argparse.ArgumentParser(description="Runs on a cluster.")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/cluster.json")
    arguments = parser.parse_args()
    study = replace(instant(600), start=Paced)
    seconds = {}
    for workers in (1, 2):
        with dask(workers) as found:
            seconds[workers] = play(study, found.scheduler_address)[0]
            print(f"{workers} workers: {seconds[workers]:.1f} s", flush=True)
    lengths = [len(stream.tasks) for stream in sweep.study("full", [0, 1, 2]).streams]
    result = {
        "measured_s_of_600_episodes": seconds,
        "scheduler_tasks_per_s": tasks_per_s(),
        "files_of_an_episode_ms": 1000 * file_s(),
        "streams": len(lengths),
        "episodes": sum(lengths),
        "simulated_h": {
            f"{episode_s} s an episode": {n: makespan(lengths, episode_s, n) / 3600 for n in WORKERS}
            for episode_s in (EPISODE_S, SERVED_S)
        },
        "killed": survive(arguments.kills),
    }
    print(json.dumps(result, indent=1))
    if arguments.save:
        path = Path(__file__).parent / "results" / "cluster.json"
        path.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
