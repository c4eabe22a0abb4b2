"""Words from outside in Markdown and HTML: a model's name may be anything."""

from __future__ import annotations

import re

_MEANING = re.compile(r"[<>&`*|\\$!~\"'\[\]{}\x00-\x1f]")


def escaped(text: str) -> str:
    """The text with every sign that means something to Markdown or HTML as a character reference."""
    return _MEANING.sub(lambda sign: f"&#{ord(sign.group())};", " ".join(text.split()))
