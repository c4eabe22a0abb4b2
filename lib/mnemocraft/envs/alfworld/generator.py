"""Small household games of our own, of ALFWorld's six types.

Each is a room with a few receptacles and things, and a task that can be done there: its things exist, lie
where they can be taken, and are never where they belong already. Rules and wording are those of the installed
package ``alfworld``, read when a game is made; nothing of it is kept here.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

from mnemocraft.bounded import whole
from mnemocraft.envs.alfworld.games import known_games
from mnemocraft.envs.alfworld.pddl import Thing, lit, placed, problem
from mnemocraft.envs.alfworld.process import HOW
from mnemocraft.errors import MissingExtra, MnemocraftError, one_of
from mnemocraft.files import replace_file
from mnemocraft.paths import output_root

VERSION = "0.4.2"
"""Of the package ``alfworld`` whose rules and wording the named games have."""
TYPES = {
    "pick_and_place_simple": ("put a {thing} in {target}", "put some {thing} on {target}"),
    "look_at_obj_in_light": ("look at {thing} under the {target}", "examine the {thing} with the {target}"),
    "pick_clean_then_place_in_recep": (
        "put a clean {thing} in {target}",
        "clean some {thing} and put it in {target}",
    ),
    "pick_heat_then_place_in_recep": (
        "put a hot {thing} in {target}",
        "heat some {thing} and put it in {target}",
    ),
    "pick_cool_then_place_in_recep": (
        "put a cool {thing} in {target}",
        "cool some {thing} and put it in {target}",
    ),
    "pick_two_obj_and_place": ("put two {thing} in {target}", "find two {thing} and put them in {target}"),
}
"""The types of tasks, each with the two sentences by which ALFWorld asks for it."""
TOOLS = {"clean": "SinkBasin", "heat": "Microwave", "cool": "Fridge"}
"""What can be done to a thing, and at which receptacle."""
LAMPS = {"bedroom": ("DeskLamp", "Desk"), "livingroom": ("FloorLamp", "SideTable")}
"""The lamp of a room in which something can be looked at in light, and what it stands on."""
RECEPTACLES, OTHERS = (6, 9), (6, 10)
"""Least and most receptacles of a room, and things besides those that the task is about."""


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files(__package__) / "household.toml").read_text(encoding="utf-8"))


@cache
def _rules(kind: str) -> str:
    """ALFWorld's domain (``pddl``) or grammar (``twl2``), found without an import, which makes a folder."""
    spec = find_spec("alfworld")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra(f"To make a household game takes alfworld, which is not installed: {HOW}.")
    path = Path(spec.submodule_search_locations[0], "data", f"alfred.{kind}")
    return path.read_bytes().decode()


def generate(kind: str, seed: int, size: int = 1) -> str:
    """The text of a game file, the same for the same seed and size to the byte.

    Args:
        kind: One of :data:`TYPES`.
        seed: Of the room and the task.
        size: How many times as many receptacles and things there are. ALFWorld's own rooms, which have 13 to
            27 receptacles, are as large as those of 2 and 3.

    Raises:
        MnemocraftError: There is no such type, seed or size.
        MissingExtra: The package ``alfworld`` is not installed.
    """
    one_of("type of household task", kind, TYPES)
    seed, size = whole(seed, "seed", 0), whole(size, "size", 1)
    random = Random(f"{kind}/{seed}")
    treatment = next((how for how in TOOLS if f"_{how}_" in kind), "")
    light = kind.startswith("look_")
    rooms = {
        name: things
        for name in (LAMPS if light else _tables()["rooms"])
        if (things := _suitable(name, treatment))
    }
    room = random.choice(list(rooms))
    thing = random.choice(list(rooms[room]))
    target, start = random.sample(rooms[room][thing], 2)
    asked_about = [(thing, start)] * (2 if "_two_" in kind else 1)
    needed = [start, *([TOOLS[treatment]] if treatment else [])]
    if light:
        target, stand = LAMPS[room]
        asked_about.append((target, stand))
        needed.append(stand)
        goal = lit(thing, target)
    else:
        needed.append(target)
        goal = placed(thing, target, treatment, len(asked_about))
    classes = _furniture(random, room, needed, size)
    others = _others(random, room, classes, {thing: target}, size)
    there = _in_place(random, classes, asked_about + others)
    asked = random.choice(TYPES[kind]).format(thing=thing.lower(), target=target.lower())
    return json.dumps(
        {
            "pddl_domain": _rules("pddl"),
            "grammar": _rules("twl2").replace("UNKNOWN GOAL", asked),
            "pddl_problem": problem(f"{kind}_{seed}", classes, there, _legal_places(), goal),
            "solvable": True,
            "walkthrough": None,
        }
    )


def _suitable(room: str, treatment: str) -> dict[str, list[str]]:
    """Things that a task can be about, with the receptacles, at least two, between which it moves them."""
    there, tool = _tables()["rooms"][room]["receptacles"], TOOLS.get(treatment)
    if tool and tool not in there:
        return {}
    things = _tables()["things"]
    places = {
        thing: [place for place in things[thing]["in"] if place in there and place != tool]
        for thing in _tables()["rooms"][room]["things"]
        if not treatment or treatment in things[thing].get("can", ())
    }
    return {thing: at for thing, at in places.items() if len(at) > 1}


def _furniture(random: Random, room: str, needed: list[str], size: int) -> list[str]:
    """Classes of the receptacles of a room, those needed first; of what there is one, there is never more."""
    classes = list(dict.fromkeys(needed))
    facts = _tables()["rooms"][room]
    numbers = {each: most * size if most > 1 else 1 for each, most in facts["receptacles"].items()}
    numbers |= facts["larger"] if size > 1 else {}
    more = [each for each, most in numbers.items() for _ in range(most)]
    for each in classes:
        more.remove(each)
    random.shuffle(more)
    return classes + more[: _number(random, RECEPTACLES, size) - len(classes)]


def _number(random: Random, bounds: tuple[int, int], size: int) -> int:
    least, most = bounds
    return random.randint(least * size, most * size)


def _others(
    random: Random, room: str, classes: list[str], avoid: dict[str, str], size: int
) -> list[tuple[str, str]]:
    """Further things, with the classes of receptacles that they are in; never one where the task wants it."""
    legal = [
        (thing, place)
        for thing in _tables()["rooms"][room]["things"]
        for place in _tables()["things"][thing]["in"]
        if place in classes and avoid.get(thing) != place
    ]
    return [random.choice(legal) for _ in range(_number(random, OTHERS, size))]


def _in_place(random: Random, classes: list[str], things: list[tuple[str, str]]) -> list[Thing]:
    """The things, each in one of the receptacles of its class."""
    facts = _tables()["things"]
    return [
        Thing(
            name,
            random.choice([at for at, each in enumerate(classes) if each == place]),
            tuple(facts[name].get("can", ())) if name in facts else None,
        )
        for name, place in things
    ]


def _legal_places() -> list[tuple[str, str]]:
    """Receptacles and what they can hold, as pairs of classes."""
    return [(place, thing) for thing, facts in _tables()["things"].items() for place in facts["in"]]


def generated_path(name: str) -> Path:
    """The file of one of the named games, which is made if need be; they may be loaded as the known ones are.

    Args:
        name: ``<type>/<number>``; the number is the seed.

    Raises:
        MnemocraftError: There is no such game, or another version of ``alfworld`` makes another one.
        MissingExtra: The package ``alfworld`` is not installed.
    """
    known = known_games()["generated"]
    if name not in known:
        raise MnemocraftError(
            f"There is no generated game {name!r}; they are <type>/0 to "
            f"<type>/{len(known) // len(TYPES) - 1}, of the types {', '.join(TYPES)}."
        )
    path = output_root() / "build" / "alfworld" / f"{name}.tw-pddl"
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != known[name]:
        kind, _, number = name.partition("/")
        data = generate(kind, int(number)).encode()
        if hashlib.sha256(data).hexdigest() != known[name]:
            raise MnemocraftError(
                f"The generated game {name} is not the listed one: it takes alfworld {VERSION}, {HOW}."
            )
        replace_file(path, data)
    return path
