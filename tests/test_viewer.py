"""The episode viewer and the hand-played table: what they show is what happened."""

import asyncio
import gzip
import json
from dataclasses import replace
from pathlib import Path

import ipywidgets as widgets
import numpy as np
import pandas as pd
import pytest
from IPython.display import Image

from helpers import Scripted
from mnemocraft import paths, viewer
from mnemocraft.agents.how2.agent import agent
from mnemocraft.agents.how2.settings import Settings
from mnemocraft.agents.rollout import play
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.envs import PlancraftEnv
from mnemocraft.envs.plancraft.data import examples
from mnemocraft.errors import MnemocraftError
from mnemocraft.memory.keyed import Keyed
from mnemocraft.runs import Condition, Episode, ModelSpec, Stream, Study, read_trajectory, run_study
from mnemocraft.runs.events import Action, Event, read_event
from mnemocraft.runs.store import trajectory_path
from mnemocraft.studies.how2 import hand, sweep
from mnemocraft.studies.how2.hand import by_hand
from mnemocraft.viewer import Moment, strip
from mnemocraft.viewer.replay import in_words
from mnemocraft.worlds.plancraft import PlancraftWorld

INDEX = next(i for i, task in enumerate(examples("low")) if task.difficulty == "easy")
TASK = examples("low")[INDEX].id


def some_actions() -> list[dict]:
    """Three moves that change the table, one that is refused, and giving up."""
    slots = list(examples("low")[INDEX].slots)
    moves = [
        {"name": "move", "arguments": {"slot_from": slot, "slot_to": to, "quantity": 1}}
        for slot, to in zip(slots, ("A1", "B2", "C3"), strict=False)
    ]
    empty = {"name": "move", "arguments": {"slot_from": "A2", "slot_to": "B3", "quantity": 1}}
    return [*moves, empty, {"name": "impossible", "arguments": {"reason": "no idea"}}]


def table() -> PlancraftWorld:
    return PlancraftWorld(PlancraftEnv("low", INDEX))


@pytest.fixture(scope="module")
def played() -> tuple[Episode, list[np.ndarray]]:
    """An episode of How2's actor, and the pictures that were seen."""
    looks = [("think", {"thought": "look <here>"}), ("read_memory", {"recipe": "stick"})]
    script = [*looks, "How?", "do <this>", *((a["name"], a["arguments"]) for a in some_actions())]
    world = table()
    pictures = [world.frame().copy()]

    def watch(event: Event) -> None:
        if isinstance(event, Action):
            pictures.append(world.frame().copy())

    player = agent(Settings("parse", "executable"))
    episode = asyncio.run(play(player, world, Keyed(), Scripted(script), watch=watch))
    return episode, pictures


@pytest.fixture(scope="module")
def moments(played) -> list[Moment]:
    return viewer.replay(table(), list(map(read_event, played[0].trajectory)))


def test_replay_draws_every_table_that_was_seen(played, moments):
    _, pictures = played
    assert len(moments) == len(pictures) + 1  # and the end
    for moment, picture in zip(moments, pictures, strict=False):
        assert np.array_equal(moment.picture, picture)
    assert not np.array_equal(moments[0].picture, moments[3].picture)
    assert moments[-1].title == "end: impossible_wrong after 5 steps"


def test_replay_tells_thoughts_memory_and_answers_before_the_action(moments):
    words = moments[1].words
    assert words[1] == "thinks: look <here>" and words[2] == "looks up: stick"
    asked = next(n for n, word in enumerate(words) if word.startswith("question: "))
    assert words[asked] == "question: How?" and words[asked + 1].startswith("answer: ")
    assert words[asked + 2] == "kept under stick:\ndo <this>"
    assert moments[4].title == "4: move: from A2, to B3, quantity 1"
    assert moments[5].title.startswith("5: impossible: reason no idea")


@pytest.mark.parametrize("action", ["go to desk 1", "{", "[1]", '{"name": "a", "arguments": 3}', "[" * 9999])
def test_an_action_that_is_no_call_of_a_tool_is_shown_as_it_is(action):
    assert in_words(action) == action


def test_an_episode_that_crashed_can_be_looked_at(tmp_path):
    def fails(request):
        raise ZeroDivisionError("a fault of ours")

    runner = EpisodeStream(agent(Settings("base")), Keyed(), Scripted(fails), lambda task: (table(), 0))
    study = Study(
        "broken", (Stream(Condition("base", {"max_steps": 30}), 0, (TASK,)),), lambda *_: runner, {}
    )
    records = run_study(study, ModelSpec("surrogate"), out=tmp_path, workers=1, progress=False)
    assert list(records["status"]) == ["crash"]
    shown = viewer.replay(table(), list(map(read_event, read_trajectory(tmp_path, records.iloc[0]))))
    assert "a fault of ours" in shown[-1].words[0] and shown[-1].title == "end: crash after 0 steps"


def test_a_trajectory_of_another_version_of_the_world_is_refused(played):
    wrong = [read_event(entry) for entry in played[0].trajectory]
    place = next(n for n, event in enumerate(wrong) if isinstance(event, Action))
    wrong[place] = replace(wrong[place], step=7)
    with pytest.raises(MnemocraftError, match="goes otherwise when it is played again"):
        viewer.replay(table(), wrong)


@pytest.mark.parametrize("limit", [2, 4, 20])
def test_strip_shows_frames_of_the_replay_from_start_to_end(moments, limit):
    figure = strip.strip(moments, viewer.Look(limit=limit))
    shown = [axes.images[0].get_array() for axes in figure.axes if axes.images]
    assert len(shown) == min(limit, len(moments))
    frames = [m.picture for m in moments]
    assert all(any(np.array_equal(picture, frame) for frame in frames) for picture in shown)
    assert np.array_equal(shown[0], frames[0]) and np.array_equal(shown[-1], frames[-1])


def test_stepper_follows_the_slider_and_escapes_texts(moments):
    box = strip.stepper(moments)
    slider, (picture, text) = box.children[0], box.children[1].children
    slider.value = 1
    assert picture.value == viewer.png(moments[1].picture)
    assert "look &lt;here&gt;" in text.value and "<here>" not in text.value


@pytest.fixture
def run(played, tmp_path) -> tuple[pd.DataFrame, Path]:
    """A run folder with one trajectory, and its record."""
    member = gzip.compress(json.dumps(played[0].trajectory).encode())
    path = trajectory_path(tmp_path, "one")
    path.parent.mkdir(parents=True)
    path.write_bytes(member)
    row = {"task": TASK, "stream": "one", "max_steps": 30, "condition": "c", "seed": 0}
    row |= {"reason": "impossible_wrong", "trajectory_offset": 0, "trajectory_length": len(member)}
    return pd.DataFrame([row, row]), tmp_path


def test_show_is_a_menu_or_headless_a_picture_or_a_sentence(run, moments, monkeypatch):
    records, out = run
    monkeypatch.delenv(strip.HEADLESS, raising=False)
    box = viewer.show(records, out, sweep.begin)
    assert isinstance(box, widgets.VBox)
    first = box.children[1]
    box.children[0].value = 1
    assert box.children[1] is not first
    monkeypatch.setenv(strip.HEADLESS, "1")
    page = viewer.show(records, out, sweep.begin).data
    assert "<img" in page and "look &lt;here&gt;" in page and "<here>" not in page
    assert "No episode" in viewer.show(records.iloc[:0], out, sweep.begin)


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
    monkeypatch.setenv(strip.HEADLESS, "1")
    assert isinstance(hand.play("low", INDEX), Image)


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
