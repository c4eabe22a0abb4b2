"""Words from outside in Markdown and HTML: a model's name may be anything."""

from __future__ import annotations

import re

_MEANING = re.compile(r"[<>&`*|!~\"'\[\]{}\x00-\x1f]")
_ALIKE = str.maketrans("$\\", "\uff04\uff3c")
"""A dollar and a backslash begin mathematics on a page, also when they were character references before."""


def escaped(text: str) -> str:
    """A text in one line with every sign that means something to Markdown or HTML as a character reference.

    The two that begin mathematics become signs that look like them.
    """
    flat = " ".join(text.split()).translate(_ALIKE)
    return _MEANING.sub(lambda sign: f"&#{ord(sign.group())};", flat)
