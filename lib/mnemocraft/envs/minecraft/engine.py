"""What an action does to an inventory, under the real rules or under MC-TextWorld's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from mnemocraft.envs.minecraft.facts import Rules
from mnemocraft.envs.minecraft.mc_textworld import textworld_operators
from mnemocraft.envs.minecraft.operators import Demand, Name, Operator, Operators, game_operators
from mnemocraft.envs.minecraft.rules import rules
from mnemocraft.errors import MnemocraftError, one_of

MODES = ("game", "mc-textworld")
SLOTS = 36
"""Slots of a player's inventory."""
_NEW_SLOTS = 4
"""More than one action can fill: a result, and vessels that come back."""

Inventory = dict[str, int]

_Key = str | int
"""What a demand is for: an item, or a family by its number."""

_Watcher = tuple[int, int, tuple[tuple[_Key, int], ...], Operator]
"""Place of an action; units of the demand that is watched; its other demands; the operator."""


@dataclass(frozen=True, slots=True)
class Shortage:
    """What one operator lacks: materials and tools, each as (accepted items, units asked, units had)."""

    operator: Operator
    materials: tuple[tuple[tuple[str, ...], int, int], ...] = ()
    tools: tuple[tuple[tuple[str, ...], int, int], ...] = ()
    fuel: bool = False

    @property
    def weight(self) -> int:
        """How far from enough: a missing tool or fuel counts like one unit."""
        return sum(asked - had for _, asked, had in self.materials) + len(self.tools) + self.fuel


class TextWorldEngine:
    """Operators and how they are applied. Use :func:`engine`, which makes each one once.

    Args:
        game: Rules of the version.
        mode: ``"game"``: units of an ingredient may be different members of a family, fuel burns, vessels
            come back, the inventory has 36 slots. ``"mc-textworld"``: none of this, and what is used up stays
            in the inventory with the number 0.
    """

    def __init__(self, game: Rules, mode: str) -> None:
        self.rules, self.real = game, mode == "game"
        self.operators: Operators = game_operators(game) if self.real else textworld_operators()
        self.items = frozenset(game.items)
        self.answers: dict[tuple[Any, ...], Any] = {}

    def units(self, inventory: Mapping[str, int], members: Sequence[str]) -> int:
        """Units of an ingredient that are at hand: of all its members, or of the most plentiful one."""
        if len(members) == 1:
            return inventory.get(members[0], 0)
        held = [inventory[item] for item in members if item in inventory]
        return sum(held) if self.real else max(held, default=0)

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        mode = "game" if self.real else "mc-textworld"
        return engine, (self.rules.version, mode)  # one of each, copied or not

    def choose(
        self, name: Name, inventory: Mapping[str, int], heat: int = 0, using: Sequence[str] = ()
    ) -> Operator | None:
        """The first way to an action that works now, one that takes an item of ``using`` before others."""
        ways = self.operators[name]
        if using and len(ways) > 1:
            ways = tuple(sorted(ways, key=lambda way: not _takes_any(way, using)))
        return self._first(ways, inventory, heat)

    def fits(self, operator: Operator, inventory: Mapping[str, int], heat: int = 0) -> bool:
        """True if the operator can be applied."""
        return self._first((operator,), inventory, heat) is not None

    def _first(self, ways: Sequence[Operator], inventory: Mapping[str, int], heat: int) -> Operator | None:
        get, units = inventory.get, self.units
        for way in ways:
            for members, asked in way.demands:
                if (get(members[0], 0) if len(members) == 1 else units(inventory, members)) < asked:
                    break
            else:
                warm = heat >= way.heat or self._enough_fuel(way, inventory, heat)
                if warm and (not self.real or self._room(way, inventory)):
                    return way
        return None

    def _room(self, operator: Operator, inventory: Mapping[str, int]) -> bool:
        """True if what comes out has a place in the inventory."""
        if sum(inventory.values()) + operator.output <= SLOTS:
            return True
        after = dict(inventory)
        for members, asked in operator.takes:
            self._take(after, members, asked, ())
        for item, units in operator.gives:
            after[item] = after.get(item, 0) + units
        return self.slots(after) <= SLOTS

    def apply(
        self, operator: Operator, inventory: Inventory, heat: int = 0, using: Sequence[str] = ()
    ) -> tuple[Inventory, int]:
        """The inventory and the furnace's heat afterwards.

        Args:
            operator: One that :meth:`fits`.
            inventory: Left as it is.
            heat: Ticks that the furnace's last fuel still burns.
            using: Items to use first, as material or fuel; otherwise the order of the tag and of the fuels.
        """
        after = dict(inventory)
        _, heat = self.change(operator, after, heat, using)
        return after, heat

    def change(
        self, operator: Operator, inventory: Inventory, heat: int = 0, using: Sequence[str] = ()
    ) -> tuple[list[str], int]:
        """As :meth:`apply`, but in place; returns the items whose numbers changed, and the heat."""
        touched: list[str] = []
        for members, asked in operator.takes:
            if len(members) == 1:
                inventory[members[0]] -= asked
                touched.append(members[0])
            else:
                touched += self._take(inventory, members, asked, using)
        if operator.heat:
            heat = self._burn(operator.heat, inventory, heat, using, touched)
        for item, units in operator.gives:
            inventory[item] = inventory.get(item, 0) + units
            touched.append(item)
        if self.real:
            for item in touched:
                if not inventory.get(item, 1):
                    del inventory[item]
        return touched, heat

    def _burn(
        self, ticks: int, inventory: Inventory, heat: int, using: Sequence[str], touched: list[str]
    ) -> int:
        """Burn fuel until there is heat for ``ticks``; the heat that is left after these."""
        while heat < ticks:
            fuel = self.fuel(inventory, using)
            inventory[fuel] -= 1
            heat += self.rules.fuels[fuel]
            touched.append(fuel)
            if fuel in self.rules.remains:
                left = self.rules.remains[fuel]
                inventory[left] = inventory.get(left, 0) + 1
                touched.append(left)
        return heat - ticks

    def _take(
        self, inventory: Inventory, members: Sequence[str], asked: int, using: Sequence[str]
    ) -> list[str]:
        """Take units of members in the order of preference; the members that were taken."""
        order = [*(item for item in using if item in members), *members] if using else members
        touched = []
        for item in order:
            had = inventory.get(item, 0)
            taken = min(had, asked) if self.real or had >= asked else 0
            if taken:
                inventory[item] = had - taken
                touched.append(item)
                asked -= taken
                if not asked:
                    break
        return touched

    def fuel(self, inventory: Mapping[str, int], using: Sequence[str] = ()) -> str:
        """The fuel that is burnt next; ``""`` if there is none."""
        fuels = self.rules.fuels
        for item in using:
            if item in fuels and inventory.get(item, 0):
                return item
        return next((item for item in fuels if inventory.get(item, 0)), "")

    def _enough_fuel(self, operator: Operator, inventory: Mapping[str, int], heat: int) -> bool:
        """True if what is left after the materials are taken burns long enough."""
        left = dict(inventory)
        for members, asked in operator.takes:
            self._take(left, members, asked, ())
        fuels = self.rules.fuels
        return (
            heat + sum(fuels[item] * units for item, units in left.items() if item in fuels) >= operator.heat
        )

    def slots(self, inventory: Mapping[str, int]) -> int:
        """Slots that an inventory fills."""
        items = self.rules.items
        return sum(-(-units // items[item].stack) for item, units in inventory.items() if item in items)

    def shortage(self, operator: Operator, inventory: Mapping[str, int], heat: int = 0) -> Shortage:
        """What keeps an operator from being applied (nothing: there is no room)."""
        materials, tools = (self._lacking(part, inventory) for part in (operator.takes, operator.needs))
        cold = self.real and not materials and heat < operator.heat
        fuel = cold and not self._enough_fuel(operator, inventory, heat)
        return Shortage(operator, materials, tools, fuel)

    def _lacking(
        self, demands: tuple[Demand, ...], inventory: Mapping[str, int]
    ) -> tuple[tuple[tuple[str, ...], int, int], ...]:
        found = ((members, asked, self.units(inventory, members)) for members, asked in demands)
        return tuple(entry for entry in found if entry[2] < entry[1])

    def legal(self, inventory: Mapping[str, int], heat: int = 0) -> list[Name]:
        """All actions that would succeed: those that ask for nothing, then the others, in a fixed order."""
        stock = self._stock(inventory)
        get, found = stock.get, set()
        for key, held in stock.items():
            for order, asked, others, way in self._watchers.get(key, ()):
                if held < asked:
                    continue
                for other, least in others:
                    if get(other, 0) < least:
                        break
                else:
                    if heat >= way.heat or self._enough_fuel(way, inventory, heat):
                        found.add(order)
        names = [*self._always, *[self._names[order] for order in sorted(found)]]
        if self.real and self.slots(inventory) > SLOTS - _NEW_SLOTS:
            return [name for name in names if self.choose(name, inventory, heat)]
        return names

    @cached_property
    def _names(self) -> list[Name]:
        return list(self.operators)

    @cached_property
    def _always(self) -> list[Name]:
        """Actions that ask for nothing."""
        return [name for name, ways in self.operators.items() if any(not way.demands for way in ways)]

    def _stock(self, inventory: Mapping[str, int]) -> dict[_Key, int]:
        """Units at hand of every item, and of every family that has one (see :meth:`units`)."""
        stock: dict[Any, int] = dict(inventory)
        real, families = self.real, self._families
        for item, held in inventory.items():
            for family in families.get(item, ()):
                had = stock.get(family, 0)
                stock[family] = had + held if real else max(had, held)
        return stock

    @cached_property
    def _keys(self) -> dict[tuple[str, ...], _Key]:
        """What each demand is for, by its members."""
        demands = (demand for ways in self.operators.values() for way in ways for demand in way.demands)
        every = dict.fromkeys(members for members, _ in demands)
        return {members: i if len(members) > 1 else members[0] for i, members in enumerate(every)}

    @cached_property
    def _families(self) -> dict[str, list[_Key]]:
        """The families of each item."""
        found: dict[str, list[_Key]] = {}
        for members, key in self._keys.items():
            for item in members if len(members) > 1 else ():
                found.setdefault(item, []).append(key)
        return found

    @cached_property
    def _watchers(self) -> dict[_Key, list[_Watcher]]:
        """Operators by one demand of theirs, the one that the fewest share: only these need a look."""
        always = set(self._always)
        places = [(order, name) for order, name in enumerate(self._names) if name not in always]
        every = [(order, way) for order, name in places for way in self.operators[name]]
        shared = Counter(item for _, way in every for members, _ in way.demands for item in members)
        found: dict[_Key, list[_Watcher]] = {}
        for order, way in every:
            watched = min(way.demands, key=lambda demand: sum(shared[i] for i in demand[0]))
            others = tuple((self._keys[m], least) for m, least in way.demands if (m, least) != watched)
            found.setdefault(self._keys[watched[0]], []).append((order, watched[1], others, way))
        return found


def _takes_any(operator: Operator, items: Sequence[str]) -> bool:
    return any(item in members for members, _ in operator.takes for item in items)


@cache
def engine(version: str, mode: str) -> TextWorldEngine:
    """The engine of a version and a mode (see :data:`MODES`).

    Raises:
        MnemocraftError: No such version or mode, or MC-TextWorld's rules with another version than 1.16.5.
    """
    one_of("set of rules", mode, MODES)
    if mode == "mc-textworld" and version != "1.16.5":
        raise MnemocraftError(
            f"MC-TextWorld's rules are those of 1.16.5, not {version}; give version='1.16.5'."
        )
    return TextWorldEngine(rules(version), mode)
