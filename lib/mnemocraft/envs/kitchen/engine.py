"""The engine: states as bit masks, actions grounded when first met, effects that go on by themselves.

It knows nothing of kitchens: everything comes from the :class:`~mnemocraft.envs.kitchen.domain.Domain`. A
step is that of Robotouille (Gonzalez-Pumariega et al., 2025), quirks included: see ``KitchenEngine.step``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product
from math import prod
from operator import attrgetter
from threading import Lock
from typing import Any, NamedTuple

from mnemocraft.envs.kitchen.domain import REPEATS, TICKS, Action, Domain, Effect, Literal

Object = tuple[str, str]
"""Name and type: ``("table1", "station")``."""
Atom = tuple[str, ...]
"""A predicate about objects: ``("item_on", "bread1", "table1")``."""
Progress = tuple[int, tuple[Any, ...]] | None
"""How far an effect is: its count and the progress of the effects inside it; None when complete."""
_Bucket = dict[int, list["GroundAction"]]


class GroundEffect:
    """An effect on objects. The engine makes one per key, so that being the same object is being equal."""

    __slots__ = ("binding", "effect", "goal", "kind", "make", "neg", "pos", "start", "then", "unmake")

    def __init__(
        self, effect: Effect, binding: dict[str, str], masks: list[int], then: tuple[GroundEffect, ...]
    ):
        self.effect, self.kind, self.binding, self.then = effect, effect.type, binding, then
        self.pos, self.neg, self.make, self.unmake = masks
        self.goal = REPEATS if effect.type == "repetitive" else TICKS
        self.start: Progress = (0, tuple(inner.start for inner in then))


class GroundAction:
    """An action on objects.

    Attributes:
        name: Name of the action in the domain.
        binding: Object of each of its parameters.
        text: The English sentence.
    """

    __slots__ = ("binding", "make", "name", "neg", "order", "pos", "starts", "text", "unmake")

    def __init__(
        self, action: Action, binding: dict[str, str], order: tuple[int, ...], masks: list[int]
    ) -> None:
        self.name, self.binding, self.order = action.name, binding, order
        self.text = action.says
        for param, name in binding.items():
            self.text = self.text.replace(f"{{{param}}}", name)
        self.pos, self.neg, self.make, self.unmake = masks
        self.starts: list[GroundEffect] = []


class State(NamedTuple):
    """A moment: hashable and never changed; comparable with the states of the same engine.

    Attributes:
        facts: What is true, one bit per atom.
        running: Effects going on, oldest first, each with its progress. No predicate shows them.
        created: Names of the objects created so far, oldest first.
    """

    facts: int
    running: tuple[tuple[GroundEffect, Progress], ...] = ()
    created: tuple[str, ...] = ()


class KitchenEngine:
    """What can happen to these objects.

    Args:
        domain: Predicates and actions.
        objects: Objects at the start, in their order.
        start: Atoms true at the start.
    """

    def __init__(self, domain: Domain, objects: Iterable[Object], start: Iterable[Atom]) -> None:
        self.domain, self.start_objects = domain, tuple(objects)
        self.lock = Lock()
        self.atoms: dict[int, Atom] = {}
        self._bits: dict[Atom, int] = {}
        self._names: dict[int, str] = {}
        self._named: tuple[int, frozenset[str]] = (0, frozenset())
        made = [effect.creates for action in domain.actions for effect in action.effects() if effect.creates]
        self.creatable = {kind: of_type for kind, of_type, _ in made}
        self._first_mask = self._second_mask = 0
        self._buckets: dict[tuple[tuple[str, ...], int], tuple[_Bucket, list[int]]] = {}
        self._effects: dict[tuple[Any, ...], GroundEffect] = {}
        self._changing = domain.changing
        self._watched = [self._watch(action) for action in domain.actions]
        self.start_atoms = frozenset(start)
        self.initial = State(sum(self.bit(atom) for atom in sorted(self.start_atoms)))

    def bit(self, atom: Atom) -> int:
        """The bit that stands for an atom."""
        bit = self._bits.get(atom)
        if bit is not None:
            return bit
        with self.lock:  # environments in several threads may share an engine
            if atom not in self._bits:
                self._add(atom, 1 << len(self._bits))
            return self._bits[atom]

    def _add(self, atom: Atom, bit: int) -> None:
        self.atoms[bit] = atom
        self._names[bit] = f"{atom[0]}({','.join(atom[1:])})"
        if any(watch and watch[0].predicate == atom[0] for watch in self._watched):
            self._first_mask |= bit
        if any(len(watch) > 1 and watch[1].predicate == atom[0] for watch in self._watched):
            self._second_mask |= bit
        self._bits[atom] = bit

    def true_atoms(self, facts: int) -> list[Atom]:
        """The atoms of a bit mask."""
        return [self.atoms[bit] for bit in bits(facts)]

    def names(self, facts: int) -> frozenset[str]:
        """The atoms of a bit mask as texts: ``item_on(bread1,table1)``."""
        known, names = self._named  # the last answer: masks asked for one after another differ little
        gone, new = (map(self._names.__getitem__, bits(m)) for m in (known & ~facts, facts & ~known))
        names = names.difference(gone).union(new)
        self._named = facts, names
        return names

    def objects(self, created: tuple[str, ...]) -> tuple[Object, ...]:
        """All objects when these were created."""
        return self.start_objects + tuple((n, self.creatable[n.rstrip("0123456789")]) for n in created)

    # --- actions ----------------------------------------------------------------------------------

    def actions(self, state: State) -> list[GroundAction]:
        """The valid actions, in the order of the domain, then of their objects.

        Every grounding is filed under two atoms that it needs (its station and what makes it rarest), so that
        only few have to be looked at, and is made when these two atoms are first true together.
        """
        found = [a for a in self.supported(state.facts, state.created) if not state.facts & a.neg]
        found.sort(key=attrgetter("order"))
        return found

    def supported(self, facts: int, created: tuple[str, ...]) -> list[GroundAction]:
        """The groundings of which all that must be true is true, in no order."""
        found = [a for a in self._bucket(created, 0)[0][0] if facts & a.pos == a.pos]
        for first in bits(facts & self._first_mask):
            bucket, barren = self._bucket(created, first)
            for second in (0, *bits(facts & self._second_mask & ~barren[0])):
                group = bucket.get(second)
                if group is None:
                    group = bucket[second] = self._ground(created, first, second)
                    barren[0] |= 0 if group else second
                for action in group:
                    if facts & action.pos == action.pos:
                        found.append(action)
        return found

    def _bucket(self, created: tuple[str, ...], first: int) -> tuple[_Bucket, list[int]]:
        """Groundings under the atom ``first`` (0: none) by second atom, and the atoms that lead to none."""
        bucket = self._buckets.get((created, first))
        if bucket is None:
            bucket = self._buckets[created, first] = ({0: self._ground(created, first, 0)}, [0])
        return bucket

    def _watch(self, action: Action) -> tuple[Literal, ...]:
        """Up to two needs to file an action under: the commonest predicate, and the rarest true."""
        needs = [need for need in action.needs if need.holds and need.predicate in self._changing]
        if not needs:
            return ()
        uses = Counter(need.predicate for a in self.domain.actions for need in a.needs)
        sizes = Counter(kind for _, kind in self.start_objects)
        first = max(needs, key=lambda need: uses[need.predicate])
        needs.remove(first)
        types = {need: self.domain.predicates[need.predicate].types for need in needs}
        return (first, *sorted(needs, key=lambda need: -prod(sizes[t] + 1 for t in types[need]))[:1])

    def _ground(self, created: tuple[str, ...], first: int, second: int) -> list[GroundAction]:
        """All groundings filed under these two atoms (0: none)."""
        under = [self.atoms[bit] for bit in (first, second) if bit]
        made: list[GroundAction] = []
        for index, (action, watch) in enumerate(zip(self.domain.actions, self._watched, strict=True)):
            if [w.predicate for w in watch] == [atom[0] for atom in under]:
                params = [param for w in watch for param in w.args]
                names = [name for atom in under for name in atom[1:]]
                pairs = list(zip(params, names, strict=True))
                made += self._ground_action(index, action, pairs, self.objects(created))
        return made

    def _ground_action(
        self, index: int, action: Action, pairs: list[tuple[str, str]], objects: tuple[Object, ...]
    ) -> Iterator[GroundAction]:
        fixed = dict(pairs)
        if any(fixed[param] != name for param, name in pairs):
            return
        place = {name: i for i, (name, _) in enumerate(objects)}
        choices = [
            [fixed[param]] if param in fixed else [name for name, t in objects if t == kind]
            for param, kind in action.params.items()
        ]
        for names in product(*choices):
            binding = dict(zip(action.params, names, strict=True))
            if len(set(names)) == len(names) and self._possible(action, binding):
                masks = [*self._needed(action.needs, binding), *self._made(action.makes, binding)]
                ground = GroundAction(action, binding, (index, *(place[name] for name in names)), masks)
                ground.starts = [self._ground_effect(effect, binding) for effect in action.starts]
                yield ground

    def _possible(self, action: Action, binding: dict[str, str]) -> bool:
        """Whether the needs that never change are met."""
        return all(
            (_bound(need, binding) in self.start_atoms) == need.holds
            for need in action.needs
            if need.predicate not in self._changing
        )

    def _ground_effect(self, effect: Effect, binding: dict[str, str]) -> GroundEffect:
        then = tuple(self._ground_effect(inner, binding) for inner in effect.then)
        masks = list(self._needed(effect.conditions, binding))
        # What a creation makes is about an object that has no name yet: grounded when it happens.
        masks += self._made((), binding) if effect.creates else self._made(effect.makes, binding)
        about = {p: binding[p] for literal in effect.makes for p in literal.args if p in binding}
        key = (effect.type, effect.param, binding[effect.param], *masks, then, effect.creates, *about.items())
        return self._effects.setdefault(key, GroundEffect(effect, about, masks, then))

    def _needed(self, literals: Iterable[Literal], binding: dict[str, str]) -> tuple[int, int]:
        """Masks of the atoms that must be true and that must be false."""
        pos = neg = 0
        for literal in literals:
            bit = self.bit(_bound(literal, binding))
            pos, neg = (pos | bit, neg) if literal.holds else (pos, neg | bit)
        return pos, neg

    def _made(self, literals: Iterable[Literal], binding: dict[str, str]) -> tuple[int, int]:
        """Masks of the atoms that become true and false; of two literals on one atom the later wins."""
        last = {self.bit(_bound(literal, binding)): literal.holds for literal in literals}
        return sum(b for b, holds in last.items() if holds), sum(b for b, holds in last.items() if not holds)

    # --- time -------------------------------------------------------------------------------------

    def step(self, state: State, action: GroundAction) -> State:
        """The state after a valid action.

        First what the action changes at once; then each effect that it starts, new or already going on, gets
        an active update; then all effects going on, oldest first, get a passive one. Robotouille removes a
        complete effect from the list it is walking, so the next effect gets no update in that step; this is
        kept, because it changes when things are done.
        """
        facts = state.facts & ~action.unmake | action.make
        if not state.running and not action.starts:
            return State(facts, (), state.created)
        now = _Moment(self, facts, state.created)
        running = list(state.running)
        for effect in action.starts:
            index = next((i for i, (other, _) in enumerate(running) if other is effect), len(running))
            if index == len(running):
                running.append((effect, effect.start))
            running[index] = (effect, now.update(effect, running[index][1], True))
        index = 0
        while index < len(running):
            effect, progress = running[index]
            progress = now.update(effect, progress, False)
            running[index : index + 1] = [(effect, progress)] if progress is not None else []
            index += 1
        return State(now.facts, tuple(running), now.created)

    def next_name(self, kind: str, created: tuple[str, ...]) -> str:
        """Name of the next object of a kind: the kind and one more than the largest number so far."""
        names = [*(name for name, _ in self.start_objects), *created]
        numbers = [name.removeprefix(kind) for name in names if name.startswith(kind)]
        return f"{kind}{max((int(n) for n in numbers if n.isdigit()), default=0) + 1}"

    def made_by_creation(self, effect: GroundEffect, name: str) -> tuple[int, int]:
        """What becomes true and false when a creation makes an object of this name."""
        assert effect.effect.creates is not None
        return self._made(effect.effect.makes, effect.binding | {effect.effect.creates[2]: name})


class _Moment:
    """The facts while effects are being updated."""

    def __init__(self, engine: KitchenEngine, facts: int, created: tuple[str, ...]) -> None:
        self.engine, self.facts, self.created = engine, facts, created

    def change(self, make: int, unmake: int) -> None:
        self.facts = self.facts & ~unmake | make

    def update(self, effect: GroundEffect, progress: Progress, active: bool) -> Progress:
        """Update an effect because its action was done (active) or because time passes; its new progress."""
        if progress is None:
            return None
        count, inside = progress
        if effect.kind == "conditional":
            if self.facts & effect.pos != effect.pos or self.facts & effect.neg:
                self.change(effect.unmake, effect.make)
                return progress
            self.change(effect.make, effect.unmake)
            inside = self._update_inside(effect, inside, active)
            return (count, inside) if any(part is not None for part in inside) else None
        if effect.kind == "creation":
            assert effect.effect.creates is not None
            name = self.engine.next_name(effect.effect.creates[0], self.created)
            self.created += (name,)
            self.change(*self.engine.made_by_creation(effect, name))
            return None
        if active != (effect.kind == "repetitive"):
            return progress
        if count + 1 < effect.goal:
            return count + 1, inside
        self.change(effect.make, effect.unmake)
        self._update_inside(effect, inside, active)
        return None

    def _update_inside(self, effect: GroundEffect, inside: tuple[Any, ...], active: bool) -> tuple[Any, ...]:
        return tuple(self.update(e, part, active) for e, part in zip(effect.then, inside, strict=True))


def bits(mask: int) -> Iterator[int]:
    """The set bits of a mask, lowest first, each as a power of two."""
    while mask:
        low = mask & -mask
        yield low
        mask ^= low


def _bound(literal: Literal, binding: dict[str, str]) -> Atom:
    return (literal.predicate, *(binding[param] for param in literal.args))
