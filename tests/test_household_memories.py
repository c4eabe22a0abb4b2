"""Memories that were made for other worlds, in the household, of which none of them knows."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from helpers import Scripted, Stand, play
from mnemocraft.agents import get_agent
from mnemocraft.encoders import get_encoder
from mnemocraft.gnn.aggregation import RoomGraph
from mnemocraft.memory import get_memory
from mnemocraft.memory.session import SAME
from mnemocraft.runs import Episode
from mnemocraft.worlds import make

pytest.importorskip("textworld", reason="households need ALFWorld's engine (extra `alfworld`)")
pytest.importorskip("torch_geometric", reason="the encoder needs the extra `graph`")
PERFECT = "surrogate:knowledge=1,attention=1,slip=0"
GAME, OTHER = "pick_cool_then_place_in_recep/2", "look_at_obj_in_light/0"


def episode(memory: Any, game: str = GAME) -> Episode:
    return play(get_agent("react"), make(f"household/generated/{game}"), Stand(PERFECT), memory, seed=0)


def done(played: Episode) -> list[str]:
    return [event["action"] for event in played.trajectory if event["type"] == "action"]


def recalled(played: Episode) -> list[dict[str, Any]]:
    """What the memory had to say, question by question."""
    return [hit for event in played.trajectory if event["type"] == "recall" for hit in event["hits"]]


@pytest.mark.parametrize("name", ["keyed", "experience", "episodic", "trace"])
def test_what_worked_is_found_again_in_the_same_game_and_after_a_restart(name: str) -> None:
    memory = get_memory(name)
    other = episode(memory, OTHER)
    assert not recalled(other) and len(memory) >= 1, "an empty memory has nothing to say, a success fills it"
    first = episode(memory)
    assert first.success and other.success and len(memory) >= 2
    second = episode(memory)
    took = next(line for line in done(first) if line.startswith("take "))
    best = recalled(second)[0]
    remembered = {line for line in done(first) if line in best["text"] or line == best["action"]}
    assert remembered and not [
        line for line in done(other) if line.startswith("take ") and line in best["text"]
    ]
    if name != "trace":  # a trace tells one transition, the others the whole plan
        assert took in best["text"]
        place = took.rpartition(" from ")[2]
        assert done(second)[0] == f"go to {place}" and second.steps <= first.steps, "it goes where it was"
    again = get_memory(name)
    again.restore(json.loads(json.dumps([other.memory_delta, first.memory_delta])))
    third = episode(again)
    assert done(third) == done(second) and recalled(third) == recalled(second)


def test_a_failure_is_an_experience_but_no_plan_that_worked() -> None:
    """Steps are used up before the task is done."""
    for name, kept in (("experience", 1), ("episodic", 0), ("trace", 0), ("keyed", 0)):
        memory = get_memory(name)
        world = make(f"household/generated/{GAME}", max_steps=2)
        lost = play(
            get_agent("react"), world, Stand("surrogate:knowledge=1,attention=1,slip=0"), memory, seed=0
        )
        assert not lost.success and len(memory) == kept
        if kept:
            assert "Failure (max_steps)" in recalled(episode(memory))[0]["text"]


@pytest.mark.parametrize("memory", ["none", "loops"])
def test_a_loop_is_a_state_with_the_same_knowledge_at_the_same_place(memory: str) -> None:
    """Back at A after B is no loop, as B is known by then; at B again nothing is new.

    GiG warns by its own session graph; with the memory ``loops`` any agent is told the same.
    """
    world = make(f"household/generated/{GAME}", max_steps=5)
    a, b = [f"go to {place}" for place, door in world.room.doors.items() if door is None][:2]
    walk = [a, b, a, b, "look"]
    model = Scripted([f"Reasoning: as told\nAction: {line}" for line in walk])
    agent = get_agent("gig_ld" if memory == "none" else "react")
    played = play(agent, world, model, get_memory(memory), seed=0)
    assert played.reason == "max_steps" and done(played) == walk
    asked = [request.messages[-1]["content"] for request in model.requests]
    warned = [f"{a}; {b}" in text and "Since then" in text for text in asked]
    assert warned == [False] * 4 + [True]
    if memory == "none":
        assert played.metrics["loops"] == 1


def test_embeddings_are_equal_where_texts_are_and_only_there() -> None:
    def merged(*drawers: int) -> RoomGraph:
        room = RoomGraph()
        room.merge("Looking quickly around you, you see a desk 1, a drawer 2, and a drawer 1.")
        for n in drawers:
            room.merge(f"You arrive at drawer {n}. The drawer {n} is open. In it, you see nothing.")
        return room

    states = [merged(), merged(1), merged(2), merged(1, 2), merged(2, 1)]
    vectors = get_encoder("room_graph").encode([room.text for room in states])
    apart = np.linalg.norm(vectors[:, None] - vectors[None], axis=2) + np.eye(len(states))
    assert apart.min() > SAME, "another empty drawer is another place"
    again = get_encoder("room_graph").encode([merged(2, 1, 2).text])[0]
    assert np.linalg.norm(again - vectors[3]) < SAME, "the same knowledge at the same place is a loop"
