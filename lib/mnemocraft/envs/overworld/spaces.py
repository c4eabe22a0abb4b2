"""The spaces of MineDojo 0.1 as Gymnasium spaces, with the keys of our contract beside them."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, MultiDiscrete

from mnemocraft.envs.overworld.biomes import NAMES as BIOME_NAMES
from mnemocraft.envs.overworld.items import CRAFTS, ITEMS
from mnemocraft.envs.spaces import TextSpace

NOTHING, USE, DROP, ATTACK, CRAFT, EQUIP, PLACE, DESTROY = range(8)
"""Functional actions: the sixth number of an action."""
CAMERA_STEP = 15
"""Degrees between two camera bins."""
BINS = 360 // CAMERA_STEP + 1
STILL = BINS // 2
NO_OP = (0, 0, 0, STILL, STILL, 0, 0, 0)
SIZES = (3, 3, 4, BINS, BINS, 8, len(CRAFTS), 36)
FAR = 640000.0


def ticks_of(function: int) -> int:
    """Ticks that a functional action takes in MineDojo."""
    return 3 if function >= DROP and function != ATTACK else 1


class ActionSpace(MultiDiscrete):
    """MineDojo's ``MultiDiscrete([3, 3, 4, 25, 25, 8, 244, 36])``."""

    def __init__(self) -> None:
        super().__init__(np.array(SIZES))

    def no_op(self) -> np.ndarray:
        """The action that does nothing."""
        return np.array(NO_OP, dtype=self.dtype)


class Words(gymnasium.Space[np.ndarray]):
    """Arrays of names, such as MineDojo's ``Text``.

    Args:
        shape: Shape of the array.
        names: The names that may occur; none for any.
    """

    def __init__(self, shape: tuple[int, ...], names: tuple[str, ...] = ()) -> None:
        super().__init__(shape, np.str_)
        self.names = frozenset(names)

    def __eq__(self, other: object) -> bool:
        """Of the same shape and names."""
        return isinstance(other, Words) and (self.shape, self.names) == (other.shape, other.names)

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is an array of this shape that holds known names only."""
        return (
            isinstance(x, np.ndarray)
            and x.dtype.kind == "U"
            and x.shape == self.shape
            and (not self.names or self.names.issuperset(x.ravel().tolist()))
        )

    def sample(self, mask: Any = None, probability: Any = None) -> np.ndarray:
        """Random names."""
        return self.np_random.choice(sorted(self.names) or ["air"], size=self.shape)


class Voxels(dict[str, np.ndarray]):
    """MineDojo's voxels: a dictionary of 3 x 3 x 3 arrays, which also passes for the array of block names."""

    shape = (3, 3, 3)

    def __getitem__(self, key: Any) -> Any:
        return super().__getitem__(key) if isinstance(key, str) else super().__getitem__("block_name")[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self["block_name"], dtype=dtype)


def _biomes() -> tuple[str, ...]:
    return BIOME_NAMES


def _box(low: float, high: float, shape: tuple[int, ...] = (1,), dtype: Any = np.float32) -> gymnasium.Space:
    return Box(low, high, shape, dtype)


def _flag(shape: tuple[int, ...] = ()) -> gymnasium.Space:
    return Box(0, 1, shape, np.bool_)


def _stacks(slots: int) -> Dict:
    names = tuple(name.replace("_", " ") for name in ITEMS)
    return Dict(
        {
            "name": Words((slots,), names),
            "quantity": _box(0, 64, (slots,)),
            "variant": _box(0, 120, (slots,), np.int64),
            "cur_durability": _box(-1, np.inf, (slots,)),
            "max_durability": _box(-1, np.inf, (slots,)),
        }
    )


def _life() -> Dict:
    most = {"life": 20, "armor": 20, "food": 20, "saturation": 20, "oxygen": 300, "xp": np.inf}
    return Dict({key: _box(0, high) for key, high in most.items()} | {"is_sleeping": _flag()})


def _location() -> Dict:
    return Dict(
        {
            "pos": _box(-FAR, FAR, (3,)),
            "yaw": _box(-180, 180),
            "pitch": _box(-180, 180),
            "rainfall": _box(0, 1),
            "temperature": _box(0, 2),
            "light_level": _box(0, 15),
            "sky_light_level": _box(0, 1),
            "sun_brightness": _box(0, 1),
            "sea_level": _box(0, 255),
            "biome_id": _box(0, 167, (), np.int64),
            "is_raining": _box(0, 1, (), np.int64),
            "can_see_sky": _box(0, 1, (), np.int64),
        }
    )


def _damage() -> Dict:
    numbers = {
        "damage_amount": _box(0, 40),
        "damage_distance": _box(0, np.inf),
        "damage_pitch": _box(-90, 90),
        "damage_yaw": _box(-180, 180),
        "hunger_damage": _box(0, 20),
    }
    kinds = ("is_explosion", "is_fire_damage", "is_magic_damage", "is_projectile", "is_unblockable")
    return Dict(numbers | {kind: _flag() for kind in kinds})


VOXEL_FLAGS = (
    "is_collidable",
    "is_tool_not_required",
    "blocks_movement",
    "is_liquid",
    "is_solid",
    "can_burn",
    "blocks_light",
)


def _voxels(names: tuple[str, ...]) -> Dict:
    shape = (3, 3, 3)
    parts: dict[str, gymnasium.Space] = {
        "block_name": Words(shape, names),
        "block_meta": _box(0, 120, shape, np.int64),
        "cos_look_vec_angle": _box(-1, 1, shape),
    }
    return Dict(parts | {flag: _flag(shape) for flag in VOXEL_FLAGS})


def _masks() -> Dict:
    shapes = {"action_type": (8,), "action_arg": (8, 1), "equip": (36,), "place": (36,), "destroy": (36,)}
    return Dict({key: _flag(shape) for key, shape in shapes.items()} | {"craft_smelt": _flag((len(CRAFTS),))})


def _changes() -> Dict:
    parts: dict[str, gymnasium.Space] = {}
    for way in ("craft", "other"):
        for kind, number in (("inc", 1), ("dec", 4)):
            parts[f"{kind}_name_by_{way}"] = Words((number,), ITEMS)
            parts[f"{kind}_quantity_by_{way}"] = _box(0, 64 * 36, (number,))
    return Dict(parts)


def observation_space(image_size: tuple[int, int] | None, block_names: tuple[str, ...] = ()) -> Dict:
    """All keys of an observation.

    Args:
        image_size: Height and width; None for observations without images.
        block_names: English names of the blocks that there are; none for any.
    """
    parts: dict[str, gymnasium.Space] = {
        "inventory": _stacks(36),
        "equipment": _stacks(6),
        "life_stats": _life(),
        "location_stats": _location(),
        "nearby_tools": Dict({"table": _flag(), "furnace": _flag()}),
        "damage_source": _damage(),
        "voxels": _voxels(block_names),
        "masks": _masks(),
        "delta_inv": _changes(),
        "text": TextSpace(),
        "biome": TextSpace(_biomes),
        "position": _box(-FAR, FAR, (3,)),
        "life": _box(0, 20, ()),
    }
    if image_size is not None:
        parts["rgb"] = Box(0, 255, (3, *image_size), np.uint8)
        parts["image"] = Box(0, 255, (*image_size, 3), np.uint8)
    return Dict(parts)
