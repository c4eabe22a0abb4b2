"""Things, the places they can be in, and the rules of a table top. All of it follows from the names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from mnemocraft.errors import MnemocraftError

Where = Mapping[str, str]
"""Where every thing is: the name of a place, or of the thing that it lies on."""

TABLE = "table"
COLOURS = ("red", "green", "blue", "yellow", "purple", "orange", "pink", "white")
SHAPES = ("star", "heart", "disc", "cross", "hexagon", "arrow", "letter L", "letter T")
SIZES = ("small", "middle", "large")
"""Of the rings, ascending."""
STANDS = ("light stand", "brown stand", "dark stand")
PYRAMID = {
    "left base": (),
    "middle base": (),
    "right base": (),
    "left step": ("left base", "middle base"),
    "right step": ("middle base", "right base"),
    "top step": ("left step", "right step"),
}
"""The places of a pyramid and what has to be filled before them."""
BOX = "brown box"
KINDS = ("table", "bowl", "hole", "stand", "box", "base", "step")
"""Of places; what a place is called ends with its kind."""


@dataclass(frozen=True)
class Place:
    """Somewhere to put things.

    Attributes:
        name: Such as ``green bowl``.
        kind: One of :data:`KINDS`.
        room: Things that it has room for; None for any number.
        rests_on: Places that have to be filled before it.
    """

    name: str
    kind: str
    room: int | None
    rests_on: tuple[str, ...]

    @property
    def at(self) -> str:
        """``in the green bowl``, ``on the table``."""
        return f"{'in' if self.kind in ('bowl', 'hole', 'box') else 'on'} the {self.name}"


@cache
def place(name: str) -> Place:
    """The place of a name.

    Raises:
        MnemocraftError: There are no places that are called like that.
    """
    kind = name.rpartition(" ")[2]
    if kind not in KINDS:
        raise MnemocraftError(f"{name!r} is no place; the name of one ends with {', '.join(KINDS)}.")
    room = None if kind in ("table", "stand", "box") else 1
    return Place(name, kind, room, PYRAMID.get(name, ()))


def shape(name: str) -> str:
    """What is left of a name without its first word: ``star`` of ``red star``, ``star hole`` has none."""
    return name.partition(" ")[2]


def aims(thing: str, names: tuple[str, ...]) -> frozenset[str]:
    """Where a thing belongs, of some places: a block into the bowl of its colour, a shape into its hole ...

    A block whose colour no bowl has belongs on the table.
    """
    kinds = {place(name).kind: name for name in names}
    if "bowl" in kinds:
        own = f"{thing.partition(' ')[0]} bowl"
        return frozenset({own if own in names else TABLE})
    if "hole" in kinds:
        return frozenset({f"{shape(thing)} hole"})
    if "stand" in kinds:
        return frozenset({STANDS[-1]})
    return frozenset({BOX}) if "box" in kinds else frozenset(PYRAMID)


def covered(where: Where, thing: str) -> str:
    """Why a thing cannot be picked, as the end of a sentence; empty if it can."""
    here = where[thing]
    above = next((other for other, at in where.items() if at == thing), "")
    if not above and here in STANDS:
        smaller = [o for o, at in where.items() if at == here and _size(o) < _size(thing)]
        above = min(smaller, key=_size, default="")
    if not above and here in PYRAMID:
        above = next((other for other, at in where.items() if here in PYRAMID.get(at, ())), "")
    return f"the {above} lies on it" if above else ""


def unfit(where: Where, thing: str, target: Place) -> str:
    """Why a thing cannot be placed somewhere, as the end of a sentence; empty if it can."""
    inside = [other for other, at in where.items() if at == target.name and other != thing]
    if where[thing] == target.name:
        return "it is there already"
    if target.kind == "hole" and target.name != f"{shape(thing)} hole":
        return "it does not fit"
    if target.room is not None and len(inside) >= target.room:
        return f"the {inside[0]} is there"
    if target.kind == "stand" and any(_size(other) < _size(thing) for other in inside):
        return f"the {min(inside, key=_size)} there is smaller"
    filled = {at for other, at in where.items() if other != thing}
    lacking = [name for name in target.rests_on if name not in filled]
    return f"nothing is on the {lacking[0]} below it" if lacking else ""


def refusal(where: Where, thing: str, target: Place) -> str:
    """Why a move is against the rules, in one sentence; empty if it is not."""
    if why := covered(where, thing):
        return f"I cannot pick the {thing}: {why}."
    if why := unfit(where, thing, target):
        return f"I cannot place the {thing} {target.at}: {why}."
    return ""


def _size(ring: str) -> int:
    return SIZES.index(ring.partition(" ")[0])
