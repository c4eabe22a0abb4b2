"""Trajectories: every event of an episode can be read again, whoever plays what, and also if it crashes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from helpers import Answer, Scripted, encoding, events, play
from mnemocraft.agents import get_agent
from mnemocraft.agents.rollout import Agent, Rollout
from mnemocraft.agents.stream import EpisodeStream
from mnemocraft.errors import MnemocraftError, ModelError
from mnemocraft.llm import Model
from mnemocraft.memory import get_memory
from mnemocraft.runs import Condition, Episode, ModelSpec, Stream, Study, read_trajectory, run_study
from mnemocraft.runs.events import EVENTS, VERSION, Action, Choice, End, Event, Learn, Plan, Start, read_event
from mnemocraft.worlds import make

PLANCRAFT = "plancraft/low/VAL0531"
MOVES: list[Answer] = [
    ("move", {"slot_from": "I15", "slot_to": "A1", "quantity": 1}),
    ("move", {"slot_from": "0", "slot_to": "I1", "quantity": 4}),
]
ENTRY = "PROCEDURE: as told\nRELATED ITEMS: ['crimson_hyphae']"
READ: Answer = ("read_memory", {"recipe": "crimson_planks"})
PLANKS = (
    'mine({"oak_log": 1}, tool=None)\nmine({"dirt": 1}, tool=None)\ncraft({"oak_planks": 4}, {"oak_log": 1})'
)


def waits(count: int) -> list[Answer]:
    return [f"Reasoning: r\nAction: Do nothing\nSummary: {n}" for n in range(count)]


EPISODES: Mapping[str, tuple[str, str, dict[str, Any], list[Answer], set[str]]] = {
    "crafting": ("how2", "keyed", {}, [READ, "How?", ENTRY, *MOVES], {"learn"}),
    "kitchen": ("gig", "none", {"max_steps": 3}, [*waits(1), "no action", *waits(2)], {"note"}),
    "text": ("deps", "none", {}, ["mine({'oak_log': -1})", PLANKS], {"plan", "choice"}),
    "overworld": ("dep", "none", {"max_steps": 40}, ["mine({'log': 64})"], {"plan"}),
}
"""Agent, memory, options of the world, answers, and events that must be among those of the episode."""
TASKS = {
    "crafting": PLANCRAFT,
    "kitchen": "kitchen/sync/0",
    "text": "textworld/planks",
    "overworld": "overworld/planks",
}


def played(name: str, watch: list[Event] | None = None) -> Episode:
    agent, memory, options, script, _ = EPISODES[name]
    world = make(TASKS[name], **options)
    seen: list[Event] = [] if watch is None else watch
    script = [*script, *[ModelError("nothing more to say")] * 3]
    with encoding():
        return play(get_agent(agent), world, Scripted(script), get_memory(memory), seed=5, watch=seen.append)


@pytest.mark.parametrize("name", EPISODES)
def test_every_event_of_an_episode_comes_back_from_json(name: str) -> None:
    watched: list[Event] = []
    episode = played(name, watched)
    kept = json.loads(json.dumps(episode.trajectory))
    assert kept == episode.trajectory, "nothing is lost by keeping it"
    assert [read_event(entry).as_json() for entry in kept] == kept
    assert [event.as_json() for event in watched] == kept, "what was watched is what is kept"
    assert EPISODES[name][4] | {"start", "call", "action", "end"} <= {entry["type"] for entry in kept}


@pytest.mark.parametrize(
    ("place", "wrong", "sentence"),
    [
        (0, "react", "'react' is no agent; mnemocraft.agents.get_agent makes one"),
        (1, "kitchen/sync/0", "'kitchen/sync/0' is no world; mnemocraft.worlds.make makes one"),
        (2, "surrogate", "'surrogate' is no model; mnemocraft.llm.get_model makes one"),
        (3, "none", "'none' is no memory; mnemocraft.memory.get_memory makes one"),
    ],
)
def test_a_name_in_the_place_of_what_it_names_is_a_sentence(place: int, wrong: str, sentence: str) -> None:
    given: list[Any] = [get_agent("react"), make(TASKS["crafting"]), Scripted([]), get_memory("none")]
    given[place] = wrong
    with pytest.raises(MnemocraftError, match=sentence):
        play(*given)


@pytest.mark.parametrize(("last", "success"), [("craft 4 oak_planks", True), ("mine 1 dirt", False)])
def test_a_world_that_was_played_to_its_end_is_not_played_again(last: str, success: bool) -> None:
    """It would count as a success, or a failure, of whoever plays it second."""
    world = make("textworld/planks", max_steps=2)
    for action in ("mine 1 oak_log", last):
        world.act(action)
    assert world.success is success and world.reason
    with pytest.raises(MnemocraftError, match="was played to its end: make it anew"):
        play(get_agent("zero_shot"), world, Scripted([]), get_memory("none"))


@pytest.mark.parametrize("name", EPISODES)
def test_an_episode_is_framed_by_who_plays_what_and_how_it_ended(name: str) -> None:
    episode = played(name)
    agent, memory = EPISODES[name][:2]
    start, end = read_event(episode.trajectory[0]), read_event(episode.trajectory[-1])
    goal = make(TASKS[name]).task.goal
    kind = type(get_memory(memory)).__name__
    assert start == Start(agent, kind, TASKS[name], goal, seed=5, version=VERSION)
    assert end == End(episode.reason, episode.steps)
    assert len(events(episode, "start")) == len(events(episode, "end")) == 1
    assert len(events(episode, "call")) == episode.metrics["calls"]
    assert sum(call["prompt_tokens"] for call in events(episode, "call")) == sum(
        role["prompt"] for role in episode.tokens.values()
    )
    steps = [action["step"] for action in events(episode, "action")]
    assert steps == sorted(steps) and steps[-1] == episode.steps


def test_what_was_learnt_chosen_planned_and_looked_up_is_told() -> None:
    (learnt,) = events(played("crafting"), "learn")
    keys = ["crimson_planks", "crimson_hyphae"]
    answer = learnt.pop("answer")
    assert learnt == {"type": "learn", "question": "How?", "text": ENTRY, "keys": keys}
    assert "move from I15 to A1 with quantity 1" in answer
    text = played("text")
    plans = [read_event(event) for event in events(text, "plan")]
    lines = PLANKS.split("\n")
    assert isinstance(plans[-1], Plan) and list(plans[-1].lines) == lines and not plans[-1].problem
    (choice,) = [read_event(event) for event in events(text, "choice")]
    assert isinstance(choice, Choice) and list(choice.candidates) == ["mine 1 oak_log", "mine 1 dirt"]
    assert choice.chosen in choice.candidates and list(choice.horizons or []) == [1.0, 1.0]
    done = [read_event(event) for event in events(text, "action")][-1]
    assert done == Action("craft 4 oak_planks using oak_log", True, "", text.steps, 3, lines[2])


def test_what_is_found_in_a_memory_is_told_with_its_source() -> None:
    memory = get_memory("keyed")
    memory.learn("Cut it in two.", ["crimson_planks"])
    script = [READ, *MOVES]
    episode = play(get_agent("memory_only"), make(PLANCRAFT), Scripted(script), memory)
    (found,) = events(episode, "recall")
    hit = {"text": "Cut it in two.", "score": 1.0, "source": "keyed", "action": ""}
    assert found == {"type": "recall", "query": "crimson_planks", "hits": [hit]}


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"type": "chat"},
        {"type": "end", "reason": "success", "steps": 1, "rounds": 2},
        {"type": "action", "action": {"name": "noop"}, "inventory": {}},
    ],
)
def test_what_is_no_event_is_refused(entry: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="There is no event like"):
        read_event(entry)


@pytest.mark.parametrize("kind", EVENTS)
def test_types_are_those_of_the_events(kind: str) -> None:
    assert EVENTS[kind].type == kind


# --- crashes ----------------------------------------------------------------------------------------------


async def _breaks(rollout: Rollout) -> None:
    await rollout.ask("planner", [{"role": "user", "content": "Hello"}])
    rollout.act(rollout.world.idle)
    raise ZeroDivisionError("a bug of an agent")


def start_broken(stream: Stream, model: Model) -> EpisodeStream:
    """A stream of an agent that raises in every episode."""
    agent = Agent("broken", "Broken", _breaks)
    return EpisodeStream(agent, get_memory("keyed"), model, lambda task: (make(task), stream.seed))


def test_an_agent_that_raises_leaves_an_error_and_an_end(tmp_path: Path) -> None:
    stream = Stream(Condition("broken", {}), 0, ("kitchen/sync/0", "kitchen/sync/1"))
    study = Study("99_broken", (stream,), start_broken, {"code": "none"})
    frame = run_study(study, ModelSpec("surrogate"), out=tmp_path, workers=1, progress=False)
    assert list(frame["status"]) == list(frame["reason"]) == ["crash", "crash"] and not frame["success"].any()
    for row in frame.to_dict("records"):
        error, end = map(read_event, read_trajectory(tmp_path, row))
        assert (error.type, end) == ("error", End("crash", 0))
        assert "_breaks" in error.as_json()["message"] and "a bug of an agent" in error.as_json()["message"]


def test_a_failed_request_leaves_what_was_before_it() -> None:
    script = [MOVES[0], ModelError("the server said no")]
    episode = play(get_agent("base"), make(PLANCRAFT), Scripted(script))
    assert [event["type"] for event in episode.trajectory] == ["start", "call", "action", "error", "end"]
    assert [read_event(entry).as_json() for entry in episode.trajectory] == episode.trajectory
    assert events(episode, "error")[0]["message"] == "the server said no"


def test_a_world_that_lacks_something_is_refused_before_anything_is_asked() -> None:
    model = Scripted([])
    with pytest.raises(MnemocraftError, match=r"DEPS needs goals, which kitchen/sync/0 does not have"):
        play(get_agent("deps"), make("kitchen/sync/0"), model)
    assert not model.requests


def test_a_learn_event_says_all_that_the_memory_keeps() -> None:
    """From the events alone the memory can be told again."""
    memory, again = get_memory("keyed"), get_memory("keyed")
    play(get_agent("how2"), make(PLANCRAFT), Scripted([READ, "How?", ENTRY, *MOVES]), memory)
    rollout = Scripted([READ, "How?", ENTRY, *MOVES])
    episode = asyncio.run(_once(rollout))
    for event in map(read_event, events(episode, "learn")):
        assert isinstance(event, Learn)
        again.learn(event.text, event.keys)
    assert again.commit("", success=True) == episode.memory_delta and len(again) == len(memory)


async def _once(model: Any) -> Episode:
    stream = EpisodeStream(get_agent("how2"), get_memory("keyed"), model, lambda task: (make(task), 0))
    return await stream.episode(PLANCRAFT)
