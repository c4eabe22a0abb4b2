"""Reading environment files in Robotouille's JSON format; the first mistake is named with its place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from mnemocraft.envs.kitchen.domain import Domain, check_arity, read_predicate
from mnemocraft.envs.kitchen.environment import LISTS, WILDCARDS, Kitchen, Thing, kind_of, numbered
from mnemocraft.envs.kitchen.goal import GoalLiteral
from mnemocraft.envs.kitchen.reading import at, entries, fail, field, known_keys, typed

Cell = tuple[int, int]

_KEYS = ("version", "width", "height", "config", *LISTS, "goal_description", "goal")
_THING_KEYS = ("name", "x", "y", "predicates", "id")
_OWN_KEYS = {"item": ("stack-level",), "player": ("direction",)}
_NEEDED_PREDICATES = {
    "loc": ("player", "station"),
    "vacant": ("station",),
    "station_empty": ("station",),
    "container_empty": ("container",),
    "nothing": ("player",),
    "has_item": ("player", "item"),
    "has_container": ("player", "container"),
    "item_at": ("item", "station"),
    "item_on": ("item", "station"),
    "atop": ("item", "item"),
    "clear": ("item",),
    "container_at": ("container", "station"),
    "in": ("meal", "container"),
}
"""What the start of a kitchen is written in."""


def read_environment(content: dict[str, Any], domain: Domain, where: str) -> Kitchen:
    """Check an environment in Robotouille's JSON format and read it.

    Whether its goal can hold is another question, see :mod:`~mnemocraft.envs.kitchen.solvable`.

    Args:
        content: The parsed file.
        domain: What its names mean.
        where: Name of the file, for messages.

    Raises:
        MnemocraftError: One sentence that names the place of the first mistake.
    """
    known_keys(content, _KEYS, where)
    for name, types in _NEEDED_PREDICATES.items():
        if name not in domain.predicates or domain.predicates[name].types != types:
            fail(
                where,
                f"kitchens need a predicate {name}({', '.join(types)}), which the domain does not have.",
            )
    width, height = (field(content, key, int, where) for key in ("width", "height"))
    if not (1 <= width <= 100 and 1 <= height <= 100):
        fail(where, f"a kitchen has 1 x 1 to 100 x 100 cells, not {width} x {height}.")
    if content.get("containers") and "meals" not in content:
        fail(where, 'a kitchen with containers needs the list "meals" (it may be empty).')
    lists = {
        key: tuple(
            _read_thing(domain, of_type, entry, place)
            for place, entry in entries(content, key, where, None if key in ("stations", "players") else [])
        )
        for key, of_type in LISTS.items()
    }
    description = field(content, "goal_description", str, where)
    kitchen = Kitchen(width, height, **lists, goal=(), goal_description=description)
    _check_cells(kitchen, where)
    _check_names(kitchen)
    goal = tuple(_read_goal_literal(domain, kitchen, e, p) for p, e in entries(content, "goal", where))
    if not goal:
        fail(at(where, "goal"), "the goal is empty.")
    return replace(kitchen, goal=goal)


# --- things ---------------------------------------------------------------------------------------


def _read_thing(domain: Domain, of_type: str, entry: dict[str, Any], where: str) -> Thing:
    known_keys(entry, (*_THING_KEYS, *_OWN_KEYS.get(of_type, ())), where)
    name = field(entry, "name", str, where)
    kind = kind_of(name)  # files written by a run have table1 for table
    if domain.kinds.get(kind) != of_type and not (name == of_type and of_type in WILDCARDS):
        known = ", ".join(k for k, t in domain.kinds.items() if t == of_type)
        fail(at(where, "name"), f"there is no {of_type} {name!r}; {of_type}s are {known}.")
    flags = [
        typed(flag, str, at(where, "predicates")) for flag in field(entry, "predicates", list, where, [])
    ]
    for i, flag in enumerate(flags):
        if read_predicate(domain, flag, f"{where}.predicates[{i}]").types != (of_type,):
            fail(f"{where}.predicates[{i}]", f"{flag} is not about one {of_type}.")
    return Thing(
        kind,
        field(entry, "x", int, where),
        field(entry, "y", int, where),
        name=name,
        level=field(entry, "stack-level", int, where, 0) if of_type == "item" else 0,
        flags=tuple(flags),
        direction=_read_direction(entry, where) if of_type == "player" else (0, 0),
        id=_read_id(entry["id"], at(where, "id")) if "id" in entry else "",
        place=where,
    )


def _read_direction(entry: dict[str, Any], where: str) -> tuple[int, int]:
    direction = field(entry, "direction", list, where)
    if direction not in ([0, 1], [0, -1], [1, 0], [-1, 0]):
        fail(at(where, "direction"), f"it must be [0, 1], [0, -1], [1, 0] or [-1, 0], not {direction}.")
    return direction[0], direction[1]


def _read_id(value: Any, where: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        fail(where, "an id must be a number or a text.")
    return str(value)


def _check_cells(kitchen: Kitchen, where: str) -> None:
    for _, thing in kitchen.things():
        if not (0 <= thing.x < kitchen.width and 0 <= thing.y < kitchen.height):
            fail(thing.place, f"{thing.cell} is outside the {kitchen.width} x {kitchen.height} grid.")
    if len(kitchen.players) != 1:
        fail(at(where, "players"), f"a kitchen has exactly one player, not {len(kitchen.players)}.")
    player = kitchen.players[0]
    stations = {station.cell for station in kitchen.stations}
    _check_alone((*kitchen.stations, player), "the cell")
    _check_alone(kitchen.containers, "as a container's place, the cell")
    if player.faces not in stations:
        fail(player.place, f"the player faces {player.faces}, where no station is.")
    for thing in (*kitchen.items, *kitchen.containers):
        if thing.cell not in stations and thing.cell != player.cell:
            fail(thing.place, f"no station is at {thing.cell}.")
    for container in kitchen.containers:
        if container.cell in {item.cell for item in kitchen.items} - {player.cell}:
            fail(container.place, f"an item is at {container.cell}; they cannot share a station.")
    for meal in kitchen.meals:
        if meal.cell not in {container.cell for container in kitchen.containers}:
            fail(meal.place, f"no container is at {meal.cell}.")
    _check_alone(
        [x for x in (*kitchen.items, *kitchen.containers) if x.cell == player.cell], "in the hand, the cell"
    )
    _check_stacks(kitchen.items)


def _check_alone(things: Iterable[Thing], what: str) -> None:
    first: dict[Cell, Thing] = {}
    for thing in things:
        if first.setdefault(thing.cell, thing) is not thing:
            fail(thing.place, f"{what} {thing.cell} is taken by {_short(first[thing.cell])}.")


def _check_stacks(items: Iterable[Thing]) -> None:
    levels: dict[tuple[Cell, int], Thing] = {}
    for item in items:
        other = levels.setdefault((item.cell, item.level), item)
        if other is not item:
            fail(item.place, f"its stack-level {item.level} at {item.cell} is also that of {_short(other)}.")


def _check_names(kitchen: Kitchen) -> None:
    """Names with numbers must have the right ones, and ids must be different within a list."""
    right = {thing.place: thing.name for _, thing in numbered(kitchen).things()}
    first: dict[tuple[str, str], Thing] = {}
    for of_type, thing in kitchen.things():
        if thing.name not in (thing.kind, right[thing.place]):
            fail(at(thing.place, "name"), f"objects are numbered by (x, y), so it is {right[thing.place]}.")
        if thing.id and first.setdefault((of_type, thing.id), thing) is not thing:
            fail(at(thing.place, "id"), f"{thing.id!r} is also the id of {_short(first[of_type, thing.id])}.")


def _short(thing: Thing) -> str:
    """Its place without the file: ``items[3]``."""
    return thing.place.split(": ")[-1]


# --- goals ----------------------------------------------------------------------------------------


def _read_goal_literal(domain: Domain, kitchen: Kitchen, entry: dict[str, Any], where: str) -> GoalLiteral:
    known_keys(entry, ("predicate", "args", "ids"), where)
    predicate = read_predicate(domain, field(entry, "predicate", str, where), at(where, "predicate"))
    kinds = [typed(k, str, at(where, "args")) for k in field(entry, "args", list, where)]
    check_arity(predicate, kinds, at(where, "args"))
    ids = [_read_id(i, at(where, "ids")) for i in field(entry, "ids", list, where)]
    if len(ids) != len(kinds):
        fail(at(where, "ids"), f"there must be one id for each of the {len(kinds)} args, not {len(ids)}.")
    own = {(of_type, thing.id) for of_type, thing in kitchen.things()}
    for kind, of_type, number in zip(kinds, predicate.types, ids, strict=True):
        is_a = domain.kinds.get(kind, kind if kind in domain.types else None)
        if is_a is None:
            fail(
                at(where, "args"),
                f"there is no kind of object {kind!r}; kinds are {', '.join(domain.kinds)}.",
            )
        if is_a != of_type:
            what = f"{predicate.name} takes something of type {of_type} there, and {kind} is of type {is_a}."
            fail(at(where, "args"), what)
        if not number.isdigit() and (of_type, number) not in own:
            fail(at(where, "ids"), f"no {of_type} has the id {number!r}.")
        if number.isdigit() and kind in domain.types:
            fail(at(where, "args"), f"the wildcard {kind!r} needs the id of an object, not a number.")
    return GoalLiteral(predicate.name, tuple(kinds), tuple(ids))
