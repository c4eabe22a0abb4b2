"""Crafting and smelting as MineDojo does them: from the whole inventory, at once, fuel from slot 0 on."""

from __future__ import annotations

from mnemocraft.envs.overworld.blocks import FURNACE, TABLE
from mnemocraft.envs.overworld.items import AT_FURNACE, AT_TABLE
from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.outcomes import DONE, NO_FUEL, NO_FURNACE, NO_MATERIAL, NO_TABLE
from mnemocraft.envs.overworld.stacks import clear, count, give_or_throw, take
from mnemocraft.envs.overworld.tables import Tables
from mnemocraft.envs.overworld.world import SLOTS, UNIT, World

SMELTING_TICKS = 200
EYES = UNIT * 162 // 100
STATION_REACH = 5


@compiled
def find_stations(world: World, tables: Tables) -> None:
    """Set the player's ``table`` and ``furnace``: placed within 5 blocks of the eyes, in view (45°)."""
    status, player = world.status, world.bodies[0]
    status.table = status.furnace = 0
    for row in range(status.fixtures):
        place = world.fixtures[row]
        dx = (place[0] << 16) + UNIT // 2 - player.x
        dy = (place[1] << 16) + UNIT // 2 - player.y - EYES
        dz = (place[2] << 16) + UNIT // 2 - player.z
        away = dx * dx + dy * dy + dz * dz
        if away <= (STATION_REACH * UNIT) ** 2 and _in_view(
            tables, player.yaw, status.pitch, dx, dy, dz, away
        ):
            if place[3] == TABLE:
                status.table = 1
            elif place[3] == FURNACE:
                status.furnace = 1


@compiled
def look(tables: Tables, yaw: int, pitch: int) -> tuple[int, int, int]:
    """The direction of a view as x, y, z in 1/2**20."""
    sine = tables.sine
    level = sine[(pitch + 450) % 360]
    x = -(sine[yaw % 360] * level) >> 20
    z = (sine[(yaw + 90) % 360] * level) >> 20
    return x, -sine[pitch % 360], z


@compiled
def _in_view(tables: Tables, yaw: int, pitch: int, dx: int, dy: int, dz: int, away: int) -> bool:
    x, y, z = look(tables, yaw, pitch)
    along = (dx * x + dy * y + dz * z) >> 20
    return along > 0 and 2 * along * along >= away


@compiled
def enough(world: World, tables: Tables, recipe: int) -> bool:
    """Whether the inventory holds a recipe's ingredients."""
    row = tables.recipes[recipe]
    for place in range(row.first, row.first + row.number):
        need = tables.ingredients[place]
        if count(world, need.item) < need.count:
            return False
    return True


@compiled
def craft(world: World, tables: Tables, index: int) -> int:
    """Make the item of MineDojo's list at ``index`` once, by the first recipe there is material for."""
    entry, status = tables.crafts[index], world.status
    recipe = -1
    for way in range(entry.first, entry.first + entry.number):
        if recipe < 0 and enough(world, tables, way):
            recipe = way
    if recipe < 0:
        return NO_MATERIAL
    if entry.station == AT_TABLE and not status.table:
        return NO_TABLE
    if entry.station == AT_FURNACE and not status.furnace:
        return NO_FURNACE
    before = world.inventory.copy()
    variant = _use_up(world, tables, recipe)
    if entry.station == AT_FURNACE and not _burn(world, tables):
        for place in range(SLOTS):
            world.inventory[place] = before[place]
        return NO_FUEL
    give_or_throw(world, tables, entry.result, variant, tables.recipes[recipe].count, 0)
    return DONE


@compiled
def _use_up(world: World, tables: Tables, recipe: int) -> int:
    """Take the ingredients, put back empty buckets; the variant of the result."""
    row = tables.recipes[recipe]
    kind = 0
    for place in range(row.first, row.first + row.number):
        need = tables.ingredients[place]
        kind = take(world, need.item, need.count)
        if tables.items[need.item].remains:
            give_or_throw(world, tables, tables.items[need.item].remains, 0, need.count, 0)
    return row.variant + kind * row.inherits


@compiled
def _burn(world: World, tables: Tables) -> bool:
    """Heat for one item: what an earlier fuel left over, then the first burnable stacks."""
    status = world.status
    heat = status.fuel
    for place in range(SLOTS):
        slot = world.inventory[place]
        ticks = tables.items[slot.item].fuel
        while ticks and slot.count and heat < SMELTING_TICKS:
            remains = tables.items[slot.item].remains
            heat += ticks
            slot.count -= 1
            if slot.count == 0:
                clear(slot)
                if remains:
                    slot.item, slot.count = remains, 1
                    ticks = 0
    if heat < SMELTING_TICKS:
        return False
    status.fuel = heat - SMELTING_TICKS
    status.changes += 1
    return True
