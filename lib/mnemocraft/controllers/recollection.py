"""What the learned controller keeps of the past: its goal's last sighting, its search, whether it is stuck.

The network itself has no memory. These few numbers are kept for it, by rules; what to do about them is its
own decision.
"""

from __future__ import annotations

import math

import numpy as np

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.success import Observation

TANGENT = 0.7002
"""Of half the field of view, 70 degrees."""
SEEN = 0.75
"""Output of the spotter from which on a cell of the picture counts as showing it. Rare cells weigh more in
its training, so that it says 0.75 of what is right in about one of six cases."""
KEPT = 40
"""Steps after which a sighting is forgotten."""
ROUND, WALK = 18, 80
"""A search goes by turns: steps to look all around, steps to walk on."""
GAP, FOLLOWED, APPROACH = 4, 16, 2.0
"""A search is over when the goal was in sight for so many steps, with gaps of so many at most, and one went
so many blocks meanwhile: turning the head past what only looks like it is neither."""
STUCK, STRIKES, ASIDE, TURN = 12, 150, 18, 4
"""Steps without headway after which one is stuck, strikes in one place after which one is too; steps to get
around it, of which the first are to turn."""
NUDGE, SPOT = 0.02, 1.0
"""Blocks that are no headway; blocks around that are the same place."""
MANY = 12
"""Cells that make a sighting a large one."""
NUMBERS = 10
SIDED = (1, 5, 6, 8)
"""Numbers that change their sign in the mirror image."""


class Recollection:
    """Kept for one goal.

    The sighting is a direction in the world, which stays good while the head turns; on the way it is soon
    seen again.

    Args:
        level: Height at which the goal's ores are looked for; 0 if it has none.

    Attributes:
        looks_around: Whether a search is in the part of its turn in which one looks around.
        aside: Steps left to get around what one is stuck at.
    """

    def __init__(self, level: int = 0) -> None:
        self._level = level
        self._age, self._bearing, self._slope, self._size = KEPT, 0.0, 0.0, 0.0
        self._searched = self._series = self._idle = self._strikes = self.aside = 0
        self._place = self._struck_at = np.zeros(3)
        self._searched_at: np.ndarray | None = None

    @property
    def looks_around(self) -> bool:
        """See the class."""
        return self._searched % (ROUND + WALK) < ROUND

    def numbers(self, observation: Observation) -> np.ndarray:
        """float32 (10,): freshness of the sighting; sine and cosine of its direction from the view's, its
        height above the middle of the view (sine) and its size, all weighted by freshness; whether it is time
        to look around, to turn aside, to walk aside; the side to turn to, 1 for the right; 1 above the level,
        -1 in it or below, 0 if there is none."""
        where = observation["location_stats"]
        yaw, pitch = math.radians(float(where["yaw"][0])), math.radians(float(where["pitch"][0]))
        fresh = 1 - self._age / KEPT
        aside, above = self._bearing - yaw, self._slope + pitch
        sighting = (math.sin(aside), math.cos(aside), math.sin(above), self._size)
        parts = (self.looks_around, self.turns_aside, 0 < self.aside <= ASIDE - TURN, 1, self._above(where))
        return np.array([fresh, *(fresh * part for part in sighting), *parts], np.float32)

    def _above(self, where: Observation) -> int:
        height = math.floor(float(where["pos"][1]))
        return 0 if not self._level else 1 if height > self._level else -1

    @property
    def turns_aside(self) -> bool:
        """Whether getting around begins, with turning."""
        return self.aside > ASIDE - TURN

    def look(self, observation: Observation, cells: np.ndarray | None, last: int) -> None:
        """Keep what is seen now.

        Args:
            observation: The one whose picture it is.
            cells: Probability that each cell of the picture shows the source of the goal, (side, side); None
                if nobody looked.
            last: The action that led here.
        """
        self._move_on(np.asarray(observation["location_stats"]["pos"], float), last)
        self._age, self._searched = min(KEPT, self._age + 1), self._searched + 1
        self._series = self._series + 1 if self._age <= GAP else 0
        if self._searched_at is None:
            self._searched_at = self._place
        if self._series > FOLLOWED and np.abs(self._place - self._searched_at).max() > APPROACH:
            self._searched, self._searched_at = 0, self._place
        if cells is None or cells.max() < SEEN:
            return
        row, column = _middle(cells)
        across, above = TANGENT * (2 * column / len(cells) - 1), TANGENT * (1 - 2 * row / len(cells))
        where = observation["location_stats"]
        yaw, pitch = math.radians(float(where["yaw"][0])), math.radians(float(where["pitch"][0]))
        ahead = math.cos(pitch) + above * math.sin(pitch)
        self._bearing = yaw + math.atan2(across, ahead)
        self._slope = math.atan2(above * math.cos(pitch) - math.sin(pitch), math.hypot(across, ahead))
        self._size, self._age = min(1.0, float((cells > SEEN).sum()) / MANY), 0

    def _move_on(self, place: np.ndarray, last: int) -> None:
        """Count steps in which a motion led nowhere, and strikes in one place."""
        motion, head = divmod(last, len(a.HEADS))
        rests = np.abs(place - self._place).max() < NUDGE and motion != a.STAND and head != a.ATTACK
        self._idle = self._idle + 1 if rests else 0
        if np.abs(place - self._struck_at).max() > SPOT:
            self._struck_at, self._strikes = place, 0
        self._strikes += head == a.ATTACK
        self._place, self.aside = place, max(0, self.aside - 1)
        if self._idle > STUCK or self._strikes > STRIKES:
            self._idle, self._strikes, self.aside, self._age = 0, 0, ASIDE, KEPT


def _middle(cells: np.ndarray) -> tuple[float, float]:
    """Row and column of the middle of the likeliest three by three cells; what is lower is often nearer."""
    rows, columns = cells.shape
    wide = np.pad(cells.astype(float), 1)
    sums = sum(wide[row : row + rows, column : column + columns] for row in range(3) for column in range(3))
    nearness = 1 + np.arange(rows)[:, None] / rows
    best = [int(at) for at in np.unravel_index(np.argmax(sums * nearness), cells.shape)]
    top, left = (max(0, at - 1) for at in best)
    around = cells[top : best[0] + 2, left : best[1] + 2].astype(float)
    row, column = (float((part * around).sum() / around.sum()) for part in np.indices(around.shape))
    return top + 0.5 + row, left + 0.5 + column
