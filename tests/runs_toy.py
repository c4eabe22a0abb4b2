"""A tiny study with a memory, for the tests of runs; run as a script it is a run that can be killed."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mnemocraft.errors import BudgetExceeded, MissingExtra, ModelError
from mnemocraft.llm.budget import Totals
from mnemocraft.llm.types import Reply, TokenLedger, Usage
from mnemocraft.runs import Condition, Episode, ModelSpec, Stream, Study, run_study

TASKS = tuple(f"T{i:03d}" for i in range(30))


def chance(*words: object) -> float:
    """A number in [0, 1) that depends on the words only, not on the process."""
    return int(hashlib.sha256(repr(words).encode()).hexdigest()[:8], 16) / 2**32


class InstantModel:
    """Answers at once; ``stops_after`` calls it raises the error that ``stops_with`` names."""

    name = "instant"

    def __init__(self, cpu_bound: bool, stops_after: int, stops_with: type[Exception]) -> None:
        self.cpu_bound, self.stops_after, self.stops_with, self.calls = cpu_bound, stops_after, stops_with, 0
        self.usage, self.failures = Totals(), Counter[str]()

    async def complete(self, messages: list[dict[str, Any]]) -> Reply:
        self.calls += 1
        if self.calls > self.stops_after:
            raise self.stops_with("the tokens are used up")
        if not self.cpu_bound:
            await asyncio.sleep(0)
        return Reply(messages[-1]["content"], [], Usage(3, 2))

    async def aclose(self) -> None:
        pass


@dataclass(frozen=True)
class InstantSpec(ModelSpec):
    """Opens an :class:`InstantModel`."""

    name: str = "instant"
    cpu_bound: bool = True
    stops_after: int = 10**9
    stops_with: type[Exception] = BudgetExceeded
    instant = True

    def open(self) -> Any:
        return InstantModel(self.cpu_bound, self.stops_after, self.stops_with)


@dataclass(frozen=True)
class LocalSpec(InstantSpec):
    """A light local model's, but for the model."""

    cpu_bound: bool = False
    own_server = True


@dataclass
class ToyRunner:
    """Remembers a word per episode; whether it succeeds depends on all words it remembers.

    Settings: ``sleep_s``; ``faults`` maps a task to what goes wrong in it, after half a memory was written.
    """

    stream: Stream
    model: Any
    sleep_s: float = 0.0
    memory: list[Any] = field(default_factory=list)

    async def episode(self, task: str) -> Episode:
        fault = self.stream.condition.settings.get("faults", {}).get(task)
        if fault:
            self.memory.append("half written")
            return await self._fail(fault)
        ledger = TokenLedger()
        reply = await self.model.complete([{"role": "user", "content": f"{task} é \ud83d"}])
        ledger.add("actor", reply)
        await asyncio.sleep(self.sleep_s)
        luck = chance(self.stream.seed, task, self.memory)
        word = [len(self.memory), round(luck, 6)]
        self.memory.append(word)
        trajectory = [{"role": "assistant", "content": reply.text}, {"observation": "x" * 200}]
        metrics = {"luck": luck, "known": len(self.memory), "target": task[-1]}
        return Episode(
            luck > 0.5, "success" if luck > 0.5 else "max_steps", 3, metrics, ledger.roles, trajectory, word
        )

    async def _fail(self, fault: str) -> Episode:
        if fault == "error":
            raise ModelError("the server said no")
        if fault == "slow":
            await asyncio.sleep(60)
        if fault == "unwritable":
            return Episode(True, "success", 1, {"bad": {1, 2}})  # type: ignore[dict-item]
        if fault == "caught":
            return Episode(True, "error", 2, tokens={"actor": {"prompt": 7}}, trajectory=[{"a": 1}])
        if fault == "missing":
            raise MissingExtra("install the extra")
        raise ZeroDivisionError("a bug")

    def restore(self, deltas: Sequence[Any]) -> None:
        self.memory = [delta for delta in deltas if delta is not None]


def start(stream: Stream, model: Any) -> ToyRunner:
    return ToyRunner(stream, model)


def start_slow(stream: Stream, model: Any) -> ToyRunner:
    return ToyRunner(stream, model, sleep_s=0.006)


def start_slower(stream: Stream, model: Any) -> ToyRunner:
    return ToyRunner(stream, model, sleep_s=0.03)


def toy_study(
    tasks: Sequence[str] = TASKS,
    seeds: Sequence[int] = (0, 1),
    faults: dict[str, str] | None = None,
    **settings: Any,
) -> Study:
    """Two conditions, one stream per seed each."""
    settings = {**settings, "faults": faults or {}}
    conditions = [Condition(f"toy/{name}", {"setup": name, **settings}) for name in ("base", "memory")]
    streams = tuple(Stream(condition, seed, tuple(tasks)) for condition in conditions for seed in seeds)
    return Study("00_toy", streams, start, {"prompts": "1"})


KILL_STUDY = toy_study(tasks=[f"T{i:03d}" for i in range(110)], faults={"T005": "crash", "T050": "error"})

if __name__ == "__main__":
    folder, count, pace = sys.argv[1:]
    paced = replace(KILL_STUDY, start={"fast": start, "slow": start_slow}[pace])
    run_study(paced, InstantSpec(), out=Path(folder), workers=int(count), progress=False)
