"""Actions of the text world as operators: what must be had, what is used up, what comes out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from mnemocraft.envs.minecraft.facts import SMELTING_TICKS, Block, CraftingRecipe, Drop, Mob, Rules

Name = tuple[str, str]
"""An action's verb and item, e.g. ``("craft", "stick")``."""

Demand = tuple[tuple[str, ...], int]
"""Items of which any will do, and how many units."""


@dataclass(frozen=True, slots=True)
class Operator:
    """One way to carry out an action.

    Attributes:
        name: Verb and item.
        needs: Tools, stations and portals that must be had and stay.
        takes: Materials that are used up.
        gives: Items that come out, with their numbers.
        heat: Ticks of furnace heat it uses.
        wears: Tools of which one loses a use.
        demands: What is taken and what is needed, together.
        output: Units that come out.
    """

    name: Name
    needs: tuple[Demand, ...] = ()
    takes: tuple[Demand, ...] = ()
    gives: tuple[tuple[str, int], ...] = ()
    heat: int = 0
    wears: tuple[str, ...] = ()
    demands: tuple[Demand, ...] = field(init=False)
    output: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "demands", (*self.takes, *self.needs))
        object.__setattr__(self, "output", sum(units for _, units in self.gives))


Operators = dict[Name, tuple[Operator, ...]]
"""All operators by action; of an action's, the first that fits is applied."""

_CRAFTED = frozenset({"stick"})
"""Items that a controller crafts although a dead bush leaves some."""


def grouped(operators: Iterable[Operator]) -> Operators:
    """Operators by action, in the given order."""
    found: dict[Name, list[Operator]] = {}
    for operator in operators:
        found.setdefault(operator.name, []).append(operator)
    return {name: tuple(same) for name, same in found.items()}


def game_operators(rules: Rules) -> Operators:
    """Operators of the real game with a perfect controller.

    Who mines an item tries until it is had: one action gives the least that the source leaves, at least 1.
    Stations must be in the inventory; they and the tools of a harvest stay.
    """
    crafts = (craft_operator(rules, recipe) for recipe in rules.recipes)
    smelts = (
        Operator(
            name=("smelt", smelting.result),
            needs=((("furnace",), 1),),
            takes=((rules.members(smelting.ingredient), 1),),
            gives=((smelting.result, 1),),
            heat=SMELTING_TICKS,
        )
        for smelting in rules.smelting
    )
    made = {recipe.result for recipe in rules.recipes} | {smelting.result for smelting in rules.smelting}
    mined = grouped(_undominated(_usual(_mined(rules), made)))
    blocks = {
        ("mine", block): ways for block, ways in _by_block(rules, mined) if ("mine", block) not in mined
    }
    kills = {("kill", mob.name): (_kill(rules, mob),) for mob in rules.mobs.values()}
    return grouped(crafts) | grouped(smelts) | mined | blocks | kills


def craft_operator(rules: Rules, recipe: CraftingRecipe) -> Operator:
    """A recipe as an operator; what is left of filled vessels comes out with the result."""
    takes = tuple((rules.members(ingredient), units) for ingredient, units in recipe.ingredients)
    left = ((rules.remains[m[0]], units) for m, units in takes if len(m) == 1 and m[0] in rules.remains)
    table = (((("crafting_table",), 1),)) if recipe.table else ()
    return Operator(
        ("craft", recipe.result), needs=table, takes=takes, gives=((recipe.result, recipe.count), *left)
    )


def _usual(ways: Iterable[tuple[Operator, float]], made: set[str]) -> list[Operator]:
    """Leave out chance finds (coal of a wither skeleton, sticks of leaves) of what can be had for certain."""
    every = list(ways)
    certain = made | {way.name[1] for way, chance in every if chance >= 1}
    return [
        way
        for way, chance in every
        if (chance >= 1 or way.name[1] not in certain) and way.name[1] not in _CRAFTED
    ]


def _mined(rules: Rules) -> Iterator[tuple[Operator, float]]:
    """Every way to an item that nature offers, the overworld's first, and its chance a try."""
    for place in ("overworld", "nether", "end"):
        gate = gate_demands(rules, place)
        for block in (b for b in rules.blocks.values() if b.found == place):
            for drop in _drops(block.drops):
                tools = drop.tools or block.harvest
                yield _mine(drop, tools, gate), drop.chance
        for mob in (m for m in rules.mobs.values() if m.found == place):
            yield from ((_mine(drop, drop.tools, gate), drop.chance) for drop in _drops(mob.drops))
        for gather in (g for g in rules.gathers if g.found == place):
            uses = (((gather.uses,), 1),) if gather.uses else ()
            needs = gate + (((gather.tools, 1),) if gather.tools else ())
            gives = ((gather.item, 1),)
            yield Operator(("mine", gather.item), needs, uses, gives, wears=gather.tools), 1.0


def gate_demands(rules: Rules, place: str) -> tuple[Demand, ...]:
    """What must be had to reach a dimension."""
    return tuple(((item,), units) for item, units in rules.gates.get(place, {}).items())


def _drops(loot: Iterable[Iterable[Drop]]) -> Iterator[Drop]:
    return (drop for pool in loot for drop in pool if drop.item)


def _mine(drop: Drop, tools: tuple[str, ...], gate: tuple[Demand, ...]) -> Operator:
    needs = gate + (((tools, 1),) if tools else ())
    return Operator(("mine", drop.item), needs, gives=((drop.item, max(1, drop.low)),), wears=tools)


def _undominated(operators: Iterable[Operator]) -> Iterator[Operator]:
    """Leave out ways that ask at least as much as another and give no more."""
    every = list(operators)
    for i, way in enumerate(every):
        if not any(_dominates(other, way, j < i) for j, other in enumerate(every) if j != i):
            yield way


def _dominates(other: Operator, way: Operator, earlier: bool) -> bool:
    if other.name != way.name or other.gives < way.gives:
        return False
    same = (other.needs, other.takes, other.gives) == (way.needs, way.takes, way.gives)
    less = _easier(other.needs, way.needs) and _easier(other.takes, way.takes)
    return earlier if same else less


def _easier(these: tuple[Demand, ...], those: tuple[Demand, ...]) -> bool:
    """True if whoever meets ``those`` demands meets ``these``."""
    return all(
        any(set(members) >= set(other) and units <= more for other, more in those) for members, units in these
    )


def _by_block(rules: Rules, mined: Operators) -> Iterator[tuple[str, tuple[Operator, ...]]]:
    """A block's own name for mining it, where the block leaves something else (stone, coal ore)."""
    for block in rules.blocks.values():
        drop = next(_drops(block.drops), None)
        if block.found and drop is not None and ("mine", drop.item) in mined:
            yield block.name, (_break(rules, block, drop),)


def _break(rules: Rules, block: Block, drop: Drop) -> Operator:
    way = _mine(drop, drop.tools or block.harvest, gate_demands(rules, block.found))
    return Operator(("mine", block.name), way.needs, (), way.gives, wears=way.wears)


def _kill(rules: Rules, mob: Mob) -> Operator:
    """Kill mobs until each of the usual drops has come once."""
    sure = [pool[0] for pool in mob.drops if pool and pool[0].chance >= 1 and pool[0].item]
    gives = tuple((drop.item, max(1, drop.low)) for drop in sure)
    return Operator(("kill", mob.name), gate_demands(rules, mob.found), gives=gives)
