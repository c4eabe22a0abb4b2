"""Whether the model that runs here says what a recording holds: the same requests, asked again."""

from __future__ import annotations

import asyncio
import itertools
import re
import time
from dataclasses import replace

import pandas as pd

from mnemocraft.agents.prompts import text
from mnemocraft.llm.cache import reply_from_json
from mnemocraft.llm.local import Local
from mnemocraft.llm.replay import find_recording, read_recording
from mnemocraft.llm.types import Reply, Request
from mnemocraft.studies.how2.load import ADAPTER

ROLES = {"parse": "parse", "relevance": "relevance", "ask": "ask", "teacher": "teacher_non_executable"}
"""Roles beside the Actor, and the file of each one's prompt."""


def asked_again(number: int = 40, threads: int = 1) -> tuple[pd.DataFrame, float]:
    """Ask How2's small model its recorded requests again, the shortest of each role in turn.

    Answers are greedy but in name (a low temperature with a seed), so that they are the recorded ones where
    llama.cpp rounds as it did there; it was compiled for another processor.

    Args:
        number: Of requests.
        threads: Processor threads that answer.

    Returns:
        By role: ``same`` (text and calls are equal), ``asked`` and ``share``; and answers a second.

    Raises:
        MissingExtra: The extra ``local`` is not installed.
        MnemocraftError: The recording is not there.
    """
    chosen = _chosen(number)
    started = time.perf_counter()
    replies = asyncio.run(_replies([request for _, request, _ in chosen], threads))
    seconds = time.perf_counter() - started
    rows = [
        {"role": role, "same": _said(found) == _said(kept)}
        for (role, _, kept), found in zip(chosen, replies, strict=True)
    ]
    table = pd.DataFrame(rows).groupby("role")["same"].agg(["sum", "size", "mean"])
    return table.set_axis(["same", "asked", "share"], axis=1), len(chosen) / seconds


def role_of(request: Request) -> str:
    """Who asked: the Actor has tools, the others are told by their prompts."""
    if request.tools:
        return "actor"
    asked = request.messages[-1]["content"]
    return next(role for role, name in ROLES.items() if _pattern(name).fullmatch(asked))


def _pattern(name: str) -> re.Pattern[str]:
    """A prompt whose placeholders are anything."""
    parts = re.split(r"\$\{?\w+\}?", text("how2", name).strip())
    return re.compile(".*?".join(map(re.escape, parts)) + r"\s*", re.DOTALL)


def _chosen(number: int) -> list[tuple[str, Request, Reply]]:
    _, entries = read_recording(find_recording(ADAPTER))
    by_role: dict[str, list[tuple[str, Request, Reply]]] = {}
    for entry in entries:
        reply, request = reply_from_json(entry["reply"]), Request(**entry["request"])
        if isinstance(reply, Reply):
            by_role.setdefault(role := role_of(request), []).append((role, request, reply))
    shortest = [sorted(asked, key=lambda one: one[2].usage.prompt_tokens) for asked in by_role.values()]
    turns = itertools.chain.from_iterable(itertools.zip_longest(*shortest))
    return list(itertools.islice(filter(None, turns), number))


async def _replies(requests: list[Request], threads: int) -> list[Reply]:
    server = Local(ADAPTER, threads=threads)
    try:
        return [await server.generate(replace(request, model=server.name)) for request in requests]
    finally:
        await server.aclose()


def _said(reply: Reply) -> tuple[str, list[tuple[str, object]]]:
    return reply.text, [(call.name, call.arguments) for call in reply.tool_calls]
