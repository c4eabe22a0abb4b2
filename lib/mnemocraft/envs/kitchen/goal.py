"""Goals: literals over kinds of objects, met by some choice of objects (never by listing all choices)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from mnemocraft.envs.kitchen.engine import KitchenEngine, bits

Variable = tuple[str, str]
"""A kind and an id of it: ``("bread", "4")``."""


class GoalLiteral(NamedTuple):
    """One line of a goal; an id of digits stands for any object of its kind, others for a certain object."""

    predicate: str
    kinds: tuple[str, ...]
    ids: tuple[str, ...]


@dataclass(frozen=True)
class GoalSpec:
    """A goal with the objects it may be about.

    Attributes:
        literals: Predicate and, for each argument, a variable or the name of an object.
        candidates: Names of the objects that each variable can stand for.
        too_few: Kinds that have fewer objects than the goal has ids for them: it can never hold.
        invented: Kinds without an object at the start, and for how many ids names were invented.
    """

    literals: tuple[tuple[str, tuple[Variable | str, ...]], ...]
    candidates: dict[Variable, tuple[str, ...]]
    too_few: tuple[str, ...]
    invented: dict[str, int]


def goal_spec(
    goal: tuple[GoalLiteral, ...], names: dict[str, tuple[str, ...]], named: Callable[[str, str], str]
) -> GoalSpec:
    """Read a goal for the objects at hand, by Robotouille's rules.

    A kind without any object at the start gets invented names (so ``water1`` is the only water that counts).
    An id used with two kinds belongs to the kind that the goal mentions first.

    Args:
        goal: The goal's lines.
        names: For each kind in the goal the objects at the start whose name contains it.
        named: Name of the object that has an id of its own, from a kind (or type) and this id.
    """
    used: dict[str, list[str]] = {}
    for literal in goal:
        for kind, number in zip(literal.kinds, literal.ids, strict=True):
            if number.isdigit() and number not in used.setdefault(kind, []):
                used[kind].append(number)
    owner = {number: kind for kind in reversed(used) for number in used[kind]}
    found = {k: names[k] or tuple(f"{k}{i + 1}" for i in range(len(numbers))) for k, numbers in used.items()}

    def args(literal: GoalLiteral) -> tuple[Variable | str, ...]:
        pairs = zip(literal.kinds, literal.ids, strict=True)
        return tuple((owner[i], i) if i.isdigit() else named(kind, i) for kind, i in pairs)

    return GoalSpec(
        tuple((literal.predicate, args(literal)) for literal in goal),
        {(kind, number): found[kind] for number, kind in owner.items()},
        tuple(kind for kind, numbers in used.items() if len(found[kind]) < len(numbers)),
        {kind: len(numbers) for kind, numbers in used.items() if not names[kind]},
    )


class KitchenGoal:
    """Tells whether a state meets a goal, by backtracking over the true atoms that its literals allow.

    Attributes:
        spec: The goal.
        masks: For each literal the bits of all atoms that could meet it.
    """

    def __init__(self, spec: GoalSpec, engine: KitchenEngine) -> None:
        self.spec = spec
        self._terms = [self._options(engine, *literal) for literal in spec.literals]
        self.masks = [sum(options) for options in self._terms]

    def _options(
        self, engine: KitchenEngine, predicate: str, args: tuple[Variable | str, ...]
    ) -> dict[int, tuple[tuple[Variable, str], ...]]:
        """For each atom that could meet this literal what it means for the variables."""
        options = {}
        for names in product(*(self.spec.candidates[a] if isinstance(a, tuple) else (a,) for a in args)):
            choice = tuple((a, name) for a, name in zip(args, names, strict=True) if isinstance(a, tuple))
            if _compatible({}, choice):
                options[engine.bit((predicate, *names))] = choice
        return options

    def holds(self, facts: int) -> bool:
        """Whether some choice of objects makes all literals true."""
        if self.spec.too_few:
            return False
        true = [facts & mask for mask in self.masks]
        if not all(true):
            return False
        order = sorted(range(len(true)), key=lambda i: true[i].bit_count())
        return self._match(order, true, {})

    def pair_holds(self, i: int, j: int, together: dict[int, int]) -> bool:
        """Whether some choice of objects makes two of the literals atoms that can be true together."""
        first, second = self._terms[i], self._terms[j]
        return any(
            _compatible(dict(first[a]), second[b])
            for a in bits(self.masks[i])
            for b in bits(self.masks[j] & together.get(a, 0))
        )

    def _match(self, order: list[int], true: list[int], chosen: dict[Variable, str]) -> bool:
        if not order:
            return True
        options = self._terms[order[0]]
        for bit in bits(true[order[0]]):
            choice = options[bit]
            if _compatible(chosen, choice) and self._match(order[1:], true, chosen | dict(choice)):
                return True
        return False


def _compatible(chosen: dict[Variable, str], choice: tuple[tuple[Variable, str], ...]) -> bool:
    """Whether a choice agrees with what was chosen: one object per variable, different ones within a kind."""
    known = dict(chosen)
    for variable, name in choice:
        if known.setdefault(variable, name) != name:
            return False
        if any(n == name and v != variable and v[0] == variable[0] for v, n in known.items()):
            return False
    return True
