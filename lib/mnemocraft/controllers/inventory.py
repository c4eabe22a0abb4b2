"""Goals that go through the inventory: craft, smelt, equip, place; from observations alone.

A station that is needed and does not stand near is taken from the inventory, placed where there is room, and
taken up again before the next goal that does not need it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mnemocraft.controllers.actions import ATTACK, FORWARD, NONE, STAND, functional, index, to_minedojo
from mnemocraft.controllers.success import VERSION, Observation, counts, nearby
from mnemocraft.controllers.targets import best_tool
from mnemocraft.envs.minecraft.goals import STATIONS, Goal
from mnemocraft.envs.minecraft.rules import rules
from mnemocraft.envs.overworld.items import ARMOUR, CRAFTS

CRAFT, EQUIP, PLACE = 4, 5, 6
EYES, BODY = 1.62, 0.3
"""Height of the eyes, and half the width of the body."""
_CRAFT_INDEX = {item: place for place, (item, _) in enumerate(CRAFTS)}
_STATION = {item: ("", *STATIONS)[station] for item, station in CRAFTS}
_BREAKING_STEPS, _STEPPING_STEPS = 240, 15
"""Ticks after which breaking a station, and walking to what it leaves, are given up."""
_NICHE_STEPS = 200
"""Ticks that making room for a station may take."""


class Spot(NamedTuple):
    """A direction to place something in: bins to turn to the side, pitch in degrees, whether to dig first."""

    yaw: float
    pitch: int
    digs: bool


class InventoryHand:
    """Chooses actions for goals that go through the inventory, and holds the right tool for the others."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """A new episode."""
        self._placed, self._near = "", False
        self._steps = self._attempt = self._aimed_for = 0
        self._spot: Spot | None = None

    def act(self, observation: Observation, goal: Goal) -> np.ndarray | None:
        """The next action of MineDojo; None if nothing (more) is to be done with the inventory."""
        held = counts(observation)
        station = self._needed(goal)
        if self._placed and station != self._placed:
            action = self._reclaim(observation, held)
            if action is not None:
                return action
        if goal.verb in ("craft", "smelt"):
            return self._make(observation, goal, station, held)
        if goal.verb == "place":
            action = self._place(observation, goal.item, held)
            self._placed = ""  # it is meant to stay
            return action
        wanted = goal.item if goal.verb == "equip" else best_tool(goal, held)
        return self._equip(observation, wanted)

    @staticmethod
    def _needed(goal: Goal) -> str:
        """The station that a goal needs, empty for none."""
        if goal.verb == "place":
            return goal.item
        return _STATION.get(goal.item, "") if goal.verb in ("craft", "smelt") else ""

    # --- what is held -----------------------------------------------------------------------------

    def _equip(self, observation: Observation, item: str) -> np.ndarray | None:
        """Bring an item into the hand, or put it on; None if it is there, or not at all."""
        name = item.replace("_", " ")
        worn = observation["equipment"]["name"].tolist()
        if not item or name == worn[0] or (item in ARMOUR and name in worn):
            return None
        slot = slot_of(observation, item)
        return None if slot is None else functional(EQUIP, slot=slot)

    # --- crafting and smelting --------------------------------------------------------------------

    def _make(
        self, observation: Observation, goal: Goal, station: str, held: dict[str, int]
    ) -> np.ndarray | None:
        if goal.item not in _CRAFT_INDEX:
            return None
        if station and station not in nearby(observation):
            return self._place(observation, station, held)
        self._spot = None
        if station == "furnace":
            fuelled = self._equip(observation, fuel(goal, held))
            if fuelled is not None:
                return fuelled
        return functional(CRAFT, craft=_CRAFT_INDEX[goal.item])

    # --- placing ----------------------------------------------------------------------------------

    def _place(self, observation: Observation, item: str, held: dict[str, int]) -> np.ndarray | None:
        """Turn to a spot with room, make room if there is none, place; then try the next spot."""
        slot = slot_of(observation, item)
        if slot is None:
            return None
        if self._spot is None:
            self._spot, self._steps = self._choose(observation), 0
        turned = _turn(observation, self._spot)
        if turned is not None:
            return turned
        self._steps += 1
        if self._spot.digs:
            if self._steps < _NICHE_STEPS and _solid(observation, self._spot.yaw, 1):
                return to_minedojo(index(STAND, ATTACK))
            self._spot = Spot(self._spot.yaw, _pitch(observation, self._spot.yaw, EYES - 1), False)
            return self._place(observation, item, held)
        self._spot, self._placed = None, item if item in STATIONS else ""
        self._attempt += 1
        return functional(PLACE, slot=slot)

    def _choose(self, observation: Observation) -> Spot:
        """The next spot to try: open ones first, then niches to be dug into a wall."""
        yaw = float(observation["location_stats"]["yaw"][0])
        ways = sorted(range(4), key=lambda way: abs(_turn_by(90 * way - yaw)))
        spots = [Spot(90.0 * way, pitch, False) for way in ways if (pitch := _room(observation, way))]
        spots += [Spot(90.0 * way, 0, True) for way in ways]
        return spots[self._attempt % len(spots)]

    # --- taking a station up again ----------------------------------------------------------------

    def _reclaim(self, observation: Observation, held: dict[str, int]) -> np.ndarray | None:
        """Break the station that was placed, which is still under the crosshair, and step on its drop."""
        station, near = self._placed, self._placed in nearby(observation)
        if not self._aimed_for:
            self._aimed_for, self._steps = held.get(station, 0) + 1 if near else 0, 0
        self._steps = self._steps + 1 if near == self._near else 1
        self._near = near
        done = held.get(station, 0) >= self._aimed_for
        if done or self._steps > (_BREAKING_STEPS if near else _STEPPING_STEPS):
            self._placed, self._aimed_for, self._steps, self._attempt = "", 0, 0, 0
            return None
        if not near:
            return to_minedojo(index(FORWARD, NONE))
        action = self._equip(observation, _breaker(station, held))
        if action is None:
            action = to_minedojo(index(STAND, ATTACK))
        return action


def slot_of(observation: Observation, item: str) -> int | None:
    """The first slot that holds an item."""
    names: list[str] = observation["inventory"]["name"].tolist()
    name = item.replace("_", " ")
    return names.index(name) if name in names else None


def fuel(goal: Goal, held: dict[str, int]) -> str:
    """What to burn, as it is burnt first when it lies in the main hand; empty if there is nothing."""
    known = rules(VERSION)
    smelted = {s.ingredient for s in known.smelting if s.result == goal.item}
    usable = (
        item for item in known.fuels if item in held and item not in known.tools and item not in STATIONS
    )
    ways = sorted(usable, key=lambda item: item in smelted)  # stable: a sparing player's order
    return ways[0] if ways else ""


def _breaker(station: str, held: dict[str, int]) -> str:
    """The tool that breaks a station fastest."""
    known = rules(VERSION)
    tools = {item: known.speed(known.blocks[station], item) for item in held if item in known.tools}
    return max(tools, key=tools.__getitem__) if tools and max(tools.values()) > 1 else ""


# --- directions -----------------------------------------------------------------------------------------


def _turn_by(degrees: float) -> float:
    """An angle as -180 to 180 degrees."""
    return (degrees + 180) % 360 - 180


def _turn(observation: Observation, spot: Spot) -> np.ndarray | None:
    """The action that turns to a spot; None if it is faced as nearly as whole bins allow."""
    where = observation["location_stats"]
    yaw = round(_turn_by(spot.yaw - float(where["yaw"][0])) / 15)
    pitch = round((spot.pitch - float(where["pitch"][0])) / 15)
    return functional(0, pitch=pitch, yaw=yaw) if yaw or pitch else None


def _cell(observation: Observation, yaw: float, height: int) -> tuple[int, int, int]:
    """Where the neighbour in a direction lies in the 3 x 3 x 3 voxels; height 0 is at the feet."""
    ways = {0: (0, 1), 1: (-1, 0), 2: (0, -1), 3: (1, 0)}  # south, west, north, east
    dx, dz = ways[round(yaw / 90) % 4]
    return 1 + dx, 1 + height, 1 + dz


def _solid(observation: Observation, yaw: float, height: int) -> bool:
    flags: Any = observation["voxels"]["blocks_movement"]
    return bool(flags[_cell(observation, yaw, height)])


def _room(observation: Observation, way: int) -> int:
    """A pitch under which the view meets the floor of the next place, if that is free; 0 if not."""
    yaw = 90.0 * way
    if _solid(observation, yaw, 0) or _solid(observation, yaw, 1) or not _solid(observation, yaw, -1):
        return 0
    return _pitch(observation, yaw, EYES)


def _pitch(observation: Observation, yaw: float, height: float) -> int:
    """A pitch under which the view meets the next place's floor, so far below the eyes; 0 if there is none.

    There is none if the player's body reaches into that place.
    """
    x, _, z = (float(value) for value in observation["position"])
    border = (1 - z % 1, x % 1, z % 1, 1 - x % 1)[round(yaw / 90) % 4]
    for pitch in (60, 45, 30, 75):
        away = height / np.tan(np.radians(pitch))
        if border > BODY and border + 0.05 < away < border + 0.95:
            return pitch
    return 0
