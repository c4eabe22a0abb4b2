"""The scripted controller: knows the whole state of an overworld; the oracle of the papers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mnemocraft.controllers import actions as a
from mnemocraft.controllers.inventory import InventoryHand
from mnemocraft.controllers.success import VERSION, Observation
from mnemocraft.controllers.surroundings import Body, Place, Surroundings
from mnemocraft.controllers.targets import Sources, sources, tries
from mnemocraft.controllers.walker import Walker
from mnemocraft.envs.minecraft.goals import DOWN, Goal, goal_library
from mnemocraft.envs.overworld import OverworldEnv, routes
from mnemocraft.envs.overworld.blocks import WATER

MONSTERS = ("zombie", "skeleton", "creeper", "spider")
ALARM = 4.0
"""A monster so near is fought."""
FETCHED = 14.0
"""Stacks of what is wanted are fetched from so far."""
SOFT, HARD = 12, 400
"""Ticks that a block in the way may take: leaves and the like, and anything that a tool can do."""
WORTH_DIGGING = 100
"""A longer way on foot (ticks) is compared with one through the ground."""
CANDIDATES, DUG_FOR = 64, 3
"""Nearest blocks that a way on foot, and one through the ground, may lead to."""
PATIENCE = 300
"""Ticks more than twice what was estimated after which a target that was not reached is given up."""
DEEP, FAR_BELOW = 6, 300
"""Blocks overhead from which on a player is underground, and ticks of way that are better walked outside."""
PURSUIT = 8
"""Ticks after which the way to a mob is looked for anew."""
STUCK, WIGGLE = 12, 6
RANGE = 24
"""Blocks that are walked at a time to find something."""
LOOK_AROUND = 40
COMPASS = ((0, 1), (-1, 0), (0, -1), (1, 0))
HIT_TICKS, NEXT_TICKS, PLACING_TICKS, LEVEL_TICKS = 45, 10, 12, 45
UNKNOWN = 2000.0
"""Remaining steps that are assumed for what is not within sight of the script."""

DIG = Goal("dig", DOWN)
"""Asks for the tool to dig with."""

Key = tuple[str, int, Place]
"""What a way is for: the kind of the target, its row (mobs) and where it is."""


class ScriptedController:
    """Reaches goals in an :class:`~mnemocraft.envs.OverworldEnv` by looking at its state.

    It finds the nearest block or mob, walks or digs there (stairs for the goal ``dig``, so that there is a
    way back; shafts where that is quicker otherwise), keeps off lava, fights what attacks, breaks, hits and
    collects; crafting and placing are :class:`~mnemocraft.controllers.inventory.InventoryHand`'s.

    Args:
        env: The world; its observations are the ones given to :meth:`act`.
        seed: Of the little that is left to chance: how to get free and where to look first.

    Attributes:
        problem: Why it makes no headway, in one sentence; empty if it does.
        looks: Never: it knows.
    """

    looks = False

    def __init__(self, env: OverworldEnv, seed: int = 0) -> None:
        self._around, self._seed = Surroundings(env), seed
        self._hand = InventoryHand()
        self._walker = Walker(self._around)
        self.reset()

    def reset(self) -> None:
        """A new episode."""
        self._hand.reset()
        self._random = np.random.default_rng(self._seed)
        self._heading = int(self._random.integers(4))
        self._goal: Goal | None = None
        self._take_up(None)

    def _take_up(self, goal: Goal | None) -> None:
        self._goal, self.problem = goal, ""
        self._key: Key | None = None
        self._age = self._idle = self._wiggle = 0
        self._given_up: set[Key] = set()
        self._target: Place | None = None
        self._before = (0.0, 0.0, 0.0)
        rules = goal_library(VERSION).rules
        blocks = sources(goal).blocks if goal else ()
        self._pickaxe = any(rules.blocks[name].tool == "pickaxe" for name, _ in blocks)

    # --- the interface ----------------------------------------------------------------------------

    def act(self, observation: Observation, goal: Goal) -> np.ndarray:
        """The next action of MineDojo's space.

        Raises:
            MnemocraftError: There is no such goal.
        """
        action = self.prepare(observation, goal)
        return a.to_minedojo(self.move(goal)) if action is None else action

    def prepare(self, observation: Observation, goal: Goal) -> np.ndarray | None:
        """What has to be done with the inventory first, or at all; None if nothing."""
        rises = self._key is not None and self._key[0] == "up"
        return self._hand.act(observation, DIG if rises else goal)

    def move(self, goal: Goal) -> int:
        """The next of the 42 actions, for goals that the inventory does not answer."""
        if goal != self._goal:
            goal_library(VERSION).ways(goal)
            self._take_up(goal)
        self._age += 1
        action = self._free() if self._wiggle else self._choose(goal)
        self._notice(action)
        return action

    def horizon(
        self, observation: Observation, goals: Sequence[Goal], around: Sequence[Observation] = ()
    ) -> np.ndarray:
        """Estimated steps to each goal from here: the ticks of the way, and of the work at its end."""
        return np.array([self._estimate(goal) for goal in goals])

    # --- what to do -------------------------------------------------------------------------------

    def _choose(self, goal: Goal) -> int:
        for enemy in self._around.mobs(MONSTERS)[:1]:
            if self._around.away(enemy) < ALARM and (action := self._walker.strike(enemy)) is not None:
                return action
        if goal.verb == "dig":
            return self._descend(goal.count)
        if goal.verb not in ("mine", "kill"):
            return a.index(a.STAND, a.NONE)
        for stack in self._around.stacks(goal_library(VERSION).objective(goal)):
            action = self._fetch(stack) if self._around.away(stack) < FETCHED else None
            if action is not None:
                return action
        found = sources(goal)
        action = self._rise(False)
        if action is None:
            action = self._mine(found) if found.blocks else self._hunt(found)
        if action is None:
            action = self._rise(True)
        if action is None:
            self.problem = f"I see nothing to {goal.verb} for {goal.item} within {routes.RADIUS} blocks."
            return self._explore()
        self.problem = ""
        return action

    def _begin(self, key: Key, path: Sequence[tuple[int, int, int, int]]) -> bool:
        """Take up a way; False if there is none, and its target is not tried again."""
        self._key, self._age = key, 0
        self._patience = PATIENCE + 2 * (path[-1][3] if path else 0)
        self._walker.start([(x, y, z) for x, y, z, _ in path])
        if not path:
            self._give_up(key)
        return bool(path)

    def _give_up(self, key: Key) -> None:
        self._given_up.add(key)
        self._key, self._target = None, None

    def _fetch(self, stack: Body) -> int | None:
        """Go to a stack and stand on it; None if that does not work."""
        key: Key = ("stack", 0, (stack.place[0], 0, stack.place[2]))
        if key in self._given_up:
            return None
        if key != self._key:
            ground = self._ground(stack.place)
            path = self._around.route(routes.AT_STACK, [ground], digs=SOFT)
            if not path and self._around.block(stack.place) != WATER:
                path = self._around.route(routes.AT_STACK, [ground], digs=HARD, shafts=True, factor=8)
            if not self._begin(key, path):
                return None
        if self._age > self._patience // 2:
            self._give_up(key)
            return None
        action = self._walker.step()
        if self._walker.lost:
            self._key = None
        dives = stack.y < self._around.position[1] - 0.5
        return self._walker.toward(stack.x, stack.z, dive=dives) if action is None else action

    def _ground(self, place: Place) -> Place:
        x, y, z = place
        while y > 1 and not self._around.solid((x, y - 1, z)):
            y -= 1
        return x, y, z

    # --- blocks -----------------------------------------------------------------------------------

    def _mine(self, found: Sources) -> int | None:
        if self._target is None or (self._key or ("",))[0] != "block":
            self._target = self._plan(found)
            if self._target is None:
                return None
        key: Key = ("block", 0, self._target)
        if self._age > self._patience:
            self._give_up(key)
            return a.index(a.STAND, a.NONE)
        action = self._walker.step()
        if self._walker.lost or not self._wanted[self._around.block(self._target)]:
            self._target = None
            return a.index(a.STAND, a.NONE) if action is None else action
        return self._walker.work_on(self._target) if action is None else action

    def _plan(self, found: Sources) -> Place | None:
        """Find the block that is reached first and a way to it."""
        if self._key is not None and self._key[0] == "away" and self._age % LOOK_AROUND:
            return None
        self._wanted, rows = self._around.blocks(found, CANDIDATES)
        places: list[Place] = [(int(x), int(y), int(z)) for x, y, z, _ in rows]
        places = [place for place in places if ("block", 0, place) not in self._given_up]
        if not places:
            return None
        path = self._way(places)
        if path and path[-1][3] > FAR_BELOW and self._around.buried >= DEEP and not self._pickaxe:
            return None
        if not path:
            self._given_up |= {("block", 0, place) for place in places[:DUG_FOR]}
            return None
        end = path[-1][:3]
        target = min(places, key=lambda p: abs(p[0] - end[0]) + abs(p[2] - end[2]) + abs(p[1] - end[1] - 1))
        self._begin(("block", 0, target), path)
        return target

    def _way(self, places: list[Place]) -> list[tuple[int, int, int, int]]:
        """The quicker one of a way on foot to any of the places and one through the ground to the nearest."""
        walk = self._around.route(routes.BESIDE_BLOCK, places, digs=SOFT)
        if walk and walk[-1][3] <= WORTH_DIGGING:
            return walk
        nearest = places[:DUG_FOR]
        dig = self._around.route(routes.BESIDE_BLOCK, nearest, digs=HARD, shafts=True, factor=12, most=60_000)
        return min((way for way in (walk, dig) if way), key=lambda way: way[-1][3], default=[])

    # --- mobs -------------------------------------------------------------------------------------

    def _hunt(self, found: Sources) -> int | None:
        for body in self._around.mobs(found.mobs):
            if self._around.away(body) > routes.RADIUS or ("mob", body.row, (0, 0, 0)) in self._given_up:
                continue
            if self._around.away(body) < ALARM and (action := self._walker.strike(body)) is not None:
                return action
            action = self._pursue(body)
            if action is not None:
                return action
        return None

    def _pursue(self, body: Body) -> int | None:
        key: Key = ("mob", body.row, (0, 0, 0))
        if key != self._key or self._age >= PURSUIT or self._walker.lost:
            path = self._around.route(routes.BESIDE_MOB, [body.place], digs=HARD // 10, factor=routes.WALK)
            if not self._begin(key, path):
                return None
        action = self._walker.step()
        if action is not None:
            return action
        return self._walker.toward(body.x, body.z, jump=body.y > self._around.position[1] + 0.5)

    # --- going somewhere --------------------------------------------------------------------------

    def _descend(self, height: int) -> int:
        """Dig stairs down to a height."""
        key: Key = ("below", 0, (0, height, 0))
        action = self._walker.step() if key == self._key else None
        if action is None:
            path = self._around.route(routes.BELOW, [(0, height, 0)], digs=HARD, factor=20, most=80_000)
            self.problem = "" if self._begin(key, path) else f"I find no way down to y {height}."
            action = self._walker.step()
        return a.index(a.STAND, a.NONE) if action is None else action

    def _rise(self, begin: bool) -> int | None:
        """Go on to the open sky, or begin to if the player is deep down; None if there is no need."""
        key: Key = ("up", 0, (0, 0, 0))
        if key == self._key:
            return self._upwards(key)
        if not begin or self._around.buried < DEEP or key in self._given_up:
            return None
        self._key, self._age = key, 0
        self._walker.start([])  # the way is looked for when the tool is in the hand
        return a.index(a.STAND, a.NONE)

    def _upwards(self, key: Key) -> int | None:
        action = self._walker.step()
        if action is not None:
            return action
        self._key = None
        if self._around.buried < DEEP:
            return None
        x, y, z = self._around.place
        sky = (x, y + self._around.buried, z)
        path = self._around.route(routes.OUTSIDE, [sky], digs=HARD, factor=45, most=80_000)
        return self._walker.step() if self._begin(key, path) else None

    def _explore(self) -> int:
        """Walk on in the same direction; turn where there is no way."""
        if self._key is None or self._key[0] != "away" or (action := self._walker.step()) is None:
            action = None
            for digs in (SOFT, SOFT, SOFT, SOFT, HARD):
                x, z = COMPASS[self._heading]
                path = self._around.route(routes.AWAY, [(x * RANGE, 0, z * RANGE)], digs=digs)
                if self._begin(("away", self._heading, (0, 0, 0)), path):
                    action = self._walker.step()
                    break
                self._heading = (self._heading + 1) % 4
        return a.index(a.STAND, a.TURN_RIGHT) if action is None else action

    # --- getting stuck ----------------------------------------------------------------------------

    def _notice(self, action: int) -> None:
        """Count ticks in which a motion led nowhere."""
        motion, head = divmod(action, len(a.HEADS))
        here = self._around.position
        still = max(abs(p - q) for p, q in zip(here, self._before, strict=True)) < 0.02
        self._idle = self._idle + 1 if still and motion != a.STAND and head != a.ATTACK else 0
        self._before = here
        if self._idle > STUCK:
            self._idle, self._wiggle, self._key, self._target = 0, WIGGLE, None, None
            self._escape = int(self._random.choice([a.FORWARD_JUMP, a.LEFT, a.RIGHT, a.BACK]))

    def _free(self) -> int:
        self._wiggle -= 1
        return a.index(self._escape, a.NONE)

    # --- estimates --------------------------------------------------------------------------------

    def _estimate(self, goal: Goal) -> float:
        if goal.verb == "dig":
            return float(max(0, self._around.place[1] - goal.count) * LEVEL_TICKS)
        if goal.verb not in ("mine", "kill"):
            return float(PLACING_TICKS)
        found = sources(goal)
        if not found.blocks:
            bodies = [
                body for body in self._around.mobs(found.mobs) if self._around.away(body) < routes.RADIUS
            ]
            targets = [body.place for body in bodies]
            path = self._around.route(routes.BESIDE_MOB, targets, digs=SOFT) if targets else []
            return path[-1][3] + HIT_TICKS * goal.count if path else UNKNOWN
        _, rows = self._around.blocks(found, CANDIDATES)
        path = self._way([(int(x), int(y), int(z)) for x, y, z, _ in rows]) if len(rows) else []
        work = HIT_TICKS + NEXT_TICKS * (tries(goal) - 1)
        return path[-1][3] + work * goal.count if path else UNKNOWN
