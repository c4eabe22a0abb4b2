"""Playing one stream: episode after episode, each kept before the next begins."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import time
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mnemocraft.errors import SHORTEST_KEY, BudgetExceeded, MnemocraftError, ModelError
from mnemocraft.runs.events import End, Error
from mnemocraft.runs.identity import SCHEME, StreamIdentity, identify
from mnemocraft.runs.lease import Lease
from mnemocraft.runs.records import COLUMNS
from mnemocraft.runs.store import Record, StreamFile
from mnemocraft.runs.study import FAILURES, Episode, ModelSpec, Stream, StreamRunner, Study

if TYPE_CHECKING:
    from mnemocraft.llm import Model


CRASHES = 5
"""Crashes in a row, in the order of the study, that stop a run: a bug, not an agent that fails."""
SURROUNDINGS = (OSError, MemoryError, sqlite3.Error)
"""What no agent does: files, memory or a database gave way. The run stops, and no episode is blamed."""


@dataclass(frozen=True)
class Job:
    """Some streams of a study for one process; picklable, so that any executor can take it."""

    study: Study
    streams: tuple[Stream, ...]
    spec: ModelSpec
    lease: Lease
    commit: str


@dataclass
class Outcome:
    """An episode and how it went; ``error`` is set when the episode did not end by itself."""

    status: str
    episode: Episode
    wall_s: float = 0.0
    error: Exception | None = None


async def play_stream(job: Job, stream: Stream, model: Model) -> None:
    """Play what is missing of one stream.

    Raises:
        BudgetExceeded: After a record of status ``budget``, which the next run drops and plays again.
        RunLocked: Another run has taken over; what this one has written since counts for nothing.
        MnemocraftError: Anything else that no further episode could survive.
    """
    identity = identify(job.study, stream, job.spec)
    job.lease.check()
    with StreamFile(job.lease.out, identity.stem, identity.episodes) as file:
        deltas: list[Any] = []
        runner: StreamRunner | None = None
        crashes = 0
        for index, task in enumerate(stream.tasks):
            if kept := file.keeps(index):
                deltas.append(kept["memory"])
                runner = None
                continue
            if job.lease.stopped:
                return
            runner = runner or _begin(job.study, stream, model, deltas)
            outcome = await _attempt(runner, task, job.study.time_limit)
            _check_metrics(outcome.episode, stream)
            job.lease.check()
            outcome = _keep(file, outcome, _header(job, stream, identity, index))
            deltas.append(outcome.episode.memory_delta)
            if isinstance(outcome.error, BudgetExceeded):
                raise outcome.error
            if outcome.status != "ok":
                # It may have left more in memory than it reports, which a resumed run would not have.
                runner = None
            crashes = crashes + 1 if outcome.status == "crash" else 0
            if crashes == CRASHES:
                raise too_many_crashes(outcome.episode.metrics.get("failure", ""), stream.condition.id)


def too_many_crashes(failure: str | float, condition: str) -> MnemocraftError:
    """What is said when :data:`CRASHES` episodes in a row have crashed."""
    return MnemocraftError(
        f"{CRASHES} episodes in a row crashed, the last one ({condition}) with {failure or 'an error'}: "
        "that is no outcome of an agent; its trajectory says where it happened"
    )


def _begin(study: Study, stream: Stream, model: Model, deltas: list[Any]) -> StreamRunner:
    runner = study.start(stream, model)
    runner.restore(json.loads(json.dumps(deltas)))  # as a resumed run reads them
    return runner


async def _attempt(runner: StreamRunner, task: str, limit: float | None) -> Outcome:
    """Play one episode; only errors that stop the whole run are raised."""
    started = time.perf_counter()
    try:
        async with asyncio.timeout(limit) as timer:
            outcome = _ended(await runner.episode(task))
    except ModelError as error:
        outcome = _broken("error", error)
    except BudgetExceeded as error:
        outcome = _broken("budget", error)
    except MnemocraftError:
        raise
    except Exception as error:
        if isinstance(error, SURROUNDINGS) and not timer.expired():
            raise surroundings(error, f"task {task}") from error
        outcome = _broken("timeout" if timer.expired() else "crash", error)
    outcome.wall_s = round(time.perf_counter() - started, 4)
    if limit is not None and outcome.wall_s > limit and outcome.status != "budget":
        # An episode that never awaits cannot be cut short, but its time is up all the same.
        outcome.status = outcome.episode.reason = "timeout"
    return outcome


def surroundings(error: BaseException, where: str) -> MnemocraftError:
    """A sentence of one of :data:`SURROUNDINGS`."""
    if isinstance(error, MemoryError):
        return MnemocraftError(
            f"there is too little memory for {where}: use fewer workers, or a larger machine"
        )
    said = _without_keys(f"{type(error).__name__}: {error}".splitlines()[0])
    return MnemocraftError(
        f"{where} could not be played on, as the machine or a file gave way ({said[:300]})"
    )


def _check_metrics(episode: Episode, stream: Stream) -> None:
    taken = sorted(episode.metrics.keys() & (set(COLUMNS) | stream.condition.settings.keys()))
    if taken:
        raise MnemocraftError(f"metric {taken[0]!r} has the name of another column of the records: rename it")


def _ended(episode: Episode) -> Outcome:
    return Outcome(episode.reason if episode.reason in FAILURES else "ok", episode)


def _broken(status: str, error: Exception) -> Outcome:
    """What is kept of an episode that raised: one line in the metrics, the traceback in the trajectory."""
    line = _without_keys(f"{type(error).__name__}: {error}".splitlines()[0])
    text = _without_keys("".join(traceback.format_exception(error)))
    episode = Episode(
        success=False,
        reason=status,
        steps=0,
        metrics={"failure": line[:300]},
        trajectory=[Error(text).as_json(), End(status, 0).as_json()],
    )
    return Outcome(status, episode, error=error)


def _keep(file: StreamFile, outcome: Outcome, header: Record) -> Outcome:
    """Append an outcome; one that JSON cannot hold is a crash."""
    try:
        file.append(header | _body(outcome), outcome.episode.trajectory)
    except (TypeError, ValueError) as error:
        wall_s = outcome.wall_s
        outcome = _broken("crash", error)
        outcome.wall_s = wall_s
        file.append(header | _body(outcome), outcome.episode.trajectory)
    return outcome


def _header(job: Job, stream: Stream, identity: StreamIdentity, index: int) -> Record:
    return {
        "v": SCHEME,
        "study": job.study.name,
        "condition": stream.condition.id,
        "settings": stream.condition.settings,
        "stream": identity.stem,
        "index": index,
        "task": stream.tasks[index],
        "seed": stream.seed,
        "model": job.spec.name,
        "commit": job.commit,
        "config": identity.config[:12],
        "identity": identity.episodes[index],
    }


def _body(outcome: Outcome) -> Record:
    episode = outcome.episode
    return {
        "status": outcome.status,
        "success": bool(episode.success) and outcome.status == "ok",
        "reason": episode.reason,
        "steps": episode.steps,
        "metrics": episode.metrics,
        "tokens": episode.tokens,
        "wall_s": outcome.wall_s,
        "memory": episode.memory_delta,
    }


def _without_keys(text: str) -> str:
    """An error may quote the request that failed; no API key may reach a file."""
    for name, value in os.environ.items():
        if name.endswith("_API_KEY") and len(value) >= SHORTEST_KEY:
            text = text.replace(value, f"<{name}>")
    return text
