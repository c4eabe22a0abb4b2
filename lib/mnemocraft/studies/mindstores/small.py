"""A small real model with a memory (notebook 06): does what it remembers tell it what it does not know?

The model and what is *known* to it are those of notebook 03 (:mod:`mnemocraft.studies.deps.small`). In
training it saw unknown items made only where an explanation, an experience or an insight in the prompt has
named them. All tasks share one memory and are met twice. Its answers were recorded; ``python -m
training.recording 06`` asks for them. :mod:`.small_tables` has the tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.errors import one_of
from mnemocraft.llm import Model
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.deps.small import LONGEST
from mnemocraft.studies.mindstores import load, sweep
from mnemocraft.studies.mindstores.load import DEPS, FRESH_PLAYERS, FULL, ROUNDS, SHARED_PLAYERS, VERSION
from mnemocraft.studies.small_player import brief
from mnemocraft.worlds.minecraft_tasks import minecraft_task, minecraft_tasks
from mnemocraft.worlds.minecraft_world import MinecraftWorld
from mnemocraft.worlds.textworld import textworld

PART = "small"
PLAYERS = {
    FULL: replace(SHARED_PLAYERS[FULL], label="MindStores"),
    DEPS: SHARED_PLAYERS[DEPS],
    "shuffled": SHARED_PLAYERS["shuffled"],
    "unaided": FRESH_PLAYERS["unaided"],
}
"""In the order in which they were recorded."""
TRIALS = 2
"""Times that every task is met."""
FIRST = 8
"""Episodes of a stream that ``smoke`` has."""


def study(profile: str) -> Study:
    """A stream a player: the 76 tasks in an order by lot, then in another; ``smoke`` has the first of them.

    Raises:
        MnemocraftError: There is no such profile.
    """
    one_of("profile", profile, load.SIZES)
    mixed = sweep.mixed([task.key for task in minecraft_tasks()], TRIALS, 0)
    met = mixed[:FIRST] if profile == "smoke" else mixed
    streams = tuple(Stream(condition(player), 0, met) for player in PLAYERS)
    return Study(load.STEM, streams, start, fingerprint(start, ("minecraft/*.json",)))


def condition(player: str) -> Condition:
    """One condition; its id reads ``small/player``."""
    return Condition(f"{PART}/{player}", {"part": PART, "player": player, "max_rounds": ROUNDS})


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream with an empty memory."""
    choice = stream.condition.settings
    begun = sweep.seated(PLAYERS[choice["player"]], choice, model, partial(begin, choice, stream.seed))
    return replace(begun, agent=brief(begun.agent, LONGEST))


def begin(settings: Mapping[str, Any], seed: int, task: str) -> tuple[MinecraftWorld, int]:
    """A trial of a task at its beginning, and the seed of the model's draws.

    That is the same in both trials: only the memory differs, and who has none does the same again.
    """
    key = task.partition("/")[0]
    own = minecraft_task(key).id
    return textworld(key, own, version=VERSION), own
