"""A stream of episodes: one agent with one memory, task after task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mnemocraft.agents.rollout import Agent, play
from mnemocraft.llm import Model
from mnemocraft.memory.interface import Memory
from mnemocraft.runs.study import Episode
from mnemocraft.worlds.world import World

Facts = Mapping[str, int | float | str]


@dataclass(frozen=True)
class EpisodeStream:
    """What :class:`~mnemocraft.runs.StreamRunner` asks for.

    Attributes:
        agent: Who plays.
        memory: Shared by the episodes.
        model: What answers.
        begin: From a task of the stream to its world and the episode's seed.
        facts: From a task to what its record says besides.
    """

    agent: Agent
    memory: Memory
    model: Model
    begin: Callable[[str], tuple[World, int]]
    facts: Callable[[str], Facts] = lambda task: {}

    async def episode(self, task: str) -> Episode:
        """Play one task."""
        world, seed = self.begin(task)
        episode = await play(self.agent, world, self.memory, self.model, seed=seed)
        episode.metrics |= self.facts(task)
        return episode

    def restore(self, deltas: Sequence[Any]) -> None:
        """Bring the memory to where the stream stands."""
        self.memory.restore(deltas)
