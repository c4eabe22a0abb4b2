"""What the surrogate believes about a household, and what makes it change its mind.

A belief is a true sentence, known with probability ``knowledge``, drawn once for a seed and a task; what is
believed instead is described beside it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from mnemocraft.surrogate.chance import chance
from mnemocraft.surrogate.minds import beliefs

OPENS = "what is closed has to be opened"
"""Unknown: a closed receptacle is passed by, or things are put into it as it is."""
FIRST = "it has to be {state} before it is put down"
"""Unknown: it is put down as it is."""
TOOLS = {"clean": "sinkbasin", "hot": "microwave", "cool": "fridge"}
"""What makes a thing so."""
MISTAKEN = {"clean": "countertop", "hot": "stoveburner", "cool": "sinkbasin"}
"""What is believed to do so instead."""
TOOL = "what makes a thing {state} is a {tool}"
BOTH = "two are two different things in the same place"
"""Unknown: one is enough."""
LAMP = "to look at a thing under a lamp is to hold it and to switch the lamp on"
"""Unknown: the thing is examined as it is."""
USUAL = "where a {thing} is usually kept"
"""Unknown: receptacles are searched in any order."""
DOORS = ("cabinet", "drawer", "fridge", "microwave", "safe")
"""Kinds of receptacles that are usually closed."""
_CLOSED_COST = 2.0
"""Steps to see into a receptacle that is closed, where one that is not takes one."""
_NEXT = 0.6
"""How much less likely each place of the list is than the one before."""
_ELSEWHERE = 1e-3


@dataclass(frozen=True)
class Wanted:
    """A task.

    Attributes:
        thing: Kind of the object.
        target: Kind of the receptacle, or of the lamp.
        state: ``clean``, ``hot`` or ``cool``; empty for none.
        count: Objects asked for.
        lamp: Whether it is to be looked at under a lamp.
    """

    thing: str
    target: str
    state: str = ""
    count: int = 1
    lamp: bool = False


_STATE = {"clean": "clean", "heat": "hot", "hot": "hot", "cool": "cool"}
_TASKS = (
    (re.compile(r"(?:look at|examine)(?: the)? (?P<thing>\w+) (?:under|with) the (?P<target>\w+)"), "lamp"),
    (re.compile(r"(?:put|find) two (?P<thing>\w+)(?: and put them)? (?:in|on) (?P<target>\w+)"), "two"),
    (re.compile(r"put an? (?P<how>clean|hot|cool) (?P<thing>\w+) (?:in|on) (?P<target>\w+)"), ""),
    (re.compile(r"(?P<how>clean|heat|cool) some (?P<thing>\w+) and put it (?:in|on) (?P<target>\w+)"), ""),
    (re.compile(r"put (?:some|an?) (?P<thing>\w+) (?:in|on) (?P<target>\w+)"), ""),
)  # fmt: skip


def wanted(task: str) -> Wanted | None:
    """What a task asks for; None if it is in other words."""
    for pattern, kind in _TASKS:
        if found := pattern.search(task):
            parts = found.groupdict()
            state = _STATE.get(parts.get("how") or "", "")
            return Wanted(parts["thing"], parts["target"], state, 2 if kind == "two" else 1, kind == "lamp")
    return None


@cache
def _places() -> dict[str, list[str]]:
    return tomllib.loads((files(__package__) / "places.toml").read_text(encoding="utf-8"))


class Beliefs(beliefs.Beliefs):
    """Those of a reader about a household, for one call."""

    world = "household"

    def tool(self, state: str) -> str:
        """The kind of receptacle that makes a thing clean, hot or cool."""
        right = self.knows(TOOL.format(state=state, tool=TOOLS[state]))
        return TOOLS[state] if right else MISTAKEN[state]

    def search(self, thing: str, receptacles: Sequence[str]) -> list[str]:
        """Receptacles in the order in which it would look into them for a thing.

        Who knows where it is kept weighs likelihood by steps; an unlikely place that is open is looked at
        before one that is closed.
        """
        if not self.knows(USUAL.format(thing=thing)):
            return sorted(receptacles, key=lambda r: chance("anywhere", self.who.seed, self.task, r))
        usual = _places().get(thing, _places()[""])
        kinds = [kind_of(receptacle) for receptacle in receptacles]

        def gain(place: str) -> float:
            kind = kind_of(place)
            likely = _NEXT ** usual.index(kind) if kind in usual else _ELSEWHERE
            return likely / kinds.count(kind) ** 0.5 / (_CLOSED_COST if kind in DOORS else 1.0)

        return sorted(receptacles, key=gain, reverse=True)

    def wrong(self, task: Wanted) -> list[str]:
        """Its wrong beliefs about how a task is done."""
        about = (
            [FIRST.format(state=task.state), TOOL.format(state=task.state, tool=TOOLS[task.state])]
            if task.state
            else []
        )
        about += [BOTH] * (task.count > 1) + [LAMP] * task.lamp + [OPENS]
        return [belief for belief in about if not self.knows(belief)]


def kind_of(name: str) -> str:
    """``mug`` of ``mug 1``."""
    return name.partition(" ")[0]
