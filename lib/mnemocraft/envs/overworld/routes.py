"""Ways for a player who knows the whole state.

Ways are found by A* over the places where the player's feet can be. A step leads to a place beside, one up or
up to three down, or straight down; what is in the way is dug if that is allowed. Costs are ticks, roughly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mnemocraft.envs.overworld.blocks import CACTUS, FIRST_SOLID, FURNACE, LAVA, TABLE, WATER
from mnemocraft.envs.overworld.chunks import block_at
from mnemocraft.envs.overworld.jit import compiled, entry
from mnemocraft.envs.overworld.tables import NEVER, Tables
from mnemocraft.envs.overworld.world import HEIGHT, UNIT, World

RADIUS = 40
"""How far from the player, in x and z, ways lead."""
SIDE = 2 * RADIUS + 1
PLACES = SIDE * SIDE * HEIGHT
BESIDE_BLOCK, BESIDE_MOB, AT_STACK, BELOW, AWAY, OUTSIDE = range(6)
"""Where a way leads: to where a block is in reach, next to a mob, to a stack on the ground, down to a height,
a distance away along x and z, or to the open sky."""
WALK, CLIMB, DROP, SWIM = 5, 9, 7, 15
TURNING = 6
"""Ticks to turn to a block that is in the way."""
DANGER = 200

MEMORY = np.dtype([("cost", np.int32), ("seen", np.int32), ("mark", np.int32), ("came", np.int32)])
"""What a search notes of a place; entries whose ``seen`` or ``mark`` is of another search count as empty."""


@entry
def route(
    worlds: Any,
    rules: Any,
    memory: np.ndarray,
    heap: np.ndarray,
    run: int,
    kind: int,
    targets: np.ndarray,
    digs: int,
    shafts: bool,
    factor: int,
    most: int,
    path: np.ndarray,
) -> int:
    """Find a way for the player.

    Args:
        worlds: An array of one world.
        rules: An array of one record of tables.
        memory: :data:`MEMORY` (PLACES,), kept between calls.
        heap: int64, room for the places to look at.
        run: Another positive number for each call with the same memory.
        kind: Where to, see :data:`BESIDE_BLOCK`.
        targets: int64 (n, 3): blocks, mobs or stacks; or a height as y (for the sky: where it roughly
            begins); or a vector as x and z.
        digs: A block in the way may take so many ticks to break; 0: no digging.
        shafts: Whether to dig straight down.
        factor: What the estimate counts for a block of distance; 0: none, the way is a cheapest one.
        most: Places to look at.
        path: int64 (m, 4): the way from where the player is, as x, y, z and ticks so far.

    Returns:
        How many places the way has; 0 if there is none.
    """
    world, tables = worlds[0], rules[0]
    player = world.bodies[0]
    x0, z0 = player.x >> 16, player.z >> 16
    start = _index(_feet(world), RADIUS, RADIUS)
    if kind <= AT_STACK:
        for row in range(targets.shape[0]):
            _mark(world, memory, run, kind, targets[row], x0, z0)
    memory[start].cost, memory[start].seen, memory[start].came = 0, run, -1
    heap[0], size = start, 1
    while size > 0 and most > 0:
        key = heap[0]
        size -= 1
        _sink(heap, size)
        place = key & 0xFFFFFF
        here = memory[place]
        y, i, k = place // (SIDE * SIDE), place // SIDE % SIDE, place % SIDE
        if (key >> 24) > here.cost + _guess(kind, targets, factor, i + x0 - RADIUS, y, k + z0 - RADIUS):
            continue
        if kind == OUTSIDE and y > int(world.roof[(i + x0 - RADIUS) & 255, (k + z0 - RADIUS) & 255]):
            return _trace(memory, place, x0, z0, path)
        if _arrived(memory, run, kind, targets, place, i - RADIUS, y, k - RADIUS):
            return _trace(memory, place, x0, z0, path)
        most -= 1
        size = _expand(
            world, tables, memory, heap, size, run, place, x0, z0, kind, targets, digs, shafts, factor
        )
    return 0


@compiled
def _feet(world: World) -> int:
    """Height of the place where the player stands or swims."""
    player = world.bodies[0]
    x, y, z = player.x >> 16, (player.y + UNIT // 8) >> 16, player.z >> 16
    afloat = block_at(world, x, y, z) != WATER and block_at(world, x, y - 1, z) == WATER
    return y - 1 if afloat else y


@compiled
def _index(y: int, i: int, k: int) -> int:
    return (y * SIDE + i) * SIDE + k


@compiled
def _mark(
    world: World, memory: np.ndarray, run: int, kind: int, target: np.ndarray, x0: int, z0: int
) -> None:
    """Mark the places from where a target can be worked on."""
    for dx in range(-1, 2):
        for dz in range(-1, 2):
            for dy in range(-4, 3):
                i, y, k = target[0] + dx - x0 + RADIUS, target[1] + dy, target[2] + dz - z0 + RADIUS
                sideways = dx != 0 or dz != 0
                inside = 0 <= i < SIDE and 0 <= k < SIDE and 0 < y < HEIGHT - 3
                if inside and _fitting(world, kind, target, sideways, dy):
                    memory[_index(y, i, k)].mark = run


@compiled
def _fitting(world: World, kind: int, target: np.ndarray, sideways: bool, dy: int) -> bool:
    """Whether feet ``dy`` above a target, sideways or in line with it, are well placed."""
    block = block_at(world, target[0], target[1], target[2])
    if kind == AT_STACK:  # one dives for what lies in water
        return -2 <= dy <= (2 if block == WATER else 0) and not sideways
    if kind == BESIDE_MOB:
        return -1 <= dy <= 1
    if sideways:
        return (-4 if block >= FIRST_SOLID else -1) <= dy <= 1
    if dy == 1:  # the floor under one's feet, if one does not fall far
        return block_at(world, target[0], target[1] - 1, target[2]) >= FIRST_SOLID
    return dy == 0 if block < FIRST_SOLID else dy < -1


@compiled
def _arrived(
    memory: np.ndarray, run: int, kind: int, targets: np.ndarray, place: int, dx: int, y: int, dz: int
) -> bool:
    if kind == BELOW:
        return y <= targets[0, 1]
    if kind == OUTSIDE:
        return False
    if kind == AWAY:
        x, z = targets[0, 0], targets[0, 2]
        return dx * x + dz * z >= x * x + z * z
    return memory[place].mark == run


@compiled
def _guess(kind: int, targets: np.ndarray, factor: int, x: int, y: int, z: int) -> int:
    """Estimate of the ticks that are left."""
    if kind == BELOW:
        return factor * max(0, y - targets[0, 1])
    if kind == OUTSIDE:
        return factor * max(0, targets[0, 1] - y)
    if factor == 0 or kind == AWAY:
        return 0
    least = 1 << 20
    for row in range(targets.shape[0]):
        target = targets[row]
        least = min(least, abs(x - target[0]) + abs(y - target[1]) + abs(z - target[2]))
    return factor * least


@compiled
def _trace(memory: np.ndarray, place: int, x0: int, z0: int, path: np.ndarray) -> int:
    """Write down the way to a place; 0 if it is too long."""
    length, at = 0, place
    while at >= 0:
        length += 1
        at = memory[at].came
    if length > path.shape[0]:
        return 0
    for row in range(length - 1, -1, -1):
        path[row, 0], path[row, 1] = place // SIDE % SIDE + x0 - RADIUS, place // (SIDE * SIDE)
        path[row, 2], path[row, 3] = place % SIDE + z0 - RADIUS, memory[place].cost
        place = memory[place].came
    return length


@compiled
def _expand(
    world: World,
    tables: Tables,
    memory: np.ndarray,
    heap: np.ndarray,
    size: int,
    run: int,
    place: int,
    x0: int,
    z0: int,
    kind: int,
    targets: np.ndarray,
    digs: int,
    shafts: bool,
    factor: int,
) -> int:
    """Look at the steps from a place; the new size of the heap."""
    y, i, k = place // (SIDE * SIDE), place // SIDE % SIDE, place % SIDE
    x, z = i + x0 - RADIUS, k + z0 - RADIUS
    for way in range(6):
        dx, dz = (1, -1, 0, 0, 0, 0)[way], (0, 0, 1, -1, 0, 0)[way]
        if not (0 < i + dx < SIDE - 1 and 0 < k + dz < SIDE - 1 and 1 < y < HEIGHT - 4):
            continue
        for rise in range(1 if way != 4 else -1, -4 if way < 4 else -2 if way == 4 else 0, -1):
            if way == 4 and not shafts:
                continue
            ticks = _step(world, tables, digs, x, y, z, x + dx, z + dz, rise)
            if ticks >= NEVER:
                continue
            after = _index(y + rise, i + dx, k + dz)
            cost = memory[place].cost + ticks
            if (memory[after].seen != run or cost < memory[after].cost) and size < heap.shape[0]:
                memory[after].seen, memory[after].cost, memory[after].came = run, cost, place
                guess = _guess(kind, targets, factor, x + dx, y + rise, z + dz)
                _lift(heap, size, ((cost + guess) << 24) | after)
                size += 1
    return size


@compiled
def _step(
    world: World, tables: Tables, digs: int, x: int, y: int, z: int, nx: int, nz: int, rise: int
) -> int:
    """Ticks of one step from (x, y, z) to (nx, y + rise, nz); NEVER if it cannot be made."""
    ny = y + rise
    floor, here = block_at(world, nx, ny - 1, nz), block_at(world, nx, ny, nz)
    if floor in (CACTUS, LAVA) or (floor < FIRST_SOLID and here != WATER):
        return NEVER
    ticks = WALK if rise == 0 else CLIMB if rise > 0 else DROP - 2 * rise
    wet = block_at(world, x, y, z) == WATER
    if nx == x and nz == z and rise > 0:
        return ticks + SWIM if here == WATER and wet else NEVER
    if here == WATER:
        ticks += SWIM
    if (wet and rise < 0) or (here == WATER and block_at(world, nx, ny + 1, nz) == WATER):
        return NEVER  # a player floats
    if nx == x and nz == z:
        return _sum(ticks, _dig(world, tables, digs, x, ny, z))
    top = max(y, ny) + 1
    if rise > 0:
        ticks = _sum(ticks, _dig(world, tables, digs, x, y + 2, z))
    if rise < -1:
        digs = 0  # who falls must see where
    for height in range(ny, top + 1):
        ticks = _sum(ticks, _dig(world, tables, digs, nx, height, nz))
    return ticks if ticks >= NEVER else ticks + _danger(world, nx, ny, nz)


@compiled
def _sum(one: int, other: int) -> int:
    return NEVER if one >= NEVER or other >= NEVER else one + other


@compiled
def _dig(world: World, tables: Tables, digs: int, x: int, y: int, z: int) -> int:
    """Ticks until a body can pass a place; NEVER if it may not or must not be dug."""
    block = block_at(world, x, y, z)
    if block == LAVA:
        return NEVER
    if block < FIRST_SOLID:
        return 0
    ticks = tables.break_ticks[block, tables.items[world.inventory[0].item].tool]
    if ticks > digs or block in (TABLE, FURNACE) or y < 2:
        return NEVER
    return ticks + TURNING


@compiled
def _danger(world: World, x: int, y: int, z: int) -> int:
    """What a place costs more for lava or a cactus beside it."""
    ticks = 0
    for way in range(4):
        bx, bz = x + (1, -1, 0, 0)[way], z + (0, 0, 1, -1)[way]
        for by in range(y - 1, y + 2):
            block = block_at(world, bx, by, bz)
            if block in (LAVA, CACTUS):
                ticks += DANGER
    return ticks


@compiled
def _lift(heap: np.ndarray, place: int, key: int) -> None:
    """Put a key into a binary heap of ``place`` entries."""
    while place > 0:
        parent = (place - 1) >> 1
        if heap[parent] <= key:
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = key


@compiled
def _sink(heap: np.ndarray, size: int) -> None:
    """Take the first of ``size + 1`` entries off a binary heap."""
    key, place = heap[size], 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= key:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = key
