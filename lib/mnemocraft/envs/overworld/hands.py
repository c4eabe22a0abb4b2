"""What the player's hands do: break, hit, use, place, drop, equip, destroy."""

from __future__ import annotations

from mnemocraft.envs.overworld.blocks import (
    AIR,
    FIRST_SOLID,
    GRAVEL,
    ICE,
    LAVA,
    OBSIDIAN,
    SAND,
    WATER,
)
from mnemocraft.envs.overworld.chunks import block_at, set_block
from mnemocraft.envs.overworld.crafting import EYES, look
from mnemocraft.envs.overworld.creatures import COW, SHEEP
from mnemocraft.envs.overworld.items import BUCKET, LAVA_BUCKET, MILK_BUCKET, WATER_BUCKET
from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.loot import roll_loot
from mnemocraft.envs.overworld.mobs import hurt_mob
from mnemocraft.envs.overworld.outcomes import (
    DONE,
    EMPTY_HAND,
    EMPTY_SLOT,
    NO_FACE,
    NO_USE,
    NOT_PLACEABLE,
    OCCUPIED,
)
from mnemocraft.envs.overworld.sight import BLOCK_REACH, aim, aim_at_mob
from mnemocraft.envs.overworld.stacks import clear, give_or_throw, throw
from mnemocraft.envs.overworld.survival import BREATH, tire
from mnemocraft.envs.overworld.tables import HOE, NO_TOOL, SHEARS, SWORD, Tables
from mnemocraft.envs.overworld.world import HEIGHT, UNIT, World

PAUSE = 5
"""Ticks between breaking two blocks, unless the first broke at once."""
EATING_TICKS = 32
WAYS = ((0, 1, 0), (1, 0, 0), (-1, 0, 0), (0, 0, 1), (0, 0, -1), (0, -1, 0))
"""The neighbours of a place, the lower one last."""
THROWN = 40
"""Ticks before a thrown stack can be picked up."""


@compiled
def wear_tool(world: World, tables: Tables, uses: int) -> None:
    """Wear what is in the main hand; it breaks at its end."""
    slot = world.inventory[0]
    lasts = tables.items[slot.item].durability
    if lasts and uses:
        slot.wear += uses
        if slot.wear >= lasts:
            clear(slot)
        world.status.changes += 1


# --- attack -------------------------------------------------------------------------------------------


@compiled
def attack(world: World, tables: Tables) -> int:
    """One tick of the attack key: hit the mob, or go on breaking the block, under the crosshair."""
    status = world.status
    away, x, y, z, _, _, block = aim(world, tables, False)
    row = aim_at_mob(world, tables, away)
    if row:
        status.breaking = 0
        mob = world.bodies[row]
        if mob.hurt == 0:
            kind = tables.items[world.inventory[0].item].kind
            hurt_mob(world, tables, row, tables.items[world.inventory[0].item].attack)
            wear_tool(world, tables, 0 if kind == NO_TOOL else 1 if kind in (SWORD, HOE) else 2)
            tire(status, 100)
        return DONE
    if away > BLOCK_REACH:
        status.breaking = 0
        return DONE
    _dig(world, tables, x, y, z, block)
    return DONE


@compiled
def _dig(world: World, tables: Tables, x: int, y: int, z: int, block: int) -> None:
    status, player = world.status, world.bodies[0]
    same = status.breaking and (x == status.breaking_x and y == status.breaking_y and z == status.breaking_z)
    if not same:
        status.breaking, status.progress = 1, 0
        status.breaking_x, status.breaking_y, status.breaking_z = x, y, z
    if status.pause > 0:
        return
    tool = tables.items[world.inventory[0].item].tool
    needed = tables.break_ticks[block, tool]
    status.progress += (1000 if player.ground else 200) // (1 if status.oxygen == BREATH else 5)
    if needed == 1 or status.progress >= needed * 1000:
        status.breaking, status.progress = 0, 0
        status.pause = PAUSE if needed > 1 else 0
        break_block(world, tables, x, y, z, tool)
        if tables.blocks[block].hard:
            wear_tool(world, tables, 2 if tables.items[world.inventory[0].item].kind == SWORD else 1)
            tire(status, 5)


@compiled
def break_block(world: World, tables: Tables, x: int, y: int, z: int, tool: int) -> None:
    """Remove a block and leave its drops; plants above break, sand and gravel above come down."""
    _remove(world, tables, x, y, z, tool)
    y += 1
    while LAVA < block_at(world, x, y, z) < FIRST_SOLID:
        _remove(world, tables, x, y, z, 0)
        y += 1
    _let_fall(world, x, y, z)


@compiled
def _let_fall(world: World, x: int, y: int, z: int) -> None:
    """Sand and gravel from a place upwards come down."""
    block = block_at(world, x, y, z)
    while block in (SAND, GRAVEL):
        floor = y
        while block_at(world, x, floor - 1, z) in (AIR, WATER, LAVA):
            floor -= 1
        if floor == y:
            return
        set_block(world, x, y, z, AIR)
        set_block(world, x, floor, z, block)
        y += 1
        block = block_at(world, x, y, z)


@compiled
def _remove(world: World, tables: Tables, x: int, y: int, z: int, tool: int) -> None:
    block = block_at(world, x, y, z)
    set_block(world, x, y, z, WATER if block == ICE else AIR)
    if tables.harvests[block, tool]:
        row = tables.blocks[block]
        half = UNIT // 2
        roll_loot(
            world, tables, row.loot, row.pools, tool, x * UNIT + half, y * UNIT + half // 2, z * UNIT + half
        )


# --- use ----------------------------------------------------------------------------------------------


@compiled
def use(world: World, tables: Tables) -> int:
    """One tick of the use key: eat, shear, milk, fill or empty a bucket, or place the block in the hand."""
    status, hand = world.status, world.inventory[0]
    item = tables.items[hand.item]
    if item.food and status.food < 20000:
        status.eating += 1
        if status.eating >= EATING_TICKS:
            _eat(world, tables)
        return DONE
    status.eating = 0
    away = aim(world, tables, False)[0]
    row = aim_at_mob(world, tables, away)
    if row:
        return _use_on_mob(world, tables, row)
    if hand.item in (BUCKET, WATER_BUCKET, LAVA_BUCKET):
        return _use_bucket(world, tables)
    if item.block > 0:
        return place(world, tables, 0)
    return NO_USE


@compiled
def _eat(world: World, tables: Tables) -> None:
    status, hand = world.status, world.inventory[0]
    item = tables.items[hand.item]
    status.eating = 0
    status.food = min(20000, status.food + item.food * 1000)
    status.saturation = min(status.food, status.saturation + item.saturation)
    hand.count -= 1
    if hand.count == 0:
        clear(hand)
    status.changes += 1


@compiled
def _use_on_mob(world: World, tables: Tables, row: int) -> int:
    mob, hand = world.bodies[row], world.inventory[0]
    if mob.kind == SHEEP and mob.mood == 0 and tables.items[hand.item].kind == SHEARS:
        mob.mood = 1
        loot = tables.mobs[mob.kind - 1]
        tool = tables.items[hand.item].tool
        roll_loot(world, tables, loot.shorn, loot.shorn_pools, tool, mob.x, mob.y + UNIT, mob.z)
        wear_tool(world, tables, 1)
        return DONE
    if mob.kind == COW and hand.item == BUCKET:
        _swap_one(world, tables, MILK_BUCKET)
        return DONE
    return NO_USE


@compiled
def _use_bucket(world: World, tables: Tables) -> int:
    """Fill an empty bucket from the liquid, or pour a full one at the face, under the crosshair."""
    hand = world.inventory[0]
    away, x, y, z, axis, side, block = aim(world, tables, hand.item == BUCKET)
    if away > BLOCK_REACH:
        return NO_USE
    if hand.item == BUCKET:
        if block != WATER and block != LAVA:
            return NO_USE
        if block == LAVA:
            set_block(world, x, y, z, AIR)  # water flows back at once, lava is too slow
        _swap_one(world, tables, WATER_BUCKET if block == WATER else LAVA_BUCKET)
        return DONE
    x, y, z = _beside(x, y, z, axis, side)
    if y >= HEIGHT or block_at(world, x, y, z) >= FIRST_SOLID:
        return NO_USE
    set_block(world, x, y, z, WATER if hand.item == WATER_BUCKET else LAVA)
    _quench(world, x, y, z)
    for turn in range(6):
        dx, dy, dz = WAYS[turn]
        _quench(world, x + dx, y + dy, z + dz)
    _swap_one(world, tables, BUCKET)
    return DONE


@compiled
def _quench(world: World, x: int, y: int, z: int) -> None:
    """Lava with water above or beside it becomes obsidian."""
    if block_at(world, x, y, z) == LAVA:
        for turn in range(5):
            dx, dy, dz = WAYS[turn]
            if block_at(world, x + dx, y + dy, z + dz) == WATER:
                set_block(world, x, y, z, OBSIDIAN)
                return


@compiled
def _swap_one(world: World, tables: Tables, item: int) -> None:
    """One unit in the hand becomes ``item``."""
    hand = world.inventory[0]
    hand.count -= 1
    if hand.count == 0:
        clear(hand)
    world.status.changes += 1
    give_or_throw(world, tables, item, 0, 1, 0)


@compiled
def _beside(x: int, y: int, z: int, axis: int, side: int) -> tuple[int, int, int]:
    """The place in front of a face."""
    return x + (side if axis == 0 else 0), y + (side if axis == 1 else 0), z + (side if axis == 2 else 0)


# --- slots --------------------------------------------------------------------------------------------


@compiled
def place(world: World, tables: Tables, index: int) -> int:
    """Put a block from a slot against the face under the crosshair."""
    slot = world.inventory[index]
    if slot.item == 0:
        return EMPTY_SLOT
    block = tables.place[slot.item, slot.variant & 15]
    if block < 0:
        return NOT_PLACEABLE
    away, x, y, z, axis, side, aimed = aim(world, tables, False)
    if away > BLOCK_REACH:
        return NO_FACE
    if aimed >= FIRST_SOLID:
        x, y, z = _beside(x, y, z, axis, side)
    if not 0 < y < HEIGHT or block_at(world, x, y, z) not in (AIR, WATER, LAVA, aimed):
        return OCCUPIED
    if block_at(world, x, y, z) >= FIRST_SOLID or (block >= FIRST_SOLID and _somebody_at(world, x, y, z)):
        return OCCUPIED
    if aimed < FIRST_SOLID:
        break_block(world, tables, x, y, z, 0)
    set_block(world, x, y, z, block)
    _let_fall(world, x, y, z)
    slot.count -= 1
    if slot.count == 0:
        clear(slot)
    world.status.changes += 1
    return DONE


@compiled
def _somebody_at(world: World, x: int, y: int, z: int) -> bool:
    """Whether the player's or a mob's box touches a place."""
    for row in range(1 + world.status.bodies):
        body = world.bodies[row]
        if (
            body.x + body.half > x << 16
            and body.x - body.half < (x + 1) << 16
            and body.z + body.half > z << 16
            and body.z - body.half < (z + 1) << 16
            and body.y + body.height > y << 16
            and body.y < (y + 1) << 16
        ):
            return True
    return False


@compiled
def drop(world: World, tables: Tables) -> int:
    """Throw one unit of the main hand forward."""
    hand, player, status = world.inventory[0], world.bodies[0], world.status
    if hand.item == 0:
        return EMPTY_HAND
    x, y, z = look(tables, player.yaw, status.pitch)
    eyes = player.y + EYES - UNIT * 3 // 10
    row = throw(world, player.x, eyes, player.z, hand.item, hand.variant, 1, hand.wear)
    thrown = world.drops[row]
    thrown.vx, thrown.vy, thrown.vz = x * 3 // 160, y * 3 // 160 + UNIT // 10, z * 3 // 160
    thrown.timer = THROWN
    hand.count -= 1
    if hand.count == 0:
        clear(hand)
    status.changes += 1
    return DONE


@compiled
def equip(world: World, tables: Tables, index: int) -> int:
    """Swap a slot with the main hand; what is worn goes to its own place."""
    slot = world.inventory[index]
    if slot.item == 0:
        return EMPTY_SLOT
    worn = tables.items[slot.item].slot
    other = world.inventory[worn]
    item, variant, count, wear = slot.item, slot.variant, slot.count, slot.wear
    slot.item, slot.variant, slot.count, slot.wear = other.item, other.variant, other.count, other.wear
    other.item, other.variant, other.count, other.wear = item, variant, count, wear
    world.status.changes += 1
    return DONE


@compiled
def destroy(world: World, index: int) -> int:
    """Remove a slot's stack for good."""
    slot = world.inventory[index]
    if slot.item == 0:
        return EMPTY_SLOT
    clear(slot)
    world.status.changes += 1
    return DONE
