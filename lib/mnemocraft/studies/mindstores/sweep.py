"""The study of MindStores: its conditions, and how one of its streams is played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from mnemocraft.agents import get_agent
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.llm import Model
from mnemocraft.memory import get_memory
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.checks import check, check_seeds
from mnemocraft.studies.mindstores.load import (
    FRESH,
    PLAYERS,
    ROUNDS,
    SHARED,
    SIZES,
    STEM,
    VERSION,
    Size,
    chosen,
)
from mnemocraft.worlds.minecraft_tasks import minecraft_task
from mnemocraft.worlds.textworld import TextWorld, textworld

APART = 30
"""Two seeds are so far apart in the trials that they count: more than there are."""
DATA = ("minecraft/*.json", "papers/mindstores_table2.csv")


def study(profile: str, seeds: Sequence[int]) -> Study:
    """The grid of notebook 06; ``full`` has seeds of its own.

    Raises:
        MnemocraftError: There is no such profile, or no seed.
    """
    check("profile", profile, SIZES)
    check_seeds(seeds, 0)
    streams: list[Stream] = []
    for part, size in SIZES[profile].items():
        used = list(range(size.seeds or 1)) if profile == "full" else list(seeds)[: size.seeds]
        streams += [stream for seed in used for stream in _streams(part, size, seed)]
    return Study(STEM, tuple(streams), start, fingerprint(start, DATA))


def _streams(part: str, size: Size, seed: int) -> Iterator[Stream]:
    """Fresh: a stream a task and player; shared: a stream a player, its tasks in an order by lot."""
    listed = chosen(size)
    if part == FRESH:
        for player in PLAYERS[FRESH]:
            for task in listed:
                trials = tuple(f"{task}/{trial}" for trial in range(size.trials))
                yield Stream(condition(FRESH, player, f"/{task}"), seed, trials)
        return
    order = np.random.default_rng(seed)
    mixed = tuple(f"{t}/{trial}" for trial in range(size.trials) for t in order.permutation(listed))
    for player in PLAYERS[SHARED]:
        yield Stream(condition(SHARED, player), seed, mixed)


def condition(part: str, player: str, only: str = "") -> Condition:
    """One condition; its id reads ``part/player``, with the task where that has a memory of its own."""
    return Condition(f"{part}/{player}{only}", {"part": part, "player": player, "max_rounds": ROUNDS})


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream with an empty memory."""
    choice = stream.condition.settings
    player = PLAYERS[choice["part"]][choice["player"]]
    agent = get_agent(player.agent, **{"max_rounds": choice["max_rounds"]} | dict(player.options))
    memory = get_memory(player.memory, **player.kept)
    return EpisodeStream(agent, memory, model, partial(begin, choice, stream.seed))


def begin(settings: Mapping[str, Any], seed: int, task: str) -> tuple[TextWorld, int]:
    """A trial of a task at its beginning, and the seed of the model's draws, the same for all players."""
    key, _, trial = task.partition("/")
    own = 1000 * (APART * seed + int(trial)) + minecraft_task(key).id
    return textworld(key, own, version=VERSION), own
