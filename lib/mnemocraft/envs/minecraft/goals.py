"""The goals that a controller is given: what each needs, what it changes, and why it cannot be pursued.

Preconditions and effects come from the rules of a version, by the same operators as the text world's. A
mined item, a crafted item and so on are named as there; where the version has no name of their own for the
logs of a tree species (1.11.2), ``oak_log``, ``birch_log`` ... are goals too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache

from mnemocraft.bounded import whole
from mnemocraft.envs.minecraft.engine import engine
from mnemocraft.envs.minecraft.operators import Name, Operator, Operators
from mnemocraft.envs.minecraft.sentences import failure, unknown
from mnemocraft.errors import MnemocraftError

VERBS = ("mine", "kill", "craft", "smelt", "equip", "place", "dig")
DOWN = "down"
"""What the verb ``dig`` is followed by."""
STATIONS = ("crafting_table", "furnace")

Objective = tuple[str, int | None]
"""An item whose gain shows that a goal is reached, and its variant (None: any)."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Something to bring about.

    Attributes:
        verb: ``mine``, ``kill``, ``craft``, ``smelt``, ``equip``, ``place`` or ``dig``.
        item: The item (for ``mine`` also a block, for ``kill`` a mob); ``down`` for ``dig``.
        count: Units to gain, or blocks to place; for ``dig`` the height of the feet to come down to.
        tool: What to hold; empty for the best that is at hand.
    """

    verb: str
    item: str
    count: int = 1
    tool: str = ""

    @property
    def name(self) -> Name:
        """Verb and item."""
        return self.verb, self.item

    def __str__(self) -> str:
        """``mine 3 iron_ore with stone_pickaxe``."""
        what = f"down to y {self.count}" if self.verb == "dig" else f"{self.count} {self.item}"
        return f"{self.verb} {what}" + (f" with {self.tool}" if self.tool else "")


class GoalLibrary:
    """All goals of a version. Use :func:`goal_library`, which makes each one once.

    Args:
        version: ``1.11.2``, ``1.16.5`` or ``1.19.2``.
        mode: Of the rules, see :data:`~mnemocraft.envs.minecraft.engine.MODES`.
    """

    def __init__(self, version: str, mode: str) -> None:
        self.engine = engine(version, mode)
        self.rules = self.engine.rules
        self._species = {
            f"{species}_log": (tree.log, tree.variant)
            for species, tree in self.rules.trees.items()
            if f"{species}_log" not in self.rules.items
        }
        shown = {name: ways for name, ways in self.engine.operators.items() if ways[0].gives}
        self._operators: Operators = shown | self._further()

    def _further(self) -> Operators:
        """Goals that the text world does not have, or not as an operator."""
        pickaxes = tuple(name for name, tool in self.rules.tools.items() if tool.kind == "pickaxe")
        found = [Operator(("dig", DOWN), needs=((pickaxes, 1),), wears=pickaxes)]
        found += [Operator(("equip", item), needs=(((item,), 1),)) for item in self.rules.items]
        found += [
            Operator(("place", item), takes=(((item,), 1),))
            for item in self.rules.items
            if item in self.rules.blocks
        ]
        found += [Operator(("mine", name), gives=((log, 1),)) for name, (log, _) in self._species.items()]
        return {operator.name: (operator,) for operator in found}

    @property
    def names(self) -> tuple[Name, ...]:
        """Verb and item of every goal."""
        return tuple(self._operators)

    def ways(self, goal: Goal) -> tuple[Operator, ...]:
        """Every way to a goal, as an operator for all of its units.

        Raises:
            MnemocraftError: There is no such goal; one sentence.
        """
        ways = self._operators.get(goal.name)
        if ways is None:
            raise MnemocraftError(self._unknown(goal))
        whole(goal.count, "The count of a goal", 1)
        if goal.tool and goal.tool not in self.rules.items:
            raise MnemocraftError(unknown(self.engine, "craft", goal.tool))
        return tuple(self._scaled(way, goal) for way in ways)

    def _unknown(self, goal: Goal) -> str:
        verb, item = goal.name
        if verb not in VERBS:
            return f"There is no goal {verb!r}; a goal is one of {', '.join(VERBS)}."
        if verb == "dig":
            return f"One can only dig {DOWN}, not {item!r}."
        if verb == "place" and item in self.rules.items:
            return f"I cannot place {item}: it is no block."
        if goal.name in self.engine.operators:
            return f"Nothing would show that I did {verb} {item}: it surely leaves nothing."
        return unknown(self.engine, verb, item)

    def _scaled(self, way: Operator, goal: Goal) -> Operator:
        gives = dict(way.gives)
        units = 1 if goal.verb in ("equip", "dig") else goal.count
        times = -(-units // gives.get(goal.item, 1)) if goal.verb in ("craft", "smelt") else units
        needs = (*way.needs, ((goal.tool,), 1)) if goal.tool else way.needs
        return replace(
            way,
            needs=needs,
            takes=tuple((members, asked * times) for members, asked in way.takes),
            gives=tuple((item, given * times) for item, given in way.gives),
            heat=way.heat * times,
        )

    # --- what planners ask ------------------------------------------------------------------------

    def failure(
        self, goal: Goal, inventory: Mapping[str, int], nearby: Collection[str] = (), heat: int = 0
    ) -> str:
        """Why a goal cannot be pursued now, in one sentence; empty if its preconditions hold.

        Args:
            goal: One of the library; for any other the sentence says so.
            inventory: Units by item.
            nearby: Stations (crafting_table, furnace) that stand within reach.
            heat: Ticks that the furnace's last fuel still burns.
        """
        try:
            ways = self.ways(goal)
        except MnemocraftError as error:
            return str(error)
        if goal.tool and all(way.wears and goal.tool not in way.wears for way in ways):
            fit = " or ".join(ways[0].wears)
            return f"I cannot {goal.verb} {goal.item} with a {goal.tool}: it takes a {fit}."
        near = set(nearby)
        ways = tuple(replace(way, needs=tuple(n for n in way.needs if near.isdisjoint(n[0]))) for way in ways)
        if any(self.engine.fits(way, inventory, heat) for way in ways):
            return ""
        lacks = [self.engine.shortage(way, inventory, heat) for way in ways]
        return failure(goal.name, min(lacks, key=lambda shortage: shortage.weight))

    def objective(self, goal: Goal) -> tuple[Objective, ...]:
        """Items of which ``goal.count`` units must be gained: for a kill, any one that the mob surely leaves.

        A goal of ``equip``, ``place`` or ``dig`` has none.
        """
        if goal.verb in ("equip", "place", "dig"):
            return ()
        if goal.verb == "mine" and goal.item in self._species:
            return (self._species[goal.item],)
        given = [item for item, _ in self.ways(goal)[0].gives]
        if goal.verb != "kill":
            return ((goal.item if goal.item in given else given[0], None),)
        drops = [drop for pool in self.rules.mobs[goal.item].drops for drop in pool[:1] if drop.item in given]
        sure = [drop for drop in drops if drop.low >= 1] or drops
        return tuple((drop.item, None) for drop in sure)


@cache
def goal_library(version: str = "1.11.2", mode: str = "game") -> GoalLibrary:
    """The goals of a version, under the game's rules or MC-TextWorld's.

    Raises:
        MnemocraftError: There are no rules of this version, or not of this mode.
    """
    return GoalLibrary(version, mode)
