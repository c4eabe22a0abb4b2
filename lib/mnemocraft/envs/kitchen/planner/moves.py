"""What can sensibly be done in a state, and what comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mnemocraft.envs.kitchen.domain import REPEATS
from mnemocraft.envs.kitchen.planner.compact import (
    COOKED,
    CUT,
    FRIED,
    FRYABLE,
    IN_BOWL,
    IN_POT,
    NONE,
    NOTHING,
    Compact,
    Going,
    State,
    busy,
    cuts,
    elapse,
    put,
)
from mnemocraft.envs.kitchen.planner.roles import NO_DISH, SOUP, Casting


class Move(NamedTuple):
    """Something done at a station: an action's name and the things it is about besides robot and station."""

    station: int
    action: str
    things: tuple[int, ...] = ()


def moves(kitchen: Compact, casting: Casting, state: State, first: bool) -> Iterator[tuple[int, Move, State]]:
    """What can sensibly be done: its steps with the move there, the move, and the state after it.

    Args:
        kitchen: What never changes.
        casting: Which item plays which part.
        state: The state.
        first: Whether this is the start: only there can the hand hold what was not picked up at this station.
    """
    moved = elapse(kitchen, state)
    if any(effect.station >= 0 for effect in state.going):
        yield 1, Move(state.robot, "wait"), moved
    tried: set[tuple[str, bool]] = set()
    for station, stack in enumerate(state.stacks):
        away = station != state.robot
        before = State(station, *moved[1:]) if away else state
        if state.hand == NOTHING:
            found = _with_free_hand(kitchen, casting, before, station, stack)
        elif away or first:
            sort = (kitchen.kinds[station], away)
            if not stack and sort in tried:  # of equal empty stations the first will do
                continue
            tried.update([] if stack else [sort])
            found = _with_full_hand(kitchen, casting, before, station, stack)
        else:
            continue
        for move, after in found:
            yield 1 + away, move, elapse(kitchen, after)


def _with_free_hand(
    kitchen: Compact, casting: Casting, state: State, station: int, stack: tuple[int, ...]
) -> Iterator[tuple[Move, State]]:
    if not stack or (len(stack) == 1 and busy(state.going, stack[0], station)):
        return
    thing = stack[-1]
    if len(stack) == 1 and thing < kitchen.items:
        yield from _item_work(kitchen, casting, state, station, thing)
    elif thing == kitchen.pot and casting.soup is not None:
        yield from _pot_work(kitchen, state, station, thing)
    after = state._replace(hand=thing, stacks=put(state.stacks, station, stack[:-1]))
    if thing >= kitchen.items:
        yield Move(station, "pick-up-container", (thing,)), after
    elif len(stack) == 1:
        yield Move(station, "pick-up-item", (thing,)), after
    else:
        yield Move(station, "unstack", (thing, stack[-2])), after


def _item_work(
    kitchen: Compact, casting: Casting, state: State, station: int, item: int
) -> Iterator[tuple[Move, State]]:
    todo = casting.need[item] & ~state.marks[item]
    kind = kitchen.kinds[station]
    if kind == "board" and todo & CUT:
        yield Move(station, "cut", (item,)), _cut(kitchen, state, item)
    elif kind == "stove" and todo & COOKED:
        yield Move(station, "cook", (item,)), _start(state, "cook", item, station)
    elif kind == "fryer" and todo & FRIED and state.marks[item] & FRYABLE:
        yield Move(station, "fry", (item,)), _start(state, "fry", item, station)


def _pot_work(kitchen: Compact, state: State, station: int, pot: int) -> Iterator[tuple[Move, State]]:
    kind = kitchen.kinds[station]
    if kind == "sink" and state.water == NONE:
        yield Move(station, "fill-pot", (pot,)), _start(state, "fill", pot, station)
    elif kind == "stove" and state.water == IN_POT and not state.boiling:
        yield Move(station, "boil-water", (pot,)), _start(state, "boil", pot, station)


def _start(state: State, work: str, thing: int, station: int) -> State:
    return state._replace(going=(*state.going, Going(work, thing, station, 0)))


def _cut(kitchen: Compact, state: State, item: int) -> State:
    done = cuts(state.going, item) + 1
    new = Going("cut", item, -1, done)
    if done > 1:
        going = tuple(new if g.work == "cut" and g.thing == item else g for g in state.going)
    else:
        going = (*state.going, new, Going("watch", item, -1, 0))
    if done < REPEATS:
        return state._replace(going=going)
    mark = state.marks[item] | CUT | (FRYABLE if kitchen.fries_when_cut(item) else 0)
    return state._replace(going=going, marks=put(state.marks, item, mark))


def _with_full_hand(
    kitchen: Compact, casting: Casting, state: State, station: int, stack: tuple[int, ...]
) -> Iterator[tuple[Move, State]]:
    thing = state.hand
    is_item = thing < kitchen.items
    if not stack:
        action = "place-item" if is_item else "place-container"
        yield Move(station, action, (thing,)), _put_down(state, station, (thing,))
    elif is_item and stack[-1] < kitchen.items:
        yield Move(station, "stack", (thing, stack[-1])), _put_down(state, station, (*stack, thing))
    elif is_item and stack[0] == kitchen.pot and _may_be_added(casting, state, thing):
        added = state.added | {thing}
        yield Move(station, "add-to", (thing, stack[0])), state._replace(hand=NOTHING, added=added)
    elif thing == kitchen.pot and stack[0] == kitchen.bowl and _is_ready(casting, state):
        yield Move(station, "fill-bowl", (stack[0], thing)), state._replace(water=IN_BOWL)


def _put_down(state: State, station: int, stack: tuple[int, ...]) -> State:
    return state._replace(hand=NOTHING, stacks=put(state.stacks, station, stack))


def _may_be_added(casting: Casting, state: State, item: int) -> bool:
    """Whether an item belongs into the water as it is, or is not wanted: the pot can take that, too."""
    todo = casting.need[item] & ~state.marks[item]
    return state.water == IN_POT and casting.dish[item] in (SOUP, NO_DISH) and not todo


def _is_ready(casting: Casting, state: State) -> bool:
    """Whether the soup can be served: nothing can be added to it, or made to boil, in the bowl."""
    done = casting.soup is not None and casting.soup <= state.added
    return done and state.water == IN_POT and state.boiling
