"""Demonstrations for behaviour cloning: the teacher at work, disturbed now and then.

Every now and then somebody else acts for a while, while what is noted is what the teacher would have done: at
random at first, later the clone itself (as in DAgger: Ross, Gordon and Bagnell, AISTATS 2011). So the clone
also learns what to do where its own mistakes lead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.features import GOALS, GRID, IMAGE, NUMBERS, features, token
from mnemocraft.controllers.herd import FARM
from mnemocraft.controllers.learned import LearnedController
from mnemocraft.controllers.recollection import Recollection
from mnemocraft.controllers.skills import DEEP, PRACTISED, UNDERGROUND, Skill, begin, burrow, wander
from mnemocraft.controllers.success import VERSION, Observation, Progress
from mnemocraft.controllers.surroundings import wanted_blocks
from mnemocraft.controllers.targets import search_level, sources
from mnemocraft.controllers.teacher import Teacher
from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.minecraft.goals import goal_library
from mnemocraft.envs.overworld.blocks import BLOCKS
from mnemocraft.envs.overworld.bodies_view import BODY
from mnemocraft.envs.overworld.creatures import FIRST_KIND, NAMES
from mnemocraft.envs.overworld.items import number_of

DISTURBANCE, LONGEST_DISTURBANCE = 0.03, 6
"""Chance a tick that a disturbance begins, and how many ticks it lasts at most."""
TRIAL, LONGEST_TRIAL = 0.02, 80
"""The same of the clone's trials."""
NOTED = {600: 0.35, UNDERGROUND: 0.2, DEEP: 0.15}
"""Share of the ticks that is noted, by the length of the episodes: many worlds teach more than many ticks."""
LONGEST = 1000
"""Ticks of a demonstration."""
GLANCE = 3
"""Ticks between two looks for the recollection where nothing is noted: a picture takes longer than a tick."""
LONGEST_WALK = 60
"""Steps of wandering before half of the episodes."""
BURIED, OFF, VEINS = 0.5, 8, 12
"""Share of the demonstrations for ores that begin in a hole underground, how far it is at most from the
height at which they are looked for, and how many of them are put near."""
LAND = ("plains", "forest", "savanna", "extreme_hills")
ELSEWHERE = {
    "birch_log": ("birch_forest", "forest"),
    "leaves": ("forest", "birch_forest", "jungle"),
    "wheat_seeds": ("plains", "savanna", "forest"),
    "llama": ("savanna", "extreme_hills"),
}
"""Biomes in which goals are demonstrated besides the skill's own; :data:`LAND` for all others."""

FIELDS = np.dtype(
    [
        ("image", np.uint8, (3, IMAGE, IMAGE)),
        ("spots", np.uint16, (GRID, GRID)),
        ("blocks", np.uint8, 27),
        ("numbers", np.float32, NUMBERS),
        ("goal", np.int64),
        ("action", np.int64),
        ("left", np.int64, len(GOALS)),
        ("episode", np.int64),
    ]
)
"""A noted tick: the image, cells of it in which the source of each goal is seen (bits), the other features,
token of the goal, the teacher's action, steps left to each goal (0: not known), and seed of the world."""


def demonstrate(skill: Skill, seed: int, clone: Path | None = None) -> np.ndarray | None:
    """One episode as an array of :data:`FIELDS`; None if nothing was noted.

    Args:
        skill: What to do; a skill of motion.
        seed: Of the world, and of the disturbances.
        clone: Weights of the one who disturbs; None for random actions.
    """
    rng, level = np.random.default_rng([seed, token(skill.goal)]), search_level(skill.goal)
    env, observation = begin(_somewhere(skill, rng), seed, None)
    progress, past, goal = Progress(skill.goal, observation), Recollection(level), token(skill.goal)
    teacher = Teacher(env, skill.goal, past)
    if level and rng.random() < BURIED:
        observation = _bury(env, skill, level, rng)
    else:
        observation = wander(env, rng, int(rng.integers(LONGEST_WALK)) if rng.random() < 0.5 else 0)
    learner = LearnedController(clone, seed) if clone else None
    chance, longest = (TRIAL, LONGEST_TRIAL) if learner else (DISTURBANCE, LONGEST_DISTURBANCE)
    noted: list[np.ndarray] = []
    share, last, disturbed = NOTED[skill.max_steps], a.index(a.STAND, a.NONE), 0
    for step in range(LONGEST):
        action = teacher.prepare(observation)
        if action is None:
            wise = chosen = teacher.move()
            notes = wise != a.index(a.STAND, a.NONE) and rng.random() < share
            if disturbed == 0 and rng.random() < chance:
                disturbed = int(rng.integers(1, longest + 1))
            tries = disturbed > 0 and learner is not None
            cells = None
            if notes or tries or step % GLANCE == 0:
                observation["rgb"], cells = see(env)
            if notes:
                noted.append(note(observation, past, goal, wise, seed))
                noted[-1]["spots"] = cells
            if disturbed:
                disturbed -= 1
                chosen = int(rng.integers(a.ACTIONS))
            if tries and learner:
                chosen = learner.move(observation, skill.goal, last, past)
            else:
                past.look(observation, None if cells is None else cells >> goal & 1, last)
            action, last = a.to_minedojo(chosen), chosen
        observation, _, terminated, truncated, _ = env.step(action)
        if progress.update(observation) or terminated or truncated:
            break
    return np.stack(noted) if noted else None


def _somewhere(skill: Skill, rng: np.random.Generator) -> Skill:
    """The skill with all farm animals about, every other time in another biome."""
    biomes = ELSEWHERE.get(GOALS[token(skill.goal)], LAND)
    biome = skill.biome if rng.random() < 0.5 else str(rng.choice(biomes))
    return replace(skill, biome=biome, animals=tuple(dict.fromkeys((*skill.animals, *FARM))))


def _bury(env: OverworldEnv, skill: Skill, level: int, rng: np.random.Generator) -> Observation:
    """Begin in a hole underground near a height, with ores around, looking ahead or straight down."""
    burrow(env, level + int(rng.integers(-OFF, OFF + 1)))
    ore = sources(skill.goal).blocks[0][0]
    for x, y, z in rng.integers((-6, -2, -6), (7, 4, 7), (VEINS, 3)).tolist():
        if x or z:
            env.set_block(ore, (x, y, z))
    return env.step(a.functional(0, pitch=int(rng.choice((0, 6))), yaw=int(rng.integers(-12, 12))))[0]


def note(observation: Observation, past: Recollection, goal: int, action: int, seed: int) -> np.ndarray:
    """A row of :data:`FIELDS`; its spots, and the steps left, are still to be filled in."""
    row = np.zeros((), FIELDS)
    row["image"], row["blocks"], row["numbers"] = features(observation, past)
    row["goal"], row["action"], row["episode"] = goal, action, seed
    return row


def see(env: OverworldEnv) -> tuple[np.ndarray, np.ndarray]:
    """The view, (3, IMAGE, IMAGE), and which of its cells show a source of each goal or a stack of what it
    asks for, as bits: uint16 (GRID, GRID)."""
    image, things = env.labelled(IMAGE, IMAGE)
    bits, side = _sources().copy(), IMAGE // GRID
    for item, variant, bit in _stacks():
        drops = env.world["drops"][0, : int(env.world["status"]["drops"][0])]
        lies = (drops["item"] == item) & ((drops["variant"] == variant) | (variant is None))
        bits[BODY] |= bit * lies.any()
    cells = bits[things].reshape(GRID, side, GRID, side)
    return image.transpose(2, 0, 1), np.bitwise_or.reduce(np.bitwise_or.reduce(cells, 3), 1)


@cache
def _sources() -> np.ndarray:
    """Bits of the goals that each block and mob is a source of: uint16 (256,)."""
    bits = np.zeros(256, np.uint16)
    for skill in PRACTISED:
        found, bit = sources(skill.goal), _bit(skill)
        bits[: len(BLOCKS)][wanted_blocks(found)] |= bit
        for name in found.mobs:
            bits[BODY + FIRST_KIND + NAMES.index(name)] |= bit
    return bits


@cache
def _stacks() -> tuple[tuple[int, int | None, np.uint16], ...]:
    """Numbers and variants of the items that goals ask for, and the goals' bits."""
    library = goal_library(VERSION)
    return tuple(
        (number_of(item), variant, _bit(skill))
        for skill in PRACTISED
        for item, variant in library.objective(skill.goal)
    )


def _bit(skill: Skill) -> np.uint16:
    return np.uint16(1 << token(skill.goal))


def collect(skill: Skill, ticks: int, first_seed: int, clone: Path | None = None) -> Iterator[np.ndarray]:
    """Episodes of worlds ``first_seed``, ``first_seed + 1`` ... until there are enough ticks."""
    seed, had = first_seed, 0
    while had < ticks:
        rows = demonstrate(skill, seed, clone)
        seed += 1
        if rows is not None:
            had += len(rows)
            yield rows


def load(folder: Path) -> np.ndarray:
    """All demonstrations below a folder, in the order of their files' names."""
    return np.concatenate([np.load(path) for path in sorted(folder.rglob("*.npy"))])
