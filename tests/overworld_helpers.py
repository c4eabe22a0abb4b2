"""Small worlds to act in."""

from __future__ import annotations

from typing import Any

import numpy as np

from mnemocraft.envs import OverworldEnv
from mnemocraft.envs.overworld.items import CRAFTS

FUNCTIONS = ("none", "use", "drop", "attack", "craft", "equip", "place", "destroy")
GAITS = ("walk", "jump", "sneak", "sprint")
CRAFT_INDEX = {item: index for index, (item, _) in enumerate(CRAFTS)}


def action(
    function: str = "none",
    *,
    forward: int = 0,
    left: int = 0,
    gait: str = "walk",
    pitch: int = 0,
    yaw: int = 0,
    craft: str = "stick",
    slot: int = 0,
) -> np.ndarray:
    """An action in words; ``forward`` and ``left`` are 1, 0 or -1, the turns multiples of 15 degrees."""
    ways = {1: 1, 0: 0, -1: 2}
    return np.array(
        [
            ways[forward],
            ways[left],
            GAITS.index(gait),
            12 + pitch // 15,
            12 + yaw // 15,
            FUNCTIONS.index(function),
            CRAFT_INDEX[craft],
            slot,
        ]
    )


def world(**settings: Any) -> OverworldEnv:
    """A quiet world of plains: no images, no mobs, the sun stands still."""
    quiet = {"image_size": None, "allow_mob_spawn": False, "allow_time_passage": False}
    return OverworldEnv(**({"specified_biome": "plains"} | quiet | settings))


def arena(inventory: dict[str, int] | None = None, **settings: Any) -> OverworldEnv:
    """A floor of stone, 11 x 11, under free air; the player stands in its middle and looks south."""
    env = world(initial_inventory=inventory, **settings)
    env.reset()
    for x in range(-5, 6):
        for z in range(-5, 6):
            env.set_block("stone", (x, -1, z))
            for y in range(5):
                env.set_block("air", (x, y, z))
    return env


def held(env: OverworldEnv) -> dict[str, int]:
    """Units by item in the player's 41 slots, straight from the state."""
    return _units(env.world["inventory"][0])


def lying(env: OverworldEnv) -> dict[str, int]:
    """Units by item on the ground."""
    return _units(env.world["drops"][0][: int(env.world["status"]["drops"][0])])


def _units(stacks: np.ndarray) -> dict[str, int]:
    from mnemocraft.envs.overworld.items import ITEMS

    units: dict[str, int] = {}
    for stack in stacks:
        if stack["item"]:
            units[ITEMS[stack["item"]]] = units.get(ITEMS[stack["item"]], 0) + int(stack["count"])
    return units


def block(env: OverworldEnv, offset: tuple[int, int, int]) -> str:
    """Name of the block at an offset from the player's feet."""
    from mnemocraft.envs.overworld.blocks import BLOCKS

    body = env.world["bodies"][0, 0]
    x, y, z = (int(body[axis] >> 16) + way for axis, way in zip("xyz", offset, strict=True))
    return BLOCKS[env.world["blocks"][0, x & 255, z & 255, y]].name


def act(env: OverworldEnv, times: int = 1, **words: Any) -> tuple[dict, dict]:
    """Do one action some times; the last observation and info."""
    function = words.pop("function", "none")
    for _ in range(times):
        observation, _, _, _, info = env.step(action(function, **words))
    return observation, info
