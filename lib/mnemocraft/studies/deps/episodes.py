"""Episodes of the planners to look at: plan, description, explanation, revised plan, and what was seen.

In the overworld the episode is played again with the recorded answers, which gives the same frames.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import ipywidgets as widgets
import numpy as np
import pandas as pd
from IPython.display import HTML

from mnemocraft import figstyle, viewer
from mnemocraft.agents.deps import WorldStage, play
from mnemocraft.errors import MnemocraftError
from mnemocraft.llm import Model
from mnemocraft.llm.types import Reply, Request, Usage
from mnemocraft.runs import read_trajectory
from mnemocraft.studies.deps import card, measures, sweep
from mnemocraft.studies.deps.card import DONE, FAILED, LATER, NOW
from mnemocraft.viewer import Moment

if TYPE_CHECKING:
    from mnemocraft.envs import OverworldEnv

Event = Mapping[str, Any]
SIZE = (120, 200)
"""Height and width of the frames."""


def show(episodes: pd.DataFrame, out: Path) -> widgets.VBox | HTML | str:
    """A viewer for some episodes of the runs in ``out``, which has a folder for each world."""

    def moments(row: Mapping[str, Any]) -> list[Moment]:
        events = read_trajectory(out / row["world"], row)
        views = {} if row["world"] == "text" else frames(row, events)
        who = (
            f"{row['model']} (not a language model)" if figstyle.is_surrogate(row["model"]) else row["model"]
        )
        name = f"{who}, {measures.LABELS[row['method']]}, {row['world']}: {row['task']}"
        return replay(name, events, views, brief=viewer.headless())

    return viewer.show(episodes, moments, card.LOOK)


def replay(
    title: str, events: Sequence[Event], views: Mapping[int, np.ndarray], *, brief: bool = False
) -> list[Moment]:
    """The moments of a logged episode: one for every plan, for every goal that was tried, and for the end.

    Args:
        title: Of the first moment.
        events: The trajectory.
        views: What was seen at an event, by its place in the trajectory.
        brief: Leave out the goals that were reached.
    """
    moments: list[Moment] = []
    talk: list[str] = []
    steps: list[card.Step] = []
    inventory, place, view, note = "nothing", 0, None, ""

    def add(name: str) -> None:
        drawn = partial(card.card, name, tuple(steps), inventory.split(", "), view, note)
        moments.append(Moment(name if moments else f"{title}. {name}", drawn, tuple(talk)))
        talk.clear()

    for number, event in enumerate(events):
        view = views.get(number, view)
        talk += said(event)
        note = noted(event) or note
        if event["type"] == "plan":
            steps = [(line, LATER) for line in event["steps"]]
            add(f"round {event['round']}: plan of {len(steps)} steps" if steps else "no plan could be read")
        elif event["type"] == "goal":
            place = event["step"] - 1
            steps = _marked(steps, place, event["line"], NOW)
        elif event["type"] == "outcome":
            inventory = event["inventory"]
            steps = _marked(steps, place, "", DONE if event["success"] else FAILED)
            if not (brief and event["success"]):
                add(f"round {event['round']}, step {place + 1} {'done' if event['success'] else 'failed'}")
        elif event["type"] == "end":
            note = ""
            add(f"end: {event['reason']} after {event['steps']} steps and {event['rounds']} rounds")
    return moments


def _marked(steps: Sequence[card.Step], place: int, line: str, state: str) -> list[card.Step]:
    """The plan with one step marked; methods without a plan get a step more each time."""
    longer = [*steps, *[("", LATER)] * (place + 1 - len(steps))]
    longer[place] = (line or longer[place][0], state)
    return longer


def noted(event: Event) -> str:
    """What stands on the card from an entry on: why the last step failed, or how that was explained."""
    if event["type"] == "outcome" and not event["success"]:
        return f"The world says: {event['reason']}"
    if event["type"] == "plan" and event["problem"]:
        return f"The plan could not be read: {event['problem']}"
    return f"The explainer says: {event['text']}" if event["type"] == "explanation" else ""


def said(event: Event) -> list[str]:
    """What a log entry adds to the talk."""
    kind = event["type"]
    if kind == "start":
        return [f"task: {json.dumps(event['target'])}, Minecraft {event['version']}"]
    if kind == "call":
        tokens = f"{event['prompt_tokens']} tokens read, {event['completion_tokens']} generated"
        return [f"{event['role']} ({tokens}):\n{event['text']}"]
    if kind == "plan" and event["problem"]:
        return [f"the plan could not be read: {event['problem']}"]
    if kind == "goal" and event["horizons"]:
        pairs = zip(event["candidates"], event["horizons"], strict=True)
        return ["parallel goals: " + "; ".join(f"{goal} in {steps:.0f} steps" for goal, steps in pairs)]
    if kind == "outcome" and not event["success"]:
        return [f"the world says: {event['reason']}"]
    if kind in ("description", "feedback"):
        return [f"{kind}:\n{event['text']}"]
    return [f"request failed: {event['message']}"] if kind == "error" else []


class _Recorded:
    """Gives the recorded answers again, in their order."""

    name, cpu_bound = "recorded", True

    def __init__(self, events: Sequence[Event]) -> None:
        self._texts = iter([event["text"] for event in events if event["type"] == "call"])

    async def generate(self, request: Request) -> Reply:
        """The next answer."""
        return Reply(next(self._texts, ""), [], Usage(0, 0))

    async def aclose(self) -> None:
        """Nothing is open."""


def frames(row: Mapping[str, Any], events: Sequence[Event]) -> dict[int, np.ndarray]:
    """What was seen at every event of an overworld episode, by its place in the trajectory.

    Raises:
        MnemocraftError: The episode goes otherwise now: it was made with another version of the worlds.
    """
    seen: dict[int, np.ndarray] = {}

    def watch(event: Event) -> None:
        if event["type"] in ("plan", "goal", "outcome"):
            seen[len(trial.trajectory) - 1] = env.frame(*SIZE)

    model = Model("recorded", _Recorded(events))
    trial = sweep.new_trial(row, row["task"], int(row["seed"]), model, watch)
    env = cast("OverworldEnv", cast(WorldStage, trial.stage).env)
    with ThreadPoolExecutor(1) as thread:  # a notebook's own thread already runs an event loop
        thread.submit(asyncio.run, play(trial, row["method"])).result()
    if [event["type"] for event in trial.trajectory] != [event["type"] for event in events]:
        raise MnemocraftError(
            f"The recorded episode {row['task']}, seed {row['seed']}, goes otherwise when it is played "
            "again: the run was made with another version of the worlds."
        )
    return seen
