"""The kitchen study: its conditions, and how one of its streams is played."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from mnemocraft import paths
from mnemocraft.agents.gig.methods import METHODS, parts
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.errors import one_of
from mnemocraft.llm import Model
from mnemocraft.memory.none import NoMemory
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.checks import check_seeds
from mnemocraft.studies.gig.load import MAIN, MODES, environment, memory_bank, task_facts, tasks
from mnemocraft.worlds.kitchen import KitchenWorld

STEM = "09_gig_robotouille"
LAYOUTS = tuple(range(42, 30 * 42 + 1, 42))
"""Seeds of profile ``full``: the paper's ten (42, 84 ... 420) and twenty more by the same rule."""
MULTIPLIER = 3
"""Step limit in listed horizons, as in GiG's Tables 7 to 16; the benchmark's own configuration has 1.5."""
PARTS = {
    "main": (
        *((method, mode) for mode in MODES for method in MAIN),
        ("gig_ld", "sync"),
        ("gig_bl", "sync"),
    ),
    "weak": tuple((method, "sync") for method in ("gig_exp", "gig", "recap", "react")),
    "star": tuple((method, mode) for mode in MODES for method in ("gig_star", "gig_exp_star")),
}
"""Methods and modes of a part: Tables 1, 2, 5 and 7 to 16; Table 4, the plug-in for a weaker model; and
GiG*, which the paper uses with models that do not keep to the answer format."""


def study(profile: str, seeds: Sequence[int], part: str = "main") -> Study:
    """A part of the grid of notebook 09; one stream plays the ten tasks of a mode in one layout.

    Profile ``smoke`` plays the first task in the layout of the first seed, ``full`` all of
    :data:`LAYOUTS` whatever ``seeds`` says. Raises MnemocraftError for an unknown profile or part, or no
    seed.
    """
    one_of("profile", profile, paths.PROFILES)
    one_of("part", part, PARTS)
    check_seeds(seeds, 42)
    used = {"smoke": list(seeds)[:1], "quick": list(seeds), "full": list(LAYOUTS)}[profile]
    length = 1 if profile == "smoke" else None
    streams = [
        Stream(condition(method, mode), seed, tasks(mode)[:length])
        for method, mode in PARTS[part]
        for seed in used
    ]
    return Study(STEM, tuple(streams), start, fingerprint(start, DATA))


def condition(method: str, mode: str) -> Condition:
    """One condition; its id reads ``method/mode``."""
    settings = {"method": method, "mode": mode, **asdict(parts(method)), "multiplier": MULTIPLIER}
    return Condition(f"{method}/{mode}", settings)


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream; with experience its memory holds the bank of the mode, and grows on success."""
    choice = stream.condition.settings
    agent, seed = METHODS[choice["method"]], stream.seed
    memory = memory_bank(choice["mode"]) if choice["experience"] else NoMemory()
    return EpisodeStream(
        agent, memory, model, partial(begin, choice, seed), lambda task: task_facts(task, seed)
    )


def begin(settings: Mapping[str, Any], seed: int, task: str) -> tuple[KitchenWorld, int]:
    """A task of a condition (or of a record with its settings) at its beginning, and the episode's seed."""
    return KitchenWorld(environment(task, seed, settings["multiplier"])), seed


DATA = ("models/gig_encoder.safetensors", "models/kitchen_texts.safetensors", "kitchen/*.jsonl")
"""Weights of the encoder and plans of the oracle."""
