"""The scene graph of a household as a picture that grows with what the agent sees."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from matplotlib.colors import same_color
from matplotlib.figure import Figure

from helpers import Scripted, play
from mnemocraft import viewer
from mnemocraft.agents import get_agent
from mnemocraft.gnn.aggregation import RoomGraph
from mnemocraft.runs.events import read_event
from mnemocraft.viewer import room as drawn
from mnemocraft.worlds import make


def axes_of(known: RoomGraph):
    axes = Figure().add_subplot()
    drawn.draw(axes, known)
    return axes


def test_a_picture_has_every_place_with_what_is_known_of_it() -> None:
    known = RoomGraph()
    known.merge("Looking quickly around you, you see a desk 1, a drawer 1, and a shelf 1.")
    known.merge("You arrive at drawer 1. The drawer 1 is closed.")
    known.merge("You arrive at desk 1. On the desk 1, you see a mug 2, and a pen 1.")
    known.merge("You pick up the mug 2 from the desk 1.")
    known.merge("You heat the mug 2 using the microwave 1.")
    axes = axes_of(known)
    texts = [text.get_text() for text in axes.texts]
    assert {"desk 1", "drawer 1", "shelf 1", "pen 1"} <= set(texts) and texts.count("?") == 1
    assert "mug 2" not in texts, "what is held lies nowhere"
    assert axes.get_title() == "holds mug 2 (hot); seen into 1 of 3 places, 1 things"
    squares = [line for line in axes.lines if line.get_marker() == "s"]
    dots = [line for line in axes.lines if line.get_marker() == "o"]
    assert len(squares) == 3 and len(dots) == 1
    near = [same_color(line.get_markeredgecolor(), drawn.AGENT) for line in squares]
    assert near == [place in known.here for place in known.doors] and sum(near) == 1


def test_a_room_with_many_things_still_fits() -> None:
    known = RoomGraph()
    names = [f"cabinet {n}" for n in range(1, 28)]
    known.merge(f"Looking quickly around you, you see {', '.join(f'a {name}' for name in names)}.")
    known.merge(f"On the cabinet 3, you see {', '.join(f'a mug {n}' for n in range(1, 30))}.")
    axes = axes_of(known)
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    for line in axes.lines:
        assert left <= min(line.get_xdata()) and max(line.get_xdata()) <= right
        assert low <= min(line.get_ydata()) and max(line.get_ydata()) <= high
    assert all(text.get_text().count("\n") < 3 for text in axes.texts)


def test_a_replayed_episode_shows_the_graph_grow() -> None:
    pytest.importorskip("textworld", reason="households need ALFWorld's engine (extra `alfworld`)")
    task = "household/generated/pick_and_place_simple/0"
    places = list(make(task).room.doors)
    walk = ["look", *(f"go to {place}" for place in places[:3])]
    model = Scripted([f"Reasoning: as told\nAction: {line}" for line in walk])
    played = play(get_agent("react"), make(task, max_steps=len(walk)), model)
    events = [read_event(event) for event in played.trajectory]
    moments = viewer.replay(make(task, max_steps=len(walk)), events, brief=True)
    assert [moment.title for moment in moments[1:-1]] == [f"{n}: {line}" for n, line in enumerate(walk, 1)]
    world, unknown = make(task), []
    for line in walk:
        unknown.append(len(re.findall(r"\w+ \d+", world.room.text.partition("Not looked at: ")[2])))
        world.act(line)
    assert unknown == [len(places), len(places), len(places) - 1, len(places) - 2]
    pictures = [moment.picture for moment in moments]
    assert np.array_equal(pictures[0], pictures[1]), "a look around shows nothing new"
    for before, after in pairwise(pictures[1:5]):
        assert before.shape == after.shape and not np.array_equal(before, after)
