"""What a worker does: it plays the streams of a job, and dies with the process that started it."""

from __future__ import annotations

import asyncio
import functools
import multiprocessing
import os
import threading
from multiprocessing.process import BaseProcess

from mnemocraft.errors import BudgetExceeded
from mnemocraft.runs.spent import Spent
from mnemocraft.runs.stream import Job, play_stream
from mnemocraft.runs.study import Stream


def run_job(job: Job) -> Spent:
    """Play the streams of a job, and say what that took; what an executor calls."""
    die_with_parent()  # an executor handed in by the user has not done so
    return Spent() if job.lease.stopped else asyncio.run(_play(job))


async def _play(job: Job) -> Spent:
    model = job.spec.open()
    gate = asyncio.Semaphore(job.spec.streams_at_a_time)

    async def play(stream: Stream) -> None:
        async with gate:  # a stream asks one thing at a time, so no request waits while its time runs
            await play_stream(job, stream, model)

    tasks = [asyncio.create_task(play(stream)) for stream in job.streams]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        errors = [task.exception() for task in tasks if task.done()]
        await _wind_down(job, tasks, next((error for error in errors if error), None))
    finally:
        await model.aclose()
    return Spent.of(model)


async def _wind_down(job: Job, tasks: list[asyncio.Task[None]], error: BaseException | None) -> None:
    """End the other streams after an error, and raise it."""
    if error is None:
        return
    job.lease.stop()
    if not isinstance(error, BudgetExceeded):  # without budget each stream ends, and is counted, by itself
        for task in tasks:
            task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    raise error


@functools.cache
def die_with_parent() -> None:
    """End this worker process when the process that started it is gone, even if that was killed.

    A worker of ``ProcessPoolExecutor`` would wait for ever otherwise. Nothing depends on it happening in
    time: whoever writes a stream's files puts copies in their place, to which no other process appends.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_after, args=(parent,), daemon=True).start()


def _exit_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
