"""Runs on dask.distributed: the bytes of a serial run, whatever dies, and nothing is written afterwards."""

import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mnemocraft.errors import MissingExtra, MnemocraftError
from mnemocraft.llm import Budget
from mnemocraft.runs import Study, cluster, load_records, run_study, write_table
from mnemocraft.runs.identity import identify
from mnemocraft.runs.jobs import run_job
from mnemocraft.runs.lease import Lease, hold
from mnemocraft.runs.store import trajectory_path
from mnemocraft.runs.stream import Job
from runs_toy import KILL_STUDY, TASKS, InstantSpec, LocalSpec, start_slower, toy_study

distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")

BENCH = Path(__file__).parents[1] / "benchmarks"
VARYING = ["wall_s", "trajectory_offset", "trajectory_length", "commit"]
SLOW = replace(toy_study(faults={"T005": "crash", "T010": "error"}), start=start_slower)


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two workers on this machine, each a process that its nanny starts anew when it dies."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=":0",
        local_directory=str(tmp_path_factory.mktemp("dask")),
        silence_logs=50,
    ) as found:
        yield found


@pytest.fixture
def scheduler(workers: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs go to the workers."""
    monkeypatch.setenv(cluster.SCHEDULER, workers.scheduler_address)
    return workers


def run(study: Study, out: Path, spec: InstantSpec | None = None) -> pd.DataFrame:
    return run_study(study, spec or InstantSpec(), out=out, workers=1, progress=False)


def table(frame: pd.DataFrame, path: Path) -> bytes:
    write_table(frame.drop(columns=VARYING), path)
    return path.read_bytes()


def serial(study: Study, folder: Path) -> bytes:
    """The table of a run without a cluster."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(cluster.SCHEDULER, raising=False)
        return table(run(study, folder / "serial"), folder / "serial.csv")


def content(out: Path) -> dict[str, bytes]:
    """Every file of the run."""
    return {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()}


def later(condition: Callable[[], bool], deed: Callable[[], object]) -> threading.Thread:
    """Do something as soon as a condition holds."""

    def watch() -> None:
        while not condition():
            time.sleep(0.005)
        deed()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def episodes(out: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in out.glob("streams/*.jsonl"))


@pytest.mark.parametrize("spec", [InstantSpec(), InstantSpec(cpu_bound=False, max_concurrency=2)])
def test_a_cluster_changes_nothing(scheduler: Any, tmp_path: Path, spec: InstantSpec) -> None:
    study = toy_study(faults={"T003": "error", "T007": "crash"})
    assert table(run(study, tmp_path / "run", spec), tmp_path / "t.csv") == serial(study, tmp_path)


def test_killed_workers_change_nothing(scheduler: Any, tmp_path: Path) -> None:
    """Whatever the scheduler still allows: a stream that gets on is handed out again."""
    dice, out = random.Random(5), tmp_path / "run"
    killed = []

    def kill() -> None:
        for target in (5, 40, 75):
            while episodes(out) < target or len(scheduler.scheduler.workers) < 2:
                time.sleep(0.005)  # a nanny gives up a worker that dies while it starts
            alive = [w.pid for w in scheduler.workers.values() if w.pid]
            if alive:
                killed.append(dice.choice(alive))
                os.kill(killed[-1], signal.SIGKILL)

    thread = later(lambda: True, kill)
    frame = run(SLOW, out)
    thread.join()
    assert len(killed) >= 2
    assert table(frame, tmp_path / "t.csv") == serial(SLOW, tmp_path)


class KilledWorker(Exception):
    """As dask.distributed names it."""


class Deadly:
    """A client whose workers die of every job; the first of them plays a little before."""

    status = "running"

    def __init__(self, out: Path, lives: int) -> None:
        self.out, self.lives, self.tries = out, lives, 0

    def get_executor(self, pure: bool) -> "Deadly":
        assert not pure, "equal jobs are played each"
        return self

    def submit(self, function: Callable[..., None], job: Job, code: str) -> Future[None]:
        self.tries += 1
        if self.tries <= self.lives:
            stem = identify(job.study, job.streams[0], job.spec).stem
            path = trajectory_path(self.out, stem)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"x" * self.tries)
        future: Future[None] = Future()
        future.set_exception(KilledWorker("stream", 3))
        return future


def test_a_stream_that_kills_every_worker_is_given_up_when_it_gets_no_further(tmp_path: Path) -> None:
    client = Deadly(tmp_path, lives=4)
    future = cluster._Cluster(client, "tcp://x").submit(run_job, job(tmp_path))  # type: ignore[arg-type]
    with pytest.raises(cluster.Lost, match="every worker that was given a stream died of it"):
        future.result(timeout=5)
    assert client.tries == 5


def test_after_a_stream_raised_nothing_is_written_and_a_rerun_goes_on_at_once(
    scheduler: Any, tmp_path: Path
) -> None:
    """One stream needs what is not installed; the others are slow, and were in the middle."""
    study = toy_study(seeds=range(2))
    broken = toy_study(seeds=[7], faults={"T002": "missing"})
    mixed = replace(SLOW, streams=(*SLOW.streams[:2], broken.streams[0], *SLOW.streams[2:]))
    out = tmp_path / "run"
    with pytest.raises(MissingExtra, match=r"install the extra; what is finished is kept"):
        run(mixed, out)
    after = content(out)
    time.sleep(0.5)
    assert content(out) == after, "no ghost writes on"
    assert len(load_records(out)) < len(mixed.streams) * len(TASKS)
    started = time.monotonic()
    assert table(run(SLOW, out), tmp_path / "t.csv") == serial(SLOW, tmp_path)
    assert time.monotonic() - started < 20 and study.name == SLOW.name


def test_ctrl_c_keeps_what_is_finished_and_a_rerun_goes_on(scheduler: Any, tmp_path: Path) -> None:
    out = tmp_path / "run"
    later(lambda: episodes(out) > 5, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        run(SLOW, out)
    after = content(out)
    time.sleep(0.5)
    assert content(out) == after and episodes(out) > 5
    assert table(run(SLOW, out), tmp_path / "t.csv") == serial(SLOW, tmp_path)


@pytest.fixture
def separate(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A scheduler and a worker in processes of their own."""
    file = tmp_path / "scheduler.json"
    options = ["--scheduler-file", str(file), "--no-dashboard"]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "DASK_LOGGING__DISTRIBUTED": "critical",
    }
    start = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", *options]
    found = [subprocess.Popen(start, env=environment, cwd=tmp_path)]
    while not file.exists():
        time.sleep(0.05)
    start = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "2", "--no-nanny", *options]
    found.append(subprocess.Popen(start, env=environment, cwd=tmp_path))
    try:
        yield pd.read_json(file, typ="series")["address"], found[0]
    finally:
        for process in found:
            process.kill()
            process.wait()


def test_a_killed_scheduler_is_a_sentence_and_a_rerun_goes_on_at_once(
    separate: tuple[str, subprocess.Popen[bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker lives on for a while, and plays on: nobody reads what it writes, and nobody waits for it."""
    address, process = separate
    monkeypatch.setenv(cluster.SCHEDULER, address)
    out = tmp_path / "run"
    later(lambda: episodes(out) > 5, process.kill)
    with pytest.raises(MnemocraftError, match=r"the scheduler at .* is gone.*run again to go on"):
        run(SLOW, out)
    monkeypatch.delenv(cluster.SCHEDULER)
    started = time.monotonic()
    assert table(run(SLOW, out), tmp_path / "t.csv") == serial(SLOW, tmp_path)
    assert time.monotonic() - started < 20


def test_what_is_not_there_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_S", 0.5)
    for address in ("tcp://127.0.0.1:1", "nonsense://x", "nonsense", "tcp://localhost", "127.0.0.1:99999999"):
        monkeypatch.setenv(cluster.SCHEDULER, address)
        with pytest.raises(MnemocraftError, match=f"no scheduler answers at {address}"):
            run(toy_study(), tmp_path)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"pip install 'mnemocraft\[cluster\]'"):
        run(toy_study(), tmp_path)


def job(out: Path, spec: InstantSpec | None = None) -> Job:
    study = toy_study()
    return Job(replace(study, streams=()), study.streams, spec or InstantSpec(), Lease(out), "commit")


def test_a_worker_that_does_not_see_the_folder_or_has_other_code_says_so(tmp_path: Path) -> None:
    with pytest.raises(MnemocraftError, match=r"does not see .*: all workers and the client need"):
        cluster._play(job(tmp_path / "elsewhere"), "code")
    cluster._play(job(tmp_path), "the run is over: nothing is played")
    held = job(tmp_path)
    held.lease.write()
    with pytest.raises(MnemocraftError, match="has other code"):
        cluster._play(held, "another")
    assert not (tmp_path / "streams").exists()


def test_an_endpoint_s_streams_are_spread_within_its_limit_unless_a_budget_must_hold(tmp_path: Path) -> None:
    endpoint = job(tmp_path, InstantSpec(cpu_bound=False, max_concurrency=3))
    assert len(cluster.parts(endpoint, False)) == 4 and cluster.at_once(endpoint, False) == 3
    assert len(cluster.parts(job(tmp_path, InstantSpec(budget=Budget(9))), False)) == 1
    assert len(KILL_STUDY.streams) == cluster.at_once(job(tmp_path), True)
    local = job(tmp_path, LocalSpec(max_concurrency=3))
    assert len(cluster.parts(local, False)) == cluster.at_once(local, False) == 4, "a server in every worker"


def test_a_budget_whose_worker_died_is_not_begun_anew(tmp_path: Path) -> None:
    """The scheduler hands the job out again, with the count as it was before anything was asked."""
    held = job(tmp_path, InstantSpec(cpu_bound=False, budget=Budget(9)))
    held.lease.write()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "run_job", lambda _: (tmp_path / "the worker dies").stat())
        with pytest.raises(FileNotFoundError):
            cluster._play(held, cluster.fingerprint(held.study.start)["code"])
        with pytest.raises(MnemocraftError, match="the worker that counted the budget died"):
            cluster._play(held, cluster.fingerprint(held.study.start)["code"])
        another = replace(held, streams=held.streams[1:])
        with pytest.raises(FileNotFoundError):
            cluster._play(another, cluster.fingerprint(held.study.start)["code"])
        unlimited = replace(held, spec=InstantSpec(cpu_bound=False))
        for _ in range(2):
            with pytest.raises(FileNotFoundError):
                cluster._play(unlimited, cluster.fingerprint(held.study.start)["code"])
    with hold(tmp_path) as lease:
        lease.count_budget("job")  # the next run counts anew
        other = Lease(tmp_path)
        other.write()
        other.count_budget("job")  # and so does one that takes the folder over
    with pytest.raises(MnemocraftError, match="the worker that counted the budget died"):
        other.count_budget("job")
    with hold(tmp_path):
        assert not list(tmp_path.glob(".budget-*"))


def test_the_page_says_what_the_benchmark_measured() -> None:
    """CLUSTER.md's numbers are made, not typed."""
    spec = importlib.util.spec_from_file_location("bench_cluster", BENCH / "bench_cluster.py")
    assert spec is not None and spec.loader is not None
    bench = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(BENCH)
        spec.loader.exec_module(bench)
    assert bench.makespan([3, 1, 1, 1], 2.0, 2) == 6.0
    if not bench.RESULT.exists():
        pytest.skip("benchmarks/bench_cluster.py --save has not been run")
    page = bench.PAGE.read_text(encoding="utf-8")
    result = json.loads(bench.RESULT.read_text(encoding="utf-8"))
    assert bench.with_page(page, bench.page(result)) == page
    assert result["killed"]["same_table"] and result["killed"]["kills"] >= 20
