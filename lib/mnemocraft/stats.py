"""Statistics for tables of episodes: clustered, seeded, paired between the cells of a grid.

Episodes of one task (or of tasks with one target) succeed and fail together, so that treating them as
independent makes intervals too narrow. Here whole clusters are split at random into two halves. One set of
splits, shared by all conditions (the cells of the grid), makes every difference between them paired. An
interval holds what lies between the two halves of enough of the splits, and the p-value says of how many 0
does, so that the two agree (:meth:`Cells.estimate`).
Nothing depends on the order of rows, and the splits are always the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from mnemocraft.errors import MnemocraftError

ALPHA = 0.05
"""Significance level; intervals cover ``1 - ALPHA``."""
SPLITS = 10_000
"""Splits into halves behind every interval and p-value."""
DRAWS = 2000
"""Bootstrap samples, where the bootstrap was registered (:meth:`Cells.bootstrap`)."""
FLOOR, BOOTSTRAP_FLOOR = 1 / (SPLITS + 1), 2 / (DRAWS + 1)
"""The smallest p-values that splits and the bootstrap can give."""
NOT_MEASURED, NOT_TESTED, UNDECIDED = "not measured", "not tested", "undecided"
"""Verdicts: not all conditions of a claim were run; there is no test of them; the test does not tell."""
MIN_CLUSTERS = 20
"""Clusters that every arm of a test must have: fewer are no sample of tasks or kitchens."""
LEVELS = {"0.05": 1, "0.05 / 8": 8, "0.05 / 29": 29}
"""Of single tests, and of the first in families as large as those of the notebooks, with their claims."""
NEARLY_ALL = 0.95
"""A rate that :func:`error_rates` takes for one that is compared with a fixed number."""
POWER = 0.8
"""Share of runs in which an effect is found that counts as detectable."""
ONE = "one"
"""The column of ones, which every frame is taken to have: its sum is the number of episodes."""
PAIR = ("task", "seed")

Floats = npt.NDArray[np.float64]
Key = tuple[str | float, ...]


class NotTestable(MnemocraftError):
    """The data do not allow the test, e.g. because a condition has not been run to its end."""


@dataclass(frozen=True)
class Measure:
    """A number computed from sums over episodes, so that a half needs only the sums of each cluster.

    Attributes:
        columns: What is summed; the sum of the last one is reported as n.
        value: From sums of shape (..., len(columns)) to values of shape (...); NaN where undefined.
    """

    columns: tuple[str, ...]
    value: Callable[[Floats], Floats]


def rate(column: str, over: str = ONE) -> Measure:
    """The measure "sum of ``column`` over sum of ``over``": by default the mean over episodes."""
    return Measure((column, over), lambda sums: sums[..., 0] / sums[..., 1])


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval and two-sided p-value (of "equals 0"); NaN where they cannot be had.

    There is no interval where it would have no width (all clusters agree) or no ends (there are fewer than
    six, or the measure is undefined in too many halves), and then no p; nor with an arm of fewer than
    :data:`MIN_CLUSTERS` clusters.

    Attributes:
        n: Episodes behind it; of a difference those of its smaller arm, which is the number of pairs.
        clusters: Clusters that they form.
        fewest: Clusters in the cell that has the fewest.
        undefined: Share of the splits in which the measure is undefined in a half.
        effective: Clusters of equal size that would tell as much, if the episodes of each are as one (Kish).
        unfit: Why it is not to be tested although it could be, as the end of a sentence.
        paired: Both of its arms have the same clusters.
    """

    value: float
    low: float
    high: float
    p: float
    n: int
    clusters: int
    fewest: int = 0
    undefined: float = 0.0
    effective: float = 0.0
    unfit: str = ""
    paired: bool = True

    @property
    def measured(self) -> str:
        """Its value, and its interval if it has one, in words."""
        reach = "" if np.isnan(self.low) else f" [{self.low:+.3f}, {self.high:+.3f}]"
        return f"{self.value:+.3f}{reach}"

    @property
    def size(self) -> str:
        """How much is behind it, in words."""
        what = "pairs" if self.paired else "episodes of the smaller arm"
        return f"{self.n} {what} in {self.clusters} clusters"

    @property
    def untested(self) -> str:
        """Why there is no p-value, as the end of a sentence; empty if there is one."""
        if not self.n:
            return "not all of its conditions were run"
        if self.unfit:
            return self.unfit
        if self.fewest < MIN_CLUSTERS:
            return f"an arm has {self.fewest} clusters, and below {MIN_CLUSTERS} nothing is tested"
        if self.agreed:
            return "the same in every cluster"
        return f"undefined in a half of {self.undefined:.0%} of the splits" if np.isnan(self.low) else ""

    @property
    def agreed(self) -> bool:
        """Whether there is no interval because all clusters say the same."""
        return bool(self.n) and bool(np.isnan(self.low)) and self.undefined < ALPHA


@dataclass(frozen=True)
class Cells:
    """A measure in every cell of a grid, of all clusters or of some, the same ones in all cells.

    Attributes:
        value, n: The measure and its number of episodes, by cell; only cells that have episodes.
        sizes: How many episodes each cluster has in the cell, shape (clusters,).
        weighted: The measure in some cells if clusters count as often as they are told to: from how often,
            shape (..., clusters), to shape (..., cells); NaN where it is undefined. The first axis of three
            is that of two halves: every cluster counts once in one of them.
    """

    value: dict[Key, float]
    n: dict[Key, int]
    sizes: dict[Key, Floats]
    weighted: Callable[[Sequence[Key], Floats], Floats]

    def estimate(self, weights: Mapping[Key, float]) -> Estimate:
        """A contrast: weighted sum of cells (a mean, a :func:`difference` ...); NaN if one was not run.

        Each cluster is in one of two halves by the toss of a coin. The interval holds what at least a share
        :data:`ALPHA` of the splits have between what their halves measure (Hartigan 1969, "Using subsample
        values as typical values"), and p is the largest share for which it would hold 0. Of a mean over
        clusters of one size this is the test by flipped signs (Canay, Romano and Shaikh 2017, "Randomization
        tests under an approximate symmetry assumption") and its inverse: the sign of a mean is another in
        the two halves where flipping one half's signs takes the whole mean further from 0. The test errs as
        often as it says if clusters err to either side alike; :func:`error_rates` says how often if not.
        """
        return self._halved(weights)[0]

    def counted(self, weights: Mapping[Key, float]) -> Estimate:
        """A contrast's value and how much is behind it, without the splits: no interval and no p."""
        if not self._has(weights):
            return Estimate(np.nan, np.nan, np.nan, np.nan, 0, 0)
        value = round(sum(w * self.value[key] for key, w in weights.items()), 12) + 0.0
        sizes = np.array([self.sizes[key] for key in weights])
        clusters, fewest = int(sizes.any(axis=0).sum()), int((sizes > 0).sum(axis=1).min())
        together = sizes.sum(axis=0)
        effective = float(together.sum() ** 2 / (together**2).sum()) if clusters else 0.0
        arms = [sizes[[w * sign > 0 for w in weights.values()]].any(axis=0) for sign in (1, -1)]
        paired = not all(arm.any() for arm in arms) or bool((arms[0] == arms[1]).all())
        return Estimate(
            value, np.nan, np.nan, np.nan, self._pairs(weights), clusters, fewest,
            effective=effective, paired=paired,
        )  # fmt: skip

    def detectable(self, weights: Mapping[Key, float], tests: int = 1, rates: bool = False) -> float:
        """The smallest effect that data like these would find in 80 % of runs; NaN if that is unknown.

        A run's effect is taken to be the true one plus the noise of a half about the whole, and it is found
        if the interval around it, at level 1 - :data:`ALPHA` / ``tests``, excludes 0. Noise may grow with the
        effect, see :func:`least_effect`. With few clusters the noise is itself uncertain: simulated, 24 of
        three episodes find such an effect in 70 to 80 % of runs.

        Args:
            weights: The contrast.
            tests: Among how many it is judged (the first step of Holm's correction).
            rates: It is of successes in pairs of episodes.
        """
        found, halves = self._halved(weights)
        if np.isnan(found.p):
            return float("nan")
        low, high = _interval(_ends(*halves), ALPHA / tests)
        noise = halves[np.isfinite(halves)] - found.value
        reach = max(found.value - low, high - found.value) + np.quantile(np.abs(noise), 2 * POWER - 1)
        if not rates:
            return float(reach)
        z = max(in_errors(tests), reach / noise.std())  # the latter takes few clusters into account
        return float(least_effect(z, noise.std(), abs(found.value), found.n))

    def bootstrap(self, weights: Mapping[Key, float]) -> Estimate:
        """A contrast with the percentile interval of a bootstrap of whole clusters and the p of that.

        p is twice the share of the draws beyond 0, and not below :data:`BOOTSTRAP_FLOOR`. With few clusters
        the interval is too narrow and p too small: it stands only where it was registered.
        """
        found = self.estimate(weights)
        if np.isnan(found.low):
            return found
        draws = self._of(weights, _resamplings)
        draws = draws[np.isfinite(draws)]
        low, high = map(float, np.percentile(draws, [50 * ALPHA, 100 - 50 * ALPHA]))
        beyond = min(np.count_nonzero(draws <= 0), np.count_nonzero(draws >= 0))
        p = np.nan if np.isnan(found.p) else float(min(1.0, (beyond + 1) * BOOTSTRAP_FLOOR))
        return replace(found, low=low, high=high, p=p)

    def _halved(self, weights: Mapping[Key, float]) -> tuple[Estimate, Floats]:
        """A contrast, and what it is in the two halves of every split, shape (2, splits); none if not run."""
        found = self.counted(weights)
        if not self._has(weights):
            return found, np.empty((2, 0))
        halves = self._of(weights, _halves)
        ends = _ends(*halves)
        low, high = _interval(ends)
        p = float(_p(ends)) if found.fewest >= MIN_CLUSTERS and not np.isnan(low) else np.nan
        return replace(found, low=low, high=high, p=p, undefined=float(np.isinf(ends[0]).mean())), halves

    def _of(self, weights: Mapping[Key, float], draw: Callable[[int], Floats]) -> Floats:
        """A contrast if clusters count as often as ``draw`` says, by their number; of equals it is 0."""
        drawn = draw(len(self.sizes[next(iter(weights))]))
        size = max(abs(w * self.value[key]) for key, w in weights.items()) or 1.0
        found = self.weighted(list(weights), drawn) @ np.array([w / size for w in weights.values()])
        return size * found.round(12) + 0.0  # in as many digits whatever the unit, and no -0.0

    def _pairs(self, weights: Mapping[Key, float]) -> int:
        """Episodes of a contrast's smaller arm; of a difference of two contrasts those of one.

        Cells that share a weight among them, as what one cell is compared with, do not count beside it.
        """
        arms = [[(self.n[key], abs(w)) for key, w in weights.items() if sign * w > 0] for sign in (1, -1)]
        arms = [[(n, w) for n, w in arm if w > 0.999 * max(w for _, w in arm)] for arm in arms]
        contrasts = max(1, *(round(sum(w for _, w in arm)) for arm in arms))
        return min((sum(n for n, _ in arm) for arm in arms if arm), default=0) // contrasts

    def mean(self, keys: Sequence[Key]) -> Estimate:
        """Unweighted mean of those of the cells that were run."""
        known = [key for key in keys if key in self.value]
        return self.estimate({key: 1 / len(known) for key in known})

    def cohens_h(self, weights: Mapping[Key, float]) -> float:
        """Effect size of a contrast of rates (Cohen 1988): 0.2 is small, 0.5 medium, 0.8 large.

        The same contrast of ``2 arcsin(sqrt(rate))``; NaN if a cell was not run or its value is no rate.
        """
        if not self._has(weights) or not all(0 <= self.value[key] <= 1 for key in weights):
            return float("nan")
        return float(sum(2 * w * np.arcsin(np.sqrt(self.value[key])) for key, w in weights.items()))

    def _has(self, weights: Mapping[Key, float]) -> bool:
        return bool(weights) and all(key in self.value for key in weights)


def _ends(one: Floats, other: Floats) -> Floats:
    """The lesser and the greater of what two halves measure, shape (2, ...); infinite if one is undefined."""
    unknown = np.isnan(one) | np.isnan(other)
    low, high = np.minimum(one, other), np.maximum(one, other)
    return np.stack([np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)])


def _interval(ends: Floats, level: float = ALPHA) -> tuple[float, float]:
    """What at least this share of the splits have between their ends; NaN without width or end.

    To either side of the middle by itself: both ends may lie on one side of it, as of a difference of ratios.
    """
    within = int(np.ceil(level * (SPLITS + 1))) - 1  # beside the split of all and none, between any ends
    low, high = (float(np.sort(ends[0])[within - 1]), float(np.sort(ends[1])[-within]))
    return (low, high) if np.isfinite(low) and np.isfinite(high) and low < high else (np.nan, np.nan)


def _p(ends: Floats) -> Floats:
    """The level above which :func:`_interval` leaves out 0; ends of shape (2, ..., splits)."""
    beyond = np.minimum(np.count_nonzero(ends[0] <= 0, axis=-1), np.count_nonzero(ends[1] >= 0, axis=-1))
    return (beyond + 1) * FLOOR


@lru_cache(maxsize=4)
def _halves(clusters: int) -> Floats:
    """Which clusters are in the one and the other half, 0 or 1, shape (2, splits, clusters).

    A cluster's splits lie side by side in memory, which makes sums over few clusters faster.
    """
    one = np.ascontiguousarray(np.random.default_rng(0).integers(0, 2, (SPLITS, clusters)).T, dtype=float)
    return np.stack([one, 1 - one]).swapaxes(1, 2)


def _drawn(often: Floats, column: Floats) -> Floats:
    """A column's sum if its clusters count so often.

    Of counts the second of two halves is what the first leaves; other sums would not leave exactly nothing.
    """
    if often.ndim < 3 or (column != np.rint(column)).any():
        return often @ column
    one = often[0] @ column
    return np.stack([one, column.sum() - one])


@lru_cache(maxsize=2)
def _resamplings(clusters: int) -> Floats:
    """How often each cluster is drawn in each bootstrap sample, shape (draws, clusters)."""
    chances = np.full(clusters, 1 / clusters)
    return np.random.default_rng(0).multinomial(clusters, chances, size=DRAWS).astype(float)


def difference(plus: Sequence[Key], minus: Sequence[Key]) -> dict[Key, float]:
    """Weights of "mean of the cells ``plus`` minus mean of the cells ``minus``" (a cell may be in both)."""
    weights = dict.fromkeys([*plus, *minus], 0.0)
    for keys, sign in ((plus, 1.0), (minus, -1.0)):
        for key in keys:
            weights[key] += sign / len(keys)
    return weights


def cells(episodes: pd.DataFrame, measure: Measure, by: Sequence[str], cluster: str) -> Cells:
    """``measure`` in every group of episodes.

    Args:
        episodes: One row an episode; the columns of the measure hold numbers.
        measure: What to compute.
        by: Columns whose combinations are the cells.
        cluster: Column whose values go as a whole into a half, e.g. ``target``.

    Raises:
        MnemocraftError: A value is missing (NaN).
    """
    sums: dict[Key, Floats] = {}
    if not episodes.empty:
        groups = episodes.groupby(list(by), observed=True)
        cell, names = groups.ngroup().to_numpy(), groups.size().reset_index()[list(by)]
        owner, owners = pd.factorize(episodes[cluster], sort=True)
        values = _numbers(episodes, measure.columns)
        if np.isnan(values).any() or (cell < 0).any() or (owner < 0).any():
            columns = ", ".join([*by, cluster, *measure.columns])
            raise MnemocraftError(f"missing values (NaN) in one of {columns}: count them or leave them out")
        of_all = _sums(values, cell * len(owners) + owner, (len(names), len(owners)))
        sums = dict(zip(names.itertuples(index=False, name=None), of_all, strict=True))

    def weighted(keys: Sequence[Key], drawn: Floats) -> Floats:
        columns = [[_drawn(drawn, column) for column in sums[key].T] for key in keys]  # all at once is slower
        with np.errstate(invalid="ignore", divide="ignore"):
            return measure.value(np.moveaxis(np.array(columns), (0, 1), (-2, -1)))

    return Cells(
        {key: float(weighted([key], np.ones(len(of_it)))[0]) for key, of_it in sums.items()},
        {key: int(of_it[:, -1].sum()) for key, of_it in sums.items()},
        {key: of_it[:, -1] for key, of_it in sums.items()},
        weighted,
    )


def _numbers(frame: pd.DataFrame, columns: Sequence[str]) -> Floats:
    """Columns as floats, shape (episodes, columns)."""
    return np.column_stack([np.ones(len(frame)) if c == ONE else frame[c].to_numpy(float) for c in columns])


def _sums(values: Floats, place: npt.NDArray[np.intp], shape: tuple[int, int]) -> Floats:
    """Sums of values by place, shape (cells, clusters, columns).

    Values are added in order of size, so that rounding cannot depend on the order of rows.
    """
    order = np.lexsort(values.T)
    values, place, size = values[order], place[order], shape[0] * shape[1]
    sums = [np.bincount(place, weights=column, minlength=size).reshape(shape) for column in values.T]
    return np.stack(sums, axis=-1)


def mcnemar(a: pd.DataFrame, b: pd.DataFrame, *, value: str = "success", on: Sequence[str] = PAIR) -> float:
    """The p of McNemar's exact test of paired successes; it takes pairs as independent, unlike the splits.

    Args:
        a: Records of one condition, as ``load_records`` gives them.
        b: Records of the other.
        value: Column of successes (0 or 1).
        on: Columns that identify a pair; each combination once in ``a`` and once in ``b``.

    Raises:
        NotTestable: A pair is incomplete or double; the message names some. Or there are no pairs.
    """
    from statsmodels.stats.contingency_tables import mcnemar as exact_test

    one, two = _aligned(a, b, value, list(on))
    if not np.isin([one, two], (0.0, 1.0)).all():
        raise MnemocraftError(f"McNemar's test needs successes (0 or 1), and {value} has other values")
    only_a, only_b = int((one > two).sum()), int((one < two).sum())
    return float(exact_test([[0, only_a], [only_b, 0]], exact=True).pvalue)


def _aligned(a: pd.DataFrame, b: pd.DataFrame, value: str, on: list[str]) -> tuple[Floats, Floats]:
    """The values of both frames in one order of pairs."""
    one, two = a.set_index(on)[value], b.set_index(on)[value]
    for name, series in (("a", one), ("b", two)):
        if series.index.has_duplicates:
            doubles = series.index[series.index.duplicated()].unique()
            raise NotTestable(f"{_some(doubles)} stands more than once in {name}: pairs are by {on}")
    for name, missing in (("a", two.index.difference(one.index)), ("b", one.index.difference(two.index))):
        if len(missing):
            raise NotTestable(f"{_some(missing)} is missing in {name}: pairs are by {on}")
    if one.empty:
        raise NotTestable("there are no pairs to compare")
    return one.to_numpy(float), two.reindex(one.index).to_numpy(float)


def _some(names: pd.Index[Any]) -> str:
    return ", ".join(map(str, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


@dataclass(frozen=True)
class TTest:
    """Two-sample t-test: ``t``, degrees of freedom ``df`` and two-sided ``p``."""

    t: float
    df: float
    p: float


def t_test(a: npt.ArrayLike, b: npt.ArrayLike) -> TTest:
    """Student's two-sample t-test over episodes, as in How2's appendix D.1.

    Neither paired nor clustered: for the comparison with the paper. NaN if a sample does not vary.
    """
    from scipy.stats import ttest_ind

    one, two = np.sort(np.asarray(a, dtype=float)), np.sort(np.asarray(b, dtype=float))
    if min(len(np.unique(one)), len(np.unique(two))) < 2:
        return TTest(np.nan, np.nan, np.nan)
    result = ttest_ind(one, two)
    return TTest(float(result.statistic), float(result.df), float(result.pvalue))


def two_way_anova(frame: pd.DataFrame, *, response: str, factors: tuple[str, str]) -> pd.DataFrame:
    """Two-way analysis of variance with interaction, type II sums of squares, as in How2's Table 7.

    Returns:
        Rows ``C(<first>)``, ``C(<second>)``, ``C(<first>):C(<second>)`` and ``Residual``; columns ``sum_sq``,
        ``df``, ``F`` and ``PR(>F)``.

    Raises:
        NotTestable: A combination of the factors has no episodes, or the response does not vary.
    """
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    first, second = factors
    counts = pd.crosstab(frame[first], frame[second])
    if (counts == 0).any(axis=None) or min(counts.shape) < 2:
        raise NotTestable(f"{first} x {second} has an empty cell or a single level: {counts.to_dict()}")
    if frame[response].nunique() < 2:
        raise NotTestable(f"{response} does not vary: there is no variance to analyse")
    data = frame.sort_values([first, second, response]).astype({response: float})
    return anova_lm(ols(f"{response} ~ C({first}) * C({second})", data=data).fit(), typ=2)


def holm(table: pd.DataFrame, *, p: str = "p") -> pd.DataFrame:
    """Add ``<p>_holm``: p-values corrected for the number of comparisons in the table (Holm 1979).

    Rows without a p-value stay without one and do not count.
    """
    corrected = table[p].to_numpy(dtype=float, copy=True)
    rows = np.argsort(corrected)[: np.count_nonzero(~np.isnan(corrected))]  # NaN comes last
    # As statsmodels' multipletests, which also collects the whole process's garbage: half a second a call.
    raised = corrected[rows] * np.arange(len(rows), 0, -1)
    corrected[rows] = np.minimum(np.maximum.accumulate(raised), 1)
    return table.assign(**{f"{p}_holm": corrected})


def p_text(p: float, tests: int = 1, floor: float = FLOOR) -> str:
    """A p-value for reading; one at the floor of the test is a bound: ``< 0.001``.

    Args:
        p: The p-value; NaN gives "".
        tests: By how many at most it was multiplied (:func:`holm`).
        floor: The smallest that one test can give.
    """
    if np.isnan(p):
        return ""
    if p < 0.0005 or (p <= floor * tests * (1 + 1e-9) and p < 1):
        return f"< {max(np.ceil(1000 * p), 1) / 1000:.3f}"
    return f"{p:.3f}"


def in_errors(tests: int) -> float:
    """Standard errors from 0 at which a normal effect is found in 80 % of runs, as one of so many tests."""
    return sum(map(NormalDist().inv_cdf, (1 - ALPHA / tests / 2, POWER)))


def least_effect(z: float, spread: float, observed: float, pairs: float) -> float:
    """The smallest effect on successes in pairs that is ``z`` times its own standard error.

    Pairs that agree tell nothing, and an effect takes pairs that differ: where the true effect is greater
    than the observed one by some share, at least that share of the pairs differ beside those that did. So its
    variance is that of the records plus that share over the number of pairs. What the records' spread alone
    would allow may be less than the pairs that it takes (4 of 300 that differ: 0.027, which takes 8).

    Args:
        z: Standard errors from 0 at which an effect is found often enough.
        spread: Standard error in the records.
        observed: Size of the effect in the records, whose sign must not matter.
        pairs: Of episodes.
    """
    alone = z * spread
    if alone <= observed:
        return float(alone)
    share = z**2 / pairs
    return float((share + np.sqrt(share**2 + 4 * (alone**2 - share * observed))) / 2)


def error_rates(
    clusters: Sequence[int], experiments: int = 2000, size: int = 5, seed: int = 0, skewed: bool = False
) -> pd.DataFrame:
    """How often the test rejects a difference that is not there, by number of clusters: simulated.

    An experiment compares two conditions in the same clusters of ``size`` episodes, whose chances of success
    differ between clusters (uniform on 0 to 1) and by chance between conditions, but not on average. If
    ``skewed`` it compares one condition with the rate that it has on average, :data:`NEARLY_ALL`: a cluster
    can lie far below that and not far above (chances from a beta distribution of two episodes' weight).

    Returns:
        Columns ``clusters``, the shares that were rejected at all :data:`LEVELS`, such as ``0.05 / 8``, and
        ``0.05, below``: the share that was rejected at 0.05 with a difference below 0.
    """
    rng, rows = np.random.default_rng(seed), []
    for number in clusters:
        if skewed:
            chance = rng.beta(2 * NEARLY_ALL, 2 - 2 * NEARLY_ALL, (experiments, number))
            apart = rng.binomial(size, chance) - size * NEARLY_ALL
        else:
            ease = rng.random((experiments, number))
            lean = rng.normal(0, 0.2, (2, experiments, number)) * np.sqrt(ease * (1 - ease))
            one, other = rng.binomial(size, np.clip(ease + lean, 0, 1)).astype(float)
            apart = one - other  # not shares: sums of counts are exact
        parts = np.array_split(apart, max(1, experiments // 100))
        halves = ([part @ half.T for half in _halves(number)] for part in parts)  # of one size: sums will do
        p = np.concatenate([_p(_ends(*both)) for both in halves])
        below = (p < ALPHA) & (apart.sum(axis=1) < 0)
        rows.append((number, *((p < ALPHA / tests).mean() for tests in LEVELS.values()), below.mean()))
    return pd.DataFrame(rows, columns=["clusters", *LEVELS, "0.05, below"])


Direction = Literal["positive", "negative"]


@dataclass(frozen=True)
class Verdict:
    """What was found of a directed claim, and why.

    ``outcome`` is ``holds``, ``fails`` or ``undecided`` by the test; ``not measured`` or ``not tested`` where
    there is none; ``cannot be decided here``, whatever p is, where the effect that was to be found is smaller
    than what so few episodes would find in four of five runs.
    """

    outcome: str
    sentence: str


def verdict(
    found: Estimate, p: float, direction: Direction, *, asked: float = np.nan, detectable: float = np.nan
) -> Verdict:
    """Judge the claim that a contrast is positive (or negative).

    Args:
        found: The contrast.
        p: Its p-value, corrected for the number of claims that are judged together (:func:`holm`).
        direction: The sign that is claimed.
        asked: The effect that was to be found, such as the paper's; NaN if none is known.
        detectable: The smallest effect that data like these would find in 80 % of runs
            (:meth:`Cells.detectable`).
    """
    if direction not in ("positive", "negative"):
        raise MnemocraftError(f"direction is {direction!r}: it must be 'positive' or 'negative'")
    if np.isnan(found.value):
        return Verdict(NOT_MEASURED, f"{NOT_MEASURED}: {found.untested or 'undefined'}")
    measured = found.measured
    if found.untested:
        return Verdict(NOT_TESTED, f"{measured}, {NOT_TESTED}: {found.untested}")
    if abs(asked) < detectable:
        reason = f"{abs(asked):.3f} was to be found, and four of five such runs would find {detectable:.3f}"
        return Verdict("cannot be decided here", f"{measured}: {reason}")
    measured += f" ({found.size})"
    if not p < ALPHA:
        beyond = found.low > 0 or found.high < 0  # of 0: an interval is of one effect, p of all claims
        reason = f" when all claims are corrected for (p {p_text(p)})" if beyond else ""
        return Verdict(UNDECIDED, f"{measured} is not distinguishable from 0{reason}")
    sign = "positive" if found.value > 0 else "negative"
    if sign == direction:
        return Verdict("holds", f"{measured} is {sign}, as claimed")
    return Verdict("fails", f"{measured} is {sign}, and {direction} was claimed")
