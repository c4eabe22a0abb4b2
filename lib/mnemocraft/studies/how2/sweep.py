"""The How2 study: its conditions, and how one of its streams is played.

``study(profile, seeds)`` is the grid of notebook 01, ``small(profile)`` that of a model too slow for it, and
``demo(...)`` the few live episodes of notebook 00.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from mnemocraft.agents.how2 import prompts
from mnemocraft.agents.how2.agent import Trial
from mnemocraft.agents.how2.settings import AGENTS, MEMORY_SETUPS, Settings
from mnemocraft.agents.how2.teachers import TEACHERS
from mnemocraft.errors import MnemocraftError
from mnemocraft.llm import Model
from mnemocraft.memory import KeyedMemory
from mnemocraft.runs import Condition, Episode, Stream, Study
from mnemocraft.studies.how2.load import SPLITS, curriculum, environment, shuffled, subset

STEM = "01_how2_teacher_spectrum"
TASKS = {"smoke": 8, "quick": 200, "full": 570}
"""Examples per split and profile; the paper uses all 570."""
SMALL_TASKS = 12
"""Examples per split that a model plays which is slow or recorded; its profiles ``quick`` and ``full``."""
SMALL_ALONE_TASKS = 24
"""The same of the set-ups without a memory on the ``low`` split, where other tasks are other targets."""
SMALL_SMOKE_TASKS = 4
"""So many of these, the first of every stream, are its profile ``smoke``."""
VARIANTS = ("main", "curriculum", "ask_first", "no_think")
"""The main grid, and the ablations of Appendices C.2, C.3 and F (high split only)."""
MAX_STEPS = 30
"""The paper's limit."""
SMALL_MAX_STEPS = 20
"""The limit for such a model: most failures wander to the end, and all but one of its tasks are shorter."""
_PLAYED = ("load.py", "sweep.py", "validation.py")
"""Files of this package that decide how an episode goes; the others only look at records."""


def study(profile: str, seeds: Sequence[int]) -> Study:
    """The grid of notebook 01: 6 set-ups x 4 teachers x 2 splits, and three ablations on the high split.

    Profile ``smoke`` plays the first seed only. Raises MnemocraftError for an unknown profile or no seed.
    """
    _check_profile(profile)
    if not seeds:
        raise MnemocraftError("The parameter 'seeds' is empty; name at least one, such as [0].")
    used = list(seeds)[:1] if profile == "smoke" else list(seeds)
    streams = [stream(c, seed, TASKS[profile]) for c in conditions() for seed in used]
    return Study(STEM, tuple(streams), start, fingerprint())


def small(profile: str) -> Study:
    """The main grid for a model that is slow or recorded: few tasks, fewer steps, seed 0, no ablations.

    Every profile plays the beginning of the same streams, so that one recording serves all of them. Raises
    MnemocraftError for an unknown profile.
    """
    _check_profile(profile)
    played = SMALL_SMOKE_TASKS if profile == "smoke" else None
    streams = [_small_stream(c) for c in conditions() if c.settings["variant"] == "main"]
    return Study(STEM, tuple(replace(s, tasks=s.tasks[:played]) for s in streams), start, fingerprint())


def _small_stream(c: Condition) -> Stream:
    c = replace(c, settings={**c.settings, "max_steps": SMALL_MAX_STEPS})
    short = stream(c, 0, SMALL_TASKS)
    tasks = short.tasks[:SMALL_TASKS]  # whole targets can be some more
    if c.settings["setup"] not in MEMORY_SETUPS and c.settings["split"] == "low":
        tasks += tuple(task for task in stream(c, 0, SMALL_ALONE_TASKS).tasks if task not in tasks)
    return replace(short, tasks=tasks)


def _check_profile(profile: str) -> None:
    if profile not in TASKS:
        raise MnemocraftError(f"There is no profile {profile!r}; it is one of {', '.join(TASKS)}.")


def demo(episodes: int, max_steps: int) -> Study:
    """A few easy tasks with executable answers, cut short, to watch a slow model at work (notebook 00)."""
    c = condition("just_ask", "executable", "low", "main", max_steps)
    easy = tuple(item for item in subset("low", 100) if item.difficulty == "easy")
    return Study("00_start_here", (Stream(c, 0, shuffled(easy, 0)[:episodes]),), start, fingerprint())


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
    settings = {
        "setup": setup,
        "teacher": teacher,
        "split": split,
        "variant": variant,
        "max_steps": max_steps,
    }
    return Condition("/".join((setup, teacher, split, variant)), settings)


def stream(c: Condition, seed: int, size: int) -> Stream:
    """A condition's tasks in the order that ``seed`` gives them."""
    order = curriculum if c.settings["variant"] == "curriculum" else shuffled
    return Stream(c, seed, order(subset(c.settings["split"], size), seed))


class How2Stream:
    """A stream of How2 episodes that share one memory."""

    def __init__(self, stream: Stream, model: Model) -> None:
        choice = stream.condition.settings
        variant = choice["variant"]
        self.settings = Settings(
            choice["setup"], choice["teacher"], ask_first=variant == "ask_first", think=variant != "no_think"
        )
        self.max_steps = choice["max_steps"]
        self.model, self.seed = model, stream.seed
        self.memory = KeyedMemory()

    async def episode(self, task: str) -> Episode:
        """Play one task. After one that failed the run begins anew from the deltas, so it writes nothing."""
        env = environment(task, self.max_steps)
        episode = await Trial(self.settings, self.model, self.seed, self.memory, env).run()
        if episode.reason == "error":
            episode.memory_delta = None
        return episode

    def restore(self, deltas: Sequence[Any]) -> None:
        """Write what the finished episodes of an interrupted run had written."""
        for delta in deltas:
            for entry, keys in delta or ():
                self.memory.write(entry, keys)


def start(stream: Stream, model: Model) -> How2Stream:
    """Begin a stream with an empty memory."""
    return How2Stream(stream, model)


@cache
def fingerprint() -> dict[str, str]:
    """Hashes of the prompts and of the source code that decides how an episode goes."""
    digest = hashlib.sha256()
    for package in ("agents.how2", "envs.plancraft", "memory", "llm", "surrogate", "studies.how2"):
        folder = files(f"mnemocraft.{package}")
        for item in sorted(folder.iterdir(), key=lambda entry: entry.name):
            if item.name.endswith(".py") and (package != "studies.how2" or item.name in _PLAYED):
                digest.update(f"{package}/{item.name}\0".encode() + item.read_bytes())
    return {"prompts": prompts.fingerprint(), "code": digest.hexdigest()}
