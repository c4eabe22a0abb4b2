"""What to do next in a household, by fixed rules, and what it is imagined to lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mnemocraft.gnn.aggregation import RoomGraph
from mnemocraft.surrogate.minds.household.beliefs import (
    BOTH,
    DOORS,
    FIRST,
    LAMP,
    OPENS,
    Beliefs,
    Wanted,
    kind_of,
)

_VERBS = {"clean": "clean", "hot": "heat", "cool": "cool"}
LONGEST = 40
"""Steps that are imagined ahead."""


def ideas(room: RoomGraph, task: Wanted, beliefs: Beliefs, hints: tuple[str, ...] = ()) -> Iterator[str]:
    """Action lines, the best first; none if all seems done.

    Args:
        room: What is known.
        task: What is wanted.
        beliefs: How the household is taken to work.
        hints: Receptacles that a memory names, to be searched first.
    """
    if room.held and kind_of(room.held) == task.thing:
        yield from _use(room, task, beliefs, room.held)
    elif not _seems_done(room, task, beliefs):
        if room.held:
            yield from (f"move {room.held} to {place}" for place in room.here)
        yield from _fetch(room, task, beliefs, hints)


def _seems_done(room: RoomGraph, task: Wanted, beliefs: Beliefs) -> bool:
    if task.lamp:
        return False
    needed = task.count if beliefs.knows(BOTH) else 1
    state = task.state if beliefs.knows(FIRST.format(state=task.state)) else ""
    return any(len(_placed(room, task, place, state)) >= needed for place in _targets(room, task))


def _placed(room: RoomGraph, task: Wanted, place: str, state: str) -> list[str]:
    """The objects in a receptacle that count for the task."""
    inside = [o for o in room.contents.get(place, ()) if kind_of(o) == task.thing]
    return [o for o in inside if not state or state in room.states.get(o, ())]


def _targets(room: RoomGraph, task: Wanted) -> list[str]:
    return [place for place in room.doors if kind_of(place) == task.target]


def _use(room: RoomGraph, task: Wanted, beliefs: Beliefs, thing: str) -> Iterator[str]:
    """What to do with the thing in hand."""
    if task.lamp:
        yield from _light(room, task, beliefs, thing)
        return
    lacks = task.state and task.state not in room.states.get(thing, ())
    if lacks and beliefs.knows(FIRST.format(state=task.state)):
        kind = beliefs.tool(task.state)
        for place in _near_first(room, [p for p in room.doors if kind_of(p) == kind]):
            yield f"{_VERBS[task.state]} {thing} with {place}" if place in room.here else f"go to {place}"
    full = sorted(_targets(room, task), key=lambda place: -len(_placed(room, task, place, task.state)))
    places = full if task.count > 1 else _near_first(room, full)
    for place in sorted(places, key=lambda place: _shut(room, place)) if task.count == 1 else places:
        yield from _reach(room, beliefs, place, f"move {thing} to {place}")


def _light(room: RoomGraph, task: Wanted, beliefs: Beliefs, thing: str) -> Iterator[str]:
    """Hold it and switch a lamp on, wherever one is."""
    if not beliefs.knows(LAMP):
        yield f"examine {thing}"
        return
    lamps = [
        (o, place) for place, inside in room.contents.items() for o in inside if kind_of(o) == task.target
    ]
    for lamp, place in lamps:
        yield f"use {lamp}" if place in room.here else f"go to {place}"
    yield from _look_for(room, beliefs, task.target, ())


def _fetch(room: RoomGraph, task: Wanted, beliefs: Beliefs, hints: tuple[str, ...]) -> Iterator[str]:
    """Take a thing that was seen, or look for one."""
    kept = max(
        _targets(room, task), key=lambda place: len(_placed(room, task, place, task.state)), default=""
    )
    done = set(_placed(room, task, kept, task.state)) if task.count > 1 else set()
    seen = [(place, o) for place, inside in room.contents.items() for o in inside
            if kind_of(o) == task.thing and o not in done]  # fmt: skip
    if task.count == 1 and task.state:  # one that was put down as it was is taken again
        seen.sort(key=lambda found: kind_of(found[0]) == task.target)
    for place, thing in sorted(seen, key=lambda found: found[0] not in room.here):
        yield from _reach(room, beliefs, place, f"take {thing} from {place}")
    yield from _look_for(room, beliefs, task.thing, hints)


def _look_for(room: RoomGraph, beliefs: Beliefs, thing: str, hints: tuple[str, ...]) -> Iterator[str]:
    """Look into what has not been looked into, the likeliest place first."""
    left = [
        p
        for p, door in room.doors.items()
        if p not in room.contents and not (door == "closed" and not beliefs.knows(OPENS))
    ]
    hinted = [place for place in hints if place in left]
    order = [*hinted, *(place for place in beliefs.search(thing, left) if place not in hinted)]
    shut_here = [p for p in order if p in room.here and room.doors[p] == "closed"]
    for place in [*shut_here[:1], *order] if order and order[0] in room.here else order:
        yield from _reach(room, beliefs, place, f"examine {place}")


def _reach(room: RoomGraph, beliefs: Beliefs, place: str, line: str) -> Iterator[str]:
    """Go to a receptacle, open it if it is closed, and do something there."""
    if place not in room.here:
        yield f"go to {place}"
    elif room.doors[place] == "closed" and beliefs.knows(OPENS):
        yield f"open {place}"
    else:
        yield line if room.doors[place] is not None or line.startswith("take") else f"examine {place}"


def _near_first(room: RoomGraph, places: list[str]) -> list[str]:
    return sorted(places, key=lambda place: place not in room.here)


def _shut(room: RoomGraph, place: str) -> bool:
    return room.doors[place] == "closed" or (room.doors[place] is None and kind_of(place) in DOORS)


_ENDS = re.compile(
    r"(?P<verb>take|move|clean|heat|cool) (?P<thing>\w+) \d+ (?:from|to|with) (?P<place>\w+ \d+)"
    r"|(?P<use>use) (?P<lamp>(?P<kind>\w+) \d+)"
)
_VERB = {"take": "pick", "move": "put"}


def sub_goal(room: RoomGraph, line: str) -> str:
    """The sub-goal that ends with an action line in a room; empty if none does."""
    found = _ENDS.fullmatch(line)
    if found is None:
        return ""
    if found["use"]:
        places = [place for place in room.here if found["lamp"] in room.contents.get(place, ())]
        return f"use {found['kind']} at {places[0]}" if places else ""
    return f"{_VERB.get(found['verb'], found['verb'])} {found['thing']} at {found['place']}"


# --- what it would lead to --------------------------------------------------------------------------------


def imagine(room: RoomGraph, task: Wanted, line: str) -> RoomGraph:
    """The room after an action line, as the mind's eye sees it: what is looked for is where it is looked for.

    Args:
        room: The room before; it is left as it is.
        task: What is wanted.
        line: The action.
    """
    after = room.copy()
    verb, _, rest = line.partition(" ")
    known = {o for inside in room.contents.values() for o in inside if kind_of(o) == task.thing} | {room.held}
    found = f"a {task.target} 1" if task.lamp and room.held else f"a {task.thing} {len(known - {''}) + 1}"
    if verb == "go":
        place = rest.removeprefix("to ")
        inside = ", a ".join(room.contents[place]) if place in room.contents else found
        door = room.doors.get(place)
        shut = door == "closed" or (door is None and kind_of(place) in DOORS)
        seen = f"The {place} is closed." if shut else f"On the {place}, you see a {inside}."
        after.merge(f"You arrive at {place}. {seen}")
    elif verb == "open":
        inside = ", a ".join(room.contents[rest]) if rest in room.contents else found
        after.merge(f"The {rest} is open. In it, you see a {inside}.")
    elif verb == "examine" and rest in room.doors:
        after.merge(f"On the {rest}, you see {found}.")
    else:
        between = {"take": " from ", "move": " to "}.get(verb, " with ")
        thing, _, place = rest.rpartition(between)
        said = {
            "take": f"You pick up the {thing} from the {place}.",
            "move": f"You move the {thing} to the {place}.",
            "use": f"You turn on the {rest}.",
        }
        after.merge(said.get(verb, f"You {verb} the {thing} using the {place}."))
    return after
