"""Serves a small model with PyTorch, as llama.cpp's server does, many answers at a time: for recordings.

``python -m training.serving.server kitchen_gemma-3-270m`` answers OpenAI's chat requests on loopback until
it is stopped; ``python -m training.recording 09 --go-on --server http://127.0.0.1:8300/v1`` asks it. Answers
are drawn as llama.cpp draws them if nothing else is said, and may be held to a grammar or a JSON schema. It
needs the extra ``finetune``, and ``serving`` for answers that are held to a form.
On a graphics card it gives some 24 answers a second. On a processor (``--device cpu``) that multiplies
bfloat16 it takes less time than llama.cpp (``training/finetune/PLAN.md`` has the numbers), with one thread;
every core can have one, on a port of its own, and a part of the streams (``--part`` of a recording).
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import logging
import math
import queue
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import torch
from aiohttp import web

from mnemocraft.errors import MissingExtra, MnemocraftError
from mnemocraft.llm.local import CHAT_TEMPLATE, find_model
from training.serving.engine import CHUNKS, DRAFTS, Engine, load
from training.serving.words import Words

STEPS = 4
"""Tokens of every dialogue between two looks at whether one has ended, or another waits, on a card."""
PROMPTS = 4
"""Prompts that are read between such steps at most."""
ALIKE = 3
"""Tokens that must have come before for what came after them to be guessed."""
HEARD, KEPT = (12, 6), 1_000_000
"""The same in an earlier answer, of whatever dialogue; after as many as the first it is likely to go on as
there. So many such places are kept."""
LIKELY, BOLDEST = 24, 64
"""Tokens that are guessed then at least, and at most when all before were right: an answer may repeat a
whole plan."""
LIKELIEST, SHARE, LEAST = 40, 0.95, 0.05
"""An answer is drawn from so many of the likeliest tokens, of these from the likeliest that have this share
together, and of these from those that are at least this part as likely as the first: llama.cpp's defaults."""
SPACES = 20
"""Between two parts of a JSON text at most, as in llama.cpp's grammars of schemas."""
_TEMPLATE = jinja2.Template(CHAT_TEMPLATE)


@dataclass
class Job:
    """One request.

    Attributes:
        tokens: Of the prompt.
        longest: Tokens of the answer at most.
        stops: Texts that end it.
        matcher: What holds it to a form (``xgrammar``), if anything does.
        temperature: 0 for the likeliest tokens.
        random: What others are drawn with.
        answer: Tokens so far.
        begun: When its prompt had been read.
        timings: What llama.cpp's server tells of an answer, by its names: tokens of the prompt that were
            computed and that were there, of the answer, of drafts and of those that were right; milliseconds.
        marked: Whether a token that ends a turn came after the answer.
        bold: How many of its next tokens are guessed: twice as many as before while all are right.
        done: The answer, when it has ended; True if it ended by itself.
    """

    tokens: list[int]
    longest: int
    stops: tuple[str, ...] = ()
    matcher: Any = None
    temperature: float = 0.0
    random: np.random.Generator = field(default_factory=np.random.default_rng)
    answer: list[int] = field(default_factory=list)
    begun: float = 0.0
    timings: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    marked: bool = False
    bold: int = 0
    done: Future[bool] = field(default_factory=Future)


class Batcher:
    """Answers requests in one thread, as many at a time as the engine has slots.

    A request that goes on where a free slot's dialogue ends goes there, any other to the slot that has been
    free for longest. What its prompt begins with is taken from the slot that has most of it, be it at work.
    """

    def __init__(self, engine: Engine, words: Words) -> None:
        self._engine, self._words = engine, words
        self._waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._held: list[np.ndarray] = [np.zeros(0, np.int64) for _ in range(engine.slots)]
        self._jobs: list[Job | None] = [None] * engine.slots
        self._last = [0] * engine.slots
        self._heard: dict[tuple[int, ...], tuple[list[int], int]] = {}
        self._ended, self._freed = itertools.count(1), [0] * engine.slots
        self._stopped: BaseException | None = None
        threading.Thread(target=self._run, daemon=True).start()

    def ask(self, job: Job) -> Future[bool]:
        """Answer a request; its future is done when it is, or fails with what stopped the engine."""
        self._waiting.put(job)
        if self._stopped:
            self._refuse(self._stopped)
        return job.done

    def _run(self) -> None:
        try:
            while True:
                self._admit(wait=not any(self._jobs))
                if any(self._jobs):
                    self._advance()
        except BaseException as error:
            logging.exception("The engine stopped")
            self._stopped = error
            self._refuse(error)
            raise

    def _refuse(self, error: BaseException) -> None:
        """End all requests, and those that wait, with an error."""
        jobs, self._jobs = [job for job in self._jobs if job], [None] * len(self._jobs)
        with suppress(queue.Empty):
            while True:
                jobs.append(self._waiting.get(block=False))
        for job in jobs:
            with suppress(InvalidStateError):  # both threads may end one
                job.done.set_exception(error)

    def _admit(self, wait: bool) -> None:
        for _ in range(PROMPTS):
            free = [slot for slot, job in enumerate(self._jobs) if job is None]
            if not free:
                return
            try:
                job = self._waiting.get(block=wait)
            except queue.Empty:
                return
            wait = False
            wanted = np.array(job.tokens)
            common = [_common(held, wanted) for held in self._held]
            most = max(range(len(common)), key=lambda slot: (common[slot], slot in free))
            goes_on = most in free and common[most] == len(self._held[most])
            slot = most if goes_on else min(free, key=lambda slot: self._freed[slot])
            start, came = min(common[most], len(wanted) - 1), time.perf_counter()
            self._jobs[slot] = job  # from here on it is told if the engine fails
            if slot != most:
                self._engine.copy(most, slot, start)
            logits = self._engine.read(slot, job.tokens[start:], start)
            job.begun = time.perf_counter()
            job.timings |= {"cache_n": start, "prompt_n": len(wanted) - start}
            job.timings["prompt_ms"] = 1e3 * (job.begun - came)
            self._held[slot] = wanted
            self._take(slot, self._choose(job, logits.cpu().numpy()))

    def _advance(self) -> None:
        working = {slot: job for slot, job in enumerate(self._jobs) if job}
        slots = [*working]
        places = [len(self._held[slot]) + len(job.answer) - 1 for slot, job in working.items()]
        last = [self._last[slot] for slot in slots]
        if self._engine.device == "cuda" and not any(j.matcher or j.temperature for j in working.values()):
            for row in self._engine.steps(slots, last, places, STEPS):
                for slot, token in zip(slots, row, strict=True):
                    if self._jobs[slot] is working[slot]:
                        self._take(slot, token)
            return
        drafts = [self._draft(slot, job) for slot, job in working.items()]
        read = [[token, *draft] for token, draft in zip(last, drafts, strict=True)]
        told = self._engine.step(slots, read, places)
        for (slot, job), draft, logits in zip(working.items(), drafts, told, strict=True):
            right = 0
            for row, guessed in zip(logits.numpy(), [*draft, None], strict=True):
                token = self._choose(job, row)
                self._take(slot, token)
                if token != guessed or self._jobs[slot] is not job:
                    break
                right += 1
            job.bold = min(2 * right, BOLDEST) if right == len(draft) else 0
            job.timings["draft_n"] += len(draft)
            job.timings["draft_n_accepted"] += right

    def _draft(self, slot: int, job: Job) -> list[int]:
        """What may come next: what came where an answer, or the dialogue, last had the same tokens.

        It is read along, and taken as far as it is what is chosen, so that it decides nothing.
        """
        fewest, left = DRAFTS[self._engine.device], job.longest - len(job.answer) - 1
        if not fewest or left <= 0:
            return []
        most = min(max(fewest, job.bold), left)
        so_far = np.concatenate([self._held[slot], np.array(job.answer, np.int64)])
        for size in HEARD:
            if found := self._heard.get(tuple(so_far[-size:].tolist())):
                answer, place = found
                if size == HEARD[0]:
                    most = min(max(most, LIKELY), left)
                return answer[place : place + most]
        if len(so_far) <= ALIKE:
            return []
        same = np.lib.stride_tricks.sliding_window_view(so_far[:-1], ALIKE) == so_far[-ALIKE:]
        places = np.flatnonzero(same.all(axis=1))
        return np.resize(so_far[places[-1] + ALIKE :], most).tolist() if len(places) else []

    def _hear(self, slot: int, answer: list[int]) -> None:
        """Keep an answer, with the last words before it, for :meth:`_draft`, if any are guessed there."""
        if not DRAFTS[self._engine.device]:
            return
        if len(self._heard) > KEPT:
            self._heard.clear()
        before = self._held[slot][-HEARD[0] :].tolist()
        said = [*before, *answer]
        for place in range(len(before), len(said)):
            for size in HEARD:
                self._heard[tuple(said[max(0, place - size) : place])] = (said, place)

    def _choose(self, job: Job, logits: np.ndarray) -> int:
        """The next token of an answer."""
        if job.matcher is not None:
            logits = logits + self._bias(job.matcher)
        return drawn(logits, job.temperature, job.random) if job.temperature else int(logits.argmax())

    def _take(self, slot: int, token: int) -> None:
        """Add a token to the answer in a slot, and end it if that was the last."""
        job = self._jobs[slot]
        assert job
        self._last[slot] = token
        ended = job.marked = token in self._words.end
        if not ended:
            job.answer.append(token)
            if job.matcher is not None:
                job.matcher.accept_token(token)
        if not ended and any(stop[-1] in self._words.texts[token].replace("▁", " ") for stop in job.stops):
            text = self._words.text(job.answer[-40:])
            ended = any(stop in text for stop in job.stops)
        if ended or len(job.answer) == job.longest:
            self._hear(slot, job.answer)
            # The last token has not been read.
            read = job.answer if job.marked else job.answer[:-1]
            self._held[slot] = np.concatenate([self._held[slot], np.array(read, np.int64)])
            self._jobs[slot], self._freed[slot] = None, next(self._ended)
            job.timings["predicted_n"] = len(job.answer)
            job.timings["predicted_ms"] = 1e3 * (time.perf_counter() - job.begun)
            with suppress(InvalidStateError):  # nobody waits any more
                job.done.set_result(ended)

    def _bias(self, matcher: Any) -> np.ndarray:
        """0 for the tokens that may come next, minus infinity for the others, shape (vocabulary,)."""
        import xgrammar

        size = self._engine.vocabulary
        mask = xgrammar.allocate_token_bitmask(1, size)
        matcher.fill_next_token_bitmask(mask)
        bits = np.unpackbits(mask.numpy().view(np.uint8), bitorder="little")[:size]
        return np.where(bits, 0, -np.inf).astype(np.float32)


def drawn(logits: np.ndarray, temperature: float, random: np.random.Generator) -> int:
    """A token, drawn from the likeliest (:data:`LIKELIEST`, :data:`SHARE`, :data:`LEAST`)."""
    order = np.argsort(-logits, kind="stable")[:LIKELIEST]
    ahead = logits[order].astype(np.float64) - logits[order[0]]
    chances = np.exp(ahead) / np.exp(ahead).sum()
    before = np.cumsum(chances) - chances
    kept = (before < SHARE) & (chances >= LEAST * chances[0])
    weights = np.cumsum(np.exp(ahead[kept] / temperature))
    return int(order[np.searchsorted(weights, random.random() * weights[-1], side="right")])


def _common(held: np.ndarray, wanted: np.ndarray) -> int:
    """How many tokens two dialogues begin with together."""
    size = min(len(held), len(wanted))
    unlike = np.flatnonzero(held[:size] != wanted[:size])
    return int(unlike[0]) if len(unlike) else size


class Server:
    """The requests of OpenAI's chat API that the agents make.

    Args:
        path: The model's file.
        slots: Requests answered at a time.
        context: Tokens of a prompt with its answer at most.
        device: As :class:`~training.serving.engine.Engine` takes it.
        names: Of the model; a request for another is refused.
    """

    def __init__(self, path: Path, slots: int, context: int, device: str, names: Collection[str]) -> None:
        self._words, self._context, self._names = Words.of(path), context, names
        room = context + STEPS + 1  # what is read at rest, or after an end, lies beyond
        fast = device == "cpu" and torch.cpu._is_avx512_bf16_supported()
        dtype = torch.bfloat16 if fast else torch.float32
        self._batcher = Batcher(Engine(load(path), slots, room, device, dtype), self._words)

    def app(self) -> web.Application:
        """The application to serve."""
        app = web.Application(client_max_size=8_000_000)
        app.router.add_post("/v1/chat/completions", self._answer)
        return app

    async def _answer(self, request: web.Request) -> web.Response:
        try:
            body = await request.json()
            if body.get("tools"):
                return _refused("tools are taken as text, with a response_format that is a JSON schema")
            if (who := body.get("model")) not in self._names:  # else answers would be kept as another's
                return _refused(f"this server has {' or '.join(self._names)}, not {who}", 404)
            job = await asyncio.to_thread(self._job, body)
        except MissingExtra as missing:
            return _refused(str(missing))
        except (LookupError, TypeError, ArithmeticError, ValueError, AttributeError, RuntimeError) as error:
            return _refused(f"the request cannot be read ({type(error).__name__}: {error})")
        if job.longest < 1:
            return _refused("max_tokens must be at least 1")
        if len(job.tokens) >= self._context:
            size = f"({self._context} tokens), try increasing it"
            return _refused(f"request ({len(job.tokens)} tokens) exceeds the available context size {size}")
        job.longest = min(job.longest, self._context - len(job.tokens))
        ended = await asyncio.wrap_future(self._batcher.ask(job))
        text = self._words.text(job.answer)
        for stop in job.stops:
            text = text.partition(stop)[0]
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": "stop" if ended else "length",
        }
        usage = {"prompt_tokens": len(job.tokens), "completion_tokens": len(job.answer) + job.marked}
        kind = {"object": "chat.completion", "timings": job.timings}
        return web.json_response(kind | {"choices": [choice], "usage": usage})

    def _job(self, body: dict[str, Any]) -> Job:
        stop = body.get("stop") or []
        stops = tuple(filter(None, [stop] if isinstance(stop, str) else stop))
        if not all(isinstance(each, str) for each in stops):
            raise TypeError("stop is a text, or a list of texts")
        temperature = float(body.get("temperature") or 0.0)
        if not 0 <= temperature < math.inf:
            raise ValueError(f"temperature is a number from 0 on, not {temperature}")
        matcher, schema = None, body.get("response_format", {}).get("json_schema", {}).get("schema")
        if form := json.dumps(schema) if schema else body.get("grammar"):
            matcher = self._forms(form, schema is not None)
        return Job(
            self._words.tokens(prompt(body["messages"])),
            int(body.get("max_tokens", 512)),
            stops,
            matcher,
            temperature,
            np.random.default_rng(body.get("seed")),
        )

    @cached_property
    def _forms(self) -> Callable[[str, bool], Any]:
        return forms(self._words)


def forms(words: Words) -> Callable[[str, bool], Any]:
    """From a text, and whether it is a JSON schema or else a grammar, to what holds an answer to it.

    Raises:
        MissingExtra: ``xgrammar`` is not installed.
    """
    try:
        import xgrammar
    except ImportError:
        raise MissingExtra("A form needs an extra: pip install 'mnemocraft[serving]'.") from None

    kind, ends = xgrammar.VocabType.BYTE_FALLBACK, sorted(words.end)
    compiler = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo(words.texts, kind, stop_token_ids=ends))

    @lru_cache(maxsize=4096)
    def form(text: str, is_schema: bool) -> Any:
        if is_schema:
            return compiler.compile_json_schema(text, max_whitespace_cnt=SPACES)
        return compiler.compile_grammar(text)

    return lambda text, is_schema: xgrammar.GrammarMatcher(form(text, is_schema))


def _refused(why: str, code: int = 400) -> web.Response:
    return web.json_response({"error": {"code": code, "message": why}}, status=code)


def prompt(messages: list[dict[str, str]]) -> str:
    """The text that :data:`~mnemocraft.llm.local.CHAT_TEMPLATE` makes of a dialogue."""
    return _TEMPLATE.render(messages=messages, bos_token="<bos>", add_generation_prompt=True)


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m training.serving.server", description=__doc__)
    parser.add_argument("adapter", help="which of data/models is served, or a file that it was laid into")
    parser.add_argument(
        "--slots",
        type=int,
        default=56,
        help="answers at a time (1.2 GB of memory each, on a processor as used, and half with bfloat16)",
    )
    parser.add_argument("--context", type=int, default=32_768, help="tokens of a prompt with its answer")
    parser.add_argument("--port", type=int, default=8300, help="on loopback")
    parser.add_argument("--device", default="cuda", choices=CHUNKS, help="where it computes")
    chosen = parser.parse_args(argv)
    if min(chosen.slots, chosen.context) < 1:
        parser.error("--slots and --context are at least 1.")
    if not 0 <= chosen.port <= 65_535:
        parser.error("--port is from 0 to 65535.")
    if chosen.device == "cuda" and not torch.cuda.is_available():
        raise MnemocraftError("PyTorch finds no graphics card here: use --device cpu.")
    torch.set_num_threads(1)  # two that wait for each other in every small product do less than one
    files = find_model(chosen.adapter)
    if (path := files.whole()) is None:
        raise MnemocraftError(f"{chosen.adapter} names no tokens, so that it is not laid into its base.")
    names = dict.fromkeys((files.name, path.stem))
    server = Server(path, chosen.slots, chosen.context, chosen.device, names)
    place = {"host": "127.0.0.1", "port": chosen.port}
    try:
        web.run_app(server.app(), **place, shutdown_timeout=1, print=None, access_log=None)
    except OSError as error:
        raise MnemocraftError(f"Port {chosen.port} cannot be served: {error.strerror}.") from None


if __name__ == "__main__":
    try:
        main()
    except MnemocraftError as error:
        sys.exit(str(error))
