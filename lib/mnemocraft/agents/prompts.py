"""The prompt files of the agents: each family keeps its own in ``<family>/prompts/``."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def file(family: str, name: str) -> str:
    """The text of ``<family>/prompts/<name>``."""
    return (files("mnemocraft.agents") / family / "prompts" / name).read_text(encoding="utf-8")


def text(family: str, name: str) -> str:
    """The text of ``<family>/prompts/<name>.txt``."""
    return file(family, f"{name}.txt")


@cache
def text_for(family: str, name: str, kind: str) -> str:
    """``<name>.<kind>.txt`` of a family, if the kind of world has a text of its own, else ``<name>.txt``."""
    own = files("mnemocraft.agents") / family / "prompts" / f"{name}.{kind}.txt"
    return text(family, f"{name}.{kind}" if own.is_file() else name)


def one_line(words: str) -> str:
    """The text with every run of white space as one space, so that it cannot be mistaken for a block."""
    return " ".join(words.split())
