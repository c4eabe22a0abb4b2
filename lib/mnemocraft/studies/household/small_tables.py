"""Tables, claims and the goal of the small real model in a household (study: :mod:`.small`)."""

from __future__ import annotations

from itertools import product

import pandas as pd

from mnemocraft import stats
from mnemocraft.studies import estimates, small_model
from mnemocraft.studies.claims import ALL, NOT_ASKED
from mnemocraft.studies.household.known import known
from mnemocraft.studies.household.load import LABELS as TYPES
from mnemocraft.studies.household.load import NAMES
from mnemocraft.studies.household.small import HELD, ORDER
from mnemocraft.studies.household.tables import AVERAGE, conduct, prepare, statuses
from mnemocraft.studies.small_model import ITEMS, claim, judged
from mnemocraft.studies.small_player import KNOWN, UNKNOWN

RECORDED = ORDER[:2]
"""Whose recording is complete: notebook 10 has them play."""
LABELS = {
    player: f"{NAMES[HELD[player]]}, held to the commands" if player in HELD else NAMES[player]
    for player in ORDER
}
LEAST = 0.3
"""The design's goal for the 134 games, set before anything was recorded, not said of whom."""


def tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file, from the study's records."""
    episodes = prepare(records)
    found = success(episodes)
    return {
        "known_types": found,
        "by_type": by_type(episodes),
        "goals_of_the_design": goals(found, set(episodes["set"]) == {"valid_unseen"}),
        "hypotheses": judged(CLAIMS, _by_items(episodes), ["player", "items"], "asked", "tasks"),
        "statuses": statuses(episodes),
        "conduct": conduct(episodes),
    }


def _by_items(episodes: pd.DataFrame) -> pd.DataFrame:
    """The episodes for their kind of task and, once more, for all (``items``)."""
    kinds = episodes["type"].map({kind: KNOWN if known(kind) else UNKNOWN for kind in TYPES})
    return small_model.by_items(episodes, kinds)


def success(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by player and kind of task, with Wilson's interval over tasks."""
    keys = product(LABELS, ITEMS)
    return estimates.clustered(_by_items(episodes), ["player", "items"], "asked", "tasks", keys)


def by_type(episodes: pd.DataFrame) -> pd.DataFrame:
    """Success by type of task and player, and of all types, with Wilson's interval over tasks."""
    named = episodes.assign(what=episodes["type"].map(TYPES))
    both = pd.concat([named, named.assign(what=AVERAGE)], ignore_index=True)
    return estimates.clustered(both, ["what", "player"], "asked", "tasks")


def goals(found: pd.DataFrame, asked: bool) -> pd.DataFrame:
    """GiG's and ReAct's rows of :func:`success` over all games, and whether they reached :data:`LEAST`.

    Of other games than the 134 that is not ``asked``.
    """
    rows = found[(found["items"] == ALL) & found["player"].isin(["gig", "react"])]
    met = [estimates.met(row, LEAST) if asked else stats.NOT_MEASURED for _, row in rows.iterrows()]
    rows = rows.drop(columns="items").reset_index(drop=True)
    return rows.assign(goal=f"at least {LEAST:.0%} of the 134 games", met=met)


def reading(found: pd.DataFrame) -> pd.DataFrame:
    """:func:`success` for reading: a row a player, a column a kind of task."""
    return small_model.reading(found, "player", LABELS, ["items"])


HELD_TO = "solves more if held to the commands than if free"
CLAIMS = (
    claim(
        "graph", "GiG solves more than ReAct", "gig", "react", "holds on the one model with both (Table 3)"
    ),
    claim("graph", "GiG solves more than ReCAP", "gig", "recap", "holds on three models (Table 3, no test)"),
    claim("decoding", f"GiG {HELD_TO}", "gig_held", "gig", NOT_ASKED),
    claim("decoding", f"ReAct {HELD_TO}", "react_held", "react", NOT_ASKED),
)
"""Written down before anything was recorded, like the players; the first two before anything was trained."""
