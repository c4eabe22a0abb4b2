"""The teacher of the learned controller: a script that acts on what can be seen, simply.

The oracle (:mod:`~mnemocraft.controllers.scripted`) walks around what no picture shows, to what no picture
shows; nobody can learn that from pictures. The teacher knows the state too, but counts as known only what
lies before the eyes, goes straight to it, and looks for what it does not see: on the ground by walking on,
for stone and ores by a shaft down to where they are found and a tunnel straight ahead.
"""

from __future__ import annotations

import numpy as np

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.inventory import InventoryHand
from mnemocraft.controllers.recollection import Recollection
from mnemocraft.controllers.success import VERSION, Observation
from mnemocraft.controllers.surroundings import Body, Place, Surroundings, wanted_blocks
from mnemocraft.controllers.targets import search_level, sources
from mnemocraft.controllers.walker import Walker
from mnemocraft.envs.minecraft.goals import Goal, goal_library
from mnemocraft.envs.overworld import OverworldEnv

FAR = 28.0
"""Blocks away at which a block of the ground, a tree or grass is still seen."""
SMALL, ALIVE = 14.0, 20.0
"""Heights away at which an ore or a stack, and an animal, is still seen: it is three pixels high then, of 64,
and two, but of a colour of its own."""
REMEMBERED = 40
"""Ticks for which something is known of that was seen."""
CANDIDATES, PAUSE = 64, 4
"""Nearest blocks that are looked at, and ticks between two such looks."""
REACH, ARM = 4.2, 3.0
"""How far from the eyes a block can be worked on, and from the feet a mob be hit."""
BEYOND = 5.0
"""How far above the feet a block is left alone."""
CENTRED = 0.2
"""Distance from the middle of a block at which a body falls through a hole, or fits a tunnel."""
RUN_UP, DEEP = 4.0, 4
"""Distance to a mob that is worth a sprint; blocks down to the ground that are too deep to go there."""
AXES = ((0, 1), (-1, 0), (0, -1), (1, 0))


class Teacher:
    """Reaches ``mine`` and ``kill`` goals in an overworld by what lies before its eyes.

    Args:
        env: The world.
        goal: What to reach.
        past: What the learner will know of the past when it is in this place: when to look around, and
            whether one is stuck.

    Attributes:
        knows: Whether it goes for something that it sees, or saw a short time ago; else it searches.
    """

    def __init__(self, env: OverworldEnv, goal: Goal, past: Recollection) -> None:
        self._around, self._goal, self._past = Surroundings(env), goal, past
        self._walker, self._hand = Walker(self._around), InventoryHand()
        self._found = sources(goal)
        self._objective = goal_library(VERSION).objective(goal)
        rules = goal_library(VERSION).rules
        self._wanted = wanted_blocks(self._found)
        self._digs = any(rules.blocks[name].tool == "pickaxe" for name, _ in self._found.blocks)
        self._level = search_level(goal)
        self._far = SMALL if self._level else FAR
        self._noticed: dict[int, int] = {}
        self._block: Place | None = None
        self._dropped, self._dropped_at = (0, 0, 0), -REMEMBERED - 1
        self._seen_at = self._now = 0
        self.knows = False

    def prepare(self, observation: Observation) -> np.ndarray | None:
        """What has to be done with the inventory first; None if nothing."""
        return self._hand.act(observation, self._goal)

    def move(self) -> int:
        """The next of the 42 actions."""
        self._now += 1
        self.knows = False
        if self._past.aside:
            self._block = None
            return a.index(a.STAND, a.TURN_RIGHT) if self._past.turns_aside else self._onward()
        self.knows = True
        stack = self._stack()
        if stack is not None:
            return self._straight(stack.x, stack.z, dive=stack.y < self._around.position[1] - 0.5)
        mob = self._mob()
        if mob is not None:
            struck = self._walker.strike(mob) if self._around.away(mob) < ARM + 1 else None
            return self._straight(mob.x, mob.z, sprint=True) if struck is None else struck
        self._block = self._known_block()
        aim = self._around.crosshair().block
        if aim is not None and self._wanted[self._around.block(aim)]:
            return a.index(a.STAND, a.ATTACK)
        if self._block is not None:
            return self._work(self._block)
        self.knows = False
        if not self._digs or self._around.swims:
            return self._explore()
        # as people look for stone and ores: a shaft down to where they are, then a tunnel
        return self._down() if self._around.place[1] > self._level else self._tunnel()

    # --- what is known ----------------------------------------------------------------------------

    def _stack(self) -> Body | None:
        """The nearest stack of what is wanted that is seen, or the one that was a short time ago."""
        bodies = self._around.stacks(self._objective)
        for body in bodies:
            if self._around.sees(body.x, body.y + 0.2, body.z, SMALL / 2):
                self._dropped, self._dropped_at = body.place, self._now
                return body
        if self._now - self._dropped_at > REMEMBERED:
            return None
        return next((body for body in bodies if body.place == self._dropped), None)

    def _mob(self) -> Body | None:
        """The nearest mob of the kind that is seen, or was a short time ago."""
        for body in self._around.mobs(self._found.mobs) if self._found.mobs else ():
            if self._around.sees_body(body, ALIVE):
                self._noticed[body.row] = self._now
            if self._now - self._noticed.get(body.row, -REMEMBERED - 1) <= REMEMBERED:
                return body
        return None

    def _known_block(self) -> Place | None:
        """The block that was made out before while it is remembered, or the nearest one in view."""
        if not self._found.blocks:
            return None
        if self._block is not None and self._wanted[self._around.block(self._block)]:
            if self._sees(self._block):
                self._seen_at = self._now
            if self._now - self._seen_at <= REMEMBERED:
                return self._block
        elif self._block is None and (self._now - 1) % PAUSE:
            return None
        self._seen_at = self._now
        _, rows = self._around.blocks(self._found, CANDIDATES)
        high = self._around.position[1] + BEYOND
        places: list[Place] = [(int(x), int(y), int(z)) for x, y, z, _ in rows]
        return next((place for place in places if place[1] < high and self._sees(place)), None)

    def _sees(self, place: Place) -> bool:
        x, y, z = place
        return self._around.sees(x + 0.5, y + 0.5, z + 0.5, self._far)

    # --- going and working ------------------------------------------------------------------------

    def _work(self, place: Place) -> int:
        """Break a block that is in reach, or go to it."""
        x, y, z = self._around.position
        away = np.array(place) + 0.5 - (x, y + 1.6, z)
        if float(np.linalg.norm(away)) <= REACH:
            return self._walker.work_on(place)
        if self._digs and float(np.hypot(away[0], away[2])) < 1 and away[1] < 0:
            return self._down()
        return self._straight(place[0] + 0.5, place[2] + 0.5)

    def _straight(self, x: float, z: float, dive: bool = False, sprint: bool = False) -> int:
        """Go straight to a point, fast if it is far; jump or dig where something stands in the way."""
        here = self._around.position
        far = max(abs(x - here[0]), abs(z - here[2])) > RUN_UP
        action = self._walker.toward(x, z, dive=dive, sprint=sprint and far)
        motion, head = divmod(action, len(a.HEADS))
        if motion not in (a.FORWARD, a.SPRINT) or head in (a.TURN_LEFT, a.TURN_RIGHT):
            return action
        feet, head, above = self._ahead()
        if not (feet or head):
            return action
        if feet and not (head or above):
            return a.index(a.FORWARD_JUMP, action % len(a.HEADS))
        return self._walker.work_on(self._step(1 if head else 0))

    def _onward(self, motion: int = a.FORWARD) -> int:
        """Walk or run on in the direction of view, but not into an abyss."""
        if self._abyss() and not self._around.swims:
            return a.index(a.STAND, a.TURN_RIGHT)
        feet, head, above = self._ahead()
        pitch = self._around.pitch
        level = a.UP if pitch > 15 else a.DOWN if pitch < 0 else a.NONE
        jumps = self._around.swims or (feet and not (head or above))
        return a.index(a.FORWARD_JUMP if jumps else motion, level)

    def _abyss(self) -> bool:
        """Whether there is nothing to stand on a step ahead, or two, for a long way down."""
        x, y, z = self._around.place
        dx, dz = AXES[round(self._around.yaw / 90) % 4]
        for ahead in (1, 2):
            column = [(x + ahead * dx, y - down, z + ahead * dz) for down in range(DEEP)]
            if self._around.solid(column[0]):
                return False
            if not any(self._around.block(place) for place in column):
                return True
        return False

    def _step(self, up: int) -> Place:
        """The place one step ahead, along the nearest axis, at a height above the feet."""
        x, y, z = self._around.place
        dx, dz = AXES[round(self._around.yaw / 90) % 4]
        return x + dx, y + up, z + dz

    def _ahead(self) -> tuple[bool, bool, bool]:
        """Whether a step ahead is blocked at the feet, at the head, and the place to jump into above."""
        x, y, z = self._around.place
        feet, head = (self._around.solid(self._step(up)) for up in (0, 1))
        return feet, head, self._around.solid((x, y + 2, z)) or self._around.solid(self._step(2))

    # --- in search --------------------------------------------------------------------------------

    def _explore(self) -> int:
        """Look around, walk on for a while, look around."""
        feet, head, _ = self._ahead()
        turns = self._past.looks_around or (feet and head)
        return a.index(a.STAND, a.TURN_RIGHT) if turns else self._onward(a.SPRINT)

    def _down(self) -> int:
        """Dig down, in the middle of a block."""
        along, aside = self._off_centre()
        if max(abs(along), abs(aside)) > CENTRED:
            return a.index(self._back_to_middle(along, aside), a.NONE if self._around.pitch >= 90 else a.DOWN)
        return a.index(a.STAND, a.ATTACK if self._around.pitch >= 90 else a.DOWN)

    def _tunnel(self) -> int:
        """Dig on along the next axis to the right, not into water, lava or an abyss."""
        if self._around.liquid(self._step(0)) or self._abyss() or round((-self._around.yaw % 90) / 15) % 6:
            return a.index(a.STAND, a.TURN_RIGHT)
        _, aside = self._off_centre()
        if abs(aside) > CENTRED:
            return a.index(self._back_to_middle(0, aside), a.NONE)
        feet, head, _ = self._ahead()
        if feet or head:
            return self._walker.work_on(self._step(1 if head else 0))
        return self._onward()

    def _off_centre(self) -> tuple[float, float]:
        """How far ahead and to the right of the middle of its block the body is, along the nearest axes."""
        x, _, z = self._around.position
        dx, dz = AXES[round(self._around.yaw / 90) % 4]
        x, z = x % 1 - 0.5, z % 1 - 0.5
        return x * dx + z * dz, z * dx - x * dz

    @staticmethod
    def _back_to_middle(along: float, aside: float) -> int:
        if abs(along) > abs(aside):
            return a.BACK if along > 0 else a.FORWARD
        return a.LEFT if aside > 0 else a.RIGHT
