"""What worlds share that are one environment each: its count of steps, its end, and two sentences."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Generic, TypeVar

from mnemocraft.envs.task_env import TaskEnv

_QUOTED = 200
"""Longest piece of a wrong action that a sentence about it repeats, in characters."""
E = TypeVar("E", bound=TaskEnv)


class EnvWorld(Generic[E]):
    """A world whose steps and end are those of its environment.

    Args:
        env: It.
    """

    def __init__(self, env: E) -> None:
        self.env = env

    @property
    def steps(self) -> int:
        """Steps taken, as the environment counts them."""
        return self.env.steps

    @property
    def reason(self) -> str:
        """``success``, ``max_steps`` or empty."""
        return self.env.reason

    @property
    def success(self) -> bool:
        """Whether the task is done."""
        return self.env.success


def quoted(action: object) -> str:
    """An action line for a sentence about it: in one line, cut."""
    return " ".join(str(action).split())[:_QUOTED]


def unlisted(action: str, listed: Container[str]) -> str:
    """One sentence that an action is not among those that are listed; empty if it is."""
    if action in listed:
        return ""
    return f'"{quoted(action)}" is not one of the valid actions; copy one of them word for word.'


def numbered(lines: Sequence[str]) -> str:
    """What a teacher says of a plan line by line."""
    return "\n".join(["Follow these steps:", *(f"{n}. {line}" for n, line in enumerate(lines, 1))])
