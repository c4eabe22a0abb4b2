"""The inventory: what is in it, taking out, putting in, and stacks that lie on the ground."""

from __future__ import annotations

from typing import Any

from mnemocraft.envs.overworld.chance import draw
from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.physics import fits, move, slow_down, soak
from mnemocraft.envs.overworld.tables import Tables
from mnemocraft.envs.overworld.world import DROPS, SLOTS, UNIT, World

DROP_HALF, DROP_HEIGHT = UNIT // 8, UNIT // 4
LIFETIME = 6000
REACH, REACH_UP = UNIT * 13 // 10, UNIT * 23 // 10
"""How near to the player's feet a stack must lie to be picked up: sideways, and upwards."""


@compiled
def clear(slot: Any) -> None:
    """Empty a slot."""
    slot.item, slot.variant, slot.count, slot.wear = 0, 0, 0, 0


@compiled
def count(world: World, item: int) -> int:
    """Units of an item in the 36 slots, whatever their variant."""
    total = 0
    for place in range(SLOTS):
        slot = world.inventory[place]
        if slot.item == item:
            total += slot.count
    return total


@compiled
def take(world: World, item: int, units: int) -> int:
    """Take units out of the first slots that hold the item; the variant of the last one taken.

    There must be enough of them.
    """
    variant = 0
    for place in range(SLOTS):
        slot = world.inventory[place]
        if units and slot.item == item:
            taken = min(units, slot.count)
            variant = slot.variant
            units -= taken
            slot.count -= taken
            if slot.count == 0:
                clear(slot)
    world.status.changes += 1
    return variant


@compiled
def give(world: World, tables: Tables, item: int, variant: int, units: int, wear: int) -> int:
    """Put units into slots with the same stack, then into empty ones; how many found no room."""
    most = tables.items[item].stack
    for pass_ in range(2):
        for place in range(SLOTS):
            slot = world.inventory[place]
            same = slot.item == item and slot.variant == variant and slot.wear == wear
            if units and ((same and slot.count < most) if pass_ == 0 else slot.item == 0):
                added = min(units, most - slot.count)
                slot.item, slot.variant, slot.wear = item, variant, wear
                slot.count += added
                units -= added
                world.status.changes += 1
    return units


@compiled
def throw(world: World, x: int, y: int, z: int, item: int, variant: int, units: int, wear: int) -> int:
    """A new stack on the ground, with a small push; if there are too many, it replaces the oldest.

    Returns:
        Its row among the world's.
    """
    status = world.status
    row = status.drops
    if row < DROPS:
        status.drops += 1
    else:
        row = _oldest(world)
    drop = world.drops[row]
    drop.x, drop.y, drop.z = x, y, z
    drop.vx, drop.vy, drop.vz = draw(status, 6000) - 3000, UNIT // 6, draw(status, 6000) - 3000
    drop.half, drop.height = DROP_HALF, DROP_HEIGHT
    drop.kind, drop.ground, drop.wet, drop.blocked, drop.age = 0, 0, 0, 0, 0
    drop.timer = 10
    drop.item, drop.variant, drop.count, drop.wear = item, variant, units, wear
    return row


@compiled
def _oldest(world: World) -> int:
    oldest = 0
    for row in range(world.status.drops):
        if world.drops[row].age > world.drops[oldest].age:
            oldest = row
    return oldest


@compiled
def give_or_throw(world: World, tables: Tables, item: int, variant: int, units: int, wear: int) -> None:
    """Put units into the inventory; what finds no room falls at the player's feet."""
    left = give(world, tables, item, variant, units, wear)
    if left:
        player = world.bodies[0]
        throw(world, player.x, player.y + UNIT // 2, player.z, item, variant, left, wear)


@compiled
def move_drops(world: World, tables: Tables) -> None:
    """A tick of all stacks on the ground: fall, be picked up, vanish after five minutes."""
    status = world.status
    row = 0
    while row < status.drops:
        drop = world.drops[row]
        _fall(world, drop)
        drop.age += 1
        drop.timer -= 1
        if drop.timer <= 0 and _within_reach(world, drop):
            drop.count = give(world, tables, drop.item, drop.variant, drop.count, drop.wear)
        if drop.count == 0 or drop.age >= LIFETIME:
            status.drops -= 1
            world.drops[row] = world.drops[status.drops]
        else:
            row += 1


@compiled
def _fall(world: World, drop: Any) -> None:
    player = world.bodies[0]
    if abs(drop.x - player.x) > 40 * UNIT or abs(drop.z - player.z) > 40 * UNIT:
        return  # the terrain there may be gone
    if not fits(world, drop.x, drop.y, drop.z, DROP_HALF, DROP_HEIGHT):
        drop.y = ((drop.y >> 16) + 1) << 16  # a block was put where it lay
        return
    soak(world, drop)
    move(world, drop)
    slow_down(world, drop)


@compiled
def _within_reach(world: World, drop: Any) -> bool:
    player, status = world.bodies[0], world.status
    return (
        status.dead == 0
        and abs(drop.x - player.x) < REACH
        and abs(drop.z - player.z) < REACH
        and -UNIT // 2 - DROP_HEIGHT < drop.y - player.y < REACH_UP
    )
