"""Goals that can never hold: found before anybody plays for them."""

from __future__ import annotations

from collections.abc import Iterable

from mnemocraft.envs.kitchen.engine import Engine, GroundEffect
from mnemocraft.envs.kitchen.environment import Kitchen
from mnemocraft.envs.kitchen.goal import Goal, GoalLiteral, Variable
from mnemocraft.envs.kitchen.reading import fail


def check_goal(kitchen: Kitchen, engine: Engine, goal: Goal, where: str) -> None:
    """Refuse a goal that no sequence of actions can reach.

    A sound test, not a complete one: in it nothing is ever undone (the delete relaxation of planning), and of
    the laws of stacks only those are checked that a goal can break by itself.

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


def reachable(engine: Engine, goal: Goal) -> int:
    """All atoms that could become true if nothing was ever undone."""
    created: tuple[str, ...] = ()
    for kind in engine.creatable:
        for _ in range(max(1, goal.spec.invented.get(kind, 0))):
            created += (engine.next_name(kind, created),)
    facts, before = engine.initial.facts, -1
    while facts != before:
        before = facts
        for action in engine.supported(before, created):
            facts |= action.make
            for effect in action.starts:
                facts |= _possible_results(engine, effect, before, created)
    return facts


def _possible_results(engine: Engine, effect: GroundEffect, facts: int, created: tuple[str, ...]) -> int:
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


def _why(engine: Engine, line: GoalLiteral, invented: dict[str, int]) -> str:
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


def _check_stacks(goal: Goal, where: str) -> None:
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
