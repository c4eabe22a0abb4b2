"""The household study: its conditions, and how one of its streams is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from mnemocraft.agents.registry import get_agent
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.errors import one_of
from mnemocraft.llm import Model
from mnemocraft.memory.none import NoMemory
from mnemocraft.paths import PROFILES
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.checks import check_seeds
from mnemocraft.studies.household.load import PLAYERS, STEM, games, runs, ten
from mnemocraft.worlds.household import HouseholdWorld, household

MAX_STEPS = 50
"""Steps allowed, refused commands included (GiG A.2, DEPS A.1.1)."""


def study(profile: str, seeds: Sequence[int]) -> Study:
    """GiG, ReCAP and ReAct play all games once; DEPS's planners play its ten tasks, some times over.

    Args:
        profile: ``smoke``, ``quick`` (generated games) or ``full`` (the 134 of valid_unseen).
        seeds: Of the runs; GiG's part has the first.

    Raises:
        MnemocraftError: There is no such profile, or no seed.
    """
    one_of("profile", profile, PROFILES)
    check_seeds(seeds, 0)
    first = 0 if profile == "full" else seeds[0]
    streams = []
    for player, who in PLAYERS.items():
        if who.part == "ten":
            condition = _condition(player, "ten")
            streams += [Stream(condition, seed, ten(profile)) for seed in runs(profile, seeds)]
        else:
            streams += [Stream(_condition(player, kind), first, of) for kind, of in games(profile).items()]
    return Study(STEM, tuple(streams), start, fingerprint(start, DATA))


def _condition(player: str, part: str) -> Condition:
    who = PLAYERS[player]
    settings = {"player": player, "agent": who.agent, "part": part, "max_steps": MAX_STEPS}
    settings |= {"sub_goals": who.sub_goals}
    return Condition(f"{player}/{part}", settings)


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream; nobody remembers anything from one game to the next."""
    choice = stream.condition.settings
    return EpisodeStream(get_agent(choice["agent"]), NoMemory(), model, partial(begin, choice, stream.seed))


def begin(settings: Mapping[str, Any], seed: int, task: str) -> tuple[HouseholdWorld, int]:
    """A game at its beginning, and the episode's seed; games have no chance in them."""
    return household(task, max_steps=settings["max_steps"], sub_goals=settings["sub_goals"]), seed


DATA = ("models/gig_encoder.safetensors", "models/kitchen_texts.safetensors")
"""Weights of the encoder."""
