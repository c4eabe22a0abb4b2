"""The planners' study: its conditions, and how one of its streams is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from mnemocraft.agents.deps.methods import agent
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.errors import one_of
from mnemocraft.llm import Model
from mnemocraft.memory.none import NoMemory
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.checks import check_seeds
from mnemocraft.studies.deps.load import OVERWORLD_VERSION, PARTS, STEM, chosen, seeds_of
from mnemocraft.worlds.minecraft_tasks import minecraft_task
from mnemocraft.worlds.overworld import ControllerWorld, overworld
from mnemocraft.worlds.textworld import TextWorld, textworld

CODE_ROUNDS = 12
"""Revised plans that the released code allows."""
SEEDS_APART = 1000
"""Two seeds of the study are so far apart in the seeds of episodes: more than there are tasks."""


def study(
    profile: str,
    seeds: Sequence[int],
    world: str,
    task_list: str = "tables9-16",
    version: str = OVERWORLD_VERSION,
    limits: str = "paper",
) -> Study | None:
    """The grid of notebook 03 in one world; a stream plays the tasks with one seed. None: not in the profile.

    Args:
        profile: ``smoke``, ``quick`` or ``full``.
        seeds: Episodes of a task; ``full`` has 30 whatever they are.
        world: One of :data:`~mnemocraft.studies.deps.load.WORLDS`.
        task_list: ``tables9-16`` (76 tasks) or ``table21`` (69).
        version: Of the text world's rules.
        limits: Steps allowed, of the ``paper`` or the released ``code``.

    Raises:
        MnemocraftError: An argument is none of those named, or there is no seed.
    """
    one_of("profile", profile, PARTS)
    check_seeds(seeds, 0)
    part = PARTS[profile].get(world)
    if part is None:
        return None
    listed, used = chosen(part, task_list), seeds_of(part, seeds, profile)
    listed[0].steps(limits)  # wrong names are refused now, not in every episode
    listed[0].accepts(version)
    streams = tuple(
        Stream(condition(method, world, version, limits), seed, tuple(task.key for task in listed))
        for method in part.methods
        for seed in used
    )
    return Study(STEM, streams, start, fingerprint(start, DATA))


def condition(method: str, world: str, version: str, limits: str) -> Condition:
    """One condition; its id reads ``world/method``."""
    version = version if world == "text" else OVERWORLD_VERSION
    settings = {"method": method, "world": world, "version": version, "limits": limits}
    return Condition(f"{world}/{method}", settings)


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream; none of its episodes leaves anything to the next."""
    choice = stream.condition.settings
    max_rounds = CODE_ROUNDS if choice["limits"] == "code" else None
    player = agent(choice["method"], max_rounds)
    return EpisodeStream(player, NoMemory(), model, partial(begin, choice, stream.seed))


def begin(settings: Mapping[str, Any], seed: int, task: str) -> tuple[TextWorld | ControllerWorld, int]:
    """A task of a condition (or of a record with its settings) at its beginning, and the episode's own seed.

    That seed makes its world and the model's draws; ``seed`` is the study's.
    """
    own = SEEDS_APART * seed + minecraft_task(task).id
    limits = settings["limits"]
    if settings["world"] == "text":
        return textworld(task, own, version=settings["version"], limits=limits), own
    controller = "learned" if settings["world"] == "learned" else "scripted"
    return overworld(task, own, controller, limits), own


DATA = ("minecraft/*.json", "models/controller.safetensors")
