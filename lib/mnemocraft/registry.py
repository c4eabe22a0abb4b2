"""Things by name: a table of entry points (``"package.module:name"``), each imported when it is asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import Any

from mnemocraft.errors import MnemocraftError, one_of


def entry(table: Mapping[str, str], name: str, what: str) -> Callable[..., Any]:
    """What a row of a table names.

    Args:
        table: Entry points by name.
        name: The row.
        what: What the rows are, such as ``memory``.

    Raises:
        MnemocraftError: There is no such row.
    """
    one_of(what, name, table)
    return resolve_name(table[name])


def made(make: Callable[..., Any], what: str, *given: Any, **options: Any) -> Any:
    """What a maker makes of the arguments that are always given, and of options.

    Raises:
        MnemocraftError: It has no such option.
    """
    known = list(inspect.signature(make).parameters)[len(given) :]
    for option in options:
        if option not in known:
            raise MnemocraftError(
                f"The {what} has no option {option!r}; it has {', '.join(known) or 'none'}."
            )
    return make(*given, **options)
