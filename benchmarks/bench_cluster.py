"""Runs on dask.distributed: speed by workers, what binds when there are many, and what twenty kills change.

    python benchmarks/bench_cluster.py [--kills 20] [--save]

Measured on this machine: episodes per second with one and two workers, the scheduler's tasks per second, the
time that an episode's files and lease take. From these a list schedule (a stream is played by one worker at a
time, longest first) gives the duration with more workers than there are here. Last, a run whose workers are
killed at random moments is compared with a serial one. ``--save`` puts the numbers into CLUSTER.md, too.
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import json
import os
import platform
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
import pandas as pd
from dask import config
from distributed import Status

from bench_runs import InstantSpec, OneCall
from bench_runs import study as instant
from mnemocraft.paths import DATA
from mnemocraft.runs import Episode, Study, cluster, load_records, run_study, write_table
from mnemocraft.runs.lease import hold
from mnemocraft.runs.store import StreamFile
from mnemocraft.studies.deps import sweep as deps
from mnemocraft.studies.deps.load import PARTS
from mnemocraft.studies.gig import sweep as gig
from mnemocraft.studies.household import sweep as household
from mnemocraft.studies.how2 import sweep, validation
from mnemocraft.studies.m2pa import sweep as m2pa
from mnemocraft.studies.mindstores import sweep as mindstores
from mnemocraft.studies.tabletop import sweep as tabletop

EPISODE_S = 0.0125
"""Notebook 01 with the surrogate: 121,410 episodes took two workers 759 s."""
SERVED_S = 10.0
"""An example of an episode with a served model: five calls of two seconds."""
WORKERS = (1, 2, 10, 100, 1000)
TOKENS_A_MINUTE = 2_000_000
"""An example of a server's limit."""
MEASURED_S = 759
"""What notebook 01 at full took two workers with the surrogate."""
RESULT = Path(__file__).parent / "results" / "cluster.json"
PAGE = Path(__file__).parents[1] / "CLUSTER.md"
BEGIN, END = "<!-- made by benchmarks/bench_cluster.py -->", "<!-- end -->"


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


class Waiting(OneCall):
    """An episode that takes its time and no processor, so that there is time to kill."""

    async def episode(self, task: str) -> Episode:
        await asyncio.sleep(0.05)
        return await super().episode(task)


def grid() -> dict[str, list[int]]:
    """The lengths of all streams at full of every notebook whose model may be a real one."""
    studies: dict[str, list[Study | None]] = {
        "01": [sweep.study("full", [0, 1, 2])],
        "01's judged answers and small model": [validation.study("full"), sweep.small("full")],
        "03": [deps.study("full", [0, 1], world) for world in PARTS["full"]],
        "06": [mindstores.study("full", [0])],
        "07": [m2pa.study("full", [0]), m2pa.study("full", [0], compared=True)],
        "09": [gig.study("full", [42]), gig.study("full", [42], "weak")],
        "10": [household.study("full", [0])],
        "11": [tabletop.study("full", [0])],
    }
    return {
        number: [len(stream.tasks) for study in parts if study for stream in study.streams]
        for number, parts in studies.items()
    }


def page(result: dict[str, Any]) -> str:
    """The part of CLUSTER.md that the numbers of a run make."""
    one, two = (result["measured_s_of_600_episodes"][n] for n in ("1", "2"))
    own, all_ = result["grid"]["01"], result["grid"]["all"]
    file_ms, killed = result["files_of_an_episode_ms"], result["killed"]
    hours = result["prompt_millions_01"] * 1e6 / TOKENS_A_MINUTE / 60
    same = "the same table as a serial run" if killed["same_table"] else "ANOTHER TABLE than a serial run"
    rows = [
        f"Measured on {result['machine']}: 600 episodes of {EPISODE_S} s took {one:.1f} s with one worker "
        f"and {two:.1f} s with two ({one / two:.2f} times as fast). A run whose workers were killed "
        f"{killed['kills']} times at random moments left {same}.",
        "",
        "| what binds | measured | binds |",
        "|---|---|---|",
        f"| streams | notebook 01 at full has {own['streams']}, the longest of {own['longest']} episodes | "
        f"beyond {own['streams']} workers nothing gets faster |",
        "| a served model | `max_concurrency`: 16 streams at once, each with one request at a time | at 16 "
        "workers, until it is raised and the server allows it |",
        f"| a server's limit | the surrogate's count of notebook 01's prompts: "
        f"{result['prompt_millions_01']:,.0f} million tokens | at {TOKENS_A_MINUTE / 1e6:g} million tokens a "
        f"minute (an example) {hours:.1f} h, whatever the workers |",
        f"| the folder | lease and files of an episode: {file_ms:.2f} ms on a local disk; on NFS some "
        "milliseconds for each of six operations (assumed, not measured) | at "
        f"{EPISODE_S / file_ms * 1e3:,.0f} workers at {EPISODE_S} s an episode, at "
        f"{SERVED_S / file_ms * 1e3:,.0f} at {SERVED_S:g} s |",
        f"| the scheduler | {result['scheduler_tasks_per_s']:,.0f} tasks a second; a run has one for each "
        "stream | not here |",
        "",
        "A list schedule (longest stream first, each to the worker that is free first), **simulated** from "
        "the cost of one episode. With the surrogate, notebook 01 at full took two workers "
        f"{MEASURED_S} s; simulated are {3600 * result['simulated_h'][f'01, {EPISODE_S} s']['2']:.0f} s.",
        "",
        "| notebook, an episode takes | "
        + " | ".join(f"{n:,} worker{'s' * (n > 1)}" for n in WORKERS)
        + " |",
        "|---|" + "---|" * len(WORKERS),
    ]
    rows += [
        f"| {name} | " + " | ".join(_duration(row[str(n)]) for n in WORKERS) + " |"
        for name, row in result["simulated_h"].items()
    ]
    counted = "; ".join(
        f"{number}: {each['episodes']:,} in {each['streams']}"
        for number, each in result["grid"].items()
        if number != "all"
    )
    rows += ["", f"Episodes at full, and their streams: {counted}; in all {all_['episodes']:,}."]
    return "\n".join(rows)


def _duration(hours: float) -> str:
    for unit, length in (("days", 24), ("h", 1), ("min", 1 / 60)):
        if hours >= 2 * length:
            return f"{hours / length:.1f} {unit}"
    return f"{3600 * hours:.0f} s"


def with_page(text: str, made: str) -> str:
    """CLUSTER.md with the part between the marks made anew."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{made}\n{END}{rest.split(END)[1]}"


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
    """A cluster on this machine that forgives deaths: a worker that is killed again while it starts stays."""
    config.set({"distributed.deploy.lost-worker-timeout": "10 minutes"})
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
    study = instant(250 * kills)  # long enough for so many: a worker takes some seconds to start
    dice, killed = random.Random(20), list[int]()
    with dask(2) as found:
        address, ended = found.scheduler_address, threading.Event()

        def kill() -> None:
            while len(killed) < kills and not ended.wait(dice.uniform(0.1, 1.5)):
                # a nanny gives up a worker that dies while it starts
                alive = {nanny.pid for nanny in found.workers.values() if nanny.status == Status.running}
                if len(alive) == 2 and alive == {each.pid for each in found.scheduler.workers.values()}:
                    killed.append(dice.choice(sorted(alive)))
                    os.kill(killed[-1], signal.SIGKILL)

        thread = threading.Thread(target=kill)
        thread.start()
        seconds, table = play(replace(study, start=Waiting), address)
        ended.set()
        thread.join()
    return {"kills": len(killed), "s": seconds, "same_table": table == play(study, "")[1]}


def main() -> None:
    """Measure, print, and save if asked."""
    parser = argparse.ArgumentParser(description="Runs on a cluster.")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--save", action="store_true", help="write results/cluster.json and CLUSTER.md")
    arguments = parser.parse_args()
    study = replace(instant(600), start=Paced)
    seconds = {}
    for workers in (1, 2):
        with dask(workers) as found:
            seconds[workers] = play(study, found.scheduler_address)[0]
            print(f"{workers} workers: {seconds[workers]:.1f} s", flush=True)
    lengths = grid()
    whole = {"01": lengths["01"], "all notebooks": [length for each in lengths.values() for length in each]}
    costs = pd.read_csv(DATA / "results" / "00_start_here" / "surrogate" / "full" / "cost_estimate.csv")
    result = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "measured_s_of_600_episodes": {str(workers): s for workers, s in seconds.items()},
        "scheduler_tasks_per_s": tasks_per_s(),
        "files_of_an_episode_ms": 1000 * file_s(),
        "prompt_millions_01": float(costs[costs["profile"] == "full"]["prompt_millions"].iloc[0]),
        "grid": {
            name: {"streams": len(each), "episodes": sum(each), "longest": max(each)}
            for name, each in (lengths | {"all": whole["all notebooks"]}).items()
        },
        "simulated_h": {
            f"{name}, {episode_s:g} s": {str(n): makespan(each, episode_s, n) / 3600 for n in WORKERS}
            for name, each in whole.items()
            for episode_s in (EPISODE_S, SERVED_S)
        },
        "killed": survive(arguments.kills),
    }
    print(json.dumps(result, indent=1))
    if arguments.save:
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(with_page(PAGE.read_text(encoding="utf-8"), page(result)), encoding="utf-8")


if __name__ == "__main__":
    main()
