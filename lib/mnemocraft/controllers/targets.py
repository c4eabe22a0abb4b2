"""Where a mine or kill goal finds its items: kinds of blocks and mobs, from the rules of 1.11.2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from mnemocraft.controllers.success import VERSION
from mnemocraft.envs.minecraft.facts import Block, Loot, Rules
from mnemocraft.envs.minecraft.goals import Goal, goal_library
from mnemocraft.envs.minecraft.rules import rules

ORES = {ore.block: ore.high for ore in rules(VERSION).ores if ore.block.endswith("_ore")}
"""Heights up to which ores are found, by block."""
PROSPECTING, ABOVE_LAVA = 56, 11
"""Height to come down to in search of ores (or just below their highest), and the least of it."""
_RARE = 0.5
"""A source counts only if it leaves the item at least so often as the best one does."""


@dataclass(frozen=True)
class Sources:
    """Blocks as (name, variant; None for any) and mobs that leave what a goal asks for."""

    blocks: tuple[tuple[str, int | None], ...]
    mobs: tuple[str, ...]


@cache
def sources(goal: Goal) -> Sources:
    """What leaves the items of a mine or kill goal: blocks of nature, else mobs, else any blocks.

    Other goals have none.
    """
    library = goal_library(VERSION)
    library.ways(goal)  # refuses what is no goal
    if goal.verb == "kill":
        return Sources((), (goal.item,))
    if goal.verb != "mine":
        return Sources((), ())
    item, variant = library.objective(goal)[0]
    every, animals = library.rules.blocks.values(), library.rules.mobs.values()
    natural = _best({b.name: _chance(b.drops, item, goal.tool) for b in every if b.found == "overworld"})
    mobs = _best({m.name: _chance(m.drops, item, "") for m in animals if m.found == "overworld"})
    blocks = natural or (() if mobs else _best({b.name: _chance(b.drops, item, goal.tool) for b in every}))
    return Sources(
        tuple((name, variant if name == item else None) for name in blocks), () if blocks else mobs
    )


@cache
def search_level(goal: Goal) -> int:
    """Height at which the ores of a goal are looked for; 0 if its sources are none."""
    highest = max((ORES[name] for name, _ in sources(goal).blocks if name in ORES), default=0)
    return min(PROSPECTING, max(ABOVE_LAVA, highest - 5)) if highest else 0


@cache
def tries(goal: Goal) -> float:
    """How many sources of a mine goal's item are broken for one of it, on the average."""
    item, _ = goal_library(VERSION).objective(goal)[0]
    blocks = goal_library(VERSION).rules.blocks
    return 1 / max(_chance(blocks[name].drops, item, goal.tool) for name, _ in sources(goal).blocks)


def _best(chances: dict[str, float]) -> tuple[str, ...]:
    """Those that leave the item at least half as often as the best one does."""
    least = _RARE * max(chances.values(), default=0)
    return tuple(name for name, chance in chances.items() if chance > least)


def _chance(loot: Loot, item: str, tool: str) -> float:
    """How often a source leaves an item; what asks for a tool counts if none is named."""
    chances = [
        drop.chance
        for pool in loot
        for drop in pool
        if drop.item == item and (not drop.tools or not tool or tool in drop.tools)
    ]
    return max(chances, default=0.0)


def best_tool(goal: Goal, held: Mapping[str, int]) -> str:
    """What to hold for a mine, kill or dig goal: its own tool, or the best at hand; empty if any will do.

    Args:
        goal: The goal.
        held: Units by item.
    """
    rules = goal_library(VERSION).rules
    tools = [name for name in held if name in rules.tools]
    if goal.tool or not tools:
        return goal.tool if goal.tool in held else ""
    if goal.verb == "dig":
        return _first(tools, {name: rules.speed(rules.blocks["stone"], name) for name in tools}, 1.0)
    found = sources(goal)
    if not found.blocks:
        bare = 1.0
        return _first(tools, {name: rules.tools[name].attack for name in tools}, bare)
    block = rules.blocks[found.blocks[0][0]]
    item = goal_library(VERSION).objective(goal)[0][0]
    return _first(tools, {name: _worth(rules, block, item, name) for name in tools}, 1.0)


def _worth(rules: Rules, block: Block, item: str, tool: str) -> float:
    """Speed of a tool on a block; more if only it makes the block leave the item."""
    wanted = {t for pool in block.drops for drop in pool if drop.item == item for t in drop.tools}
    needed = tool in (*block.harvest, *wanted)
    return rules.speed(block, tool) + (100 if needed else 0)


def _first(tools: list[str], worth: Mapping[str, float], least: float) -> str:
    """The first of the best tools, if it is better than the bare hand."""
    best = max(tools, key=worth.__getitem__)
    return best if worth[best] > least else ""
