"""What the surrogate takes a goal to mean: its reading of the goal text, in the light of its beliefs."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from mnemocraft.surrogate.minds.kitchen.beliefs import (
    ALTERNATE,
    CLOSED,
    EVERYTHING,
    PATTY,
    SOUP_BOILS,
    Beliefs,
    prepared,
)

_INGREDIENTS = {
    "lettuce": "lettuce", "onion": "onion", "onions": "onion", "tomato": "tomato", "tomatoes": "tomato",
    "chicken": "chicken", "cheese": "cheese", "potato": "potato", "potatoes": "potato", "patty": "patty",
    "patties": "patty",
}  # fmt: skip
_DISHES = {
    "sandwich": "sandwich", "sandwiches": "sandwich", "burger": "burger", "burgers": "burger",
    "hamburger": "burger", "hamburgers": "burger", "cheeseburger": "burger", "cheeseburgers": "burger",
    "soup": "soup", "fries": "fries", "rings": "rings",
}  # fmt: skip
_NUMBERS = {"two": 2, "three": 3, "four": 4, "2": 2, "3": 3, "4": 4}
_BOUNDARY = ("on", "served", "serve", ",", "interleaved")
_WORKED = {"cut": ("lettuce", "onion", "tomato", "potato"), "cooked": ("patty", "chicken")}


class Need(NamedTuple):
    """An ingredient and the states it has to be in."""

    kind: str
    states: frozenset[str]


@dataclass(frozen=True)
class Dish:
    """What has to stand on a table.

    Attributes:
        name: In its own words.
        base: First layer; None for a soup.
        fillings: Layers above it, or what goes into the soup.
        top: Last layer, if any.
        ordered: Whether the fillings have to come in this order.
        boiled: Whether a soup has to boil.
    """

    name: str
    base: Need | None
    fillings: tuple[Need, ...]
    top: Need | None = None
    ordered: bool = False
    boiled: bool = True

    @property
    def soup(self) -> bool:
        """Whether it is served in a bowl."""
        return self.base is None


@dataclass
class _Phrase:
    """A dish in the words of the goal: how many, ingredients as (kind, modifier), what its name implies."""

    kind: str
    count: int
    parts: list[tuple[str, str]]
    implied: tuple[str, ...] = ()
    alternating: bool = False


def understand(goal: str, kitchen: Counter[str], beliefs: Beliefs) -> tuple[Dish, ...]:
    """The dishes that a goal text asks for.

    Args:
        goal: Goal text.
        kitchen: How many there are of each kind; what is not there is left out.
        beliefs: What the reader believes.
    """
    phrases = _phrases(goal)
    return tuple(dish for each in phrases for dish in [_dish(each, kitchen, beliefs)] * each.count)


def words(goal: str) -> frozenset[str]:
    """The dishes and ingredients that a goal text names."""
    found = re.findall(r"[a-z]+", goal.lower())
    return frozenset(
        {**_INGREDIENTS, **_DISHES}[word] for word in found if word in _INGREDIENTS or word in _DISHES
    )


def _phrases(goal: str) -> list[_Phrase]:
    tokens = re.findall(r"[a-z]+|\d+|,", re.sub(r"\(.*?\)", "", goal.lower()))
    phrases: list[_Phrase] = []
    before: list[tuple[str, str]] = []
    number, modifier, inside = 1, "", False
    for n, token in enumerate(tokens):
        if token in _BOUNDARY or (token == "and" and inside and _dish_follows(tokens[n + 1 :])):
            if token == "interleaved" and phrases:
                phrases[-1].alternating = True
            before, number, modifier, inside = [], 1, "", False
        elif token in _NUMBERS:
            number = _NUMBERS[token]
        elif token in ("cut", "whole", "fried"):
            modifier = token
        elif token in _INGREDIENTS:
            parts = phrases[-1].parts if inside else before
            parts += [(_INGREDIENTS[token], modifier)] * (number if inside else 1)
            number, modifier = (1 if inside else number), ("" if modifier != "whole" else modifier)
        elif token in ("with", "contains") and phrases:
            inside, number, modifier = True, 1, ""
        elif token == "rings" and inside:
            phrases[-1].parts[-1] = (phrases[-1].parts[-1][0], "rings")
        elif token in _DISHES:
            implied = ("cheese",) if token.startswith("cheese") else ()
            phrases.append(_Phrase(_DISHES[token], number, before, implied))
            before, number, modifier = [], 1, ""
    return phrases


def _dish_follows(tokens: list[str]) -> bool:
    for token in tokens:
        if token in _BOUNDARY:
            return False
        if token in _DISHES and token != "rings":
            return True
    return False


def _dish(phrase: _Phrase, kitchen: Counter[str], beliefs: Beliefs) -> Dish:
    if phrase.kind in ("fries", "rings"):
        kind = "potato" if phrase.kind == "fries" else "onion"
        return Dish(phrase.kind, _need(kind, "rings", beliefs), ())
    if phrase.kind == "soup":
        return _soup(phrase, beliefs)
    base, top = ("bread", "bread") if phrase.kind == "sandwich" else ("bottombun", "topbun")
    implied = (*phrase.implied, *(("patty",) if phrase.kind == "burger" else ()))
    named = {kind for kind, _ in phrase.parts}
    parts = [*((kind, "") for kind in implied if kind not in named), *phrase.parts]
    if not beliefs.knows(PATTY):
        parts = [part for part in parts if part[0] != "patty"]
    fillings = tuple(_need(*part, beliefs) for part in parts if kitchen[part[0]])
    alternating = phrase.alternating and (beliefs.knows(ALTERNATE) or beliefs.was_told(ALTERNATE))
    if alternating:
        fillings = _alternated(fillings)
    closed = beliefs.knows(CLOSED[base]) or beliefs.was_told(CLOSED[base])
    no_states: frozenset[str] = frozenset()
    top_need = Need(top, no_states) if closed else None
    return Dish(phrase.kind, Need(base, no_states), fillings, top_need, alternating)


def _alternated(fillings: tuple[Need, ...]) -> tuple[Need, ...]:
    piles: dict[str, list[Need]] = {"patty": []}
    for need in fillings:
        piles.setdefault(need.kind, []).append(need)
    longest = max(map(len, piles.values()))
    return tuple(pile[n] for n in range(longest) for pile in piles.values() if n < len(pile))


def _need(kind: str, modifier: str, beliefs: Beliefs) -> Need:
    """The states an ingredient of a stack has to be in."""
    states = {state for state, kinds in _WORKED.items() if kind in kinds}
    if modifier == "whole":
        states = set()
    if modifier in ("fried", "rings"):
        states = states - {"cooked"} | {"fried"}
    return Need(kind, frozenset(s for s in states if beliefs.knows(prepared(kind, s))))


def _soup(phrase: _Phrase, beliefs: Beliefs) -> Dish:
    """A soup: ingredients go in whole unless the text says cut, which an attentive reader takes up."""
    named = [part for part in phrase.parts if part[1]] or phrase.parts
    adds = []
    for kind, modifier in named:
        cut = modifier == "cut" and (
            beliefs.knows(prepared(kind, "cut")) or beliefs.was_told(prepared(kind, "cut"))
        )
        adds.append(Need(kind, frozenset({"cut"} if cut else ())))
    if not beliefs.knows(EVERYTHING):
        adds = adds[:-1]
    return Dish("soup", None, tuple(adds), boiled=beliefs.knows(SOUP_BOILS))
