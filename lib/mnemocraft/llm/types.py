"""The words that agents and models exchange (names follow the OpenAI chat API)."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any, Protocol

Message = dict[str, Any]
"""An OpenAI chat message: ``role``, ``content`` and, for tools, ``tool_calls`` or ``tool_call_id``."""
Tool = dict[str, Any]
"""An OpenAI tool definition: ``{"type": "function", "function": {...JSON schema...}}``."""

MOST_TOKENS = 10_000_000
"""The most tokens that one call can be said to have taken."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call of a model. ``error`` says why the arguments could not be read, if they could not."""

    name: str
    arguments: dict[str, Any]
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call; ``estimated`` when the server gave no figures of its own."""

    prompt_tokens: int
    completion_tokens: int
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered."""

    text: str
    tool_calls: list[ToolCall]
    usage: Usage
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that may change a model's answer, and nothing else (no ids, times or transport options).

    ``grammar`` holds the answer to a form while it is generated; it is one of llama.cpp's (GBNF). The
    surrogate, which generates no tokens, does without.
    """

    model: str
    messages: list[Message]
    tools: list[Tool] | None = None
    temperature: float = 0.0
    max_tokens: int = 512
    stop: list[str] | None = None
    seed: int | None = None
    sample: int = 0
    grammar: str | None = None

    def canonical(self) -> str:
        """The request as canonical JSON (sorted keys, no spaces, UTF-8), but for the tools.

        Their keys stay in order: a model sees them so, and the grammar that holds a small one to a schema
        asks for the arguments in the order of its properties. A grammar is named only where there is one:
        recordings are older than it.
        """
        names = (name for name in sorted(self.__slots__) if name != "grammar" or self.grammar)
        written = (f'"{name}":{self._json(name)}' for name in names)
        return f"{{{','.join(written)}}}"

    def _json(self, name: str) -> str:
        ordered = name != "tools"
        return json.dumps(getattr(self, name), sort_keys=ordered, separators=(",", ":"), ensure_ascii=False)

    def key(self) -> str:
        """Content address: SHA-256 of :meth:`canonical`, in hex."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()


class Backend(Protocol):
    """Something that answers requests: an endpoint, a local model, a recording or the surrogate."""

    name: str
    cpu_bound: bool
    """True when answering burns this machine's processor, so that streams run in processes."""

    async def generate(self, request: Request) -> Reply:
        """Answer one request. Raises :class:`~mnemocraft.errors.ModelError` when it finally fails."""
        ...

    async def aclose(self) -> None:
        """Release connections and child processes."""
        ...


@dataclass
class TokenLedger:
    """Tokens and calls by role, summed over an episode."""

    roles: dict[str, dict[str, int]] = field(default_factory=dict)

    def add(self, role: str, reply: Reply) -> None:
        """Count one reply under ``role`` (keys: prompt, completion, calls, cached, estimated)."""
        row = self.roles.setdefault(
            role, {"prompt": 0, "completion": 0, "calls": 0, "cached": 0, "estimated": 0}
        )
        row["prompt"] += reply.usage.prompt_tokens
        row["completion"] += reply.usage.completion_tokens
        row["calls"] += 1
        row["cached"] += reply.cached
        row["estimated"] += reply.usage.estimated
