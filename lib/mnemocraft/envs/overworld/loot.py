"""What broken blocks, killed and shorn mobs leave."""

from __future__ import annotations

from mnemocraft.envs.overworld.chance import draw
from mnemocraft.envs.overworld.jit import compiled
from mnemocraft.envs.overworld.stacks import throw
from mnemocraft.envs.overworld.tables import FULL, Tables
from mnemocraft.envs.overworld.world import World


@compiled
def roll_loot(
    world: World, tables: Tables, first: int, pools: int, tool: int, x: int, y: int, z: int
) -> None:
    """Throw what ``pools`` pools of loot give: of each the first drop whose tool and chance allow it."""
    status = world.status
    row = first
    for _ in range(pools):
        given = False
        while True:
            drop = tables.loot[row]
            row += 1
            fit = drop.tools == 0 or (drop.tools >> tool) & 1 != 0
            if not given and fit and (drop.chance >= FULL or draw(status, FULL) < drop.chance):
                given = True
                units = drop.low + draw(status, drop.high - drop.low + 1)
                if drop.item and units:
                    throw(world, x, y, z, drop.item, drop.variant, units, 0)
            if drop.last:
                break
