"""The skills of DEPS, Table 18, and the worlds in which they are tried.

The paper does not say where its skills were tried. The released code has plains in steady daylight with four
sheep, cows, pigs and chickens within 30 blocks, and gives an axe at every start. So do we, but for what does
not occur in plains: each skill has a biome where its item is found.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.herd import NOON, herd
from mnemocraft.controllers.success import Observation
from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.minecraft.goals import Goal

AXE = ("wooden_axe", 1)
UNDERGROUND, DEEP = 3000, 12_000
"""Steps that the paper allows for iron and for a diamond."""

Items = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Skill:
    """A goal and the world in which it is tried.

    Attributes:
        name: The row of Table 18; skills of the same name share one.
        goal: What is to be reached.
        biome: Where.
        inventory: What is given, the main hand first.
        animals: Kinds that are put near.
        max_steps: Steps allowed, the paper's episode length.
        paper: The paper's success rate; None for rows that we add.
    """

    name: str
    goal: Goal
    biome: str = "plains"
    inventory: Items = (AXE,)
    animals: tuple[str, ...] = ()
    max_steps: int = 600
    paper: float | None = None

    @property
    def moves(self) -> bool:
        """Whether it asks for motion and sight, and so for the network of the learned controller."""
        return self.goal.verb in ("mine", "kill")


def _read(row: dict[str, Any]) -> Skill:
    verb, count, item, *tool = row.pop("goal").split()
    given = [stack.split() for stack in row.pop("has", "1 wooden_axe").split(", ")]
    inventory = tuple((name, int(units)) for units, name in given)
    animals = tuple(row.pop("animals", "").split())
    return Skill(goal=Goal(verb, item, int(count), *tool), inventory=inventory, animals=animals, **row)


_TABLE = tomllib.loads((Path(__file__).parent / "skills.toml").read_text(encoding="utf-8"))
SKILLS = tuple(_read(row) for row in _TABLE["skills"])
"""Table 18 in its order, then rows that the planners' tasks need besides."""

PRACTISED = tuple(skill for skill in SKILLS if skill.moves and skill.goal.count == 1 and not skill.goal.tool)
"""The skills that the learned controller is trained on; others of ``mine`` and ``kill`` are these, longer."""


def begin(
    skill: Skill, seed: int, image_size: tuple[int, int] | None = (64, 64)
) -> tuple[OverworldEnv, Observation]:
    """A world for a skill, its animals placed, and the first observation; equal arguments, equal worlds."""
    env = OverworldEnv(
        seed,
        max_steps=2 * skill.max_steps,
        image_size=image_size,
        specified_biome=skill.biome,
        initial_inventory=dict(skill.inventory),
        start_time=NOON,
        allow_time_passage=False,
    )
    env.reset()
    rng = np.random.default_rng(seed)
    for kind in skill.animals:
        herd(env, kind, rng)
    return env, env.step(a.functional(0))[0]


def wander(env: OverworldEnv, rng: np.random.Generator, steps: int) -> Observation:
    """Turn somewhere and walk about for some steps, at least one; the last observation."""
    observation = env.step(a.functional(0, yaw=int(rng.integers(-12, 12))))[0]
    for _ in range(steps):
        turn = int(rng.choice([a.NONE, a.NONE, a.NONE, a.TURN_LEFT, a.TURN_RIGHT]))
        observation = env.step(a.to_minedojo(a.index(a.FORWARD_JUMP, turn)))[0]
    return observation


def burrow(env: OverworldEnv, height: int) -> None:
    """Put the player into a closed hole underground, two blocks high, below where it is now."""
    body = env.world["bodies"][0, 0]
    env.teleport_agent(int(body["x"] >> 16) + 0.5, height, int(body["z"] >> 16) + 0.5)
    env.step(a.functional(0))
    for up, block in enumerate(("stone", "air", "air"), -1):
        env.set_block(block, (0, up, 0))
