"""The player's body: damage and armour, hunger, healing, breath, falls, lava."""

from __future__ import annotations

from typing import Any

from mnemocraft.envs.overworld.blocks import CACTUS, LADDER, LAVA, WATER
from mnemocraft.envs.overworld.chunks import block_at
from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.physics import DRY, IN_LAVA, IN_WATER
from mnemocraft.envs.overworld.stacks import clear
from mnemocraft.envs.overworld.tables import Tables
from mnemocraft.envs.overworld.world import UNIT, World

FULL_LIFE = FULL_FOOD = 20000
BREATH = 300
BURNING = 300
"""Ticks that lava sets one on fire for."""
EXPLOSION, FIRE, PROJECTILE, UNBLOCKABLE, HUNGER = 1, 2, 4, 8, 16
"""Kinds of damage, as bits."""
HEALING = 6000
"""Exhaustion that a point of life costs."""
FEEL_PAUSE = 10
"""Ticks after a hit during which others do nothing."""


@compiled
def sun(time: int) -> int:
    """Brightness of the sun in thousandths at a time of day (24,000 ticks, 0 is sunrise)."""
    time %= 24000
    if time < 12040:
        return 1000
    if time < 13670:
        return (13670 - time) * 1000 // 1630
    if time < 22331:
        return 0
    return min(1000, (time - 22331) * 1000 // 1630)


@compiled
def tire(status: Any, effort: int) -> None:
    """Exhaustion in thousandths; 4 points of it cost a point of saturation, then of food."""
    status.exhaustion += effort
    while status.exhaustion >= 4000:
        status.exhaustion -= 4000
        if status.saturation > 0:
            status.saturation = max(0, status.saturation - 1000)
        else:
            status.food = max(0, status.food - 1000)


@compiled
def hurt(world: World, tables: Tables, amount: int, kind: int, yaw: int, distance: int) -> None:
    """Damage the player by ``amount`` thousandths of a half heart, from a direction and a distance."""
    status = world.status
    if status.dead or (status.invulnerable > 0 and not kind & HUNGER):
        return
    if not kind & UNBLOCKABLE:
        points, tough = _armour(world, tables)
        _wear_armour(world, tables, max(1, amount // 4000))
        amount = softened(amount, points, tough)
    status.damage, status.damage_kind = amount, kind
    status.damage_hunger = 0 if kind & UNBLOCKABLE else 100
    status.damage_yaw, status.damage_distance, status.damage_pitch = yaw, distance, 0
    status.life = max(0, status.life - amount)
    status.invulnerable = FEEL_PAUSE
    tire(status, status.damage_hunger)
    if status.life == 0:
        status.dead = 1


@compiled
def _armour(world: World, tables: Tables) -> tuple[int, int]:
    """Points and toughness of what is worn."""
    points = tough = 0
    for place in range(36, 40):
        worn = tables.items[world.inventory[place].item]
        points += worn.armour
        tough += worn.tough
    return points, tough


@compiled
def softened(amount: int, points: int, tough: int) -> int:
    """Damage that armour lets through: it is weaker against heavy blows, less so if it is tough."""
    shield = max(points * 200, points * 1000 - 4 * amount // (8 + tough))
    return amount * (25000 - min(20000, shield)) // 25000


@compiled
def _wear_armour(world: World, tables: Tables, uses: int) -> None:
    for place in range(36, 40):
        slot = world.inventory[place]
        lasts = tables.items[slot.item].durability
        if slot.item and lasts:
            slot.wear += uses
            if slot.wear >= lasts:
                clear(slot)
            world.status.changes += 1


@compiled
def land(world: World, tables: Tables) -> None:
    """Falls of more than three blocks hurt, unless into water or along a ladder."""
    player, status = world.bodies[0], world.status
    ladder = block_at(world, player.x >> 16, player.y >> 16, player.z >> 16) == LADDER
    if player.wet == IN_WATER or ladder:
        status.fall = 0
    elif player.ground:
        blocks = (status.fall + UNIT * 15 // 16) // UNIT - 3
        status.fall = 0
        if blocks > 0:
            hurt(world, tables, blocks * 1000, UNBLOCKABLE, 0, 0)


@compiled
def live(world: World, tables: Tables) -> None:
    """One tick of hunger, healing, breath and burning."""
    player, status = world.bodies[0], world.status
    status.invulnerable = max(0, status.invulnerable - 1)
    status.armor = _armour(world, tables)[0]
    _heal_or_starve(world, tables)
    head = block_at(world, player.x >> 16, (player.y + UNIT * 162 // 100) >> 16, player.z >> 16)
    if head == WATER:
        status.oxygen -= 1
        if status.oxygen <= -20:
            status.oxygen = 0
            hurt(world, tables, 2000, UNBLOCKABLE, 0, 0)
    else:
        status.oxygen = BREATH
    if player.wet == IN_LAVA or head == LAVA:
        status.fire = BURNING
        hurt(world, tables, 4000, FIRE, 0, 0)
    elif player.wet == IN_WATER:
        status.fire = 0
    if status.fire > 0:
        status.fire -= 1
        if status.fire % 20 == 0 and player.wet == DRY:
            hurt(world, tables, 1000, FIRE | UNBLOCKABLE, 0, 0)
    if _touches_cactus(world):
        hurt(world, tables, 1000, 0, 0, 0)


@compiled
def _heal_or_starve(world: World, tables: Tables) -> None:
    status = world.status
    status.regeneration += 1
    if status.food >= FULL_FOOD and status.saturation > 0 and status.life < FULL_LIFE:
        if status.regeneration >= 10:
            _heal(status, min(status.saturation, HEALING))
    elif status.food >= 18000 and status.life < FULL_LIFE:
        if status.regeneration >= 80:
            _heal(status, HEALING)
    elif status.food == 0:
        if status.regeneration >= 80:
            status.regeneration = 0
            if status.life > 1000:  # as on normal difficulty: hunger alone does not kill
                hurt(world, tables, 1000, HUNGER | UNBLOCKABLE, 0, 0)
    else:
        status.regeneration = 0


@compiled
def _heal(status: Any, effort: int) -> None:
    status.regeneration = 0
    status.life = min(FULL_LIFE, status.life + effort * 1000 // HEALING)
    tire(status, effort)


@compiled
def _touches_cactus(world: World) -> bool:
    player = world.bodies[0]
    reach = player.half + UNIT // 16
    for dx in range(-1, 2):
        for dz in range(-1, 2):
            if (dx == 0 or dz == 0) and (
                block_at(
                    world,
                    (player.x + dx * reach) >> 16,
                    (player.y + UNIT // 2) >> 16,
                    (player.z + dz * reach) >> 16,
                )
                == CACTUS
            ):
                return True
    return False
