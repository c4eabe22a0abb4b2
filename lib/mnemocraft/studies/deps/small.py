"""A small real model in the text world (notebook 03): can explanations tell it what it does not know?

The model (``data/models/minecraft_gemma-3-270m.md``) was shown half of all items. A task is *known* if all
that it takes is among them. Of the others it has only seen that one makes what an explanation has named. Its
answers were recorded; ``python -m training.recording 03`` asks for them. :mod:`.small_tables` has the tables.
"""

from __future__ import annotations

from functools import partial

from mnemocraft.agents.deps.methods import agent
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.errors import one_of
from mnemocraft.llm import Model
from mnemocraft.memory.none import NoMemory
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.deps.known import VERSIONS
from mnemocraft.studies.deps.load import EXAMPLES, PARTS, STEM
from mnemocraft.studies.deps.sweep import DATA, begin
from mnemocraft.studies.small_player import brief
from mnemocraft.worlds.minecraft_tasks import minecraft_tasks

ADAPTER = "minecraft_gemma-3-270m"
"""Name of the model's adapter and of its recording."""
METHODS: dict[str, int | None] = {
    "deps": 3,
    "deps_unexplained": 6,
    "gpt": None,
    "inner_monologue": 6,
    "cot": None,
}
"""Failures after which a method may go on, in the order in which they were recorded. GPT and CoT make one
plan. Inner Monologue is asked for every step, so that no limit of calls binds it; its six were set when
20 of its 152 episodes were played, because a dialogue that goes in circles takes minutes to fill up."""
LONGEST = 1600
"""Tokens of an answer: the expert's longest plan for one of these tasks has 1,241, but a small model may go
on and on."""


def study(profile: str) -> Study:
    """The 76 tasks by the rules of both versions, one episode each; ``smoke`` has eight of them.

    Raises:
        MnemocraftError: There is no such profile.
    """
    one_of("profile", profile, PARTS)
    tasks = tuple(task.key for task in minecraft_tasks() if profile != "smoke" or task.key in EXAMPLES)
    streams = tuple(
        Stream(condition(method, version), 0, tasks) for method in METHODS for version in VERSIONS
    )
    return Study(STEM, streams, start, fingerprint(start, DATA))


def condition(method: str, version: str) -> Condition:
    """One condition; its id reads ``version/method``."""
    settings = {"method": method, "world": "text", "version": version, "limits": "paper"}
    return Condition(f"{version}/{method}", settings | {"max_rounds": METHODS[method]})


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream; none of its episodes leaves anything to the next."""
    choice = stream.condition.settings
    player = brief(agent(choice["method"], choice["max_rounds"]), LONGEST)
    return EpisodeStream(player, NoMemory(), model, partial(begin, choice, stream.seed))
