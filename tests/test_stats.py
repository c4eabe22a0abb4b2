"""The statistics: their intervals cover, their tests agree with textbooks, and order never matters."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests

from mnemocraft.errors import MnemocraftError
from mnemocraft.stats import (
    ALPHA,
    BOOTSTRAP_FLOOR,
    FLOOR,
    LEVELS,
    ONE,
    SPLITS,
    Cells,
    Estimate,
    Measure,
    NotTestable,
    _ends,
    _interval,
    _p,
    cells,
    difference,
    error_rates,
    holm,
    least_effect,
    mcnemar,
    p_text,
    rate,
    t_test,
    two_way_anova,
    verdict,
)
from mnemocraft.studies.claims import minus

RNG = np.random.default_rng(5)
A_MINUS_B = difference([("a",)], [("b",)])
UNKNOWN = Estimate(np.nan, np.nan, np.nan, np.nan, 0, 0)


def records(rng: np.random.Generator, tasks: int = 60, seeds: int = 3, shift: float = 0.0) -> pd.DataFrame:
    """Records of one condition; tasks differ in difficulty, the same for every call with the same tasks."""
    ease = np.random.default_rng(99).random(tasks)
    rows = [(f"T{t:03d}", s, f"G{t % 20:02d}") for t in range(tasks) for s in range(seeds)]
    frame = pd.DataFrame(rows, columns=["task", "seed", "target"])
    frame["success"] = rng.random(len(frame)) < np.clip(np.repeat(ease, seeds) + shift, 0, 1)
    return frame


def grid(a: pd.DataFrame, b: pd.DataFrame, value: str = "success", cluster: str = "task") -> Cells:
    """A grid of the two conditions a and b."""
    both = pd.concat([a.assign(condition="a"), b.assign(condition="b")])
    return cells(both, rate(value), ["condition"], cluster)


def compared(a: pd.DataFrame, b: pd.DataFrame, value: str = "success", **how: Any) -> Estimate:
    return grid(a, b, value, **how).estimate(A_MINUS_B)


def numbers(estimate: Estimate) -> tuple[float, ...]:
    return estimate.value, estimate.low, estimate.high, estimate.p


def mean_of(values: Any, clusters: Any) -> Estimate:
    frame = pd.DataFrame({"cell": "all", "x": values, "cluster": clusters})
    return cells(frame, rate("x"), ["cell"], "cluster").estimate({("all",): 1.0})


def flipped_p(said: Any, draws: int = 4000) -> float:
    """The two-sided p of "the mean is 0" by random signs, a share without a floor."""
    signs = np.random.default_rng(8).choice([-1.0, 1.0], (draws, len(said)))
    return float(np.mean(np.abs(signs @ said) >= abs(np.sum(said)) - 1e-9))


def test_intervals_over_clusters_cover_and_the_naive_one_does_not() -> None:
    """600 experiments, one in each cell of a grid: 60 clusters of 5 successes that go together."""
    rng = np.random.default_rng(1)
    chance = rng.beta(0.8, 1.2, (600, 60, 1))
    simulation, cluster, _ = np.indices((600, 60, 5))
    frame = pd.DataFrame({"simulation": simulation.ravel(), "cluster": cluster.ravel()})
    frame["success"] = (rng.random((600, 60, 5)) < chance).ravel()
    frame["row"] = frame.groupby("simulation").cumcount()

    def coverage(by: str) -> float:
        found = cells(frame, rate("success"), ["simulation"], by)
        estimates = [found.estimate({(i,): 1.0}) for i in range(600)]
        return float(np.mean([e.low <= 0.4 <= e.high for e in estimates]))

    assert 0.90 <= coverage("cluster") <= 0.98
    assert coverage("row") < 0.85


def test_paired_differences_cover_the_truth_and_reject_at_the_nominal_rate() -> None:
    """A condition suits some tasks more than others, for all seeds; the two do not differ on average."""
    rng, frames = np.random.default_rng(2), []
    for simulation in range(400):
        for condition in "ab":
            x = np.repeat(rng.normal(size=60), 3) + rng.normal(size=180)
            frames.append(records(rng).assign(x=x, simulation=simulation, condition=condition))
    found = cells(pd.concat(frames), rate("x"), ["simulation", "condition"], "task")
    results = [found.estimate(difference([(i, "a")], [(i, "b")])) for i in range(400)]
    assert 0.02 <= np.mean([r.p < 0.05 for r in results]) <= 0.08
    assert all((r.p < 0.05) == (not r.low <= 0 <= r.high) for r in results)


def test_an_effect_is_found_sooner_where_pairs_share_their_clusters() -> None:
    rng = np.random.default_rng(2)
    a, b = records(rng, shift=0.3), records(rng)
    paired, unpaired = compared(a, b), compared(a, b.assign(task="other " + b.task))
    assert paired.low > 0 and paired.p < 0.005
    assert paired.value == unpaired.value and (paired.clusters, unpaired.clusters) == (60, 120)
    assert paired.high - paired.low < 0.9 * (unpaired.high - unpaired.low)


def test_pairs_are_those_of_one_contrast_also_where_two_contrasts_are_compared() -> None:
    frames = [
        records(np.random.default_rng(3)).assign(level=level, arm=arm) for level in (2, 4) for arm in "ab"
    ]
    found = cells(pd.concat(frames), rate("success"), ["level", "arm"], "task")
    gains = {level: difference([(level, "a")], [(level, "b")]) for level in (2, 4)}
    pooled = difference([(2, "a"), (4, "a")], [(2, "b"), (4, "b")])
    assert [found.estimate(weights).n for weights in (gains[2], pooled)] == [180, 360]
    assert found.estimate(minus(gains[4], gains[2])).n == 180
    lead = {level: {(level, "a"): 1.0, (level, "b"): -0.5, (level, "c"): -0.5} for level in (2, 4)}
    three = [*frames, *(frame.assign(arm="c") for frame in frames if (frame["arm"] == "b").all())]
    found = cells(pd.concat(three), rate("success"), ["level", "arm"], "task")
    assert [found.estimate(w).n for w in (lead[2], minus(lead[4], lead[2]))] == [180, 180]


def test_one_episode_per_cluster_is_the_plain_interval() -> None:
    values = RNG.random(300)
    estimate = mean_of(values, range(300))
    plain = scipy_stats.bootstrap((values,), np.mean, n_resamples=20000, method="percentile", rng=0)
    assert (estimate.low, estimate.high) == pytest.approx(tuple(plain.confidence_interval), abs=2e-3)


@pytest.mark.parametrize("value", ["a number", "a count"])
def test_two_halves_measure_what_each_does_by_itself(value: str) -> None:
    """Only seven of sixty clusters have episodes, so that a half may have none: then it measures nothing."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=60) if value == "a number" else 1.0 * rng.integers(0, 9, 60)
    frame = pd.DataFrame({"cell": "few", "cluster": np.arange(60), "x": x, "n": 1.0 * (np.arange(60) < 7)})
    few = cells(frame, rate("x", over="n"), ["cell"], "cluster")
    one = 1.0 * np.random.default_rng(0).integers(0, 2, (2000, 60))
    one[:9, :7] = 1
    both = few.weighted([("few",)], np.stack([one, 1 - one]))
    alone = np.array([few.weighted([("few",)], half) for half in (one, 1 - one)])
    assert not np.isfinite(alone[1, :9]).any()
    np.testing.assert_allclose(both, alone, rtol=1e-12)


@settings(max_examples=5, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_bit(random: Any) -> None:
    rng = np.random.default_rng(7)
    a, b = records(rng).assign(x=rng.normal(size=180)), records(rng).assign(x=rng.normal(size=180))
    order = list(range(len(a)))
    random.shuffle(order)
    mixed = a.iloc[order]
    assert compared(mixed, b, "x", cluster="target") == compared(a, b.iloc[order], "x", cluster="target")
    sums, mixed_sums = grid(a, b, "x", cluster="seed"), grid(mixed, b, "x", cluster="seed")
    assert sums.value == mixed_sums.value
    drawn = rng.integers(1, 4, (50, 3)).astype(float)
    keys = list(sums.value)
    assert (sums.weighted(keys, drawn) == mixed_sums.weighted(keys, drawn)).all()
    assert mcnemar(mixed, b) == mcnemar(a, b)
    assert t_test(mixed.x, b.x) == t_test(a.x, b.x)
    both = pd.concat([a.assign(memory="no"), b.assign(memory="yes")]).assign(teacher=lambda f: f.seed % 2)
    factors = ("teacher", "memory")
    pd.testing.assert_frame_equal(
        two_way_anova(both.sample(frac=1, random_state=order[0]), response="x", factors=factors),
        two_way_anova(both, response="x", factors=factors),
        check_exact=True,
    )


def test_the_global_generator_is_left_alone() -> None:
    a, b = records(np.random.default_rng(1)), records(np.random.default_rng(2))
    state = np.random.get_state()[1].tolist()
    assert compared(a, b) == compared(a, b)
    assert grid(a, b).bootstrap(A_MINUS_B) == grid(a, b).bootstrap(A_MINUS_B)
    assert np.random.get_state()[1].tolist() == state


def test_swapping_the_conditions_mirrors_the_comparison() -> None:
    a, b = records(np.random.default_rng(1), shift=0.1), records(np.random.default_rng(2))
    one, two = compared(a, b), compared(b, a)
    assert (one.value, one.low, one.high, one.p) == pytest.approx((-two.value, -two.high, -two.low, two.p))
    assert grid(a, b).cohens_h(A_MINUS_B) == pytest.approx(-grid(b, a).cohens_h(A_MINUS_B))
    assert (one.n, one.clusters, compared(a, b, cluster="target").clusters) == (180, 60, 20)


def test_a_condition_is_not_distinguishable_from_itself() -> None:
    a = records(np.random.default_rng(1))
    np.testing.assert_equal(numbers(compared(a, a)), (0, np.nan, np.nan, np.nan))
    assert grid(a, a).cohens_h(A_MINUS_B) == 0


def test_contrasts_weigh_cells_not_episodes() -> None:
    frame = pd.DataFrame({"cell": list("aabbbb"), "x": [1, 1, 0, 0, 0, 1.0], "cluster": list("pqpqrs")})
    found = cells(frame, rate("x"), ["cell"], "cluster")
    assert found.mean([("a",), ("b",), ("not run",)]).value == pytest.approx((1 + 0.25) / 2)
    change = found.estimate(difference([("a",), ("b",)], [("b",)]))
    assert (change.value, change.n, change.clusters) == (pytest.approx((1 - 0.25) / 2), 2, 4)


def test_cohens_h_of_known_proportions() -> None:
    cell = np.repeat(["none", "quarter", "half", "all", "three"], 4)
    x = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3]
    found = cells(pd.DataFrame({"cell": cell, "x": x, "cluster": range(20)}), rate("x"), ["cell"], "cluster")
    assert found.cohens_h(difference([("all",)], [("none",)])) == pytest.approx(np.pi)
    assert found.cohens_h(difference([("half",)], [("quarter",)])) == pytest.approx(np.pi / 6)
    assert np.isnan(found.cohens_h(difference([("three",)], [("none",)]))), "3 is no rate"
    assert np.isnan(found.cohens_h({("not run",): 1.0}))


def test_data_that_say_too_little_give_nan() -> None:
    nothing = cells(records(RNG).iloc[:0], rate("success"), ["seed"], "task")
    np.testing.assert_equal(nothing.mean([(0,)]), UNKNOWN)
    one_cluster = mean_of([1, 0], ["a", "a"])
    assert (one_cluster.value, one_cluster.n, one_cluster.clusters) == (0.5, 2, 1)
    assert np.isnan([one_cluster.low, one_cluster.high, one_cluster.p]).all()
    few, enough = (mean_of(range(n), range(n)) for n in (5, 6))
    assert np.isnan(few.low) and (enough.low, enough.high) == (0, 5), "2 of 32 and 2 of 64 signs are alike"
    frame = pd.DataFrame({"cell": "all", "x": 0.0, "over": 0.0, "cluster": range(9)})
    undefined = cells(frame, Measure(("x", "over"), lambda s: s[..., 0] / s[..., 1]), ["cell"], "cluster")
    assert np.isnan(numbers(undefined.estimate({("all",): 1.0}))).all()


def test_nothing_is_tested_below_twenty_clusters() -> None:
    few, enough = (mean_of(RNG.normal(1, 1, n), range(n)) for n in (19, 20))
    assert np.isnan(few.p) and few.low < few.value < few.high
    assert few.untested == "an arm has 19 clusters, and below 20 nothing is tested"
    assert enough.p < 0.05 and not enough.untested
    arms = pd.DataFrame(
        {"cell": ["a"] * 40 + ["b"] * 19, "x": RNG.random(59), "cluster": [*range(40), *range(19)]}
    )
    small_arm = cells(arms, rate("x"), ["cell"], "cluster").estimate(A_MINUS_B)
    assert (small_arm.clusters, small_arm.fewest) == (40, 19) and np.isnan(small_arm.p)


def test_there_is_no_interval_where_too_many_halves_are_undefined() -> None:
    """A share of the positives, of which there are few: a half without one of them is undefined."""
    for positives in (3, 8):
        frame = pd.DataFrame(
            {"cell": "all", "x": [1, 0] * 30, "over": [1] * positives + [0] * (60 - positives)}
        )
        frame = frame.assign(x=frame["x"] * frame["over"], cluster=range(60))
        of_all = Measure(("x", "over", ONE), lambda sums: sums[..., 0] / sums[..., 1])
        found = cells(frame, of_all, ["cell"], "cluster").estimate({("all",): 1.0})
        assert found.undefined == pytest.approx(2 * 0.5**positives, rel=0.3)
        assert np.isnan(found.low) == (positives == 3) == np.isnan(found.p)
        assert ("undefined in" in found.untested) == (positives == 3)


def test_a_detectable_effect_is_found_in_four_of_five_runs() -> None:
    """Normal differences of 60 clusters, whose power is known, and runs with the effect that is named."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"cell": "all", "x": rng.normal(size=60), "cluster": range(60)})
    found, all_of_it = cells(frame, rate("x"), ["cell"], "cluster"), {("all",): 1.0}
    spread = frame["x"].std() / np.sqrt(60)
    for tests in (1, 8):
        normal = (scipy_stats.norm.ppf(1 - 0.025 / tests) + scipy_stats.norm.ppf(0.8)) * spread
        assert found.detectable(all_of_it, tests) == pytest.approx(normal, rel=0.1)
    least = found.detectable(all_of_it) / spread / np.sqrt(60)
    runs = [mean_of(rng.normal(least, 1, 60), range(60)).p < 0.05 for _ in range(300)]
    assert 0.72 <= np.mean(runs) <= 0.9
    assert np.isnan(cells(frame[:19], rate("x"), ["cell"], "cluster").detectable(all_of_it))


def test_a_detectable_effect_on_successes_is_found_in_most_runs_of_few_clusters() -> None:
    """24 clusters of three pairs, of which some differ; found at the level of the first of eight tests."""
    rng = np.random.default_rng(6)

    def drawn(effect: float, runs: int) -> Cells:
        apart = rng.choice([-1, 0, 1], (runs, 24, 3), p=[0.06, 0.88 - effect, 0.06 + effect])
        run, cluster, _ = np.indices(apart.shape)
        told = pd.DataFrame({"run": run.ravel(), "cluster": cluster.ravel(), "x": apart.ravel()})
        both = pd.concat([told.assign(cell="a"), told.assign(cell="b", x=0)])
        return cells(both, rate("x"), ["run", "cell"], "cluster")

    pilots = drawn(0.0, 40)
    least = [pilots.detectable(difference([(i, "a")], [(i, "b")]), 8, True) for i in range(40)]
    runs = drawn(float(np.nanmean(least)), 300)
    found = [runs.estimate(difference([(i, "a")], [(i, "b")])).p < ALPHA / 8 for i in range(300)]
    assert 0.65 < np.mean(found) < 0.9


def test_an_effect_on_successes_takes_pairs_that_differ() -> None:
    """Four of 300 kitchens differ. An effect of .027, which their spread alone would find, takes eight."""
    first = [1] * 3 + [0] * 297
    second = [0] * 3 + [1] + [0] * 296
    both = {"cell": ["a"] * 300 + ["b"] * 300, "x": first + second, "cluster": [*range(300)] * 2}
    frame = pd.DataFrame(both)
    grid = cells(frame, rate("x"), ["cell"], "cluster")
    alone, least = (grid.detectable(A_MINUS_B, 17, rates) for rates in (False, True))
    assert alone < 0.035 and 0.05 < least < 0.06
    against = {key: -weight for key, weight in A_MINUS_B.items()}
    assert grid.detectable(against, 17, True) == pytest.approx(least, rel=0.01), "whichever sign is claimed"

    def found(effect: float, level: float = ALPHA / 17) -> float:
        """How often: those that differ are the four that did, 3 to 1, and the more that the effect takes."""
        more, less = 3 / 300 + effect - 2 / 300, 1 / 300
        runs = np.random.default_rng(0).multinomial(300, [more, less, 1 - more - less], size=4000)
        z = (runs[:, 0] - runs[:, 1]) / np.sqrt(runs[:, :2].sum(axis=1).clip(1))
        return float((z > scipy_stats.norm.ppf(1 - level / 2)).mean())

    assert found(alone) < 0.4 and found(least) == pytest.approx(0.8, abs=0.12)


@given(st.floats(1, 5), st.floats(1e-3, 0.2), st.floats(0, 0.5), st.integers(20, 2000))
def test_a_least_effect_is_that_many_of_its_own_standard_errors(z, spread, observed, pairs) -> None:
    least = least_effect(z, spread, observed, pairs)
    own = np.sqrt(spread**2 + max(0.0, least - observed) / pairs)
    assert least == pytest.approx(z * own, rel=1e-9)
    assert least >= z * spread * (1 - 1e-12)


def test_few_clusters_reject_as_often_as_they_say_and_the_bootstrap_more_often() -> None:
    rates, number = error_rates([9, 24, 100], 4000).set_index("clusters"), 4000
    for level, tests in LEVELS.items():
        nominal = ALPHA / tests
        assert (rates[level] < nominal + 4 * np.sqrt(nominal / number)).all()
    assert rates["0.05"].is_monotonic_increasing and rates.loc[100, "0.05"] > 0.03, "the coarser the rarer"
    rng, told = np.random.default_rng(4), []
    for _ in range(400):  # as in 24 layouts with three dishes each: most agree
        apart = rng.choice([-1, 0, 1], (24, 3), p=[0.06, 0.88, 0.06]).ravel()
        both = {
            "cell": ["a"] * 72 + ["b"] * 72,
            "x": [*apart, *[0] * 72],
            "cluster": [*np.repeat(range(24), 3)] * 2,
        }
        found = cells(pd.DataFrame(both), rate("x"), ["cell"], "cluster")
        told.append((found.estimate(A_MINUS_B).p, found.bootstrap(A_MINUS_B).p))
    flipped, drawn = (np.array(told) < 0.05 / 8).mean(axis=0)
    assert 0 < flipped <= 0.05 / 8 + 4 * np.sqrt(0.05 / 8 / 400) and drawn > 1.5 * flipped


def test_unequal_clusters_and_arms_reject_at_the_nominal_rate() -> None:
    """Clusters of one to nine episodes; b has other clusters than a, or half of the same."""
    rng = np.random.default_rng(5)
    for shared in (30, 15, 0):
        frames = []
        for simulation in range(400):
            lean = rng.normal(size=60)
            for condition, owned in (("a", range(30)), ("b", range(30 - shared, 60 - shared))):
                cluster = np.repeat(list(owned), rng.integers(1, 10, 30))
                x = lean[cluster] + rng.normal(size=60)[cluster] + rng.normal(size=len(cluster))
                told = {"simulation": simulation, "condition": condition, "cluster": cluster, "x": x}
                frames.append(pd.DataFrame(told))
        found = cells(pd.concat(frames), rate("x"), ["simulation", "condition"], "cluster")
        results = [found.estimate(difference([(i, "a")], [(i, "b")])) for i in range(400)]
        assert 0.02 <= np.mean([r.p < 0.05 for r in results]) <= 0.08, shared
        assert all((r.p < 0.05) == (not r.low <= 0 <= r.high) for r in results)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-3, 4), min_size=20, max_size=40).filter(lambda said: len(set(said)) > 1))
def test_of_clusters_of_one_size_p_is_that_of_flipped_signs_and_the_interval_its_inverse(
    said: list[int],
) -> None:
    found = mean_of(said, range(len(said)))
    exact = flipped_p(said)
    assert found.p == pytest.approx(exact, abs=5 * np.sqrt(exact * (1 - exact) / 4000) + 2e-3)
    assert found.p == mean_of([-x for x in said], range(len(said))).p
    assert (found.p < ALPHA) == (found.low > 0 or found.high < 0)
    noise = 5 * np.sqrt(0.05 * 0.95 / 4000)
    for end, inwards in ((found.low, 1e-3), (found.high, -1e-3)):
        inside, outside = (flipped_p(np.array(said) - end - step) for step in (inwards, -inwards))
        assert inside > ALPHA - noise and outside < ALPHA + noise


@given(
    st.lists(st.tuples(st.integers(-6, 6), st.integers(-6, 6)), min_size=1, max_size=40),
    st.integers(1, 600),
    st.sampled_from([ALPHA / tests for tests in LEVELS.values()]),
)
def test_an_interval_leaves_out_what_its_p_rejects_at_every_level(
    halves: list[tuple[int, int]], undefined: int, level: float
) -> None:
    """Ends with ties, and some that are infinite; an interval of splits of which few are on one side."""
    one, other = np.resize(np.array(halves, float), (SPLITS, 2)).T
    one[:undefined] = np.nan
    ends = _ends(one, other)
    low, high = _interval(ends, level)
    if not np.isnan(low):
        assert (_p(ends) < level) == (low > 0 or high < 0)


@pytest.mark.parametrize("tests", LEVELS.values())
def test_at_the_edge_one_split_decides(tests: int) -> None:
    """p is below the level with so many splits that disagree, and not with one more."""
    level = ALPHA / tests
    most = int(np.ceil(level * (SPLITS + 1))) - 2
    for disagree, rejects in ((most, True), (most + 1, False)):
        one = np.linspace(1, 2, SPLITS)
        other = np.where(np.arange(SPLITS) < disagree, -1.0, 1.5)
        ends = _ends(one, other)
        assert (_p(ends) < level) == rejects == (_interval(ends, level)[0] > 0)
        assert _p(ends) == pytest.approx((disagree + 1) / (SPLITS + 1))


def test_halves_that_both_lie_above_count_against_the_lower_end_only() -> None:
    one, other = np.full(SPLITS, 1.0), np.full(SPLITS, 2.0)
    one[:4000] = -1.0
    assert _p(_ends(one, other)) == pytest.approx(4001 / (SPLITS + 1))
    assert _p(_ends(-one, -other)) == pytest.approx(4001 / (SPLITS + 1))


def test_equals_are_equal_in_any_unit() -> None:
    """Thirds and large numbers leave rounding behind, which is no difference."""
    assert mean_of([12345.678] * 48, np.repeat(range(24), 2)).agreed
    frame = pd.DataFrame({"cell": ["a", "b", "c", "d"] * 24, "cluster": np.repeat(range(24), 4)})
    found = cells(frame.assign(x=0.1), rate("x"), ["cell"], "cluster")
    same = found.estimate({("a",): 1.0, ("b",): -1 / 3, ("c",): -1 / 3, ("d",): -1 / 3})
    assert same.value == 0 and same.agreed and same.untested == "the same in every cluster"


def test_clusters_that_agree_say_nothing() -> None:
    """Six of 24 differ, all to one side: 2 of 64, whatever the others are."""
    more, less = (mean_of([side] * 6 + [0.0] * 18, range(24)) for side in (1.0, -1.0))
    assert more.p == less.p == pytest.approx(2 / 64, abs=0.008)
    assert str(mean_of([-1.0] * 5 + [0.0] * 19, range(24)).high) == "0.0", "and not -0.0"


def test_an_interval_of_a_rate_is_of_rates() -> None:
    """Clusters of unequal size that mostly succeed; 0 and 1 are as far as a rate can be."""
    size = [1, 2, 3, 9] * 6
    cluster = np.repeat(range(24), size)
    for failing in ([], [3], [0, 3, 4]):
        found = mean_of(~np.isin(cluster, failing), cluster)
        if failing:
            assert 0 < found.low < found.value < found.high <= 1
        else:
            assert found.value == 1 and np.isnan(found.low)


@pytest.mark.parametrize(
    ("p", "tests", "floor", "text"),
    [
        (1 / 10001, 1, FLOOR, "< 0.001"),
        (0.0003, 1, FLOOR, "< 0.001"),
        (0.0012, 1, FLOOR, "0.001"),
        (29 / 10001, 29, FLOOR, "< 0.003"),
        (2 / 2001, 1, BOOTSTRAP_FLOOR, "< 0.001"),
        (16 / 2001, 8, BOOTSTRAP_FLOOR, "< 0.008"),
        (0.0301, 8, FLOOR, "0.030"),
        (1.0, 1, FLOOR, "1.000"),
        (np.nan, 1, FLOOR, ""),
    ],
)
def test_a_p_at_the_floor_of_its_test_is_a_bound(p: float, tests: int, floor: float, text: str) -> None:
    assert p_text(p, tests, floor) == text


def test_missing_values_are_refused() -> None:
    with pytest.raises(MnemocraftError, match=r"missing values \(NaN\) in one of cell, cluster, x"):
        mean_of([1, np.nan], ["a", "b"])
    with pytest.raises(MnemocraftError, match="missing"):
        mean_of([1, 0], ["a", None])


def test_misaligned_pairs_are_named() -> None:
    a = records(RNG)
    with pytest.raises(NotTestable, match=r"\('T007', 1\) is missing in b: pairs are by"):
        mcnemar(a, a.drop(22))
    with pytest.raises(NotTestable, match=r"and 175 more is missing in a"):
        mcnemar(a.iloc[:0], a)
    with pytest.raises(NotTestable, match=r"\('T000', 0\) stands more than once in a"):
        mcnemar(pd.concat([a, a.iloc[:1]]), a)
    with pytest.raises(NotTestable, match="no pairs"):
        mcnemar(a.iloc[:0], a.iloc[:0])
    with pytest.raises(MnemocraftError, match="0 or 1"):
        mcnemar(a, a.assign(success=0.5))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_binomial_test_of_discordant_pairs(only_a: int, only_b: int) -> None:
    pairs = [(1, 0)] * only_a + [(0, 1)] * only_b + [(1, 1)] * 3 + [(0, 0)]
    frame = pd.DataFrame(pairs, columns=["a", "b"]).assign(task=range(len(pairs)), seed=0)
    result = mcnemar(frame.rename(columns={"a": "success"}), frame.rename(columns={"b": "success"}))
    expected = scipy_stats.binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    assert result == pytest.approx(expected)


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


def test_holm_is_statsmodels() -> None:
    found = holm(pd.DataFrame({"p": [0.04, np.nan, 0.01, 0.04, 0.9, 0.0]})).p_holm.dropna()
    assert found.tolist() == multipletests([0.04, 0.01, 0.04, 0.9, 0.0], method="holm")[1].tolist()


def test_t_test_is_students() -> None:
    a, b = RNG.random(50) < 0.6, RNG.random(70) < 0.4
    student = t_test(a, b)
    pooled = ((50 - 1) * a.var(ddof=1) + (70 - 1) * b.var(ddof=1)) / 118
    assert student.t == pytest.approx((a.mean() - b.mean()) / np.sqrt(pooled * (1 / 50 + 1 / 70)))
    assert student.df == 118
    assert student.p == pytest.approx(2 * scipy_stats.t.sf(abs(student.t), 118))


def test_t_test_of_nothing_is_unknown() -> None:
    for one, other in (([], [1, 0]), ([1], [1, 0]), ([1, 1], [0, 1])):
        assert np.isnan(t_test(one, other).p)


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
    with pytest.raises(NotTestable, match="empty cell"):
        two_way_anova(frame.iloc[:8000], response="success", factors=("teacher", "memory"))
    with pytest.raises(NotTestable, match="does not vary"):
        two_way_anova(frame.assign(success=1), response="success", factors=("teacher", "memory"))


@pytest.mark.parametrize(
    ("value", "p", "direction", "outcome", "words"),
    [
        (0.1, 0.01, "positive", "holds", "is positive, as claimed"),
        (-0.1, 0.01, "negative", "holds", "is negative, as claimed"),
        (0.1, 0.01, "negative", "fails", "is positive, and negative was claimed"),
        (-0.1, 0.01, "positive", "fails", "is negative, and positive was claimed"),
        (0.1, 0.05, "positive", "undecided", "not distinguishable from 0 when all claims are corrected for"),
        (-0.1, 0.324, "positive", "undecided", "(p 0.324)"),
        (0.02, 1.0, "positive", "undecided", "not distinguishable from 0"),
        (np.nan, np.nan, "positive", "not measured", "not measured"),
    ],
)
def test_verdicts_follow_the_corrected_p(
    value: float, p: float, direction: Any, outcome: str, words: str
) -> None:
    found = Estimate(value, value - 0.05, value + 0.05, 0.001, 100, 20, 20)
    judged = verdict(found, p, direction)
    assert judged.outcome == outcome and words in judged.sentence
    beyond = abs(value) > 0.05 and outcome == "undecided"
    assert ("corrected" in judged.sentence) == beyond, "an interval without 0 and no verdict: why?"


def test_an_effect_that_could_not_show_cannot_be_decided() -> None:
    found = Estimate(0.2, 0.1, 0.3, 0.001, 100, 40, 40)
    assert verdict(found, 0.001, "positive", asked=0.1, detectable=0.15).outcome == "cannot be decided here"
    assert verdict(found, 0.001, "positive", asked=-0.2, detectable=0.15).outcome == "holds"
    assert verdict(found, 0.001, "positive", detectable=0.15).outcome == "holds"
    few = Estimate(0.2, 0.1, 0.3, np.nan, 100, 9, 9)
    assert verdict(few, np.nan, "positive", asked=0.1, detectable=0.15).outcome == "not tested"


def test_an_unknown_direction_is_refused() -> None:
    with pytest.raises(MnemocraftError, match="'positive' or 'negative'"):
        verdict(UNKNOWN, 0.1, "up")
