"""Randomness without state: the same question always gets the same draw, in any process."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


def digest(*parts: object) -> str:
    """Sixteen hexadecimal digits that depend on ``parts`` alone."""
    return blake2b("\x1f".join(map(str, parts)).encode(), digest_size=8).hexdigest()


def chance(*parts: object) -> float:
    """A number in [0, 1) that depends on ``parts`` alone."""
    return int(digest(*parts), 16) / 2**64


def pick(options: Sequence[T], *parts: object) -> T:
    """One of ``options``, chosen by ``parts`` alone."""
    return options[int(digest(*parts), 16) % len(options)]
