"""A household task as a PDDL problem for ALFWorld's domain ``alfred``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

OPENABLE = ("Cabinet", "Drawer", "Fridge", "Microwave", "Safe")
_ABLE = {"clean": "cleanable", "heat": "heatable", "cool": "coolable"}
_DONE = {"clean": "isClean", "heat": "isHot", "cool": "isCool"}


@dataclass(frozen=True)
class Thing:
    """Something in a room.

    Attributes:
        name: Its class, such as ``Mug``.
        place: Index of the receptacle that it is in.
        can: What can be done to it (``clean``, ``heat``, ``cool``); None for a lamp, which stays where it is
            and is switched on.
    """

    name: str
    place: int
    can: tuple[str, ...] | None


def problem(
    name: str,
    receptacles: Sequence[str],
    things: Sequence[Thing],
    holds: Iterable[tuple[str, str]],
    goal: str,
) -> str:
    """A problem whose agent stands away from every receptacle; each receptacle has a place of its own.

    Args:
        name: Of the problem; letters, digits and underscores.
        receptacles: Their classes, such as ``Cabinet``.
        things: What is in them.
        holds: Pairs of classes: a receptacle, and what may be put there.
        goal: What is to be true, see :func:`placed` and :func:`lit`.
    """
    places, ids = _ids(receptacles), _ids([thing.name for thing in things])
    otypes = {thing.name for thing in things}
    objects = [
        "agent1 - agent",
        *(f"{each} - object" for each in ids),
        *(f"{each} - receptacle" for each in places),
        *(f"{each} - location" for each in ("loc_start", *map(_location, range(len(places))))),
        *(f"{each}Type - otype" for each in sorted(otypes)),
        *(f"{each}Type - rtype" for each in sorted(set(receptacles))),
    ]
    init = ["atLocation agent1 loc_start"]
    for at, (place, kind) in enumerate(zip(places, receptacles, strict=True)):
        init += [f"receptacleType {place} {kind}Type", f"receptacleAtLocation {place} {_location(at)}"]
        init += [f"openable {place}"] if kind in OPENABLE else []
    for each, thing in zip(ids, things, strict=True):
        init += [
            f"objectType {each} {thing.name}Type",
            f"inReceptacle {each} {places[thing.place]}",
            f"objectAtLocation {each} {_location(thing.place)}",
        ]
        able = ["toggleable"] if thing.can is None else ["pickupable", *(_ABLE[how] for how in thing.can)]
        init += [f"{can} {each}" for can in able]
    init += [
        f"canContain {place}Type {thing}Type"
        for place, thing in holds
        if place in receptacles and thing in otypes
    ]
    return "\n".join(
        [
            f"(define (problem {name})",
            "(:domain alfred)",
            "(:objects",
            *objects,
            ")",
            "(:init",
            *(f"({fact})" for fact in init),
            ")",
            f"(:goal {goal})",
            ")",
            "",
        ]
    )


def placed(thing: str, place: str, treatment: str = "", count: int = 1) -> str:
    """The goal that one or two things of a class are in a receptacle of a class, treated if need be."""
    names = [f"?o{number}" for number in range(count)]
    facts = [f"(receptacleType ?r {place}Type)"]
    for name in names:
        facts += [f"(objectType {name} {thing}Type)", f"(inReceptacle {name} ?r)"]
        facts += [f"({_ABLE[treatment]} {name})", f"({_DONE[treatment]} {name})"] if treatment else []
    facts += [f"(not (= {names[0]} {names[1]}))"] if count == 2 else []
    objects = " ".join(f"{name} - object" for name in names)
    return f"(and (exists (?r - receptacle {objects}) (and {' '.join(facts)})))"


def lit(thing: str, lamp: str) -> str:
    """The goal that a thing is held where a lamp is on."""
    light = (
        f"(objectType ?t {lamp}Type) (toggleable ?t) (isToggled ?t) (receptacleAtLocation ?r ?l) "
        "(atLocation ?a ?l) (inReceptacle ?t ?r)"
    )
    return (
        f"(and (exists (?t - object ?r - receptacle ?a - agent ?l - location) (and {light})) "
        f"(exists (?o - object ?a - agent) (and (objectType ?o {thing}Type) (holds ?a ?o))))"
    )


def _ids(classes: Sequence[str]) -> list[str]:
    """An id for each, from which the engine makes names such as ``mug 1``."""
    seen: dict[str, int] = {}
    ids = []
    for each in classes:
        seen[each] = seen.get(each, 0) + 1
        # The engine itself adds "basin" to the name, which it takes from what is before the first bar.
        first, last = ("Sink", "_bar_SinkBasin") if each == "SinkBasin" else (each, "")
        ids.append(f"{first}_bar_{seen[each]:02}{last}")
    return ids


def _location(number: int) -> str:
    return f"loc_{number:02}"
