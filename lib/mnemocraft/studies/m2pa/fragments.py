"""Fragments of experience (M2PA, section 3.4.3, Figure 8): the sub-goals on the way to a diamond."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from mnemocraft.envs.minecraft.textworld import TextWorldEnv
from mnemocraft.memory.interface import Cue
from mnemocraft.studies.m2pa.load import VERSION
from mnemocraft.worlds.minecraft import Demand
from mnemocraft.worlds.textworld import TextWorld

DIAMOND = "diamond"


@cache
def steps() -> tuple[tuple[str, str, str], ...]:
    """The sub-goals in their order: item, action line, and the plan in the words of a memory."""
    text = (files("mnemocraft.studies.m2pa") / "fragments.toml").read_text(encoding="utf-8")
    return tuple((item, line, words) for item, line, words in tomllib.loads(text)["steps"])


@cache
def experiences() -> tuple[Cue, ...]:
    """Each sub-goal as it is kept: asked for from what is held when its turn comes, with the plan for it.

    Raises:
        RuntimeError: A step of the plan is not possible.
    """
    world = TextWorld(DIAMOND, TextWorldEnv(VERSION), Demand({DIAMOND: 1}, {}))
    cues = []
    for item, line, words in steps():
        seen = world.observe()
        query = f"obtain 1 {item}"
        cues.append(Cue(world.task.goal, seen.scene, query, plan=words, inventory=dict(seen.inventory)))
        if not (done := world.act(line)).success:
            raise RuntimeError(f"{line}: {done.failure}")
    return tuple(cues)
