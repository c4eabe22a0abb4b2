"""Kitchens as files describe them: what stands where, and what is wanted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from mnemocraft.envs.kitchen.domain import Domain
from mnemocraft.envs.kitchen.engine import Atom, Object
from mnemocraft.envs.kitchen.goal import GoalLiteral, GoalSpec, goal_spec

LISTS = {
    "stations": "station",
    "items": "item",
    "players": "player",
    "containers": "container",
    "meals": "meal",
}
"""Lists of an environment file, in object order, and the types of what they hold."""

WILDCARDS = {
    "station": ("board", "stove", "table", "fryer", "sink"),
    "item": (
        *("bottombun", "lettuce", "patty", "topbun", "bread"),
        *("cheese", "tomato", "onion", "chicken", "potato"),
    ),
}
"""Kinds that wildcards, and the extra things of seeded kitchens, can become, in the order of the draw."""


def kind_of(name: str) -> str:
    """``table`` for ``table12``."""
    return name.rstrip("0123456789")


@dataclass(frozen=True)
class Thing:
    """An object of a kitchen.

    Attributes:
        name: Its kind (``"table"``), after :func:`numbered` its name (``"table1"``).
        x, y: Its cell, from bottom left.
        kind: Its kind, also after numbering.
        level: Position in the stack of its cell, from the bottom (items).
        flags: Unary predicates true of it at the start, besides ``is<kind>``.
        direction: Step from a player to the station it faces.
        id: The file's own id, which a goal can name.
        place: Where the file lists it, for messages.
        extra: Whether a seed added it.
    """

    kind: str
    x: int
    y: int
    name: str = ""
    level: int = 0
    flags: tuple[str, ...] = ()
    direction: tuple[int, int] = (0, 0)
    id: str = ""
    place: str = ""
    extra: bool = False

    @property
    def cell(self) -> tuple[int, int]:
        """Its ``(x, y)``."""
        return self.x, self.y

    @property
    def faces(self) -> tuple[int, int]:
        """The cell a player faces."""
        return self.x + self.direction[0], self.y + self.direction[1]


@dataclass(frozen=True)
class Kitchen:
    """What a file describes: a grid, what stands on it and the goal."""

    width: int
    height: int
    stations: tuple[Thing, ...]
    items: tuple[Thing, ...]
    players: tuple[Thing, ...]
    containers: tuple[Thing, ...]
    meals: tuple[Thing, ...]
    goal: tuple[GoalLiteral, ...]
    goal_description: str

    def things(self) -> list[tuple[str, Thing]]:
        """Everything in it in object order, each with its type."""
        return [(kind, thing) for key, kind in LISTS.items() for thing in getattr(self, key)]

    def objects(self) -> list[Object]:
        """Name and type of everything in it (numbered kitchens)."""
        return [(thing.name, kind) for kind, thing in self.things()]


def numbered(kitchen: Kitchen) -> Kitchen:
    """The kitchen with each list sorted by (x, y) and its things named kind + number, from 1 per kind."""
    lists: dict[str, Any] = {}
    for key in LISTS:
        count: Counter[str] = Counter()
        named = []
        for thing in sorted(getattr(kitchen, key), key=lambda thing: thing.cell):
            count[thing.kind] += 1
            named.append(replace(thing, name=f"{thing.kind}{count[thing.kind]}"))
        lists[key] = tuple(named)
    return replace(kitchen, **lists)


def spec_of(kitchen: Kitchen, domain: Domain) -> GoalSpec:
    """The goal of a numbered kitchen over the objects it has."""
    names = {
        kind: tuple(name for name, t in kitchen.objects() if t == domain.kinds.get(kind) and kind in name)
        for literal in kitchen.goal
        for kind in literal.kinds
    }
    own = {(of_type, thing.id): thing.name for of_type, thing in kitchen.things() if thing.id}
    return goal_spec(kitchen.goal, names, lambda kind, own_id: own[domain.kinds.get(kind, kind), own_id])


def start_atoms(kitchen: Kitchen) -> list[Atom]:
    """What is true at the start in a numbered kitchen."""
    atoms: list[Atom] = [
        (flag, thing.name) for _, thing in kitchen.things() for flag in (f"is{thing.kind}", *thing.flags)
    ]
    for station in kitchen.stations:
        stack = sorted((i for i in kitchen.items if i.cell == station.cell), key=lambda i: i.level)
        pots = [c for c in kitchen.containers if c.cell == station.cell]
        players = [p for p in kitchen.players if p.faces == station.cell]
        atoms += [("loc", p.name, station.name) for p in players] or [("vacant", station.name)]
        atoms += [("item_at", i.name, station.name) for i in stack]
        atoms += [("item_on", i.name, station.name) for i in stack[:1]]
        atoms += [("atop", above.name, below.name) for below, above in pairwise(stack)]
        atoms += [("clear", i.name) for i in stack[-1:]]
        atoms += [("container_at", c.name, station.name) for c in pots]
        atoms += [] if stack or pots else [("station_empty", station.name)]
    for container in kitchen.containers:
        meals = [m for m in kitchen.meals if m.cell == container.cell]
        atoms += [("in", m.name, container.name) for m in meals] or [("container_empty", container.name)]
    for player in kitchen.players:
        held: list[Atom] = [("has_item", player.name, i.name) for i in kitchen.items if i.cell == player.cell]
        held += [("has_container", player.name, c.name) for c in kitchen.containers if c.cell == player.cell]
        atoms += held[:1] or [("nothing", player.name)]
    return atoms
