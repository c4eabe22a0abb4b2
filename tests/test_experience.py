"""The experiences of MindStores: exact, kept in a file, and told in one sentence what is wrong."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.bench_memory import killed
from mnemocraft.errors import MnemocraftError
from mnemocraft.memory import Experience, ExperienceMemory

SIZE = 6


class Hashed:
    """Vectors of any length and direction, equal for equal texts."""

    name = "hashed"

    def __init__(self, size: int = SIZE) -> None:
        self.size = size

    def encode(self, texts):
        seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") for text in texts]
        return np.stack([np.random.default_rng(seed).normal(size=self.size) for seed in seeds]).astype("f4")


def brute(entries, weights, state, task, plan, k):
    """Equations 1 to 3 as they are written, and which entries are the best."""
    encoder = Hashed()

    def cosine(one, other):
        a, b = encoder.encode([one, other]).astype(np.float64)
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    asked = {"state": state, "task": task, **({} if plan is None else {"plan": plan})}
    scores = [sum(weights[x] * cosine(getattr(e, x), asked[x]) for x in asked) for e in entries]
    order = sorted(range(len(entries)), key=lambda place: (-round(scores[place], 9), place))
    return [(scores[place], entries[place]) for place in order[:k]]


words = st.sampled_from("abcd")
entries = st.builds(Experience, words, words, words, st.text("xyz", min_size=1), st.booleans())
weight = st.integers(0, 20).map(lambda number: number / 10)


@settings(max_examples=150, deadline=None)
@given(
    stored=st.lists(entries, max_size=40),
    weights=st.fixed_dictionaries({"state": weight, "task": weight, "plan": weight}),
    asked=st.tuples(words, words, st.none() | words),
    k=st.integers(1, 12),
)
def test_the_nearest_are_those_of_brute_force_with_ties_in_insertion_order(stored, weights, asked, k):
    memory = ExperienceMemory(Hashed(), weights)
    memory.add_many(stored)
    expected = brute(stored, weights, *asked, k)
    found = memory.nearest(*asked, k=k)
    assert [one for _, one in found] == [one for _, one in expected]
    np.testing.assert_allclose([score for score, _ in found], [score for score, _ in expected], atol=1e-5)
    assert len(memory) == len(stored)


def some(count):
    return [Experience(f"state {n}", f"task {n % 7}", f"plan {n}", "done", n % 2 == 0) for n in range(count)]


def test_a_file_keeps_the_entries_and_a_copy_has_them_too(tmp_path):
    memory = ExperienceMemory(Hashed(), path=tmp_path / "memory.db")
    memory.add_many(some(20))
    memory.save(tmp_path / "copy.db")
    expected = memory.nearest("state 3", "task 3")
    memory.close()
    again = ExperienceMemory(Hashed(), path=tmp_path / "memory.db")
    loaded = ExperienceMemory(Hashed()).load(tmp_path / "copy.db")
    assert again.nearest("state 3", "task 3") == loaded.nearest("state 3", "task 3") == expected
    assert len(again) == len(loaded) == 20


def test_a_reader_sees_what_another_has_written_meanwhile(tmp_path):
    writer, reader = (ExperienceMemory(Hashed(), path=tmp_path / "memory.db") for _ in range(2))
    assert reader.nearest("state 3", "task 3") == []
    for one in some(5):
        writer.add_many([one])
        ((_, found),) = reader.nearest(one.state, one.task, one.plan, k=1)
        assert found == one


def test_a_key_is_stored_once(tmp_path):
    memory = ExperienceMemory(Hashed())
    for _ in range(2):
        memory.add("state", "task", "plan", "outcome", key="episode 1")
        memory.add("state", "task", "plan", "outcome")
    assert len(memory) == 3


def test_above_the_limit_codes_propose_and_are_made_again_if_it_is_lost(tmp_path):
    path, entries = tmp_path / "memory.db", some(700)
    memory = ExperienceMemory(Hashed(100), path=path, exact_up_to=300)
    exact = ExperienceMemory(Hashed(100))
    for store in (memory, exact):
        store.add_many(entries)
    asked = [(f"state {n}", f"task {n % 5}", plan) for n in range(40) for plan in (None, f"plan {n + 1}")]
    expected = [exact.nearest(*cue) for cue in asked]

    def recall(store):
        pairs = zip(asked, expected, strict=True)
        return np.mean([len({e for e in store.nearest(*cue) if e in best}) / 5 for cue, best in pairs])

    few = ExperienceMemory(Hashed(100), exact_up_to=0)
    few.add_many(entries[:250])
    assert [one for _, one in few.nearest("state 3", "task 3", "plan 3", k=1)] == [entries[3]]
    assert recall(memory) >= 0.95
    (cache,) = tmp_path.glob("*.faiss")
    memory.close()
    assert recall(ExperienceMemory(Hashed(100), path=path, exact_up_to=300)) >= 0.95
    cache.write_bytes(b"torn")
    assert recall(ExperienceMemory(Hashed(100), path=path, exact_up_to=300)) >= 0.95


def refused(say, action):
    with pytest.raises(MnemocraftError, match=say) as told:
        action()
    text = str(told.value)
    assert "\n" not in text and text.endswith(".") and text.count(". ") == 0


def test_what_is_wrong_is_told_in_one_sentence_and_nothing_is_lost(tmp_path):
    path = tmp_path / "memory.db"
    memory = ExperienceMemory(Hashed(), path=path)
    memory.add_many(some(3))
    other = Hashed()
    other.name = "other"
    good = ("state", "task", "plan", "outcome")
    refused("is empty", lambda: memory.add(" ", *good[1:]))
    refused("1,048,576 characters", lambda: memory.add("state", "task", "x" * (1 << 20), "outcome"))
    refused("is empty", lambda: memory.nearest("", "task"))
    refused("8 numbers each", lambda: ExperienceMemory(Hashed(8), path=path).add(*good))
    refused("shape", lambda: ExperienceMemory(Hashed(8), path=path).nearest("state", "task"))
    refused("encoder 'hashed'", lambda: ExperienceMemory(other, path=path))
    refused("encoder 'hashed'", lambda: ExperienceMemory(other).load(path))
    refused("cannot be opened", lambda: ExperienceMemory(Hashed(), path=tmp_path / "no" / "memory.db"))
    refused("cannot be opened", lambda: ExperienceMemory(Hashed()).load(tmp_path / "none.db"))
    refused("number from 0 on", lambda: ExperienceMemory(Hashed(), {"state": -1, "task": 1, "plan": 1}))
    assert len(memory) == 3


def test_another_database_is_not_written_over_and_a_memory_does_not_take_itself(tmp_path):
    path, foreign = tmp_path / "memory.db", tmp_path / "foreign.db"
    with closing(sqlite3.connect(foreign)) as other, other:
        other.execute("CREATE TABLE results (x)")
    memory = ExperienceMemory(Hashed(), path=path)
    memory.add_many(some(3))
    before = foreign.read_bytes()
    refused("no memory of experiences", lambda: memory.save(foreign))
    refused("no memory of experiences", lambda: ExperienceMemory(Hashed(), path=foreign))
    assert foreign.read_bytes() == before
    refused("the file of this memory itself", lambda: memory.load(path))
    small = ExperienceMemory(Hashed(8))
    small.add("state", "task", "plan", "outcome")
    refused("6 numbers each", lambda: small.load(path))
    assert len(memory) == 3 and len(small) == 1
    small.save(path.with_name("other.db"))
    refused("8 numbers each", lambda: memory.load(path.with_name("other.db")))
    memory.save(tmp_path / "other.db")  # a memory is replaced
    assert len(ExperienceMemory(Hashed()).load(tmp_path / "other.db")) == 3


@pytest.mark.parametrize(
    ("wrong", "say"),
    [
        ({"success": "false"}, "must be True or False, not 'false'"),
        ({"state": 3}, "The state of an experience must be a text, not 3"),
    ],
)
def test_what_is_no_experience_is_not_stored(wrong, say):
    memory = ExperienceMemory(Hashed())
    good = {"state": "s", "task": "t", "plan": "p", "outcome": "o"}
    refused(say, lambda: memory.add(**(good | wrong)))
    assert len(memory) == 0


def test_an_encoder_that_gives_a_vector_too_few_is_told():
    class Few(Hashed):
        def encode(self, texts):
            return super().encode(texts[:1])

    refused("gives 1 vectors for 3 texts", lambda: ExperienceMemory(Few()).add("s", "t", "p", "o"))


@pytest.mark.parametrize("k", ["3", 1.5, None, float("nan"), -1])
def test_k_is_a_whole_number(k):
    refused("k must be a whole number from 0", lambda: ExperienceMemory(Hashed()).nearest("s", "t", k=k))


def test_a_full_disk_stores_nothing_by_halves(tmp_path):
    memory = ExperienceMemory(Hashed(), path=tmp_path / "memory.db")
    memory.add_many(some(3))
    (pages,) = memory.log.log.db.execute("PRAGMA page_count").fetchone()
    memory.log.log.db.execute(f"PRAGMA max_page_count = {pages}")
    refused("no room left", lambda: memory.add_many(some(500)))
    assert len(memory) == 3 and len(memory.nearest("state 1", "task 1")) == 3
    memory.log.log.db.execute("PRAGMA max_page_count = 100000")
    memory.add_many(some(500))
    assert len(memory) == 503


def test_a_damaged_file_is_named_and_left_as_it_is(tmp_path):
    path = tmp_path / "memory.db"
    path.write_bytes(b"no database at all" * 400)
    refused("damaged", lambda: ExperienceMemory(Hashed(), path=path))
    assert path.read_bytes() == b"no database at all" * 400


def test_writers_that_are_killed_leave_whole_entries_once(tmp_path):
    left = killed(tmp_path, 5)
    assert left.pop("finished") > 0 and left == {"kills": 10, "lost": 0, "doubled": 0, "torn": 0}
