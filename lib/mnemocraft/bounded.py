"""What somebody else wrote, within bounds: JSON in size, depth and time, numbers; failing in one way only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import accumulate
from operator import index
from typing import Any, NamedTuple

from mnemocraft.errors import MnemocraftError

MAX_DEPTH = 64
"""Brackets inside one another; no answer, tool call or reply of a server comes near it."""
LONGEST = 8_000_000
"""Characters of one JSON text."""
MAX_SEED = 2**63 - 1
"""The greatest whole number that a setting may be."""
LONGEST_NUMBER = 19
"""Digits of a whole number; a longer one is read as a float, which may be infinite."""
PASSES = 8
"""Times that a text is read in search of JSON; one or two do, but for texts made to take long."""
_TOKEN = re.compile(r'"(?:[^"\\\n]++|\\.)*+"?|[][{}]', re.DOTALL)
"""A text, also one that does not end, or a bracket."""
_OBJECT = re.compile(r'\{(?=\s*+["}])')
"""Where a JSON object can begin."""
_OPENING = {"}": "{", "]": "["}
_DEEPER = {"{": 1, "[": 1, "}": -1, "]": -1}


def whole(value: Any, name: str, low: int, high: int = MAX_SEED) -> int:
    """A whole number in a range (NumPy's too).

    Raises:
        MnemocraftError: It is none.
    """
    try:
        number = low - 1 if isinstance(value, bool) else index(value)
    except TypeError:
        number = low - 1
    if not low <= number <= high:
        top = "" if high == MAX_SEED else f" to {high}"
        raise MnemocraftError(f"{name} must be a whole number from {low}{top}, not {value!r}.")
    return number


class Found(NamedTuple):
    """A JSON object in a text: where it stands, and what it says."""

    start: int
    end: int
    value: dict[str, Any]


def read_json(text: str) -> Any:
    """The value of a JSON text. NaN and Infinity are not JSON; a cut emoji becomes ``?``.

    Raises:
        ValueError: It is no JSON, too long or nested too deeply; the message says which.
    """
    if len(text) > LONGEST:
        raise ValueError(f"it has {len(text):,} characters, and {LONGEST:,} are allowed")
    if _too_deep(text):
        raise ValueError(f"brackets are nested more than {MAX_DEPTH} deep")
    return _decode(text)


def json_objects(text: str) -> Iterator[Found]:
    """The JSON objects in a text, in the order in which they begin; outer ones come before those inside.

    Takes time in proportion to the text's length: brackets are matched in at most :data:`PASSES` passes over
    it, and what is left then is not read; and an object that is no valid JSON is tried again at most
    :data:`MAX_DEPTH` times, for what is inside.
    """
    text, ends = text[:LONGEST], dict[int, int]()
    left = PASSES * len(text)
    for match in _OBJECT.finditer(text):
        start = match.start()
        if start not in ends:
            left -= _match_brackets(text, start, ends)
        if left < 0:
            return
        if (end := ends[start]) < 0:
            continue
        try:
            yield Found(start, end, _decode(text[start:end]))
        except ValueError:
            continue


def _match_brackets(text: str, start: int, ends: dict[int, int]) -> int:
    """Note where the bracket at ``start``, and those inside it, end: -1 for the ones that do not.

    What follows a bracket decides where it ends, so that one met again needs no second look. Returns the
    number of characters that were read.
    """
    open_at: list[int] = []
    place = start
    while token := _TOKEN.search(text, place):
        at, place = token.span()
        sign = token.group()
        if sign[0] == '"':
            if len(sign) == 1 or sign[-1] != '"':  # a text that does not end on its line
                break
        elif sign in "{[":
            if (at in ends and ends[at] < 0) or len(open_at) == MAX_DEPTH:
                break
            if at in ends:
                place = ends[at]
            else:
                open_at.append(at)
        elif text[open_at[-1]] != _OPENING[sign]:
            break
        else:
            ends[open_at.pop()] = place
            if not open_at:
                return place - start
    else:
        place = len(text)
    ends.update(dict.fromkeys(open_at, -1))
    return place - start


def _too_deep(text: str) -> bool:
    """Whether more than :data:`MAX_DEPTH` brackets are inside one another, outside of texts."""
    if text.count("{") + text.count("[") <= MAX_DEPTH:  # nearly always, and quickly seen
        return False
    return max(accumulate(_DEEPER.get(token, 0) for token in _TOKEN.findall(text))) > MAX_DEPTH


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= LONGEST_NUMBER else float(digits)


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_int=_whole)


def _decode(text: str) -> Any:
    value = _DECODER.decode(text)
    # A text with half a surrogate pair cannot be stored as UTF-8.
    return _without_surrogates(value) if "\\ud" in text.lower() else value


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_without_surrogates(name): _without_surrogates(item) for name, item in value.items()}
    return [_without_surrogates(item) for item in value] if isinstance(value, list) else value
