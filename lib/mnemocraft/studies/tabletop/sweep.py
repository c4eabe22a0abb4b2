"""The study of the table top: its conditions, and how one of its streams is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from mnemocraft.agents.registry import get_agent
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.llm import Model
from mnemocraft.memory.registry import get_memory
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.tabletop import load
from mnemocraft.worlds.tabletop import TabletopWorld


def study(profile: str, seeds: Sequence[int]) -> Study:
    """The grid of planners and controllers, all on the same games.

    Args:
        profile: ``smoke``, ``quick`` or ``full``.
        seeds: Of the scenes; ``full`` has four whatever they are.

    Raises:
        MnemocraftError: There is no such profile, or no seed.
    """
    used = load.seeds_of(profile, seeds)
    streams = tuple(
        Stream(condition(controller, method), seed, load.games(profile))
        for controller in load.CONTROLLERS
        for method in load.METHODS
        for seed in used
    )
    return Study(load.STEM, streams, start, fingerprint(start))


def condition(controller: str, method: str) -> Condition:
    """A planner with a controller."""
    rates = dict(load.CONTROLLERS[controller])
    return Condition(f"{controller}/{method}", {"controller": controller, "method": method, "rates": rates})


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream; nobody remembers anything."""
    choice = stream.condition.settings
    agent = get_agent(choice["method"])
    return EpisodeStream(agent, get_memory("none"), model, partial(begin, choice, stream.seed))


def begin(settings: Mapping[str, Any], seed: int, task: str) -> tuple[TabletopWorld, int]:
    """A game at its beginning, and the episode's own seed."""
    env, own = load.begin(task, seed, settings["controller"])
    return TabletopWorld(env), own
