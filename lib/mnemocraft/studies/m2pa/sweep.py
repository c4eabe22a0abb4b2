"""M2PA's study: its conditions, and how one of its streams is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from mnemocraft.agents.registry import get_agent
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.envs.minecraft.textworld import TextWorldEnv
from mnemocraft.llm import Model
from mnemocraft.memory.registry import get_memory
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.checks import check, check_seeds
from mnemocraft.studies.m2pa.load import ATTEMPTS, PLAYERS, STEM, VERSION, chosen, seeds_of, tasks
from mnemocraft.worlds.minecraft import Demand
from mnemocraft.worlds.textworld import TextWorld

SEEDS_APART, ATTEMPTS_APART = 1000, 100
"""Seeds of episodes are so far apart from one seed of the study, and from one attempt, to the next."""


def study(profile: str, seeds: Sequence[int]) -> Study:
    """The grid in the text world; a stream plays all tasks, some times over, with one memory.

    Args:
        profile: ``smoke``, ``quick`` or ``full``.
        seeds: Streams of a player; ``full`` has ten whatever they are.

    Raises:
        MnemocraftError: There is no such profile, or no seed.
    """
    check("profile", profile, ATTEMPTS)
    check_seeds(seeds, 0)
    names = [
        f"{attempt}/{task.item}" for attempt in range(1, ATTEMPTS[profile] + 1) for task in chosen(profile)
    ]
    streams = tuple(
        Stream(condition(player), seed, tuple(names))
        for player in PLAYERS
        for seed in seeds_of(profile, seeds)
    )
    return Study(STEM, streams, start, fingerprint(start, ("minecraft/*.json",)))


def condition(player: str) -> Condition:
    """One condition, the name of a player."""
    who = PLAYERS[player]
    return Condition(
        player, {"player": player, "agent": who.agent, "memory": who.memory, "max_rounds": who.rounds}
    )


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream with an empty memory."""
    choice = stream.condition.settings
    limits = {} if choice["max_rounds"] is None else {"max_rounds": choice["max_rounds"]}
    agent, memory = get_agent(choice["agent"], **limits), get_memory(choice["memory"])
    return EpisodeStream(agent, memory, model, partial(begin, choice, stream.seed))


def begin(settings: Mapping[str, Any], seed: int, task: str) -> tuple[TextWorld, int]:
    """An attempt at a task (``2/stick``) at its beginning, and the episode's own seed.

    The inventory is empty, as in the paper; ``seed`` is the study's. All players have the same seeds.
    """
    attempt, _, item = task.partition("/")
    place, wanted = next((n, each) for n, each in enumerate(tasks()) if each.item == item)
    own = SEEDS_APART * seed + ATTEMPTS_APART * int(attempt) + place
    env = TextWorldEnv(VERSION, max_steps=wanted.max_steps)
    return TextWorld(item, env, Demand({item: 1}, {})), own
