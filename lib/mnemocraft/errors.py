"""Errors that a user can act on: one sentence naming what was wrong and what is allowed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

SHORTEST_KEY = 8
"""Characters of an API key that is masked; shorter ones (``none``, ``k``) are words that messages need."""


class MnemocraftError(Exception):
    """Base of every error this library raises on purpose; its message is meant for a person."""


class MissingExtra(MnemocraftError):
    """An optional dependency is not installed; the message says what to install."""


class ModelError(MnemocraftError):
    """A model request finally failed; the episode that made it ends with status ``error``."""


class RequestTooLong(ModelError):
    """A request does not fit into the model's context: an outcome of the episode, recorded like an answer."""


class ModelUnavailable(MnemocraftError):
    """The model cannot be used at all (many failures in a row, a refused key); the run stops."""


class BudgetExceeded(MnemocraftError):
    """The token or dollar budget is used up; the run stops and keeps everything it has."""


class ReplayMiss(MnemocraftError):
    """A request is not in the recording; the message names the field that differs."""


class RunLocked(MnemocraftError):
    """Another process is writing to the same run folder."""


def one_of(what: str, name: str, known: Collection[str]) -> None:
    """Raise MnemocraftError for a name that is not ``known``; ``what`` is of what, e.g. ``profile``."""
    if not isinstance(name, str) or name not in known:
        raise MnemocraftError(f"There is no {what} {name!r}; it is one of {', '.join(known)}.")


@contextmanager
def unreadable(path: Path) -> Iterator[None]:
    """Make whatever is wrong with a file of the project one sentence that names it.

    Raises:
        MnemocraftError: It is missing, or damaged (JSON, CSV, TOML and UTF-8 fail with a ``ValueError``).
    """
    try:
        yield
    except (OSError, EOFError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise MnemocraftError(
            f"{path} is missing or damaged ({said}): get it again from where it came"
        ) from None
