"""How mobs live: animals wander and flee, monsters hunt, shoot, burst and burn; what a hit does to them."""

from __future__ import annotations

from typing import Any

from mnemocraft.envs.overworld.blocks import FIRST_OPAQUE
from mnemocraft.envs.overworld.chance import draw
from mnemocraft.envs.overworld.chunks import block_at
from mnemocraft.envs.overworld.creatures import CREEPER, SKELETON, SPIDER, ZOMBIE
from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.loot import roll_loot
from mnemocraft.envs.overworld.physics import CLIMB, DRY, IN_LAVA, JUMP, SWIM, move, push, slow_down, soak
from mnemocraft.envs.overworld.survival import EXPLOSION, FEEL_PAUSE, PROJECTILE, hurt, sun
from mnemocraft.envs.overworld.tables import Tables
from mnemocraft.envs.overworld.world import CHUNK, UNIT, VIEW, World

ACTIVE = (VIEW - CHUNK // 2) * UNIT
"""Mobs farther away than this stand still: the terrain around them may be gone."""
FORGOTTEN = 96 * UNIT
HURT_PAUSE = 10
MELEE, SHOT, BURST = 3 * UNIT // 2, 15 * UNIT, 3 * UNIT
"""How near a monster strikes, a skeleton shoots, a creeper's fuse burns."""
FUSE = 30
EYES = UNIT * 3 // 2


@compiled
def hurt_mob(world: World, tables: Tables, row: int, damage: int) -> None:
    """Take life from a mob, push it off and frighten it; at the end of its life it leaves drops."""
    mob, player = world.bodies[row], world.bodies[0]
    mob.life -= damage
    mob.hurt, mob.fright, mob.stride = HURT_PAUSE, 100, 2
    mob.yaw = (towards(tables, mob.x - player.x, mob.z - player.z)) % 360
    push(tables.sine, mob, mob.yaw, UNIT * 4 // 10, 0)
    mob.vy = UNIT * 3 // 10
    if mob.life <= 0:
        world.kills[mob.kind - 1] += 1
        world.status.experience += 5 if tables.mobs[mob.kind - 1].hostile else 2
        _die(world, tables, row)


@compiled
def _die(world: World, tables: Tables, row: int) -> None:
    mob = world.bodies[row]
    kind = tables.mobs[mob.kind - 1]
    pools = kind.pools - mob.mood if kind.shorn_pools else kind.pools
    first = kind.loot + (mob.mood if kind.shorn_pools else 0)  # a shorn sheep has no wool left
    x, y, z = mob.x, mob.y + UNIT // 4, mob.z
    remove(world, row)
    roll_loot(world, tables, first, pools, 0, x, y, z)


@compiled
def remove(world: World, row: int) -> None:
    """Take a mob out of the world; the last one gets its row."""
    world.bodies[row] = world.bodies[world.status.bodies]
    world.status.bodies -= 1


@compiled
def towards(tables: Tables, dx: int, dz: int) -> int:
    """The one of 24 directions that leads nearest to (dx, dz)."""
    best, yaw = -(1 << 62), 0
    for turn in range(0, 360, 15):
        along = -tables.sine[turn] * (dx >> 8) + tables.sine[(turn + 90) % 360] * (dz >> 8)
        if along > best:
            best, yaw = along, turn
    return yaw


@compiled
def move_mobs(world: World, tables: Tables) -> None:
    """A tick of all mobs; those far away are forgotten."""
    status, player = world.status, world.bodies[0]
    row = 1
    while row <= status.bodies:
        mob = world.bodies[row]
        away = max(abs(mob.x - player.x), abs(mob.z - player.z))
        before = status.bodies
        if away > FORGOTTEN:
            remove(world, row)
        elif away < ACTIVE:
            _act(world, tables, row)
        if status.bodies == before:
            row += 1


@compiled
def _act(world: World, tables: Tables, row: int) -> None:
    mob = world.bodies[row]
    kind = tables.mobs[mob.kind - 1]
    mob.age += 1
    mob.timer -= 1
    mob.hurt = max(0, mob.hurt - 1)
    mob.fright = max(0, mob.fright - 1)
    if kind.hostile:
        if _hunt(world, tables, row):
            return
    elif mob.timer <= 0:
        _wander(world.status, mob)
    resting = mob.ground and mob.stride == 0 and mob.vx == 0 and mob.vz == 0
    if resting and (mob.age + row) & 7:
        return
    soak(world, mob)
    if mob.stride:
        _walk(tables, mob, kind.pace * mob.stride)
    move(world, mob)
    slow_down(world, mob)
    if mob.wet == IN_LAVA:
        mob.life -= 400
        if mob.life <= 0:
            _die(world, tables, row)


@compiled
def _wander(status: Any, mob: Any) -> None:
    """Choose anew what to do: mostly stand, sometimes stroll; a frightened animal keeps running."""
    mob.stride = 2 if mob.fright else 1 if draw(status, 5) < 2 else 0
    mob.timer = 20 + draw(status, 60)
    if mob.stride:
        mob.yaw = draw(status, 24) * 15


@compiled
def _walk(tables: Tables, mob: Any, pace: int) -> None:
    """Speed up to ``pace``; jump over what is in the way, swim up in water."""
    push(tables.sine, mob, mob.yaw, (pace * 454 // 1000) if mob.ground else pace // 12, 0)
    if mob.wet != DRY:
        mob.vy = CLIMB if mob.blocked else mob.vy + SWIM
    elif mob.blocked and mob.ground:
        mob.vy = JUMP


@compiled
def _hunt(world: World, tables: Tables, row: int) -> bool:
    """What a monster does before it moves; True if it is gone."""
    mob, player, status = world.bodies[row], world.bodies[0], world.status
    if _burns(world, mob):
        mob.life -= 50
        if mob.life <= 0:
            _die(world, tables, row)
            return True
    dx, dy, dz = player.x - mob.x, player.y - mob.y, player.z - mob.z
    away = max(abs(dx), abs(dz))
    calm = mob.kind == SPIDER and sun(status.time) > 500 and mob.fright == 0
    if away > 28 * UNIT or status.dead or calm:
        if mob.timer <= 0:
            _wander(status, mob)
        if away > 32 * UNIT and draw(status, 800) == 0:
            remove(world, row)
            return True
        return False
    if mob.age % 5 == 0:
        mob.yaw = towards(tables, dx, dz)
    near_enough = mob.kind == SKELETON and away < 6 * UNIT
    mob.stride = 0 if near_enough or mob.fright > 90 else 1
    if mob.kind == CREEPER:
        return _creep(world, tables, row, away, abs(dy))
    reach = SHOT if mob.kind == SKELETON else MELEE
    if mob.timer <= 0 and away < reach and (mob.kind == SKELETON or abs(dy) < 2 * UNIT):
        mob.timer = 40 if mob.kind == SKELETON else 20
        _strike(world, tables, mob, away)
    return False


@compiled
def _strike(world: World, tables: Tables, mob: Any, away: int) -> None:
    if not clear_between(world, mob):
        return
    shot = mob.kind == SKELETON
    if shot and draw(world.status, 100) < 40:
        return  # missed
    damage, bits = tables.mobs[mob.kind - 1].attack, PROJECTILE if shot else 0
    hurt(world, tables, damage, bits, (mob.yaw + 180) % 360, away)
    if world.status.invulnerable == FEEL_PAUSE:
        push(tables.sine, world.bodies[0], mob.yaw, UNIT * 3 // 10, 0)


@compiled
def _creep(world: World, tables: Tables, row: int, away: int, height: int) -> bool:
    """A creeper's fuse burns near the player; it bursts without hurting the land."""
    mob = world.bodies[row]
    if away < BURST and height < BURST and clear_between(world, mob):
        mob.mood += 1
        mob.stride = 0
    else:
        mob.mood = max(0, mob.mood - 1)
    if mob.mood < FUSE:
        return False
    if away < 2 * BURST and clear_between(world, mob):
        damage = tables.mobs[mob.kind - 1].attack * (2 * BURST - away) // (2 * BURST)
        hurt(world, tables, damage, EXPLOSION, mob.yaw, away)
    remove(world, row)
    return True


@compiled
def _burns(world: World, mob: Any) -> bool:
    x, y, z = mob.x >> 16, mob.y >> 16, mob.z >> 16
    undead = mob.kind == ZOMBIE or mob.kind == SKELETON
    return (
        undead and mob.wet == DRY and sun(world.status.time) > 700 and y > int(world.roof[x & 255, z & 255])
    )


@compiled
def clear_between(world: World, mob: Any) -> bool:
    """Whether a mob sees the player: no opaque block between their eyes (asked every half block)."""
    player = world.bodies[0]
    dx, dy, dz = player.x - mob.x, player.y - mob.y, player.z - mob.z
    steps = 1 + max(abs(dx), abs(dy), abs(dz)) * 2 // UNIT
    for step in range(1, steps):
        x, y, z = mob.x + dx * step // steps, mob.y + EYES + dy * step // steps, mob.z + dz * step // steps
        if block_at(world, x >> 16, y >> 16, z >> 16) >= FIRST_OPAQUE:
            return False
    return True
