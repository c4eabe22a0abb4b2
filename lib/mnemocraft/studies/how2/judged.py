"""How good the relevance check is at choosing.

How often it is right (:func:`taken`): whether an entry helps at this table is the planner's to say. And what
it adds beside asking again (:func:`chosen`), which a coin would do, too.
"""

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
from mnemocraft.studies.how2 import measures
from mnemocraft.studies.how2.load import SPLITS
from mnemocraft.worlds.plancraft_teacher import asked, still_true

Trajectory = Callable[[Mapping[str, Any]], list[dict[str, Any]]]
ROWS = ("true", "false", "difference")
"""Of a split and teacher: entries that help at the table, those that do not, and how much more often the
first are taken (Youden's index; 0 is a coin, however often it says yes)."""
POOLED = "all"
"""The three teachers together. Their difference is the mean of those within one teacher's entries: executable
ones hardly ever help, so that who tells the forms apart would seem to tell what helps."""
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
    return shares(pd.DataFrame(rows, columns=["split", "teacher", "target", "entry", "taken"]))


def shares(checks: pd.DataFrame) -> pd.DataFrame:
    """:func:`taken` from one row a check: ``split``, ``teacher``, ``target``, ``entry`` and ``taken``."""
    checks = pd.concat([checks, checks.assign(teacher=POOLED)]).astype({"taken": float})
    by = ("split", "teacher", "entry")
    cells = stats.cells(checks, stats.rate("taken"), by, cluster="target")
    table = []
    for split, teacher in product(SPLITS, (*TEACHERS[:3], POOLED)):
        within = TEACHERS[:3] if teacher == POOLED else (teacher,)
        both = [t for t in within if all((split, t, entry) in cells.value for entry in ROWS[:2])]
        one, other = ([(split, t, entry) for t in both] for entry in ROWS[:2])
        alone = (difference([(split, teacher, entry)], []) for entry in ROWS[:2])
        weights = (*alone, difference(one, other))
        for entry, weight in zip(ROWS, weights, strict=True):
            found = cells.estimate(weight)
            key = dict(zip(by, (split, teacher, entry), strict=True))
            table.append(key | numbers(found) | {"targets": found.clusters})
    return pd.DataFrame(table)


def chosen(episodes: pd.DataFrame) -> pd.DataFrame:
    """What the relevance check adds to success beside what a coin would that has the teacher asked as often.

    A check that refuses nothing is memory-only, one that refuses everything is Just Ask, and a coin is taken
    to be as far between their success rates as it is between their numbers of questions, with each teacher.

    Args:
        episodes: Prepared episodes (:func:`~mnemocraft.studies.how2.measures.prepare`).

    Returns:
        One row a split: what the ``check`` adds to the success of memory-only, what the ``coin`` would, and
        the difference with its interval, for which the coin's place between the two is held fixed. Means
        over teachers. It was thought of after the small model's results were seen: no claim is about it.
    """
    main, by = episodes[episodes["variant"] == "main"], ("setup", "teacher", "split")
    success, asked = (measures.cells(main, name, by) for name in ("overall_sr", "avg_intervention_rate"))
    rows = []
    for split in SPLITS:
        check: dict[stats.Key, float] = {}
        coin: dict[stats.Key, float] = {}
        for teacher in TEACHERS:
            one, least, most = ((name, teacher, split) for name in ("relevance", "memory_only", "just_ask"))
            more, all_more = (asked.counted(difference([key], [least])).value for key in (one, most))
            share = min(more / all_more, 1.0) if all_more else 0.0  # without repeats nothing can be refused
            check |= {one: 1 / len(TEACHERS), least: -1 / len(TEACHERS)}
            coin |= {most: share / len(TEACHERS), least: -share / len(TEACHERS)}
        beyond = {key: check.get(key, 0.0) - coin.get(key, 0.0) for key in check | coin}
        found = success.estimate(beyond)
        alone = {name: success.counted(part) for name, part in (("check", check), ("coin", coin))}
        added = {name: part.value for name, part in alone.items()}
        counts = {"n": alone["check"].n, "targets": found.clusters}
        rows.append({"split": split} | added | numbers(found) | counts)
    return pd.DataFrame(rows)


def told(model: str, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """How good a model's relevance check was, a sentence for every split with checks of both kinds."""
    return [*_right(model, tables), *_beside_a_coin(model, tables)]


def _beside_a_coin(model: str, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    table = tables.get("chosen", pd.DataFrame(columns=["n"]))
    return [
        f"In `{row['split']}` **{model}**'s check adds {row['check']:+.4f} to the success of memory-only. "
        "By a calculation made afterwards, a coin that has the teacher asked as often would add "
        f"{row['coin']:+.4f}: "
        f"{text(row, digits='+.4f')} beside it (n = {row['n']} pairs on {row['targets']} targets)."
        for _, row in table[table["n"] > 0].iterrows()
    ]


def _right(model: str, tables: Mapping[str, pd.DataFrame]) -> list[str]:
    table = tables.get("judged", pd.DataFrame(columns=["teacher", "split"]))
    said = []
    for split, rows in table.groupby("split", sort=False):
        pooled = rows[rows["teacher"] == POOLED]
        true, false = (pooled[pooled["entry"] == entry].iloc[0] for entry in ROWS[:2])
        within = rows[(rows["entry"] == ROWS[2]) & (rows["n"] > 0) & (rows["teacher"] != POOLED)]
        forms = "; ".join(
            f"{row['teacher']} {text(row, digits='+.2f')} (n = {row['n']})" for _, row in within.iterrows()
        )
        if true["n"] and false["n"]:
            said.append(
                f"Of the memories that help at the table by the planner's account, **{model}** takes "
                f"{text(true)} (n = {true['n']} checks in `{split}`), of the others {text(false)} "
                f"(n = {false['n']}). The difference by form of answer, "
                f"n being the checks of the rarer kind: {forms}."
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
            query, hits = asked(seen, event["query"]), iter([hit["text"] for hit in event["hits"]])
        elif event["type"] == "learn":
            written.setdefault(event["text"], (seen, asked(seen, event["keys"][0], event["question"])))
        elif event["type"] == "call" and event["role"] == "relevance":
            then, item = written[next(hits)]
            helps = still_true(record["teacher"], then, item, seen, query)
            yield {"entry": "true" if helps else "false", "taken": says("yes", event["text"])}
