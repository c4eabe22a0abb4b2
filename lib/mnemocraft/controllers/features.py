"""What the learned controller sees: image, blocks around, a few numbers, and its goal.

As in DEPS (appendix C.1): the camera's view, yaw and pitch, position, and the 3 x 3 blocks around the agent.
Of yaw and position only what carries over to other worlds is kept: the blocks are turned into the direction
of view, and the height, the place within the block and the rest of the turn stay.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from mnemocraft.controllers import recollection
from mnemocraft.controllers.recollection import Recollection
from mnemocraft.controllers.success import VERSION, Observation
from mnemocraft.controllers.targets import sources
from mnemocraft.envs.minecraft.goals import Goal
from mnemocraft.envs.minecraft.rules import rules
from mnemocraft.envs.overworld.blocks import BLOCKS
from mnemocraft.errors import MnemocraftError

GOALS = (
    "oak_log",
    "birch_log",
    "cobblestone",
    "wheat_seeds",
    "leaves",
    "dirt",
    "coal",
    "iron_ore",
    "diamond",
    "sheep",
    "cow",
    "chicken",
    "pig",
    "llama",
)
"""What the network can be asked for; goals that have the same sources share one."""
IMAGE = 64
"""Side of the picture, in pixels, by which one acts."""
SHARP = 128
"""Side of the pictures of looks around: animals are made out twice as far."""
BLOCK_NAMES = tuple(dict.fromkeys(block.display for block in BLOCKS))
UNKNOWN_BLOCK = len(BLOCK_NAMES)
KINDS = ("", "pickaxe", "axe", "shovel", "hoe", "sword", "shears")
BODY = 13
LEVELS, NEAR = (11, 56), 4.0
"""Heights at which ores are looked for, and blocks above or below them that count as one."""
TURN, FITS = 15.0, 0.2
"""Degrees of one turn of the head; blocks off the middle of a hole at which a body still falls through it."""
PAST = slice(BODY, BODY + recollection.NUMBERS)
"""Which of the numbers come from the past."""
NUMBERS = BODY + recollection.NUMBERS + len(KINDS)
SIDED = (8, 9, *(BODY + place for place in recollection.SIDED))
"""Numbers that change their sign in the mirror image."""
_KNOWN = {name: number for number, name in enumerate(BLOCK_NAMES)}
_SYNONYMS = {"log": "oak_log", "stone": "cobblestone"}


GRID = 16
"""Cells along each side of the picture in which the sources of the goals are looked for."""


class Features(NamedTuple):
    """One observation as the network takes it.

    Attributes:
        image: uint8 (3, side, side).
        blocks: uint8 (27,), kinds of blocks by height, ahead and to the left, as seen by the player.
        numbers: float32 (30,): sine and cosine of the pitch, height, life, food, light, height within the
            block, place off its middle (ahead, to the right; in ``FITS``), turns from the nearest axis, turns
            down, height above the ``LEVELS`` (in ``NEAR``, at most 2); the past
            (:meth:`Recollection.numbers`); kind of the tool held.
    """

    image: np.ndarray
    blocks: np.ndarray
    numbers: np.ndarray


@cache
def token(goal: Goal) -> int:
    """Place of a mine or kill goal in :data:`GOALS`.

    Raises:
        MnemocraftError: The network was not trained for it.
    """
    found = sources(goal)
    name = goal.item if goal.verb == "mine" else ""
    candidates = [_SYNONYMS.get(name, name), *(found.mobs if not found.blocks else ())]
    for candidate in candidates:
        if candidate in GOALS:
            return GOALS.index(candidate)
    raise MnemocraftError(
        f"The learned controller does not know how to {goal.verb} {goal.item}; it knows {', '.join(GOALS)}."
    )


def features(observation: Observation, past: Recollection, side: int = IMAGE) -> Features:
    """An observation of MineDojo's schema, and the past, as the network takes it.

    Args:
        observation: With a square image whose side is ``side`` or a multiple of it.
        past: What is kept of the past.
        side: Of the picture.

    Raises:
        MnemocraftError: The image has another size.
    """
    image = _reduced(observation["rgb"], side)
    where, body = observation["location_stats"], observation["life_stats"]
    pitch, yaw = np.radians(float(where["pitch"][0])), float(where["yaw"][0])
    x, y, z = np.asarray(where["pos"], float).tolist()
    axis = np.radians(90 * _quarter(yaw))
    aside, along = x % 1 - 0.5, z % 1 - 0.5
    kind = _kind(str(observation["equipment"]["name"][0]))
    numbers = np.zeros(NUMBERS, np.float32)
    numbers[:BODY] = (
        np.sin(pitch),
        np.cos(pitch),
        y / 64,
        float(body["life"][0]) / 20,
        float(body["food"][0]) / 20,
        float(where["light_level"][0]) / 15,
        y % 1,
        (-aside * np.sin(axis) + along * np.cos(axis)) / FITS,
        (-aside * np.cos(axis) - along * np.sin(axis)) / FITS,
        (yaw - 90 * _quarter(yaw)) / TURN,
        float(where["pitch"][0]) / TURN,
        *(float(np.clip((y - level) / NEAR, -2, 2)) for level in LEVELS),
    )
    numbers[PAST] = past.numbers(observation)
    numbers[PAST.stop + kind] = 1
    return Features(image, _blocks(observation), numbers)


def _reduced(image: np.ndarray, side: int) -> np.ndarray:
    """The image (3, n * side, n * side) with every n x n pixels as one."""
    times, rest = divmod(image.shape[-1], side)
    if image.shape != (3, times * side, times * side) or rest or not times:
        raise MnemocraftError(
            f"The learned controller takes images of {side} x {side} pixels, or a multiple; these have "
            f"{image.shape[1]} x {image.shape[2]}. Make the world with image_size=({SHARP}, {SHARP})."
        )
    if times == 1:
        return image
    return image.reshape(3, side, times, side, times).mean((2, 4)).astype(np.uint8)


def _blocks(observation: Observation) -> np.ndarray:
    """Kinds of the 27 blocks around, turned so that the direction of view comes first."""
    names = observation["voxels"]["block_name"].tolist()
    kinds = np.array(
        [[[_KNOWN.get(name, UNKNOWN_BLOCK) for name in row] for row in layer] for layer in names], np.uint8
    )
    quarter = _quarter(float(observation["location_stats"]["yaw"][0]))
    turned = np.rot90(kinds.transpose(1, 2, 0), quarter % 4, axes=(1, 2))
    return turned.reshape(27)


def _quarter(yaw: float) -> int:
    """The axis nearest to a direction, in quarters of a turn."""
    return round(yaw / 90)


@cache
def _kind(item: str) -> int:
    tool = rules(VERSION).tools.get(item.replace(" ", "_"))
    return KINDS.index(tool.kind) if tool and tool.kind in KINDS else 0
