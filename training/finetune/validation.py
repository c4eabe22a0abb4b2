"""How many held-out tasks an adapter solves, served as at run time: what decides when training stops."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pandas as pd

from mnemocraft.agents.how2.agent import agent
from mnemocraft.agents.how2.settings import Settings
from mnemocraft.agents.rollout import play
from mnemocraft.envs import PlancraftEnv
from mnemocraft.envs.plancraft import Example, book
from mnemocraft.llm import Model, get_model
from mnemocraft.memory.keyed import Keyed
from mnemocraft.studies.how2.load import known_targets
from mnemocraft.worlds.plancraft import PlancraftWorld
from training.finetune.demonstrate import draw

AGENTS = (
    ("base", "none"),
    ("just_ask", "executable"),
    ("just_ask", "partially-executable"),
    ("just_ask", "non-executable"),
)
TASKS = 8
"""Held-out tasks an agent; the same for every check."""
PARALLEL = 8
"""Episodes at a time."""
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


def check(adapter: Path, threads: int) -> pd.DataFrame:
    """Play the held-out tasks: one row per agent with ``setup``, ``teacher``, ``solved`` and ``tasks``."""
    return pd.DataFrame(asyncio.run(_played(adapter, threads)))


async def _played(adapter: Path, threads: int) -> list[dict[str, Any]]:
    model = get_model(f"local:{adapter}", threads=threads, parallel=PARALLEL)
    rows = []
    try:
        for setup, teacher in AGENTS:
            settings = Settings(setup, teacher)
            solved = await asyncio.gather(*(_solves(settings, task, model) for task in held_out(setup)))
            rows.append({"setup": setup, "teacher": teacher, "solved": sum(solved), "tasks": TASKS})
    finally:
        await model.aclose()
    return rows


async def _solves(settings: Settings, task: Example, model: Model) -> bool:
    world = PlancraftWorld(PlancraftEnv.of_example(task, max_steps=2 * EASY))
    return (await play(agent(settings), world, Keyed(), model)).success
