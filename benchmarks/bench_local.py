"""How fast the local model answers How2's recorded requests, beside llama.cpp's own defaults.

Run ``python benchmarks/bench_local.py`` on an otherwise idle machine; ``--save`` keeps the table.
Conversations of the recording are asked again turn by turn, as many at a time as the server has slots, and
the other roles' requests in the recording's proportion. A row is one server with its settings, started anew;
the start is not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from mnemocraft.llm.cache import reply_from_json
from mnemocraft.llm.endpoint import Endpoint
from mnemocraft.llm.local import Local, find_model
from mnemocraft.llm.replay import find_recording, read_recording
from mnemocraft.llm.types import Reply, Request
from mnemocraft.paths import ROOT
from mnemocraft.studies.how2.load import ADAPTER

CONTEXT = 16384
"""Tokens a slot, as when the recording was made."""
Tuning = Callable[[Any], None]
"""What is set of llama.cpp's parameters."""


def defaults(params: Any) -> None:
    """llama.cpp's own settings, with the four slots that ``llama-server`` has and room enough in each."""
    params.n_parallel, params.n_ctx = 4, 4 * CONTEXT


SETTINGS: dict[str, tuple[int, Tuning | None]] = {
    "llama.cpp's defaults": (4, defaults),
    "1 slot": (1, None),
    "2 slots": (2, None),
    "4 slots": (4, None),
    "8 slots": (8, None),
}
"""By name: requests at a time, and what is set; None for :class:`Local`'s own."""


class Tuned(Local):
    """A server with settings of its own, that keeps what llama.cpp says of each answer."""

    def __init__(self, parallel: int, threads: int, tuning: Tuning | None) -> None:
        super().__init__(ADAPTER, context=CONTEXT, parallel=parallel, threads=threads)
        self.tuning, self.timings = tuning, list[dict[str, float]]()

    def _tune(self, params: Any) -> None:
        (self.tuning or super()._tune)(params)

    async def timed(self, conversations: list[list[Request]]) -> tuple[list[Reply], float]:
        """Replies to all requests, conversations asked ``parallel`` at a time, and the seconds taken."""
        left, found = list(enumerate(conversations)), dict[int, list[Reply]]()
        read = Endpoint.read

        def kept(endpoint: Endpoint, data: Any, *rest: Any) -> Reply:
            self.timings.append(data["timings"])
            return read(endpoint, data, *rest)

        async def worker() -> None:
            while left:
                n, requests = left.pop(0)
                found[n] = [await self.generate(request) for request in requests]

        with patch.object(Endpoint, "read", kept):
            await self.generate(Request(self.name, [{"role": "user", "content": "Hello"}], max_tokens=1))
            self.timings.clear()
            started = time.perf_counter()
            await asyncio.gather(*(worker() for _ in range(self._parallel)))
            seconds = time.perf_counter() - started
        await self.aclose()
        return [reply for n in sorted(found) for reply in found[n]], seconds


def workload(conversations: int) -> list[list[Request]]:
    """So many whole conversations of the Actor, evenly from the recording, and the other roles' requests.

    Those are spread evenly among them, in the proportion of the recording.
    """
    _, entries = read_recording(find_recording(ADAPTER))
    asked = [Request(**e["request"]) for e in entries if isinstance(reply_from_json(e["reply"]), Reply)]
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


def measured(
    name: str, conversations: list[list[Request]], threads: int
) -> tuple[dict[str, Any], list[Reply]]:
    """A row of the table, and the replies."""
    parallel, tuning = SETTINGS[name]
    server = Tuned(parallel, threads, tuning)
    replies, seconds = asyncio.run(server.timed(conversations))
    total = pd.DataFrame(server.timings).sum()
    row = {
        "settings": name,
        "answers_per_s": len(replies) / seconds,
        "prompt_tokens_computed": int(total["prompt_n"]),
        "prompt_tokens_from_cache": int(total["cache_n"]),
        "tokens_generated": int(total["predicted_n"]),
        "tokens_drafted": int(total.get("draft_n", 0)),
        "drafts_accepted": int(total.get("draft_n_accepted", 0)),
        "prompt_tokens_per_s": 1e3 * total["prompt_n"] / total["prompt_ms"],
        "generated_tokens_per_s": 1e3 * total["predicted_n"] / total["predicted_ms"],
        "seconds": seconds,
    }
    return row, replies


def main() -> None:
    """Print the table; with ``--save`` keep it too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=12)
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="processor threads")
    parser.add_argument("--only", nargs="*", default=list(SETTINGS), help="names of rows")
    parser.add_argument("--save", action="store_true", help="write benchmarks/results/local.json")
    chosen = parser.parse_args()
    conversations = workload(chosen.conversations)
    speed = bandwidth(chosen.threads)
    weights = find_model(ADAPTER).base.stat().st_size
    rows, said = [], list[list[Reply]]()
    for name in chosen.only:
        row, replies = measured(name, conversations, chosen.threads)
        said.append(replies)
        row["same_answers"] = float(
            np.mean([one == other for one, other in zip(said[0], replies, strict=True)])
        )
        rows.append(row)
        print(pd.Series(row).to_string(), flush=True)
    head = {
        "answers": len(said[0]),
        "threads": chosen.threads,
        "copied_gb_per_s": speed / 1e9,
        "weights_gb": weights / 1e9,
    }
    print(head)
    if chosen.save:
        path = ROOT / "benchmarks" / "results" / "local.json"
        path.write_text(json.dumps(head | {"rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
