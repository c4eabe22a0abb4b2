"""An episode played again from its events, moment by moment. No pictures are stored with a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import ipywidgets as widgets
import pandas as pd
from IPython.display import HTML

from mnemocraft import figstyle
from mnemocraft.errors import MnemocraftError
from mnemocraft.runs import read_events
from mnemocraft.runs.events import (
    Action,
    Call,
    Choice,
    End,
    Error,
    Event,
    Learn,
    Note,
    Plan,
    Recall,
    Start,
)
from mnemocraft.viewer import strip
from mnemocraft.viewer.pictures import pictures_of
from mnemocraft.viewer.strip import Moment
from mnemocraft.worlds.minecraft import read
from mnemocraft.worlds.world import Goals, Horizons, World

Begin = Callable[[Mapping[str, Any], int, str], tuple[World, int]]
"""From a record's settings, its seed and its task to the world: what a study's sweep has for its streams."""


def show(episodes: pd.DataFrame, out: str | Path, begin: Begin) -> widgets.VBox | HTML | str:
    """A viewer for some episodes of the run in ``out``: a menu and a slider; headless, a strip of pictures.

    Args:
        episodes: Rows of :func:`mnemocraft.runs.load_records`, also of episodes that crashed.
        out: The run folder.
        begin: The study's, see :data:`Begin`.
    """

    def moments(row: Mapping[str, Any]) -> list[Moment]:
        world, _ = begin(row, int(row["seed"]), row["task"])
        model = str(row.get("model", "model not recorded"))
        who = f"{model} (not a language model)" if figstyle.is_surrogate(model) else model
        events = read_events(out, row)
        return replay(world, events, f"{who}, {row['condition']}", brief=strip.headless())

    if episodes.empty:
        return "No episode of this kind in these records."
    first = {str(name): value for name, value in episodes.iloc[0].items()}
    look = pictures_of(begin(first, int(first["seed"]), first["task"])[0]).look
    return strip.show(episodes, moments, look)


def replay(world: World, events: Sequence[Event], title: str = "", *, brief: bool = False) -> list[Moment]:
    """The moments of an episode: its start, every action, plans where there are any, and how it ended.

    Args:
        world: The task at its beginning; it is played to the end.
        events: The trajectory.
        title: Of the first moment, before the task.
        brief: Leave out the steps of a plan that were done.

    Raises:
        MnemocraftError: The episode goes otherwise now: it was made with another version of the world.
    """
    pictures = pictures_of(world)
    moments: list[Moment] = []
    words: list[str] = []
    last = "end: still running"

    def add(name: str) -> None:
        moments.append(Moment(name, pictures.snapshot(name), tuple(words)))
        words.clear()

    add(f"{title}: {world.task.id}: {world.task.goal}".removeprefix(": "))
    for event in events:
        words += said(event)
        _repeat(world, event)
        pictures.notice(event)
        if isinstance(event, Action):
            if not (brief and event.success and event.place > 0):
                failed = "" if event.success else " (failed)"
                add(f"{event.step}: {event.line or in_words(event.action)}{failed}")
        elif isinstance(event, Plan) and pictures.plans:
            add(
                f"round {event.round}: plan of {len(event.lines)} steps"
                if event.lines
                else "no plan was read"
            )
        elif isinstance(event, End):
            last = f"end: {event.reason} after {event.steps} steps"
    add(last)
    return moments


def _repeat(world: World, event: Event) -> None:
    """Do in the world what the event did there."""
    if (
        isinstance(event, Choice)
        and event.looked
        and isinstance(world, Horizons)
        and isinstance(world, Goals)
    ):
        world.look_around()
        world.turn_to(read(event.chosen, world.version)[0])
    if isinstance(event, Action):
        feedback = world.act(event.action, event.limit)
        if feedback.success != event.success or world.steps != event.step:
            raise MnemocraftError(
                f"The recorded action {event.action!r} of {world.task.id} goes otherwise when it is played "
                f"again (after {world.steps} steps, not {event.step}): the run was made with another version "
                "of the world."
            )


def in_words(action: str) -> str:
    """An action for reading: a call of a tool without its JSON, ``move: from A1, to I3, quantity 1``."""
    try:
        call = json.loads(action)
    except (ValueError, RecursionError):
        return action
    match call:
        case {"name": str(name), "arguments": dict(arguments)}:
            told = [f"{key.removeprefix('slot_')} {value}" for key, value in arguments.items()]
            return f"{name}: {', '.join(told)}" if told else name
    return action


def said(event: Event) -> list[str]:
    """What an event adds to the words shown with the next moment."""
    match event:
        case Start():
            return [f"{event.agent} with {event.memory}, seed {event.seed}"]
        case Call():
            tokens = f"{event.prompt_tokens} tokens read, {event.completion_tokens} generated"
            about = [f"current task: {event.about}"] if event.about else []
            text = [f"{event.role} ({tokens}):\n{event.text}"] if event.text else []
            return about + text + [_called(call) for call in event.tool_calls]
        case Recall():
            return [f"remembered ({hit['source']}, {hit['score']:.3f}):\n{hit['text']}" for hit in event.hits]
        case Learn():
            kept = f"kept under {', '.join(event.keys)}:\n{event.text}"
            return [f"question: {event.question}", f"answer: {event.answer}", kept]
        case Plan(problem=problem) if problem:
            return [f"the plan could not be read: {problem}"]
        case Choice(horizons=horizons) if horizons:
            pairs = zip(event.candidates, horizons, strict=True)
            return ["parallel goals: " + "; ".join(f"{goal} in {steps:.0f} steps" for goal, steps in pairs)]
        case Action(success=False):
            return [f"the world says: {event.failure}"]
        case Note():
            return [f"{event.name}: {event.text}"]
        case Error():
            return [f"it broke off: {event.message}"]
    return []


def _called(call: Mapping[str, Any]) -> str:
    arguments = call["arguments"]
    if call["name"] == "think":
        return f"thinks: {arguments.get('thought', '')}"
    if call["name"] == "read_memory":
        return f"looks up: {arguments.get('recipe', '')}"
    return f"calls {call['name']}: {', '.join(f'{name} {value}' for name, value in arguments.items())}"
