"""Lessons in which the adapter itself is tried, and told at every step what was right.

A small model that imitates an expert is lost where the expert never went (Ross, Gordon and Bagnell 2011,
"A Reduction of Imitation Learning and Structured Prediction to No-Regret Online Learning": DAgger). So the
adapter plays, and the expert says what it would have done there.

What the adapter said is kept beside it (``kitchen_gemma-3-270m_trials.jsonl``, a line a lesson): adapters
change, and lessons have to be the same when they are given again.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from mnemocraft.errors import MnemocraftError
from mnemocraft.llm import Model, get_model
from mnemocraft.llm.types import Message

LONGEST_ANSWER = 300
"""Tokens, as in the studies."""
T = TypeVar("T")


class Trials:
    """An adapter in lessons; what it said there before it says again.

    Args:
        adapter: Its file.
        threads: Processor threads that generate.
        kept: Where its answers are written down.
    """

    def __init__(self, adapter: Path, threads: int, kept: Path) -> None:
        self._adapter, self._threads, self._kept = adapter, threads, kept
        lines = map(json.loads, kept.read_text().splitlines() if kept.is_file() else [])
        self._said: dict[int, list[str]] = {line["lesson"]: line["answers"] for line in lines}
        self._model: Model | None = None
        self._runner = asyncio.Runner()

    @property
    def lessons(self) -> dict[int, int]:
        """How many answers are written down, by lesson."""
        return {lesson: len(said) for lesson, said in self._said.items()}

    def run(self, playing: Coroutine[Any, Any, T]) -> T:
        """Play an episode to its end."""
        return self._runner.run(playing)

    def begin(self, lesson: int) -> Trial:
        """The adapter at the beginning of a lesson."""
        if lesson in self._said:
            return Trial(lesson, None, self._said[lesson])
        if self._model is None:
            self._model = get_model(f"local:{self._adapter}", threads=self._threads)
        return Trial(lesson, self._model, [])

    def end(self, trial: Trial) -> None:
        """Write down what was said, if it was not before."""
        if trial.lesson not in self._said:
            self._said[trial.lesson] = trial.said
            with self._kept.open("a") as file:
                file.write(json.dumps({"lesson": trial.lesson, "answers": trial.said}) + "\n")

    def close(self) -> None:
        """Stop the adapter."""
        if self._model is not None:
            self._runner.run(self._model.aclose())
        self._runner.close()


class Trial:
    """An adapter in one lesson.

    Attributes:
        lesson: Its number.
        said: What was said in it.
    """

    def __init__(self, lesson: int, model: Model | None, said: list[str]) -> None:
        self.lesson, self.said = lesson, said
        self._model, self._turn = model, 0

    async def answer(self, messages: list[Message]) -> str:
        """What the adapter says, or said.

        Raises:
            MnemocraftError: It was not asked as often, when this was written down.
        """
        if self._model is not None:
            reply = await self._model.complete(messages, max_tokens=LONGEST_ANSWER)
            self.said.append(reply.text)
        elif self._turn == len(self.said):
            raise MnemocraftError(
                f"Lesson {self.lesson} goes on otherwise than when its answers were written down."
            )
        self._turn += 1
        return self.said[self._turn - 1]
