"""A small OpenAI-compatible chat server on loopback, with a latency and a script of faults.

In tests it runs in a thread (``with FakeServer(...) as server: server.url``); benchmarks start it as a
process of its own (``python tests/fake_server.py --latency 0.2`` prints its address).
It checks what a real server checks (path, key, fields, the order of tool messages) and answers 4xx when
something is wrong, so that a client that sends nonsense fails its test.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """One misbehaviour: an HTTP status, a raw body, a pause, a connection cut, or a body without end."""

    status: int = 200
    message: str = "the server says no"
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    content_type: str = "application/json"
    reset: bool = False
    pause: float = 0.0
    drip: float = 0.0
    """Seconds between two bytes of the body."""
    endless: bool = False
    """Chunk after chunk, for ever."""


def say(text: str) -> Callable[[Body], Body]:
    """An answer that is always ``text``."""
    return lambda body: {"content": text}


def call(name: str, arguments: str) -> Callable[[Body], Body]:
    """An answer that is one native tool call; ``arguments`` is the JSON text, valid or not."""
    function = {"name": name, "arguments": arguments}
    return lambda body: {
        "content": None,
        "tool_calls": [{"id": "call_x", "type": "function", "function": function}],
    }


def echo(body: Body) -> Body:
    """The default answer: the last message's content."""
    return {"content": f"echo: {body['messages'][-1]['content']}"}


class FakeServer:
    """The server. ``faults`` are used up one per request, then ``answer`` replies.

    Args:
        answer: from the request body to the assistant message; a ``finish_reason`` in it is taken out.
        latency: seconds before every answer.
        key: the only API key accepted; None accepts any.
        usage: False leaves out the token figures.
        one_by_one: answers no request before the one before it, so that ``latency`` bounds answers a second.
        refuse: a message for requests that carry ``tools`` (status 400); None accepts them.
    """

    def __init__(
        self,
        answer: Callable[[Body], Body] = echo,
        *,
        faults: Iterable[Fault] = (),
        latency: float = 0.0,
        key: str | None = None,
        usage: bool = True,
        refuse: str | None = None,
        one_by_one: bool = False,
    ) -> None:
        self.answer, self.latency, self.key, self.usage, self.refuse = answer, latency, key, usage, refuse
        self.faults = deque(faults)
        self._turns = asyncio.Semaphore(1 if one_by_one else 512)
        self.requests: list[Body] = []
        self.at_once = 0
        self.most_at_once = 0
        self.url = ""
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> FakeServer:
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self.start())
        self._ready.set()
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0.01))

    async def start(self) -> None:
        """Listen on a free port of loopback; ``url`` is then set."""
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0, backlog=512)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._server = server

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                first, *lines = head.strip().split("\r\n")
                headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                self.at_once += 1
                self.most_at_once = max(self.most_at_once, self.at_once)
                try:
                    fault, payload = await self._respond(first, headers, body)
                finally:
                    self.at_once -= 1
                if not self._write(writer, fault, payload):
                    break
                await writer.drain()
                await self._go_on(writer, fault, payload)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _respond(self, first: str, headers: dict[str, str], body: bytes) -> tuple[Fault, bytes]:
        if problem := self._check(first, headers, body):
            return problem, _error(problem)
        request = json.loads(body)
        self.requests.append(request)
        fault = self.faults.popleft() if self.faults else Fault()
        async with self._turns:
            await asyncio.sleep(self.latency + fault.pause)
        if fault.raw is not None:
            return fault, fault.raw
        return fault, _error(fault) if fault.status >= 400 else self._completion(request)

    def _check(self, first: str, headers: dict[str, str], body: bytes) -> Fault | None:
        method, path, _ = first.split(" ", 2)
        if (method, path) != ("POST", "/v1/chat/completions"):
            return Fault(404, f"unknown path {path}")
        given = headers.get("authorization", "")
        if self.key is not None and given != f"Bearer {self.key}":
            return Fault(401, f"Incorrect API key provided: {given}")
        try:
            request = json.loads(body)
        except ValueError:
            return Fault(400, "the body is not JSON")
        if self.refuse is not None and request.get("tools"):
            self.requests.append(request)
            return Fault(400, self.refuse)
        problem = _problem(request)
        return Fault(400, problem) if problem else None

    def _completion(self, request: Body) -> bytes:
        message = {"role": "assistant", **self.answer(request)}
        finish = message.pop("finish_reason", "tool_calls" if message.get("tool_calls") else "stop")
        reply = {
            "id": "chatcmpl-fake",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        }
        if self.usage:
            prompt, completion = len(json.dumps(request["messages"])) // 4, len(json.dumps(message)) // 4
            reply["usage"] = {
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "total_tokens": prompt + completion,
            }
        return json.dumps(reply).encode()

    def _write(self, writer: asyncio.StreamWriter, fault: Fault, payload: bytes) -> bool:
        head = f"HTTP/1.1 {fault.status} Fake\r\nContent-Type: {fault.content_type}\r\n"
        head += "".join(f"{k}: {v}\r\n" for k, v in fault.headers.items())
        length = "Transfer-Encoding: chunked" if fault.endless else f"Content-Length: {len(payload)}"
        shown = 0 if fault.drip or fault.endless else len(payload) // 2 if fault.reset else None
        writer.write(f"{head}{length}\r\n\r\n".encode() + payload[:shown])
        if fault.reset:  # no lingering: the peer gets a reset, not a polite end
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        return not fault.reset

    async def _go_on(self, writer: asyncio.StreamWriter, fault: Fault, payload: bytes) -> None:
        """The body of a reply that takes its time."""
        while fault.endless:
            writer.write(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
            await writer.drain()
        for place in range(len(payload) if fault.drip else 0):
            writer.write(payload[place : place + 1])
            await asyncio.sleep(fault.drip)


def _error(fault: Fault) -> bytes:
    return json.dumps({"error": {"message": fault.message, "type": "fake", "code": None}}).encode()


def _problem(request: Body) -> str | None:
    """What a strict server would refuse in this body; None when all is well."""
    messages = request.get("messages")
    if not isinstance(request.get("model"), str) or not isinstance(messages, list) or not messages:
        return "'model' and 'messages' are required"
    if any(value is None for value in request.values()):
        return "null is not allowed in the body"
    known: set[str] = set()
    for message in messages:
        if message.get("role") not in ("system", "user", "assistant", "tool"):
            return f"unknown role {message.get('role')!r}"
        known |= {c["id"] for c in message.get("tool_calls") or ()}
        if message["role"] == "tool" and message.get("tool_call_id") not in known:
            return "messages with role 'tool' must answer a preceding tool call"
    return None


async def _serve(latency: float) -> None:
    server = FakeServer(latency=latency)
    await server.start()
    print(server.url, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds before every answer")
    asyncio.run(_serve(parser.parse_args().latency))
