"""Any OpenAI-compatible server (OpenAI, vLLM, Ollama, llama.cpp), through the ``openai`` client.

The client's own retries do the waiting: 429, 5xx, time-outs and lost connections, with back-off and
``Retry-After``. Answers that arrive whole but cannot be read are handed to the same retries by raising
the transport error they amount to.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
from collections import Counter
from dataclasses import dataclass
from typing import Any, TypeGuard

import aiohttp
import httpx2
import openai

from mnemocraft.bounded import read_json
from mnemocraft.errors import SHORTEST_KEY, MnemocraftError, ModelError, ModelUnavailable, RequestTooLong
from mnemocraft.llm import toolformat
from mnemocraft.llm.types import MOST_TOKENS, Reply, Request, ToolCall, Usage

log = logging.getLogger(__name__)
Json = dict[str, Any]

_TOO_LONG = ("context size", "context length", "context window", "prompt is too long")
"""How servers say that a request does not fit (llama.cpp, OpenAI and vLLM, others)."""
LONGEST_BODY = 4_000_000
"""Bytes of a server's reply; the longest answer that is kept takes less, however it is written."""
LONGEST_ANSWER = 64_000
"""Characters of an answer that are kept: four times what 4,096 tokens, the most that is asked for, take."""
MOST_CALLS = 16
"""Tool calls of one answer that are read."""
MASK = "[API key]"
_STATUS_KINDS = {400: "refused_request", 401: "refused_key", 408: "timeout", 429: "rate_limit"}


@dataclass
class Dialect:
    """What this server and model turned out not to understand; learnt from refusals, for the session."""

    text_tools: bool = False
    completion_limit: bool = False
    """OpenAI's reasoning models want ``max_completion_tokens`` in place of ``max_tokens``."""
    no_temperature: bool = False
    """OpenAI's reasoning models accept no temperature but their own."""


class Endpoint:
    """A backend that asks a chat server over HTTP.

    Args:
        model: the server's name of the model.
        base_url, api_key: default to ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``.
        max_retries: how often one request is tried again.
        timeout: seconds for one try, to the last byte of the reply.
        tool_mode: ``"native"`` tool calls, ``"text"`` for JSON in text, None to start with native and
            change over when the server refuses the ``tools`` field.
        constrain: ask the server to hold text-mode calls to the tools' JSON schema, and answers to grammars.
        stop: stop strings added to every request.

    Attributes:
        name: in requests and caches: the model's, marked when ``tool_mode="text"``.

    Raises:
        MnemocraftError: no API key, an unknown tool mode, or an address or a timeout that is none.
    """

    cpu_bound = False

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        max_retries: int = 4,
        timeout: float = 600.0,
        tool_mode: str | None = None,
        constrain: bool = False,
        stop: tuple[str, ...] = (),
    ) -> None:
        if tool_mode not in (None, "native", "text"):
            raise MnemocraftError(f"tool_mode must be 'native' or 'text', not {tool_mode!r}.")
        if not isinstance(timeout, int | float) or not timeout > 0:
            raise MnemocraftError(f"timeout must be a number of seconds above 0, not {timeout!r}.")
        self.model, self._tool_mode, self._constrain, self._stop = model, tool_mode, constrain, stop
        self.name = f"{model}#text{toolformat.VERSION}" if tool_mode == "text" else model
        self.failures: Counter[str] = Counter()
        self._dialect = Dialect(text_tools=tool_mode == "text")
        self._tools_worked = False
        self._base_url = base_url or os.environ.get("OPENAI_BASE_URL")
        try:
            httpx2.URL(self._base_url or "")
        except httpx2.InvalidURL as error:
            raise MnemocraftError(f"The base_url (or OPENAI_BASE_URL) is no address: {error}.") from None
        self._key = _find_key(model, self._base_url, api_key)
        self._max_retries, self._timeout = max_retries, timeout
        self._client: openai.AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn = asyncio.Lock()

    async def generate(self, request: Request) -> Reply:
        """Ask the server.

        Raises:
            ModelError: the request finally failed.
            ModelUnavailable: no request can succeed (wrong key, unknown model, no grammars).
        """
        if request.grammar and not self._constrain:
            raise ModelUnavailable(f"'{self.model}' cannot be held to a grammar; a model 'local:...' can.")
        while True:
            dialect = Dialect(**vars(self._dialect))
            body = self._body(request, dialect)
            try:
                response = await self._post(body)
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if self._learn(error, request) or dialect != self._dialect:
                    continue
                raise self._final(error) from None
            except openai.OpenAIError as error:
                raise self._final(error) from None
            return self.read(read_json(response.text), request, "tools" in body)

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _post(self, body: Json) -> httpx2.Response:
        """Send one body, one at a time up to the point where it is on its way.

        Preparing a request keeps the processor busy for a millisecond or two. Many prepared in turns
        would all leave at the end; one after the other, the first is answered while the last is prepared.
        """
        self._bind()
        assert self._client is not None
        async with self._turn:
            sending = asyncio.create_task(
                self._client.post("/chat/completions", body=body, cast_to=httpx2.Response)
            )
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError:
                sending.cancel()
                raise
        return await sending

    def _bind(self) -> None:
        """A new client in a new event loop, because connections and locks belong to their loop."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._loop, self._turn = loop, asyncio.Lock()
            self._client = openai.AsyncOpenAI(
                base_url=self._base_url,
                api_key=self._key,
                max_retries=self._max_retries,
                timeout=self._timeout,
                # Nobody has asked for a compressed reply, so that its length is that of its text.
                default_headers={"Accept-Encoding": "identity"},
                http_client=_Http(self.failures, self._timeout),
            )

    def _body(self, request: Request, dialect: Dialect) -> Json:
        body: Json = {"model": self.model, "messages": request.messages, "temperature": request.temperature}
        body["max_completion_tokens" if dialect.completion_limit else "max_tokens"] = request.max_tokens
        if dialect.no_temperature:
            del body["temperature"]
        if stop := [*(request.stop or ()), *self._stop]:
            body["stop"] = stop
        if request.seed is not None:
            body["seed"] = draw(request)
        if request.grammar:
            body["grammar"] = request.grammar
        if dialect.text_tools:
            body["messages"] = toolformat.as_text(request.messages, request.tools)
            if self._constrain and request.tools:
                schema = {"name": "call", "schema": toolformat.call_schema(request.tools)}
                body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif request.tools:
            body["tools"] = request.tools
        return body

    def _learn(self, error: openai.APIStatusError, request: Request) -> bool:
        """Whether a refusal taught us something, so that the request is worth sending again."""
        said, dialect = str(error).lower(), self._dialect
        if "max_completion_tokens" in said and not dialect.completion_limit:
            dialect.completion_limit = True
        elif "temperature" in said and "support" in said and not dialect.no_temperature:
            dialect.no_temperature = True
            log.warning("%s accepts no temperature; its own default is used.", self.model)
        elif request.tools and not dialect.text_tools and self._refuses_tools(said):
            dialect.text_tools = True
            log.warning("%s takes no tool calls; they are asked for as JSON in text.", self.model)
        else:
            return False
        return True

    def _refuses_tools(self, said: str) -> bool:
        """A 400 about tools from a server that never answered one; later ones mean something else."""
        if self._tool_mode is not None or self._tools_worked or any(words in said for words in _TOO_LONG):
            return False  # a dialogue's length is told with that of its tools
        return "tool" in said or "function" in said

    def _final(self, error: openai.OpenAIError) -> ModelError | ModelUnavailable:
        """Our error for the client's last one, in one sentence and without the key."""
        if isinstance(error, openai.APIStatusError):
            said = f"status {error.status_code}: {_message(error)}"
        elif isinstance(error, openai.APITimeoutError):
            said = f"no answer within {self._timeout:g} s"
        else:
            said = str(error.__cause__ or error)
        said = " ".join(self._masked(said).split())[:300]
        if isinstance(error, openai.AuthenticationError):
            return ModelUnavailable(f"The server refuses the API key for '{self.model}' ({said}).")
        if isinstance(error, openai.NotFoundError):
            return ModelUnavailable(f"The server does not know the model '{self.model}' ({said}).")
        too_long = isinstance(error, openai.BadRequestError) and any(s in said.lower() for s in _TOO_LONG)
        kind = RequestTooLong if too_long else ModelError
        return kind(f"A request to '{self.model}' failed for good ({said}).")

    def read(self, data: Json, request: Request, native: bool) -> Reply:
        """The reply of a body that is not :func:`unreadable`; ``native``: tools were sent as such."""
        choice = data["choices"][0]
        message = choice["message"]
        if choice.get("finish_reason") == "length":
            self.failures["cut_answer"] += 1
        usage = _usage(data, request, message)
        if message.get("refusal") or choice.get("finish_reason") == "content_filter":
            # An empty reply is what the cache recognises and does not keep.
            self.failures["refused_answer"] += 1
            why = self._masked(str(message.get("refusal") or "content filter"))[:300]
            log.warning("%s refused to answer: %s", self.model, why)
            return Reply("", [], usage)
        self._tools_worked |= native
        text = self._masked(toolformat.strip_reasoning(_text(message.get("content"))))
        if len(text) > LONGEST_ANSWER:
            self.failures["long_answer"] += 1
            text = text[:LONGEST_ANSWER]
        calls = _native_calls(message.get("tool_calls"))
        if len(calls) > MOST_CALLS:
            self.failures["too_many_calls"] += 1
            del calls[MOST_CALLS:]
        if request.tools and not native and not calls:
            text, calls = toolformat.parse_call(text)
        masked = [ToolCall(*self._masked([call.name, call.arguments, call.error])) for call in calls]
        return Reply(text, masked, usage)

    def _masked(self, value: Any) -> Any:
        """JSON without the API key, which some servers repeat: nothing that is kept or shown may hold it."""
        if isinstance(value, str) and len(self._key) >= SHORTEST_KEY:
            return value.replace(self._key, MASK)
        if isinstance(value, dict):
            return {self._masked(name): self._masked(item) for name, item in value.items()}
        return [self._masked(item) for item in value] if isinstance(value, list) else value


class _Unreadable(httpx2.RemoteProtocolError):
    """A reply that arrived and cannot be read; the argument says why. The client tries again."""

    def __init__(self, why: str, *, request: httpx2.Request) -> None:
        super().__init__(f"the answer cannot be read: {why}", request=request)


class _Http(openai.DefaultAioHttpClient):
    """The client's HTTP layer, counting every failed try and refusing answers that cannot be read.

    On aiohttp, because a call then costs half the processor time it does with httpx's own transport,
    which is what limits 64 requests at a time.
    """

    def __init__(self, failures: Counter[str], deadline: float) -> None:
        super().__init__()
        self._failures, self._deadline = failures, deadline

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        try:
            # The client's own time-outs act between two bytes, and a server may drip for ever.
            async with asyncio.timeout(self._deadline):
                response = await self._whole(await super().send(request, **{**options, "stream": True}))
        except _Unreadable:
            self._failures["unreadable_answer"] += 1
            raise
        except (httpx2.RequestError, aiohttp.ClientError, OSError) as error:
            # Told apart here: the aiohttp transport calls some broken connections time-outs.
            if isinstance(error, TimeoutError) or isinstance(error.__cause__, TimeoutError):
                self._failures["timeout"] += 1
                raise httpx2.ReadTimeout("timed out", request=request) from error
            self._failures["connection"] += 1
            why = str(error) or type(error.__cause__ or error).__name__
            raise httpx2.ReadError(f"the connection broke: {why}", request=request) from error
        status = response.status_code
        if status >= 400:
            other = "server_error" if status >= 500 else "refused_request"
            self._failures[_STATUS_KINDS.get(status, other)] += 1
        elif problem := unreadable(response.text):
            self._failures["unreadable_answer"] += 1
            raise _Unreadable(problem, request=request)
        return response

    async def _whole(self, response: httpx2.Response) -> httpx2.Response:
        """The response with its body read, if that is of a bearable size and what was asked for."""
        body = bytearray()
        try:
            if response.headers.get("content-encoding", "identity").lower() != "identity":
                raise _Unreadable("it is compressed, which nobody asked for", request=response.request)
            async for part in response.aiter_raw():
                body += part
                if len(body) > LONGEST_BODY:
                    raise _Unreadable(f"it is longer than {LONGEST_BODY:,} bytes", request=response.request)
        finally:
            await response.aclose()
        return httpx2.Response(
            response.status_code, headers=response.headers, content=bytes(body), request=response.request
        )

    def __del__(self) -> None:
        # A model that nobody closed, as in a notebook: aiohttp would print an error for each connection.
        session = getattr(getattr(self, "_transport", None), "client", None)
        if isinstance(session, aiohttp.ClientSession) and session.connector is not None:
            closing = session.connector.close().__await__()
            with contextlib.suppress(StopIteration, RuntimeError):  # no loop may be left to wait in
                next(closing)
            closing.close()


def draw(request: Request) -> int:
    """The seed that is sent: of the request's seed and of all that is asked, 31 bits.

    A server that is sent the same seed draws the same numbers. Were it the request's own, all answers of all
    episodes of a seed would share their luck, and a request that is sampled anew would get its answer again.
    """
    return int(request.key()[:8], 16) & 0x7FFF_FFFF


def _find_key(model: str, base_url: str | None, api_key: str | None) -> str:
    if key := api_key or os.environ.get("OPENAI_API_KEY"):
        return key
    if base_url:
        return "none"  # a server of one's own usually asks for no key; the client insists on some text
    raise MnemocraftError(
        f"Model '{model}' needs an API key: set OPENAI_API_KEY (and OPENAI_BASE_URL for another server), "
        "or use 'surrogate' or 'local', which need none."
    )


def unreadable(body: str) -> str | None:
    """Why a 2xx body is no chat completion; None when it is one."""
    try:
        data = read_json(body)
    except ValueError as error:
        return f"not JSON ({error})"
    choices = data.get("choices") if isinstance(data, dict) else None
    if not isinstance(choices, list) or not choices:
        return "it has no choices"
    if not isinstance(choices[0], dict) or not isinstance(choices[0].get("message"), dict):
        return "its first choice has no message"
    return None


def _message(error: openai.APIStatusError) -> str:
    body = error.body
    if isinstance(body, dict) and isinstance(body.get("message"), str):
        return body["message"]
    return error.message


def _text(content: Any) -> str:
    """Text of a message's content, which some servers send as a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _native_calls(calls: Any) -> list[ToolCall]:
    """The calls of an answer, one more than are kept at the most."""
    calls = calls[: MOST_CALLS + 1] if isinstance(calls, list) else []
    functions = [call.get("function") for call in calls if isinstance(call, dict)]
    return [
        toolformat.native_call(str(function.get("name") or "")[:200], function.get("arguments"))
        for function in functions
        if isinstance(function, dict)
    ]


def _usage(data: Json, request: Request, message: Json) -> Usage:
    """The server's figures; where it gives none that make sense, four characters to a token."""
    figures = data.get("usage")
    if isinstance(figures, dict):
        prompt, completion = figures.get("prompt_tokens"), figures.get("completion_tokens")
        if _is_count(prompt) and _is_count(completion):
            return Usage(prompt, completion)
    sent = json.dumps([request.messages, request.tools], ensure_ascii=False)
    return Usage(len(sent) // 4, len(json.dumps(message, ensure_ascii=False)) // 4, estimated=True)


def _is_count(tokens: Any) -> TypeGuard[int]:
    return type(tokens) is int and 0 <= tokens <= MOST_TOKENS
