"""The episode viewer and the hand-played table: what they show is what happened."""

import gzip
import json

import ipywidgets as widgets
import numpy as np
import pandas as pd
import pytest
from IPython.display import Image

from mnemocraft import paths, viewer
from mnemocraft.envs import PlancraftEnv
from mnemocraft.envs.plancraft.data import examples
from mnemocraft.runs.store import trajectory_path
from mnemocraft.studies.how2 import episodes
from mnemocraft.studies.how2.hand import by_hand, play

INDEX = next(i for i, task in enumerate(examples("low")) if task.difficulty == "easy")


def some_actions() -> list[dict]:
    """Three moves that change the table, one that is refused, and giving up."""
    slots = list(examples("low")[INDEX].slots)
    moves = [
        {"name": "move", "arguments": {"slot_from": slot, "slot_to": to, "quantity": 1}}
        for slot, to in zip(slots, ("A1", "B2", "C3"), strict=False)
    ]
    empty = {"name": "move", "arguments": {"slot_from": "A2", "slot_to": "B3", "quantity": 1}}
    return [*moves, empty, {"name": "impossible", "arguments": {"reason": "no idea"}}]


@pytest.fixture(scope="module")
def played() -> tuple[list[dict], list[np.ndarray]]:
    """A log as the agent writes it, and the pictures that were seen."""
    env = PlancraftEnv("low", INDEX)
    env.reset()
    pictures = [env.render().copy()]
    call = {"name": "think", "arguments": json.dumps({"thought": "look <here>"})}
    log: list[dict] = [
        {"type": "message", "role": "system", "content": "Play."},
        {
            "type": "message",
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "1", "function": call}],
        },
        {"type": "message", "role": "tool", "tool_call_id": "1", "content": "Go on."},
        {
            "type": "memory",
            "query": "stick",
            "hit": False,
            "question": "How?",
            "answer": "So.",
            "entries": ["So."],
        },
    ]
    for step, action in enumerate(some_actions(), 1):
        observation, *_, info = env.step(action)
        log.append({"type": "action", "action": action, "step": step, "inventory": observation["inventory"]})
        log.append({"type": "message", "role": "tool", "tool_call_id": "2", "content": "Error: no"})
        pictures.append(env.render().copy())
    return [*log, {"type": "end", "reason": info["reason"]}], pictures


@pytest.fixture(scope="module")
def moments(played) -> list[viewer.Moment]:
    return episodes.replay(PlancraftEnv("low", INDEX), played[0])


def test_replay_draws_every_table_that_was_seen(played, moments):
    _, pictures = played
    assert len(moments) == len(pictures) + 1  # and the end
    for moment, picture in zip(moments, pictures, strict=False):
        assert np.array_equal(moment.picture, picture)
    assert not np.array_equal(moments[0].picture, moments[3].picture)
    assert moments[-1].title == "end: impossible_wrong"


def test_replay_tells_thoughts_memory_and_errors_before_the_action(moments):
    assert moments[1].talk == (
        "thinks: look <here>",
        "read_memory(stick): asked the teacher",
        "question: How?",
        "So.",
    )
    assert moments[2].talk == ("Error: no",)
    assert moments[5].title == "5: impossible: no idea"


@pytest.mark.parametrize("limit", [2, 4, 20])
def test_strip_shows_frames_of_the_replay_from_start_to_end(moments, limit):
    figure = viewer.strip(moments, viewer.Look(limit=limit))
    shown = [axes.images[0].get_array() for axes in figure.axes if axes.images]
    assert len(shown) == min(limit, len(moments))
    frames = [m.picture for m in moments]
    assert all(any(np.array_equal(picture, frame) for frame in frames) for picture in shown)
    assert np.array_equal(shown[0], frames[0]) and np.array_equal(shown[-1], frames[-1])


def test_stepper_follows_the_slider_and_escapes_texts(moments):
    box = viewer.stepper(moments)
    slider, (picture, text) = box.children[0], box.children[1].children
    slider.value = 1
    assert picture.value == viewer.png(moments[1].picture)
    assert "look &lt;here&gt;" in text.value and "<here>" not in text.value


@pytest.fixture
def run(played, tmp_path) -> tuple[pd.DataFrame, object]:
    """A run folder with one trajectory, and its record."""
    member = gzip.compress(json.dumps(played[0]).encode())
    path = trajectory_path(tmp_path, "one")
    path.parent.mkdir(parents=True)
    path.write_bytes(member)
    row = {"task": examples("low")[INDEX].id, "stream": "one", "max_steps": 30, "condition": "c", "seed": 0}
    row |= {"reason": "impossible_wrong", "trajectory_offset": 0, "trajectory_length": len(member)}
    return pd.DataFrame([row, row]), tmp_path


def test_show_is_a_menu_or_headless_a_picture_or_a_sentence(run, moments, monkeypatch):
    records, out = run
    monkeypatch.delenv(viewer.HEADLESS, raising=False)
    box = episodes.show(records, out)
    assert isinstance(box, widgets.VBox)
    first = box.children[1]
    box.children[0].value = 1
    assert box.children[1] is not first
    monkeypatch.setenv(viewer.HEADLESS, "1")
    strip = episodes.show(records, out)
    assert strip.data == viewer.static(moments).data
    assert strip.data.startswith("<img") and "look &lt;here&gt;" in strip.data
    assert "No episode" in episodes.show(records.iloc[:0], out)


def test_playing_by_hand_moves_items_and_ends(monkeypatch):
    env = PlancraftEnv("low", INDEX)
    box = by_hand(env)
    (picture, controls), text = box.children[0].children, box.children[1]
    action, slot_from, slot_to, _, do, again = controls.children
    before = picture.value
    slot_from.value, slot_to.value = next(iter(env.example.slots)), "A1"
    do.click()
    assert picture.value != before and "A1 quantity 1" in text.value and "Step 1" in text.value
    action.value = "impossible"
    do.click()
    assert "Over: impossible_wrong" in text.value
    again.click()
    assert picture.value == before and "Step 0" in text.value
    monkeypatch.setenv(viewer.HEADLESS, "1")
    assert isinstance(play("low", INDEX), Image)


@pytest.mark.parametrize("path", sorted(paths.NOTEBOOKS.glob("*.ipynb")), ids=lambda p: p.stem)
def test_notebooks_are_thin_explained_and_stored_without_outputs(path):
    cells = json.loads(path.read_text())["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) <= 25 and len(cells) - len(code) >= len(code)
    for cell in code:
        assert not cell["outputs"] and cell["execution_count"] is None
        assert len("".join(cell["source"]).splitlines()) <= 20
        assert "def " not in "".join(cell["source"])  # logic belongs to the library
    (parameters,) = [c for c in code if "parameters" in c["metadata"].get("tags", [])]
    names = [line.split(" = ")[0] for line in "".join(parameters["source"]).splitlines()]
    assert names[:4] == ["model", "profile", "seeds", "workers"]
