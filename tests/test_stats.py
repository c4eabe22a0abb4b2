"""The statistics: their intervals cover, their tests agree with textbooks, and order never matters."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from mnemocraft.errors import MnemocraftError
from mnemocraft.stats import (
    cohens_h,
    f1_interval,
    holm,
    mcnemar,
    mean_interval,
    paired_difference,
    t_test,
    two_way_anova,
    verdict,
    wilson_interval,
)

RNG = np.random.default_rng(5)


def clustered(rng: np.random.Generator, clusters: int, size: int, mean: float = 0.5) -> tuple[Any, Any]:
    """Successes whose probability differs by cluster (Beta with the given mean): they go together."""
    chance = rng.beta(2 * mean, 2 * (1 - mean), clusters)
    return (rng.random((clusters, size)) < chance[:, None]).astype(float).ravel(), np.repeat(
        range(clusters), size
    )


def records(rng: np.random.Generator, tasks: int = 60, seeds: int = 3, shift: float = 0.0) -> pd.DataFrame:
    """Records of one condition; tasks differ in difficulty, the same for every call with the same tasks."""
    ease = np.random.default_rng(99).random(tasks)
    rows = [(f"T{t:03d}", s, f"G{t % 20}") for t in range(tasks) for s in range(seeds)]
    frame = pd.DataFrame(rows, columns=["task", "seed", "target"])
    frame["success"] = rng.random(len(frame)) < np.clip(np.repeat(ease, seeds) + shift, 0, 1)
    return frame


def coverage(interval: Callable[[Any, Any, int], tuple[float, float]], simulations: int = 400) -> float:
    rng = np.random.default_rng(1)
    hits = 0
    for number in range(simulations):
        low, high = interval(*clustered(rng, clusters=60, size=5, mean=0.4), number)
        hits += low <= 0.4 <= high
    return hits / simulations


def test_the_cluster_bootstrap_covers_and_the_naive_interval_does_not() -> None:
    def ours(values: Any, clusters: Any, seed: int) -> tuple[float, float]:
        estimate = mean_interval(values, clusters, resamples=500, seed=seed)
        return estimate.low, estimate.high

    def naive(values: Any, clusters: Any, seed: int) -> tuple[float, float]:
        estimate = mean_interval(values, np.arange(len(values)), resamples=500, seed=seed)
        return estimate.low, estimate.high

    assert 0.90 <= coverage(ours) <= 0.98
    assert coverage(naive) < 0.85


def test_paired_differences_cover_the_truth_and_reject_at_the_nominal_rate() -> None:
    rng = np.random.default_rng(2)

    def scores() -> pd.DataFrame:  # a condition suits some tasks more than others, for all seeds
        return records(rng).assign(x=np.repeat(rng.normal(size=60), 3) + rng.normal(size=180))

    results = [paired_difference(scores(), scores(), value="x", resamples=400, seed=i) for i in range(200)]
    assert 0.90 <= np.mean([r.low <= 0 <= r.high for r in results]) <= 0.98
    assert 0.02 <= np.mean([r.p < 0.05 for r in results]) <= 0.10
    shifted = paired_difference(records(rng, shift=0.3), records(rng))
    assert shifted.low > 0 and shifted.p < 0.001 and shifted.cohens_h > 0.3


def test_f1_intervals_cover() -> None:
    rng = np.random.default_rng(3)
    hits = 0
    for number in range(300):
        actual, clusters = np.repeat(rng.random(80) < 0.25, 3), np.repeat(np.arange(80), 3)
        skill = np.repeat(rng.beta(4, 1, 80), 3)
        called = rng.random(240) < np.where(actual, skill, 1 - skill)
        estimate = f1_interval(called, actual, clusters, resamples=500, seed=number)
        hits += estimate.low <= 2 * 0.8 * 0.25 / (2 * 0.8 * 0.25 + 0.2) <= estimate.high
    assert 0.90 <= hits / 300 <= 0.98


def test_f1_is_the_textbook_value() -> None:
    called, actual = [1, 1, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0]
    assert f1_interval(called, actual, list("abcdef")).value == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))
    nothing = f1_interval([0, 0], [0, 0], list("ab"))
    assert np.isnan([nothing.value, nothing.low, nothing.high]).all()


def test_one_episode_per_cluster_is_the_plain_bootstrap() -> None:
    values = RNG.random(300)
    estimate = mean_interval(values, range(300), resamples=20000)
    plain = scipy_stats.bootstrap((values,), np.mean, n_resamples=20000, method="percentile", rng=0)
    assert (estimate.low, estimate.high) == pytest.approx(tuple(plain.confidence_interval), abs=2e-3)


@settings(max_examples=5, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_bit(random: Any) -> None:
    rng = np.random.default_rng(7)
    a, b = records(rng).assign(x=rng.normal(size=180)), records(rng).assign(x=rng.normal(size=180))
    order = list(range(len(a)))
    random.shuffle(order)
    mixed = a.iloc[order]
    one, two = paired_difference(mixed, b, value="x"), paired_difference(a, b.iloc[order], value="x")
    np.testing.assert_equal(asdict(one), asdict(two))
    assert mcnemar(mixed, b) == mcnemar(a, b)
    assert mean_interval(mixed.x, mixed.target) == mean_interval(a.x, a.target)
    assert t_test(mixed.x, b.x) == t_test(a.x, b.x)
    both = pd.concat([a.assign(memory="no"), b.assign(memory="yes")]).assign(teacher=lambda f: f.seed % 2)
    factors = ("teacher", "memory")
    pd.testing.assert_frame_equal(
        two_way_anova(both.sample(frac=1, random_state=order[0]), response="x", factors=factors),
        two_way_anova(both, response="x", factors=factors),
        check_exact=True,
    )


def test_seeds_decide_the_resampling() -> None:
    values, clusters = clustered(RNG, 40, 4)
    assert mean_interval(values, clusters, seed=1) == mean_interval(values, clusters, seed=1)
    assert mean_interval(values, clusters, seed=1) != mean_interval(values, clusters, seed=2)
    state = np.random.get_state()[1].tolist()
    mean_interval(values, clusters)
    assert np.random.get_state()[1].tolist() == state, "the global generator is left alone"


def test_swapping_the_conditions_mirrors_the_comparison() -> None:
    a, b = records(np.random.default_rng(1), shift=0.1), records(np.random.default_rng(2))
    one, two = paired_difference(a, b), paired_difference(b, a)
    assert (one.difference, one.low, one.high) == pytest.approx((-two.difference, -two.high, -two.low))
    assert (one.p, one.cohens_h) == pytest.approx((two.p, -two.cohens_h))
    assert (one.n, one.clusters, paired_difference(a, b, cluster="target").clusters) == (180, 60, 20)


def test_a_condition_is_not_distinguishable_from_itself() -> None:
    a = records(np.random.default_rng(1))
    same = paired_difference(a, a)
    assert (same.difference, same.low, same.high, same.p, same.cohens_h) == (0, 0, 0, 1, 0)


def test_values_that_are_no_proportions_have_no_cohens_h() -> None:
    a = records(RNG).assign(steps=3)
    assert np.isnan(paired_difference(a, a.assign(steps=range(180)), value="steps").cohens_h)


def test_misaligned_pairs_are_named() -> None:
    a = records(RNG)
    with pytest.raises(MnemocraftError, match=r"\('T007', 1\) is missing in b: pairs are by"):
        paired_difference(a, a.drop(22))
    with pytest.raises(MnemocraftError, match=r"and 175 more is missing in a"):
        mcnemar(a.iloc[:0], a)
    with pytest.raises(MnemocraftError, match=r"\('T000', 0\) stands more than once in a"):
        paired_difference(pd.concat([a, a.iloc[:1]]), a)


def test_data_that_say_nothing_are_refused() -> None:
    with pytest.raises(MnemocraftError, match="at least 2"):
        mean_interval([1, 0], ["a", "a"])
    with pytest.raises(MnemocraftError, match="missing"):
        mean_interval([1, np.nan], ["a", "b"])
    with pytest.raises(MnemocraftError, match="2 values but 3 cluster names"):
        mean_interval([1, 0], ["a", "b", "c"])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_binomial_test_of_discordant_pairs(only_a: int, only_b: int) -> None:
    pairs = [(1, 0)] * only_a + [(0, 1)] * only_b + [(1, 1)] * 3 + [(0, 0)]
    frame = pd.DataFrame(pairs, columns=["a", "b"]).assign(task=range(len(pairs)), seed=0)
    result = mcnemar(frame.rename(columns={"a": "success"}), frame.rename(columns={"b": "success"}))
    assert (result.only_a, result.only_b, result.n) == (only_a, only_b, len(pairs))
    expected = scipy_stats.binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    assert result.p == pytest.approx(expected)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_the_step_down_procedure(p_values: list[float]) -> None:
    expected, highest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, p_values[index] * (len(p_values) - rank)))
        expected[index] = highest
    table = holm(pd.DataFrame({"p": [*p_values, np.nan]}, index=[0] * (len(p_values) + 1)))
    assert table.p_holm.iloc[:-1].tolist() == pytest.approx(expected)
    assert np.isnan(table.p_holm.iloc[-1]), "a row that was not tested does not count"


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 60), st.integers(1, 60))
def test_wilson_is_scipys(successes: int, n: int) -> None:
    successes = min(successes, n)
    ours = wilson_interval(successes, n)
    expected = scipy_stats.binomtest(successes, n).proportion_ci(method="wilson")
    assert (ours.low, ours.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_wilson_refuses_what_is_no_share() -> None:
    with pytest.raises(MnemocraftError, match="is not a share"):
        wilson_interval(3, 2)


def test_cohens_h_of_known_proportions() -> None:
    assert cohens_h(1.0, 0.0) == pytest.approx(np.pi)
    assert cohens_h(0.5, 0.25) == pytest.approx(np.pi / 6)


def test_t_test_is_students_and_welchs() -> None:
    a, b = RNG.random(50) < 0.6, RNG.random(70) < 0.4
    student, welch = t_test(a, b), t_test(a, b, equal_variances=False)
    pooled = ((50 - 1) * a.var(ddof=1) + (70 - 1) * b.var(ddof=1)) / 118
    assert student.t == pytest.approx((a.mean() - b.mean()) / np.sqrt(pooled * (1 / 50 + 1 / 70)))
    assert (student.df, student.n_a, student.n_b) == (118, 50, 70)
    assert welch.df < 118
    assert student.p == pytest.approx(2 * scipy_stats.t.sf(abs(student.t), 118))


def test_anova_has_the_shape_of_the_papers_table_7() -> None:
    """11,280 episodes (470 solvable x 3 seeds x 2 splits x 2 teachers x 2 memories) leave 11,276 degrees."""
    rng = np.random.default_rng(4)
    cells = [(t, m) for t in ("executable", "subgoal") for m in ("just_ask", "memory_only")]
    frame = pd.DataFrame([cell for cell in cells for _ in range(2820)], columns=["teacher", "memory"])
    chance = 0.5 - 0.15 * ((frame.teacher == "executable") & (frame.memory == "memory_only"))
    frame["success"] = rng.random(len(frame)) < chance
    table = two_way_anova(frame, response="success", factors=("teacher", "memory"))
    assert list(table.index) == ["C(teacher)", "C(memory)", "C(teacher):C(memory)", "Residual"]
    assert list(table.columns) == ["sum_sq", "df", "F", "PR(>F)"]
    assert table.df.tolist() == [1, 1, 1, 11276]
    means = frame.groupby(["teacher", "memory"]).success.mean()
    contrast = means.iloc[0] - means.iloc[1] - means.iloc[2] + means.iloc[3]
    assert table.sum_sq.iloc[2] == pytest.approx(2820 * contrast**2 / 4)
    assert table["PR(>F)"].iloc[2] < 1e-6
    with pytest.raises(MnemocraftError, match="empty cell"):
        two_way_anova(frame.iloc[:8000], response="success", factors=("teacher", "memory"))


@pytest.mark.parametrize(
    ("low", "high", "direction", "outcome", "words"),
    [
        (0.01, 0.2, "positive", "holds", "is positive, as expected"),
        (-0.2, -0.01, "negative", "holds", "is negative, as expected"),
        (0.01, 0.2, "negative", "fails", "is positive, expected negative"),
        (-0.2, -0.01, "positive", "fails", "is negative, expected positive"),
        (-0.01, 0.2, "positive", "undecided", "not distinguishable"),
        (0.0, 0.2, "positive", "undecided", "not distinguishable"),
        (float("nan"), float("nan"), "positive", "undecided", "not distinguishable"),
    ],
)
def test_verdicts(low: float, high: float, direction: str, outcome: str, words: str) -> None:
    judged = verdict((low + high) / 2, low, high, direction)
    assert judged.outcome == outcome and words in judged.sentence and judged.sentence.startswith(outcome)


def test_an_unknown_direction_is_refused() -> None:
    with pytest.raises(MnemocraftError, match="'positive' or 'negative'"):
        verdict(0.1, 0.0, 0.2, "up")
