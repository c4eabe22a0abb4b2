"""What notebook 05 measures, on traces made by hand and against slow definitions."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mnemocraft.errors import MnemocraftError
from mnemocraft.gnn import SceneGraph
from mnemocraft.gnn.features import kitchen_features
from mnemocraft.gnn.sequences import KitchenTrace, replay
from mnemocraft.studies.findings import shipped
from mnemocraft.studies.gig.separation import embeddings, findings, retrieval, tables
from training.kitchen_texts import kitchen_texts


def point(value: float, text: str = "Item: is a bun") -> SceneGraph:
    """A graph whose embedding is told by its name."""
    return SceneGraph((f"{value}",), (text,), ())


def embed(graphs: Any) -> np.ndarray:
    return np.array([[float(graph.names[0]), 0.0] for graph in graphs])


def trace(task: str, seed: int, values: list[float], actions: list[str] | None = None) -> KitchenTrace:
    actions = actions or ["Do nothing"] * (len(values) - 1)
    graphs = tuple(map(point, values))
    valid = (frozenset(["Do nothing", "Cut bun1"]),) * len(values)
    return KitchenTrace(task, seed, "goal", True, tuple(actions), graphs, tuple(values), valid)


coordinates = st.lists(st.integers(0, 6).map(float), min_size=2, max_size=6)


@given(coordinates, coordinates)
@settings(max_examples=50)
def test_auc_and_silhouette_are_their_definitions(one: list[float], other: list[float]) -> None:
    found = embeddings.Distances(embed, [trace("sync/0", 42, one), trace("sync/1", 42, other)])
    between = found.between(0, 1)
    intra = [abs(a - b) for values in (one, other) for a, b in combinations(values, 2)]
    inter = [abs(a - b) for a, b in product(one, other)]
    wins = [(x < y) + 0.5 * (x == y) for x, y in product(intra, inter)]
    assert embeddings.auc(found, 0, 1, between) == pytest.approx(np.mean(wins))
    scores = []
    for mine, its in ((one, other), (other, one)):
        for i, x in enumerate(mine):
            a = np.mean([abs(x - y) for j, y in enumerate(mine) if j != i])
            b = np.mean([abs(x - y) for y in its])
            scores.append((b - a) / max(a, b) if max(a, b) else 0.0)
    assert embeddings.silhouette(found, 0, 1, between) == pytest.approx(np.mean(scores))


def test_pairs_count_as_often_as_their_kitchens_do() -> None:
    rows = [("a", "b", 1.0), ("a", "c", 2.0), ("b", "c", 4.0), ("a", "a", 8.0)]
    table = pd.DataFrame(rows, columns=["one", "other", "auc"]).assign(encoder="x", relation="r")
    cells = tables.pair_cells(table, "auc")
    found = cells.weighted([("x", "r")], np.array([[1, 1, 1], [2, 1, 0], [0, 0, 3]], float))[:, 0]
    assert found[:2].tolist() == [15 / 4, (2 * 1 + 2 * 8) / (2 + 2)] and found[0] == cells.value["x", "r"]
    assert np.isnan(found[2])  # no pair of different kitchens, none within the only one drawn


def test_pairs_are_sorted_by_what_their_kitchens_share() -> None:
    kitchens = [("sync/0", 42), ("sync/0", 42), ("sync/0", 84), ("sync/1", 42)]
    found = embeddings.Distances(embed, [trace(*kitchen, [0.0, 1.0]) for kitchen in kitchens])
    relations = list(tables.pairs({"x": found})["relation"])
    assert relations == ["same kitchen", "same task", "same seed", "same task", "same seed", "neither"]


def test_a_pair_estimate_is_its_mean_and_a_contrast_of_equals_is_zero() -> None:
    pairs = list(combinations([f"kitchen {i:02d}" for i in range(24)], 2))
    aucs = [0.5 + 0.4 * (i % 3) / 2 for i in range(len(pairs))]
    rows = [
        (encoder, "neither", *pair, auc) for encoder in "xy" for pair, auc in zip(pairs, aucs, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["encoder", "relation", "one", "other", "auc"])
    cells = tables.pair_cells(table, "auc", apart=True)
    estimate = cells.estimate({("x",): 1})
    assert estimate.value == pytest.approx(0.7) and 0.5 <= estimate.low <= 0.7 <= estimate.high <= 0.9
    kept = [auc for pair, auc in zip(pairs, aucs, strict=True) if "kitchen 07" not in pair]
    assert cells.weighted([("x",)], 1.0 * (np.arange(24) != 7)) == pytest.approx(np.mean(kept))
    contrast = cells.estimate({("x",): 1, ("y",): -1})
    assert (contrast.value, contrast.n, contrast.clusters) == (0, len(pairs), 24)
    assert np.isnan(contrast.p) and contrast.agreed
    few = tables.pair_cells(table[table["other"] < "kitchen 05"], "auc", apart=True)
    assert few.estimate({("x",): 1}).untested


def test_claims_say_in_which_mode_and_findings_come_from_the_tables() -> None:
    parts = tables._over_modes("trained", "untrained")
    assert parts["sync"] == {("trained", "sync"): 1, ("untrained", "sync"): -1}
    assert parts["all"] == {key: w / 2 for mode in ("sync", "async") for key, w in parts[mode].items()}
    _, played = shipped("05_gig_embedding_separation")
    assert list(played) == ["none"]
    lines = findings.findings(played)
    assert 7 <= len(lines) <= 8 and "random weights" in lines[1] and "nan" not in " ".join(lines)
    found = played["none"]["hypotheses"].query("metric == 'same_task' and part == 'all'").iloc[0]
    assert (
        f"found for {found['pairs']:,} of 3,916 states" in lines[0] and f"{found['effect']:+.3f}" in lines[0]
    )
    peak = played["none"]["distances"].query("encoder == 'trained' and paper_peak > 0").iloc[0]["peak"]
    assert f"densest at {peak:.3f}" in lines[4] and 'has "around 0.8"' in lines[4]
    row = played["none"]["hypotheses"].query("metric == 'nearest' and part == 'all'").iloc[0]
    assert f"{row['effect']:+.3f}" in lines[1] and row["effect"] < 0
    other = {"none": {**played["none"], "trainings": played["none"]["trainings"].iloc[:4]}}
    assert "one training" in " ".join(findings.findings(other))
    assert findings.findings({"none": {}}) == []


def test_a_shape_is_blind_to_names_and_order_but_not_to_structure() -> None:
    texts = ("Station: is a table", "Item: is a bun", "Item: is a bun", "Item: is a patty")

    def stack(*pairs: tuple[int, int]) -> SceneGraph:
        edges = [edge for a, b in pairs for edge in ((a, b, "is directly on top of _"), (b, a, "is under _"))]
        return SceneGraph(tuple("abcd"), texts, tuple(edges))

    bun_patty_bun = stack((1, 0), (3, 1), (2, 3))
    assert tables.shape(bun_patty_bun) == tables.shape(stack((2, 0), (3, 2), (1, 3)))
    assert tables.shape(bun_patty_bun) != tables.shape(stack((1, 0), (2, 1), (3, 2)))
    upside_down = stack((0, 1), (1, 3), (3, 2))
    assert tables.shape(bun_patty_bun) != tables.shape(upside_down)


def test_loops_are_counted_by_how_alike_the_states_are() -> None:
    made = trace("sync/0", 42, [0.0, 0.0, 0.0, 5.0])
    hidden = KitchenTrace(**{**vars(made), "snapshots": ("s", "s", "another", "t")})
    counted = tables.loops({"x": embeddings.Distances(embed, [hidden])}).set_index("states")
    assert counted["pairs"].to_dict() == {
        "same state": 1,
        "same observation": 2,
        "same up to names": 3,  # one-node graphs differ by name only
        "different": 0,
    }
    assert counted["look_equal"].to_dict() == {
        "same state": 1,
        "same observation": 2,
        "same up to names": 0,
        "different": 0,
    }


def test_retrieval_never_asks_a_trace_about_itself_and_judges_what_it_finds() -> None:
    own = trace("sync/0", 42, [0.0, 1.0], ["Cut bun1"])
    near = trace("sync/1", 42, [0.05, 3.0], ["Cut bun2"])
    bank = [trace("sync/0", 3, [0.5, 9.0], ["Do nothing"])]
    found = retrieval.queries(embed, [own, near], bank).set_index(["pool", "kitchen"])
    other = found.loc[("other held-out traces", "sync/0 42")]
    assert (other["distance"], other["relation"]) == (0.05, "same seed")
    assert other[["same_task", "valid", "possible", "agrees"]].tolist() == [0, 0, 1, 1]
    stored = found.loc[("memory bank", "sync/0 42")]
    assert (stored["distance"], stored["relation"]) == (0.5, "same task")
    assert stored[["same_task", "valid", "possible", "agrees"]].tolist() == [1, 1, 1, 0]
    assert stored[["chance_same_task", "chance_valid", "chance_agrees"]].tolist() == [1, 1, 0]


@pytest.mark.parametrize(("profile", "seeds"), [("huge", [42]), ("quick", []), ("quick", [42, 9])])
def test_wrong_parameters_are_one_sentence(profile: str, seeds: list[int]) -> None:
    with pytest.raises(MnemocraftError, match=r"^[^\n]+\.$"):
        embeddings.held_out(profile, seeds)


def test_kitchen_texts_cover_what_happens_in_kitchens_that_were_not_looked_at() -> None:
    known = kitchen_features()
    assert known.unknown(kitchen_texts()) == []  # the committed table is up to date
    for task in ("sync/6", "async/4", "async/9"):
        walk = random_walk(task, 42)
        assert known.unknown(text for graph in walk.graphs for text in graph.texts) == []


def random_walk(task: str, seed: int, steps: int = 100) -> KitchenTrace:
    from mnemocraft.envs import KitchenEnv

    env, rng = KitchenEnv(task, seed=seed), np.random.default_rng(0)
    actions: list[str] = []
    while len(actions) < steps and not env.reason:
        options = env.valid_actions
        doing = [action for action in options if not action.startswith("Move")]
        actions.append(str(rng.choice(doing if rng.random() < 0.7 else options)))
        env.step(actions[-1])
    return replay(task, seed, actions)


def test_replaying_an_impossible_action_is_one_sentence() -> None:
    with pytest.raises(MnemocraftError, match="sync/0 seed 42: 'Fly' is not one of"):
        replay("sync/0", 42, ["Do nothing", "Fly"])
