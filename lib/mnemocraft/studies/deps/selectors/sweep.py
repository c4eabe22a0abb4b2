"""The selectors' study (notebook 04, the paper's Figure 4): parallel goals in the overworld, and who chooses.

No language model is asked: the plan is a list of goals with the same preconditions (an axe will do), and
only the order in which they are pursued is left to be chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from mnemocraft.agents.deps import selectors
from mnemocraft.agents.deps.pursuit import TURN, pursue_all
from mnemocraft.agents.deps.selectors import Selector
from mnemocraft.agents.rollout import Agent
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.envs.minecraft.goals import Goal
from mnemocraft.errors import MnemocraftError, one_of
from mnemocraft.llm import Model
from mnemocraft.memory.none import NoMemory
from mnemocraft.runs import Condition, ModelSpec, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.checks import check_seeds
from mnemocraft.worlds.controllers import Guided, controller, image_size
from mnemocraft.worlds.minecraft import Demand
from mnemocraft.worlds.overworld import ControllerWorld, overworld_env
from mnemocraft.worlds.world import Goals, Horizons

STEM = "04_deps_selector"
GOALS = (
    (Goal("kill", "sheep"), "wool"),
    (Goal("kill", "cow"), "beef"),
    (Goal("kill", "pig"), "porkchop"),
    (Goal("kill", "chicken"), "chicken"),
)
"""The parallel goals in the order of the plan, each with the item of which one unit has to be held.

The paper's are "different kinds of mobs or materials" in plains; which, is only drawn.
"""
NUMBERS = (2, 3, 4)
"""How many of them an episode asks for: the first so many."""
CONTROLLERS = ("sighted", "scripted", "learned")
MAX_STEPS = 1500
LENGTHS = (125, 250, 500, 750, 1000, 1250, 1500)
"""Episode lengths that are compared, all of them from one run of the longest."""
LABELS = {
    "horizon": "horizon head",
    "fixed": "fixed order",
    "random": "random order",
    "nearest": "nearest (oracle)",
    "clip": "CLIP",
}
SELECTORS = tuple(LABELS)
"""The last one only where its weights are named."""
NOBODY = ModelSpec("surrogate")
"""A run needs somebody to open, though nobody is asked."""

PROFILES = {
    "smoke": {"sighted": 1},
    "quick": {"sighted": 32},
    "full": {"sighted": 400, "scripted": 400, "learned": 30},
}
"""Worlds that are played, by controller."""


def study(profile: str, seeds: Sequence[int], controllers: Sequence[str], clip: str = "") -> Study:
    """The grid of notebook 04; a stream plays 2, 3 and 4 goals in one world.

    Args:
        profile: ``smoke``, ``quick`` or ``full``.
        seeds: The first of them is the first world; a profile takes as many as it needs, one after the other.
        controllers: Who acts, of :data:`CONTROLLERS`; those that the profile does not play are left out.
        clip: Weights of a CLIP model, which then is a selector too: a folder, or a name on the Hugging Face
            hub; see :func:`~mnemocraft.agents.deps.selectors.clip`.

    Raises:
        MnemocraftError: An argument is none of those named, or a list is empty; there are no such weights.
    """
    one_of("profile", profile, PROFILES)
    check_seeds(seeds, 100)
    for name in controllers:
        one_of("controller", name, CONTROLLERS)
    sizes = PROFILES[profile]
    if clip:
        selectors.clip(clip)  # wrong weights are refused now, not in every episode
    streams = tuple(
        Stream(condition(controller, selector, clip), seed, tuple(map(str, NUMBERS)))
        for controller in controllers
        for selector in SELECTORS
        if clip or selector != "clip"
        for seed in worlds(seeds, sizes.get(controller, 0))
    )
    if not streams:
        raise MnemocraftError(f"Profile {profile!r} plays no controller of {', '.join(controllers)}.")
    return Study(STEM, streams, start, fingerprint(start, DATA))


def worlds(seeds: Sequence[int], number: int) -> list[int]:
    """So many seeds: those that are given, then the numbers after the last."""
    return [*seeds, *range(seeds[-1] + 1, seeds[-1] + 1 + number)][:number]


def condition(controller: str, selector: str, clip: str = "") -> Condition:
    """One condition; its id reads ``controller/selector``."""
    settings: dict[str, Any] = {"controller": controller, "selector": selector}
    settings |= {"limit": MAX_STEPS, "turn": TURN} | ({"clip": clip} if selector == "clip" else {})
    return Condition(f"{controller}/{selector}", settings)


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream; nobody asks the model, and none of its episodes leaves anything to the next."""
    settings = stream.condition.settings
    return EpisodeStream(agent(settings), NoMemory(), model, partial(begin, settings, stream.seed))


def begin(settings: Mapping[str, Any], seed: int, task: str) -> tuple[ControllerWorld, int]:
    """So many goals (``task``) in a world at its beginning, and the episode's seed."""
    return begin_world(settings, int(task), seed), seed


def agent(settings: Mapping[str, Any]) -> Agent:
    """Who pursues the goals in the order that the selector of a condition chooses."""
    name = settings["selector"]
    kinds: dict[str, Callable[[], Selector]] = {
        "horizon": selectors.HorizonSelector,
        "fixed": selectors.FixedOrder,
        "random": selectors.RandomOrder,
        "nearest": selectors.NearestBySimulator,
        "clip": lambda: selectors.ImageText(selectors.clip(settings["clip"])),
    }
    run = partial(pursue_all, goals=GOALS, selector=kinds[name]())
    return Agent(name, LABELS[name], run, needs=(Goals, Horizons))


def begin_world(settings: Mapping[str, Any], number: int, seed: int) -> ControllerWorld:
    """A world with so many goals at its beginning, by a condition's settings; equal ones, equal episodes."""
    name = settings["controller"]
    env = overworld_env(seed, MAX_STEPS, image_size=image_size(name))
    actor = controller(name, env, seed)
    guide = "learned" if settings["selector"] == "horizon" else "scripted"
    seer = actor if guide == name else controller(guide, env, seed)
    target = {item: goal.count for goal, item in GOALS[:number]}
    return ControllerWorld(f"overworld/{number} goals", env, Guided(actor, seer), Demand(target, {}))


DATA = ("minecraft/*.json", "models/controller.safetensors")
