"""The one chat interface: a backend with a cache, a budget, and a limit on requests at a time."""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import hashlib
import math
from collections import Counter, deque
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from mnemocraft.bounded import whole
from mnemocraft.errors import MnemocraftError, ModelError, ModelUnavailable, RequestTooLong
from mnemocraft.llm.budget import FREE, Budget, Price, Totals, prices
from mnemocraft.llm.cache import AnswerCache, is_refusal
from mnemocraft.llm.toolformat import normal
from mnemocraft.llm.types import Backend, Message, Reply, Request, Tool

FAILURES_IN_A_ROW = 5
"""So many final failures one after the other stop the run."""
ANSWERS_LOOKED_AT = 40
"""Of the last so many answers that were sent for, most must not be empty, else the run stops."""
_CLAIM_POLL_S = 0.02
BACKENDS = {"surrogate": "mnemocraft.surrogate:Surrogate.from_name"}
"""Backends from outside this package: what makes one of a model's name, opened only when it is asked for."""
RESERVED = (*BACKENDS, "local", "replay")
"""Names that mean no server's model."""


class Model:
    """A chat model. Use it within one event loop at a time.

    Args:
        name: as the user gave it.
        backend: what answers.
        cache: where answers are kept, or None.
        budget: what may be sent, or None for no limit.
        max_concurrency: requests sent at a time.
        price: list price; None when it is unknown.

    Attributes:
        usage: totals of everything handed out (:class:`~mnemocraft.llm.budget.Totals`).
        failures: how often each thing went wrong, by kind, whether or not a retry mended it;
            ``gave_up`` counts the requests that finally failed.
    """

    def __init__(
        self,
        name: str,
        backend: Backend,
        *,
        cache: AnswerCache | None = None,
        budget: Budget | None = None,
        max_concurrency: int = 16,
        price: Price | None = None,
    ) -> None:
        if budget is not None:
            budget.require_price(name, price)
        self.name, self.cpu_bound = name, backend.cpu_bound
        self.usage = Totals()
        self.failures: Counter[str] = Counter()
        if isinstance(own := getattr(backend, "failures", None), Counter):
            self.failures = own  # one count for what the backend sees and what is seen here
        self._backend, self._cache, self._budget, self._price = backend, cache, budget, price
        self._max_concurrency = max_concurrency
        # An instant backend with nothing to look up or to limit is called directly: no hash, no queue.
        self._direct = backend.cpu_bound and cache is None and budget is None
        self._failed_in_a_row = 0
        self._empty: deque[bool] = deque(maxlen=ANSWERS_LOOKED_AT)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._slots = asyncio.Semaphore(max_concurrency)
        self._in_flight: dict[str, asyncio.Task[Reply]] = {}

    async def complete(
        self,
        messages: list[Message],
        tools: list[Tool] | None = None,
        temperature: float = 0.0,
        max_tokens: int = 512,
        stop: list[str] | str | None = None,
        seed: int | None = None,
        sample: int = 0,
        grammar: str | None = None,
    ) -> Reply:
        """Answer a conversation.

        Args:
            messages: OpenAI chat messages.
            tools: OpenAI tool definitions.
            temperature: 0 for the likeliest answer.
            max_tokens: longest answer; a longer one comes back cut.
            stop: strings that end the answer.
            seed: of the server's draw, with all that is asked (:func:`mnemocraft.llm.endpoint.draw`).
            sample: index of this draw among repeats of one request; each has its own answer in the cache.
            grammar: what the answer is held to, where the model runs here (``local``).

        Returns:
            The reply; ``cached`` when it cost nothing.

        Raises:
            ModelError: this request finally failed.
            ModelUnavailable: the model cannot be used; stop the run.
            BudgetExceeded: the budget is used up; stop the run.
            ReplayMiss: the recording has no answer to this request.
            MnemocraftError: an argument is none that can be sent.
        """
        if not isinstance(messages, list) or not all(isinstance(m, dict) and "role" in m for m in messages):
            raise MnemocraftError("messages must be a list of OpenAI chat messages (dicts with a role).")
        if not messages:
            raise MnemocraftError("messages must not be empty.")
        if not isinstance(temperature, int | float) or not 0 <= temperature < math.inf:
            raise MnemocraftError(f"temperature must be a number from 0 on, not {temperature!r}.")
        whole(max_tokens, "max_tokens", 1)
        whole(sample, "sample", 0)
        if seed is not None:
            whole(seed, "seed", 0)
        request = Request(
            self._backend.name, messages, tools, temperature, max_tokens, _stops(stop), seed, sample, grammar
        )
        if self._direct:
            reply = await self._backend.generate(request)
        else:
            reply = await self._keyed(normal(request))
        self._note(reply, tools)
        return reply

    async def aclose(self) -> None:
        """Finish what is in flight, then close the backend and the cache."""
        if self._loop is asyncio.get_running_loop():
            await asyncio.gather(*self._in_flight.values(), return_exceptions=True)
        await self._backend.aclose()
        if self._cache is not None:
            self._cache.close()

    async def _keyed(self, request: Request) -> Reply:
        """From the cache, from an identical request in flight, or from the backend."""
        key = _key(request)
        if self._cache is not None and (hit := self._cache.get(key)):
            return hit
        self._bind()
        task = self._in_flight.get(key)
        if task is not None:
            return replace(await asyncio.shield(task), cached=True)
        # A task of its own: when the caller is cancelled the answer, which is being paid for, is kept.
        task = asyncio.create_task(self._ask(key, request))
        self._in_flight[key] = task
        task.add_done_callback(lambda done: self._landed(key, done))
        return await asyncio.shield(task)

    def _bind(self) -> None:
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._in_flight = loop, {}
            self._slots = asyncio.Semaphore(self._max_concurrency)

    def _landed(self, key: str, task: asyncio.Task[Reply]) -> None:
        self._in_flight.pop(key, None)
        if not task.cancelled():
            task.exception()  # seen here, so that no warning is printed when every caller has gone

    async def _ask(self, key: str, request: Request) -> Reply:
        if self._cache is None:
            return await self._send(request)
        async with self._claimed(key, self._cache):
            if hit := self._cache.get(key):  # another process had the claim and got the answer
                return hit
            try:
                reply = await self._send(request)
            except ModelError as error:
                self._cache.put(request, error, key)
                raise
            self._cache.put(request, reply, key)
            return reply

    @contextlib.asynccontextmanager
    async def _claimed(self, key: str, cache: AnswerCache) -> AsyncIterator[None]:
        while not cache.claim(key):
            await asyncio.sleep(_CLAIM_POLL_S)
        try:
            yield
        finally:
            cache.release(key)

    async def _send(self, request: Request) -> Reply:
        async with self._slots:
            if self._failed_in_a_row >= FAILURES_IN_A_ROW:
                raise ModelUnavailable(self._gone("it failed too often"))
            if self._budget is not None:
                self._budget.check()
            try:
                reply = await self._backend.generate(request)
            except ModelError as error:
                self.failures["gave_up"] += 1
                if isinstance(error, RequestTooLong):  # no sign that the model is gone
                    raise
                self._failed_in_a_row += 1
                if self._failed_in_a_row >= FAILURES_IN_A_ROW:
                    raise ModelUnavailable(self._gone(str(error))) from None
                raise
        self._failed_in_a_row = 0
        if not reply.cached:
            self.usage.pay(reply.usage, self._price)
            if self._budget is not None:
                self._budget.spend(reply.usage, self._price)
        self._empty.append(is_refusal(reply))
        if len(self._empty) == ANSWERS_LOOKED_AT and sum(self._empty) > ANSWERS_LOOKED_AT // 2:
            raise ModelUnavailable(
                f"{sum(self._empty)} of the last {ANSWERS_LOOKED_AT} answers of model '{self.name}' were "
                "empty or refusals; it cannot play, or its server is set up wrongly."
            )
        return reply

    def _gone(self, why: str) -> str:
        return f"Model '{self.name}' failed {self._failed_in_a_row} requests in a row; the last: {why}"

    def _note(self, reply: Reply, tools: list[Tool] | None) -> None:
        self.usage.add(reply, self._price)
        for call in reply.tool_calls:
            if call.error is not None:
                self.failures["malformed_call"] += 1
            elif tools is None or all(call.name != tool["function"]["name"] for tool in tools):
                self.failures["unknown_tool"] += 1
        if is_refusal(reply):
            self.failures["empty_answer"] += 1


def _key(request: Request) -> str:
    try:
        return request.key()
    except (TypeError, ValueError) as error:
        raise MnemocraftError(f"The messages and tools must be plain JSON: {error}.") from None


def _stops(stop: list[str] | str | None) -> list[str] | None:
    return [stop] if isinstance(stop, str) else stop or None


def content_name(name: str) -> str:
    """A model's name; for a model file or a recording with a fingerprint of its content.

    Raises:
        MnemocraftError: there is no such file, or an extra is missing.
    """
    kind, _, rest = name.partition(":")
    if kind == "local":
        from mnemocraft.llm.local import find_model

        return f"local:{find_model(rest).name}"
    if kind == "replay":
        from mnemocraft.llm.replay import find_recording

        return f"{name}@{hashlib.sha256(find_recording(rest).read_bytes()).hexdigest()[:12]}"
    return name


def get_model(
    name: str,
    *,
    cache: str | Path | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    max_concurrency: int = 16,
    max_retries: int = 4,
    budget: Budget | None = None,
    **options: Any,
) -> Model:
    """A model by name.

    Args:
        name: ``surrogate`` (or ``surrogate:knowledge=0.5,attention=0.9,slip=0.02``), ``local`` (or
            ``local:<adapter>`` or ``local:/path/to/model.gguf``), ``replay:<recording>``, or the name of a
            model on an OpenAI-compatible server.
        cache: file in which answers are kept and looked up.
        base_url, api_key: the server's; by default ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY``.
        max_concurrency: requests sent at a time (a local model takes ``parallel``).
        max_retries: how often a request is tried again.
        budget: limit on what is sent; for a server's model with a price, 10 dollars if none is given.
        options: for an endpoint ``timeout`` (seconds) and ``tool_mode`` (``native`` or ``text``); for a
            local model ``timeout``, ``context`` (tokens), ``threads``, ``parallel`` (requests at a time) and
            ``server`` (the address of one that has this model already).

    Raises:
        MnemocraftError: something is missing or unknown; one sentence says what.
    """
    if not isinstance(name, str):
        raise MnemocraftError(f"The name of a model must be a text, such as 'surrogate', not {name!r}.")
    whole(max_concurrency, "max_concurrency", 1)
    whole(max_retries, "max_retries", 0)
    if budget is not None and not isinstance(budget, Budget):
        raise MnemocraftError(f"budget must be Budget(tokens=..., dollars=...), not {budget!r}.")
    kind, _, rest = name.partition(":")
    if kind not in RESERVED:
        if meant := difflib.get_close_matches(kind.lower(), RESERVED, cutoff=0.85):
            raise MnemocraftError(f"There is no model '{name}'; did you mean '{meant[0]}'?")
        kind = "endpoint"
    _check_options(name, kind, options, base_url, api_key)
    price: Price | None = FREE
    backend: Backend
    if kind in BACKENDS:
        backend = resolve_name(BACKENDS[kind])(name)
    elif kind == "replay":
        from mnemocraft.llm.replay import Replay

        backend = Replay(rest)
        price = prices().get(backend.name)
    elif kind == "local":
        from mnemocraft.llm.local import Local

        for what in options.keys() - {"timeout", "server"}:
            whole(options[what], what, 1)
        backend = Local(rest, **options)
        max_concurrency = options.get("parallel", 1)
    else:
        from mnemocraft.llm.endpoint import Endpoint

        backend = Endpoint(name, base_url=base_url, api_key=api_key, max_retries=max_retries, **options)
        price = prices().get(name)
        budget = budget or Budget.default(name)
    return Model(
        name,
        backend,
        cache=AnswerCache(cache) if cache is not None else None,
        budget=budget,
        max_concurrency=max_concurrency,
        price=price,
    )


_OPTIONS = {
    "endpoint": {"timeout", "tool_mode"},
    "local": {"timeout", "context", "threads", "parallel", "server"},
}


def _check_options(name: str, kind: str, options: dict[str, Any], base_url: Any, api_key: Any) -> None:
    if not name:
        raise MnemocraftError("A model needs a name: surrogate, local, replay:<recording>, or a server's.")
    allowed = _OPTIONS.get(kind, set())
    if unknown := sorted(options.keys() - allowed):
        accepted = ", ".join(sorted(allowed)) or "no further options"
        raise MnemocraftError(f"Model '{name}' does not know {', '.join(unknown)}; it accepts {accepted}.")
    if kind != "endpoint" and (base_url or api_key):
        raise MnemocraftError(f"base_url and api_key are for a server's model; '{name}' uses none.")
