"""Look at an episode: step through it with the crafting table drawn, or see it as a strip of pictures.

No pictures are stored with a run. They are drawn anew by replaying the logged actions in the environment.
"""

from __future__ import annotations

import base64
import io
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import shorten
from typing import Any

import ipywidgets as widgets
import numpy as np
import pandas as pd
from IPython.display import HTML
from matplotlib.figure import Figure
from matplotlib.image import imsave

from mnemocraft.envs import PlancraftEnv
from mnemocraft.runs import read_trajectory
from mnemocraft.studies.how2.load import environment

HEADLESS = "MNEMOCRAFT_HEADLESS"
"""Set this environment variable, as run_all.sh does, where nobody can click: widgets become pictures."""


def headless() -> bool:
    """Whether to show static pictures instead of widgets."""
    return bool(os.environ.get(HEADLESS))


@dataclass(frozen=True)
class Moment:
    """The table after one action (or at the start), and what was said since the action before.

    Attributes:
        title: The action in a few words, e.g. ``"3: move I12 to A1, 1"``.
        picture: The table after it, uint8 RGB.
        talk: Thoughts, memory reads and error messages that led to the action.
    """

    title: str
    picture: np.ndarray
    talk: tuple[str, ...]


def replay(env: PlancraftEnv, trajectory: Iterable[Mapping[str, Any]]) -> list[Moment]:
    """The moments of a logged Plancraft episode, beginning with the start; the last one says how it ended.

    Args:
        env: An environment of the episode's task; it is started anew.
        trajectory: The log, as :func:`mnemocraft.runs.read_trajectory` gives it.
    """
    env.reset()
    moments = [Moment(f"{env.example.id}: craft {env.example.target}", env.render().copy(), ())]
    talk: list[str] = []
    end = "still running"
    for event in trajectory:
        if event.get("type") == "action":
            env.step(event["action"])
            title = f"{event['step']}: {in_words(event['action'])}"
            moments.append(Moment(title, env.render().copy(), tuple(talk)))
            talk = []
        elif event.get("type") == "end":
            end = event["reason"]
        else:
            talk += _said(event)
    return [*moments, Moment(f"end: {end}", moments[-1].picture, tuple(talk))]


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


def strip(moments: list[Moment], limit: int = 8) -> Figure:
    """A static strip: the start, up to ``limit`` moments spread over the episode, and the end."""
    chosen = sorted(set(np.linspace(0, len(moments) - 1, min(limit, len(moments))).round().astype(int)))
    columns = min(4, len(chosen))
    rows = -(-len(chosen) // columns)
    figure = Figure(figsize=(2.4 * columns, 2.6 * rows), layout="constrained", dpi=100)
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid.flat:
        axes.set_axis_off()
    for axes, index in zip(grid.flat, chosen, strict=False):
        axes.imshow(moments[index].picture)
        axes.set_title(shorten(moments[index].title, 38, placeholder=" ..."), fontsize=7)
    return figure


def png(picture: np.ndarray) -> bytes:
    """An RGB array as a PNG file."""
    buffer = io.BytesIO()
    imsave(buffer, picture, format="png")
    return buffer.getvalue()


def static(moments: list[Moment]) -> HTML:
    """The strip, and below it what was said before each action, as a notebook displays it."""
    buffer = io.BytesIO()
    strip(moments).savefig(buffer, format="png", metadata={"Software": None})
    picture = base64.b64encode(buffer.getvalue()).decode()
    return HTML(f'<img src="data:image/png;base64,{picture}">' + "".join(map(_in_html, moments)))


def _in_html(moment: Moment) -> str:
    talk = "".join(f"<pre style='white-space: pre-wrap'>{escape(line)}</pre>" for line in moment.talk)
    return f"<div>{talk}<b>{escape(moment.title)}</b></div>"


def stepper(moments: list[Moment]) -> widgets.VBox:
    """A slider over the moments, the table, and what was said before each."""
    slider = widgets.IntSlider(max=len(moments) - 1, description="moment")
    picture = widgets.Image(format="png", width=352)
    text = widgets.HTML()

    def update(_: object = None) -> None:
        picture.value = png(moments[slider.value].picture)
        text.value = _in_html(moments[slider.value])

    slider.observe(update, "value")
    update()
    return widgets.VBox([slider, widgets.HBox([picture, text])])


def show(episodes: pd.DataFrame, out: Path, limit: int = 50) -> widgets.VBox | HTML | str:
    """A viewer for some episodes of a run: a menu of the first ``limit`` and a stepper.

    Headless it is the strip of the first episode; with no episode at all, a sentence.

    Args:
        episodes: Rows of :func:`mnemocraft.runs.load_records`.
        out: The run folder they are from.
    """
    if episodes.empty:
        return "No episode of this kind in these records."

    def moments(position: int) -> list[Moment]:
        row = episodes.iloc[position]
        return replay(environment(row["task"], int(row["max_steps"])), read_trajectory(out, row))

    if headless():
        return static(moments(0))
    names = [f"{r.condition} seed {r.seed} {r.task}: {r.reason}" for r in episodes.head(limit).itertuples()]
    menu = widgets.Dropdown(options=[(name, i) for i, name in enumerate(names)], description="episode")
    box = widgets.VBox([menu, stepper(moments(0))])
    menu.observe(lambda change: setattr(box, "children", [menu, stepper(moments(change["new"]))]), "value")
    return box
