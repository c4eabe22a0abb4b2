"""The memory browser: the map is a PCA, and hits are shown as the memory gives them, as plain text."""

from __future__ import annotations

import ipywidgets as widgets
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from IPython.display import HTML

from mnemocraft.errors import MnemocraftError
from mnemocraft.viewer import HEADLESS
from mnemocraft.viewer.memory import Entries, Found, browse, draw_map


def entries(n: int = 12, size: int = 7, seed: int = 0) -> Entries:
    random = np.random.default_rng(seed)
    groups = [("success", "failure")[i % 2] for i in range(n)]
    return Entries([f"entry <{i}>" for i in range(n)], random.normal(size=(n, size)), groups)


def finder(held: Entries):
    def find(query: str) -> Found:
        vector = np.full(held.vectors.shape[1], float(len(query)))
        scores = held.vectors @ vector
        best = np.argsort(-scores)[:3]
        return Found(vector, [(int(i), float(scores[i])) for i in best])

    return find


@settings(max_examples=30, deadline=None)
@given(st.integers(3, 40), st.integers(2, 30), st.integers(0, 99))
def test_the_map_is_the_plane_of_greatest_variance(n, size, seed):
    held = entries(n, size, seed)
    ours = held.place(held.vectors)
    centred = held.vectors - held.vectors.mean(axis=0)
    largest = np.sort(np.linalg.eigvalsh(centred.T @ centred))[::-1][:2]  # another way to the same plane
    assert np.allclose((ours**2).sum(axis=0), largest, atol=1e-8)
    assert abs(ours[:, 0] @ ours[:, 1]) < 1e-8


@pytest.mark.parametrize("n", [1, 2])
def test_a_memory_of_one_or_two_entries_has_a_map(n):
    held = entries(n)
    assert np.isfinite(held.place(held.vectors)).all()
    draw_map(held, Found(held.vectors[0], [(0, 1.0)]))


def test_without_clicks_it_is_a_picture_with_every_query_and_no_markup_of_the_entries(monkeypatch):
    monkeypatch.setenv(HEADLESS, "1")
    held = entries()
    page = browse(held, finder(held), {"first": ["insight: <b>"], "another": []})
    assert isinstance(page, HTML)
    assert page.data.count("data:image/png") == 1 and page.data.count("<details>") == 1
    assert "insight: &lt;b&gt;" in page.data and "entry <" not in page.data
    best = finder(held)("first").hits[0]
    assert f"<td>{best[1]:.3f}</td>" in page.data and f"entry &lt;{best[0]}&gt;" in page.data


def test_with_clicks_a_query_may_be_typed_and_an_empty_one_changes_nothing(monkeypatch):
    monkeypatch.delenv(HEADLESS, raising=False)
    held = entries()
    box = browse(held, finder(held), {"first": ["what the plan became"]})
    assert isinstance(box, widgets.VBox)
    query, (picture, text) = box.children[0], box.children[1].children
    before = picture.value, text.value
    assert "what the plan became" in text.value
    query.value = ""
    assert (picture.value, text.value) == before
    query.value = "typed by somebody"
    assert picture.value != before[0] and "what the plan became" not in text.value


def test_groups_beyond_the_largest_are_grey():
    held = Entries([str(i) for i in range(9)], np.eye(9), [str(i) for i in range(9)])
    labels = [text.get_text() for text in draw_map(held, Found(np.zeros(9), [])).legends[0].get_texts()]
    assert labels[-2:] == ["others (4)", "query"]


def test_bad_entries_are_one_sentence_and_an_empty_memory_is_said():
    with pytest.raises(MnemocraftError, match="2 texts, 3 vectors and 2 groups"):
        Entries(["a", "b"], np.zeros((3, 2)), ["x", "y"])
    empty = Entries([], np.zeros((0, 2)), [])
    assert browse(empty, lambda query: Found(np.zeros(2), []), {"q": []}) == (
        "There is nothing in this memory to look at."
    )
