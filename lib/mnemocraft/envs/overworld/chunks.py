"""The window of terrain: chunks are made when needed, changed blocks are kept, heights stay up to date."""

from __future__ import annotations

from mnemocraft.envs.overworld.biomes import BEACH, DESERT, EXTREME_HILLS, ICE_PLAINS, OCEAN, RIVER, SWAMPLAND
from mnemocraft.envs.overworld.blocks import (
    AIR,
    BEDROCK,
    CLAY,
    FIRST_OPAQUE,
    FURNACE,
    GRASS,
    GRAVEL,
    ICE,
    ROCK,
    SAND,
    SANDSTONE,
    SOIL,
    TABLE,
    TORCH,
    WATER,
)
from mnemocraft.envs.overworld.caves import carve, lay_ores
from mnemocraft.envs.overworld.flora import grow_plants, grow_trees
from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.noise import below, hash2, noise2
from mnemocraft.envs.overworld.tables import Tables
from mnemocraft.envs.overworld.terrain import column
from mnemocraft.envs.overworld.world import (
    CHUNK,
    FIXTURES,
    HEIGHT,
    NEAR,
    SEA,
    TILE,
    UNIT,
    VIEW,
    WINDOW,
    World,
)

MASK = WINDOW - 1
SEATS = WINDOW // CHUNK - 1
SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


@compiled
def make_near(world: World, tables: Tables) -> None:
    """Make the chunks around the player that are not there yet."""
    player = world.bodies[0]
    here_x, here_z = (player.x // UNIT) >> 4, (player.z // UNIT) >> 4
    for cx in range(here_x - NEAR, here_x + NEAR + 1):
        for cz in range(here_z - NEAR, here_z + NEAR + 1):
            seat = world.chunks[cx & SEATS, cz & SEATS]
            if seat[0] != cx or seat[1] != cz:
                seat[0], seat[1] = cx, cz
                _make(world, tables, cx * CHUNK, cz * CHUNK)


@compiled
def _make(world: World, tables: Tables, x0: int, z0: int) -> None:
    seed, forced = world.status.seed, world.status.biome
    for i in range(CHUNK):
        for k in range(CHUNK):
            _fill_column(world, seed, forced, x0 + i, z0 + k)
    carve(world, seed, x0, z0)
    lay_ores(world, tables, seed, x0, z0)
    grow_trees(world, tables, seed, forced, x0, z0)
    grow_plants(world, tables, seed, x0, z0)
    _repeat_edits(world, x0, z0)
    for i in range(CHUNK):
        for k in range(CHUNK):
            _measure(world, (x0 + i) & MASK, (z0 + k) & MASK)
    for i in range(0, CHUNK, TILE):
        for k in range(0, CHUNK, TILE):
            _find_peak(world, (x0 + i) & MASK, (z0 + k) & MASK)


@compiled
def _fill_column(world: World, seed: int, forced: int, x: int, z: int) -> None:
    """Bedrock, rock, soil, surface and water; ``top`` holds the height of the ground for now."""
    ground, biome = column(seed, forced, x, z)
    here = world.blocks[x & MASK, z & MASK]
    world.top[x & MASK, z & MASK] = ground
    world.biome[x & MASK, z & MASK] = biome
    surface, below_it = _soil(seed, x, z, ground, biome)
    thick = 3 + below(hash2(seed + 71, x, z), 2)
    here[: ground - thick] = ROCK
    here[ground - thick : ground] = below_it
    if below_it == SAND:
        here[ground - thick : ground - 2] = SANDSTONE
    here[ground] = surface
    here[ground + 1 :] = AIR
    if ground < SEA:
        here[ground + 1 : SEA + 1] = WATER
        if biome == ICE_PLAINS or (biome == RIVER and forced == ICE_PLAINS):
            here[SEA] = ICE
    here[0] = BEDROCK


@compiled
def _soil(seed: int, x: int, z: int, ground: int, biome: int) -> tuple[int, int]:
    """The block on the ground and the one under it."""
    patch = noise2(seed + 72, x, z, 3)
    if biome in (DESERT, BEACH):
        return SAND, SAND
    if ground < SEA:
        if patch > 46000:
            return GRAVEL, GRAVEL
        if biome in (RIVER, SWAMPLAND) and patch < 18000:
            return CLAY, SOIL
        return (SAND, SAND) if biome in (OCEAN, RIVER) else (SOIL, SOIL)
    if biome == EXTREME_HILLS:
        if ground > 92 or patch > 50000:
            return ROCK, ROCK
        if patch < 9000:
            return GRAVEL, GRAVEL
    return GRASS, SOIL


@compiled
def _repeat_edits(world: World, x0: int, z0: int) -> None:
    for row in range(world.status.edits):
        edit = world.edits[row]
        if x0 <= edit[0] < x0 + CHUNK and z0 <= edit[2] < z0 + CHUNK:
            world.blocks[edit[0] & MASK, edit[2] & MASK, edit[1]] = edit[3]


@compiled
def _measure(world: World, bx: int, bz: int) -> None:
    """Find a column's ``top`` and ``roof`` anew."""
    here = world.blocks[bx, bz]
    y = HEIGHT - 1
    while here[y] == AIR:
        y -= 1
    world.top[bx, bz] = y
    world.status.highest = max(world.status.highest, y + 1)
    while here[y] < FIRST_OPAQUE:
        y -= 1
    world.roof[bx, bz] = y


@compiled
def _find_peak(world: World, bx: int, bz: int) -> None:
    """Find the highest block of a tile anew."""
    first_x, first_z = bx // TILE * TILE, bz // TILE * TILE
    highest = 0
    for i in range(TILE):
        for k in range(TILE):
            highest = max(highest, int(world.top[first_x + i, first_z + k]))
    world.peak[bx // TILE * (WINDOW // TILE) + bz // TILE] = highest


@compiled
def block_at(world: World, x: int, y: int, z: int) -> int:
    """Number of the block at a place: bedrock below the world, air above it."""
    if y < 0:
        return BEDROCK
    if y >= HEIGHT:
        return AIR
    return int(world.blocks[x & MASK, z & MASK, y])


@compiled
def set_block(world: World, x: int, y: int, z: int, block: int) -> None:
    """Change a block inside the window and remember it."""
    status = world.status
    edit = world.edits[status.edits]
    edit[0], edit[1], edit[2], edit[3] = x, y, z, block
    status.edits += 1
    bx, bz = x & MASK, z & MASK
    old = int(world.blocks[bx, bz, y])
    world.blocks[bx, bz, y] = block
    _measure(world, bx, bz)
    _find_peak(world, bx, bz)
    if old in (TORCH, TABLE, FURNACE):
        _forget_fixture(world, x, y, z)
    if block in (TORCH, TABLE, FURNACE):
        _add_fixture(world, x, y, z, block)


@compiled
def _forget_fixture(world: World, x: int, y: int, z: int) -> None:
    for row in range(world.status.fixtures):
        fixture = world.fixtures[row]
        if fixture[0] == x and fixture[1] == y and fixture[2] == z:
            _drop_fixture(world, row)
            return


@compiled
def _drop_fixture(world: World, row: int) -> None:
    """Take one out of the list, which stays in the order of age."""
    world.status.fixtures -= 1
    for later in range(row, world.status.fixtures):
        world.fixtures[later] = world.fixtures[later + 1]


@compiled
def _add_fixture(world: World, x: int, y: int, z: int, block: int) -> None:
    """Note a torch or station; if there are too many, the oldest torch goes out of mind."""
    status = world.status
    if status.fixtures == FIXTURES:
        oldest = 0
        while oldest < FIXTURES - 1 and world.fixtures[oldest, 3] != TORCH:
            oldest += 1
        _drop_fixture(world, oldest)
    fixture = world.fixtures[status.fixtures]
    fixture[0], fixture[1], fixture[2], fixture[3] = x, y, z, block
    status.fixtures += 1


@compiled
def daylight_at(world: World, x: int, y: int, z: int) -> int:
    """Sky light of an open place, 0 to 15: one less for each block from the sky, straight along x or z."""
    if y > int(world.roof[x & MASK, z & MASK]):
        return 15
    player = world.bodies[0]
    here_x, here_z = player.x >> 16, player.z >> 16
    light = 0
    for way in range(4):
        dx, dz = SIDES[way]
        for away in range(1, 15 - light):
            bx, bz = x + dx * away, z + dz * away
            unknown = abs(bx - here_x) > VIEW or abs(bz - here_z) > VIEW
            if unknown or block_at(world, bx, y, bz) >= FIRST_OPAQUE:
                break
            if y > int(world.roof[bx & MASK, bz & MASK]):
                light = 15 - away
                break
    return light


@compiled
def torchlight_at(world: World, x: int, y: int, z: int) -> int:
    """Light from torches, 0 to 14."""
    brightest = 0
    for row in range(world.status.fixtures):
        light = world.fixtures[row]
        away = abs(light[0] - x) + abs(light[1] - y) + abs(light[2] - z)
        if away < 14 and light[3] == TORCH:
            brightest = max(brightest, 14 - away)
    return brightest
