"""The experiences of MindStores: exact, kept in a file, and told in one sentence what is wrong."""

from __future__ import annotations

import hashlib

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

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
