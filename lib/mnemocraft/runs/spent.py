"""What a run has asked of a model and what went wrong on the way, said when it is through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mnemocraft.llm import Model


@dataclass
class Spent:
    """Of one job, or of several together.

    Attributes:
        calls: Answers handed out.
        cached: Of these from the cache, a recording or an identical request in flight.
        read, written: Tokens of prompts and of answers.
        dollars: What was sent cost; None without a price.
        failures: How often each thing went wrong, whether or not a retry mended it
            (:attr:`mnemocraft.llm.Model.failures`).
    """

    calls: int = 0
    cached: int = 0
    read: int = 0
    written: int = 0
    dollars: float | None = None
    failures: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, model: Model) -> Spent:
        """What a model has given so far."""
        usage = model.usage
        read, written = usage.prompt_tokens, usage.completion_tokens
        return cls(usage.calls, usage.cached, read, written, usage.paid_dollars, Counter(model.failures))

    @classmethod
    def together(cls, parts: Iterable[Spent]) -> Spent:
        """The sum of some."""
        whole = cls()
        for part in parts:
            for name in (each.name for each in fields(cls)):
                mine, theirs = getattr(whole, name), getattr(part, name)
                setattr(whole, name, theirs if mine is None else mine if theirs is None else mine + theirs)
        return whole

    def __str__(self) -> str:
        """One sentence, and another if something went wrong."""
        kept = f", {self.cached:,} of them not sent as their answers were known" if self.cached else ""
        dollars = "" if self.dollars is None else f", ${self.dollars:,.2f}"
        lead = (
            f"{self.calls:,} calls{kept}, {self.read / 1e6:,.2f} million tokens read and "
            f"{self.written / 1e6:,.2f} written{dollars}."
        )
        wrong = [f"{kind.replace('_', ' ')} {count:,}" for kind, count in self.failures.most_common()]
        return f"{lead} What went wrong, mended or not: {', '.join(wrong)}." if wrong else lead
