"""How many held-out tasks an adapter solves, served as at run time: what decides which adapter is served."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Coroutine, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm.asyncio import tqdm

from mnemocraft import paths
from mnemocraft.agents import get_agent
from mnemocraft.agents.how2.agent import agent
from mnemocraft.agents.how2.roles import says
from mnemocraft.agents.how2.settings import Settings
from mnemocraft.agents.rollout import play
from mnemocraft.envs import PlancraftEnv
from mnemocraft.envs.plancraft import Example, book
from mnemocraft.llm import Model, get_model
from mnemocraft.memory.keyed import Keyed
from mnemocraft.studies.how2.load import known_targets
from mnemocraft.worlds.plancraft import PlancraftWorld
from training.finetune.demonstrate import Dialogue, draw, labelled
from training.finetune.tasks import DISTRACTORS, MAX_ACTIONS
from training.finetune.worlds import HELD_OUT, LESSONS, STAGES, Lesson, lesson

AGENTS = (
    ("base", "none"),
    ("just_ask", "executable"),
    ("just_ask", "partially-executable"),
    ("just_ask", "non-executable"),
)
TASKS = 8
"""Held-out tasks an agent; the same for every check."""
JUDGED = 64
"""Memories that Relevance judges, as many true as not."""
WORLD_CHECKS: dict[str, tuple[tuple[str, int | None, int], ...]] = {
    "kitchen": (("gig_ld", None, 6), ("react", None, 6)),
    "minecraft": (("deps", 0, 36), ("deps", 5, 6), ("inner_monologue", 5, 6), ("zero_shot", None, 6)),
    "household": (("gig_ld", None, 6), ("react", None, 6)),
}
"""Of the other worlds who plays, with how many revised plans if they are bounded, and how many lessons.
Without a bound a failing episode fills its whole dialogue."""
Group = tuple[dict[str, Any], list[Coroutine[Any, Any, bool]]]
"""Who plays what, and the episodes."""
PARALLEL = 8
"""Episodes at a time."""
CONTEXT = 16_384
"""Tokens of a conversation; one that goes in circles fills it."""
EASY = 6
"""Longest of them, in expert actions."""


def held_out(setup: str) -> list[Example]:
    """Fresh solvable tasks that the demonstrations do not show; without a teacher, of known targets."""
    rng = random.Random(f"held out {setup}")
    pool = sorted(known_targets()) if setup == "base" else sorted(book().by_result)
    tasks: list[Example] = []
    while len(tasks) < TASKS:
        task = draw(f"HELD{setup}-{len(tasks)}", pool, rng, (4, 8), EASY, impossible=0)
        if task is not None:
            tasks.append(task)
    return tasks


def check(adapter: Path, world: str, threads: int) -> pd.DataFrame:
    """Play the held-out tasks: one row per group with who plays what, ``solved`` and ``tasks``.

    That is ``setup`` and ``teacher``; in another world ``setup``, ``max_rounds`` (-1: no bound) and whether
    all that it takes is ``known``.
    """
    if world not in LESSONS:
        memories()
    return pd.DataFrame(asyncio.run(_played(adapter, world, threads)))


async def _played(adapter: Path, world: str, threads: int) -> list[dict[str, Any]]:
    kept = paths.output_root() / "build" / "finetune" / world / "check.sqlite"  # what was asked is not again
    model = get_model(f"local:{adapter}", cache=kept, threads=threads, parallel=PARALLEL, context=CONTEXT)
    rows = []
    try:
        for what, episodes in (_lessons if world in LESSONS else _crafts)(world, model):
            name = " ".join(map(str, what.values()))
            solved = await tqdm.gather(*episodes, desc=name, unit="episode")
            rows.append(what | {"solved": sum(solved), "tasks": len(solved)})
    finally:
        await model.aclose()
    return rows


def _crafts(world: str, model: Model) -> Iterator[Group]:
    for setup, teacher in AGENTS:
        settings = Settings(setup, teacher)
        episodes = [_solves(settings, task, model) for task in held_out(setup)]
        yield {"setup": setup, "teacher": teacher}, episodes
    yield {"setup": "relevance", "teacher": "planner"}, [_judges(memory, model) for memory in memories()]


@cache  # made before anything is asked, as they run an event loop of their own
def memories() -> list[Dialogue]:
    """Checks of Relevance that the demonstrations do not show, :data:`JUDGED`, with the planner's labels."""
    rng, every = random.Random("held out memories"), sorted(book().by_result)
    found: list[Dialogue] = []
    while len(found) < JUDGED:
        task = draw("HELDmemory", every, rng, DISTRACTORS, MAX_ACTIONS, impossible=0)
        if task is not None:
            found += labelled(task, 1, rng)
    return found


async def _judges(dialogue: Dialogue, model: Model) -> bool:
    *asked, label = dialogue.messages
    reply = await model.complete(asked, max_tokens=8)
    return says("yes", reply.text) == (label["content"] == "yes")


def _lessons(world: str, model: Model) -> Iterator[Group]:
    """Lessons that were not given, the first task of each: those that are known, and the others."""
    for name, rounds, tasks in WORLD_CHECKS[world]:
        order = STAGES[world][0].order
        numbers = (n for n in itertools.count() if order[n % len(order)] == name)
        lessons = filter(None, (lesson(world, HELD_OUT, n) for n in numbers))
        chosen = list(itertools.islice(lessons, tasks))
        for known in (True, False):
            episodes = [_reaches(each, rounds, model) for each in chosen if each.known == known]
            if episodes:
                yield (
                    {"setup": name, "max_rounds": -1 if rounds is None else rounds, "known": known},
                    episodes,
                )


async def _reaches(given: Lesson, rounds: int | None, model: Model) -> bool:
    player = get_agent(given.agent, **({} if rounds is None else {"max_rounds": rounds}))
    return (await play(player, given.begin[0](), given.memory(), model)).success


async def _solves(settings: Settings, task: Example, model: Model) -> bool:
    world = PlancraftWorld(PlancraftEnv.of_example(task, max_steps=2 * EASY))
    return (await play(agent(settings), world, Keyed(), model)).success
