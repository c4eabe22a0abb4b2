"""Following a way and working on blocks and mobs with the 42 actions, tick by tick."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.surroundings import Body, Place, Surroundings

NEAR_MIDDLE = 0.35
"""So near to a place's middle it counts as reached."""
RUN_UP, FORESIGHT = 4, 12
"""Blocks of level way that are worth a sprint, and places ahead that are looked at."""


class Walker:
    """Turns a way into actions.

    Args:
        around: The state of the world.

    Attributes:
        lost: Whether the player is where the way does not lead.
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self.start([])

    def start(self, path: Sequence[Place]) -> None:
        """Take up a way, which begins where the player is."""
        self._path, self._at, self.lost = list(path), 0, False

    def step(self) -> int | None:
        """The next action along the way; None at its end, or if the player got lost."""
        while self._at + 1 < len(self._path) and self._reached(self._path[self._at + 1]):
            self._at += 1
        if self._at + 1 >= len(self._path):
            return None
        straight = self._straight()
        if straight is not None:
            return self.toward(*middle(straight), sprint=self._aside(*middle(straight)) > RUN_UP)
        here, there = self._path[self._at], self._path[self._at + 1]
        if self._off(here, there):
            self.lost = True
            return None
        if here[0] == there[0] and here[2] == there[2] and self._aside(*middle(there)) > NEAR_MIDDLE:
            return self.toward(*middle(there))
        for place in in_the_way(here, there):
            if self._around.solid(place):
                return self.work_on(place)
        return self.toward(*middle(there), jump=there[1] > here[1])

    def _aside(self, x: float, z: float) -> float:
        """Distance to a point along the axis on which it is farther."""
        at = self._around.position
        return max(abs(at[0] - x), abs(at[2] - z))

    def _reached(self, place: Place) -> bool:
        x, y, z = self._around.place
        level = y == place[1] or (self._around.swims and abs(y - place[1]) <= 1)
        return (x, z) == (place[0], place[2]) and level and self._aside(*middle(place)) < NEAR_MIDDLE

    def _off(self, here: Place, there: Place) -> bool:
        x, y, z = self._around.place
        low, high = min(here[1], there[1]), max(here[1], there[1])
        sideways = min(abs(x - here[0]) + abs(z - here[2]), abs(x - there[0]) + abs(z - there[2]))
        return sideways > 1 or not low - 1 <= y <= high + 1

    def _straight(self) -> Place | None:
        """The farthest of the next places that can be walked to in a straight line, if any."""
        level, found = self._around.place[1], None
        for at in range(self._at + 1, min(self._at + 1 + FORESIGHT, len(self._path))):
            if self._path[at][1] != level:
                break
            if self._around.level_way(self._path[at]):
                self._at, found = at - 1, self._path[at]
        return found

    # --- single actions ---------------------------------------------------------------------------

    def toward(
        self, x: float, z: float, *, jump: bool = False, sprint: bool = False, dive: bool = False
    ) -> int:
        """Walk to a point in a straight line; turn first if it lies far to a side.

        In water this swims at the surface, or sinks if it shall ``dive``.
        """
        at, around = self._around.position, self._around
        yaw = math.degrees(math.atan2(at[0] - x, z - at[2]))
        bins = round(((yaw - around.yaw + 180) % 360 - 180) / 15)
        if abs(bins) >= 3 and not around.swims:
            return a.index(a.STAND, turning(0, bins))
        floats = around.swims and not dive
        motion = a.FORWARD_JUMP if jump or floats else a.SPRINT if sprint and not bins else a.FORWARD
        if bins:
            return a.index(motion, turning(0, bins))
        head = a.UP if around.pitch > 15 else a.DOWN if around.pitch < 0 else a.NONE
        return a.index(motion, head)

    def work_on(self, place: Place) -> int:
        """Break a block, or what hides it; come closer if nothing is in reach."""
        _, down, aside = self._around.turns(place)
        if down or aside:
            return a.index(a.STAND, turning(down, aside))
        hit = self._around.crosshair()
        if hit.block is None and not hit.mob:
            return a.index(a.FORWARD_JUMP if self._around.swims else a.FORWARD, a.NONE)
        return a.index(a.STAND, a.ATTACK)

    def strike(self, body: Body) -> int | None:
        """Hit a mob that is in reach; None if it is not."""
        hit, down, aside = self._around.turns((0, 0, 0), body.row)
        if not hit:
            return None
        motion = a.FORWARD if self._around.away(body) > 2 else a.STAND
        return a.index(motion, turning(down, aside) if down or aside else a.ATTACK)


def middle(place: Place) -> tuple[float, float]:
    """Middle of a place, x and z."""
    return place[0] + 0.5, place[2] + 0.5


def turning(down: int, aside: int) -> int:
    """The turn by one bin that is due first: the axis that has farther to go."""
    if abs(aside) >= abs(down):
        return a.TURN_RIGHT if aside > 0 else a.TURN_LEFT
    return a.DOWN if down > 0 else a.UP


def in_the_way(here: Place, there: Place) -> list[Place]:
    """Places that must be free for a step, highest first."""
    (x, y, z), (nx, ny, nz) = here, there
    if (x, z) == (nx, nz):
        return [(x, ny, z)] if ny < y else []
    above = [(x, y + 2, z)] if ny > y else []
    return above + [(nx, height, nz) for height in range(max(y, ny) + 1, ny - 1, -1)]
