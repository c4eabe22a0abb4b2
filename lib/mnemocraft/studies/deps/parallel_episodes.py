"""Episodes of the selectors to look at; each is played again from its seed, with its frames."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import ipywidgets as widgets
import numpy as np
import pandas as pd
from IPython.display import HTML

from mnemocraft import viewer
from mnemocraft.errors import MnemocraftError
from mnemocraft.studies.deps import card, parallel
from mnemocraft.studies.deps.card import DONE, LATER, NOW
from mnemocraft.viewer import Moment

if TYPE_CHECKING:
    from mnemocraft.envs import OverworldEnv

SIZE = (120, 200)
"""Height and width of the frames."""


def show(episodes: pd.DataFrame) -> widgets.VBox | HTML | str:
    """A viewer for some records of the study."""
    return viewer.show(episodes, replay, card.LOOK)


def replay(row: Mapping[str, Any]) -> list[Moment]:
    """The moments of an episode: a choice, and what came of it.

    Raises:
        MnemocraftError: The episode goes otherwise now: it was made with another version of the worlds.
    """
    seen: list[np.ndarray] = []
    pursuit = parallel.pursue_all(
        row,
        int(row["task"]),
        int(row["seed"]),
        lambda stage: seen.append(cast("OverworldEnv", stage.env).frame(*SIZE)),
    )
    if pursuit.stage.steps != row["steps"]:
        raise MnemocraftError(
            f"World {row['seed']} goes otherwise when it is played again: {pursuit.stage.steps} steps, not "
            f"{row['steps']}; the run was made with another version of the worlds."
        )
    name = f"{parallel.LABELS[row['selector']]}, {row['controller']} controller, world {row['seed']}"
    return moments(name, pursuit, seen)


def moments(name: str, pursuit: parallel.Pursuit, seen: list[np.ndarray]) -> list[Moment]:
    """One for every attempt at a goal.

    Args:
        name: Of the episode, for the titles.
        pursuit: The episode, played.
        seen: The view at every event.
    """
    found, talk, chosen, away = [], [""], "", {}
    for event, view in zip(pursuit.trajectory, seen, strict=True):
        if event["type"] == "choice":
            chosen, talk = event["goal"], [_predicted(event)]
            away = dict(zip(event["candidates"], event["horizons"], strict=True))
        elif event["type"] == "outcome":
            result = "reached" if event["success"] else "not yet"
            title = f"step {event['at']}: {chosen}, {result}"
            steps = _steps(pursuit, event["inventory"], chosen, away)
            held = [f"{units} {item}" for item, units in event["inventory"].items()]
            talk += [] if event["success"] else [event["reason"]]
            drawn = partial(card.card, f"{name}. {title}", steps, held, view)
            found.append(Moment(title, drawn, tuple(talk)))
    return found


def _predicted(event: Mapping[str, Any]) -> str:
    pairs = zip(event["candidates"], event["horizons"], strict=True)
    return f"at step {event['at']}: " + "; ".join(f"{goal} in {steps:.0f} steps" for goal, steps in pairs)


def _steps(
    pursuit: parallel.Pursuit, had: Mapping[str, int], chosen: str, away: Mapping[str, float]
) -> tuple[card.Step, ...]:
    """Every goal of the task with how it stands, and its predicted steps when the last choice was made."""
    steps = []
    for goal, item in parallel.GOALS:
        if item in pursuit.stage.target:
            text = str(goal)
            state = DONE if had.get(item, 0) >= goal.count else NOW if text == chosen else LATER
            told = f": {away[text]:.0f} steps predicted" if text in away else ""
            taken = ", chosen" if text == chosen else ""
            steps.append((f"{text}{told}{taken}", state))
    return tuple(steps)
