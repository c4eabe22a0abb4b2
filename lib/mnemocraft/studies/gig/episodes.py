"""Kitchen episodes to look at: the kitchen, the state-transition graph so far, and what was said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import ipywidgets as widgets
import numpy as np
import pandas as pd
from IPython.display import HTML
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mnemocraft import figstyle, viewer
from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import painter
from mnemocraft.errors import MnemocraftError
from mnemocraft.figstyle import styled
from mnemocraft.runs import read_trajectory
from mnemocraft.studies.gig import walk
from mnemocraft.studies.gig.load import environment
from mnemocraft.studies.gig.walk import Walk
from mnemocraft.viewer import Look, Moment

LOOK = Look(width=960, columns=1, inches=9.0, limit=3)


def show(episodes: pd.DataFrame, out: Path) -> widgets.VBox | HTML | str:
    """A viewer for some episodes of the run in ``out`` (:func:`mnemocraft.viewer.show`)."""

    def moments(row: Mapping[str, Any]) -> list[Moment]:
        env = environment(row["task"], int(row["seed"]), row["multiplier"])
        found = replay(env, read_trajectory(out, row))
        return [
            replace(found[0], title=f"{player(row.get('model', 'model not recorded'))}: {found[0].title}"),
            *found[1:],
        ]

    return viewer.show(episodes, moments, LOOK)


def player(model: str) -> str:
    """Who played, for a title."""
    return f"{model} (not a language model)" if figstyle.is_surrogate(model) else model


def replay(env: KitchenEnv, trajectory: Iterable[Mapping[str, Any]]) -> list[Moment]:
    """The moments of a logged kitchen episode, beginning with the start; the last one says how it ended.

    States of the graph are what observations tell apart, so time that passes with nothing to see is a loop.

    Args:
        env: A kitchen of the episode's task and seed; it is started anew.
        trajectory: The log, as :func:`mnemocraft.runs.read_trajectory` gives it.

    Raises:
        MnemocraftError: A recorded action is not valid: the run was made with other kitchens.
    """
    env.reset()
    titles, kitchens = [f"{env.task}, seed {env.seed}: {env.goal_description}"], [env.copy()]
    talks: list[list[str]] = [[], []]
    warned, hinted = set(), set()
    end = "still running"
    for event in trajectory:
        if event["type"] == "action":
            _step(env, event["action"])
            titles.append(f"{env.steps}: {event['action']}")
            kitchens.append(env.copy())
            talks.append([])
        elif event["type"] == "end":
            end = event["reason"]
        else:
            talks[-1] += said(event)
            warned |= {env.steps} if event.get("loop") else set()
            hinted |= {env.steps} if event.get("retrieved") else set()
    path = Walk.of([kitchen.state for kitchen in kitchens], warned, hinted)
    drawn = [partial(picture, kitchen, path, time) for time, kitchen in enumerate(kitchens)]
    shown = zip([*titles, f"end: {end}"], [*drawn, drawn[-1]], talks, strict=True)
    return [Moment(title, draw, tuple(talk)) for title, draw, talk in shown]


def _step(env: KitchenEnv, action: str) -> None:
    *_, info = env.step(action)
    if not info["action_success"]:
        raise MnemocraftError(
            f"The recorded action {action!r} is not valid at step {env.steps + 1} of {env.task}, "
            f"seed {env.seed}: the run was made with another version of the kitchens."
        )


def said(event: Mapping[str, Any]) -> list[str]:
    """What a log entry that is no action adds to the talk."""
    if event["type"] == "feedback":
        return [f"error feedback: {event['error']}"]
    if event["type"] == "error":
        return [f"request failed: {event['message']}"]
    if event["type"] != "call":
        return []
    task = [f"current task: {event['task']}"] if event.get("task") else []
    loop = [f"loop warning: here before; since then {'; '.join(event['loop'])}"] if event.get("loop") else []
    tokens = f"{event['prompt_tokens']} tokens read, {event['completion_tokens']} generated"
    return [*task, *loop, *_experience(event.get("retrieved")), f"answer ({tokens}):\n{event['text']}"]


def _experience(found: Mapping[str, Any] | None) -> list[str]:
    if not found:
        return []
    return [
        f"past experience at distance {found['distance']:.3f}: {found['action']} (goal then: {found['goal']})"
    ]


@styled
def picture(kitchen: KitchenEnv, path: Walk, time: int) -> np.ndarray:
    """The kitchen on the left and the graph up to a time on the right, uint8 RGB."""
    figure = Figure(figsize=(9.6, 5.2), dpi=100)
    figure.set_layout_engine("none")
    painter.draw(figure.add_axes((0.0, 0.06, 0.5, 0.94)), kitchen)
    walk.draw(figure.add_axes((0.51, 0.06, 0.48, 0.86)), path, time)
    for x, text in ((0.25, painter.LEGEND), (0.76, walk.LEGEND)):
        figure.text(x, 0.03, text, ha="center", va="center", fontsize=6.2, color="0.25")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()
