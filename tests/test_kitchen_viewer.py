"""The viewer of kitchen episodes: what it shows is what was played."""

import asyncio
import gzip
import inspect
import json

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from helpers import Scripted
from mnemocraft import viewer
from mnemocraft.agents.gig.methods import METHODS
from mnemocraft.agents.rollout import play
from mnemocraft.encoders import get_encoder
from mnemocraft.envs import KitchenEnv
from mnemocraft.envs.kitchen import HORIZONS
from mnemocraft.errors import MnemocraftError
from mnemocraft.memory.traces import Traces
from mnemocraft.runs.events import read_event
from mnemocraft.runs.store import trajectory_path
from mnemocraft.studies.gig import sweep
from mnemocraft.viewer import Moment, walk
from mnemocraft.viewer.strip import HEADLESS
from mnemocraft.viewer.walk import Walk
from mnemocraft.worlds.kitchen import KitchenWorld

TASK, SEED = "sync/0", 42


@pytest.fixture(scope="module")
def played() -> tuple[list[dict], list[frozenset[str]]]:
    """An episode of GiG: no action, a move, the way back, a warned wait; and the states that were met."""
    env = KitchenEnv(TASK, SEED)
    states = [env.state]
    first = next(a for a in env.valid_actions if a.startswith("Move"))
    here, there = first.split(" from ")[1].split(" to ")
    actions = [first, f"Move robot1 from {there} to {here}", "Do nothing"]
    script = ["Action: dance <now>", *(f"Reasoning: off I go\nAction: {action}" for action in actions)]
    bank = Traces(tau=1e-3, encoder="scene_graph")  # of one state only
    bank.add("a sandwich", get_encoder("scene_graph").encode([env.observation()]), [first])
    world = KitchenWorld(KitchenEnv(TASK, SEED, max_steps=len(actions)))
    episode = asyncio.run(play(METHODS["gig_exp"], world, bank, Scripted(script)))
    for action in actions:
        env.step(action)
        states.append(env.state)
    return episode.trajectory, states


def replayed(trajectory: list[dict]) -> list[Moment]:
    world = KitchenWorld(KitchenEnv(TASK, SEED, max_steps=3))
    return viewer.replay(world, list(map(read_event, trajectory)))


@pytest.fixture
def moments(played) -> list[Moment]:
    return replayed(played[0])


def test_replay_meets_the_states_that_were_played_and_ends_as_recorded(moments, played):
    assert [inspect.getclosurevars(m.draw).nonlocals["kitchen"].state for m in moments] == [
        *played[1],
        played[1][-1],
    ]
    assert moments[-1].title == "end: max_steps after 3 steps"
    assert moments[0].title.startswith(f"kitchen/{TASK}: ") and moments[1].title.startswith("1: Move")
    assert not np.array_equal(moments[0].picture, moments[1].picture)
    assert moments[0].picture.dtype == np.uint8 and moments[0].picture.shape == moments[3].picture.shape


def test_answers_warnings_and_experiences_are_told_before_their_action(moments):
    words = moments[1].words
    hint = next(word for word in words if word.startswith("remembered (trace"))
    assert "Goal then: a sandwich" in hint and "Action then: Move" in hint
    assert any(
        word.startswith("planner (10 tokens read, 2 generated):") and "<now>" in word for word in words
    )
    assert any(word.startswith('feedback: "dance <now>" is not one of the valid actions') for word in words)
    assert words[-1].endswith(f"Action: {moments[1].title[3:]}")
    assert any(word.startswith("loop: Move robot1") for word in moments[3].words)


def test_states_that_look_alike_are_one_node(moments):
    pictures = inspect.getclosurevars(moments[-1].draw).nonlocals["self"]
    path = Walk.of(pictures._states, pictures._warned, pictures._hinted)
    assert path == Walk((0, 1, 0, 0), warned=frozenset({2}), hinted=frozenset({0, 2}))
    assert [path.returns(time) for time in range(4)] == [0, 0, 1, 2] and path.size == 2


def test_the_graph_grows_with_time_and_marks_where_the_agent_is():
    path = Walk.of(list("abcbd"), warned={3}, hinted=set())
    assert path.nodes == (0, 1, 2, 1, 3)
    shown = []
    for time in range(5):
        axes = Figure(figsize=(4, 4)).add_subplot()
        walk.draw(axes, path, time)
        current = [t.get_text() for t in axes.texts if t.get_color() == "white"]
        rings = [line for line in axes.lines if line.get_markeredgecolor() == walk.RETURN]
        shown.append((len(axes.texts), len(axes.patches), current, len(rings)))
    assert shown == [
        (1, 0, ["0"], 0),
        (2, 1, ["1"], 0),
        (3, 2, ["2"], 0),
        (3, 3, ["1"], 1),
        (4, 4, ["3"], 1),
    ]


def test_a_log_from_other_kitchens_is_one_sentence(played):
    wrong = [dict(entry) for entry in played[0]]
    place = next(n for n, entry in enumerate(wrong) if entry["type"] == "action")
    wrong[place]["action"] = "Fly to the moon"
    with pytest.raises(MnemocraftError, match="'Fly to the moon' of kitchen/sync/0 goes otherwise"):
        replayed(wrong)


@pytest.fixture
def run(played, tmp_path) -> tuple[pd.DataFrame, object]:
    """A run folder with one trajectory, and its record twice."""
    member = gzip.compress(json.dumps(played[0]).encode())
    path = trajectory_path(tmp_path, "one")
    path.parent.mkdir(parents=True)
    path.write_bytes(member)
    row = {
        "task": TASK,
        "stream": "one",
        "multiplier": 3 / HORIZONS[TASK],
        "condition": "gig/sync",
        "seed": SEED,
    }
    row |= {"reason": "max_steps", "trajectory_offset": 0, "trajectory_length": len(member)}
    return pd.DataFrame([row, row]), tmp_path


def test_show_is_a_slider_or_headless_a_strip_or_a_sentence(run, moments, monkeypatch):
    records, out = run
    monkeypatch.delenv(HEADLESS, raising=False)
    box = viewer.show(records, out, sweep.begin)
    assert isinstance(box, widgets.VBox)
    slider, shown = box.children[1].children
    picture, text = shown.children
    slider.value = 3
    assert picture.value == viewer.png(moments[3].picture) and "loop: Move" in text.value
    monkeypatch.setenv(HEADLESS, "1")
    page = viewer.show(records, out, sweep.begin).data
    assert "<img" in page and "dance &lt;now&gt;" in page
    assert "No episode" in viewer.show(records.iloc[:0], out, sweep.begin)
    plt.close("all")
