"""The experience bank against brute force, the session graph against its definition, and their refusals."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mnemocraft.errors import MissingExtra, MnemocraftError
from mnemocraft.memory import SessionGraph, TraceMemory
from mnemocraft.memory.traces import SAME

SIZE = 3
coordinate = st.integers(-4, 4).map(lambda i: i / 4)
state = arrays(np.float32, SIZE, elements=coordinate)
traces = st.lists(st.lists(state, min_size=1, max_size=5), min_size=1, max_size=5)


def filled(found: list[list[np.ndarray]], tau: float) -> TraceMemory:
    memory = TraceMemory(tau)
    for i, states in enumerate(found):
        memory.add(f"goal {i}", states, [f"action {i}.{step}" for step in range(len(states))])
    return memory


@given(traces, state, st.sampled_from([0.1, 0.25, 0.5, 1.0, 10.0]))
def test_closest_is_the_brute_force_minimum_below_tau(
    found: list[list[np.ndarray]], query: np.ndarray, tau: float
) -> None:
    memory = filled(found, tau)
    flat = [(i, step, z) for i, states in enumerate(found) for step, z in enumerate(states)]
    distances = [float(np.sqrt(((z.astype(float) - query) ** 2).sum())) for *_, z in flat]
    match = memory.closest(query)
    assert len(memory) == len(flat)
    if min(distances) >= tau:
        assert match is None
    else:
        trace, step, _ = flat[int(np.argmin(distances))]  # of equals the first
        assert match is not None
        assert (match.trace, match.step, match.goal) == (trace, step, f"goal {trace}")
        assert match.distance == min(distances)
        assert match.actions == tuple(f"action {trace}.{s}" for s in range(step, len(found[trace])))
        assert match.action == f"action {trace}.{step}"


def test_a_distance_of_exactly_tau_is_not_retrieved() -> None:
    memory = filled([[np.zeros(2)]], tau=0.5)
    assert memory.closest([0.5, 0.0]) is None
    assert memory.closest([np.nextafter(np.float32(0.5), np.float32(0)), 0.0]) is not None


@pytest.mark.parametrize(("later", "step"), [(0.05 - SAME / 2, 0), (0.05 - 2 * SAME, 1)])
def test_of_states_equally_near_but_for_rounding_it_is_the_one_stored_first(later: float, step: int) -> None:
    match = filled([[np.array([0.05, 0.0]), np.array([0.0, later])]], tau=0.1).closest([0.0, 0.0])
    assert match is not None and match.step == step


def test_an_equally_near_state_at_tau_gives_way_to_one_below() -> None:
    match = filled([[np.array([0.5, 0.0]), np.array([0.0, 0.5 - SAME / 2])]], tau=0.5).closest([0.0, 0.0])
    assert match is not None and match.step == 1


def test_the_nearest_of_another_goal_serves_neither_the_asker_s_nor_the_right_one_s() -> None:
    memory = TraceMemory(tau=10)
    for goal, place in (("soup", 0.0), ("stew", 1.0), ("cake", 3.0), ("cake", 2.0 + SAME / 2), ("pie", 2.0)):
        memory.add(goal, [[place]], [f"{goal} {place:.0f}"])
    match = memory.closest([0.1])
    assert match is not None and match.goal == "soup"
    wrong = memory.other([0.1], match, "stew")
    assert wrong is not None and (wrong.action, wrong.distance) == ("cake 2", match.distance)
    assert filled([[np.zeros(1)]], tau=1).other([0.0], match, "goal 0") is None


def test_retrieval_ignores_the_goal() -> None:
    memory = TraceMemory()
    memory.add("soup", [[0.0, 0.0]], ["stir"])
    memory.add("sandwich", [[1.0, 0.0]], ["cut"])
    match = memory.closest([0.99, 0.0])
    assert match is not None and (match.goal, match.action) == ("sandwich", "cut")


def test_the_last_state_may_come_along_but_is_not_stored() -> None:
    memory = TraceMemory()
    memory.add("soup", [[0.0], [1.0], [2.0]], ["a", "b"])
    assert len(memory) == 2
    assert memory.closest([2.0]) is None


def test_an_empty_bank_has_no_match() -> None:
    assert TraceMemory().closest([1.0, 2.0]) is None


@pytest.mark.parametrize(
    ("embeddings", "actions", "sentence"),
    [
        ([[0.0, 0.0]], ["a", "b"], "1 embeddings for 2 actions"),
        ([[0.0, 0.0]] * 3, ["a"], "3 embeddings for 1 actions"),
        ([[0.0, 0.0]], [], "at least one action"),
        ([[0.0, 0.0]] * 2, "ab", "at least one action"),
        ([0.0, 0.0], ["a", "b"], r"shape \(2,\)"),
        ([[0.0, 0.0, 0.0]], ["a"], r"shape \(1, 3\); it must be \(states, 2\)"),
        ([[0.0], [0.0, 1.0]], ["a", "b"], "rows of equal length"),
        ([[np.nan, 0.0]], ["a"], "NaN or infinite"),
        ([[1e300, 0.0]], ["a"], "NaN or infinite"),
    ],
)
def test_a_bad_trace_is_refused_and_leaves_the_bank_as_it_was(
    embeddings: object, actions: list[str], sentence: str
) -> None:
    memory = filled([[np.zeros(2)]], tau=0.1)
    with pytest.raises(MnemocraftError, match=sentence):
        memory.add("goal", embeddings, actions)  # type: ignore[arg-type]
    assert len(memory) == 1
    match = memory.closest([0.0, 0.0])
    assert match is not None and match.goal == "goal 0"


@pytest.mark.parametrize("query", [[0.0], [[0.0, 0.0]], [np.inf, 0.0], [np.nan, 0.0], "z", None])
def test_a_bad_query_is_refused(query: object) -> None:
    with pytest.raises(MnemocraftError, match=r"^[^\n]+\.$"):
        filled([[np.zeros(2)]], tau=0.1).closest(query)  # type: ignore[arg-type]


@pytest.mark.parametrize("tau", [0, -0.1, float("nan"), "0.1", None])
def test_tau_must_be_a_positive_number(tau: object) -> None:
    with pytest.raises(MnemocraftError, match="must be above 0"):
        TraceMemory(tau)  # type: ignore[arg-type]


def test_without_faiss_the_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingExtra, match=r"mnemocraft\[graph\]"):
        TraceMemory()


def test_what_the_caller_does_to_its_array_later_changes_nothing() -> None:
    z = np.zeros(2, np.float32)
    session = SessionGraph()
    session.visit(z)
    z += 1
    assert session.visit([0.0, 0.0], "a") == ["a"]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
def test_the_loop_path_is_what_was_done_since_the_last_visit(walk: list[int]) -> None:
    session = SessionGraph()
    for step, place in enumerate(walk):
        loop = session.visit([float(place), 0.0], f"to {step}" if step else None)
        before = [earlier for earlier in range(step) if walk[earlier] == place]
        expected = [f"to {s}" for s in range(before[-1] + 1, step + 1)] if before else None
        assert loop == expected
    assert len(session.nodes) == len(set(walk))
    assert [session.nodes[node][0] for node in session.path] == walk
    assert [(session.nodes[a][0], session.nodes[b][0]) for a, b, _ in session.edges] == [*pairwise(walk)]
    assert session.embeddings[:, 0].tolist() == walk


def test_a_session_can_be_stored_as_it_is() -> None:
    session, memory = SessionGraph(), TraceMemory()
    for step, place in enumerate([0.0, 1.0, 0.0, 2.0]):
        session.visit([place], f"to {place}" if step else None)
    memory.add("goal", session.embeddings, session.actions)
    match = memory.closest([0.0])
    assert match is not None and match.actions == ("to 1.0", "to 0.0", "to 2.0")


def test_states_are_one_only_within_rounding() -> None:
    session = SessionGraph()
    session.visit([0.0, 0.0])
    assert session.visit([5e-5, 0.0], "a") == ["a"]
    assert session.visit([2e-4, 0.0], "b") is None


def test_a_session_needs_an_action_between_states_and_none_before_the_first() -> None:
    session = SessionGraph()
    with pytest.raises(MnemocraftError, match="has no action before it"):
        session.visit([0.0], "a")
    session.visit([0.0])
    with pytest.raises(MnemocraftError, match="needs the action"):
        session.visit([1.0])
    with pytest.raises(MnemocraftError, match=r"must be \(1,\)"):
        session.visit([1.0, 2.0], "a")
    assert (session.path, session.actions) == ([0], [])
