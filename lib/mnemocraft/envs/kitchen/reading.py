"""Reading files of users: every mistake becomes one sentence that names the file and the place."""

from __future__ import annotations

import json
from pathlib import Path
from string import Formatter
from typing import Any, NoReturn

from mnemocraft import bounded
from mnemocraft.errors import MnemocraftError

_NAMES = {dict: "an object", list: "a list", str: "a text", int: "a whole number", bool: "true or false"}

_KEPT = 400
"""Characters that are kept at either end of a long sentence: a file's names may be of any length."""


def fail(where: str, what: str) -> NoReturn:
    """Raise the sentence ``where: what``, in one line; the middle of a very long one is left out."""
    said = " ".join(f"{where}: {what}".split())
    raise MnemocraftError(said if len(said) <= 2 * _KEPT else f"{said[:_KEPT]} ... {said[-_KEPT:]}")


def read_json(path: str | Path) -> dict[str, Any]:
    """The object in a JSON file.

    Raises:
        MnemocraftError: No such file, no JSON, or not an object.
    """
    name = Path(path).name
    try:
        content = bounded.read_json(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        fail(str(path), f"the file cannot be read ({error.strerror}).")
    except UnicodeDecodeError:
        fail(name, "the file is not text in UTF-8.")
    except json.JSONDecodeError as error:
        fail(name, f"this is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}.")
    except ValueError as error:
        fail(name, f"this JSON cannot be read: {error}.")
    return typed(content, dict, name)


def typed(value: Any, kind: type, where: str) -> Any:
    """``value``, which must be of the JSON type ``kind`` (true is not a number)."""
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        fail(where, f"this must be {_NAMES[kind]}, not {json.dumps(value, default=str)[:60]}.")
    return value


def field(entry: dict[str, Any], key: str, kind: type, where: str, default: Any = None) -> Any:
    """``entry[key]``, which must be of type ``kind``; when missing, ``default`` unless that is None."""
    if key not in entry:
        if default is None:
            fail(where, f'"{key}" is missing.')
        return default
    return typed(entry[key], kind, at(where, key))


def entries(
    owner: dict[str, Any], key: str, where: str, default: Any = None
) -> list[tuple[str, dict[str, Any]]]:
    """The objects in the list ``owner[key]``, each with its place: ``file: items[3]``."""
    listed = field(owner, key, list, where, default)
    return [
        (f"{at(where, key)}[{i}]", typed(x, dict, f"{at(where, key)}[{i}]")) for i, x in enumerate(listed)
    ]


def at(where: str, key: str) -> str:
    """The place of ``key`` within the place ``where``."""
    return f"{where}.{key}" if ": " in where else f"{where}: {key}"


def known_keys(entry: dict[str, Any], keys: tuple[str, ...], where: str) -> None:
    """Refuse keys that would be ignored: they are spelling mistakes."""
    for key in entry:
        if key not in keys:
            fail(where, f'there is no key "{key}"; allowed are {", ".join(keys)}.')


def slots(text: str, where: str) -> list[str]:
    """The names in braces in a text: ``Cut {i1} on {s1}``."""
    try:
        parts = [(literal, name, spec, how) for literal, name, spec, how in Formatter().parse(text)]
    except ValueError:
        fail(where, "its braces do not match: names stand in { and }.")
    if any(spec or how or set(literal) & {"{", "}"} for literal, _, spec, how in parts):
        fail(where, "between braces there may only be a name, and braces cannot be written otherwise.")
    return [name for _, name, _, _ in parts if name is not None]
