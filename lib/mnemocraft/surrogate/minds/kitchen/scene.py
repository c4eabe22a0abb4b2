"""How the surrogate reads a kitchen: the lines of an observation, and a scene built from them.

It reads what a model would read and nothing else. Lines that say the same thing from the other end
("table1 has bread1") are skipped.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

KINDS = {
    "a table": "table",
    "a stove": "stove",
    "a cutting board": "board",
    "a fryer": "fryer",
    "a sink": "sink",
    "a robot": "robot",
    "a top bun": "topbun",
    "a bottom bun": "bottombun",
    "a bread slice": "bread",
    "a head of lettuce": "lettuce",
    "an onion": "onion",
    "a tomato": "tomato",
    "a hamburger patty": "patty",
    "a chicken breast": "chicken",
    "a cheese slice": "cheese",
    "a potato": "potato",
    "a pot": "pot",
    "a bowl": "bowl",
    "water": "water",
}
STATIONS = frozenset({"table", "stove", "board", "fryer", "sink"})
CONTAINERS = frozenset({"pot", "bowl"})
STATES = {
    "is cut": "cut",
    "is cooked": "cooked",
    "is cooking": "cooking",
    "is fried": "fried",
    "is boiling": "boiling",
    "can be cut on a cutting board": "cuttable",
    "can be cooked on a stove": "cookable",
    "can be fried in a fryer": "fryable",
    "can be fried in a fryer after being cut": "fryable once cut",
}
_RELATION = re.compile(r"(\w+) is (directly on top of|at|holding|inside of|added to) (\w+)")

Fact = tuple[str, str, str]
"""What is said, and of which two things; the second is a kind or state where only one thing is meant."""


@lru_cache(maxsize=1 << 15)
def read_line(line: str) -> Fact | None:
    """The fact in one line of an observation, or None when it says nothing new."""
    name, _, rest = line.partition(" ")
    if rest in STATES:
        return "state", name, STATES[rest]
    if rest.startswith("is ") and rest[3:] in KINDS:
        return "kind", name, KINDS[rest[3:]]
    relation = _RELATION.fullmatch(line)
    return (relation[2], relation[1], relation[3]) if relation else None


@dataclass
class SeenKitchen:
    """A kitchen as read or imagined.

    Attributes:
        kinds: Kind of everything by name, in reading order.
        states: What is said of a thing: cut, cooking, can be fried, ...
        stacks: Items at each station, bottom first.
        standing: Container on a station.
        places: Station at which an item or container is.
        inside: Meals in a container.
        added: Items added to a meal.
        robot, at, held: Who acts, where, and what it holds (None: nothing).
        clocks: How long something imagined has been going on; an observation does not tell.
    """

    kinds: dict[str, str]
    states: dict[str, frozenset[str]]
    stacks: dict[str, tuple[str, ...]]
    standing: dict[str, str]
    places: dict[str, str]
    inside: dict[str, tuple[str, ...]]
    added: dict[str, tuple[str, ...]]
    robot: str
    at: str
    held: str | None
    clocks: dict[tuple[str, str], int] = field(default_factory=dict)

    def copy(self) -> "SeenKitchen":
        """A scene of its own to imagine with."""
        return SeenKitchen(
            dict(self.kinds), dict(self.states), dict(self.stacks), dict(self.standing), dict(self.places),
            dict(self.inside), dict(self.added), self.robot, self.at, self.held, dict(self.clocks),
        )  # fmt: skip

    def without(self, thing: str) -> "SeenKitchen":
        """The scene to someone who overlooks a thing: what lies on it seems to lie on what is under it."""
        scene = self.copy()
        place = scene.places.pop(thing)
        scene.stacks[place] = tuple(item for item in scene.stacks[place] if item != thing)
        if scene.standing.get(place) == thing:
            del scene.standing[place]
        return scene

    def has(self, thing: str, state: str) -> bool:
        """Whether a state is said of a thing."""
        return state in self.states.get(thing, frozenset())

    def stations(self, *kinds: str) -> list[str]:
        """Stations (of some kinds) in reading order."""
        return [s for s in self.stacks if not kinds or self.kinds[s] in kinds]

    def free(self, station: str) -> bool:
        """Whether nothing lies or stands there."""
        return not self.stacks[station] and station not in self.standing

    def alone(self, thing: str) -> bool:
        """Whether a thing is all there is on its station."""
        place = self.places.get(thing)
        return place is not None and (self.stacks[place] == (thing,) or self.standing.get(place) == thing)

    def above(self, thing: str) -> tuple[str, ...]:
        """What lies on a thing, bottom first."""
        stack = self.stacks.get(self.places.get(thing, ""), ())
        return stack[stack.index(thing) + 1 :] if thing in stack else ()

    def water(self, container: str) -> str | None:
        """The meal in a container."""
        return next(iter(self.inside.get(container, ())), None)


@lru_cache(maxsize=256)
def read_scene(observation: str) -> SeenKitchen | None:
    """The scene in the object blocks of an observation; None without a robot at a station.

    What has no kind is passed over. The scene is shared between calls: copy it before changing it.
    """
    said = [fact for fact in map(read_line, observation.split("\n")) if fact]
    kinds = {a: b for what, a, b in said if what == "kind" and a}
    facts = [f for f in said if f[1] in kinds and (f[0] in ("kind", "state") or f[2] in kinds)]
    states = {
        name: frozenset(s) for name, s in _many((a, b) for what, a, b in facts if what == "state").items()
    }
    at = _pairs(facts, "at")
    robot = next((name for name, kind in kinds.items() if kind == "robot"), "")
    if kinds.get(at.get(robot, "")) not in STATIONS:
        return None
    held = _pairs(facts, "holding").get(robot)
    stacks = _stacks(kinds, _pairs(facts, "directly on top of"))
    standing = {at[c]: c for c, kind in kinds.items() if kind in CONTAINERS and at.get(c) in stacks}
    places = {item: station for station, stack in stacks.items() for item in stack}
    places |= {container: station for station, container in standing.items()}
    inside = _many((container, meal) for what, meal, container in facts if what == "inside of")
    added = _many((meal, item) for what, item, meal in facts if what == "added to")
    return SeenKitchen(
        kinds, states, stacks, standing, places, inside, added,
        robot, at[robot], held,
    )  # fmt: skip


def _pairs(facts: Iterable[Fact], what: str) -> dict[str, str]:
    return {a: b for said, a, b in facts if said == what}


def _stacks(kinds: dict[str, str], below: dict[str, str]) -> dict[str, tuple[str, ...]]:
    above = {under: item for item, under in below.items()}
    stacks = {}
    for station in (name for name, kind in kinds.items() if kind in STATIONS):
        stack: list[str] = []
        item = above.get(station)
        while item is not None and item not in stack:
            stack.append(item)
            item = above.get(item)
        stacks[station] = tuple(stack)
    return stacks


def _many(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    gathered: dict[str, tuple[str, ...]] = {}
    for key, value in pairs:
        gathered[key] = (*gathered.get(key, ()), value)
    return gathered
