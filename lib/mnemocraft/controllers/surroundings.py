"""What the scripted controller asks of the overworld's state."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mnemocraft.controllers.targets import Sources
from mnemocraft.envs.overworld import OverworldEnv, aiming, routes
from mnemocraft.envs.overworld.blocks import BLOCKS, FIRST_SOLID, LAVA, WATER
from mnemocraft.envs.overworld.crafting import EYES
from mnemocraft.envs.overworld.creatures import FIRST_KIND, NAMES
from mnemocraft.envs.overworld.items import number_of
from mnemocraft.envs.overworld.tables import tables
from mnemocraft.envs.overworld.world import UNIT

Place = tuple[int, int, int]
HEAP = 1 << 18
LONGEST = 600
"""Most places of a way."""
FIELD, NEAR = 35.0, 2.5
"""What counts as seen, as in the picture: degrees to each side; what is so near is noticed anyway."""


class Body(NamedTuple):
    """A mob or a stack on the ground: its row, kind (of mob) and where the middle of its feet is."""

    row: int
    kind: int
    x: float
    y: float
    z: float

    @property
    def place(self) -> Place:
        """The block it is in."""
        return int(np.floor(self.x)), int(np.floor(self.y + 0.125)), int(np.floor(self.z))


class Hit(NamedTuple):
    """What is under the crosshair: row of a mob (0: none), or a block (None: nothing within reach)."""

    mob: int
    block: Place | None


class Surroundings:
    """The state of an overworld as questions and answers.

    Args:
        env: The world, which may be reset and stepped by others.
    """

    def __init__(self, env: OverworldEnv) -> None:
        self._env = env
        self._memory = np.zeros(routes.PLACES, routes.MEMORY)
        self._heap = np.zeros(HEAP, np.int64)
        self._path = np.zeros((LONGEST, 4), np.int64)
        self._hit, self._turns = np.zeros(5, np.int64), np.zeros(2, np.int64)
        self._run = 0

    # --- the player -------------------------------------------------------------------------------

    @property
    def _status(self) -> np.void:
        return self._env.world["status"][0]

    @property
    def _player(self) -> np.void:
        return self._env.world["bodies"][0, 0]

    @property
    def position(self) -> tuple[float, float, float]:
        """Where the middle of the player's feet is."""
        player = self._player
        return float(player["x"] / UNIT), float(player["y"] / UNIT), float(player["z"] / UNIT)

    @property
    def place(self) -> Place:
        """The block that the player's feet are in."""
        x, y, z = self.position
        return int(np.floor(x)), int(np.floor(y + 0.125)), int(np.floor(z))

    @property
    def yaw(self) -> int:
        """Where the player looks, in degrees; 0 is south, 90 west."""
        return int(self._player["yaw"])

    @property
    def pitch(self) -> int:
        """Degrees downwards."""
        return int(self._status["pitch"])

    @property
    def swims(self) -> bool:
        """Whether the player is in a liquid."""
        return bool(self._player["wet"])

    @property
    def buried(self) -> int:
        """Blocks from the feet up to the highest one overhead that no light passes; 0 under the sky."""
        x, y, z = self.place
        return max(0, int(self._env.world["roof"][0, x & 255, z & 255]) - y)

    # --- what there is ----------------------------------------------------------------------------

    def block(self, place: Place) -> int:
        """Number of the block at a place."""
        x, y, z = place
        return int(self._env.world["blocks"][0, x & 255, z & 255, y]) if 0 <= y < 128 else 0

    def solid(self, place: Place) -> bool:
        """Whether a body cannot pass a place."""
        return self.block(place) >= FIRST_SOLID

    def liquid(self, place: Place) -> bool:
        """Whether there is water or lava at a place, or around it."""
        x, y, z = place
        around = ((0, 0, 0), (1, 0, 0), (-1, 0, 0), (0, 0, 1), (0, 0, -1), (0, 1, 0), (0, 2, 0), (0, -1, 0))
        return any(self.block((x + dx, y + dy, z + dz)) in (WATER, LAVA) for dx, dy, dz in around)

    def mobs(self, names: Sequence[str]) -> list[Body]:
        """Mobs of some kinds, nearest first."""
        return self._near(self._env.world["bodies"][0, : 1 + int(self._status["bodies"])], names)

    def _near(self, bodies: np.ndarray, names: Sequence[str]) -> list[Body]:
        kinds = bodies["kind"]
        wanted = np.zeros(len(bodies), bool)
        for name in names:
            wanted |= kinds == (FIRST_KIND + NAMES.index(name) if name in NAMES else -1)
        return self._sorted(bodies, wanted)

    def stacks(self, items: Sequence[tuple[str, int | None]]) -> list[Body]:
        """Stacks of some items (with variants) on the ground, nearest first."""
        drops = self._env.world["drops"][0, : int(self._status["drops"])]
        wanted = np.zeros(len(drops), bool)
        for item, variant in items:
            same = drops["item"] == number_of(item)
            wanted |= same if variant is None else same & (drops["variant"] == variant)
        return self._sorted(drops, wanted)

    def _sorted(self, bodies: np.ndarray, wanted: np.ndarray) -> list[Body]:
        """Those that are wanted, nearest first."""
        rows = np.flatnonzero(wanted)
        if not len(rows):
            return []
        found = bodies[rows]
        at = np.stack([found[axis] / UNIT for axis in "xyz"], 1)
        order = np.argsort(((at - self.position) ** 2).sum(1), kind="stable").tolist()
        return [Body(int(rows[k]), int(found["kind"][k]), *at[k].tolist()) for k in order]

    def away(self, body: Body) -> float:
        """Distance to the player's feet."""
        x, y, z = self.position
        return float(np.sqrt((body.x - x) ** 2 + (body.y - y) ** 2 + (body.z - z) ** 2))

    def blocks(self, sources: Sources, most: int) -> tuple[np.ndarray, np.ndarray]:
        """The nearest blocks of some kinds: which numbers are wanted, and int64 (n, 4), x, y, z, distance."""
        wanted = wanted_blocks(sources)
        found = np.zeros((most, 4), np.int64)
        if not wanted.any():
            return wanted, found[:0]
        number = aiming.nearest(self._env.world, wanted, found)
        return wanted, found[:number]

    # --- what is seen -----------------------------------------------------------------------------

    def sees(self, x: float, y: float, z: float, far: float) -> bool:
        """Whether a point lies before the eyes, or near, and nothing solid hides it (but its own block)."""
        at = self.position
        eyes = (at[0], at[1] + EYES / UNIT, at[2])
        dx, dy, dz = x - eyes[0], y - eyes[1], z - eyes[2]
        away = math.hypot(dx, dy, dz)
        if away > far:
            return False
        aside = (math.degrees(math.atan2(-dx, dz)) - self.yaw + 180) % 360 - 180
        down = math.degrees(math.atan2(-dy, math.hypot(dx, dz))) - self.pitch
        if away > NEAR and max(abs(aside), abs(down)) > FIELD:
            return False
        shares = np.arange(0, away, 0.3) / max(away, 0.3)
        ray = np.floor(np.array(eyes) + shares[:, None] * (dx, dy, dz)).astype(int)
        own = (math.floor(x), math.floor(y), math.floor(z))
        between = dict.fromkeys(place for place in map(tuple, ray.tolist()) if place != own)
        return not any(self.solid(place) for place in between)

    def sees_body(self, body: Body, far: float) -> bool:
        """Whether the middle of a mob is seen; ``far`` is in heights of the mob."""
        height = float(self._env.world["bodies"][0, body.row]["height"] / UNIT)
        return self.sees(body.x, body.y + height / 2, body.z, far * height)

    # --- ways and sight ---------------------------------------------------------------------------

    def route(
        self,
        kind: int,
        targets: Sequence[Place],
        *,
        digs: int = 0,
        shafts: bool = False,
        factor: int = 0,
        most: int = 30_000,
    ) -> list[tuple[int, int, int, int]]:
        """A way as x, y, z and ticks so far, from where the player is; empty if none is found.

        The arguments are those of :func:`mnemocraft.envs.overworld.routes.route`.
        """
        self._run += 1
        length = routes.route(
            self._env.world,
            tables(),
            self._memory,
            self._heap,
            self._run,
            kind,
            np.array(targets, np.int64).reshape(-1, 3),
            digs,
            shafts,
            factor,
            most,
            self._path,
        )
        return [(int(x), int(y), int(z), int(t)) for x, y, z, t in self._path[:length]]

    def level_way(self, place: Place) -> bool:
        """Whether one can walk straight to a place without a step or a gap."""
        return bool(aiming.level_way(self._env.world, place[0], place[2]))

    def crosshair(self) -> Hit:
        """What the player looks at, within reach."""
        aiming.crosshair(self._env.world, tables(), self._hit)
        mob, block, x, y, z = self._hit.tolist()
        return Hit(mob, (x, y, z) if block else None)

    def turns(self, place: Place, mob: int = 0) -> tuple[bool, int, int]:
        """Whether a block or mob can be brought under the crosshair; bins to turn down and right."""
        hit = aiming.turns(self._env.world, tables(), mob, *place, self._turns)
        return bool(hit), int(self._turns[0]), int(self._turns[1])


def wanted_blocks(sources: Sources) -> np.ndarray:
    """Which numbers of blocks leave what a goal asks for."""
    kinds = set(sources.blocks)
    return np.array([(b.name, None) in kinds or (b.name, b.variant) in kinds for b in BLOCKS])
