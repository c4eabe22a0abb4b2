"""What a run will ask of a real model, said before it starts, and the few episodes of a first look.

The numbers come from a rehearsal: the surrogate plays the first episode of some conditions, and some short
questions to the model itself tell how fast it answers, one and four at a time. Thinking aloud comes on top.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mnemocraft.runs.study import ModelSpec, Stream, Study

if TYPE_CHECKING:
    from mnemocraft.llm import Model
    from mnemocraft.llm.budget import Price

Needs = npt.NDArray[np.float64]
"""Calls, prompt tokens and completion tokens."""

REHEARSED = 40
"""Conditions that are rehearsed, spread over the study."""
REHEARSAL_S = 10.0
"""Seconds after which a forecast rehearses no further one."""
TRIED = 4
"""Answers asked for at a time, to see whether a server gives them side by side."""
LONG_S = 1800
"""A run that takes longer is said to."""
_KINDS = ("calls", "prompt", "completion")


def first_look(study: Study, most: int) -> tuple[Stream, ...]:
    """The first episode of at most so many conditions, those with the fewest calls in the rehearsal.

    Conditions that were not rehearsed come last; ties go by the condition's name.
    """
    needs = rehearse(study, study.streams, inf)
    first = {stream.condition.id: stream for stream in reversed(study.streams)}
    calls = {name: needs[name][0] if name in needs else inf for name in first}
    chosen = sorted(first, key=lambda name: (calls[name], name))[:most]
    return tuple(replace(first[name], tasks=first[name].tasks[:1]) for name in first if name in chosen)


def announcement(study: Study, left: Sequence[int], spec: ModelSpec, workers: int) -> str:
    """What the episodes that are left will cost in calls, tokens, minutes and dollars, as far as known.

    Args:
        study: What is to be run.
        left: Number of episodes by stream.
        spec: The model; it is asked six short questions to time it.
        workers: Processes; a light local model has a server in each.

    Raises:
        MnemocraftError: It does not answer; unless nothing could be rehearsed, where it is not asked.
    """
    from mnemocraft.llm import Usage

    streams = [stream for stream, count in zip(study.streams, left, strict=True) if count]
    episodes: Counter[str] = Counter()
    for stream, count in zip(study.streams, left, strict=True):
        episodes[stream.condition.id] += count
    if not (needs := rehearse(study, streams, REHEARSAL_S)):
        said = "what they take could not be rehearsed"
        return f"{study.name}: {sum(left):,} episodes with {spec.name}; {said}."
    calls, prompt, completion = total(episodes, needs)
    seconds, at_once, price = asyncio.run(_timed(spec))
    took = calls * seconds / min(at_once * spec.servers(workers), len(streams))
    dollars = "" if price is None else f", ${price.of(Usage(prompt, completion)):,.2f}"
    long = (
        " That is long: Ctrl-C stops it and keeps what is finished; --profile smoke gives a first look."
        if took > LONG_S
        else ""
    )
    return (
        f"{study.name}: {sum(left):,} episodes with {spec.name}, about {calls:,.0f} calls, "
        f"{prompt / 1e6:,.2f} million tokens to read and {completion / 1e6:,.2f} to write, "
        f"{_duration(took)} at {seconds:.2g} s an answer{dollars}. "
        f"Calls and tokens are those of a rehearsal with the surrogate.{long}"
    )


def rehearse(study: Study, streams: Sequence[Stream], seconds: float) -> dict[str, Needs]:
    """What the first episode of a condition needs, by condition.

    Args:
        study: Whose episodes they are.
        streams: Those to take conditions from; of more than :data:`REHEARSED` some, spread evenly.
        seconds: After so long no further one is begun.
    """
    first = list({stream.condition.id: stream for stream in streams}.values())
    places = np.linspace(0, len(first) - 1, min(REHEARSED, len(first))).round().astype(int)
    needs: dict[str, Needs] = {}
    started = time.monotonic()
    for stream in (first[place] for place in places):
        if needs and time.monotonic() - started > seconds:
            break
        with suppress(Exception):  # what the surrogate cannot play; a mistake shows when it is played
            needs[stream.condition.id] = asyncio.run(_one(study, stream))
    return needs


def total(episodes: Mapping[str, int], needs: Mapping[str, Needs]) -> Needs:
    """What so many episodes by condition need; one not rehearsed counts as the mean of the others."""
    mean = np.mean(list(needs.values()), axis=0)
    return np.sum([count * needs.get(name, mean) for name, count in episodes.items()], axis=0)


async def _one(study: Study, stream: Stream) -> Needs:
    episode = await study.start(stream, ModelSpec("surrogate").open()).episode(stream.tasks[0])
    return np.array([sum(role.get(kind, 0) for role in episode.tokens.values()) for kind in _KINDS], float)


async def _timed(spec: ModelSpec) -> tuple[float, float, Price | None]:
    """Seconds of a short answer, how many the model gives in that time, its price if known.

    A server that gives :data:`TRIED` answers in less than twice the time of one is taken to keep up with all
    that are asked for at a time.
    """
    from mnemocraft.llm.budget import prices

    model = replace(spec, cache=None).open()
    try:
        await _seconds(model, "Say yes.")  # to wake it
        took, at_once = await _seconds(model, "Count from one to ten."), 1.0
        if not model.cpu_bound:
            tried = [f"Count from {number} to ten." for number in range(2, 2 + TRIED)]
            four = await _seconds(model, *tried)
            at_once = spec.streams_at_a_time if four < 2 * took else TRIED * took / four
    finally:
        await model.aclose()
    return took, at_once, prices().get(spec.name)


async def _seconds(model: Model, *questions: str) -> float:
    started = time.perf_counter()
    asked = (model.complete([{"role": "user", "content": text}], max_tokens=32) for text in questions)
    await asyncio.gather(*asked)
    return time.perf_counter() - started


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:,.0f} hours"
