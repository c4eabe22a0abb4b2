"""How many held-out tasks an adapter solves, served as at run time: what decides when training stops."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pandas as pd

from mnemocraft.agents.how2.agent import Trial
from mnemocraft.agents.how2.settings import Settings
from mnemocraft.envs import PlancraftEnv
from mnemocraft.envs.plancraft import Example, book
from mnemocraft.finetune.demonstrate import draw
from mnemocraft.finetune.tasks import known_targets
from mnemocraft.llm import Model, get_model
from mnemocraft.memory import KeyedMemory

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
        for agent in AGENTS:
            solved = await asyncio.gather(*(_solves(agent, task, model) for task in held_out(agent[0])))
            rows.append({"setup": agent[0], "teacher": agent[1], "solved": sum(solved), "tasks": TASKS})
    finally:
        await model.aclose()
    return rows


async def _solves(agent: tuple[str, str], task: Example, model: Model) -> bool:
    env = PlancraftEnv.of_example(task, max_steps=2 * EASY)
    return (await Trial(Settings(*agent), model, 0, KeyedMemory(), env).run()).success
