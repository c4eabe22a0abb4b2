"""A kitchen in a compact form to plan in: stations, items and containers are numbers.

It holds for the benchmark's domain, with one robot and at most one pot and one bowl. The rules, with the odd
timing of effects that go on by themselves, are those of ``KitchenEngine.step``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import TYPE_CHECKING, NamedTuple

from mnemocraft.envs.kitchen.domain import REPEATS, TICKS, kitchen_domain
from mnemocraft.envs.kitchen.engine import Atom, GroundEffect, KitchenEngine, Progress
from mnemocraft.envs.kitchen.environment import kind_of
from mnemocraft.envs.kitchen.goal import GoalSpec

if TYPE_CHECKING:
    from mnemocraft.envs.kitchen.env import KitchenEnv

CUT, COOKED, FRIED, FRYABLE = 1, 2, 4, 8
"""Marks of an item, added up."""
NOTHING = -1
"""In the hand."""
NONE, IN_POT, IN_BOWL = 0, 1, 2
"""Where the water is."""


class Unplannable(Exception):
    """The kitchen or its goal has a shape that the planner does not know, or the goal is out of reach."""


class Going(NamedTuple):
    """An effect going on.

    Attributes:
        work: ``cook``, ``fry``, ``fill``, ``boil``, ``cut``, or ``watch``: for a cut to make it fryable.
        thing: The item, or the pot.
        station: Where it goes on (cook, fry, fill, boil), otherwise -1.
        amount: Ticks or cuts so far.
    """

    work: str
    thing: int
    station: int
    amount: int


class State(NamedTuple):
    """A moment.

    Attributes:
        robot: Station it is at.
        hand: Item or container it holds, or ``NOTHING``.
        stacks: For each station what is on it, bottom first.
        marks: Marks of each item.
        going: Effects going on, oldest first.
        water: Where water1 is.
        boiling: Whether it boils.
        added: Items in it.
    """

    robot: int
    hand: int
    stacks: tuple[tuple[int, ...], ...]
    marks: tuple[int, ...]
    going: tuple[Going, ...]
    water: int
    boiling: bool
    added: frozenset[int]


@dataclass(frozen=True)
class Compact:
    """What never changes in a kitchen.

    Attributes:
        robot: The robot's name.
        stations, kinds: Name and kind of each station.
        things: Names: the items, then the pot and the bowl if there are any.
        items: Number of items.
        pot, bowl: Their numbers among the things, -2 if there is none.
        flags: For each item what is true of it alone.
        goal: What is wanted.
        start: The state read.
    """

    robot: str
    stations: tuple[str, ...]
    kinds: tuple[str, ...]
    things: tuple[str, ...]
    items: int
    pot: int
    bowl: int
    flags: tuple[frozenset[str], ...]
    goal: GoalSpec
    start: State

    def fries_when_cut(self, item: int) -> bool:
        """Whether it can be fried only after being cut."""
        return "isfryableifcut" in self.flags[item]


def put(values: tuple, index: int, value: object) -> tuple:
    """The tuple with one entry replaced."""
    return (*values[:index], value, *values[index + 1 :])


def busy(going: Iterable[Going], thing: int, station: int) -> Going | None:
    """What goes on with a thing at a station, if anything."""
    return next((g for g in going if g.thing == thing and g.station == station), None)


def cuts(going: Iterable[Going], item: int) -> int:
    """How often an item that is not cut yet was cut at."""
    return next((g.amount for g in going if g.thing == item and g.work == "cut"), 0)


# --- time -----------------------------------------------------------------------------------------


def elapse(kitchen: Compact, state: State) -> State:
    """The state after the passive updates of one step."""
    if not state.going:
        return state
    robot, hand, stacks, marks, going, water, boiling, added = state
    rest: list[Going] = []
    skip = False
    for effect in going:
        work, thing, station, amount = effect
        if skip:  # the engine passes over the effect right after a complete one
            rest.append(effect)
            skip = False
            continue
        if work == "cut":
            skip = amount >= REPEATS
        elif work == "watch":
            skip = kitchen.fries_when_cut(thing) and bool(marks[thing] & CUT)
            fryable = marks[thing] | FRYABLE if skip else marks[thing] & ~FRYABLE
            marks = marks if fryable == marks[thing] else put(marks, thing, fryable)
        elif stacks[station][:1] == (thing,):
            skip = amount + 1 >= TICKS
            effect = effect._replace(amount=amount + 1)
            if skip and work in _MARKS:
                marks = put(marks, thing, marks[thing] | _MARKS[work])
            elif skip:
                water, boiling = (IN_POT, boiling) if work == "fill" else (water, True)
        if not skip:
            rest.append(effect)
    return State(robot, hand, stacks, marks, _without_idle(kitchen.flags, rest), water, boiling, added)


_MARKS = {"cook": COOKED, "fry": FRIED}


def _without_idle(flags: Sequence[frozenset[str]], going: Iterable[Going]) -> tuple[Going, ...]:
    """Leave out watches that stay for ever and have no effect before them, which they could shield."""
    return tuple(dropwhile(lambda g: g.work == "watch" and "isfryableifcut" not in flags[g.thing], going))


# --- reading --------------------------------------------------------------------------------------


def read(env: KitchenEnv) -> Compact:
    """The kitchen of an environment, as it stands.

    Raises:
        Unplannable: It has rules of its own, several robots, pots or bowls, or a container among items.
    """
    engine = env.scene.engine
    if engine.domain != kitchen_domain():
        raise Unplannable
    atoms = engine.true_atoms(env.snapshot.facts)
    stations, items, robots, containers = (
        tuple(name for name, of_type in env.objects if of_type == wanted)
        for wanted in ("station", "item", "player", "container")
    )
    kinds = [kind_of(name) for name in containers]
    if len(robots) != 1 or len(set(kinds)) < len(kinds):
        raise Unplannable
    things = (*items, *containers)
    number = {name: i for i, name in enumerate(things)} | {name: i for i, name in enumerate(stations)}
    flags = tuple(frozenset(a[0] for a in atoms if a[1:] == (name,)) for name in items)
    going = [_going(engine, number, *effect) for effect in env.snapshot.running]
    water, boiling, added = _soup(env, atoms)
    hand = next((number[a[2]] for a in atoms if a[0] in ("has_item", "has_container")), NOTHING)
    start = State(
        robot=next(number[a[2]] for a in atoms if a[0] == "loc"),
        hand=hand,
        stacks=_stacks(atoms, stations, number),
        marks=tuple(sum(mark for name, mark in _FLAGS.items() if name in own) for own in flags),
        going=_without_idle(flags, going),
        water=water,
        boiling=boiling,
        added=frozenset(number[name] for name in added),
    )
    pot, bowl = (len(items) + kinds.index(k) if k in kinds else -2 for k in ("pot", "bowl"))
    return Compact(
        robot=robots[0],
        stations=stations,
        kinds=tuple(kind_of(name) for name in stations),
        things=things,
        items=len(items),
        pot=pot,
        bowl=bowl,
        flags=flags,
        goal=env.scene.goal.spec,
        start=start,
    )


_FLAGS = {"iscut": CUT, "iscooked": COOKED, "isfried": FRIED, "isfryable": FRYABLE}


def _stacks(
    atoms: list[Atom], stations: Sequence[str], number: dict[str, int]
) -> tuple[tuple[int, ...], ...]:
    above = {a[2]: a[1] for a in atoms if a[0] == "atop"}
    bottoms = [(a[2], a[1]) for a in atoms if a[0] in ("item_on", "container_at")]
    if len(dict(bottoms)) < len(bottoms):
        raise Unplannable
    stacks = {}
    for station, name in bottoms:
        stacks[station] = [number[name]]
        while name in above:
            name = above[name]
            stacks[station].append(number[name])
    return tuple(tuple(stacks.get(name, ())) for name in stations)


def _soup(env: KitchenEnv, atoms: list[Atom]) -> tuple[int, bool, list[str]]:
    """Where water1 is, whether it boils and what was added to it; other waters make soup impossible."""
    places = {a[1]: kind_of(a[2]) for a in atoms if a[0] == "in"}
    water = {None: NONE, "pot": IN_POT, "bowl": IN_BOWL}[places.get("water1")]
    waters = {name for name, of_type in env.objects if of_type == "meal"}
    if water != IN_BOWL and waters - {"water1"}:
        raise Unplannable
    added = [a[1] for a in atoms if a[0] == "addedto" and a[2] == "water1"]
    return water, ("isboiling", "water1") in atoms, added


def _going(engine: KitchenEngine, number: dict[str, int], effect: GroundEffect, progress: Progress) -> Going:
    """A running effect of the engine in our terms."""
    made = engine.true_atoms(effect.make)
    if effect.kind == "repetitive":
        return Going("cut", number[made[0][1]], -1, progress[0] if progress else REPEATS)
    if not effect.then:
        return Going("watch", number[made[0][1]], -1, 0)
    (_, thing, station), *_ = engine.true_atoms(effect.pos)
    inner = effect.then[0]
    ends = {atom[0] for atom in engine.true_atoms(inner.make)}
    work = next((w for end, w in _WORK.items() if end in ends), "fill")
    inside = progress[1][0] if progress else None
    return Going(work, number[thing], number[station], inside[0] if inside else TICKS)


_WORK = {"iscooked": "cook", "isfried": "fry", "isboiling": "boil"}
