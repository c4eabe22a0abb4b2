"""Stations that stand in one another's way: each holds what has to wait for another one."""

from __future__ import annotations

from collections.abc import Set
from itertools import combinations

from mnemocraft.envs.kitchen.planner.compact import COOKED, CUT, FRIED, NONE, Compact, State
from mnemocraft.envs.kitchen.planner.roles import BASE, MIDDLE, NO_DISH, SOUP, Casting

AT = {"board": CUT, "stove": COOKED, "fryer": FRIED}
"""The mark that an item gets at a kind of station."""


def jams(kitchen: Compact, casting: Casting, state: State, full: Set[str]) -> int:
    """How many things at least have to be put aside, because circles of waiting cannot be undone otherwise.

    Args:
        kitchen: What never changes.
        casting: Which item plays which part.
        state: The state.
        full: Kinds of stations that are needed and all occupied.
    """
    for number in range(len(full)):
        for cleared in combinations(sorted(full), number):
            if not _jammed(kitchen, casting, state, full - set(cleared)):
                return number
    return len(full)


def _jammed(kitchen: Compact, casting: Casting, state: State, full: Set[str]) -> bool:
    """Whether not all come free by carrying what is on them to where it belongs."""
    while full:
        free = {kind for kind in full if _comes_free(kitchen, casting, state, kind, full)}
        if not free:
            return True
        full = full - free
    return False


def _comes_free(kitchen: Compact, casting: Casting, state: State, kind: str, full: Set[str]) -> bool:
    return any(
        all(
            _can_leave(kitchen, casting, state, x, "" if level else kind, full)
            for level, x in enumerate(stack)
        )
        for at, stack in zip(kitchen.kinds, state.stacks, strict=True)
        if at == kind
    )


def _can_leave(
    kitchen: Compact, casting: Casting, state: State, thing: int, kind: str, full: Set[str]
) -> bool:
    """Whether a thing, standing directly on a station of this kind (empty: on something), has where to go."""
    if thing == kitchen.pot and casting.soup is not None:
        if state.boiling or (kind == "stove" and state.water != NONE):
            return True
        return ("sink" if state.water == NONE and kind != "sink" else "stove") not in full
    if thing >= kitchen.items or casting.dish[thing] == NO_DISH:
        return True
    todo = casting.need[thing] & ~state.marks[thing] & ~AT.get(kind, 0)
    if todo:
        return any(todo & mark and at not in full for at, mark in AT.items())
    if casting.dish[thing] == SOUP:
        return state.water != NONE or "sink" not in full
    return casting.role[thing] in (BASE, MIDDLE) or not _waits(casting, state, casting.dish[thing], full)


def _waits(casting: Casting, state: State, dish: int, full: Set[str]) -> bool:
    """Whether a piece of a dish still needs one of these kinds of stations."""
    todo = 0
    for item in casting.worked:
        if casting.dish[item] == dish:
            todo |= casting.need[item] & ~state.marks[item]
    return any(todo & mark and at in full for at, mark in AT.items())
