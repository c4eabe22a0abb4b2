"""What calls cost, and when to stop: price table, totals and budget."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from functools import cache
from math import isfinite
from pathlib import Path

from mnemocraft.errors import BudgetExceeded, MnemocraftError, unreadable
from mnemocraft.llm.types import Reply, Usage
from mnemocraft.paths import DATA

PRICES = DATA / "prices.csv"
"""The price table; edit it to your provider's prices."""
_COLUMNS = ("model", "usd_per_million_prompt", "usd_per_million_completion")

DEFAULT_DOLLARS = 10.0
"""What a run may cost with a server's model whose price is known, if nobody says anything else."""


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    prompt: float
    completion: float

    def of(self, usage: Usage) -> float:
        """Dollars for one call."""
        return (usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion) / 1e6


FREE = Price(0.0, 0.0)


@cache
def prices() -> dict[str, Price]:
    """The price table by model name, see :func:`read_prices`."""
    return read_prices(PRICES)


def read_prices(path: Path) -> dict[str, Price]:
    """The prices in a file by model name.

    Raises:
        MnemocraftError: It, or a row, cannot be read; the message names it.
    """
    table = {}
    with unreadable(path):
        lines = path.read_text(encoding="utf-8").splitlines()
        rows = csv.DictReader(line for line in lines if line.strip() and not line.startswith("#"))
        if set(_COLUMNS) - set(rows.fieldnames or ()):
            raise MnemocraftError(f"{path} needs the columns {', '.join(_COLUMNS)}")
        listed = list(rows)
    for row in listed:
        try:
            dollars = [float(row[name]) for name in _COLUMNS[1:]]
        except (TypeError, ValueError):
            dollars = []
        if not dollars or not all(isfinite(each) and each >= 0 for each in dollars):
            told = " ".join(str(dict(row)).split())[:200]
            raise MnemocraftError(f"{path}: this row has no two prices in dollars: {told}")
        table[row["model"]] = Price(*dollars)
    return table


@dataclass
class Totals:
    """Calls and tokens so far. Dollars stay None for a model without a price.

    ``list_dollars`` counts every call as if it were paid; ``paid_dollars`` leaves out answers that came
    from the cache, from a recording or from an identical request in flight.
    """

    calls: int = 0
    cached: int = 0
    estimated: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    list_dollars: float | None = None
    paid_dollars: float | None = None

    def add(self, reply: Reply, price: Price | None) -> None:
        """Count one reply as handed out (its list price; what was paid is counted when it is sent)."""
        usage = reply.usage
        self.calls += 1
        self.cached += reply.cached
        self.estimated += usage.estimated
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        if price is not None:
            self.list_dollars = (self.list_dollars or 0.0) + price.of(usage)
            self.paid_dollars = self.paid_dollars or 0.0

    def pay(self, usage: Usage, price: Price | None) -> None:
        """Count one request that was really sent."""
        if price is not None:
            self.paid_dollars = (self.paid_dollars or 0.0) + price.of(usage)


@dataclass
class Budget:
    """A limit on what is sent, in tokens (prompt + completion), in dollars, or both; cached answers are free.

    It is checked before each request, so requests already in flight may take it a little over. One
    object may be given to several models, which then share it.
    """

    tokens: int | None = None
    dollars: float | None = None
    used_tokens: int = field(default=0, init=False)
    used_dollars: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        for name, limit in (("tokens", self.tokens), ("dollars", self.dollars)):
            if limit is not None and not (isinstance(limit, int | float) and limit > 0):
                raise MnemocraftError(f"A budget must be a positive number of {name}, not {limit!r}.")

    @classmethod
    def default(cls, model: str) -> Budget | None:
        """What a run may cost if nobody says: :data:`DEFAULT_DOLLARS` with a model that has a price."""
        return cls(dollars=DEFAULT_DOLLARS) if model in prices() else None

    def require_price(self, model: str, price: Price | None) -> None:
        """Refuse a dollar budget for a model whose price is unknown."""
        if self.dollars is not None and price is None:
            raise MnemocraftError(
                f"A budget in dollars needs a price for model '{model}'; add a row to {PRICES} or use tokens."
            )

    def check(self) -> None:
        """Raise :class:`BudgetExceeded` once a limit is reached."""
        if self.tokens is not None and self.used_tokens >= self.tokens:
            raise BudgetExceeded(
                f"The token budget is used up: {self.used_tokens:,} of {self.tokens:,} tokens; "
                "everything finished so far is kept."
            )
        if self.dollars is not None and self.used_dollars >= self.dollars:
            raise BudgetExceeded(
                f"The dollar budget is used up: ${self.used_dollars:.4f} of ${self.dollars:.4f} "
                "(max_dollars sets another); everything finished so far is kept."
            )

    def spend(self, usage: Usage, price: Price | None) -> None:
        """Count one request that was really sent."""
        self.used_tokens += usage.prompt_tokens + usage.completion_tokens
        self.used_dollars += price.of(usage) if price else 0.0
