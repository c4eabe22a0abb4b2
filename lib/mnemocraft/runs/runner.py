"""Running a study: its streams in parallel behind ``concurrent.futures.Executor``."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from mnemocraft.bounded import whole
from mnemocraft.errors import BudgetExceeded, MnemocraftError
from mnemocraft.files import replace_file
from mnemocraft.runs import cluster
from mnemocraft.runs.forecast import announcement, first_look
from mnemocraft.runs.identity import StreamIdentity, code_version, identify
from mnemocraft.runs.jobs import die_with_parent, run_job
from mnemocraft.runs.lease import Lease, hold
from mnemocraft.runs.progress import Progress
from mnemocraft.runs.records import COLUMNS, Rows, load_records
from mnemocraft.runs.spent import Spent
from mnemocraft.runs.store import look, stream_path
from mnemocraft.runs.stream import CRASHES, SURROUNDINGS, Job, surroundings, too_many_crashes
from mnemocraft.runs.study import ModelSpec, Study

if TYPE_CHECKING:
    import pandas as pd

    from mnemocraft.llm import Budget

T = TypeVar("T")
_POLL_S = 0.3


def run_study(
    study: Study,
    model_spec: ModelSpec,
    *,
    out: str | Path,
    workers: int,
    executor: Executor | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """Play every episode of a study that ``out`` does not hold yet, and return the records.

    Streams of a model that burns this machine's processor run in ``workers`` processes, those of any other
    in one event loop, as many at a time as it answers. A light local model has a server and a loop in each of
    the processes, unless it has a budget.

    Each finished episode is kept at once; after a kill, an interrupt or an error the same call goes on where
    the run stood and ends with the same records. When nothing is missing, no model is opened.

    Args:
        study: What to run.
        model_spec: The model that plays.
        out: Run folder, only for this study and model.
        workers: Number of worker processes, at least 1.
        executor: Where to run the jobs instead; they must see ``out`` and be able to import ``study.start``.
        progress: Whether to draw a bar with the remaining time on stderr.

    Returns:
        The records, as :func:`~mnemocraft.runs.load_records` gives them.

    Raises:
        RunLocked: Another run is writing to ``out``.
        BudgetExceeded: The budget is used up; everything finished is kept.
        MnemocraftError: The study is malformed, or no further episode could be played.
    """
    if not isinstance(model_spec, ModelSpec):
        raise MnemocraftError(f"a study is played by a ModelSpec('surrogate') or such, not by {model_spec!r}")
    model_spec, out = replace(model_spec, budget=_own_budget(model_spec)), Path(out)
    if model_spec.most is not None:
        study = replace(study, streams=_aside(first_look, study, model_spec.most))
    identities = _check(study, model_spec, workers)
    try:
        with hold(out) as lease:
            frame = _run_missing(study, identities, model_spec, lease, workers, executor, progress)
    except SURROUNDINGS as error:
        raise surroundings(error, f"the run in {out}") from error
    _check_crashes(frame)
    return frame


def _run_missing(
    study: Study,
    identities: Sequence[StreamIdentity],
    spec: ModelSpec,
    lease: Lease,
    workers: int,
    executor: Executor | None,
    progress: bool,
) -> pd.DataFrame:
    """Play what is missing; a run with nothing missing reads its records once."""
    rows, finished = Rows(), []
    for identity in identities:
        found = look(lease.out, identity.stem, identity.episodes)
        finished.append(found.finished)
        if finished[-1] == len(identity.tasks):
            rows.add(record for record in found.kept if record)
    commit = code_version()
    _write_plan(study, spec, identities, commit, lease.out)
    missing = tuple(s for s, done in zip(study.streams, finished, strict=True) if done < len(s.tasks))
    if not missing:
        return rows.frame()
    del rows
    if progress and not spec.instant:
        left = [len(s.tasks) - done for s, done in zip(study.streams, finished, strict=True)]
        print(_aside(announcement, study, left, spec, workers), file=sys.stderr)
    paths = [stream_path(lease.out, identity.stem) for identity in identities]
    planned = {path: len(s.tasks) for path, s in zip(paths, study.streams, strict=True)}
    bar = Progress(study.name, planned, dict(zip(paths, finished, strict=True)), progress)
    spent = _run(Job(replace(study, streams=()), missing, spec, lease, commit), workers, executor, bar)
    if progress and not spec.instant:
        print(f"{study.name}: {spent}", file=sys.stderr)
    frame = load_records(lease.out)
    if lacking := sum(planned.values()) - len(frame):
        raise MnemocraftError(
            f"{lacking} episodes were not played: a worker could not read who holds {lease.out}; "
            "what is finished is kept there; run again to go on"
        )
    return frame


def _own_budget(spec: ModelSpec) -> Budget | None:
    """The whole limit for this run, of which earlier ones with the same spec have used nothing."""
    from mnemocraft.llm import Budget

    if spec.budget is not None:
        return replace(spec.budget)
    return None if spec.instant else Budget.default(spec.name)


def _check_crashes(frame: pd.DataFrame) -> None:
    """Raise if many episodes in a row crashed: the order is the table's, so that it depends on no worker."""
    row = 0
    for place, status in enumerate(frame["status"]):
        row = row + 1 if status == "crash" else 0
        if row == CRASHES:
            last = frame.iloc[place]
            raise too_many_crashes(str(last.get("failure", "")), last["condition"])


def _aside(call: Callable[..., T], *arguments: Any) -> T:
    """Call something in another thread: in a notebook this one already runs an event loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(call, *arguments).result()


def _check(study: Study, spec: ModelSpec, workers: int) -> list[StreamIdentity]:
    whole(workers, "workers", 1)
    if not study.streams or any(not stream.tasks for stream in study.streams):
        raise MnemocraftError(f"study {study.name} has no streams, or one without tasks")
    for stream in study.streams:
        if taken := sorted(stream.condition.settings.keys() & set(COLUMNS)):
            raise MnemocraftError(f"setting {taken[0]!r} has the name of a column of every record: rename it")
    identities = [identify(study, stream, spec) for stream in study.streams]
    stems = [identity.stem for identity in identities]
    if twice := sorted({stem for stem in stems if stems.count(stem) > 1}):
        raise MnemocraftError(f"study {study.name} has the stream {twice[0]} twice")
    return identities


def _write_plan(
    study: Study, spec: ModelSpec, identities: Sequence[StreamIdentity], commit: str, out: Path
) -> None:
    """Write what is played, for :func:`~mnemocraft.runs.records.load_records`; each list of tasks once."""
    lists = {tasks: place for place, tasks in enumerate(dict.fromkeys(each.tasks for each in identities))}
    streams = [{"stream": each.stem, "root": each.root, "tasks": lists[each.tasks]} for each in identities]
    plan = {
        "study": study.name,
        "model": spec.name,
        "commit": commit,
        "tasks": list(lists),
        "streams": streams,
    }
    replace_file(out / "run.json", json.dumps(plan, indent=1) + "\n")


def _run(job: Job, workers: int, executor: Executor | None, bar: Progress) -> Spent:
    """Play the job's streams, and explain what stopped them if something did."""
    kept = f"what is finished is kept in {job.lease.out}; run again to go on"
    try:
        cpu_bound = _aside(_is_cpu_bound, job.spec)
        address = os.environ.get(cluster.SCHEDULER)
        if executor is None and address:
            with cluster.connect(address) as pool:
                return _finish(
                    pool, cluster.parts(job, cpu_bound), job.lease, bar, cluster.at_once(job, cpu_bound)
                )
        else:
            with _executor(job, cpu_bound, workers, executor) as (pool, jobs):
                return _finish(pool, jobs, job.lease, bar, len(jobs))
    except BrokenExecutor as error:
        cause = "for want of memory, or because the calling script lacks `if __name__ == '__main__':`"
        said = str(error) if isinstance(error, cluster.Lost) else f"a worker process died, perhaps {cause}"
        raise MnemocraftError(f"{said}; {kept}") from None
    except BudgetExceeded as error:
        raise BudgetExceeded(f"{str(error).rstrip('.')}; {kept} with a new budget of that size") from None
    except MnemocraftError as error:
        raise type(error)(f"{str(error).rstrip('.')}; {kept}") from None


@contextmanager
def _executor(
    job: Job, cpu_bound: bool, workers: int, given: Executor | None
) -> Iterator[tuple[Executor, list[Job]]]:
    """Choose where the streams run, and cut them into jobs.

    A processor-bound model gets one job per stream. Any other gets a single job, so that concurrency and
    budget hold for all streams together, unless each worker has a server: then a job is a share of the
    streams, as a server takes seconds to start.
    """
    servers = job.spec.servers(workers) if given is None else 1  # the executor may be of several machines
    count = len(job.streams) if cpu_bound else min(servers, len(job.streams))
    jobs = [replace(job, streams=job.streams[place::count]) for place in range(count)]
    if given is not None:
        yield given, jobs
    elif len(jobs) == 1 or workers == 1:
        with ThreadPoolExecutor(1) as thread:  # as in _aside
            yield thread, jobs
    else:
        _check_importable(job.study)
        # Spawned, not forked: a notebook's kernel has threads, and no lock may be inherited.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(workers, len(jobs)), context, _begin_worker) as pool:
            yield pool, jobs


def _check_importable(study: Study) -> None:
    """Say so if worker processes cannot find ``study.start``, before they die of it."""
    name = getattr(study.start, "__qualname__", "")
    in_notebook = study.start.__module__ == "__main__" and not hasattr(sys.modules["__main__"], "__file__")
    if in_notebook or "<" in name:
        raise MnemocraftError(
            f"worker processes cannot import {name}: define it at the top level of a module, or use workers=1"
        )


def _is_cpu_bound(spec: ModelSpec) -> bool:
    model = spec.open()
    try:
        return model.cpu_bound
    finally:
        asyncio.run(model.aclose())


def _finish(pool: Executor, jobs: Sequence[Job], lease: Lease, bar: Progress, at_once: int) -> Spent:
    """Hand out the jobs, some at a time; at the first error or interrupt let the episodes in flight end."""
    waiting = list(reversed(jobs))
    running: set[Future[Spent]] = set()
    spent: list[Spent] = []
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                running.add(pool.submit(run_job, waiting.pop()))
            done, running = wait(running, timeout=_POLL_S, return_when=FIRST_COMPLETED)
            bar.update()
            spent += [future.result() for future in done]
    except BaseException:
        lease.stop()
        # Not cancelled: a cancelled future of a cluster may still be played, and nobody would know.
        wait(running, timeout=getattr(pool, "grace_s", None))
        raise
    finally:
        bar.close()
    return Spent.together(spent)


def _begin_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the parent decides how to stop
    die_with_parent()
