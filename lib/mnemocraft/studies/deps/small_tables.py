"""Tables, claims and goals of the small real model in the text world (study: :mod:`.small`)."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from mnemocraft.agents.deps.methods import agent
from mnemocraft.studies import estimates, small_model
from mnemocraft.studies.claims import ALL
from mnemocraft.studies.deps import measures
from mnemocraft.studies.deps.known import VERSIONS, known
from mnemocraft.studies.deps.small import ADAPTER, METHODS
from mnemocraft.studies.small_model import ITEMS, alike, claim, judged
from mnemocraft.studies.small_player import KNOWN, UNKNOWN

CALLS = 7
"""Calls of the model within which a task has to be done where methods are compared: the first plan, and three
revised ones (a column of Table 4) with an explanation each, or six without."""
REVISING = ("deps", "deps_unexplained")
"""Methods that revise whole plans, in the same number of calls."""
KNOWN_UNLIKE = "known_unlike"
"""Known tasks (``task``, ``version``) but for those that the model met in a lesson too, with nothing of use
at hand (:func:`~mnemocraft.studies.small_model.alike`)."""
LABELS = {"first plan": "DEPS, first plan"} | {method: agent(method).label for method in METHODS}
"""Arms of the comparison: the recorded methods, and what DEPS has done before its first failure."""


def tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file, from the study's records."""
    episodes = measures.prepare(records)
    found = success(episodes)
    return {
        "known_items": found,
        "goals_of_the_design": goals(found),
        "within_calls": within_calls(episodes),
        "hypotheses": judged(CLAIMS, arms(episodes), ["arm", "items"], "task", "tasks"),
        "statuses": estimates.statuses(episodes, ["version", "method"]),
        "conduct": conduct(episodes),
    }


def kind(version: str, task: str) -> str:
    """:data:`KNOWN` or :data:`UNKNOWN`."""
    return KNOWN if known(version, task) else UNKNOWN


def arms(episodes: pd.DataFrame, calls: int = CALLS) -> pd.DataFrame:
    """The episodes of every arm (column ``arm``), each for its kind of task and for all (``items``).

    ``passed`` is: done, and, where plans are revised, within so many calls of the model. A game here is a
    task in a version.
    """
    kinds = [kind(version, task) for version, task in episodes[["version", "task"]].itertuples(index=False)]
    late = episodes["method"].isin(REVISING) & (episodes["calls"] > calls)
    within = episodes["passed"].where(~late, 0.0)
    game = episodes["task"] + " in " + episodes["version"]
    ours = episodes.assign(arm=episodes["method"], items=kinds, passed=within, game=game)
    first = ours[ours["method"] == "deps"]
    first = first.assign(arm="first plan", passed=first["passed"].where(first["rounds"] == 0, 0.0))
    both = pd.concat([first, ours], ignore_index=True)
    return pd.concat([both, both.assign(items=ALL)], ignore_index=True)


def success(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by arm, version (``both`` pools them) and kind of task, :data:`KNOWN_UNLIKE` too, with Wilson's
    interval over targets."""
    every = arms(episodes)
    shown = pd.MultiIndex.from_frame(alike(ADAPTER)[["task", "version"]])
    unlike = ~pd.MultiIndex.from_frame(every[["task", "version"]]).isin(shown) & (every["items"] == KNOWN)
    every = pd.concat([every, every[unlike].assign(items=KNOWN_UNLIKE)], ignore_index=True)
    every = pd.concat([every, every.assign(version="both")], ignore_index=True)
    keys = product(LABELS, (*VERSIONS, "both"), (*ITEMS, KNOWN_UNLIKE))
    return estimates.clustered(every, ["arm", "version", "items"], "task", "n_tasks", keys)


GOALS = (
    ("known tasks, first plan: at least 80 %", KNOWN, 0.8, 1.0),
    ("the same without tasks of lessons: at least 80 %", KNOWN_UNLIKE, 0.8, 1.0),
    ("unknown tasks, first plan: at most 10 %", UNKNOWN, 0.0, 0.1),
)
"""The design's goals, set before anything was recorded: the least and the most that the rate may be. The
second was added afterwards."""


def goals(found: pd.DataFrame) -> pd.DataFrame:
    """All :data:`GOALS` with their rows of :func:`success`, and whether they are ``met``."""
    rows = []
    first = found[(found["arm"] == "first plan") & (found["version"] == "both")]
    numbers: Any = first.set_index("items")[[*estimates.NUMBERS, "n_tasks"]].T.to_dict()
    for text, items, least, most in GOALS:
        row = numbers.get(items, dict.fromkeys((*estimates.NUMBERS, "n_tasks"), 0) | {"value": np.nan})
        met = estimates.met(row, least, most)
        rows.append({"goal": text, "items": items} | row | {"met": met})
    return pd.DataFrame(rows).astype({"n": int, "n_tasks": int})


def reading(found: pd.DataFrame) -> pd.DataFrame:
    """:func:`success` for reading: a row an arm, a column a version and kind of task."""
    return small_model.reading(found[found["items"].isin(ITEMS)], "arm", LABELS, ["version", "items"])


def within_calls(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success within 1, 3 ... :data:`CALLS` calls of the model, with and without explanations."""
    parts = [arms(episodes, calls).assign(max_calls=calls) for calls in range(1, CALLS + 1, 2)]
    revising = pd.concat(parts, ignore_index=True).query("arm in @REVISING")
    return estimates.clustered(revising, ["arm", "items", "max_calls"], "task", "n_tasks")


def conduct(episodes: pd.DataFrame) -> pd.DataFrame:
    """Means an episode of rounds, calls, goals tried and failed, unread answers and tokens, by method.

    ``stopped_early`` are episodes without success that ended after a revised plan and before :data:`CALLS`
    calls: a failure that is not explained, such as a plan that cannot be read, costs none, and several
    answers that cannot be read end an episode.
    """
    early = (episodes["passed"] == 0) & (episodes["calls"] < CALLS) & (episodes["rounds"] > 0)
    columns = [*measures.COUNTS, "prompt", "completion", "stopped_early"]
    return estimates.means(episodes.assign(stopped_early=early), ["version", "method"], columns)


CLAIMS = (
    claim(
        "explanations",
        f"DEPS does more tasks than without explanations, within {CALLS} calls each",
        "deps",
        "deps_unexplained",
        "not tested (GPT+RP in ALFWorld, without descriptions: less than DEP on average, Table 6)",
    ),
    claim(
        "rounds",
        f"DEPS does more tasks within {CALLS} calls than in its own first plan, of which it loses none",
        "deps",
        "first plan",
        "holds in all meta-tasks (Table 4, no test)",
    ),
    claim(
        "DEPS",
        f"DEPS within {CALLS} calls does more tasks than GPT with one",
        "deps",
        "gpt",
        "holds in all meta-tasks (4.2, no test)",
    ),
)
"""Written down before the recording; worded anew afterwards, so that they say what they compare."""
