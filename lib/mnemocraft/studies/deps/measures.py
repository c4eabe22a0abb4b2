"""What is measured on the planners' episodes: the columns that tables and tests sum.

A *game* is a task with a seed, which gives its world and the model's draws. Every method plays the same
games, so differences are paired by game. Games of one task succeed and fail together, so that intervals and
p-values are clustered by task.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mnemocraft import stats
from mnemocraft.agents.deps.methods import LABELS
from mnemocraft.stats import Cells, rate
from mnemocraft.studies import papers
from mnemocraft.studies.markup import listed
from mnemocraft.worlds.minecraft_tasks import minecraft_task

METHOD_OF = {
    "GPT": "gpt",
    "ProgPrompt": "progprompt",
    "CoT": "cot",
    "Inner Monologue": "inner_monologue",
    "Code as Policies": "code_as_policies",
    "DEP": "dep",
    "DEPS": "deps",
}
"""Our method by the name in ``data/papers/``."""
CELL = ("world", "method")
AVERAGE = "AVG"
ROUNDS: dict[str, float] = {"0": 0, "1": 1, "3": 3, "5": 5, "inf": np.inf}
"""Maxima of re-planning rounds, as the paper's Table 4 has them."""
COUNTS = ("rounds", "calls", "goals", "failed_goals", "unread", "dialogue_tokens")
DIAMOND = "diamond"


def prepare(records: pd.DataFrame) -> pd.DataFrame:
    """The episodes with the columns that the tables need; every record counts.

    Adds ``group`` (meta-task), ``game``, ``passed`` (0 or 1), ``held`` (the items ever held), the counts as
    numbers, and ``completion`` and ``prompt`` tokens.
    """
    episodes = records.reindex(columns=list(dict.fromkeys([*records.columns, *COUNTS, "items"])))
    numbers = {name: episodes[name].astype(float).fillna(0) for name in COUNTS}
    for kind in ("prompt", "completion"):
        numbers[kind] = episodes.filter(regex=rf"^tokens_.*_{kind}$").sum(axis=1).astype(float)
    return episodes.assign(
        group=episodes["task"].map({key: minecraft_task(key).group for key in records["task"].unique()}),
        game=episodes["task"] + " seed " + episodes["seed"].astype(str),
        passed=episodes["success"].astype(float),
        held=episodes["items"].fillna("").map(lambda items: frozenset(items.split(","))),
        **numbers,
    )


def with_average(episodes: pd.DataFrame) -> pd.DataFrame:
    """Every episode twice: under its meta-task and under the average over all tasks."""
    return pd.concat([episodes, episodes.assign(group=AVERAGE)], ignore_index=True)


def by_rounds(episodes: pd.DataFrame) -> pd.DataFrame:
    """Every episode once for each maximum of rounds, which is in ``max_rounds``; ``passed`` is for it.

    An agent does not know how many rounds it may have, so that one with at most k does what this one did, up
    to its k-th revised plan: it succeeds where this one did with at most k.
    """
    parts = [
        episodes.assign(max_rounds=name, passed=episodes["passed"].where(episodes["rounds"] <= most, 0.0))
        for name, most in ROUNDS.items()
    ]
    return pd.concat(parts, ignore_index=True)


def cells(episodes: pd.DataFrame, by: Sequence[str]) -> Cells:
    """Success rates in every group of prepared episodes, clustered by task."""
    return stats.cells(episodes, rate("passed"), by, cluster="task")


AT_MOST = {"deps@0": "DEPS before its first round", "deps@3": "DEPS with at most 3 rounds"}
"""What claims say of DEPS with a maximum of rounds, by what :func:`variants` calls it."""


def variants(episodes: pd.DataFrame) -> pd.DataFrame:
    """The episodes of every method, and those of DEPS once more as each of :data:`AT_MOST`."""
    limited = by_rounds(episodes[episodes["method"] == "deps"])
    limited = limited.assign(method="deps@" + limited["max_rounds"])
    return pd.concat([episodes, limited[limited["method"].isin(AT_MOST)]], ignore_index=True)


def shared(episodes: pd.DataFrame, what: str) -> pd.DataFrame:
    """The games that all of a column's values in these episodes have played."""
    count = episodes.groupby("game")[what].nunique()
    return episodes[episodes["game"].isin(count[count == episodes[what].nunique()].index)]


def identical(episodes: pd.DataFrame) -> pd.DataFrame:
    """Which methods (and :func:`variants` of DEPS) succeed in the same games, of those that all have played.

    Returns:
        One row a world and set of methods: ``world``, ``methods`` (their keys, separated by blanks, in the
        order of the paper's Table 2), ``labels``, ``success`` (games) and ``games``.
    """
    rows, order = [], [*LABELS, *AT_MOST]
    for world, mine in episodes.groupby("world", sort=False):
        wide = shared(variants(mine), "method").pivot(index="game", columns="method", values="passed")
        alike: dict[bytes, list[str]] = {}
        for method in filter(set(wide).__contains__, order):
            alike.setdefault(wide[method].to_numpy().tobytes(), []).append(method)
        for methods in alike.values():
            labels = listed([(LABELS | AT_MOST)[method] for method in methods])
            rows.append((world, " ".join(methods), labels, int(wide[methods[0]].sum()), len(wide)))
    return pd.DataFrame(rows, columns=["world", "methods", "labels", "success", "games"])


def milestones() -> list[str]:
    """The items on the way to a diamond in the order of the paper's Figure 8; its stone is cobblestone."""
    printed = papers.table("deps_fig8")["item"].str.replace(" ", "_")
    return printed.replace("stone", "cobblestone").tolist()
