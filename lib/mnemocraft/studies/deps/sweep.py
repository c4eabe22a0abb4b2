"""The planners' study: its conditions, and how one of its streams is played."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from mnemocraft.agents.deps import (
    Task,
    Trial,
    judge,
    overworld,
    play,
    prompts,
    task,
    text_stage,
    world_stage,
)
from mnemocraft.llm import Model
from mnemocraft.runs import Condition, Episode, Stream, Study
from mnemocraft.runs.sources import hashes
from mnemocraft.studies.deps import actors
from mnemocraft.studies.deps.load import OVERWORLD_VERSION, STEM, chosen, parts, seeds_of

if TYPE_CHECKING:
    from mnemocraft.agents.deps.stage import Stage

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
    part = parts(profile).get(world)
    if part is None:
        return None
    listed, used = chosen(part, task_list), seeds_of(part, seeds, profile)
    _refuse_unknown(listed[0], version, limits)
    streams = tuple(
        Stream(condition(method, world, version, limits), seed, tuple(task.key for task in listed))
        for method in part.methods
        for seed in used
    )
    return Study(STEM, streams, start, fingerprint())


def _refuse_unknown(task: Task, version: str, limits: str) -> None:
    """Wrong names are refused now, not in every episode."""
    task.steps(limits)
    task.accepts(version)


def condition(method: str, world: str, version: str, limits: str) -> Condition:
    """One condition; its id reads ``world/method``."""
    version = version if world == "text" else OVERWORLD_VERSION
    settings = {"method": method, "world": world, "version": version, "limits": limits}
    return Condition(f"{world}/{method}", settings)


class DepsStream:
    """A stream of episodes; none of them leaves anything to the next."""

    def __init__(self, stream: Stream, model: Model) -> None:
        self.settings, self.seed, self.model = stream.condition.settings, stream.seed, model

    async def episode(self, task: str) -> Episode:
        """Play one task."""
        trial = new_trial(self.settings, task, self.seed, self.model)
        return await play(trial, self.settings["method"])

    def restore(self, deltas: Sequence[Any]) -> None:
        """Nothing is remembered from episode to episode."""


def new_trial(settings: Any, key: str, seed: int, model: Model, watch: Any = None) -> Trial:
    """An episode before it begins; its own seed makes its world and the model's draws.

    Args:
        settings: Of its condition, or a record with them.
        key: Of the task.
        seed: The study's seed.
        model: Who answers.
        watch: Called after every logged event, see :class:`~mnemocraft.agents.deps.Trial`.
    """
    own = SEEDS_APART * seed + task(key).id
    stage = new_stage(settings, key, own)
    return Trial(stage, model, seed=own, limits=settings["limits"], watch=watch)


def new_stage(settings: Any, key: str, seed: int) -> Stage:
    """What the agent acts on."""
    wanted, world = task(key), settings["world"]
    if world == "text":
        return text_stage(wanted, settings["version"], settings["limits"])
    sees = world == "learned"
    env = overworld(seed, wanted.steps(settings["limits"]), image_size=(64, 64) if sees else None)
    actor = actors.learned(seed) if sees else actors.scripted(env, seed)
    return world_stage(env, actor, judge(wanted, OVERWORLD_VERSION))


def start(stream: Stream, model: Model) -> DepsStream:
    """Begin a stream."""
    return DepsStream(stream, model)


_PLAYED = (
    "agents/deps",
    "controllers",
    "envs/minecraft",
    "envs/overworld",
    "llm",
    "surrogate",
    "studies/deps/actors.py",
    "studies/deps/load.py",
    "studies/deps/sweep.py",
)
"""Code that decides how an episode goes; the rest of this package only looks at records."""
_DATA = ("minecraft/*.json", "models/controller.safetensors")


@cache
def fingerprint() -> dict[str, str]:
    """Hashes of the prompts, of the code that decides how an episode goes, and of the data that it reads."""
    return {"prompts": prompts.fingerprint()} | hashes(_PLAYED, _DATA)
