"""One world with its rules and its observer: the Python side of the compiled code."""

from __future__ import annotations

import numpy as np

from mnemocraft.envs.overworld import checks, loading, outcomes, setting, tick, words
from mnemocraft.envs.overworld.biomes import NAMES as BIOME_NAMES
from mnemocraft.envs.overworld.blocks import BLOCKS, NUMBER
from mnemocraft.envs.overworld.creatures import FIRST_KIND
from mnemocraft.envs.overworld.creatures import NAMES as MOB_NAMES
from mnemocraft.envs.overworld.items import CRAFTS, ITEMS, number_of
from mnemocraft.envs.overworld.observation import Observer
from mnemocraft.envs.overworld.spaces import CAMERA_STEP, PLACE, STILL, ActionSpace, observation_space
from mnemocraft.envs.overworld.tables import tables
from mnemocraft.envs.overworld.world import HEIGHT, clear_world, new_world, shorten_edits
from mnemocraft.errors import MnemocraftError

CLOSE = 40
"""How far from the player blocks and mobs can be put."""


class OverworldEngine:
    """A world that runs.

    Args:
        image_size: Height and width of the images; None for none.
    """

    def __init__(self, image_size: tuple[int, int] | None) -> None:
        self.worlds = new_world()
        self.observer = Observer(self.worlds, image_size)
        self.action_space = ActionSpace()
        self.observation_space = observation_space(image_size, tuple(block.display for block in BLOCKS))

    @property
    def status(self) -> np.void:
        """The player's condition, the clock and so on; writing to it changes the world."""
        return self.worlds["status"][0]

    def start(self, seed: int, biome: int, time: int, daylight: int, spawns: int) -> None:
        """Begin the world of a seed."""
        clear_world(self.worlds)
        begin = {"seed": seed, "biome": biome, "time": time, "daylight": daylight, "spawns": spawns}
        for name, value in begin.items():
            self.status[name] = value
        loading.load(self.worlds, tables(), 1)
        self.observer.forget()
        self._changes = 0

    # --- acting -----------------------------------------------------------------------------------

    def advance(self, action: list[int], ticks: int) -> None:
        """Let ticks pass; the action is done in the first."""
        status = self.status
        if status["edits"] > 32_768:
            shorten_edits(self.worlds)
        turns = ((bin_ - STILL) * CAMERA_STEP for bin_ in action[3:5])
        self._changes = self.observer.facts[1]
        tick.advance(self.worlds, tables(), np.array([*action[:3], *turns, *action[5:]], np.int64), ticks)
        if status["stale"]:
            loading.load(self.worlds, tables(), 0)

    @property
    def inventory_changed(self) -> bool:
        """Whether the last action changed the inventory."""
        return self.observer.facts[1] != self._changes

    @property
    def dead(self) -> bool:
        """Whether the player is."""
        return bool(self.observer.facts[6])

    def failure(self, action: list[int]) -> str:
        """Why the last action did nothing; empty if it did something."""
        outcome = self.observer.facts[0]
        if outcome == outcomes.DONE:
            return ""
        function, craft, slot = action[5:]
        item, station = CRAFTS[craft]
        held = self.worlds["inventory"][0, slot if function == PLACE else 0]["item"]
        short = outcome == outcomes.NO_MATERIAL
        return outcomes.SENTENCES[outcome].format(
            slot=slot,
            item=item.replace("_", " "),
            held=ITEMS[held].replace("_", " "),
            missing=words.missing(item, station, self.observer.carried) if short else "",
        )

    # --- arranging --------------------------------------------------------------------------------

    def checked_biome(self, biome: str | None) -> int:
        """Place of a biome in the tables; -1 for none."""
        if biome is None:
            return -1
        land = BIOME_NAMES[3:]
        if biome not in land:
            raise MnemocraftError(f"specified_biome must be one of {', '.join(land)}, not {biome!r}.")
        return BIOME_NAMES.index(biome)

    def set_inventory(self, items: dict[str, int]) -> None:
        """Replace the inventory by items with numbers, from the main hand on."""
        stacks = [(number_of(item), 0, units, 0) for item, units in checks.stacks(items)]
        self.worlds["inventory"][0] = [*stacks, *[(0, 0, 0, 0)] * (41 - len(stacks))]
        self.status["changes"] += 1

    def teleport(self, x: float, y: float, z: float, yaw: int, pitch: int) -> None:
        """Put the player somewhere."""
        if not (abs(x) < 600_000 and abs(z) < 600_000 and 0 < y < HEIGHT and -90 <= pitch <= 90):
            raise MnemocraftError(
                "A place has x and z within 600000, "
                f"y from 1 to {HEIGHT - 1} and pitch within 90, not {(x, y, z)}, {pitch}."
            )
        player = self.worlds["bodies"][0, 0:1]
        for axis, value in zip("xyz", (x, y, z), strict=True):
            player[axis], player["v" + axis] = round(value * 65536), 0
        player["yaw"], self.status["pitch"], self.status["fall"] = (yaw + 180) % 360 - 180, pitch, 0
        loading.load(self.worlds, tables(), 0)

    def set_block(self, block: str, offset: tuple[int, int, int], variant: int) -> None:
        """Put a block near the player; each is a change that the world remembers."""
        if (block, variant) not in NUMBER:
            names = ", ".join(sorted({b.name for b in BLOCKS}))
            raise MnemocraftError(f"There is no block {block!r} of variant {variant!r}; blocks are {names}.")
        shorten_edits(self.worlds)
        number = NUMBER[block, variant]
        if not setting.arrange(self.worlds, tables(), setting.SET_BLOCK, *_near(offset), number):
            raise MnemocraftError(f"Blocks lie from y 1 to {HEIGHT - 1}, and {offset!r} from here does not.")

    def spawn(self, mob: str, offset: tuple[int, int, int]) -> bool:
        """Put a mob near the player."""
        if mob not in MOB_NAMES:
            raise MnemocraftError(f"There is no mob {mob!r}; mobs are {', '.join(MOB_NAMES)}.")
        kind = MOB_NAMES.index(mob) + FIRST_KIND
        return bool(setting.arrange(self.worlds, tables(), setting.SUMMON, *_near(offset), kind))


def _near(offset: tuple[int, int, int]) -> tuple[int, int, int]:
    x, y, z = (int(way) for way in offset)
    if max(abs(x), abs(z)) > CLOSE:
        raise MnemocraftError(f"The offset must lie within {CLOSE} blocks of the player, not at {offset!r}.")
    return x, y, z
