"""The kitchen study: its conditions, and how one of its streams is played."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

from mnemocraft.agents.gig import prompts
from mnemocraft.agents.gig.baselines import CoT, ReAct
from mnemocraft.agents.gig.episode import Planner, Trial, play
from mnemocraft.agents.gig.gig import GiG
from mnemocraft.agents.gig.methods import METHODS, Method
from mnemocraft.agents.gig.recap import ReCAP
from mnemocraft.envs.kitchen import BENCHMARK_SEEDS
from mnemocraft.errors import MnemocraftError
from mnemocraft.llm import Model
from mnemocraft.memory import TraceMemory
from mnemocraft.runs import Condition, Episode, Stream, Study
from mnemocraft.runs.sources import hashes
from mnemocraft.studies.gig.load import MODES, embed, environment, memory_bank, replay, task_facts, tasks

STEM = "09_gig_robotouille"
PROFILES = ("smoke", "quick", "full")
MULTIPLIER = 3
"""Step limit in listed horizons, as in GiG's Tables 7 to 16; the benchmark's own configuration has 1.5."""
_MAIN = ("gig", "gig_exp", "recap", "react", "cot")
PARTS = {
    "main": (
        *((method, mode) for mode in MODES for method in _MAIN),
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

    Profile ``smoke`` plays the first task in the layout of the first seed, ``full`` all the benchmark's ten
    layouts whatever ``seeds`` says. Raises MnemocraftError for an unknown profile or part, or no seed.
    """
    for what, name, known in (("profile", profile, PROFILES), ("part", part, PARTS)):
        if name not in known:
            raise MnemocraftError(f"There is no {what} {name!r}; it is one of {', '.join(known)}.")
    if not seeds:
        raise MnemocraftError("The parameter 'seeds' is empty; name at least one, such as [42].")
    used = {"smoke": list(seeds)[:1], "quick": list(seeds), "full": list(BENCHMARK_SEEDS)}[profile]
    length = 1 if profile == "smoke" else None
    streams = [
        Stream(condition(method, mode), seed, tasks(mode)[:length])
        for method, mode in PARTS[part]
        for seed in used
    ]
    return Study(STEM, tuple(streams), start, fingerprint())


def condition(method: str, mode: str) -> Condition:
    """One condition; its id reads ``method/mode``."""
    flags = asdict(METHODS[method])
    parts = {name: flags[name] for name in ("lookahead", "loop_detection", "experience", "carry")}
    settings = {"method": method, "mode": mode, **parts, "multiplier": MULTIPLIER}
    return Condition(f"{method}/{mode}", settings)


_BASELINES: dict[str, Callable[[Trial], Planner]] = {"react": ReAct, "recap": ReCAP, "cot": CoT}


class GigStream:
    """A stream of kitchen episodes; with experience they share a memory bank that grows on success."""

    def __init__(self, stream: Stream, model: Model) -> None:
        choice = stream.condition.settings
        self.method = METHODS[choice["method"]]
        self.multiplier = choice["multiplier"]
        self.model, self.seed = model, stream.seed
        self.memory = memory_bank(choice["mode"]) if self.method.experience else None

    async def episode(self, task: str) -> Episode:
        """Play one task."""
        trial = Trial(environment(task, self.seed, self.multiplier), self.model)
        episode = await play(trial, planner(self.method, trial, self.memory))
        episode.metrics |= task_facts(task, self.seed)
        if episode.success and self.memory is not None:
            episode.memory_delta = {"task": task, "actions": trial.actions}
        return episode

    def restore(self, deltas: Sequence[Any]) -> None:
        """Replay the successes of an interrupted run, which gives the same embeddings again."""
        for delta in deltas:
            if delta is not None and self.memory is not None:
                goal, objects = replay(delta["task"], self.seed, delta["actions"])
                self.memory.add(goal, [embed(text) for text in objects], delta["actions"])


def planner(method: Method, trial: Trial, memory: TraceMemory | None) -> Planner:
    """The planner of a method, at the beginning of an episode."""
    if method.prompt == "gig":
        return GiG(trial, method, embed, memory)
    return _BASELINES[method.prompt](trial)


def start(stream: Stream, model: Model) -> GigStream:
    """Begin a stream with the memory bank as it is before the first task."""
    return GigStream(stream, model)


_PLAYED = (
    "agents/gig",
    "envs/kitchen",
    "gnn",
    "memory",
    "llm",
    "surrogate",
    "studies/gig/load.py",
    "studies/gig/sweep.py",
)
"""Code that decides how an episode goes; the rest of this package only looks at records."""
_DATA = ("models/gig_encoder.safetensors", "models/kitchen_texts.safetensors", "kitchen/*.jsonl")
"""Weights of the encoder and plans of the oracle."""


@cache
def fingerprint() -> dict[str, str]:
    """Hashes of the prompts, of the code that decides how an episode goes, and of the data that it reads."""
    return {"prompts": prompts.fingerprint()} | hashes(_PLAYED, _DATA)
