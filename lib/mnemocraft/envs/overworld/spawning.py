"""Where mobs come from: herds that belong to a chunk, animals that turn up, monsters in the dark."""

from __future__ import annotations

from mnemocraft.envs.overworld.blocks import FIRST_SOLID, GRASS, LAVA, SAND, SNOW_LAYER, WATER
from mnemocraft.envs.overworld.chance import draw
from mnemocraft.envs.overworld.chunks import block_at, daylight_at, torchlight_at
from mnemocraft.envs.overworld.creatures import CREEPER, SKELETON, SPIDER, ZOMBIE
from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.noise import below, hash2, scramble
from mnemocraft.envs.overworld.physics import fits
from mnemocraft.envs.overworld.survival import sun
from mnemocraft.envs.overworld.tables import Tables
from mnemocraft.envs.overworld.world import CHUNK, HEIGHT, MOBS, NEAR, UNIT, VISITED, WINDOW, World

MASK = WINDOW - 1
HERD_CHANCE = 14
"""Of 100 chunks so many have a herd."""
ANIMALS, MONSTERS = 26, 12
DARK = 7


@compiled
def light_at(world: World, x: int, y: int, z: int) -> int:
    """Light of an open place, 0 to 15, with the sun as it stands."""
    sky = daylight_at(world, x, y, z) - 11 * (1000 - sun(world.status.time)) // 1000
    return max(0, sky, torchlight_at(world, x, y, z))


@compiled
def summon(world: World, tables: Tables, kind: int, x: int, y: int, z: int) -> bool:
    """Put a mob on solid ground in a place; False if it does not fit there or there are too many."""
    status, mob_kind = world.status, tables.mobs[kind - 1]
    if status.bodies >= MOBS or not 0 < y < HEIGHT - 3 or block_at(world, x, y - 1, z) < FIRST_SOLID:
        return False
    middle = UNIT // 2
    px, py, pz = x * UNIT + middle, y * UNIT, z * UNIT + middle
    if not fits(world, px, py, pz, mob_kind.half, mob_kind.height):
        return False
    if block_at(world, x, y, z) in (WATER, LAVA):
        return False
    status.bodies += 1
    mob = world.bodies[status.bodies]
    mob.x, mob.y, mob.z, mob.vx, mob.vy, mob.vz = px, py, pz, 0, 0, 0
    mob.kind, mob.half, mob.height = kind, mob_kind.half, mob_kind.height
    mob.yaw, mob.life = draw(status, 24) * 15, mob_kind.health
    mob.ground, mob.wet, mob.blocked, mob.hurt, mob.age = 1, 0, 0, 0, 0
    mob.timer, mob.stride, mob.fright, mob.mood = 20 + draw(status, 80), 0, 0, 0
    mob.item, mob.variant, mob.count, mob.wear = 0, 0, 0, 0
    return True


@compiled
def place_herds(world: World, tables: Tables) -> None:
    """The herds of the chunks around the player that were never near before."""
    status, player = world.status, world.bodies[0]
    here_x, here_z = player.x >> 20, player.z >> 20
    for cx in range(here_x - NEAR, here_x + NEAR + 1):
        for cz in range(here_z - NEAR, here_z + NEAR + 1):
            if not _visited(world, cx, cz):
                seat = world.visited[status.visited % VISITED]
                seat[0], seat[1] = cx, cz
                status.visited += 1
                bits = hash2(status.seed + 81, cx, cz)
                if status.spawns and below(bits, 100) < HERD_CHANCE:
                    _herd(world, tables, bits, cx * CHUNK, cz * CHUNK)


@compiled
def _visited(world: World, cx: int, cz: int) -> bool:
    for row in range(min(world.status.visited, VISITED)):
        if world.visited[row, 0] == cx and world.visited[row, 1] == cz:
            return True
    return False


@compiled
def _herd(world: World, tables: Tables, bits: int, x0: int, z0: int) -> None:
    biome = int(world.biome[(x0 + 8) & MASK, (z0 + 8) & MASK])
    herds, number = tables.herds[biome], tables.biomes[biome].herds
    weight = 0
    for row in range(number):
        weight += herds[row, 1]
    if weight == 0:
        return
    chance = below(bits << 7, weight)
    for row in range(number):
        if 0 <= chance < herds[row, 1]:
            animals = herds[row, 2] + below(bits << 11, herds[row, 3] - herds[row, 2] + 1)
            for _ in range(4 * animals):
                bits = scramble(bits + 5)
                x, z = x0 + below(bits, CHUNK), z0 + below(bits << 15, CHUNK)
                if animals > 0 and _animal(world, tables, herds[row, 0], x, z):
                    animals -= 1
        chance -= herds[row, 1]


@compiled
def _animal(world: World, tables: Tables, kind: int, x: int, z: int) -> bool:
    """An animal on the open ground of a column."""
    y = int(world.roof[x & MASK, z & MASK])
    ground = block_at(world, x, y, z)
    if ground != GRASS and ground != SAND and block_at(world, x, y + 1, z) != SNOW_LAYER:
        return False
    return world.status.bodies < ANIMALS and summon(world, tables, kind, x, y + 1, z)


@compiled
def spawn(world: World, tables: Tables) -> None:
    """Once a second try for monsters in the dark, every 20 seconds for animals on the grass."""
    status = world.status
    if status.spawns and status.age % 20 == 0 and _monsters(world, tables) < MONSTERS:
        for _ in range(3):
            _monster(world, tables)
    if status.spawns and status.age % 400 == 0 and status.bodies < ANIMALS // 3:
        x, z = _somewhere(world)
        biome = int(world.biome[x & MASK, z & MASK])
        if tables.biomes[biome].herds:
            kind = tables.herds[biome, draw(status, tables.biomes[biome].herds), 0]
            for _ in range(3):
                _animal(world, tables, kind, x + draw(status, 5) - 2, z + draw(status, 5) - 2)


@compiled
def _monsters(world: World, tables: Tables) -> int:
    number = 0
    for row in range(1, 1 + world.status.bodies):
        number += tables.mobs[world.bodies[row].kind - 1].hostile
    return number


@compiled
def _somewhere(world: World) -> tuple[int, int]:
    """A place 24 to 38 blocks from the player, along x or z."""
    status, player = world.status, world.bodies[0]
    far = (24 + draw(status, 15)) * (1 if draw(status, 2) else -1)
    aside = draw(status, 77) - 38
    across = draw(status, 2)
    return (player.x >> 16) + (far if across else aside), (player.z >> 16) + (aside if across else far)


@compiled
def _monster(world: World, tables: Tables) -> None:
    status = world.status
    x, z = _somewhere(world)
    surface = int(world.roof[x & MASK, z & MASK]) + 1
    y = surface if draw(status, 2) else 5 + draw(status, max(1, surface - 5))
    if light_at(world, x, y, z) <= DARK:
        kind = (ZOMBIE, SKELETON, CREEPER, SPIDER)[draw(status, 4)]
        summon(world, tables, kind, x, y, z)
