"""Goals that can never hold: found before anybody plays for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mnemocraft.envs.kitchen.engine import GroundAction, GroundEffect, KitchenEngine, bits
from mnemocraft.envs.kitchen.environment import Kitchen
from mnemocraft.envs.kitchen.goal import GoalLiteral, KitchenGoal, Variable
from mnemocraft.envs.kitchen.reading import fail


def check_goal(kitchen: Kitchen, engine: KitchenEngine, goal: KitchenGoal, where: str) -> None:
    """Refuse a goal that no sequence of actions can reach.

    A sound test, not a complete one: first nothing is ever undone (the delete relaxation of planning), then
    lines are compared two by two (the h^2 relaxation); of stacks it is checked that they end somewhere.

    Args:
        kitchen: The kitchen, numbered.
        engine: What can happen in it.
        goal: What is wanted in it.
        where: Place of the goal, for messages.

    Raises:
        MnemocraftError: The goal can never hold; names its first line that cannot.
    """
    for kind in goal.spec.too_few:
        there = sum(name.startswith(kind) for name, _ in kitchen.objects())
        fail(
            where,
            f"it can never hold: it has more ids of {kind} than the kitchen has such objects ({there}).",
        )
    facts = reachable(engine, goal)
    for i, mask in enumerate(goal.masks):
        if not facts & mask:
            line = kitchen.goal[i]
            what = f"{line.predicate}({', '.join(line.kinds)})"
            fail(f"{where}[{i}]", f"{what} can never hold: {_why(engine, line, goal.spec.invented)}.")
    _check_stacks(goal, where)
    if not goal.holds(facts):
        fail(where, "its lines can never hold together.")
    if len(goal.masks) > 1:
        _check_pairs(kitchen, engine, goal, where)


def reachable(engine: KitchenEngine, goal: KitchenGoal) -> int:
    """All atoms that could become true if nothing was ever undone."""
    created = _created(engine, goal, 0)
    return _reachable(engine, created)


def _created(engine: KitchenEngine, goal: KitchenGoal, more: int) -> tuple[str, ...]:
    """Names that creations could give: as many of each kind as the goal is about, and more."""
    created: tuple[str, ...] = ()
    for kind in engine.creatable:
        for _ in range(max(1, goal.spec.invented.get(kind, 0)) + more):
            created += (engine.next_name(kind, created),)
    return created


def _reachable(engine: KitchenEngine, created: tuple[str, ...]) -> int:
    facts, before = engine.initial.facts, -1
    while facts != before:
        before = facts
        for action in engine.supported(before, created):
            facts |= action.make
            for effect in action.starts:
                facts |= _possible_results(engine, effect, before, created)
    return facts


def _possible_results(
    engine: KitchenEngine, effect: GroundEffect, facts: int, created: tuple[str, ...]
) -> int:
    if effect.kind == "creation":
        kind = effect.effect.creates[0] if effect.effect.creates else ""
        names = [name for name in created if name.rstrip("0123456789") == kind]
        return _union(engine.made_by_creation(effect, name)[0] for name in names)
    if facts & effect.pos != effect.pos:
        return effect.unmake
    inside = _union(_possible_results(engine, inner, facts, created) for inner in effect.then)
    return inside | effect.make | (effect.unmake if effect.kind == "conditional" else 0)


def _union(masks: Iterable[int]) -> int:
    """The union of bit masks."""
    union = 0
    for mask in masks:
        union |= mask
    return union


def _why(engine: KitchenEngine, line: GoalLiteral, invented: dict[str, int]) -> str:
    absent = [kind for kind in line.kinds if kind in invented and kind not in engine.creatable]
    if absent:
        return f"the kitchen has no {absent[0]}"
    domain, known = engine.domain, {atom[0] for atom in engine.start_atoms}
    for action in domain.actions:
        made = [*action.makes, *(x for effect in action.effects() for x in effect.makes)]
        if any(literal.predicate == line.predicate and literal.holds for literal in made):
            for need in action.needs:
                if need.holds and need.predicate not in domain.changing | known:
                    return f"{action.name} needs {need.predicate}, which nothing is"
    return "no action can make it true here"


def _check_stacks(goal: KitchenGoal, where: str) -> None:
    """An object lies on one thing, one thing lies on it, and no stack goes round in a circle."""
    below: dict[Variable | str, Variable | str] = {}
    above: dict[Variable | str, Variable | str] = {}
    for i, (predicate, args) in enumerate(goal.spec.literals):
        if predicate in ("atop", "item_on"):
            upper, lower = args
            if below.setdefault(upper, lower) != lower or above.setdefault(lower, upper) != upper:
                fail(f"{where}[{i}]", "with the lines before it can never hold: two things share a place.")
            while lower in below and lower != upper:
                lower = below[lower]
            if lower == upper:
                fail(
                    f"{where}[{i}]",
                    "with the lines before it can never hold: the stack goes round in a circle.",
                )


# --- what can be true together ----------------------------------------------------------------------

_MOST_CHANGES = 60_000
"""Larger kitchens are not compared pair by pair: a goal there may be wrongly accepted, never refused."""


class _Change(NamedTuple):
    """Something that can happen when ``needs`` are true (bit masks)."""

    needs: int
    make: int
    unmake: int


def _check_pairs(kitchen: Kitchen, engine: KitchenEngine, goal: KitchenGoal, where: str) -> None:
    """Refuse two lines that are never true together, whatever objects are chosen."""
    partners = together(engine, goal)
    if partners is None:
        return
    lines = [f"{line.predicate}({', '.join(line.kinds)})" for line in kitchen.goal]
    for j in range(len(lines)):
        for i in range(j):
            if not goal.pair_holds(i, j, partners):
                what = f"{lines[i]} and {lines[j]} are never true together for these objects."
                fail(f"{where}[{j}]", f"with goal[{i}] it can never hold: {what}")


def together(engine: KitchenEngine, goal: KitchenGoal) -> dict[int, int] | None:
    """For each atom the atoms that may be true with it; None if this would take too long.

    An atom and another are taken to be true together if they are so at the start, or if something makes both,
    or makes one and neither undoes nor excludes the other (what it needs is true in pairs). Effects may
    happen at any time after their action. Names of objects created are interchangeable, so some stand for
    all: those of the goal and as many more as one action and one atom can be about.
    """
    types = set(engine.creatable.values())
    params = [
        [*a.params.values(), *(e.creates[1] for e in a.effects() if e.creates)] for a in engine.domain.actions
    ]
    atoms = [predicate.types for predicate in engine.domain.predicates.values()]
    more = sum(max(sum(t in types for t in listed) for listed in lists) for lists in (params, atoms) if lists)
    created = _created(engine, goal, more)
    facts = _reachable(engine, created)
    changes = [c for action in engine.supported(facts, created) for c in _changes(engine, action, created)]
    changes = list(dict.fromkeys(changes))
    if len(changes) > _MOST_CHANGES:
        return None
    start = engine.initial.facts
    partners = {bit: start & bit and start for bit in bits(facts | start)}
    while sum(_apply(change, partners) for change in changes):
        pass
    return partners


def _apply(change: _Change, partners: dict[int, int]) -> bool:
    """Add the pairs that a change makes true; whether there are new ones."""
    kept = -1
    for need in bits(change.needs):
        kept &= partners.get(need, 0)
    if kept & change.needs != change.needs:
        return False
    if kept == -1:
        kept = _union(bit for bit, mask in partners.items() if mask)
    new = False
    after = kept & ~change.unmake | change.make
    for bit in bits(change.make):
        fresh = after & ~partners.get(bit, 0)
        if fresh:
            new = True
            partners[bit] = partners.get(bit, 0) | fresh
            for other in bits(fresh):
                partners[other] = partners.get(other, 0) | bit
    return new


def _changes(engine: KitchenEngine, action: GroundAction, created: tuple[str, ...]) -> Iterator[_Change]:
    yield _Change(action.pos, action.make, action.unmake)
    for effect in action.starts:
        yield from _effect_changes(engine, effect, 0, created)


def _effect_changes(
    engine: KitchenEngine, effect: GroundEffect, needs: int, created: tuple[str, ...]
) -> Iterator[_Change]:
    """What an effect can do while ``needs`` are true; those that it or its like undo are not counted on."""
    if effect.kind == "creation":
        assert effect.effect.creates is not None
        for name in created:
            if name.rstrip("0123456789") == effect.effect.creates[0]:
                yield _Change(needs, *engine.made_by_creation(effect, name))
        return
    needs |= effect.pos
    yield _Change(needs, effect.make, effect.unmake)
    if effect.kind == "conditional":
        yield _Change(0, effect.unmake, effect.make)
    steady = needs & ~_touched(engine, effect, created)
    for inner in effect.then:
        yield from _effect_changes(engine, inner, steady, created)


def _touched(engine: KitchenEngine, effect: GroundEffect, created: tuple[str, ...]) -> int:
    """All atoms that an effect or those inside it make true or false."""
    touched = effect.make | effect.unmake
    if effect.effect.creates is not None:
        touched |= _union(m for name in created for m in engine.made_by_creation(effect, name))
    return touched | _union(_touched(engine, inner, created) for inner in effect.then)
