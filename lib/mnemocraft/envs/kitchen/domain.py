"""Typed predicate domains: what can be true, what a player can do, what then goes on by itself.

:func:`read_domain` reads Robotouille's JSON format; :func:`kitchen_domain` is our definition of its kitchen.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any, NamedTuple

from mnemocraft.envs.kitchen.reading import at, entries, fail, field, known_keys, slots, typed

TICKS = 4
"""Passive updates until a delayed effect happens (the format has no place for it)."""
REPEATS = 3
"""Active updates until a repetitive effect happens."""

_EFFECT_TYPES = ("conditional", "delayed", "repetitive", "creation")
_KEYS = ("version", "name", "input_json", "object_types", "predicate_defs", "action_defs")
_PREDICATE_KEYS = ("name", "param_types", "language_descriptors")
_ACTION_KEYS = ("name", "precons", "immediate_fx", "sfx", "language_description")
_EFFECT_KEYS = ("type", "param", "fx", "sfx")
_OWN_KEYS = {"conditional": ("conditions",), "creation": ("created_obj",)}
_LITERAL = re.compile(r"(-?)(\w+)\(([\w.,]+)\)")


class Literal(NamedTuple):
    """A predicate over parameters, true (``holds``) or false."""

    predicate: str
    args: tuple[str, ...]
    holds: bool


@dataclass(frozen=True)
class Predicate:
    """A named relation.

    Attributes:
        name: E.g. ``"item_on"``.
        types: Types of its arguments, e.g. ``("item", "station")``.
        english: For each argument the line that its object gets (``"{0} is at {1}"``), None for no line.
    """

    name: str
    types: tuple[str, ...]
    english: tuple[str | None, ...]


@dataclass(frozen=True)
class Effect:
    """Something that goes on after an action.

    Attributes:
        type: ``conditional`` (acts while ``conditions`` hold and undoes ``makes`` while not, complete with
            its ``then``), ``delayed`` (happens at the 4th tick), ``repetitive`` (at the 3rd repetition of
            the action) or ``creation`` (makes a new object at once).
        param: Parameter of the action it belongs to.
        conditions: What must hold.
        makes: What becomes true or false.
        then: Effects inside this one.
        creates: Kind, type and parameter name of the new object (creation only).
    """

    type: str
    param: str
    conditions: tuple[Literal, ...]
    makes: tuple[Literal, ...]
    then: tuple[Effect, ...]
    creates: tuple[str, str, str] | None


@dataclass(frozen=True)
class Action:
    """Something a player can do; ``params`` maps its parameters to types, ``says`` is its English."""

    name: str
    params: dict[str, str]
    needs: tuple[Literal, ...]
    makes: tuple[Literal, ...]
    starts: tuple[Effect, ...]
    says: str

    def effects(self) -> list[Effect]:
        """The effects it starts, with those inside them."""
        found = list(self.starts)
        for effect in found:
            found += effect.then
        return found


@dataclass(frozen=True)
class Domain:
    """Predicates by name and actions, both in their order of definition."""

    types: tuple[str, ...]
    predicates: dict[str, Predicate]
    actions: tuple[Action, ...]

    @cached_property
    def changing(self) -> frozenset[str]:
        """Names of the predicates that an action or effect can make true or false."""
        made = [x for a in self.actions for x in a.makes]
        made += [x for a in self.actions for effect in a.effects() for x in effect.makes]
        return frozenset(literal.predicate for literal in made)

    @cached_property
    def kinds(self) -> dict[str, str]:
        """Kinds of objects and their types: ``table`` is a station because of ``istable(station)``.

        What changes is no kind (``iscut``), and neither is what can be done (``iscuttable``: "X can ...").
        """
        made = {effect.creates[0] for action in self.actions for effect in action.effects() if effect.creates}
        return {
            p.name[2:]: p.types[0]
            for p in self.predicates.values()
            if p.name.startswith("is")
            and len(p.types) == 1
            and not (p.english[0] or "").startswith("{0} can ")
            if p.name not in self.changing or p.name[2:] in made
        }


@cache
def kitchen_domain() -> Domain:
    """Robotouille's kitchen, defined in ``domain.toml``."""
    text = (resources.files(__package__) / "domain.toml").read_text(encoding="utf-8")
    return read_domain(from_toml(tomllib.loads(text)), "domain.toml")


def from_toml(short: dict[str, Any]) -> dict[str, Any]:
    """Our notation of a domain, written out in Robotouille's JSON format."""
    predicates = [
        {
            "name": name,
            "param_types": types.split(),
            "language_descriptors": {str(i): s for i, s in enumerate(says)},
        }
        for name, (types, *says) in short["predicates"].items()
    ]
    actions = [
        {
            "name": name,
            "precons": literals(action.get("needs", "")),
            "immediate_fx": literals(action.get("makes", "")),
            "sfx": [_effect_from_toml(effect) for effect in action.get("starts", [])],
            "language_description": action["says"],
        }
        for name, action in short["actions"].items()
    ]
    return {"object_types": short["types"], "predicate_defs": predicates, "action_defs": actions}


def literals(text: str) -> list[dict[str, Any]]:
    """``"loc(p1,s1) -vacant(s1)"`` as the JSON format's list of literals."""
    return [
        {"predicate": name, "params": args.split(","), "is_true": not minus}
        for minus, name, args in _LITERAL.findall(text)
    ]


def _effect_from_toml(short: dict[str, Any]) -> dict[str, Any]:
    effect: dict[str, Any] = {"type": short["type"], "param": short["of"]}
    if "while" in short:
        effect["conditions"] = literals(short["while"])
    if "creates" in short:
        effect["created_obj"] = dict(zip(("name", "type", "param"), short["creates"].split(), strict=True))
    then = [_effect_from_toml(inner) for inner in short.get("then", [])]
    return effect | {"fx": literals(short.get("makes", "")), "sfx": then}


def read_domain(content: dict[str, Any], where: str) -> Domain:
    """Check a domain in the JSON format and read it.

    Args:
        content: The parsed file.
        where: Name of the file, for messages.

    Raises:
        MnemocraftError: Something is missing, unknown or of the wrong type or arity; names the place.
    """
    known_keys(content, _KEYS, where)
    types = tuple(
        typed(t, str, at(where, "object_types")) for t in field(content, "object_types", list, where)
    )
    predicates: dict[str, Predicate] = {}
    for place, entry in entries(content, "predicate_defs", where):
        predicate = _read_predicate(entry, types, place)
        if predicate.name in predicates:
            fail(place, f'the predicate "{predicate.name}" is defined twice.')
        predicates[predicate.name] = predicate
    domain = Domain(types, predicates, ())
    actions = [_read_action(domain, entry, place) for place, entry in entries(content, "action_defs", where)]
    if len({action.name for action in actions}) < len(actions):
        fail(at(where, "action_defs"), "two actions have the same name.")
    return Domain(types, predicates, tuple(actions))


def _read_predicate(entry: dict[str, Any], types: tuple[str, ...], where: str) -> Predicate:
    known_keys(entry, _PREDICATE_KEYS, where)
    listed = field(entry, "param_types", list, where)
    for i, kind in enumerate(listed):
        if kind not in types:
            fail(f"{where}.param_types[{i}]", f"there is no type {kind!r}; types are {', '.join(types)}.")
    lines = field(entry, "language_descriptors", dict, where, {})
    for key, line in lines.items():
        place = f"{where}.language_descriptors.{key}"
        if not {key, *slots(typed(line, str, place), place)} <= {str(i) for i in range(len(listed))}:
            fail(place, f"it may only number the arguments, 0 to {len(listed) - 1}.")
    english = tuple(lines.get(str(i)) for i in range(len(listed)))
    return Predicate(field(entry, "name", str, where), tuple(listed), english)


def _read_action(domain: Domain, entry: dict[str, Any], where: str) -> Action:
    known_keys(entry, _ACTION_KEYS, where)
    params: dict[str, str] = {}
    needs = _read_literals(domain, params, entry, "precons", where)
    makes = _read_literals(domain, params, entry, "immediate_fx", where)
    starts = _read_effects(domain, dict(params), entry, where)
    says = field(entry, "language_description", str, where)
    named = slots(says, f"{where}.language_description")
    for name in named:
        if name not in params:
            fail(
                f"{where}.language_description",
                f'it names "{name}"; parameters are {", ".join(params) or "none"}.',
            )
    _check_bound(needs, makes, starts, named, where)
    return Action(field(entry, "name", str, where), params, needs, makes, starts, says)


def _check_bound(
    needs: tuple[Literal, ...],
    makes: tuple[Literal, ...],
    starts: tuple[Effect, ...],
    named: list[str],
    where: str,
) -> None:
    """Refuse a misspelt parameter: one that only effects use, or that a need uses instead of the text's."""
    needed = [arg for need in needs for arg in need.args]
    unbound = {arg for made in makes for arg in made.args} - set(needed)
    for i, made in enumerate(makes):
        for j, arg in enumerate(made.args):
            if arg in unbound and arg not in named:
                what = f'"{arg}" is in no precondition and not in the text: nothing says what it is.'
                fail(f"{where}.immediate_fx[{i}].params[{j}]", what)
    used = {*named, *(arg for made in makes for arg in made.args), *_used(starts)}
    for i, need in enumerate(needs):
        for j, arg in enumerate(need.args):
            if unbound and arg not in used and needed.count(arg) == 1:
                other = min(unbound)
                what = f'"{arg}" is used nowhere else, and "{other}" is in no precondition.'
                fail(f"{where}.precons[{i}].params[{j}]", what)


def _used(effects: tuple[Effect, ...]) -> set[str]:
    """The parameters that effects are about."""
    used: set[str] = set()
    for effect in effects:
        literals = (*effect.conditions, *effect.makes)
        used |= {effect.param, *(arg for x in literals for arg in x.args)} | _used(effect.then)
    return used


def _read_effects(
    domain: Domain, params: dict[str, str], owner: dict[str, Any], where: str
) -> tuple[Effect, ...]:
    """Read ``sfx``; effects may only use parameters that the action has, and what they create."""
    effects = []
    for place, entry in entries(owner, "sfx", where):
        kind, param = field(entry, "type", str, place), field(entry, "param", str, place)
        if kind not in _EFFECT_TYPES:
            fail(f"{place}.type", f"there is no effect {kind!r}; effects are {', '.join(_EFFECT_TYPES)}.")
        if param not in params:
            fail(f"{place}.param", f"the action has no parameter {param!r}; it has {', '.join(params)}.")
        known_keys(entry, (*_EFFECT_KEYS, *_OWN_KEYS.get(kind, ())), place)
        inside, creates = dict(params), None
        if kind == "creation":
            creates = _read_created(domain, entry, place)
            inside[creates[2]] = creates[1]
            if entry.get("sfx"):
                fail(f"{place}.sfx", "a creation happens at once and cannot hold further effects.")
        conditions: tuple[Literal, ...] = ()
        if kind == "conditional":
            conditions = _read_literals(domain, inside, entry, "conditions", place, bound=True)
        makes = _read_literals(domain, inside, entry, "fx", place, bound=True)
        effects.append(
            Effect(kind, param, conditions, makes, _read_effects(domain, inside, entry, place), creates)
        )
    return tuple(effects)


def _read_created(domain: Domain, entry: dict[str, Any], where: str) -> tuple[str, str, str]:
    created, place = field(entry, "created_obj", dict, where), f"{where}.created_obj"
    known_keys(created, ("name", "type", "param"), place)
    name, kind, param = (field(created, key, str, place) for key in ("name", "type", "param"))
    if kind not in domain.types:
        fail(f"{place}.type", f"there is no type {kind!r}; types are {', '.join(domain.types)}.")
    if not name or name[-1].isdecimal():
        fail(f"{place}.name", f"{name!r} must not be empty or end with a digit: objects get numbers there.")
    return name, kind, param


def _read_literals(
    domain: Domain, params: dict[str, str], owner: dict[str, Any], key: str, where: str, bound: bool = False
) -> tuple[Literal, ...]:
    """Read a list of literals; parameters get their types on first use, unless they must be ``bound``."""
    result = []
    for place, entry in entries(owner, key, where):
        known_keys(entry, ("predicate", "params", "is_true"), place)
        predicate = read_predicate(domain, field(entry, "predicate", str, place), f"{place}.predicate")
        args = [typed(p, str, f"{place}.params") for p in field(entry, "params", list, place)]
        check_arity(predicate, args, f"{place}.params")
        for i, (arg, kind) in enumerate(zip(args, predicate.types, strict=True)):
            if arg not in params and bound:
                fail(
                    f"{place}.params[{i}]",
                    f"the action has no parameter {arg!r}; it has {', '.join(params)}.",
                )
            if params.setdefault(arg, kind) != kind:
                fail(
                    f"{place}.params[{i}]",
                    f'"{arg}" is of type {params[arg]}, but {predicate.name} takes type {kind} there.',
                )
        result.append(Literal(predicate.name, tuple(args), field(entry, "is_true", bool, place)))
    return tuple(result)


def read_predicate(domain: Domain, name: str, where: str) -> Predicate:
    """The predicate of this name, or the sentence that there is none."""
    if name not in domain.predicates:
        fail(where, f"there is no predicate {name!r}; predicates are {', '.join(domain.predicates)}.")
    return domain.predicates[name]


def check_arity(predicate: Predicate, args: list[Any], where: str) -> None:
    """Refuse a wrong number of arguments."""
    if len(args) != len(predicate.types):
        expected = f"{len(predicate.types)} ({', '.join(predicate.types)})"
        fail(where, f"{predicate.name} takes {expected}, not {len(args)}.")
