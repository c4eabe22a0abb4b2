"""A small real model in a household (notebook 10): is one graph of all that it saw worth more than a history?

The model was shown games made here, through the very agents. A type of task is *known* if all rules that it
takes are among those shown (:mod:`mnemocraft.studies.household.known`). Its answers are recorded; ``python -m
training.recording 10`` asks for them. :mod:`.small_tables` has the tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mnemocraft.agents.registry import get_agent
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.errors import one_of
from mnemocraft.llm import Model
from mnemocraft.memory.none import NoMemory
from mnemocraft.paths import PROFILES
from mnemocraft.runs import Condition, Stream, Study
from mnemocraft.runs.sources import fingerprint
from mnemocraft.studies.household.load import PLAYERS, STEM, games
from mnemocraft.studies.household.sweep import DATA, MAX_STEPS, begin
from mnemocraft.studies.small_player import brief

ADAPTER = "household_gemma-3-270m"
"""Name of the model's adapter and of its recording."""
HELD = {"gig_held": "gig", "react_held": "react"}
"""Whose answers are held to the admissible commands. ReCAP's are sub-tasks, which nothing lists."""
ORDER = ("gig", "react", "recap", *HELD)
"""Who plays, in the order in which they are recorded."""
LONGEST = 300
"""Tokens of an answer; the expert's longest in the first lessons has 74."""


def study(profile: str, players: Sequence[str]) -> Study:
    """A stream a player and type of task; ``full`` has the 134 games, the others generated ones.

    Raises:
        MnemocraftError: There is no such profile, or its games are not here.
    """
    one_of("profile", profile, PROFILES)
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
