"""How2 episodes to look at: the crafting table after every action, and what was said before it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import ipywidgets as widgets
import pandas as pd
from IPython.display import HTML

from mnemocraft import viewer
from mnemocraft.envs import PlancraftEnv
from mnemocraft.runs import read_trajectory
from mnemocraft.studies.how2.load import environment
from mnemocraft.viewer import Moment


def show(episodes: pd.DataFrame, out: Path) -> widgets.VBox | HTML | str:
    """A viewer for some episodes of the run in ``out`` (:func:`mnemocraft.viewer.show`)."""

    def moments(row: Mapping[str, Any]) -> list[Moment]:
        return replay(environment(row["task"], int(row["max_steps"])), read_trajectory(out, row))

    return viewer.show(episodes, moments)


def replay(env: PlancraftEnv, trajectory: Iterable[Mapping[str, Any]]) -> list[Moment]:
    """The moments of a logged Plancraft episode, beginning with the start; the last one says how it ended.

    Args:
        env: An environment of the episode's task; it is started anew.
        trajectory: The log, as :func:`mnemocraft.runs.read_trajectory` gives it.
    """
    env.reset()
    moments = [_moment(f"{env.example.id}: craft {env.example.target}", env, [])]
    talk: list[str] = []
    end = "still running"
    for event in trajectory:
        if event.get("type") == "action":
            env.step(event["action"])
            moments.append(_moment(f"{event['step']}: {in_words(event['action'])}", env, talk))
            talk = []
        elif event.get("type") == "end":
            end = event["reason"]
        else:
            talk += _said(event)
    return [*moments, _moment(f"end: {end}", env, talk)]


def _moment(title: str, env: PlancraftEnv, talk: list[str]) -> Moment:
    picture = env.render().copy()
    return Moment(title, lambda: picture, tuple(talk))


def in_words(action: Mapping[str, Any]) -> str:
    """A tool call in a few words."""
    name, arguments = action["name"], action.get("arguments") or {}
    if name in ("move", "smelt"):
        return "{} {} to {}, {}".format(
            name, *(arguments.get(k) for k in ("slot_from", "slot_to", "quantity"))
        )
    return f"impossible: {arguments.get('reason', '')}" if name == "impossible" else name


def _said(event: Mapping[str, Any]) -> list[str]:
    """What a log entry that is no action adds to the talk: memory reads, thoughts and errors."""
    if event.get("type") == "memory":
        asked = [f"question: {event['question']}"] if event["question"] else []
        found = "found in memory" if event["hit"] else "asked the teacher"
        return [f"read_memory({event['query']}): {found}", *asked, *event["entries"]]
    if event.get("type") != "message":
        return []
    calls = [call["function"] for call in event.get("tool_calls", ())]
    thoughts = [json.loads(c["arguments"]).get("thought", "") for c in calls if c["name"] == "think"]
    content = event["content"] or ""
    told = [f"says: {content}"] if event["role"] == "assistant" and content else []
    errors = [content] if event["role"] == "tool" and content.startswith("Error") else []
    return [f"thinks: {thought}" for thought in thoughts] + told + errors
