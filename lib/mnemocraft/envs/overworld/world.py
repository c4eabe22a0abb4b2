"""The state of an overworld: a handful of flat arrays that compiled code works on.

Lengths are whole numbers in 1/65536 of a block (:data:`UNIT`), angles whole degrees, life and food in
thousandths of a point, so that the same seed and actions give the same bits everywhere. The terrain is a
window of 16 x 16 chunks around the player, each made when first needed from the seed alone; what was changed
since is kept in ``edits`` and survives when its chunk leaves the window.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mnemocraft.envs.overworld.creatures import CREATURES
from mnemocraft.errors import MnemocraftError

UNIT = 65536
"""One block."""
HEIGHT = 128
"""Blocks from bedrock to sky."""
SEA = 62
"""Height of the highest water block."""
WINDOW = 256
"""Side of the window of terrain in blocks; a power of two."""
CHUNK = 16
TILE = 8
"""Side of the squares over which rays leap."""
NEAR = 3
"""Chunks around the player's own that exist at any time."""
VIEW = NEAR * CHUNK
"""How far the terrain is known in blocks; nothing beyond is seen, moves or appears."""
MOBS, DROPS, EDITS, VISITED, FIXTURES = 40, 512, 65536, 4096, 256
MOST_EDITS = 1024
"""More changes than these cannot happen in one step."""


def records(fields: str) -> np.dtype:
    """A record of 64-bit whole numbers: their names with blanks between."""
    return np.dtype([(name, np.int64) for name in fields.split()], align=True)


def one_record(parts: dict[str, np.ndarray]) -> np.ndarray:
    """An array of one record that holds arrays by name, to be read only."""
    made = np.zeros(1, np.dtype([(name, part.dtype, part.shape) for name, part in parts.items()], align=True))
    for name, part in parts.items():
        made[name] = part
    made.setflags(write=False)
    return made


STATUS = records(
    "seed random biome time daylight spawns age stale life food saturation exhaustion oxygen armor "
    "experience fall pitch regeneration fire invulnerable eating pause progress "
    "breaking breaking_x breaking_y breaking_z fuel table furnace bodies drops edits visited fixtures "
    "highest changes outcome dead damage damage_hunger damage_distance damage_yaw damage_pitch damage_kind"
)
"""One record: the player's condition, the clock, counters and what the last action came to.

``random`` is the state of the episode's own random numbers; ``biome`` forces one biome on all land (-1:
none); ``bodies, drops, edits, visited, fixtures`` count the used rows of those arrays; ``highest`` is above
all terrain made so far; ``stale`` asks for terrain; ``changes`` grows whenever the inventory changes;
``outcome`` is one of :mod:`.outcomes`.
"""

BODY = records(
    "x y z vx vy vz kind half height yaw ground wet blocked life hurt age timer stride fright mood "
    "item variant count wear"
)
"""The player (row 0 of ``bodies``), a mob or a dropped stack: ``x, y, z`` is the middle of its feet."""

SLOT = records("item variant count wear")
"""A stack; ``item`` 0 is nothing."""

SLOTS = 36
"""Of the inventory. Slot 0 is the main hand; feet, legs, chest, head are slots 36 to 39, the off hand 40."""


WORLD = np.dtype(
    [
        ("blocks", np.uint8, (WINDOW, WINDOW, HEIGHT)),
        ("top", np.uint8, (WINDOW, WINDOW)),
        ("roof", np.uint8, (WINDOW, WINDOW)),
        ("peak", np.uint8, (WINDOW // TILE) ** 2),
        ("biome", np.uint8, (WINDOW, WINDOW)),
        ("chunks", np.int64, (WINDOW // CHUNK, WINDOW // CHUNK, 2)),
        ("edits", np.int32, (EDITS, 4)),
        ("visited", np.int64, (VISITED, 2)),
        ("fixtures", np.int64, (FIXTURES, 4)),
        ("kills", np.int64, len(CREATURES)),
        ("status", STATUS),
        ("inventory", SLOT, 41),
        ("bodies", BODY, 1 + MOBS),
        ("drops", BODY, DROPS),
    ],
    align=True,
)
"""A whole world in one record, which compiled code gets as one pointer.

- ``blocks``: block number by x, z (both modulo 256) and y;
- ``top``, ``roof``, ``biome``: by x and z, the height of the highest block that is not air, of the highest
  that no light passes, and the place of the biome in :data:`mnemocraft.envs.overworld.biomes.BIOMES`;
- ``peak``: the highest ``top`` in each square of 8 x 8 columns;
- ``chunks``: which chunk (x, z) each part of the window holds;
- ``edits``: changed blocks as x, y, z and number, oldest first;
- ``visited``: chunks whose animals have been placed (a ring);
- ``fixtures``: where torches, tables and furnaces stand that were placed, as x, y, z and number;
- ``kills``: by kind of mob;
- ``inventory``: 41 stacks; ``bodies``: the player and the mobs; ``drops``: stacks on the ground.
"""

World = Any
"""Inside compiled code: one record of :data:`WORLD`."""


def new_world() -> np.ndarray:
    """An empty world: an array of one record."""
    return np.zeros(1, WORLD)


def clear_world(worlds: np.ndarray) -> None:
    """Forget everything but the memory itself, which is the slow part to get."""
    for part in ("status", "inventory", "bodies", "kills"):
        worlds[part] = np.zeros((), WORLD[part].base)
    worlds["chunks"] = -(1 << 60)


def shorten_edits(worlds: np.ndarray) -> None:
    """Keep only the last change of each block once the list of changes is nearly full.

    Raises:
        MnemocraftError: More different blocks were changed than a world remembers.
    """
    status = worlds["status"]
    used = int(status["edits"][0])
    if used < EDITS - MOST_EDITS:
        return
    edits = worlds["edits"][0]
    _, last = np.unique(edits[used - 1 :: -1, :3], axis=0, return_index=True)
    kept = edits[np.sort(used - 1 - last)]
    if len(kept) >= EDITS - 2 * MOST_EDITS:
        raise MnemocraftError(
            f"A world remembers {EDITS - 2 * MOST_EDITS} changed blocks; start a new episode."
        )
    edits[: len(kept)] = kept
    status["edits"] = len(kept)
