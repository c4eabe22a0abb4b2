"""Shortest plans of mining, crafting and smelting, for any item and number, from any inventory.

An integer program finds the smallest numbers of actions (:mod:`mnemocraft.envs.minecraft.program`); these are
put in order. Where things would have to be there before themselves, a constraint that every real plan fulfils
is added (:mod:`mnemocraft.envs.minecraft.cuts`) and the program solved again. So the plan is a shortest one
of those that use the operators of :func:`mnemocraft.envs.minecraft.relevance.relevant`. Only where a solution
lends what it uses up may the constraint that is added forbid more than it must.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np

from mnemocraft.envs.minecraft.cuts import Cut, Reach
from mnemocraft.envs.minecraft.engine import SLOTS, Inventory, TextWorldEngine, engine
from mnemocraft.envs.minecraft.fire import BURN, HEAT
from mnemocraft.envs.minecraft.operators import Demand, Name, Operator
from mnemocraft.envs.minecraft.program import Program
from mnemocraft.envs.minecraft.relevance import is_open, relevant
from mnemocraft.envs.minecraft.sentences import unknown
from mnemocraft.errors import MnemocraftError

_ROUNDS = 60
"""Times that the program is solved at most; the recipes of the game need a dozen."""
_MOST = 64 * SLOTS


@dataclass(frozen=True)
class PlanStep:
    """``count`` times the action ``verb`` ``item``, with ``using`` as the text world has it."""

    verb: str
    item: str
    count: int
    using: tuple[str, ...] = ()

    @property
    def action(self) -> dict[str, Any]:
        """The tool call, to be made ``count`` times."""
        arguments: dict[str, Any] = {"item": self.item}
        return {
            "name": self.verb,
            "arguments": arguments | ({"using": list(self.using)} if self.using else {}),
        }


@dataclass(frozen=True)
class Plan:
    """A plan, or why there is none.

    Attributes:
        target: Item or tag.
        steps: What to do, in order; empty if the target is at hand or ``reason`` says why there is no plan.
        reason: One sentence, ``""`` if there is a plan.
    """

    target: str
    steps: tuple[PlanStep, ...] = ()
    reason: str = ""

    def __len__(self) -> int:
        """Number of actions."""
        return sum(step.count for step in self.steps)

    def __bool__(self) -> bool:
        return not self.reason

    @property
    def actions(self) -> list[dict[str, Any]]:
        """All tool calls in order."""
        return [step.action for step in self.steps for _ in range(step.count)]

    @cached_property
    def raw_materials(self) -> dict[str, int]:
        """How often each thing is mined (or killed for its drops)."""
        found: Counter[str] = Counter()
        for step in self.steps:
            if step.verb in ("mine", "kill"):
                found[step.item] += step.count
        return dict(found)


def plan(
    target: str,
    count: int = 1,
    *,
    version: str = "1.16.5",
    rules: str = "game",
    inventory: Mapping[str, int] | None = None,
) -> Plan:
    """The shortest plan to have ``count`` of ``target``.

    Args:
        target: An item, or a tag such as ``"#planks"`` (any members of it).
        count: How many to have at the end, those at hand included.
        version: Minecraft's version.
        rules: ``"game"`` or ``"mc-textworld"``, as in :class:`~mnemocraft.envs.TextWorldEnv`.
        inventory: What is at hand; by default nothing.

    Raises:
        MnemocraftError: No such version or rules, an impossible ``count``, or no order was found for the
            actions (so it is where the 36 slots of an inventory are too few).
    """
    world = engine(version, rules)
    if not 1 <= count <= _MOST:
        raise MnemocraftError(
            f"The count must be at least 1 and at most {_MOST}, a full inventory, not {count}."
        )
    members = world.rules.members(target) if target.startswith("#") else (target,)
    if all(item not in world.items for item in members):
        return Plan(target, reason=unknown(world, "mine", target))
    held = {item: units for item, units in (inventory or {}).items() if units > 0}
    goal: tuple[Demand, ...] = ((members, count),)
    ways = relevant(world, goal, held)
    steps = None if ways is None else _search(world, Program(world, ways, goal, held))
    if steps is None:
        return Plan(target, reason=_out_of_reach(world, target, version))
    return Plan(target, tuple(_joined(steps)))


def _out_of_reach(world: TextWorldEngine, target: str, version: str) -> str:
    made = any(item == target for verb, item in world.operators if verb in ("craft", "smelt"))
    why = "something that it is made of cannot be had" if made else "nature gives none and no recipe makes it"
    block = world.operators.get(("mine", target))
    if block:
        why = f"whoever mines it gets {block[0].gives[0][0]}"
    return f"{target} cannot be had in Minecraft {version} from this inventory: {why}."


def _search(world: TextWorldEngine, program: Program) -> list[PlanStep] | None:
    """Solve and put in order until both succeed."""
    reach = Reach(program.ways, program.held, world.real)
    for _ in range(_ROUNDS):
        solution = program.solve()
        if solution is None:
            return None
        counts = {x: int(n) for x, n in enumerate(solution[: len(program.ways)]) if n}
        cut = reach.cut(counts)
        if cut is None:
            order = _Order(world, program, solution)
            steps = order.steps()
            if order.done:
                return steps
            cut = _stuck(order, counts)
        program.demand_way_out(cut)
    raise MnemocraftError(
        f"No order was found for a plan of {program.goal[0][0][0]} within {_ROUNDS} attempts."
    )


def _stuck(order: _Order, counts: Mapping[int, int]) -> Cut:
    """What would help where an order came to a stop: a cut from there, counting what has been done."""
    held = order.inventory | {HEAT: order.heat}
    found = Reach(order.program.ways, held, order.world.real).cut(order.left)
    if found is None:  # everything is within reach, but not in these numbers
        raise MnemocraftError("The actions of a plan could not be put in order.")
    done = {x: counts.get(x, 0) - order.left.get(x, 0) for x in found.frontier}
    outside = [x for x in found.outside if x in order.left]
    return Cut(outside, {x: least + done[x] for x, least in found.frontier.items()})


class _Order:
    """Puts the operators of a solution in order, the ones that depend on least first."""

    def __init__(self, world: TextWorldEngine, program: Program, counts: np.ndarray) -> None:
        self.world, self.program = world, program
        self.left = {x: int(n) for x, n in enumerate(counts[: len(program.ways)]) if n}
        self.burns = {w.name[1]: x for x, w in enumerate(program.ways) if w.name[0] == BURN}
        self.flows = [
            [{item: int(counts[column]) for item, column in columns.items()} for columns in taken]
            for taken in program.taken
        ]
        self.inventory: Inventory = dict(program.held)
        self.heat = 0
        self.levels = self._levels(program.held)

    def _levels(self, held: Mapping[str, int]) -> dict[int, int]:
        """How many operators must come before each, roughly."""
        reach, level = {item for item, units in held.items() if units}, 0
        levels: dict[int, int] = {}
        while len(levels) < len(self.left):
            new = [x for x in self.left if x not in levels and is_open(self.program.ways[x], reach)]
            if not new:
                raise MnemocraftError("A plan's actions wait for one another.")
            levels |= dict.fromkeys(new, level)
            reach |= {item for x in new for item, _ in self.program.ways[x].gives}
            level += 1
        return levels

    def steps(self) -> list[PlanStep]:
        """The actions one by one, until all are done or none of those ``left`` can be."""
        found = []
        while (x := next(self._ready(), None)) is not None:
            found.append(self._apply(x))
        return found

    def _ready(self) -> Iterator[int]:
        """Operators that can be applied now, those first that use up no tool which others still need."""
        order = sorted(self.left, key=lambda x: (self.levels[x], x))
        fit = [x for x in order if self._fits(self.program.ways[x])]
        yield from (x for x in fit if not self._spoils(x))
        yield from fit

    def _fits(self, way: Operator) -> bool:
        """True if an action can be done now; fuel burns by itself, but must be what the plan burns."""
        if way.name[0] == BURN or way.heat > self._heat_at_hand():
            return False
        takes = tuple(demand for demand in way.takes if demand[0] != (HEAT,))
        return self.world.fits(replace(way, takes=takes), self.inventory, self.heat)

    def _heat_at_hand(self) -> int:
        """Ticks of the furnace and of the plan's fuels that are there."""
        ticks, held = self.world.rules.fuels, self.inventory
        return self.heat + sum(
            ticks[fuel] * min(self.left[self.burns[fuel]], held.get(fuel, 0)) for fuel in self._fuels()
        )

    def _fuels(self) -> list[str]:
        """What is still to be burnt."""
        return [fuel for fuel, x in self.burns.items() if x in self.left]

    @property
    def done(self) -> bool:
        """True if no action is left."""
        return set(self.left) <= set(self.burns.values())

    def _spoils(self, x: int) -> bool:
        way = self.program.ways[x]
        spent = Counter({item: units for members, units in way.takes for item in members[:1]})
        for other in self.left:
            for members, units in self.program.ways[other].needs:
                rest = sum(self.inventory.get(item, 0) - spent.get(item, 0) for item in members)
                if rest < units and any(item in spent for item in members):
                    return True
        return False

    def _apply(self, x: int) -> PlanStep:
        way = self.program.ways[x]
        using = self._wishes(x)
        before = self.inventory
        after, heat = self._done(way.name, using)
        wish = () if (after, heat) == self._done(way.name, ()) else using
        self._note(x, way, before, after)
        self.inventory, self.heat = after, heat
        self._cross_off(x)
        return PlanStep(*way.name, 1, wish)

    def _done(self, name: Name, using: tuple[str, ...]) -> tuple[Inventory, int]:
        """What the text world would make of an action."""
        way = self.world.choose(name, self.inventory, self.heat, using)
        if way is None:
            raise MnemocraftError(f"A plan needs more room than an inventory has, at {' '.join(name)}.")
        return self.world.apply(way, self.inventory, self.heat, using)

    def _wishes(self, x: int) -> tuple[str, ...]:
        """Members that the plan takes here, most first, then the fuels it burns."""
        items: list[str] = []
        for flows in self.flows[x]:
            items += sorted((i for i, n in flows.items() if n > 0 and i != HEAT), key=lambda i: -flows[i])
        if self.program.ways[x].heat > self.heat:
            items += self._fuels()
        return tuple(dict.fromkeys(items))

    def _note(self, x: int, way: Operator, before: Inventory, after: Inventory) -> None:
        """Cross off what was taken."""
        given = dict(way.gives)
        for item in before:
            used = before[item] + given.get(item, 0) - after.get(item, 0)
            for flows in self.flows[x]:
                if used > 0 and item in flows:
                    flows[item] -= used
                    used = 0
            if used > 0 and item in self._fuels():
                self._cross_off(self.burns[item], used)

    def _cross_off(self, x: int, times: int = 1) -> None:
        """So many applications less."""
        self.left[x] -= times
        if self.left[x] <= 0:
            del self.left[x]


def _joined(steps: Sequence[PlanStep]) -> Iterator[PlanStep]:
    """Equal actions in a row as one step."""
    for (verb, item, using), same in groupby(steps, key=lambda step: (step.verb, step.item, step.using)):
        yield PlanStep(verb, item, len(list(same)), using)
