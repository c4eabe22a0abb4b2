"""How fast the local model answers How2's recorded requests, beside llama.cpp's own defaults.

Run ``PYTHONPATH=. python benchmarks/bench_local.py`` on an otherwise idle machine; ``--save`` keeps the
table. Conversations of the recording are asked again turn by turn, as many at a time as there are slots, and
the other roles' requests in the recording's proportion. A row is a server, or several, with their settings,
started anew; the start, in which every slot computes the system message, is not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain
from socket import create_connection, socket
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import psutil

from mnemocraft.llm.cache import reply_from_json
from mnemocraft.llm.endpoint import Endpoint
from mnemocraft.llm.gguf_file import read_gguf
from mnemocraft.llm.local import MERGED, Local
from mnemocraft.llm.replay import find_recording, read_recording
from mnemocraft.llm.types import Reply, Request
from mnemocraft.paths import ROOT
from mnemocraft.studies.how2.load import ADAPTER

CONTEXT = 16384
"""Tokens a slot, as when the recording was made."""


@dataclass(frozen=True)
class Settings:
    """Of a server.

    Attributes:
        parallel: Slots, and conversations asked at a time.
        change: What is set beside :class:`Local`'s own settings, which are made first.
        own: Without these it is llama.cpp as it comes, with room enough in every slot.
        apart: As many servers as threads, with one each, in the place of one that has them all.
        torch: They are those of :mod:`training.serving`, with half as many slots again.
    """

    parallel: int
    change: Callable[[Any], None] = lambda params: None
    own: bool = True
    apart: bool = False
    torch: bool = False


def drafts(params: Any) -> None:
    """Guess what comes next from what followed the same four tokens before."""
    kinds = importlib.import_module("xllamacpp").common_speculative_type
    params.speculative.types = [kinds.COMMON_SPECULATIVE_TYPE_NGRAM_SIMPLE]
    params.speculative.ngram_simple.size_n, params.speculative.ngram_simple.size_m = 4, 8
    params.speculative.draft.n_max = 8


def quantised(params: Any) -> None:
    """Keys and values of the conversation in 8 bits."""
    kinds = importlib.import_module("xllamacpp").ggml_type
    params.cache_type_k = params.cache_type_v = kinds.GGML_TYPE_Q8_0


def pinned(params: Any) -> None:
    """Every thread on a core of its own."""
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.cpumask = [core < threads.n_threads for core in range(len(threads.cpumask))]
        threads.mask_valid = threads.strict_cpu = True


SETTINGS = {
    "1 slot": Settings(1),
    "llama.cpp as it comes": Settings(4, own=False),
    "2 slots": Settings(2),
    "4 slots": Settings(4),
    "8 slots": Settings(8),
    "4 slots, drafts": Settings(4, drafts),
    "4 slots, 8-bit cache": Settings(4, quantised),
    "4 slots, pinned": Settings(4, pinned),
    "1 slot, a server a thread": Settings(1, apart=True),
    "PyTorch, 1 conversation a server": Settings(1, apart=True, torch=True),
    "PyTorch, 8 conversations a server": Settings(8, apart=True, torch=True),
}
"""By name; answers are compared with those of the first row. What was computed of a prompt's later parts is
never reused after another beginning (``n_cache_reuse``), as it depends on the beginning."""


class Tuned(Local):
    """A server with settings of its own, or what asks one at an address."""

    def __init__(self, settings: Settings, threads: int, server: str | None = None) -> None:
        super().__init__(ADAPTER, context=CONTEXT, parallel=settings.parallel, threads=threads, server=server)
        self.settings = settings

    def _tune(self, params: Any) -> None:
        if self.settings.own:
            super()._tune(params)
        else:
            params.n_parallel, params.n_ctx = self.settings.parallel, self.settings.parallel * CONTEXT
            params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self._threads
        self.settings.change(params)

    @property
    def weights(self) -> int:
        """Size of the model's file, or of its weights in bfloat16."""
        whole = MERGED / f"{self._files.name}.gguf"
        if self.settings.torch:
            return sum(2 * int(tensor.n_elements) for tensor in read_gguf(whole).tensors)
        return whole.stat().st_size

    async def warm(self, first: Request) -> None:
        """Have every slot compute the system message once, as it is in a long run."""
        hello = [first.messages[0], {"role": "user", "content": "Hello"}]
        asked = replace(first, messages=hello, max_tokens=1)
        await asyncio.gather(*(self.generate(asked) for _ in range(self._parallel)))

    async def play(self, left: list[list[Request]]) -> list[tuple[Request, Reply]]:
        """Ask conversations that are left, ``parallel`` at a time, until none is."""
        found = []

        async def slot() -> None:
            while left:
                for request in left.pop(0):
                    found.append((request, await self.generate(request)))

        await asyncio.gather(*(slot() for _ in range(self._parallel)))
        return found


@contextmanager
def served(parallel: int) -> Iterator[tuple[str, psutil.Process]]:
    """A server in PyTorch: its address, and its process."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "training.serving.server", ADAPTER, "--device", "cpu"]
    command += ["--slots", str(parallel + parallel // 2), "--context", str(CONTEXT), "--port", str(port)]
    with psutil.Popen(command, cwd=ROOT) as process:
        try:
            while True:
                with suppress(ConnectionRefusedError), create_connection(("127.0.0.1", port)):
                    break
                assert process.is_running() and process.status() != psutil.STATUS_ZOMBIE
                time.sleep(0.2)
            yield f"http://127.0.0.1:{port}/v1", process
        finally:
            process.terminate()


def workload(conversations: int) -> list[list[Request]]:
    """So many whole conversations of the Actor, evenly from the recording, and the other roles' requests.

    Those are spread evenly among them, in the proportion of the recording.
    """
    _, entries = read_recording(find_recording(ADAPTER))
    asked = [  # greedy, so that servers that draw otherwise can be compared
        Request(**entry["request"] | {"temperature": 0.0})
        for entry in entries
        if isinstance(reply_from_json(entry["reply"]), Reply)
    ]
    actor = {json.dumps(request.messages): request for request in asked if request.tools}
    others = [request for request in asked if not request.tools]
    continued = {json.dumps(request.messages[:-2]) for request in actor.values()}
    ends = _evenly([request for text, request in actor.items() if text not in continued], conversations)
    chains = [
        [
            actor[text]
            for n in range(2, len(end.messages) + 1, 2)
            if (text := json.dumps(end.messages[:n])) in actor
        ]
        for end in ends
    ]
    chains.sort(key=len, reverse=True)  # so that servers end about together
    few = round(sum(map(len, chains)) * len(others) / len(actor))
    alone = [[request] for request in _evenly(others, few)]
    places = [
        (n / len(kind), number) for number, kind in enumerate((chains, alone)) for n in range(len(kind))
    ]
    turns = (iter(chains), iter(alone))
    return [next(turns[number]) for _, number in sorted(places)]


def _evenly(items: list[Request], number: int) -> list[Request]:
    return [items[n * len(items) // number] for n in range(number)]


def bandwidth(threads: int, megabytes: int = 512) -> float:
    """Bytes read a second by so many threads that copy with numpy: the memory's, not the cache's."""
    halves = [np.ones(megabytes * 2**17 // threads) for _ in range(threads)]
    copies = [np.empty_like(half) for half in halves]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(np.copyto, copies, halves))
        seconds = []
        for _ in range(5):
            started = time.perf_counter()
            list(pool.map(np.copyto, copies, halves))
            seconds.append(time.perf_counter() - started)
    return megabytes * 2**20 / min(seconds)


async def timed(
    servers: list[Tuned], conversations: list[list[Request]], processes: list[psutil.Process]
) -> tuple[dict[str, float], list[Reply]]:
    """What the servers say of the answers, summed, with ``seconds`` and ``processor`` in all; the replies."""
    timings, read = list[dict[str, float]](), Endpoint.read

    def kept(endpoint: Endpoint, data: Any, *rest: Any) -> Reply:
        timings.append(data["timings"])
        return read(endpoint, data, *rest)

    with patch.object(Endpoint, "read", kept):
        await asyncio.gather(*(server.warm(conversations[0][0]) for server in servers))
        timings.clear()
        left, started, processor = list(conversations), time.perf_counter(), _processor(processes)
        found = await asyncio.gather(*(server.play(left) for server in servers))
        spent = {"seconds": time.perf_counter() - started, "processor": _processor(processes) - processor}
    for server in servers:
        await server.aclose()
    replies = {request.key(): reply for request, reply in chain(*found)}
    return dict(pd.DataFrame(timings).sum()) | spent, [replies[r.key()] for r in chain(*conversations)]


def _processor(processes: list[psutil.Process]) -> float:
    return time.process_time() + sum(sum(process.cpu_times()[:2]) for process in processes)


def measured(
    name: str, conversations: list[list[Request]], threads: int
) -> tuple[dict[str, Any], list[Reply]]:
    """A row of the table, and the replies."""
    apart, number = SETTINGS[name].apart, threads if SETTINGS[name].apart else 1
    with ExitStack() as stack:
        torchs = [
            stack.enter_context(served(SETTINGS[name].parallel))
            for _ in range(number if SETTINGS[name].torch else 0)
        ]
        addresses: list[str | None] = [address for address, _ in torchs] or [None] * number
        servers = [Tuned(SETTINGS[name], 1 if apart else threads, address) for address in addresses]
        processes = [process for _, process in torchs]
        total, replies = asyncio.run(timed(servers, conversations, processes))
    row = {
        "settings": name,
        "answers_per_s": len(replies) / total["seconds"],
        "processor_s_per_answer": total["processor"] / len(replies),
        "prompt_tokens_computed": int(total["prompt_n"]),
        "prompt_tokens_from_cache": int(total["cache_n"]),
        "tokens_generated": int(total["predicted_n"]),
        "tokens_drafted": int(total.get("draft_n", 0)),
        "drafts_accepted": int(total.get("draft_n_accepted", 0)),
        "prompt_tokens_per_s": 1e3 * total["prompt_n"] / total["prompt_ms"],
        "generated_tokens_per_s": 1e3 * total["predicted_n"] / total["predicted_ms"],
        "seconds": total["seconds"],
        "servers": len(servers),
        "weights_gb": servers[0].weights / 1e9,
    }
    return row, replies


def main() -> None:
    """Print the table; with ``--save`` keep it too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=4, help="4 are 65 answers")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="processor threads")
    parser.add_argument("--only", nargs="*", default=list(SETTINGS), help="names of rows")
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/local.json")
    chosen = parser.parse_args()
    conversations = workload(chosen.conversations)
    speed = bandwidth(chosen.threads)
    rows, said = [], list[list[Reply]]()
    for name in chosen.only:
        row, replies = measured(name, conversations, chosen.threads)
        said.append(replies)
        row["same_answers"] = float(
            np.mean([one == other for one, other in zip(said[0], replies, strict=True)])
        )
        rows.append(row)
        passes = (1 - row["drafts_accepted"] / row["tokens_generated"]) * row["generated_tokens_per_s"]
        row["weights_read_share"] = row["servers"] * passes * row["weights_gb"] * 1e9 / speed
        print(pd.Series(row).to_string(), flush=True)
    head = {
        "answers": len(said[0]),
        "threads": chosen.threads,
        "copied_gb_per_s": speed / 1e9,
        "machine": platform.processor() or platform.machine(),
        "llama_cpp": importlib.import_module("xllamacpp").get_system_info(),
    }
    print(head)
    if chosen.save:
        path = ROOT / "benchmarks" / "results" / "local.json"
        path.write_text(json.dumps(head | {"rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
