"""The parser of observations: against a text read by hand, golden states, and texts that are none."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from mnemocraft import paths
from mnemocraft.gnn import BadObservation, scene_graph

TRACES = paths.ROOT.parent / "shared" / "robotouille" / "traces"
TEXT = """\
Station table1:
table1 is a table
table1 is occupied by robot1
table1 has lettuce1
table1 has lettuce1 directly on top of it

Item lettuce1:
lettuce1 is a head of lettuce
lettuce1 is cut
lettuce1 is at table1
lettuce1 is directly on top of table1
lettuce1 has nothing above it

Player robot1:
robot1 is a robot
robot1 is at table1
robot1 is holding nothing"""


def test_a_text_read_by_hand() -> None:
    graph = scene_graph(TEXT)
    assert graph.names == ("table1", "lettuce1", "robot1")
    assert graph.texts == (
        "Station: is a table",
        "Item: is a head of lettuce; is cut; has nothing above it",
        "Player: is a robot; is holding nothing",
    )
    assert graph.edges == (
        (0, 2, "is occupied by _"),
        (0, 1, "has _"),
        (0, 1, "has _ directly on top of it"),
        (1, 0, "is at _"),
        (1, 0, "is directly on top of _"),
        (2, 0, "is at _"),
    )


def test_valid_actions_and_goal_are_not_read() -> None:
    actions = (
        "\n\nValid Actions:\nPick up lettuce1 from table1 using robot1\nDo nothing\n\nGoal: Cut a lettuce."
    )
    assert scene_graph(TEXT + actions) == scene_graph(TEXT)
    assert scene_graph(TEXT + "\n\nGoal: Cut a lettuce.") == scene_graph(TEXT)


def test_names_are_told_apart_as_whole_words() -> None:
    text = "Item bun1:\nbun1 is at table11\n\nStation table1:\ntable1 is a table\n\n"
    text += "Station table11:\ntable11 has bun1"
    assert scene_graph(text).edges == ((0, 2, "is at _"), (2, 0, "has _"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no block"),
        ("Goal: eat", "no block"),
        ("The kitchen is dark.", "'The kitchen is dark.' where a header"),
        ("Item bun1:\nbun2 is cut", "'bun2 is cut' where a line about 'bun1'"),
        ("Item bun1:\nbun1", "'bun1' where a line about 'bun1'"),
        ("Item bun1:\nbun1 is cut\n\nItem bun1:\nbun1 is cut", "two blocks for 'bun1'"),
    ],
)
def test_what_is_no_observation_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(BadObservation) as refused:
        scene_graph(text)
    assert sentence in str(refused.value) and "\n" not in str(refused.value)


def golden() -> Iterator[dict[str, Any]]:
    """Records of the real engine that have both the state and its text."""
    for path in sorted(TRACES.glob("*sync_*.jsonl.gz")):
        with gzip.open(path, "rt") as lines:
            for line in lines:
                if line.startswith(('{"type":"init"', '{"type":"end"')):
                    yield json.loads(line)


def relations(state: list[str]) -> Counter[tuple[str, str]]:
    """Both directions of every predicate with two arguments."""
    pairs = [
        arguments.split(",") for arguments in (p[p.index("(") + 1 : -1] for p in state) if "," in arguments
    ]
    return Counter((a, b) for a, b in pairs) + Counter((b, a) for a, b in pairs)


@pytest.mark.skipif(not TRACES.is_dir(), reason="the golden traces are not here")
def test_every_predicate_of_a_golden_state_is_in_the_graph_and_nothing_else() -> None:
    checked = 0
    for record in golden():
        graph = scene_graph(record["obs"])
        assert list(graph.names) == [name for name, _ in record["objects"]]
        edges = Counter((graph.names[a], graph.names[b]) for a, b, _ in graph.edges)
        assert edges == relations(record["true"])
        alone = Counter(p[p.index("(") + 1 : -1] for p in record["true"] if "," not in p)
        said = {name: len(text.split("; ")) for name, text in zip(graph.names, graph.texts, strict=True)}
        assert said == dict(alone)
        checked += 1
    assert checked >= 800
