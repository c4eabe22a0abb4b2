"""Observations in MineDojo's schema, made of the world's arrays; what did not change is shared."""

from __future__ import annotations

from typing import Any

import numpy as np

from mnemocraft.envs.minecraft.rules import rules
from mnemocraft.envs.overworld import camera, sensing, words
from mnemocraft.envs.overworld.biomes import BIOMES
from mnemocraft.envs.overworld.blocks import AIR, BLOCKS, FIRST_OPAQUE, FIRST_SOLID, LAVA, WATER
from mnemocraft.envs.overworld.items import ARMOUR, AT_FURNACE, AT_TABLE, CRAFTS, ITEMS, number_of
from mnemocraft.envs.overworld.spaces import VOXEL_FLAGS, Voxels
from mnemocraft.envs.overworld.tables import VERSION, tables
from mnemocraft.envs.overworld.textures import palette

Observation = dict[str, Any]
EQUIPMENT = (0, 36, 37, 38, 39, 40)
"""Main hand, feet, legs, chest, head, off hand."""


def _fixed(array: np.ndarray) -> np.ndarray:
    """An array that several observations share."""
    array.setflags(write=False)
    return array


ITEM_NAMES = _fixed(np.array([name.replace("_", " ") for name in ITEMS]))
BLOCK_NAMES = _fixed(np.array([block.display for block in BLOCKS]))
BLOCK_METAS = _fixed(np.array([block.variant for block in BLOCKS]))


def _block_flags() -> np.ndarray:
    """The seven flags of each block, in the order of ``VOXEL_FLAGS``."""
    known, flags = rules(VERSION).blocks, []
    for number, look in enumerate(BLOCKS):
        block = known.get(look.name)
        liquid, solid = number in (WATER, LAVA), number >= FIRST_SOLID
        by_hand = block is not None and not block.harvest
        burns = (
            block is not None
            and (block.group in ("leaves", "wool", "plant") or block.tool == "axe")
            and solid
        )
        flags.append(
            (number != AIR and not liquid, by_hand, solid, liquid, solid, burns, number >= FIRST_OPAQUE)
        )
    return np.array(flags, np.bool_)


BLOCK_FLAGS = _fixed(_block_flags())


class _FirstRecipes:
    """What MineDojo's mask asks for: the first recipe of each item, fuel ignored."""

    def __init__(self) -> None:
        made = tables()[0]
        firsts = [made["recipes"][craft["first"]] for craft in made["crafts"]]
        rows = [r for first in firsts for r in range(first["first"], first["first"] + first["number"])]
        self.items = made["ingredients"]["item"][rows]
        self.counts = made["ingredients"]["count"][rows]
        self.starts = np.cumsum([0, *(int(first["number"]) for first in firsts)])[:-1]
        self.stations = np.array([station for _, station in CRAFTS])

    def possible(self, counts: np.ndarray, table: bool, furnace: bool) -> np.ndarray:
        """Which of the 244 items can be made."""
        enough = np.logical_and.reduceat(counts[self.items] >= self.counts, self.starts)
        return enough & ((self.stations != AT_TABLE) | table) & ((self.stations != AT_FURNACE) | furnace)


class Observer:
    """Makes the observations of one world.

    Args:
        worlds: The world.
        image_size: Height and width of the images; None for none.
    """

    def __init__(self, worlds: np.ndarray, image_size: tuple[int, int] | None) -> None:
        self._worlds, self.image_size = worlds, image_size
        self._numbers = np.zeros(sensing.NUMBERS, np.float32)
        self._facts = np.zeros(sensing.FACTS, np.int64)
        self._voxels, self._angles = np.zeros(27, np.uint8), np.zeros(27, np.float32)
        self._recipes = _FirstRecipes()
        made = tables()[0]
        self._uses = made["items"]["durability"].astype(np.float32)
        self._placeable = made["items"]["block"] > 0
        self._worn = np.isin(np.arange(len(ITEMS)), [number_of(item) for item in ARMOUR])
        self.forget()

    def forget(self) -> None:
        """A new episode: nothing is shared with the last one."""
        self._changes = -1
        self._seen: tuple[bytes, Voxels, str] = (b"", Voxels(), "")
        self._counts = np.zeros(len(ITEMS), np.int64)
        self._stations: tuple[int, int, int] = (-1, -1, -1)

    # --- one observation --------------------------------------------------------------------------

    def observe(self, craft: int | None = None) -> Observation:
        """What the player perceives now.

        Args:
            craft: Place in MineDojo's list of what the last action made, if it was a craft.
        """
        sensing.sense(self._worlds, tables(), self._numbers, self._facts, self._voxels, self._angles)
        self.facts: list[int] = self._facts.tolist()
        numbers = self._numbers.copy()
        changes, table, furnace, place, sky = self.facts[1:6]
        delta = _NOTHING
        if changes != self._changes:
            delta = self._read_inventory(craft)
            self._changes = changes
        if (changes, table, furnace) != self._stations:
            self._stations = changes, table, furnace
            self._masks = self._make_masks(bool(table), bool(furnace))
        biome = BIOMES[place]
        observation: Observation = {
            "inventory": self._inventory,
            "equipment": self._equipment,
            "life_stats": self._life_stats(numbers),
            "location_stats": self._location(numbers, place, sky),
            "nearby_tools": {"table": np.array(bool(table)), "furnace": np.array(bool(furnace))},
            "damage_source": self._damage(numbers),
            "voxels": self._read_voxels(),
            "masks": self._masks,
            "delta_inv": delta,
            "biome": biome.name,
            "position": numbers[6:9],
            "life": numbers[0:1].reshape(()),
        }
        life, _, food, _, _, _, *here = numbers[:11].tolist()
        observation["text"] = words.describe(
            biome.name,
            here,
            numbers[13],
            (life, food),
            self._seen[2],
            (bool(table), bool(furnace)),
            self._possessions,
        )
        if self.image_size is not None:
            observation["image"] = self.frame(self.image_size)
            observation["rgb"] = observation["image"].transpose(2, 0, 1)
        return observation

    def frame(self, size: tuple[int, int]) -> np.ndarray:
        """The player's view as uint8 (height, width, 3)."""
        return self.labelled(size)[0]

    def labelled(self, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """The view, and what is seen at each of its pixels, uint8 (height, width)."""
        image, things = np.empty((*size, 3), np.uint8), np.empty(size, np.uint8)
        camera.render(self._worlds, tables(), palette(), image, things)
        return image, things

    @property
    def counts(self) -> dict[str, int]:
        """Units of each item in all 41 slots, as of the last observation."""
        return _by_name(self._held)

    @property
    def carried(self) -> dict[str, int]:
        """As :attr:`counts`, but in the 36 slots that crafts take from."""
        return _by_name(self._counts)

    def _life_stats(self, n: np.ndarray) -> dict[str, np.ndarray]:
        return {
            "life": n[0:1],
            "armor": n[1:2],
            "food": n[2:3],
            "saturation": n[3:4],
            "oxygen": n[4:5],
            "xp": n[5:6],
            "is_sleeping": _FALSE,
        }

    def _location(self, n: np.ndarray, place: int, sky: int) -> dict[str, np.ndarray]:
        return {
            "pos": n[6:9],
            "yaw": n[9:10],
            "pitch": n[10:11],
            "light_level": n[11:12],
            "sky_light_level": n[12:13],
            "sun_brightness": n[13:14],
            "sea_level": n[14:15],
            "rainfall": _RAINFALL[place],
            "temperature": _TEMPERATURE[place],
            "biome_id": _BIOME_IDS[place],
            "is_raining": _ZERO,
            "can_see_sky": np.array(sky),
        }

    def _damage(self, n: np.ndarray) -> dict[str, np.ndarray]:
        if n[15] == 0:
            return _NO_DAMAGE
        explosion, fire, projectile, unblockable = (np.array(bool(bit)) for bit in self.facts[8:12])
        return {
            "damage_amount": n[15:16],
            "damage_distance": n[16:17],
            "damage_pitch": n[17:18],
            "damage_yaw": n[18:19],
            "hunger_damage": np.array([self.facts[7] / 1000], np.float32),
            "is_explosion": explosion,
            "is_fire_damage": fire,
            "is_magic_damage": _FALSE,
            "is_projectile": projectile,
            "is_unblockable": unblockable,
        }

    # --- parts that are shared while they stay the same -------------------------------------------

    def _read_voxels(self) -> Voxels:
        around = self._voxels.tobytes()
        if around != self._seen[0]:
            numbers = self._voxels.reshape(3, 3, 3)
            flags = BLOCK_FLAGS[numbers]
            shared = Voxels(
                {flag: _fixed(flags[..., place].copy()) for place, flag in enumerate(VOXEL_FLAGS)}
                | {"block_name": _fixed(BLOCK_NAMES[numbers]), "block_meta": _fixed(BLOCK_METAS[numbers])}
            )
            self._seen = around, shared, words.surroundings(BLOCKS[n].display for n in around)
        voxels = Voxels(self._seen[1])
        voxels["cos_look_vec_angle"] = self._angles.reshape(3, 3, 3).copy()
        return voxels

    def _stacks(self, slots: np.ndarray) -> dict[str, np.ndarray]:
        item = slots["item"]
        uses = self._uses[item]
        lasting = uses > 0
        return {
            "name": _fixed(ITEM_NAMES[item]),
            "quantity": _fixed(slots["count"].astype(np.float32)),
            "variant": _fixed(slots["variant"].astype(np.int64)),
            "cur_durability": _fixed(np.where(lasting, uses - slots["wear"], -1).astype(np.float32)),
            "max_durability": _fixed(np.where(lasting, uses, -1).astype(np.float32)),
        }

    def _read_inventory(self, craft: int | None) -> dict[str, np.ndarray]:
        """Read the stacks; what was gained and lost since the last time."""
        slots = self._worlds["inventory"][0]
        before = self._counts
        everything = np.bincount(slots["item"], slots["count"], len(ITEMS)).astype(np.int64)
        self._counts = np.bincount(slots["item"][:36], slots["count"][:36], len(ITEMS)).astype(np.int64)
        self._held = everything
        self._inventory, self._equipment = self._stacks(slots[:36]), self._stacks(slots[list(EQUIPMENT)])
        self._slots = slots["item"][:36].copy()
        self._possessions = words.possessions(ITEMS[slots["item"][0]], self.counts)
        return _NOTHING if self._changes < 0 else self._delta(self._counts - before, craft)

    def _delta(self, change: np.ndarray, craft: int | None) -> dict[str, np.ndarray]:
        """MineDojo's ``delta_inv``: the first gain and the first four losses in the order of the items."""
        crafted = craft is not None and change[number_of(CRAFTS[craft][0])] > 0
        way, delta = "craft" if crafted else "other", dict(_NOTHING)
        for kind, size, items in (("inc", 1, change > 0), ("dec", 4, change < 0)):
            found = np.flatnonzero(items)[:size]
            names, units = ["air"] * size, np.zeros(size, np.float32)
            names[: len(found)] = [ITEMS[item] for item in found]
            units[: len(found)] = abs(change[found])
            delta[f"{kind}_name_by_{way}"], delta[f"{kind}_quantity_by_{way}"] = np.array(names), units
        return delta

    def _make_masks(self, table: bool, furnace: bool) -> dict[str, np.ndarray]:
        held = self._slots > 0
        craft = self._recipes.possible(self._counts, table, furnace)
        place, equip = self._placeable[self._slots], held.copy()
        equip[0] &= self._worn[self._slots[0]]
        kinds = [
            True,
            True,
            held[0],
            True,
            craft.any() and not held.all(),
            equip.any(),
            place.any(),
            held.any(),
        ]
        masks = {"action_type": np.array(kinds), "equip": equip, "place": place, "destroy": held}
        return {"action_arg": _ARGUMENTS} | {
            k: _fixed(m) for k, m in (masks | {"craft_smelt": craft}).items()
        }


def _by_name(units: np.ndarray) -> dict[str, int]:
    return {ITEMS[item]: int(units[item]) for item in np.flatnonzero(units)}


_CLIMATE = [rules(VERSION).biomes[biome.rule] for biome in BIOMES]
_RAINFALL = [_fixed(np.array([biome.rainfall], np.float32)) for biome in _CLIMATE]
_TEMPERATURE = [_fixed(np.array([biome.temperature], np.float32)) for biome in _CLIMATE]
_BIOME_IDS = [_fixed(np.array(biome.id)) for biome in _CLIMATE]
_FALSE, _ZERO = _fixed(np.array(False)), _fixed(np.array(0))
_ARGUMENTS = _fixed(np.array([False] * 4 + [True] * 4)[:, None])
_NO_DAMAGE = {
    key: _fixed(np.zeros(1, np.float32))
    for key in ("damage_amount", "damage_distance", "damage_pitch", "damage_yaw", "hunger_damage")
} | dict.fromkeys(
    ("is_explosion", "is_fire_damage", "is_magic_damage", "is_projectile", "is_unblockable"), _FALSE
)
_NOTHING = {
    f"{kind}_{what}_by_{way}": _fixed(
        np.array(["air"] * size) if what == "name" else np.zeros(size, np.float32)
    )
    for way in ("craft", "other")
    for kind, size in (("inc", 1), ("dec", 4))
    for what in ("name", "quantity")
}
