"""A small real model in a household (notebook 10): is one graph of all that it saw worth more than a history?

The model was shown games made here, through the very agents. A type of task is *known* if all rules that it
takes are among those shown (:mod:`mnemocraft.studies.household.known`). Its answers are recorded; ``python -m
training.recording 10`` asks for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product

import pandas as pd

from mnemocraft import stats
from mnemocraft.agents.registry import get_agent
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.llm import Model
from mnemocraft.memory.none import NoMemory
from mnemocraft.paths import PROFILES
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies import estimates
from mnemocraft.studies.checks import check
from mnemocraft.studies.claims import ALL, NOT_ASKED
from mnemocraft.studies.household.known import known
from mnemocraft.studies.household.load import LABELS as TYPES
from mnemocraft.studies.household.load import NAMES, PLAYERS, STEM, games
from mnemocraft.studies.household.sweep import DATA, MAX_STEPS, begin
from mnemocraft.studies.household.tables import AVERAGE, conduct, prepare, statuses
from mnemocraft.studies.small_model import ITEMS, KNOWN, UNKNOWN, brief, claim, judged

ADAPTER = "household_gemma-3-270m"
"""Name of the model's adapter and of its recording."""
HELD = {"gig_held": "gig", "react_held": "react"}
"""Whose answers are held to the admissible commands. ReCAP's are sub-tasks, which nothing lists."""
LABELS = {player: NAMES[player] for player in ("gig", "react", "recap")} | {
    held: f"{NAMES[player]}, held to the commands" for held, player in HELD.items()
}
"""Who plays, in the order in which they are recorded."""
RECORDED = ("gig", "react")
"""Whose recording is complete. The others come later, in the order of :data:`LABELS`."""
LONGEST = 300
"""Tokens of an answer; the expert's longest in the first lessons has 74."""
LEAST = 0.3
"""The design's goal for the 134 games, set before anything was recorded, not said of whom."""


def study(profile: str, players: Sequence[str] = RECORDED) -> Study:
    """A stream a player and type of task; ``full`` has the 134 games, the others generated ones.

    Raises:
        MnemocraftError: There is no such profile, or its games are not here.
    """
    check("profile", profile, PROFILES)
    streams = tuple(
        Stream(condition(player, names[0].partition("/")[0], kind), 0, names)
        for player in players
        for kind, names in games(profile).items()
    )
    return Study(STEM, streams, start, fingerprint(start, DATA))


def condition(player: str, games_of: str, kind: str) -> Condition:
    """One condition; its id reads ``small/valid_unseen/player/type``."""
    settings = {"part": "small", "player": player, "held": player in HELD}
    settings |= {"max_steps": MAX_STEPS, "sub_goals": False}
    return Condition(f"small/{games_of}/{player}/{kind}", settings)


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream; nobody remembers anything from one game to the next."""
    choice = stream.condition.settings
    player = choice["player"]
    agent = get_agent(PLAYERS[HELD.get(player, player)].agent)
    playing = partial(begin, choice, stream.seed)
    return EpisodeStream(brief(agent, LONGEST, choice["held"]), NoMemory(), model, playing)


# --- tables -----------------------------------------------------------------------------------------------


def tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file, from records of :func:`study`."""
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
    return pd.concat([episodes.assign(items=kinds), episodes.assign(items=ALL)], ignore_index=True)


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
    named = found.assign(text=found.apply(estimates.counted, axis=1), player=found["player"].map(LABELS))
    return estimates.wide(named, ["player"], ["items"])


CLAIMS = (
    claim(
        "graph", "GiG solves more than ReAct", "gig", "react", "holds on the one model with both (Table 3)"
    ),
    claim("graph", "GiG solves more than ReCAP", "gig", "recap", "holds on three models (Table 3, no test)"),
    claim("decoding", "GiG solves more held to the commands than free", "gig_held", "gig", NOT_ASKED),
    claim("decoding", "ReAct solves more held to the commands than free", "react_held", "react", NOT_ASKED),
)
"""Written down before anything was recorded, like the players; the first two before anything was trained."""
