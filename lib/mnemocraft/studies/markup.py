"""Words from outside in Markdown and HTML: a model's name may be anything."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MEANING = re.compile(r"[<>&`*|!~\"'\[\]{}\x00-\x1f]")
_ALIKE = str.maketrans("$\\", "\uff04\uff3c")
"""A dollar and a backslash begin mathematics on a page, also when they were character references before."""


def escaped(text: str) -> str:
    """A text in one line with every sign that means something to Markdown or HTML as a character reference.

    The two that begin mathematics become signs that look like them.
    """
    flat = " ".join(text.split()).translate(_ALIKE)
    return _MEANING.sub(lambda sign: f"&#{ord(sign.group())};", flat)


def listed(names: Sequence[str]) -> str:
    """Names as one reads them, ``a, b and c``; with semicolons if there is a comma in one."""
    *first, last = names
    stop = ";" if any("," in name for name in names) else ""
    between = f"{stop or ','} "
    return f"{between.join(first)}{stop} and {last}" if first else last
