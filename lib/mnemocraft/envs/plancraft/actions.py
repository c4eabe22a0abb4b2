"""From a plan to the moves and smelts that carry it out.

Equal crafts that follow one another are one batch: every cell gets as many units as the batch has crafts, so
that only the output has to be taken again and again. What already lies on the table is used where it fits.
The choice depends on nothing but the state, and every action shortens what is left to do: an agent that plans
anew after each action gets there just the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from mnemocraft.envs.plancraft.data import SLOT_NAMES, Example
from mnemocraft.envs.plancraft.game import INVENTORY, OUTPUT, TABLE, Game
from mnemocraft.envs.plancraft.planner import Step, plan_steps
from mnemocraft.envs.plancraft.recipes import Cell, max_stack
from mnemocraft.errors import MnemocraftError

Action = dict[str, Any]
"""A tool call of the environment."""

Layout = dict[int, str]
"""Item that each table slot (1 to 9) must hold for a craft; the others must be empty."""

Batch = tuple[Step, int]
"""A craft and how many times it is done in a row."""


def expert_actions(example: Example) -> list[Action]:
    """Actions that solve an example: a shortest plan carried out, or the call that it is impossible."""
    steps = plan_steps(example.inventory, example.target)
    if steps is None:
        return [
            {"name": "impossible", "arguments": {"reason": f"{example.target} cannot be made from this."}}
        ]
    return [action for batch in actions_for(steps, Game(example.slots)) for action in batch]


def batches(steps: Sequence[Step]) -> list[Batch]:
    """Group equal crafts that follow one another, as far as the stack sizes of their ingredients allow."""
    groups: list[Batch] = []
    for step in steps:
        last, times = groups[-1] if groups else (None, 0)
        if last == step and times < min(max_stack()[item] for item in step.consumed):
            groups[-1] = (step, times + 1)
        else:
            groups.append((step, 1))
    return groups


def actions_for(steps: Sequence[Step], game: Game) -> Iterator[list[Action]]:
    """The actions of each batch of a plan, computed as they are asked for (the first is cheap to get).

    Args:
        steps: A plan for the items on the table and in the inventory.
        game: State to start from; not changed.

    Yields:
        One list per entry of :func:`batches`. An action is ``{"name", "arguments"}`` as the environment
        takes it.

    Raises:
        MnemocraftError: No slot is free to put something aside, or the steps do not fit the state.
    """
    hands = _Hands(game.copy())
    for step, times in batches(steps):
        (hands.smelt if step.recipe.kind == "smelting" else hands.craft)(step, times)
        yield hands.take_actions()


class _Hands:
    """Does what it plans on a game of its own, and notes it down."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._actions: list[Action] = []

    def take_actions(self) -> list[Action]:
        """What was noted down since the last call."""
        done, self._actions = self._actions, []
        return done

    def craft(self, step: Step, times: int) -> None:
        """Lay out the table, then take the output once per craft."""
        layout = _best_layout(self.game, step, times)
        self._clear(layout, times)
        for slot, item in layout.items():
            self._fill(slot, item, times)
        for _ in range(times):
            self._do("move", OUTPUT, self._room(step.recipe.result, step.recipe.count), step.recipe.count)

    def smelt(self, step: Step, times: int) -> None:
        """Smelt stack by stack, the largest first."""
        (item,) = step.consumed
        while times:
            source = self._largest(item, [*INVENTORY, *TABLE])
            n = min(times, self.game.quantities[source])
            times -= n
            self._do("smelt", source, self._room(step.recipe.result, n), n)

    def _clear(self, layout: Layout, times: int) -> None:
        """Take away what must not lie on the table, straight to where the layout wants it if possible."""
        for slot in TABLE:
            item, n = self.game.types[slot], self.game.quantities[slot]
            if item is not None and layout.get(slot) != item:
                wanted = (
                    to for to, want in layout.items() if want == item and self._accepts(to, item, n, times)
                )
                self._do("move", slot, next(wanted, None) or self._room(item, n), n)

    def _accepts(self, slot: int, item: str, n: int, times: int) -> bool:
        """Whether a table slot still lacks units of its item and has room for ``n``."""
        held = self.game.quantities[slot]
        return self.game.types[slot] in (None, item) and held < times and held + n <= max_stack()[item]

    def _fill(self, slot: int, item: str, times: int) -> None:
        while (missing := times - self.game.quantities[slot]) > 0:
            source = self._source(item, slot, times)
            spare = self.game.quantities[source] - (times if source in TABLE else 0)
            self._do("move", source, slot, min(missing, spare))

    def _source(self, item: str, slot: int, times: int) -> int:
        """Where to take units for a table slot: the largest stack, or what lies on the table beyond need."""
        spare = [s for s in TABLE if s != slot and self.game.quantities[s] > times]
        return self._largest(item, [*INVENTORY, *spare])

    def _largest(self, item: str, slots: Sequence[int]) -> int:
        held = [slot for slot in slots if self.game.types[slot] == item]
        if not held:
            raise MnemocraftError(f"The plan needs more {item} than there is.")
        return max(held, key=lambda slot: self.game.quantities[slot])

    def _room(self, item: str, n: int) -> int:
        """An inventory slot for ``n`` units: a stack of the same item with room, otherwise an empty one."""
        types, quantities = self.game.types, self.game.quantities
        for slot in INVENTORY:
            if types[slot] == item and quantities[slot] + n <= max_stack()[item]:
                return slot
        for slot in INVENTORY:
            if types[slot] is None:
                return slot
        raise MnemocraftError(f"No inventory slot is free for {item}.")

    def _do(self, name: str, frm: int, to: int, quantity: int) -> None:
        slot_from, slot_to = SLOT_NAMES[frm], SLOT_NAMES[to]
        if not (self.game.move if name == "move" else self.game.smelt)(slot_from, slot_to, quantity):
            raise MnemocraftError(f"The plan does not fit the state: cannot {name} {slot_from} to {slot_to}.")
        arguments = {"slot_from": slot_from, "slot_to": slot_to, "quantity": quantity}
        self._actions.append({"name": name, "arguments": arguments})


def _best_layout(game: Game, step: Step, times: int) -> Layout:
    """The layout of a craft that takes the fewest moves from what lies on the table; ties: top left."""
    return min(_layouts(game, step), key=lambda layout: _moves(game, layout, times))


def _moves(game: Game, layout: Layout, times: int) -> int:
    """Moves until the table holds ``times`` units as in the layout (at least; stacks may be too small)."""
    wrong, lacking = Counter[str](), Counter[str]()
    for slot in TABLE:
        held, wanted = game.types[slot], layout.get(slot)
        if held is not None and held != wanted:
            wrong[held] += 1
        if wanted is not None and (held != wanted or game.quantities[slot] < times):
            lacking[wanted] += 1
    return wrong.total() + lacking.total() - (wrong & lacking).total()


def _layouts(game: Game, step: Step) -> Iterator[Layout]:
    """Layouts of a craft, at least one."""
    if step.recipe.kind == "shapeless":
        yield _spread_out(game, Counter(step.consumed))
        return
    for placement in step.recipe.placements():
        cells = {index + 1: cell for index, cell in placement.items()}
        # The cell with the fewest alternatives chooses first.
        order = sorted(cells, key=lambda slot: (len(cells[slot]), slot))
        layout = _assign(game, order, cells, Counter(step.consumed))
        if layout is not None:
            yield dict(sorted(layout.items()))


def _spread_out(game: Game, left: Counter[str]) -> Layout:
    """A layout for a shapeless recipe: what lies right stays, the rest goes to empty slots first."""
    layout: Layout = {}
    for slot in TABLE:
        item = game.types[slot]
        if item is not None and left[item] > 0:
            layout[slot] = item
            left[item] -= 1
    free = sorted(set(TABLE) - layout.keys(), key=lambda slot: (game.types[slot] is not None, slot))
    return layout | dict(zip(free, sorted(left.elements()), strict=False))


def _assign(game: Game, order: Sequence[int], cells: dict[int, Cell], left: Counter[str]) -> Layout | None:
    """Distribute the consumed items over the cells, preferring what already lies there."""
    if not order:
        return {}
    slot = order[0]
    options = [item for item in cells[slot] if left[item] > 0]
    for item in sorted(options, key=lambda item: (item != game.types[slot], -left[item])):
        rest = _assign(game, order[1:], cells, left - Counter([item]))
        if rest is not None:
            return rest | {slot: item}
    return None
