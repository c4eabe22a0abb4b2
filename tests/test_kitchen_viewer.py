"""The viewer of kitchen episodes: what it shows is what was played."""

import gzip
import json

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from mnemocraft.studies.gig.walk import Walk

from mnemocraft import viewer
from mnemocraft.envs import KitchenEnv
from mnemocraft.errors import MnemocraftError
from mnemocraft.runs.store import trajectory_path
from mnemocraft.studies.gig import episodes, walk

TASK, SEED = "sync/0", 42


def call(text: str, **event: object) -> dict[str, object]:
    return {"type": "call", "prompt_tokens": 900, "completion_tokens": 40, "text": text, **event}


@pytest.fixture(scope="module")
def played() -> tuple[list[dict], list[frozenset[str]]]:
    """A log as the agents write it: a move, the way back, a warned wait; and the states that were met."""
    env = KitchenEnv(TASK, SEED)
    states = [env.state]
    log: list[dict] = [{"type": "kitchen", "task": TASK, "seed": SEED}]
    first = next(a for a in env.valid_actions if a.startswith("Move"))
    here, there = first.split(" from ")[1].split(" to ")
    back = f"Move robot1 from {there} to {here}"
    log += [
        call("Action: dance <now>"),
        {"type": "feedback", "error": "'dance <now>' is not a valid action."},
    ]
    seen = {"goal": "a sandwich", "action": first, "distance": 0.034}
    talks = [
        call("Reasoning: off I go", loop=None, retrieved=seen),
        call("back", task="fetch bread"),
        call("hm", loop=[first, back]),
    ]
    for said, action in zip(talks, (first, back, "Do nothing"), strict=True):
        env.step(action)
        states.append(env.state)
        log += [said, {"type": "action", "action": action, "step": env.steps}]
    return [*log, {"type": "end", "reason": "invalid_actions"}], states


@pytest.fixture
def moments(played) -> list[viewer.Moment]:
    return episodes.replay(KitchenEnv(TASK, SEED), played[0])


def test_replay_meets_the_states_that_were_played_and_ends_as_recorded(moments, played):
    assert [m.draw.args[0].state for m in moments] == [*played[1], played[1][-1]]
    assert moments[-1].title == "end: invalid_actions"
    assert moments[0].title.startswith(f"{TASK}, seed {SEED}: ") and moments[1].title.startswith("1: Move")
    assert not np.array_equal(moments[0].picture, moments[1].picture)
    assert moments[0].picture.dtype == np.uint8 and moments[0].picture.shape == moments[3].picture.shape


def test_answers_warnings_and_experiences_are_told_before_their_action(moments):
    answered, feedback, hint, answer = moments[1].talk
    assert answered.startswith("answer (900 tokens read, 40 generated):") and "dance <now>" in answered
    assert feedback == "error feedback: 'dance <now>' is not a valid action."
    assert hint.startswith("past experience at distance 0.034: Move") and hint.endswith(
        "(goal then: a sandwich)"
    )
    assert answer.endswith("Reasoning: off I go")
    assert moments[2].talk[0] == "current task: fetch bread"
    assert moments[3].talk[0].startswith("loop warning: here before; since then Move robot1")
    assert not moments[0].talk and not moments[4].talk


def test_states_that_look_alike_are_one_node(moments):
    path = moments[-1].draw.args[1]
    assert path == Walk((0, 1, 0, 0), warned=frozenset({2}), hinted=frozenset({0}))
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
    wrong = [*played[0][:-1], {"type": "action", "action": "Fly to the moon", "step": 4}]
    with pytest.raises(MnemocraftError, match="'Fly to the moon' is not valid at step 4 of sync/0, seed 42"):
        episodes.replay(KitchenEnv(TASK, SEED), wrong)


@pytest.fixture
def run(played, tmp_path) -> tuple[pd.DataFrame, object]:
    """A run folder with one trajectory, and its record twice."""
    member = gzip.compress(json.dumps(played[0]).encode())
    path = trajectory_path(tmp_path, "one")
    path.parent.mkdir(parents=True)
    path.write_bytes(member)
    row = {"task": TASK, "stream": "one", "multiplier": 3, "condition": "gig/sync", "seed": SEED}
    row |= {"reason": "invalid_actions", "trajectory_offset": 0, "trajectory_length": len(member)}
    return pd.DataFrame([row, row]), tmp_path


def test_show_is_a_slider_or_headless_a_strip_or_a_sentence(run, moments, monkeypatch):
    records, out = run
    monkeypatch.delenv(viewer.HEADLESS, raising=False)
    box = episodes.show(records, out)
    assert isinstance(box, widgets.VBox)
    slider, shown = box.children[1].children
    picture, text = shown.children
    slider.value = 3
    assert picture.value == viewer.png(moments[3].picture) and "loop warning" in text.value
    monkeypatch.setenv(viewer.HEADLESS, "1")
    strip = episodes.show(records, out)
    assert strip.data.startswith("<img") and "dance &lt;now&gt;" in strip.data
    assert "No episode" in episodes.show(records.iloc[:0], out)
    plt.close("all")
