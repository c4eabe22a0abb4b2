"""Pictures to learn to see from, and how far things are from where they were taken.

Some are taken where an episode may begin or lead; of these the scripted controller, which knows the whole
state, says how many steps it is to every goal. Others show what is rare in demonstrations: animals on many
meadows, ores in many tunnels. And there are looks around, all from one place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.features import GOALS, NUMBERS, SHARP, features, token
from mnemocraft.controllers.herd import FARM, herd
from mnemocraft.controllers.looks import LOOKS, look_around
from mnemocraft.controllers.recollection import Recollection
from mnemocraft.controllers.scripted import ScriptedController
from mnemocraft.controllers.skills import AXE, DEEP, PRACTISED, Skill, begin, burrow, wander
from mnemocraft.controllers.targets import search_level
from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.minecraft.goals import Goal
from training.controller.demonstrations import FIELDS, LAND, LONGEST_WALK, note, see

LOOKED = -100
"""In place of the teacher's action: nobody acted."""
STARTS, MEADOWS, TUNNELS, VIEWS = 2, 2, 2, 5
"""Places of each sort in a world, and views from each."""
HERD, PASTURE = 3, 10
"""Animals of a kind, and within how many blocks of the player."""
LENGTH, ORES = 7, ("coal_ore", "iron_ore", "diamond_ore")
"""Blocks of a tunnel, and what is put into its walls."""
STRIDE = 12
PLACES, MOST = 8, 4
"""Places of a world in which to look around, and animals of a kind there at most."""
DEEPLY = 8
"""In every eighth world it is asked how far ores are: that takes three times as long as all else."""
LOOKS_AROUND = np.dtype(
    [
        ("image", np.uint8, (3, SHARP, SHARP)),
        ("numbers", np.float32, NUMBERS),
        ("left", np.int64, len(GOALS)),
        ("episode", np.int64),
    ]
)
"""One of the looks around a place; fields as in a noted tick of a demonstration."""
MEADOWLAND = ("plains", "plains", "plains", *LAND)
TOOLS = (("iron_pickaxe", 1), AXE)
"""What the player has, in either order: with these every goal can be reached."""


def look_at(seed: int) -> np.ndarray:
    """Views of one world as rows of demonstrations without a teacher's action."""
    rng = np.random.default_rng([seed, len(GOALS)])
    tools = TOOLS if rng.random() < 0.5 else TOOLS[::-1]
    animals = FARM if rng.random() < 0.8 else (*FARM, "llama")
    env, _ = begin(Skill("", PRACTISED[0].goal, str(rng.choice(LAND)), tools, animals, DEEP), seed, None)
    oracle = ScriptedController(env)
    rows = []
    for place in range(STARTS + MEADOWS + TUNNELS):
        meadow = STARTS <= place < STARTS + MEADOWS
        if meadow:
            _meadow(env, rng)
        elif place >= STARTS:
            _tunnel(env, rng)
        elif place:
            wander(env, rng, LONGEST_WALK)
        left = (
            np.zeros(len(GOALS)) if meadow else _steps(oracle, range(len(GOALS)))
        )  # a meadow has more animals than nature
        for _ in range(VIEWS):
            rows.append(_view(env, rng, seed))
            rows[-1]["left"] = left
    return np.array(rows, FIELDS)


def look_around_in(seed: int) -> np.ndarray:
    """Looks around some places of one world, (places, LOOKS) of :data:`LOOKS_AROUND`."""
    rng = np.random.default_rng([seed, len(GOALS), LOOKS])
    tools = TOOLS if rng.random() < 0.5 else TOOLS[::-1]
    env, observation = begin(
        Skill("", PRACTISED[0].goal, str(rng.choice(MEADOWLAND)), tools, (), DEEP), seed, None
    )
    for kind in FARM:
        herd(env, kind, rng, int(rng.integers(MOST + 1)))
    oracle = ScriptedController(env)
    asked = [place for place, goal in enumerate(_goals()) if not search_level(goal) or seed % DEEPLY == 0]
    rows = []
    for place in range(PLACES):
        if place:
            wander(env, rng, int(rng.integers(LONGEST_WALK)))
        left = _steps(oracle, asked)
        observation = env.step(_glance(env, rng))[0]
        for seen in look_around(env, observation):
            image, _, numbers = features(seen, Recollection(), SHARP)
            rows.append((image, numbers, left, seed))
    return np.array(rows, LOOKS_AROUND).reshape(PLACES, LOOKS)


@cache
def _goals() -> tuple[Goal, ...]:
    """A goal for each of :data:`GOALS`."""
    return tuple(
        next(skill.goal for skill in PRACTISED if token(skill.goal) == place) for place in range(len(GOALS))
    )


def _steps(oracle: ScriptedController, asked: Sequence[int]) -> np.ndarray:
    """Estimated steps to the goals at some places in :data:`GOALS`; 0 for the others."""
    left = np.zeros(len(GOALS))
    for place in asked:
        left[place] = np.round(oracle.horizon({}, [_goals()[place]])[0])
    return left


def _view(env: OverworldEnv, rng: np.random.Generator, seed: int) -> np.ndarray:
    """A look somewhere."""
    observation = env.step(_glance(env, rng))[0]
    observation["rgb"], cells = see(env)
    row = note(observation, Recollection(), int(rng.integers(len(GOALS))), LOOKED, seed)
    row["spots"] = cells
    return row


def _meadow(env: OverworldEnv, rng: np.random.Generator) -> None:
    """Walk on a little, and put animals all around."""
    for _ in range(STRIDE):
        env.step(a.to_minedojo(a.index(a.FORWARD_JUMP, a.NONE)))
    body, roof = env.world["bodies"][0, 0], env.world["roof"][0]
    x, y, z = (int(body[axis] >> 16) for axis in "xyz")
    for kind in rng.permutation((*FARM, "llama")).tolist():  # there is not always room for all
        for dx, dz in rng.integers(-PASTURE, PASTURE + 1, (HERD, 2)).tolist():
            env.spawn_mobs(kind, (dx, int(roof[(x + dx) & 255, (z + dz) & 255]) + 1 - y, dz))


def _tunnel(env: OverworldEnv, rng: np.random.Generator) -> None:
    """Stand at the end of a new tunnel, somewhere deep, with ores in its walls."""
    burrow(env, int(rng.integers(8, 58)))
    for ahead in range(1, LENGTH):
        for up in (0, 1):
            env.set_block("air", (0, up, ahead))
        env.set_block("stone", (0, -1, ahead))
    walls = [(side, up, ahead) for side in (-1, 1) for up in (0, 1) for ahead in range(LENGTH)]
    walls += [(0, up, ahead) for up in (-1, 2) for ahead in range(1, LENGTH)]
    for place in rng.permutation(walls)[: int(rng.integers(1, 6))].tolist():
        env.set_block(str(rng.choice(ORES)), tuple(place))


def _glance(env: OverworldEnv, rng: np.random.Generator) -> np.ndarray:
    """Look somewhere else: anywhere around, more or less level."""
    pitch = int(rng.choice((-1, 0, 0, 1, 1, 2, 3))) - int(env.world["status"][0]["pitch"]) // 15
    return a.functional(0, pitch=pitch, yaw=int(rng.integers(-12, 13)))
