"""The study of MindStores: its conditions, and how one of its streams is played."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from mnemocraft.agents import get_agent
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.envs.minecraft.textworld import TextWorldEnv
from mnemocraft.errors import one_of
from mnemocraft.llm import Model
from mnemocraft.memory import get_memory
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.checks import check_seeds
from mnemocraft.studies.mindstores.load import (
    CONTINUAL,
    FRESH,
    LEARNERS,
    OVERWORLD,
    PLAYERS,
    RESET,
    ROUNDS,
    SHARED,
    SIZES,
    SKILL_STEPS,
    SKILLS,
    STEM,
    VERSION,
    Player,
    Size,
    chosen,
    ordered,
)
from mnemocraft.worlds.minecraft import GIVEN_TOOL, Demand
from mnemocraft.worlds.minecraft_tasks import minecraft_task
from mnemocraft.worlds.minecraft_world import MinecraftWorld
from mnemocraft.worlds.overworld import overworld
from mnemocraft.worlds.textworld import TextWorld, textworld
from mnemocraft.worlds.world import World

APART = 30
"""Two seeds are so far apart in the trials that they count: more than there are."""
DATA = ("minecraft/*.json", "papers/mindstores_table2.csv")


def study(profile: str, seeds: Sequence[int]) -> Study:
    """The grid of notebook 06; ``full`` has seeds of its own.

    Raises:
        MnemocraftError: There is no such profile, or no seed.
    """
    one_of("profile", profile, SIZES)
    check_seeds(seeds, 0)
    streams: list[Stream] = []
    for part, size in SIZES[profile].items():
        own = profile == "full" or part in LEARNERS
        used = list(range(size.seeds or 1)) if own else list(seeds)[: size.seeds]
        streams += [stream for seed in used for stream in _STREAMS[part](part, size, seed)]
    return Study(STEM, tuple(streams), start, fingerprint(start, DATA))


def _by_task(part: str, size: Size, seed: int) -> Iterator[Stream]:
    """A stream a task and player, from trial to trial."""
    for player in PLAYERS[part]:
        for task in chosen(part, size):
            yield _trials(part, player, task, seed, size.trials)


def _skills(part: str, size: Size, seed: int) -> Iterator[Stream]:
    """A stream a skill and player, as many episodes as there is room for plans."""
    for name, player in PLAYERS[part].items():
        plans = player.options.get("max_rounds", 0) + 1  # a plan, and those after it
        for task in chosen(part, size):
            yield _trials(part, name, task, seed, max(1, size.trials // plans))


def _shared(part: str, size: Size, seed: int) -> Iterator[Stream]:
    """A stream a player, all tasks in an order by lot, once a trial."""
    met = mixed(chosen(part, size), size.trials, seed)
    for player in PLAYERS[part]:
        yield Stream(condition(part, player), seed, met)


def mixed(tasks: Sequence[str], trials: int, seed: int) -> tuple[str, ...]:
    """All tasks as often as there are trials, each time in another order by lot, as ``task/trial``."""
    order = np.random.default_rng(seed)
    return tuple(f"{task}/{trial}" for trial in range(trials) for task in order.permutation(tasks))


def _continual(part: str, size: Size, seed: int) -> Iterator[Stream]:
    """A stream a player, the tasks in the seed's order; for who is emptied a stream a task."""
    order = ordered(chosen(part, size), seed)
    for player in PLAYERS[part]:
        if player == RESET:
            yield from (_trials(part, player, task, seed, 1) for task in order)
        else:
            yield Stream(condition(part, player), seed, tuple(f"{task}/0" for task in order))


_STREAMS = {
    FRESH: _by_task, SHARED: _shared, SKILLS: _skills, CONTINUAL: _continual, OVERWORLD: _by_task
}  # fmt: skip


def _trials(part: str, player: str, task: str, seed: int, count: int) -> Stream:
    return Stream(
        condition(part, player, f"/{task}"), seed, tuple(f"{task}/{trial}" for trial in range(count))
    )


def condition(part: str, player: str, only: str = "") -> Condition:
    """One condition; its id reads ``part/player``, with the task where that has a memory of its own."""
    rounds = PLAYERS[part][player].options.get("max_rounds", None if part == CONTINUAL else ROUNDS)
    return Condition(f"{part}/{player}{only}", {"part": part, "player": player, "max_rounds": rounds})


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream with an empty memory; the record of an episode says how much is in it afterwards."""
    choice = stream.condition.settings
    player = PLAYERS[choice["part"]][choice["player"]]
    return seated(player, choice, model, partial(begin, choice, stream.seed))


def seated(
    player: Player, settings: Mapping[str, Any], model: Model, begin: Callable[[str], tuple[World, int]]
) -> EpisodeStream:
    """A player at the beginning of a stream, with an empty memory and the settings' ``max_rounds``."""
    agent = get_agent(player.agent, **{"max_rounds": settings["max_rounds"]} | dict(player.options))
    memory = get_memory(player.memory, **player.kept)
    return EpisodeStream(agent, memory, model, begin, lambda task: {"entries": len(memory)})


def begin(settings: Mapping[str, Any], seed: int, task: str) -> tuple[MinecraftWorld, int]:
    """A trial of a task at its beginning, and the seed of the model's draws, the same for all players.

    Who learns skills or plays on and on is the same somebody in all trials and tasks of a stream.
    """
    key, _, trial = task.partition("/")
    part = settings["part"]
    own = seed if part in LEARNERS else 1000 * (APART * seed + int(trial)) + minecraft_task(key).id
    if part == SKILLS:
        env = TextWorldEnv(VERSION, inventory={GIVEN_TOOL: 1}, max_steps=SKILL_STEPS)
        return TextWorld(key, env, Demand({key: 1}, {})), own
    if part == OVERWORLD:
        return overworld(key, own), own
    return textworld(key, own, version=VERSION), own
