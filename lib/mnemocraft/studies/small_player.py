"""A small real model as a player, and the two kinds of tasks it has."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace

from mnemocraft.agents.rollout import Agent

KNOWN, UNKNOWN = "known", "unknown"
"""Kinds of tasks: all that they take was shown in training, or not."""


def half(what: str, everything: Iterable[str]) -> frozenset[str]:
    """A fixed random half, rounded down: what was shown in training, by what it consists of."""
    every = sorted(everything)
    return frozenset(random.Random(f"known {what}").sample(every, len(every) // 2))


def brief(agent: Agent, longest: int, held: bool = False) -> Agent:
    """An agent whose answers have so many tokens at most: a small model may go on and on.

    If they are ``held``, they are so to the listed actions (:class:`~mnemocraft.agents.rollout.Sampling`).
    """
    return replace(agent, sampling={"": replace(agent.sampling[""], max_tokens=longest, held=held)})
