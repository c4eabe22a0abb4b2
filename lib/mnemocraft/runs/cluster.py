"""Runs on many machines: streams handed to dask.distributed, results on a folder that all machines share.

The scheduler and its workers are started by others (see ``CLUSTER.md``); this is the executor that
:func:`~mnemocraft.runs.run_study` uses when ``$MNEMOCRAFT_SCHEDULER`` names one. Results are files, so that
the death of a worker, of the scheduler or of the client costs the episodes in flight and nothing else.
"""

from __future__ import annotations

import platform
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mnemocraft.errors import MissingExtra, MnemocraftError
from mnemocraft.runs.identity import identify
from mnemocraft.runs.jobs import run_job
from mnemocraft.runs.lease import machine
from mnemocraft.runs.sources import fingerprint
from mnemocraft.runs.spent import Spent
from mnemocraft.runs.store import trajectory_path
from mnemocraft.runs.stream import Job

if TYPE_CHECKING:
    from distributed import Client

SCHEDULER = "MNEMOCRAFT_SCHEDULER"
"""Environment variable with the address of a scheduler, such as ``tcp://host:8786``."""
CONNECT_S = 20
"""Seconds to wait for a scheduler, and for its first worker."""


class Lost(BrokenExecutor):
    """Workers or the scheduler died; the message says what to look at."""


@contextmanager
def connect(address: str) -> Iterator[Executor]:
    """An executor over the workers of a scheduler.

    Raises:
        MissingExtra: dask.distributed is not installed.
        MnemocraftError: No scheduler answers there, or it has no workers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtra("--scheduler needs dask.distributed: pip install 'mnemocraft[cluster]'.") from None
    if not re.fullmatch(r"(\w+://)?.+:\d+", address):
        raise MnemocraftError(f"no scheduler answers at {address}; its address is like tcp://host:8786")
    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:  # a TimeoutError is an OSError
        raise MnemocraftError(f"no scheduler answers at {address} ({str(error)[:200]})") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=CONNECT_S)
        except TimeoutError:
            raise MnemocraftError(
                f"the scheduler at {address} has no workers: start some with dask worker {address}"
            ) from None
        yield _Cluster(client, address)


def parts(job: Job, cpu_bound: bool) -> list[Job]:
    """One job for each stream; all in one where a budget must hold for an endpoint's streams together."""
    if not cpu_bound and job.spec.budget is not None:
        return [job]
    return [replace(job, streams=(stream,)) for stream in job.streams]


def at_once(job: Job, cpu_bound: bool) -> int:
    """How many jobs may be handed out: an endpoint's streams each ask one thing at a time."""
    return len(job.streams) if cpu_bound or job.spec.own_server else job.spec.max_concurrency


class _Cluster(Executor):
    """``Client.get_executor`` with what else a run needs.

    A job whose worker died too often for the scheduler (its ``allowed-failures``) is handed out again as
    long as it gets on: what it had finished is on disk. One that has got no further is given up.

    Attributes:
        grace_s: How long a stopping run waits for the episodes in flight; later the lease refuses them.
    """

    grace_s = 30.0

    def __init__(self, client: Client, address: str) -> None:
        self._client, self._address = client, address
        self._pool = client.get_executor(pure=False)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        """Hand out ``run_job(job)``."""
        (job,) = arguments
        result: Future[Spent] = Future()
        self._hand_out(job, result, -1)
        return result

    def _hand_out(self, job: Job, result: Future[Spent], before: int) -> None:
        try:
            size = _size(job)
            if size <= before:
                raise Lost("every worker that was given a stream died of it, perhaps for want of memory")
            future = self._pool.submit(_play, job, fingerprint(job.study.start)["code"])
        except Exception as error:  # also that the client was closed as its scheduler went away
            result.set_exception(self._explained(error))
            return
        future.add_done_callback(lambda done: self._ended(job, result, size, done))

    def _ended(self, job: Job, result: Future[Spent], size: int, done: Future[Spent]) -> None:
        try:
            spent = done.result()
        except Exception as error:
            if type(error).__name__ == "KilledWorker":
                # Not in this thread, which is the client's own and would wait for itself.
                threading.Thread(target=self._hand_out, args=(job, result, size), daemon=True).start()
            else:
                result.set_exception(self._explained(error))
        except BaseException as error:  # CancelledError of asyncio is none of Exception
            result.set_exception(self._explained(error))
        else:
            result.set_result(spent)

    def _explained(self, error: BaseException) -> BaseException:
        if isinstance(error, CancelledError) or "Cancelled" in type(error).__name__ or self._gone():
            return Lost(f"the scheduler at {self._address} is gone, or has forgotten the run")
        return error

    def _gone(self) -> bool:
        return self._client.status not in ("running", "connecting")


def _size(job: Job) -> int:
    """Bytes of the trajectories of the job's streams: they only grow."""
    stems = (identify(job.study, stream, job.spec).stem for stream in job.streams)
    files = (trajectory_path(job.lease.out, stem) for stem in stems)
    return sum(file.stat().st_size for file in files if file.exists())


def _play(job: Job, code: str) -> Spent:
    """Play a job on whatever machine this is."""
    holder = job.lease.holder()
    if not holder:
        if job.lease.out.is_dir():
            return Spent()  # the run is over
        raise MnemocraftError(
            f"the worker on {platform.node()} does not see {job.lease.out}: all workers and the client need "
            "one folder for results, under the same path ($MNEMOCRAFT_OUTPUT_ROOT)"
        )
    if fingerprint(job.study.start)["code"] != code:
        raise MnemocraftError(
            f"the worker on {platform.node()} has other code: install the same version there"
        )
    if job.spec.budget is not None:
        job.lease.count_budget(identify(job.study, job.streams[0], job.spec).stem)
    if holder.get("machine") != machine():  # SQLite's files cannot be shared by machines
        job = replace(job, spec=replace(job.spec, cache=None))
    return run_job(job)
