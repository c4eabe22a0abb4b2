"""The crafting table without pictures: Plancraft's rules on plain lists.

Same semantics as the environment of the ``plancraft`` package, quirks included: a move out of the output slot
takes everything there whatever the quantity, an action that cannot be done changes nothing, and only a move
into an occupied slot looks at stack sizes.
"""

from __future__ import annotations

from collections.abc import Mapping

from mnemocraft.envs.plancraft.data import SLOT_NAMES, Slots
from mnemocraft.envs.plancraft.recipes import RecipeBook, book, max_stack
from mnemocraft.errors import MnemocraftError

SLOT_INDEX = {name: index for index, name in enumerate(SLOT_NAMES)}
"""The package's number of each slot: 0 output, 1-9 table, 10-45 inventory."""

OUTPUT = 0
TABLE = range(1, 10)
INVENTORY = range(10, 46)


class Game:
    """One crafting table, its output slot and 36 inventory slots.

    Args:
        slots: Where the items lie. The output slot follows from the table; an entry for it is ignored.
        recipes: The recipes that hold; by default the real ones.
    """

    def __init__(self, slots: Mapping[str, tuple[str, int]], recipes: RecipeBook | None = None) -> None:
        self.recipes = recipes or book()
        self.types: list[str | None] = [None] * len(SLOT_NAMES)
        self.quantities = [0] * len(SLOT_NAMES)
        for name, (item, quantity) in slots.items():
            if name not in SLOT_INDEX:
                raise MnemocraftError(f"Unknown slot {name!r}; slots are 0, A1 to C3 and I1 to I36.")
            self._put(SLOT_INDEX[name], item, quantity)
        self._used: tuple[int, ...] = ()
        self._update_output()

    @property
    def slots(self) -> Slots:
        """What lies where, in slot order; empty slots are left out."""
        return {
            SLOT_NAMES[i]: (item, self.quantities[i]) for i, item in enumerate(self.types) if item is not None
        }

    def counts(self) -> dict[str, int]:
        """Units of each item on the table and in the inventory (the output is not made until it is taken)."""
        total: dict[str, int] = {}
        for i, item in enumerate(self.types):
            if item is not None and i:
                total[item] = total.get(item, 0) + self.quantities[i]
        return total

    def holds(self, item: str) -> bool:
        """Whether the item lies anywhere but in the output slot: the condition of success."""
        return item in self.types[1:]

    def copy(self) -> Game:
        """An independent game in the same state."""
        twin = object.__new__(Game)
        twin.recipes = self.recipes
        twin.types, twin.quantities, twin._used = self.types[:], self.quantities[:], self._used
        return twin

    def move(self, slot_from: str, slot_to: str, quantity: int) -> bool:
        """Move items between slots, given by name. Returns whether anything changed."""
        frm, to = SLOT_INDEX[slot_from], SLOT_INDEX[slot_to]
        item = self.types[frm]
        if frm == to or to == OUTPUT or item is None or not 1 <= quantity <= self.quantities[frm]:
            return False
        if frm == OUTPUT:
            quantity = self.quantities[OUTPUT]
        if not self._transfer(frm, to, item, quantity):
            return False
        if frm == OUTPUT:
            self._use_ingredients()
        if frm < 10 or to < 10:
            self._update_output()
        return True

    def smelt(self, slot_from: str, slot_to: str, quantity: int) -> bool:
        """Smelt items of one slot into another, given by name. Returns whether anything changed."""
        frm, to = SLOT_INDEX[slot_from], SLOT_INDEX[slot_to]
        item = self.types[frm]
        if OUTPUT in (frm, to) or frm == to or item is None or not 1 <= quantity <= self.quantities[frm]:
            return False
        recipe = self.recipes.smelts.get(item)
        if recipe is None or not self._transfer(frm, to, recipe.result, quantity):
            return False
        if frm < 10 or to < 10:
            self._update_output()
        return True

    def _transfer(self, frm: int, to: int, item: str, quantity: int) -> bool:
        """Take units out of ``frm`` and put as many of ``item`` into ``to``, if they fit."""
        if self.types[to] is None:
            self._put(to, item, quantity)
        elif self.types[to] == item and self.quantities[to] + quantity <= max_stack()[item]:
            self.quantities[to] += quantity
        else:
            return False
        self.take(frm, quantity)
        return True

    def _put(self, slot: int, item: str, quantity: int) -> None:
        self.types[slot], self.quantities[slot] = item, quantity

    def take(self, slot: int, quantity: int) -> None:
        """Take units off a slot (the output slot does not follow: for looking ahead)."""
        self.quantities[slot] -= quantity
        if self.quantities[slot] == 0:
            self.types[slot] = None

    def _use_ingredients(self) -> None:
        for cell in self._used:
            self.take(cell + 1, 1)
        self._used = ()

    def _update_output(self) -> None:
        match = self.recipes.match(self.types[1:10])
        if match is None:
            self.types[OUTPUT], self.quantities[OUTPUT], self._used = None, 0, ()
        else:
            recipe, self._used = match
            self._put(OUTPUT, recipe.result, recipe.count)
