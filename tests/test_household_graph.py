"""The scene graph that a household's replies are merged into, on replies of the real engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mnemocraft.gnn.aggregation import RoomGraph

GOLDEN = Path(__file__).parents[2] / "shared" / "alfworld" / "golden.jsonl"
ROOM = (
    "You are in the middle of a room. Looking quickly around you, you see a desk 2, a desk 1, "
    "a drawer 2, a drawer 1, and a fridge 1."
)


def merged(*replies: str) -> RoomGraph:
    room = RoomGraph()
    for reply in (ROOM, *replies):
        room.merge(reply)
    return room


def test_what_nobody_looked_at_stays_unknown() -> None:
    room = merged("You arrive at drawer 1. The drawer 1 is closed.")
    assert room.here == ("drawer 1",) and room.doors["drawer 1"] == "closed"
    assert not room.contents and room.doors["desk 1"] is None
    assert "drawer 1 (closed): unknown" in room.text
    assert "Not looked at: desk 1, desk 2, drawer 2, fridge 1" in room.text


def test_what_is_said_anew_takes_the_place_of_what_was_known() -> None:
    room = merged(
        "You arrive at desk 1. On the desk 1, you see a bowl 1, and a pen 2.",
        "You pick up the bowl 1 from the desk 1.",
        "You arrive at fridge 1. The fridge 1 is closed.",
        "You heat the bowl 1 using the microwave 1.",
        "You cool the bowl 1 using the fridge 1.",
        "You open the fridge 1. The fridge 1 is open. In it, you see nothing.",
        "You move the bowl 1 to the fridge 1.",
    )
    assert room.contents == {"desk 1": ("pen 2",), "fridge 1": ("bowl 1",)}
    assert room.held == "" and room.states["bowl 1"] == {"cool"}


def test_a_refused_command_says_nothing() -> None:
    room = merged("You arrive at desk 1. On the desk 1, you see nothing.")
    before = room.copy()
    room.merge("Nothing happens.")
    assert room == before


def test_a_receptacle_to_which_one_cannot_go_is_within_reach() -> None:
    room = merged()
    room.merge("You arrive at desk 1. On the desk 1, you see nothing.", ["go to desk 2", "go to fridge 1"])
    assert room.here == ("desk 1", "drawer 1", "drawer 2")
    room = merged()
    room.merge("Nothing happens.", ["look"])
    assert room.here == (), "in the middle of the room nothing is within reach"


def test_a_thing_in_two_receptacles_has_edges_to_both() -> None:
    room = merged(
        "You arrive at desk 1. On the desk 1, you see a pen 1.",
        "You arrive at desk 2. On the desk 2, you see a pen 1.",
    )
    graph = room.graph
    assert graph.names.count("pen 1") == 1
    ends = {graph.names[b] for a, b, _ in graph.edges if graph.names[a] == "pen 1"}
    assert ends == {"desk 1", "desk 2"}


def test_every_relation_is_told_from_both_ends() -> None:
    graph = merged("You arrive at desk 1. On the desk 1, you see a pen 1, and a mug 2.").graph
    assert {(a, b) for a, b, _ in graph.edges} == {(b, a) for a, b, _ in graph.edges}


NAMES = st.sampled_from([f"{kind} {n}" for kind in ("desk", "drawer", "fridge") for n in (1, 2, 12)])
THINGS = st.sampled_from([f"{kind} {n}" for kind in ("mug", "pen") for n in (1, 2, 3)])


@st.composite
def rooms(draw: st.DrawFn) -> RoomGraph:
    doors = draw(st.dictionaries(NAMES, st.sampled_from([None, "", "open", "closed"]), min_size=1))
    seen = [place for place, door in doors.items() if door is not None]
    contents = {
        place: tuple(sorted(draw(st.sets(THINGS, max_size=4))))
        for place in seen
        if doors[place] != "closed" or draw(st.booleans())
    }
    things = {thing for inside in contents.values() for thing in inside}
    states = {thing: frozenset({"clean", "hot"}) for thing in things if draw(st.booleans())}
    here = tuple(sorted(draw(st.sets(st.sampled_from(list(doors))))))
    for place in seen:  # what is open or has no door was looked into
        if doors[place] != "closed":
            contents.setdefault(place, ())
    return RoomGraph(doors, contents, here, draw(st.sampled_from(["", "cup 1"])), states)


@given(rooms())
def test_the_text_has_all_of_the_graph(room: RoomGraph) -> None:
    read = RoomGraph.read(f"Observation:\n{room.text}\nLast reply: Nothing happens.\n\nValid Actions:\nlook")
    assert read == room


def test_a_text_without_a_graph_gives_none() -> None:
    assert RoomGraph.read(ROOM) is None


@pytest.mark.skipif(not GOLDEN.is_file(), reason="the recorded games are not here")
def test_real_games_are_read_without_loss() -> None:
    for line in GOLDEN.read_text(encoding="utf-8").splitlines():
        game = json.loads(line)
        room = RoomGraph()
        room.merge(game["observation"], game["admissible_commands"])
        listed = {c.removeprefix("go to ") for c in game["admissible_commands"] if c.startswith("go to ")}
        assert set(room.doors) == listed and not room.here
        for command, reply in zip(game["commands"], game["observations"], strict=True):
            room.merge(reply)
            verb, _, rest = command.partition(" ")
            if verb == "go":
                assert room.here == (rest.removeprefix("to "),)
            if verb == "take":
                assert room.held == rest.partition(" from ")[0]
            if verb == "move":
                assert room.held == ""
            if verb in ("heat", "cool", "clean"):
                state = {"heat": "hot"}.get(verb, verb)
                assert state in room.states[rest.partition(" with ")[0]]
            assert RoomGraph.read(room.text) == room
