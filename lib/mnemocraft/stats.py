"""Statistics for tables of episodes: seeded, paired by task, clustered by task or target.

Episodes of one task (or of tasks with one target) succeed and fail together, so that treating them as
independent makes intervals too narrow. Here whole clusters are resampled. Nothing depends on the order of
rows, and equal seeds give equal numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from mnemocraft.errors import MnemocraftError

RESAMPLES = 5000
LEVEL = 0.95
PAIR = ("task", "seed")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, the number of episodes and of clusters behind it."""

    value: float
    low: float
    high: float
    n: int
    clusters: int

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True)
class Comparison:
    """Condition a minus condition b over the same tasks.

    Attributes:
        mean_a, mean_b: Means of the two conditions.
        difference: ``mean_a - mean_b``; for successes the risk difference.
        low, high: Interval of the difference.
        p: Two-sided p-value that belongs to the same bootstrap.
        cohens_h: Effect size for two proportions; NaN where the values are not all 0 or 1.
        n: Number of pairs.
        clusters: Number of clusters that they form.
    """

    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    p: float
    cohens_h: float
    n: int
    clusters: int


@dataclass(frozen=True)
class McNemar:
    """Exact test of paired successes: ``only_a`` and ``only_b`` count the pairs where just one succeeded."""

    only_a: int
    only_b: int
    p: float
    n: int


@dataclass(frozen=True)
class TTest:
    """Two-sample t-test: ``t``, degrees of freedom ``df``, two-sided ``p``, sizes ``n_a`` and ``n_b``."""

    t: float
    df: float
    p: float
    n_a: int
    n_b: int


@dataclass(frozen=True)
class Verdict:
    """What an interval says about a directed hypothesis: ``holds``, ``fails`` or ``undecided``."""

    outcome: str
    sentence: str


def mean_interval(
    values: npt.ArrayLike,
    clusters: Sequence[object] | pd.Series,
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> Estimate:
    """Mean of episodes with a cluster-bootstrap percentile interval.

    Args:
        values: One number (or truth value) per episode.
        clusters: The cluster of each episode, e.g. its task. With fewer than about 20 clusters the interval
            is too narrow; where all values are equal it has no width, see :func:`wilson_interval`.
        resamples: Number of bootstrap resamples.
        level: Nominal coverage.
        seed: Seed of the resampling.
    """
    sums = _cluster_sums(np.asarray(values, dtype=float)[:, None], clusters)
    draws = _resample(sums, _ratio, resamples, seed)
    return _estimate(_ratio(sums.sum(axis=0)), draws, level, sums)


def f1_interval(
    predicted: npt.ArrayLike,
    actual: npt.ArrayLike,
    clusters: Sequence[object] | pd.Series,
    *,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> Estimate:
    """F1 score of a detection, e.g. of impossible tasks, with a cluster-bootstrap percentile interval.

    Args:
        predicted: Whether each episode was called positive.
        actual: Whether it was positive.
        clusters: The cluster of each episode.
        resamples: Number of resamples; those with nothing positive, where F1 is undefined, are left out.
        level: Nominal coverage.
        seed: Seed of the resampling.
    """
    called, true = np.asarray(predicted, dtype=bool), np.asarray(actual, dtype=bool)
    counts = np.stack([called & true, called ^ true], axis=1).astype(float)
    sums = _cluster_sums(counts, clusters)
    return _estimate(_f1(sums.sum(axis=0)), _resample(sums, _f1, resamples, seed), level, sums)


def wilson_interval(successes: int, n: int, *, level: float = LEVEL) -> Estimate:
    """Share of successes with Wilson's interval: for independent episodes, also where none or all succeed."""
    from statsmodels.stats.proportion import proportion_confint

    if not 0 <= successes <= n or n == 0:
        raise MnemocraftError(f"{successes} successes of {n} is not a share: 0 <= successes <= n and n > 0")
    low, high = proportion_confint(successes, n, alpha=1 - level, method="wilson")
    return Estimate(successes / n, float(low), float(high), n, n)


def paired_difference(
    a: pd.DataFrame,
    b: pd.DataFrame,
    *,
    value: str = "success",
    on: Sequence[str] = PAIR,
    cluster: str = "task",
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    seed: int = 0,
) -> Comparison:
    """Compare two conditions on the same tasks.

    Args:
        a: Records of one condition, as ``load_records`` gives them.
        b: Records of the other.
        value: Column to compare.
        on: Columns that identify a pair; each combination once in ``a`` and once in ``b``.
        cluster: Column of ``a`` whose values are resampled as a whole, e.g. ``task`` or ``target``.
        resamples: Number of bootstrap resamples; the smallest p-value is ``2 / (resamples + 1)``.
        level: Nominal coverage.
        seed: Seed of the resampling.

    Raises:
        MnemocraftError: A pair is incomplete or double; the message names some.
    """
    one, two, clusters = _aligned(a, b, value, on, cluster)
    sums = _cluster_sums((one - two)[:, None], clusters)
    draws = _resample(sums, _ratio, resamples, seed)
    difference = _estimate(_ratio(sums.sum(axis=0)), draws, level, sums)
    binary = np.isin(np.concatenate([one, two]), (0.0, 1.0)).all()
    return Comparison(
        mean_a=float(one.mean()),
        mean_b=float(two.mean()),
        difference=difference.value,
        low=difference.low,
        high=difference.high,
        p=_two_sided_p(draws),
        cohens_h=cohens_h(one.mean(), two.mean()) if binary else float("nan"),
        n=difference.n,
        clusters=difference.clusters,
    )


def cohens_h(p_a: float, p_b: float) -> float:
    """Cohen's effect size for two proportions: 0.2 small, 0.5 medium, 0.8 large (Cohen 1988)."""
    return float(2 * np.arcsin(np.sqrt(p_a)) - 2 * np.arcsin(np.sqrt(p_b)))


def mcnemar(a: pd.DataFrame, b: pd.DataFrame, *, value: str = "success", on: Sequence[str] = PAIR) -> McNemar:
    """McNemar's exact test of paired successes; it takes pairs as independent, unlike the bootstrap."""
    from statsmodels.stats.contingency_tables import mcnemar as exact_test

    one, two, _ = _aligned(a, b, value, on, on[0])
    only_a, only_b = int(((one == 1) & (two == 0)).sum()), int(((one == 0) & (two == 1)).sum())
    p = exact_test([[0, only_a], [only_b, 0]], exact=True).pvalue
    return McNemar(only_a, only_b, float(p), len(one))


def t_test(a: npt.ArrayLike, b: npt.ArrayLike, *, equal_variances: bool = True) -> TTest:
    """Two-sample t-test over episodes, as in How2's appendix D.1 (Student), or Welch's.

    Neither paired nor clustered: for the comparison with the paper. NaN where neither sample varies.
    """
    from scipy.stats import ttest_ind

    one, two = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    result = ttest_ind(np.sort(one), np.sort(two), equal_var=equal_variances)
    return TTest(float(result.statistic), float(result.df), float(result.pvalue), len(one), len(two))


def two_way_anova(frame: pd.DataFrame, *, response: str, factors: tuple[str, str]) -> pd.DataFrame:
    """Two-way analysis of variance with interaction, type II sums of squares, as in How2's Table 7.

    Returns:
        Rows ``C(<first>)``, ``C(<second>)``, ``C(<first>):C(<second>)`` and ``Residual``; columns ``sum_sq``,
        ``df``, ``F`` and ``PR(>F)``.

    Raises:
        MnemocraftError: A combination of the factors has no episodes, so that nothing can be said of it.
    """
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    first, second = factors
    cells = pd.crosstab(frame[first], frame[second])
    if (cells == 0).any(axis=None) or min(cells.shape) < 2:
        raise MnemocraftError(f"{first} x {second} has an empty cell or a single level: {cells.to_dict()}")
    data = frame.sort_values([first, second, response]).astype({response: float})
    return anova_lm(ols(f"{response} ~ C({first}) * C({second})", data=data).fit(), typ=2)


def holm(table: pd.DataFrame, *, p: str = "p") -> pd.DataFrame:
    """Add ``<p>_holm``: p-values corrected for the number of comparisons in the table (Holm 1979).

    Rows without a p-value stay without one and do not count.
    """
    from statsmodels.stats.multitest import multipletests

    corrected = table[p].to_numpy(dtype=float, copy=True)
    tested = ~np.isnan(corrected)
    if tested.any():
        corrected[tested] = multipletests(corrected[tested], method="holm")[1]
    return table.assign(**{f"{p}_holm": corrected})


def verdict(estimate: float, low: float, high: float, direction: str) -> Verdict:
    """Judge a directed hypothesis by an interval.

    Args:
        estimate: The measured difference.
        low: Lower end of its interval.
        high: Upper end.
        direction: ``positive`` or ``negative``: the sign that the hypothesis expects.
    """
    if direction not in ("positive", "negative"):
        raise MnemocraftError(f"direction is {direction!r}: it must be 'positive' or 'negative'")
    measured = f"{estimate:+.3f} [{low:+.3f}, {high:+.3f}]"
    if not (low > 0 or high < 0):
        return Verdict("undecided", f"undecided: {measured} is not distinguishable from no difference")
    found = "positive" if low > 0 else "negative"
    if found == direction:
        return Verdict("holds", f"holds: {measured} is {found}, as expected")
    return Verdict("fails", f"fails: {measured} is {found}, expected {direction}")


def _aligned(
    a: pd.DataFrame, b: pd.DataFrame, value: str, on: Sequence[str], cluster: str
) -> tuple[Floats, Floats, pd.Series]:
    """The values of both frames in one order of pairs, and the cluster of each pair."""
    keys = list(on)
    one, two = a.set_index(keys).sort_index(), b.set_index(keys).sort_index()
    for name, frame in (("a", one), ("b", two)):
        if frame.index.has_duplicates:
            doubles = list(frame.index[frame.index.duplicated()].unique())
            raise MnemocraftError(f"{_some(doubles)} stands more than once in {name}: pairs are by {keys}")
    for name, missing in (("a", two.index.difference(one.index)), ("b", one.index.difference(two.index))):
        if len(missing):
            raise MnemocraftError(f"{_some(list(missing))} is missing in {name}: pairs are by {keys}")
    clusters = one.reset_index()[cluster]
    return one[value].to_numpy(dtype=float), two[value].to_numpy(dtype=float), clusters


def _some(names: list[object]) -> str:
    return ", ".join(map(str, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _cluster_sums(columns: Floats, clusters: Sequence[object] | pd.Series) -> Floats:
    """Sums of the columns and number of episodes, by cluster: shape (clusters, columns + 1).

    Clusters are sorted by name, and values within them by size, so that rounding cannot depend on the order
    of rows.
    """
    if len(columns) != len(clusters):
        raise MnemocraftError(f"{len(columns)} values but {len(clusters)} cluster names")
    if np.isnan(columns).any():
        raise MnemocraftError(
            "some values are missing (NaN): count them or leave them out before the statistics"
        )
    names, codes = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)
    if len(names) < 2:
        raise MnemocraftError(f"{len(names)} cluster(s): at least 2 are needed for an interval")
    order = np.lexsort([*columns.T, codes])
    ordered = np.column_stack([columns, np.ones(len(columns))])[order]
    return np.add.reduceat(ordered, np.searchsorted(codes[order], np.arange(len(names))), axis=0)


def _resample(sums: Floats, statistic: Callable[[Floats], Floats], resamples: int, seed: int) -> Floats:
    """The statistic of ``resamples`` samples of whole clusters, drawn with replacement."""
    count = len(sums)
    picks = np.random.default_rng(seed).integers(count, size=(resamples, count))
    return statistic(np.stack([column[picks].sum(axis=1) for column in sums.T], axis=1))


def _ratio(totals: Floats) -> Floats:
    """Mean from total and count."""
    return totals[..., 0] / totals[..., -1]


def _f1(totals: Floats) -> Floats:
    """F1 from true positives and errors of both kinds; NaN where there are neither."""
    doubled, errors = 2 * totals[..., 0], totals[..., 1]
    whole = doubled + errors
    return np.divide(doubled, whole, out=np.full_like(whole, np.nan), where=whole > 0)


def _estimate(value: Floats, draws: Floats, level: float, sums: Floats) -> Estimate:
    tail = (1 - level) / 2
    known = draws[~np.isnan(draws)]
    low, high = np.quantile(known, [tail, 1 - tail]) if len(known) else (np.nan, np.nan)
    return Estimate(float(value), float(low), float(high), int(sums[:, -1].sum()), len(sums))


def _two_sided_p(draws: Floats) -> float:
    """Twice the share of resamples on the far side of 0: the p-value that the percentile interval implies."""
    far = min(np.count_nonzero(draws <= 0), np.count_nonzero(draws >= 0))
    return min(1.0, 2 * (far + 1) / (len(draws) + 1))
