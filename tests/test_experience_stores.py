"""One memory on two engines: Qdrant's embedded mode hands out what SQLite with FAISS and brute force do."""

from __future__ import annotations

import sys
import time
import warnings
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import encoding
from mnemocraft.errors import MissingExtra
from mnemocraft.memory import Cue, Experience, ExperienceMemory, get_memory
from test_experience import Hashed, brute, entries, refused, some, weight, words

pytest.importorskip("qdrant_client", reason="needs the extra `qdrant`")
GOOD = ("state", "task", "plan", "outcome")


@settings(max_examples=60, deadline=None)
@given(
    stored=st.lists(entries, max_size=40),
    weights=st.fixed_dictionaries({"state": weight, "task": weight, "plan": weight}),
    asked=st.tuples(words, words, st.none() | words),
    k=st.integers(1, 12),
)
def test_both_engines_hand_out_what_brute_force_does_with_ties_in_insertion_order(stored, weights, asked, k):
    expected = brute(stored, weights, *asked, k)
    for where in (None, ":memory:"):
        memory = ExperienceMemory(Hashed(), weights, location=where)
        memory.add_many(stored)
        found = memory.nearest(*asked, k=k)
        assert [one for _, one in found] == [one for _, one in expected]
        np.testing.assert_allclose([s for s, _ in found], [s for s, _ in expected], atol=1e-5)
        assert len(memory) == len(stored)


def test_they_agree_on_entries_that_are_all_different_after_interleaved_writes():
    local, remote = ExperienceMemory(Hashed(96)), ExperienceMemory(Hashed(96), location=":memory:")
    for start in range(0, 300, 50):
        for memory in (local, remote):
            memory.add_many(some(300)[start : start + 50])
        for n in (start, 7):
            asked = (f"state {n}", f"task {n % 5}", f"plan {n + 1}")
            (mine, theirs) = (memory.nearest(*asked, k=9) for memory in (local, remote))
            assert [one for _, one in mine] == [one for _, one in theirs]
            np.testing.assert_allclose([s for s, _ in mine], [s for s, _ in theirs], atol=1e-6)
    assert list(remote.log.entries()) == list(local.log.entries()) == some(300)[::-1]
    assert remote.log.worded(["299"], 2) == local.log.worded(["299"], 2)


def test_a_key_is_stored_once_and_keeps_its_place():
    memory = ExperienceMemory(Hashed(), location=":memory:")
    for _ in range(2):
        memory.add(*GOOD, key="episode 1")
        memory.add(*GOOD[:3], "another")
    assert len(memory) == 3
    assert [one.outcome for _, one in memory.nearest(*GOOD[:3])] == ["outcome", "another", "another"]


def test_a_folder_keeps_the_entries_and_files_go_in_and_out(tmp_path):
    where = str(tmp_path / "qdrant#tea")
    memory = ExperienceMemory(Hashed(), location=where)
    memory.add_many(some(20), [f"key {n}" for n in range(20)])
    expected = memory.nearest("state 3", "task 3")
    memory.save(tmp_path / "copy.db")
    refused(
        "cannot be used", lambda: ExperienceMemory(Hashed(), location=where)
    )  # the mode is for one process
    memory.close()
    again = ExperienceMemory(Hashed(), location=where).load(tmp_path / "copy.db")
    assert len(again) == 20, "the keys came along"
    for other in (again, ExperienceMemory(Hashed(), path=tmp_path / "copy.db")):
        found = other.nearest("state 3", "task 3")
        assert [one for _, one in found] == [one for _, one in expected]
    again.close()


def test_what_is_wrong_is_told_in_one_sentence_and_nothing_is_lost(tmp_path):
    where = str(tmp_path / "qdrant")
    memory = ExperienceMemory(Hashed(), location=where)
    memory.add_many(some(3))
    refused("is empty", lambda: memory.add(" ", *GOOD[1:]))
    refused("1,048,576 characters", lambda: memory.add("state", "task", "x" * (1 << 20), "outcome"))
    memory._encoder = Hashed(8)
    refused("8 numbers each", lambda: memory.add(*GOOD))
    refused("shape", lambda: memory.nearest("state", "task"))
    memory.close()
    other = Hashed()
    other.name = "other"
    refused("encoder 'hashed'", lambda: ExperienceMemory(other, location=where))
    refused("not in both", lambda: ExperienceMemory(Hashed(), path=tmp_path / "a", location=where))
    memory = ExperienceMemory(Hashed(), location=where)
    refused("cannot be opened", lambda: memory.load(tmp_path / "none.db"))
    assert len(memory) == 3
    memory.close()


@pytest.mark.parametrize("where", ["http://127.0.0.1:9", "http://no-such-host.invalid:6333", "http://[bad"])
def test_a_server_that_is_not_there_is_told_within_seconds(where):
    started = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        refused("cannot be used", lambda: ExperienceMemory(Hashed(), location=where))
    assert time.monotonic() - started < 10


def test_without_the_client_a_sentence_says_what_to_install():
    with (
        patch.dict(sys.modules, {"qdrant_client": None}),
        pytest.raises(MissingExtra, match=r"mnemocraft\[qdrant\]"),
    ):
        ExperienceMemory(Hashed(), location="http://localhost:6333")


@pytest.mark.parametrize("name", ["experience", "shuffled", "random", "bm25", "history", "oracle"])
def test_agents_reach_it_by_the_registry_and_controls_hand_out_the_same(name):
    with encoding():
        hits = []
        for options in ({}, {"location": ":memory:"}):
            memory = get_memory(name, **options)
            for n in range(9):
                cue = Cue(f"get {'wood' if n % 2 else 'sand'}", f"place {n}", plan=f"mine {n} logs")
                memory.experience(cue, "it ended", n > 4)
            memory.restore([memory.commit("get wood", True)] if name == "experience" else [])
            hits.append(memory.recall(Cue("get wood", "place 3")))
        mine, theirs = hits
        assert [hit.text for hit in mine] == [hit.text for hit in theirs] and mine
        assert [hit.score for hit in theirs] == pytest.approx([hit.score for hit in mine], abs=1e-5)


def test_an_experience_is_the_same_after_the_server():
    memory = ExperienceMemory(Hashed(), location=":memory:")
    strange = Experience("État\n\x00 of 木", "task", "plan\t", "outcome ✓", False)
    memory.add_many([strange])
    ((_, found),) = memory.nearest(strange.state, strange.task)
    assert found == strange
