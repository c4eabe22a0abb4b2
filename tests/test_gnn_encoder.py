"""The encoder: its loss against the paper's formula, its invariances, its training and its files."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemocraft import encoders, weights
from mnemocraft.encoders import get_encoder
from mnemocraft.errors import MissingExtra, MnemocraftError
from mnemocraft.gnn import Encoder, SceneGraph, features, load_encoder, scene_graph, train_encoder
from mnemocraft.gnn.encoder import ABLATION, WEIGHTS, as_data
from mnemocraft.gnn.loss import loss, triplet, uniformity

TABLE, EMPTY = "Station: is a table; has no players at it", "Station: is a table; has nothing on it"
BUN, LETTUCE = "Item: is a bottom bun; has nothing above it", "Item: is a head of lettuce; is cut"
TEXTS = (TABLE, EMPTY, BUN, LETTUCE, "Player: is a robot; is holding nothing")


def random_graph(rng: np.random.Generator, nodes: int = 8) -> SceneGraph:
    """A graph of known node texts with edges both ways."""
    texts = tuple(TEXTS[i] for i in rng.integers(len(TEXTS), size=nodes))
    pairs = [rng.choice(nodes, 2, replace=False).tolist() for _ in range(2 * nodes)]
    edges = tuple(edge for a, b in pairs for edge in ((a, b, "on _"), (b, a, "under _")))
    return SceneGraph(tuple(f"thing{i}" for i in range(nodes)), texts, edges)


def permuted(graph: SceneGraph, order: list[int]) -> SceneGraph:
    """The same graph with its nodes in another order and new names."""
    place = {old: new for new, old in enumerate(order)}
    edges = [(place[a], place[b], relation) for a, b, relation in graph.edges]
    names = tuple(f"other{i}" for i in range(len(order)))
    return SceneGraph(names, tuple(graph.texts[i] for i in order), tuple(reversed(edges)))


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_encoder()


# --- equation 2 ------------------------------------------------------------------------------------


def equation_2(a: np.ndarray, p: np.ndarray, n: np.ndarray, alpha: float, weight: float) -> float:
    """The loss, loop by loop as it is printed."""
    hinge = 0.0
    for i in range(len(a)):
        d_ap = sum((x - y) ** 2 for x, y in zip(a[i], p[i], strict=True))
        d_an = sum((x - y) ** 2 for x, y in zip(a[i], n[i], strict=True))
        hinge += max(0.0, d_ap - d_an + alpha)
    together = [*a, *p]
    total = 0.0
    for i in range(len(together) - 1):
        for j in range(i + 1, len(together)):
            z, w = together[i], together[j]
            total += (np.dot(z, w) / (np.linalg.norm(z) * np.linalg.norm(w))) ** 2
    return hinge / len(a) + weight * total / len(together) ** 2


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 5), st.floats(0, 3))
@settings(deadline=None, max_examples=30)
def test_the_loss_is_equation_2(seed: int, triplets: int, size: int, weight: float) -> None:
    a, p, n = np.random.default_rng(seed).normal(size=(3, triplets, size))
    ours = loss(*map(torch.from_numpy, (a, p, n)), weight).item()
    assert ours == pytest.approx(equation_2(a, p, n, 1.0, weight), rel=1e-9, abs=1e-12)


def gradient(function, *vectors: list[float]) -> list[np.ndarray]:  # type: ignore[no-untyped-def]
    tensors = [torch.tensor([v], dtype=torch.float64, requires_grad=True) for v in vectors]
    function(*tensors).backward()
    return [t.grad.numpy()[0] for t in tensors]


def test_the_triplet_term_pulls_and_pushes_only_inside_the_margin() -> None:
    anchor, positive, negative = [0.0, 0.0], [0.3, 0.0], [0.0, 0.5]
    a, p, n = gradient(triplet, anchor, positive, negative)
    np.testing.assert_allclose(p, [0.6, 0.0])  # d/dp |a - p|²
    np.testing.assert_allclose(n, [0.0, -1.0])  # -d/dn |a - n|²
    np.testing.assert_allclose(a, -(p + n))
    far = gradient(triplet, anchor, positive, [0.0, 1.1])  # 0.09 - 1.21 + 1 < 0
    assert not np.any(far)


def test_the_uniformity_term_turns_vectors_apart_and_does_not_stretch_them() -> None:
    z = torch.tensor([[1.0, 0.0], [1.0, 1.0]], dtype=torch.float64, requires_grad=True)
    value = uniformity(z)
    assert value.item() == pytest.approx(0.5 / 4)  # cos² of 45° over N²
    value.backward()
    assert z.grad[0, 1] > 0 and z.grad[1, 0] > 0 > z.grad[1, 1]  # a step against it widens the angle
    np.testing.assert_allclose((z.grad * z).detach().sum(dim=1), 0, atol=1e-12)  # orthogonal to the vector


# --- what the embedding depends on -----------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=10)
def test_order_and_names_of_nodes_do_not_matter(encoder: Encoder, seed: int, random) -> None:  # type: ignore[no-untyped-def]
    graph = random_graph(np.random.default_rng(seed))
    order = list(range(len(graph)))
    random.shuffle(order)
    one, other = encoder.encode([graph, permuted(graph, order)])
    assert np.linalg.norm(one - other) < 1e-5  # a tenth of what SessionGraph takes for one state


def test_edges_and_texts_matter(encoder: Encoder) -> None:
    graph = random_graph(np.random.default_rng(0))
    moved = SceneGraph(graph.names, graph.texts, graph.edges[2:])
    renewed = SceneGraph(
        graph.names, (LETTUCE if graph.texts[0] != LETTUCE else BUN, *graph.texts[1:]), graph.edges
    )
    z = encoder.encode([graph, moved, renewed])
    assert np.linalg.norm(z[0] - z[1]) > 1e-3 and np.linalg.norm(z[0] - z[2]) > 1e-3


def test_company_does_not_matter(encoder: Encoder) -> None:
    graphs = [random_graph(np.random.default_rng(i), nodes=3 + i % 7) for i in range(300)]
    together = encoder.encode(graphs)
    assert together.shape == (300, 64) and together.dtype == np.float32
    alone = np.concatenate([encoder.encode([graph]) for graph in graphs[::29]])
    np.testing.assert_allclose(together[::29], alone, atol=1e-5)
    np.testing.assert_array_equal(encoder.encode(graphs[:1]), encoder.encode(graphs[:1]))  # no dropout
    assert encoder.encode([]).shape == (0, 64)


def test_a_state_is_a_graph_a_text_or_pyg_data_and_nothing_else(encoder: Encoder) -> None:
    text = "Station table1:\ntable1 is a table\ntable1 has bread1\n\nItem bread1:\nbread1 is at table1"
    graph = scene_graph(text)
    rows = encoder.encode([graph, text, as_data(graph)])
    assert np.array_equal(rows[0], rows[1]) and np.array_equal(rows[0], rows[2])
    for wrong, sentence in ((graph, "put a single one into a list"), ([3], "A int is no state")):
        with pytest.raises(MnemocraftError, match=sentence):
            encoder.encode(wrong)  # type: ignore[arg-type]


def test_a_graph_without_edges_is_encoded_and_one_without_nodes_refused(encoder: Encoder) -> None:
    lonely = SceneGraph(("a",), (BUN,), ())
    assert np.isfinite(encoder.encode([lonely])).all()
    with pytest.raises(MnemocraftError, match="without nodes"):
        encoder.encode([SceneGraph((), (), ())])


def test_layers_are_as_in_the_appendix() -> None:
    encoder = Encoder()
    assert (encoder.conv1.heads, encoder.conv2.heads) == (4, 1)
    assert encoder.conv2.in_channels == 4 * encoder.conv1.out_channels
    assert encoder.norm3.num_features == encoder.linear.out_features == 64
    assert as_data(SceneGraph(("a", "b"), (BUN, TABLE), ((0, 1, "on _"), (1, 0, "_")))).x.shape == (2, 384)


# --- training --------------------------------------------------------------------------------------


def walks(seed: int) -> list[list[SceneGraph]]:
    """Three traces of small graphs, each differing from step to step by one node."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(3):
        graph = random_graph(rng)
        trace = [graph]
        for _ in range(4):
            texts = list(trace[-1].texts)
            texts[rng.integers(len(texts))] = TEXTS[rng.integers(len(TEXTS))]
            trace.append(SceneGraph(graph.names, tuple(texts), graph.edges))
        found.append(trace)
    return found


def distances(encoder: Encoder, graphs: list[SceneGraph]) -> np.ndarray:
    z = encoder.encode(graphs)
    return np.linalg.norm(z[:, None] - z, axis=2)


def test_equal_seeds_train_equal_distances_whatever_the_caller_drew_before() -> None:
    graphs = [graph for trace in walks(1) for graph in trace]
    first = distances(train_encoder(walks(0), seed=3, epochs=4), graphs)
    torch.manual_seed(99)
    state = torch.get_rng_state()
    as_iterators: Iterator[Iterator[SceneGraph]] = (iter(trace) for trace in walks(0))
    again = distances(train_encoder(as_iterators, seed=3, epochs=4), graphs)
    np.testing.assert_allclose(first, again, atol=1e-6)
    assert torch.equal(state, torch.get_rng_state())
    other = distances(train_encoder(walks(0), seed=4, epochs=4), graphs)
    assert np.abs(first - other).max() > 1e-3


def test_training_pulls_neighbours_together_relative_to_other_traces() -> None:
    def ratio(encoder: Encoder) -> float:
        z = [encoder.encode(trace) for trace in walks(0)]
        near = np.mean([np.linalg.norm(np.diff(trace, axis=0), axis=1).mean() for trace in z])
        far = np.mean([np.linalg.norm(a[:, None] - b, axis=2).mean() for a, b in combinations(z, 2)])
        return float(near / far)

    assert ratio(train_encoder(walks(0), epochs=60)) < 0.8 * ratio(train_encoder(walks(0), epochs=1))


def minilm(encode: Callable[[list[str]], np.ndarray]) -> Callable[[str], SimpleNamespace]:
    """In place of ``get_encoder``: a sentence encoder that is a function."""
    return {"minilm": SimpleNamespace(encode=encode)}.__getitem__


def test_observation_texts_train_as_their_graphs_do() -> None:
    texts = [f"Item a1:\na1 is cut\n\nItem b1:\nb1 is {word}\nb1 is at a1" for word in ("cut", "fried")]
    traces = [texts, texts[::-1]]
    graphs = [[scene_graph(text) for text in trace] for trace in traces]
    features.kitchen_features()  # the texts here are not of kitchens, and MiniLM need not be loaded for them
    known = {
        text: np.full(384, i, np.float32) for i, text in enumerate({t for g in graphs[0] for t in g.texts})
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(features, "get_encoder", minilm(lambda new: np.stack([known[text] for text in new])))
        z = [train_encoder(data, epochs=2).encode(graphs[0]) for data in (traces, graphs)]
    np.testing.assert_array_equal(*z)


@pytest.mark.parametrize(
    ("traces", "epochs", "sentence"),
    [
        ([], 1, "needs 2 of them, not 0"),
        (walks(0)[:1], 1, "needs 2 of them, not 1"),
        ([*walks(0), walks(0)[0][:1]], 1, "Trace 3 has 1 states"),
        (walks(0), 0, "epochs must be a whole number from 1, not 0"),
    ],
)
def test_what_cannot_be_trained_on_is_refused(traces: list, epochs: int, sentence: str) -> None:
    with pytest.raises(MnemocraftError, match=sentence):
        train_encoder(traces, epochs=epochs)


# --- files -----------------------------------------------------------------------------------------


def test_committed_weights_are_those_of_the_card() -> None:
    card = WEIGHTS.with_suffix(".md").read_text(encoding="utf-8")
    stated = dict(re.findall(r"\| `(\S+\.safetensors)` \| \S+ \| (\w{64}) \|", card))
    assert stated == {path.name: weights.sha256(path) for path in (WEIGHTS, *ABLATION.values())}
    assert all(np.isfinite(load_encoder(path).encode(walks(0)[0])).all() for path in ABLATION.values())


def test_saved_weights_load_as_they_were_and_equal_weights_are_equal_bytes(tmp_path: Path) -> None:
    encoder = train_encoder(walks(0), epochs=2)
    paths = [tmp_path / "a.safetensors", tmp_path / "b.safetensors"]
    for path in paths:
        encoder.save(path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    graphs = walks(1)[0]
    np.testing.assert_array_equal(load_encoder(paths[0]).encode(graphs), encoder.encode(graphs))


def damaged(kind: str, path: Path) -> None:
    whole = WEIGHTS.read_bytes()
    if kind == "cut short":
        path.write_bytes(whole[: len(whole) // 2])
    elif kind == "noise":
        path.write_bytes(b"\xff" * 64)
    elif kind == "a directory":
        path.mkdir()
    elif kind == "another file":
        path.write_bytes(features.TABLE.read_bytes())
    elif kind == "another size":
        state = {name: tensor.numpy() for name, tensor in Encoder(hidden=4).state_dict().items()}
        weights.write(path, state, {"kind": "gig encoder", "hidden": 8})
    elif kind == "no origin":
        from safetensors.numpy import save_file

        save_file({"a": np.zeros(1)}, path)


@pytest.mark.parametrize(
    "kind", ["missing", "cut short", "noise", "a directory", "another file", "another size", "no origin"]
)
def test_files_that_are_no_weights_get_one_sentence(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "encoder.safetensors"
    damaged(kind, path)
    with pytest.raises(weights.BadWeights) as refused:
        load_encoder(path)
    assert str(path) in str(refused.value) and "\n" not in str(refused.value)


# --- node features ---------------------------------------------------------------------------------


def test_known_texts_need_no_language_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    encoders._minilm.cache_clear()
    assert features.kitchen_features()([BUN, BUN]).shape == (2, 384)
    with pytest.raises(MissingExtra, match=r"sentence_transformers is not installed.*mnemocraft\[graph\]"):
        features.kitchen_features()(["Item: is a spaceship"])


def test_unknown_texts_are_embedded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def embed(texts: list[str]) -> np.ndarray:
        asked.extend(texts)
        return np.array([[len(text)] * 384 for text in texts], np.float32)

    monkeypatch.setattr(features, "get_encoder", minilm(embed))
    found = features.NodeFeatures()
    assert found(["aa", "b", "aa"])[:, 0].tolist() == [2, 1, 2]
    assert found(["b", "ccc"])[:, 0].tolist() == [1, 3]
    assert asked == ["aa", "b", "ccc"]


def test_the_committed_table_is_minilm() -> None:
    pytest.importorskip("sentence_transformers")
    texts = [BUN, TABLE, "Meal: is water; is boiling"]
    np.testing.assert_allclose(
        features.kitchen_features()(texts), get_encoder("minilm").encode(texts), atol=2e-4
    )


def test_without_pytorch_the_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import mnemocraft.gnn

    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "mnemocraft.gnn.training")
    with pytest.raises(
        MissingExtra, match=r"torch, which is not installed: pip install 'mnemocraft\[graph\]'"
    ):
        mnemocraft.gnn.__getattr__("train_encoder")
