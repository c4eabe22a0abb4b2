"""The How2 study: its conditions, and how one of its streams is played.

``study(profile, seeds)`` is the grid of notebook 01, ``small(profile)`` that of a model too slow for it, and
``demo(...)`` the few live episodes of notebook 00.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mnemocraft.agents.how2.agent import agent
from mnemocraft.agents.how2.settings import AGENTS, TEACHERS, Settings
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.errors import one_of
from mnemocraft.llm import Model
from mnemocraft.memory.keyed import Keyed
from mnemocraft.memory.none import NoMemory
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.checks import check_seeds
from mnemocraft.studies.how2.load import SPLITS, curriculum, environment, shuffled, subset
from mnemocraft.worlds.plancraft import PlancraftWorld

STEM = "01_how2_teacher_spectrum"
TASKS = {"smoke": 8, "quick": 200, "full": 570}
"""Examples per split and profile; the paper uses all 570."""
SMALL_TASKS = 150
"""Examples per split that a model plays at least which is slow or recorded, by whole targets
(``training/finetune/PLAN.md``)."""
SMALL_FIRST = {"smoke": 4, "quick": 24, "full": None}
"""So many of these, the first of every stream, are its profiles."""
SMALL_ORDER = ("base", "just_ask", "how2", "relevance", "parse", "memory_only")
"""Set-ups in the order in which they are recorded, in one split after the other."""
SMALL_SEEDS = (0, 1, 2)
"""Sampling seeds in the order in which they are recorded."""
RECORDED = SMALL_SEEDS[:1]
"""Those whose recording is complete; notebook 01 shows these."""
MAX_STEPS = 30
"""The paper's limit."""
SMALL_MAX_STEPS = 20
"""The limit for such a model: most failures wander to the end, and most of its tasks are shorter."""


def study(profile: str, seeds: Sequence[int]) -> Study:
    """The grid of notebook 01: base and 5 set-ups x 4 teachers in 2 splits, three ablations on the high one.

    Profile ``smoke`` plays the first seed only. Raises MnemocraftError for an unknown profile or no seed.
    """
    one_of("profile", profile, TASKS)
    check_seeds(seeds, 0)
    used = list(seeds)[:1] if profile == "smoke" else list(seeds)
    streams = [stream(c, seed, TASKS[profile]) for c in conditions() for seed in used]
    return Study(STEM, tuple(streams), start, fingerprint(start))


def small(profile: str, seeds: Sequence[int] = RECORDED) -> Study:
    """The main grid for a model that is slow or recorded: fewer tasks and steps, no ablations.

    Streams are in the order in which they are recorded; every profile plays the beginning of the same ones,
    so that one recording serves all of them.

    Raises:
        MnemocraftError: There is no such profile.
    """
    one_of("profile", profile, SMALL_FIRST)
    main = [c for c in conditions() if c.settings["variant"] == "main"]
    main.sort(key=lambda c: (SPLITS.index(c.settings["split"]), SMALL_ORDER.index(c.settings["setup"])))
    fewer = [replace(c, settings={**c.settings, "max_steps": SMALL_MAX_STEPS}) for c in main]
    whole = (stream(c, seed, SMALL_TASKS) for seed in seeds for c in fewer)
    begun = tuple(replace(s, tasks=s.tasks[: SMALL_FIRST[profile]]) for s in whole)
    return Study(STEM, begun, start, fingerprint(start))


def demo(episodes: int, max_steps: int) -> Study:
    """A few easy tasks with executable answers, cut short, to watch a slow model at work (notebook 00)."""
    c = condition("just_ask", "executable", "low", "main", max_steps)
    easy = tuple(item for item in subset("low", 100) if item.difficulty == "easy")
    return Study("00_start_here", (Stream(c, 0, shuffled(easy, 0)[:episodes]),), start, fingerprint(start))


def conditions() -> list[Condition]:
    """All conditions of the study, main grid first."""
    main = [condition(*agent, split, "main") for split in SPLITS for agent in AGENTS]
    ablations = [
        condition("how2", teacher, "high", variant)
        for variant in ("curriculum", "ask_first")
        for teacher in TEACHERS
    ]
    return main + ablations + [condition(*agent, "high", "no_think") for agent in AGENTS]


def condition(setup: str, teacher: str, split: str, variant: str, max_steps: int = MAX_STEPS) -> Condition:
    """One condition; its id reads ``set-up/teacher/split/variant``."""
    named = {"setup": setup, "teacher": teacher, "split": split, "variant": variant}
    return Condition("/".join(named.values()), named | {"max_steps": max_steps})


def stream(c: Condition, seed: int, size: int) -> Stream:
    """A condition's tasks in the order that ``seed`` gives them."""
    order = curriculum if c.settings["variant"] == "curriculum" else shuffled
    return Stream(c, seed, order(subset(c.settings["split"], size), seed))


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream with an empty memory."""
    choice = stream.condition.settings
    setup, teacher, variant = (choice[name] for name in ("setup", "teacher", "variant"))
    settings = Settings(setup, teacher, ask_first=variant == "ask_first", think=variant != "no_think")
    memory = Keyed() if settings.remembers else NoMemory()
    return EpisodeStream(agent(settings), memory, model, partial(begin, choice, stream.seed))


def begin(settings: Mapping[str, Any], seed: int, task: str) -> tuple[PlancraftWorld, int]:
    """A task of a condition (or of a record with its settings) at its beginning, and the episode's seed."""
    return PlancraftWorld(environment(task, int(settings["max_steps"]))), seed
