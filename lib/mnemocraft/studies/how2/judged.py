"""How often the relevance check is right: whether an entry helps at this table is the planner's to say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import pandas as pd

from mnemocraft import stats
from mnemocraft.agents.how2.roles import says
from mnemocraft.agents.how2.settings import TEACHERS
from mnemocraft.envs import PlancraftEnv
from mnemocraft.envs.plancraft import example
from mnemocraft.stats import difference
from mnemocraft.studies.estimates import numbers, text
from mnemocraft.studies.how2.load import SPLITS
from mnemocraft.worlds.plancraft_teacher import still_true

Trajectory = Callable[[Mapping[str, Any]], list[dict[str, Any]]]
ROWS = ("true", "false", "difference")
"""Of a split and teacher: entries that help at the table, those that do not, and how much more often the
first are taken (Youden's index; 0 is a coin, however often it says yes)."""
POOLED = "all"
"""The three teachers together."""
CALLS = "tokens_relevance_calls"
"""The column of an episode that counts its relevance checks."""


def taken(episodes: pd.DataFrame, trajectory: Trajectory) -> pd.DataFrame:
    """How often set-up ``relevance`` takes entries that help and that do not, of the templated teachers.

    Not for what the non-executable one says, nor for what Parse has rewritten: whether prose is true of a
    table is not for a planner to say.

    Args:
        episodes: Prepared episodes (:func:`~mnemocraft.studies.how2.measures.prepare`), whole streams.
        trajectory: Reads the events of an episode.

    Returns:
        One row a split, teacher (``all`` pools them) and kind of ``entry`` (:data:`ROWS`): the share that is
        taken, its interval over targets, ``n`` checks and their ``targets``. No claim is about it, so that
        there is no p.
    """
    main = (episodes["setup"] == "relevance") & (episodes["variant"] == "main")
    mine = episodes[main & episodes["teacher"].isin(TEACHERS[:3])]
    rows = []
    for _, stream in mine.groupby("stream", sort=False) if CALLS in mine and mine[CALLS].any() else ():
        written: dict[str, Any] = {}
        for row in stream.sort_values("index").to_dict("records"):
            record: dict[str, Any] = {str(name): value for name, value in row.items()}
            about = {name: record[name] for name in ("split", "teacher", "target")}
            rows += [about | check for check in _checks(trajectory(record), record, written)]
    checks = pd.DataFrame(rows, columns=["split", "teacher", "target", "entry", "taken"])
    checks = pd.concat([checks, checks.assign(teacher=POOLED)]).astype({"taken": float})
    by = ("split", "teacher", "entry")
    cells = stats.cells(checks, stats.rate("taken"), by, cluster="target")
    table = []
    for split, teacher in product(SPLITS, (*TEACHERS[:3], POOLED)):
        true, false = ((split, teacher, entry) for entry in ROWS[:2])
        weights = (difference([true], []), difference([false], []), difference([true], [false]))
        for entry, weight in zip(ROWS, weights, strict=True):
            found = cells.estimate(weight)
            key = dict(zip(by, (split, teacher, entry), strict=True))
            table.append(key | numbers(found) | {"targets": found.clusters})
    return pd.DataFrame(table)


def told(model: str, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """How often a model's relevance check was right, a sentence for every split with checks of both kinds."""
    table = tables.get("judged", pd.DataFrame(columns=["teacher", "split"]))
    pooled = table[table["teacher"] == POOLED]
    said = []
    for split, rows in pooled.groupby("split", sort=False):
        true, false, more = (rows[rows["entry"] == entry].iloc[0] for entry in ROWS)
        if true["n"] and false["n"]:
            said.append(
                f"Of the memories that help at the table, as the planner has it, **{model}** takes "
                f"{text(true)} (n = {true['n']} checks in `{split}`), of the others {text(false)} "
                f"(n = {false['n']}): {text(more, digits='+.2f')} on {more['targets']} targets."
            )
    return said


def _checks(
    events: list[dict[str, Any]], record: Mapping[str, Any], written: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """The relevance checks of an episode. ``written`` has, by its text, at which table and for what every
    entry of the stream was written; those of the episode are added."""
    env = PlancraftEnv.of_example(example(record["task"]))
    seen, query, hits = env.reset()[0], "", iter([""])
    for event in events:
        if event["type"] == "action":
            seen = env.step(event["action"])[0]
        elif event["type"] == "recall":
            query, hits = event["query"], iter([hit["text"] for hit in event["hits"]])
        elif event["type"] == "learn":
            written.setdefault(event["text"], (seen, event["keys"][0]))
        elif event["type"] == "call" and event["role"] == "relevance":
            then, item = written[next(hits)]
            helps = still_true(record["teacher"], then, item, seen, query)
            yield {"entry": "true" if helps else "false", "taken": says("yes", event["text"])}
