"""A model that says what a test tells it to, and episodes with it."""

from __future__ import annotations

import asyncio
import hashlib
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np

from mnemocraft.agents import rollout
from mnemocraft.agents.how2.agent import agent
from mnemocraft.agents.how2.settings import Settings
from mnemocraft.errors import MnemocraftError
from mnemocraft.llm.types import Reply, Request, ToolCall, Usage
from mnemocraft.memory.keyed import Keyed
from mnemocraft.memory.none import NoMemory
from mnemocraft.runs import Episode
from mnemocraft.studies.how2.load import environment
from mnemocraft.surrogate import Surrogate
from mnemocraft.worlds.plancraft import PlancraftWorld

Answer = str | tuple[str, dict[str, Any]] | Exception


class Scripted:
    """Answers with ``script`` in turn (a text, a tool call or an exception), or by calling it."""

    name, cpu_bound = "scripted", True

    def __init__(self, script: list[Answer] | Callable[[Request], Answer]) -> None:
        self.script = script
        self.requests: list[Request] = []

    async def complete(self, messages: Any, **options: Any) -> Reply:
        request = Request(self.name, [dict(m) for m in messages], **options)
        self.requests.append(request)
        answer = self.script(request) if callable(self.script) else self.script.pop(0)
        if isinstance(answer, Exception):
            raise answer
        usage = Usage(10, 2)
        if isinstance(answer, str):
            return Reply(answer, [], usage)
        return Reply("", [ToolCall(*answer)], usage)


class Stand:
    """A surrogate behind the interface of a model."""

    cpu_bound = True

    def __init__(self, name: str) -> None:
        self.name, self.backend = name, Surrogate.from_name(name)

    async def complete(self, messages: Any, **options: Any) -> Reply:
        return await self.backend.generate(Request(self.name, messages, **options))


@contextmanager
def unwritable() -> Iterator[Path]:
    """A folder that everybody may read and only its owner may write to."""
    with TemporaryDirectory() as name:  # pytest's own folders are closed to other users
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def told_without_rights(action: Callable[[], object]) -> str:
    """The sentence of the MnemocraftError that an action ends with where it is not root who acts."""
    fork = multiprocessing.get_context("fork")
    answers = fork.SimpleQueue()

    def act() -> None:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        try:
            action()
        except MnemocraftError as error:
            answers.put(str(error))
        else:
            answers.put("no error")

    child = fork.Process(target=act)
    child.start()
    child.join(60)
    assert child.exitcode == 0
    return answers.get()


def play(agent: Any, world: Any, model: Any, memory: Any = None, **options: Any) -> Episode:
    """One episode; without a memory nothing is remembered."""
    return asyncio.run(rollout.play(agent, world, NoMemory() if memory is None else memory, model, **options))


def crafting(task: str, max_steps: int = 30) -> PlancraftWorld:
    """A task of Plancraft by its id."""
    return PlancraftWorld(environment(task, max_steps))


def play_how2(model: Any, settings: Settings, task: str, memory: Keyed | None = None) -> Episode:
    """One How2 episode of at most 30 steps."""
    return play(agent(settings), crafting(task), model, Keyed() if memory is None else memory)


def events(episode: Episode, kind: str) -> list[dict[str, Any]]:
    """The events of a type."""
    return [event for event in episode.trajectory if event["type"] == kind]


def state_embedding(text: str) -> np.ndarray:
    """Equal texts have equal vectors, different ones are far apart; likeness plays no part."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return np.random.default_rng(seed).normal(size=64).astype(np.float32)


@contextmanager
def encoding(embed: Callable[[str], Any] = state_embedding) -> Iterator[list[str]]:
    """Memories of scenes embed by a function instead of a trained encoder; gives the texts asked for."""
    asked: list[str] = []

    class Encoder:
        def encode(self, texts: Sequence[str]) -> np.ndarray:
            asked.extend(texts)
            return np.stack([embed(text) for text in texts])

    with ExitStack() as patched:
        for place in ("scenes", "experience", "skills"):
            patched.enter_context(patch(f"mnemocraft.memory.{place}.get_encoder", lambda name: Encoder()))
        yield asked
