"""Where everything in a kitchen is, read off the facts that are true: what a picture of it shows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mnemocraft.envs.kitchen.engine import GroundEffect, Progress
from mnemocraft.envs.kitchen.environment import kind_of

if TYPE_CHECKING:
    from mnemocraft.envs.kitchen.env import KitchenEnv

HELD = ("has_item", "has_container")
"""The predicates of what a player holds."""


class Timer(NamedTuple):
    """How far something is that goes on with a thing: the part done, and whether it goes on just now."""

    done: float
    going: bool


@dataclass(frozen=True)
class Thing:
    """An item or container.

    Attributes:
        name: Kind and number, e.g. ``lettuce1``.
        marks: What has been done to it (``cut``, ``fried``) or is going on (``cooking``); of a container:
            with what is in it.
        timer: Of cooking, frying, filling, boiling or cutting that is not over; observations leave it out.
        meals: Names of the meals (waters) inside a container.
        added: What was added to them.
    """

    name: str
    marks: tuple[str, ...] = ()
    timer: Timer | None = None
    meals: tuple[str, ...] = ()
    added: tuple[Thing, ...] = ()

    @property
    def kind(self) -> str:
        """Its name without the number."""
        return kind_of(self.name)


@dataclass(frozen=True)
class Placement:
    """What is where.

    Attributes:
        stacks: What stands on each station, bottom up.
        at: Station of each player.
        held: What each player holds, if anything.
    """

    stacks: dict[str, tuple[Thing, ...]]
    at: dict[str, str]
    held: dict[str, Thing]


def placement(env: KitchenEnv) -> Placement:
    """Read a kitchen's present state."""
    facts = _Facts(env.state, timers(env))
    stations = [name for name, kind in env.objects if kind == "station"]
    held = [pair for predicate in HELD for pair in facts.of[predicate]]
    return Placement(
        {name: facts.stack(name) for name in stations},
        {fact[0]: fact[1] for fact in facts.of["loc"]},
        {player: facts.thing(thing) for player, thing in held},
    )


def timers(env: KitchenEnv) -> dict[str, Timer]:
    """Timers by thing (of a meal: its container); the furthest if there are several."""
    state, engine = env.snapshot, env.scene.engine
    found: dict[str, Timer] = {}
    for effect, progress in state.running:
        needed = engine.true_atoms(effect.pos)  # the thing and its station, or nothing
        thing = needed[0][1] if needed else effect.binding.get(effect.effect.param, "")
        timer = Timer(_done(effect, progress), state.facts & effect.pos == effect.pos)
        if timer.done:
            found[thing] = max(timer, found.get(thing, timer))
    return found


def _done(effect: GroundEffect, progress: Progress) -> float:
    """The part done of an effect, or of the first effect inside it that takes time."""
    if progress is None:
        return 0.0
    if effect.kind in ("delayed", "repetitive"):
        return progress[0] / effect.goal
    return max((_done(*inner) for inner in zip(effect.then, progress[1], strict=True)), default=0.0)


class _Facts:
    """True facts by predicate, and what they say about a thing or a station."""

    def __init__(self, state: Iterable[str], timers: Mapping[str, Timer]) -> None:
        self.timers = timers
        self.of: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
        for fact in sorted(state):
            predicate, _, arguments = fact.rstrip(")").partition("(")
            self.of[predicate].append(tuple(arguments.split(",")))

    def marks(self, name: str) -> list[str]:
        """What is true of a thing beyond its kind and what could be done with it."""
        own = [p[2:] for p, facts in self.of.items() if p.startswith("is") and (name,) in facts]
        return [mark for mark in own if mark != kind_of(name) and "able" not in mark]

    def thing(self, name: str) -> Thing:
        """A thing with everything in it."""
        meals = tuple(meal for meal, container in self.of["in"] if container == name)
        added = tuple(self.thing(item) for item, meal in self.of["addedto"] if meal in meals)
        marks = [*self.marks(name), *(mark for meal in meals for mark in self.marks(meal))]
        return Thing(name, tuple(dict.fromkeys(marks)), self.timers.get(name), meals, added)

    def stack(self, station: str) -> tuple[Thing, ...]:
        """What stands on a station, bottom up."""
        above = {lower: upper for upper, lower in self.of["atop"]}
        pile = [item for item, at in self.of["item_on"] if at == station]
        while pile and pile[-1] in above:
            pile.append(above[pile[-1]])
        pile += [container for container, at in self.of["container_at"] if at == station]
        return tuple(map(self.thing, pile))
