"""What How2's teachers are asked about: an item, however a model writes its name."""

from __future__ import annotations

import re
from collections.abc import Collection

_LONGEST = 6
"""Words of an item's name."""


def as_name(text: str) -> str:
    """A text as names are written: ``Stone Sword`` is ``stone_sword``."""
    return "_".join(re.findall(r"[a-z0-9]+", text.lower().removeprefix("minecraft:")))


def asked_item(query: str, question: str, items: Collection[str], target: str) -> str:
    """The item a question is about: the first that its query names, or that it names itself, else the target.

    Of names that begin with the same word the longest counts: who asks for a stone sword asks for no stone.
    """
    for text in (query, question):
        words = as_name(text).split("_")
        for start in range(len(words)):
            for end in range(min(len(words), start + _LONGEST), start, -1):
                if found := _known("_".join(words[start:end]), items):
                    return found
    return target


def _known(name: str, items: Collection[str]) -> str:
    """The name, or its singular, if there is such an item; else empty."""
    return next((each for each in (name, name.removesuffix("s")) if each in items), "")
