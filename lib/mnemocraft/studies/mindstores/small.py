"""A small real model with a memory (notebook 06): does what it remembers tell it what it does not know?

The model and what is *known* to it are those of notebook 03 (:mod:`mnemocraft.studies.deps.small`). In
training it saw unknown items made only where an explanation, an experience or an insight in the prompt has
named them. All tasks share one memory and are met twice. Its answers were recorded; ``python -m
training.recording 06`` asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import pandas as pd

from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.llm import Model
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies import estimates
from mnemocraft.studies.checks import check
from mnemocraft.studies.claims import ALL, NOT_ASKED
from mnemocraft.studies.deps.small import LONGEST, kind
from mnemocraft.studies.mindstores import load, sweep
from mnemocraft.studies.mindstores.load import DEPS, FRESH_PLAYERS, FULL, ROUNDS, SHARED_PLAYERS, VERSION
from mnemocraft.studies.mindstores.tables import CELL, COUNTS, NO_TEST, prepare
from mnemocraft.studies.small_model import ITEMS, brief, claim, judged
from mnemocraft.worlds.minecraft_tasks import minecraft_task, minecraft_tasks
from mnemocraft.worlds.minecraft_world import MinecraftWorld
from mnemocraft.worlds.textworld import textworld

PART = "small"
PLAYERS = {
    FULL: replace(SHARED_PLAYERS[FULL], label="MindStores"),
    DEPS: SHARED_PLAYERS[DEPS],
    "shuffled": SHARED_PLAYERS["shuffled"],
    "unaided": FRESH_PLAYERS["unaided"],
}
"""In the order in which they were recorded."""
LABELS = {name: player.label for name, player in PLAYERS.items()}
FIRST_PLAN, LATER = "first plan", "a later plan"
TRIALS = 2
"""Times that every task is met."""
FIRST = 8
"""Episodes of a stream that ``smoke`` has."""


def study(profile: str) -> Study:
    """A stream a player: the 76 tasks in an order by lot, then in another; ``smoke`` has the first of them.

    Raises:
        MnemocraftError: There is no such profile.
    """
    check("profile", profile, load.SIZES)
    mixed = sweep.mixed([task.key for task in minecraft_tasks()], TRIALS, 0)
    met = mixed[:FIRST] if profile == "smoke" else mixed
    streams = tuple(Stream(condition(player), 0, met) for player in PLAYERS)
    return Study(load.STEM, streams, start, fingerprint(start, ("minecraft/*.json",)))


def condition(player: str) -> Condition:
    """One condition; its id reads ``small/player``."""
    return Condition(f"{PART}/{player}", {"part": PART, "player": player, "max_rounds": ROUNDS})


def start(stream: Stream, model: Model) -> EpisodeStream:
    """Begin a stream with an empty memory."""
    choice = stream.condition.settings
    begun = sweep.seated(PLAYERS[choice["player"]], choice, model, partial(begin, choice, stream.seed))
    return replace(begun, agent=brief(begun.agent, LONGEST))


def begin(settings: Mapping[str, Any], seed: int, task: str) -> tuple[MinecraftWorld, int]:
    """A trial of a task at its beginning, and the seed of the model's draws.

    That is the same in both trials: only the memory differs, and who has none does the same again.
    """
    key = task.partition("/")[0]
    own = minecraft_task(key).id
    return textworld(key, own, version=VERSION), own


# --- tables -----------------------------------------------------------------------------------------------


def tables(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Every table by the name of its file, from records of :func:`study`."""
    episodes = prepare(records)
    by = episodes.groupby(list(CELL), sort=False)
    means = by[[*COUNTS, "prompt", "plans"]].mean()
    return {
        "known_items": success(episodes),
        "mended": mended(episodes),
        "hypotheses": judged(CLAIMS, _by_items(episodes), ["player", "items"], "item", "tasks"),
        "statuses": estimates.statuses(episodes, CELL),
        "conduct": pd.concat([by.size().rename("episodes"), means.round(2)], axis=1).reset_index(),
    }


def _by_items(episodes: pd.DataFrame) -> pd.DataFrame:
    """The episodes for their kind of task and, once more, for all (``items``)."""
    kinds = [kind(VERSION, item) for item in episodes["item"]]
    return pd.concat([episodes.assign(items=kinds), episodes.assign(items=ALL)], ignore_index=True)


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
    named = found.assign(text=found.apply(estimates.counted, axis=1), player=found["player"].map(LABELS))
    return estimates.wide(named, ["player"], [split, "items"])


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
        NOT_ASKED,
    ),
)
"""Written down before the recording, like the players, and worded anew afterwards."""
