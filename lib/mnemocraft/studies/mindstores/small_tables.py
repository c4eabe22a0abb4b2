"""Tables and claims of the small real model with a memory (study: :mod:`.small`)."""

from __future__ import annotations

from itertools import product

import pandas as pd

from mnemocraft.studies import estimates, small_model
from mnemocraft.studies.claims import NOT_ASKED
from mnemocraft.studies.deps.small_tables import kind
from mnemocraft.studies.mindstores.load import DEPS, FULL, VERSION
from mnemocraft.studies.mindstores.small import PLAYERS, TRIALS
from mnemocraft.studies.mindstores.tables import CELL, COUNTS, NO_RESULT, NO_TEST, prepare
from mnemocraft.studies.small_model import ITEMS, claim, judged

LABELS = {name: player.label for name, player in PLAYERS.items()}
FIRST_PLAN, LATER = "first plan", "a later plan"


def tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file, from the study's records."""
    episodes = prepare(records)
    return {
        "known_items": success(episodes),
        "mended": mended(episodes),
        "hypotheses": judged(CLAIMS, _by_items(episodes), ["player", "items"], "item", "tasks"),
        "statuses": estimates.statuses(episodes, CELL),
        "conduct": estimates.means(episodes, CELL, [*COUNTS, "prompt", "plans"]).round(2),
    }


def _by_items(episodes: pd.DataFrame) -> pd.DataFrame:
    """The episodes for their kind of task and, once more, for all (``items``)."""
    kinds = [kind(VERSION, item) for item in episodes["item"]]
    return small_model.by_items(episodes, kinds)


def success(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by player, trial (``both`` pools them) and kind of task, with Wilson's interval over tasks."""
    every = _by_items(episodes)
    every = pd.concat(
        [every.assign(trial=(every["trial"] + 1).astype(str)), every.assign(trial="both")], ignore_index=True
    )
    keys = product(PLAYERS, (*map(str, range(1, TRIALS + 1)), "both"), ITEMS)
    return estimates.clustered(every, ["player", "trial", "items"], "item", "n_tasks", keys)


def mended(episodes: pd.DataFrame) -> pd.DataFrame:
    """In how many of all games the first plan did, and in how many a later one, over tasks.

    The two add up to :func:`success`; of those whose first plan had failed every player has others. No claim:
    it was looked at after the recording, to see where the players part.
    """
    every = _by_items(episodes)
    first = every["passed"].where(every["plans"] <= 1, 0.0)
    later = every["passed"] - first
    split = pd.concat([every.assign(plan=p, passed=n) for p, n in ((FIRST_PLAN, first), (LATER, later))])
    keys = product(PLAYERS, (FIRST_PLAN, LATER), ITEMS)
    return estimates.clustered(split, ["player", "plan", "items"], "item", "n_tasks", keys)


def reading(found: pd.DataFrame, split: str = "trial") -> pd.DataFrame:
    """:func:`success`, or split by ``plan`` :func:`mended`, for reading: a row a player."""
    return small_model.reading(found, "player", LABELS, [split, "items"])


CLAIMS = (
    claim("memory", "MindStores does more tasks than DEPS", FULL, DEPS, NO_TEST),
    claim(
        "content", "MindStores does more tasks than if handed other experiences", FULL, "shuffled", NOT_ASKED
    ),
    claim(
        "calls",
        "MindStores does more tasks than with all its calls but no memory",
        FULL,
        "unaided",
        NO_RESULT,
    ),
)
"""Written down before the recording, like the players, and worded anew afterwards."""
