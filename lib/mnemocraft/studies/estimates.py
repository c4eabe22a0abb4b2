"""What the studies' tables have in common: numbers with intervals, the paper's beside them, how it ended.

A number is ``value`` with its 95 % interval ``low`` to ``high`` and ``n`` episodes. What was not run has NaN
and n = 0, so that partial runs give partial tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from mnemocraft import stats
from mnemocraft.stats import Cells, Estimate, Key

NUMBERS = ("value", "low", "high", "n")
STATUSES = ("ok", "error", "timeout", "crash", "budget")


def numbers(found: Estimate) -> dict[str, float]:
    """An estimate as the columns of a table."""
    return {"value": found.value, "low": found.low, "high": found.high, "n": found.n}


def over_clusters(found: Estimate, unit: str) -> dict[str, float]:
    """A rate with Wilson's interval, which counts clusters, as if the episodes of each were one.

    Halves of the clusters give a rate of 0 or 1 no interval. Of clusters of unequal sizes fewer count
    (:attr:`~mnemocraft.stats.Estimate.effective`). ``unit`` is the name of the column that counts them.
    """
    from statsmodels.stats.proportion import proportion_confint

    low = high = np.nan
    if found.n:
        low, high = proportion_confint(found.value * found.effective, found.effective, method="wilson")
    return numbers(found) | {"low": low, "high": high, unit: found.clusters}


def less(one: Sequence[float], other: Sequence[float]) -> tuple[float, float, float]:
    """A difference of two independent numbers, its interval made from theirs (Newcombe 1998, method 10).

    Each number is value, low and high; so is what is returned.
    """
    (value, low, high), (minus, under, over) = one, other
    gap = value - minus
    return (
        gap,
        gap - float(np.hypot(value - low, over - minus)),
        gap + float(np.hypot(high - value, minus - under)),
    )


def text(row: pd.Series, value: str = "value", digits: str = ".2f") -> str:
    """A number of a table for reading: ``0.52 [0.49, 0.55]``, or ``0.52`` without one; ``-``: not known."""
    if pd.isna(row[value]):
        return "-"
    reach = "" if pd.isna(row["low"]) else f" [{row['low']:{digits}}, {row['high']:{digits}}]"
    return f"{row[value]:{digits}}{reach}"


def counted(row: pd.Series) -> str:
    """A number of a table for reading, with its episodes: ``0.52 [0.49, 0.55], n = 900``."""
    return f"{text(row)}, n = {int(row['n'])}"


def met(row: Mapping[str, Any] | pd.Series, least: float = 0, most: float = 1) -> str:
    """Whether the rate of a row is within a goal's bounds, by its whole interval if that can tell."""
    value, low, high = (row[name] for name in ("value", "low", "high"))
    if np.isnan(value):
        return stats.NOT_MEASURED
    if least <= low and high <= most:
        return "yes"
    if high < least or low > most:
        return "no"
    return f"undecided ({'yes' if least <= value <= most else 'no'} by its value)"


def number(value: float) -> str:
    """A number of a paper for reading."""
    return "-" if pd.isna(value) else f"{value:.2f}"


def wide(long: pd.DataFrame, rows: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    """A table for reading, its column ``text`` by the values of others, as they come."""
    by: Any = {"index": list(rows), "columns": list(columns)}
    return long.pivot_table(**by, values="text", aggfunc="first", sort=False)


def span(counts: pd.Series) -> str:
    """The counts above 0 as ``19`` or ``19 to 24``."""
    run = counts[counts > 0].astype(int)
    if run.empty:
        return "0"
    return str(run.min()) if run.min() == run.max() else f"{run.min()} to {run.max()}"


def grid(cells: Cells, by: Sequence[str], keys: Iterable[Key]) -> pd.DataFrame:
    """One row a cell: its key in the columns ``by``, and its numbers."""
    rows = [(*key, *numbers(cells.estimate({key: 1.0})).values()) for key in keys]
    return pd.DataFrame(rows, columns=[*by, *NUMBERS])


def clustered(
    episodes: pd.DataFrame, by: Sequence[str], cluster: str, unit: str, keys: Iterable[Key] | None = None
) -> pd.DataFrame:
    """Share of episodes with ``passed`` by group, with the intervals of :func:`over_clusters`.

    Args:
        episodes: One row an episode.
        by: Columns that make a group.
        cluster: The column that names an episode's cluster.
        unit: Name of the column that counts the clusters.
        keys: The groups' order, of which those without an episode are left out; None for as they come.
    """
    cells = stats.cells(episodes, stats.rate("passed"), by, cluster=cluster)
    played = dict.fromkeys(episodes[list(by)].itertuples(index=False, name=None))
    order = played if keys is None else [key for key in keys if key in played]
    rows = [(*key, *over_clusters(cells.counted({key: 1.0}), unit).values()) for key in order]
    return pd.DataFrame(rows, columns=[*by, *NUMBERS, unit])


def rates(episodes: pd.DataFrame, by: Sequence[str], passed: str = "passed") -> pd.DataFrame:
    """Share of episodes with ``passed`` by group, with its Wilson interval; groups as they come."""
    from statsmodels.stats.proportion import proportion_confint

    groups = episodes.groupby(list(by), sort=False)[passed].agg(["sum", "count"]).reset_index()
    low, high = proportion_confint(groups["sum"], groups["count"], method="wilson")
    value = groups["sum"] / groups["count"]
    return groups[list(by)].assign(value=value, low=low, high=high, n=groups["count"])


def join(printed: pd.DataFrame, ours: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """The paper's rows with our numbers beside them; those that we did not run have n = 0."""
    table = printed.merge(ours, on=list(on), how="left", suffixes=("_printed", ""))
    return table.assign(n=table["n"].fillna(0).astype(int))


def bars(rows: pd.DataFrame, environment: str) -> pd.DataFrame:
    """Bars of an environment for DEPS's Figure 1, as notebook 03 finds them in another's ``figure1.csv``.

    ``rows`` are the zero-shot planner's, one a controller.
    """
    return rows.assign(environment=environment)[["environment", "controller", *NUMBERS]].reset_index(
        drop=True
    )


def conduct(episodes: pd.DataFrame, by: Sequence[str], counts: Sequence[str]) -> pd.DataFrame:
    """Means an episode of some counts and of the tokens read (``prompt_tokens``), by group.

    What an episode lacks that others of its group have, as after an error, is none.
    """
    prompt = episodes.filter(regex=r"^tokens_.*_prompt$").sum(axis=1)
    columns = episodes.reindex(columns=[*by, *counts]).assign(prompt_tokens=prompt)
    had = columns.groupby(list(by))[list(counts)].transform("count") > 0
    columns[list(counts)] = columns[list(counts)].fillna(0).where(had)
    return columns.groupby(list(by), sort=False).mean(numeric_only=True).round(2).reset_index()


def means(episodes: pd.DataFrame, by: Sequence[str], columns: Sequence[str]) -> pd.DataFrame:
    """How many ``episodes``, and their means of some columns, by group."""
    groups = episodes.groupby(list(by), sort=False)
    found = groups[list(columns)].mean()
    return pd.concat([groups.size().rename("episodes"), found], axis=1).reset_index()


def add_paper(
    ours: pd.DataFrame, paper: pd.DataFrame, on: Sequence[str], values: Mapping[str, str]
) -> pd.DataFrame:
    """Our rows with the paper's columns, renamed as in ``values``, joined on ``on``."""
    return ours.merge(paper[[*on, *values]].rename(columns=dict(values)), on=list(on), how="left")


def in_order(table: pd.DataFrame, by: Mapping[str, Sequence[Any] | None]) -> pd.DataFrame:
    """The rows sorted by columns, each in a given order of its values, or in the values' own."""

    def place(column: pd.Series) -> pd.Series:
        order = by[str(column.name)]
        return column if order is None else column.map({value: i for i, value in enumerate(order)})

    return table.sort_values(list(by), ignore_index=True, key=place)


def statuses(episodes: pd.DataFrame, by: Sequence[str], planned: Sequence[Key] | None = None) -> pd.DataFrame:
    """How the episodes of every condition ended: number by status (zeros shown) and by end reason.

    Args:
        episodes: One row an episode, with ``status`` and ``reason``.
        by: Columns that make a condition.
        planned: The conditions to show, with 0 episodes where one was not run; None for those that were.
    """
    groups = episodes.groupby(list(by), sort=False, observed=True)
    status = groups["status"].value_counts().unstack(fill_value=0)
    ends = groups["reason"].value_counts().unstack(fill_value=0)
    ends = ends.drop(columns=[c for c in ends if c in STATUSES]).add_prefix("ended_").sort_index(axis=1)
    table = groups.size().rename("episodes").to_frame()
    table = table.join(status.reindex(columns=list(STATUSES), fill_value=0)).join(ends)
    if planned is not None:
        table = table.reindex(pd.MultiIndex.from_tuples(planned, names=list(by)), fill_value=0)
    return table.reset_index()
