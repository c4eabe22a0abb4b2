"""M2PA's study: its conditions, and how one of its streams is played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from mnemocraft.agents.registry import get_agent
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.envs.minecraft.textworld import TextWorldEnv
from mnemocraft.errors import one_of
from mnemocraft.llm import Model
from mnemocraft.memory.registry import get_memory
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.checks import check_seeds
from mnemocraft.studies.m2pa import fragments
from mnemocraft.studies.m2pa.load import (
    MAIN,
    SCOPES,
    SIGHT,
    SIGHT_TASKS,
    SIZES,
    STEM,
    VERSION,
    items,
    seeds_of,
    tasks,
)
from mnemocraft.worlds import controllers
from mnemocraft.worlds.minecraft import Demand
from mnemocraft.worlds.overworld import ControllerWorld, overworld_env
from mnemocraft.worlds.textworld import TextWorld

SEEDS_APART, ATTEMPTS_APART = 1000, 100
"""Seeds of episodes are so far apart from one seed of the study, and from one attempt, to the next."""
DATA = ("minecraft/*.json", "models/controller.safetensors")
COMPARED = ("m2pa", "working")
"""Who also plays with a second model (Figure 5)."""


def study(profile: str, seeds: Sequence[int], compared: bool = False) -> Study:
    """The grid; a stream plays all tasks of its scope, some times over, with one memory.

    Args:
        profile: ``smoke``, ``quick`` or ``full``.
        seeds: Streams of a player of the tables; ``full`` has ten, of these if they are enough.
        compared: Only what a second model plays: M2PA with and without episodic memory.

    Raises:
        MnemocraftError: There is no such profile, or no seed.
    """
    one_of("profile", profile, SIZES)
    check_seeds(seeds, 0)
    scopes = [MAIN] if compared else list(SIZES[profile])
    streams = tuple(
        stream
        for scope in scopes
        for stream in _streams(profile, scope, seeds)
        if not compared or stream.condition.settings["player"] in COMPARED
    )
    return Study(STEM, streams, start, fingerprint(start, DATA))


def _streams(profile: str, scope: str, seeds: Sequence[int]) -> Iterator[Stream]:
    size = SIZES[profile][scope]
    names = [f"{n}/{item}" for n in range(1, size.attempts + 1) for item in items(profile, scope)]
    for player in size.players or SCOPES[scope]:
        for seed in seeds_of(profile, scope, seeds):
            yield Stream(condition(scope, player), seed, tuple(names))


def condition(scope: str, player: str) -> Condition:
    """One condition; its id reads ``scope/player``."""
    who = SCOPES[scope][player]
    settings = {"scope": scope, "player": player, "agent": who.agent, "memory": who.memory}
    return Condition(f"{scope}/{player}", settings | {"max_rounds": who.rounds, **who.kept})


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream with an empty memory, or with one that has been given sub-goals of the diamond."""
    choice = stream.condition.settings
    player = SCOPES[choice["scope"]][choice["player"]]
    limits = {} if player.rounds is None else {"max_rounds": player.rounds}
    agent, memory = get_agent(player.agent, **limits), get_memory(player.memory, **player.kept)
    for cue in fragments.experiences()[: player.fragments]:
        memory.experience(cue, "Success: the sub-goal was reached.", True)
    memory.commit("", True)  # given, so that no episode reports it
    return EpisodeStream(agent, memory, model, partial(begin, choice, stream.seed))


def begin(settings: Mapping[str, Any], seed: int, task: str) -> tuple[TextWorld | ControllerWorld, int]:
    """An attempt at a task (``2/stick``) at its beginning, and the episode's own seed.

    The inventory is empty, as in the paper; ``seed`` is the study's. All players have the same seeds.
    """
    attempt, _, item = task.partition("/")
    sight = settings.get("scope") == SIGHT
    listed = list(SIGHT_TASKS) if sight else [each.item for each in tasks()]
    own = SEEDS_APART * seed + ATTEMPTS_APART * int(attempt) + listed.index(item)
    if sight:
        env = overworld_env(own, SIGHT_STEPS, None, controllers.IMAGE)
        actor = controllers.controller("scripted", env, own)
        return ControllerWorld(f"overworld/{item}", env, actor, Demand({item: 1}, {})), own
    wanted = next(each for each in tasks() if each.item == item)
    env_text = TextWorldEnv(VERSION, max_steps=wanted.max_steps)
    return TextWorld(item, env_text, Demand({item: 1}, {})), own


SIGHT_STEPS = 12_000
"""Steps allowed in the overworld, those of the paper's easy tasks."""
