"""From MineDojo's observation to ours: the same keys, types and words as those of ``OverworldEnv``."""

from __future__ import annotations

from typing import Any

from gymnasium.spaces import Box, Dict, Space

from mnemocraft.envs.minedojo.minedojo_worker.protocol import Arrays
from mnemocraft.envs.overworld import spaces, words
from mnemocraft.envs.overworld.items import ITEMS, number_of
from mnemocraft.errors import MnemocraftError

Observation = dict[str, Any]
OURS = ("text", "biome", "position", "life", "image")
"""Keys of the contract that MineDojo does not have."""


def translate(space: Dict, arrays: Arrays, biome: str) -> Observation:
    """Make an observation.

    Args:
        space: What it is to be in.
        arrays: MineDojo's arrays by path, for example ``inventory/name``.
        biome: Name of the biome.

    Raises:
        MnemocraftError: An array is missing or has another shape.
    """
    observation = {key: _conform(part, arrays, key) for key, part in space.spaces.items() if key not in OURS}
    observation["voxels"] = spaces.Voxels(observation["voxels"])
    observation["image"] = observation["rgb"].transpose(1, 2, 0)
    observation["position"] = observation["location_stats"]["pos"]
    observation["life"] = observation["life_stats"]["life"].reshape(())
    observation["biome"] = biome
    observation["text"] = describe(observation)
    return observation


def _conform(space: Space, arrays: Arrays, path: str) -> Any:
    if isinstance(space, Dict):
        return {key: _conform(part, arrays, f"{path}/{key}") for key, part in space.spaces.items()}
    array = arrays.get(path)
    if array is None or array.shape != space.shape:
        found = "none" if array is None else f"one of shape {array.shape}"
        raise MnemocraftError(
            f"MineDojo's observation should have {path} of shape {space.shape}; it has {found}."
        )
    return array.astype(space.dtype, copy=False) if isinstance(space, Box) else array


def counts(observation: Observation) -> dict[str, int]:
    """Units of each item in all 41 slots, in the order of the items; the main hand is slot 0."""
    names = [*observation["inventory"]["name"].tolist(), *observation["equipment"]["name"].tolist()[1:]]
    units = [
        *observation["inventory"]["quantity"].tolist(),
        *observation["equipment"]["quantity"].tolist()[1:],
    ]
    found: dict[str, int] = {}
    for name, number in zip(names, units, strict=True):
        if name != ITEMS[0]:
            item = name.replace(" ", "_")
            found[item] = found.get(item, 0) + int(number)
    return dict(sorted(found.items(), key=lambda pair: number_of(pair[0])))


def describe(observation: Observation) -> str:
    """An observation in the words of ``OverworldEnv``."""
    place, life = observation["location_stats"], observation["life_stats"]
    x, y, z = place["pos"].tolist()
    near = observation["nearby_tools"]
    hand = observation["inventory"]["name"][0].replace(" ", "_")
    return words.describe(
        observation["biome"],
        (x, y, z, place["yaw"].item(), place["pitch"].item()),
        place["sun_brightness"].item(),
        (life["life"].item(), life["food"].item()),
        words.surroundings(observation["voxels"]["block_name"].ravel().tolist()),
        (bool(near["table"]), bool(near["furnace"])),
        words.possessions(hand, counts(observation)),
    )
