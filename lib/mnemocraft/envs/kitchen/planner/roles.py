"""What the goal asks for, and which objects could play which part in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations, product
from math import prod

from mnemocraft.envs.kitchen.goal import GoalSpec, Variable
from mnemocraft.envs.kitchen.planner.compact import COOKED, CUT, FRIED, FRYABLE, Compact, Unplannable

SOUP, NO_DISH = -1, -2
"""Dish numbers of what goes into the pot, and of what is not wanted."""
BASE, MIDDLE, TOP = "base", "middle", "top"
LINK = "link"
"""A piece that must be directly on the one before it."""
_MARKS = {"iscut": CUT, "iscooked": COOKED, "isfried": FRIED}
_Lines = dict[str, list[tuple[Variable, ...]]]
"""Arguments of the goal's lines by predicate."""
_MOST = 2000
"""Ways to cast that are all looked at; beyond, the best ones kind by kind."""


@dataclass(frozen=True)
class Slot:
    """A part that an item plays: in which dish, where in it, and which marks it needs."""

    dish: int
    role: str
    need: int
    candidates: tuple[str, ...]


class Casting:
    """Items chosen for all parts.

    Attributes:
        role: For each item its role, empty for none.
        dish: For each item its dish, ``SOUP`` or ``NO_DISH``.
        need: For each item the marks it needs.
        base, top: For each dish the item at its bottom and the one that must be clear on top (None for none).
        links: For each dish its items in order where the order is fixed, otherwise empty.
        size: For each dish its number of items.
        worked: Items of dishes that need marks.
        soup: Items to add to the water; None if there is no soup.
    """

    def __init__(self, items: int, slots: tuple[Slot, ...], chosen: tuple[int, ...], soup: bool) -> None:
        parts = list(zip(slots, chosen, strict=True))
        self.role, self.need = [""] * items, [0] * items
        self.dish = [NO_DISH] * items
        for slot, item in parts:
            self.role[item], self.need[item], self.dish[item] = slot.role, slot.need, slot.dish
        dishes = range(1 + max(slot.dish for slot in slots)) if slots else range(0)
        members = [[(slot.role, item) for slot, item in parts if slot.dish == dish] for dish in dishes]
        self.base = [dict(own)[BASE] for own in members]
        self.top = [dict(own).get(TOP) for own in members]
        self.links = [[i for _, i in own] if any(r == LINK for r, _ in own) else [] for own in members]
        self.size = [len(own) for own in members]
        self.worked = [i for own in members for _, i in own if self.need[i]]
        self.soup = frozenset(i for slot, i in parts if slot.dish == SOUP) if soup else None


def slots_of(spec: GoalSpec) -> tuple[tuple[Slot, ...], bool]:
    """The parts in a goal and whether it asks for a soup.

    Raises:
        Unplannable: It is not made of dishes built on tables and one boiling soup in a bowl on a table.
    """
    lines: _Lines = {}
    for predicate, args in spec.literals:
        lines.setdefault(predicate, []).append(tuple(arg for arg in args if isinstance(arg, tuple)))
        if spec.too_few or any(isinstance(arg, str) for arg in args):
            raise Unplannable
    need: dict[Variable, int] = defaultdict(int)
    for predicate, mark in _MARKS.items():
        for (item,) in lines.get(predicate, []):
            need[item] |= mark
    bases = enumerate(lines.get("item_on", []))
    parts = [(dish, *piece) for dish, (base, table) in bases for piece in _dish(lines, base, table)]
    parts += [(SOUP, "", item) for item, _ in lines.get("addedto", [])]
    soup = lines.get("in", [])
    if set(spec.literals) != set(_said(lines, parts, need, soup)) or not _is_sound(lines, parts):
        raise Unplannable
    return tuple(Slot(d, role, need[item], spec.candidates[item]) for d, role, item in parts), bool(soup)


def _is_sound(lines: _Lines, parts: list[tuple[int, str, Variable]]) -> bool:
    """Whether no item has two parts, no dish two tops, no table two dishes, and there is one soup at most."""
    tables = [table for name in ("item_on", "container_at") for _, table in lines.get(name, [])]
    lists = [item for _, _, item in parts], [d for d, role, _ in parts if role == TOP], tables
    unique = all(len(set(entries)) == len(entries) for entries in lists)
    return unique and len(lines.get("in", [])) <= 1 and all(table[0] == "table" for table in tables)


def _dish(lines: _Lines, base: Variable, table: Variable) -> Iterator[tuple[str, Variable]]:
    """Role and variable of each piece of a dish, in order where it is fixed."""
    yield BASE, base
    on = {below: above for above, below in lines.get("atop", [])}
    if base in on:
        while base in on:
            base = on.pop(base)
            yield LINK, base
        return
    for item, at in lines.get("item_at", []):
        if at == table:
            yield (TOP if (item,) in lines.get("clear", []) else MIDDLE), item


def _said(
    lines: _Lines,
    parts: list[tuple[int, str, Variable]],
    need: dict[Variable, int],
    soup: list[tuple[Variable, ...]],
) -> Iterator[tuple[str, tuple[Variable, ...]]]:
    """What the goal must say, no more and no less, to be known once its parts are."""
    below: Variable | None = None
    for dish, role, item in parts:
        yield from ((predicate, (item,)) for predicate, mark in _MARKS.items() if need[item] & mark)
        if dish == SOUP:
            yield "addedto", (item, soup[0][0] if soup else item)
            continue
        table = lines["item_on"][dish][1]
        if role == LINK and below is not None:
            yield "atop", (item, below)
        else:
            yield ("item_on" if role == BASE else "item_at"), (item, table)
        if role == TOP:
            yield "clear", (item,)
        below = item
    for water, bowl in soup:
        yield "in", (water, bowl)
        yield "isboiling", (water,)
        yield "container_at", (bowl, next((t for b, t in lines.get("container_at", []) if b == bowl), bowl))


def castings(kitchen: Compact, rate: Callable[[Casting], int | None]) -> list[tuple[int, Casting]]:
    """Ways to give the parts to items, best first, with their rates; of interchangeable ways only one.

    Args:
        kitchen: What there is and what is wanted.
        rate: How good one is (less is better), None if it leads nowhere.

    Raises:
        Unplannable: The goal has a shape that is not known.
    """
    slots, soup = slots_of(kitchen.goal)
    if soup and (kitchen.pot < 0 or kitchen.bowl < 0):
        raise Unplannable
    groups: dict[tuple[str, ...], list[int]] = {}
    for i, slot in enumerate(slots):
        groups.setdefault(slot.candidates, []).append(i)
    options = [_choices(kitchen, [slots[i] for i in group], group) for group in groups.values()]
    if not all(options):
        return []
    first = {i: item for choices in options for i, item in choices[0]}

    def cast(choice: dict[int, int]) -> Casting:
        return Casting(kitchen.items, slots, tuple(choice[i] for i in range(len(slots))), soup)

    def rated(choice: tuple[tuple[int, int], ...]) -> int:
        value = rate(cast(first | dict(choice)))
        return 10**6 if value is None else value

    if prod(len(choices) for choices in options) > _MOST:
        keep = max(2, int(_MOST ** (1 / sum(len(choices) > 1 for choices in options))))
        options = [sorted(choices, key=rated)[:keep] for choices in options]
    found = []
    for combination in product(*options):
        casting = cast({i: item for choice in combination for i, item in choice})
        value = rate(casting)
        if value is not None:
            found.append((value, casting))
    return sorted(found, key=lambda pair: pair[0])


def _choices(kitchen: Compact, slots: list[Slot], numbers: list[int]) -> list[tuple[tuple[int, int], ...]]:
    """Ways to give the parts of one kind to its items."""
    number = {name: i for i, name in enumerate(kitchen.things)}
    items = [number[name] for name in slots[0].candidates if number.get(name, kitchen.items) < kitchen.items]
    alike = _classes(kitchen)
    found: dict[tuple[object, ...], tuple[int, ...]] = {}
    for chosen in permutations(items, len(slots)):
        if all(_suits(kitchen, slot, item) for slot, item in zip(slots, chosen, strict=True)):
            found.setdefault(tuple(alike[item] for item in chosen), chosen)
    return [tuple(zip(numbers, chosen, strict=True)) for chosen in found.values()]


def _suits(kitchen: Compact, slot: Slot, item: int) -> bool:
    """Whether an item can still come to have the marks."""
    flags, todo = kitchen.flags[item], slot.need & ~kitchen.start.marks[item]
    if item in kitchen.start.added:
        return slot.dish == SOUP and not todo
    return not (
        (todo & CUT and "iscuttable" not in flags)
        or (todo & COOKED and "iscookable" not in flags)
        or (todo & FRIED and not kitchen.start.marks[item] & FRYABLE and not kitchen.fries_when_cut(item))
    )


def _classes(kitchen: Compact) -> list[tuple[object, ...]]:
    """For each item what sets it apart from others of its kind: two with the same are interchangeable."""
    state = kitchen.start
    where: dict[int, tuple[object, ...]] = {state.hand: ("hand",)}
    for station, stack in enumerate(state.stacks):
        for level, thing in enumerate(stack):
            alone = (kitchen.kinds[station], station == state.robot)
            where[thing] = alone if len(stack) == 1 else (station, level)
    under_way = [tuple((g.work, g.amount) for g in state.going if g.thing == i) for i in range(kitchen.items)]
    return [
        (where.get(i, ("added",)), state.marks[i], kitchen.flags[i], under_way[i])
        for i in range(kitchen.items)
    ]
