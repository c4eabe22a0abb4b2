"""The rules of each world as text, for the system message of any agent: ``<world>.txt``."""

from functools import cache
from importlib.resources import files


@cache
def guide(world: str) -> str:
    """The text of ``<world>.txt``."""
    return (files(__package__) / f"{world}.txt").read_text(encoding="utf-8")
