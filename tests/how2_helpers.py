"""A model that says what a test tells it to, and one How2 episode with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from mnemocraft.agents.how2.agent import Trial
from mnemocraft.agents.how2.settings import Settings
from mnemocraft.llm.types import Reply, Request, ToolCall, Usage
from mnemocraft.memory import KeyedMemory
from mnemocraft.runs import Episode
from mnemocraft.studies.how2.load import environment
from mnemocraft.surrogate import Surrogate

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


def play(model: Any, settings: Settings, task: str, memory: KeyedMemory | None = None) -> Episode:
    """One episode of at most 30 steps."""
    memory = KeyedMemory() if memory is None else memory
    return asyncio.run(Trial(settings, model, 0, memory, environment(task, 30)).run())
