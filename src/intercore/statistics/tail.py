"""Beyond what was seen: the value exceeded once in a million, by peaks over threshold, and when not to believe it.

Values above a high threshold follow a generalized Pareto distribution, whatever the values follow themselves
(Balkema & de Haan 1974, Pickands 1975; Coles, An Introduction to Statistical Modeling of Extreme Values, 2001,
chapter 4), if they are independent, of one distribution, and the threshold is high enough. All three are checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.statistics.disturbance import is_drifting, levels
from intercore.statistics.intervals import Interval, generator, granularity, interval, order_interval
from intercore.statistics.probability import pareto_drawn, pareto_exceeded, pareto_log_above, pareto_log_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

MOST_EXCEEDANCES = 1000
"""More make the shape no better known than the question needs, and the threshold no longer high."""
FEWEST_EXCEEDANCES = 50
"""Fewer leave the shape unknown by more than ±0.28: its standard error is (1 + shape)/√k (Smith 1987)."""

_HIGHEST_SHARE = 0.05  # of the values, above the lowest threshold tried
_FITS = 0.1  # p-value above which a fit is not rejected (Choulakian & Stephens 2001 raise the threshold until then)
_REPLICATES = 500
_SHUFFLES = 200
_DEPENDENT = 0.8  # extremal index below which exceedances are declustered, if chance does not explain it
_FEWEST_DISTINCT = 10
_UNSTABLE = 3  # standard errors
_FAR = 100  # times as many as were measured
_HEAVIEST = 1.0  # shape from which on the mean is infinite


class RareValue(msgspec.Struct, frozen=True):
    """A value that is exceeded once in so many samples, on average."""

    once_in: float
    """Samples, more than 1."""
    value: Interval
    """In µs; the upper bound is None where the data leave it open."""


class Threshold(msgspec.Struct, frozen=True):
    """A threshold that was tried."""

    threshold: float
    exceedances: int
    """Independent values above it: of a cluster, the largest one."""
    shape: float
    p_value: float | None
    """Of the goodness of fit; None of thresholds above the one that was chosen."""


class Tail(msgspec.Struct, frozen=True):
    """The upper tail of a sample, in µs, and how far it is to be believed."""

    sentence: str
    """The result in words, with the reasons not to believe it; or why there is none."""
    caveats: tuple[str, ...]
    """Reasons not to believe it; none where every check passed, which is no guarantee either."""
    exceeded: tuple[RareValue, ...]
    """What was asked for; nothing where no tail can be fitted."""
    threshold: float | None = None
    """None if no tail can be fitted; the same for the following fields."""
    exceedances: int | None = None
    """Independent values above the threshold."""
    extremal_index: float | None = None
    """1 over the mean size of a cluster of exceedances (Ferro & Segers 2003); 1 where they are independent."""
    shape: Interval | None = None
    """Of the generalized Pareto distribution: below 0 there is a largest value, from 1 on the mean is infinite."""
    scale: float | None = None
    p_value: float | None = None
    """Of the Anderson–Darling test, by parametric bootstrap: small where the distribution does not fit."""
    tried: tuple[Threshold, ...] = ()
    """All thresholds, lowest first: the shape should not depend on them."""


def tail(
    values: ArrayLike,
    once_in: Sequence[float] = (1e6,),
    *,
    tick: float | None = None,
    what: str = "sample",
) -> Tail:
    """Estimate the values exceeded once in so many samples, given in the order in which they were taken.

    The threshold is the lowest of those with 5 % of the samples (at most 1000), a half, a quarter … above it, at least
    50, at which the Anderson–Darling test does not reject the fit (p above 0.1). Exceedances that come in clusters
    count once per cluster. Values on the grid of a clock, `tick` apart (found from the values if not given), are
    spread evenly over their tick. The interval is by parametric bootstrap. `what` is what one sample is, in words.
    """
    array = np.asarray(values, dtype=np.float64)
    reason = _no_tail(array)
    if reason:
        return Tail(f"No rare value is estimated: {reason}.", (reason,), ())
    rng = generator("tail")
    grid = granularity(array) if tick is None else tick
    smooth = array + (rng.uniform(-0.5, 0.5, len(array)) * grid if grid else 0.0)
    candidates = list(_candidates(smooth, rng))
    if not candidates:
        reason = (
            f"its largest values come in fewer than {FEWEST_EXCEEDANCES} clusters: measure longer, or find the "
            "disturbance"
        )
        caveats = (reason, *_mixed(array, grid))
        return Tail(f"No rare value is estimated: {'; '.join(caveats)}.", caveats, ())
    return _estimate(array, candidates, once_in, rng, _Words(what, grid))


class _Words(msgspec.Struct, frozen=True):
    """What is needed to write sentences."""

    what: str
    grid: float | None


class _Peaks(msgspec.Struct, frozen=True):
    """Independent exceedances of a threshold."""

    threshold: float
    excesses: NDArray[np.float64]
    """Sorted, all above 0."""
    extremal_index: float


def _no_tail(values: Floats) -> str:
    """Return why no tail can be fitted; empty if one can."""
    fewest = round(FEWEST_EXCEEDANCES / _HIGHEST_SHARE)
    if len(values) < fewest:
        return f"{len(values)} samples are too few, at least {fewest} are needed"
    highest = _highest(values, _first(len(values)))
    distinct = len(np.unique(highest))
    if distinct < _FEWEST_DISTINCT:
        return (
            f"the largest {len(highest)} samples take only {distinct} different value{'s' * (distinct != 1)}, so "
            "there is no tail to fit; the clock is coarse, or the target is deterministic"
        )
    return ""


def _first(n: int) -> int:
    return min(MOST_EXCEEDANCES, int(_HIGHEST_SHARE * n))


def _highest(values: Floats, count: int) -> Floats:
    """Return the highest values, sorted, which takes a fraction of sorting all."""
    rest = len(values) - count
    return np.sort(np.partition(values, rest)[rest:])


def _candidates(values: Floats, rng: np.random.Generator) -> Iterator[_Peaks]:
    count = _first(len(values))
    ordered = _highest(values, count + 1)
    while count >= FEWEST_EXCEEDANCES:
        peaks = _peaks(values, float(ordered[-count - 1]), rng)
        if len(peaks.excesses) >= FEWEST_EXCEEDANCES:
            yield peaks
        count //= 2


# Independence


def _peaks(values: Floats, threshold: float, rng: np.random.Generator) -> _Peaks:
    """Return the exceedances of a threshold, of each cluster the largest if they are clustered."""
    where = np.flatnonzero(values > threshold)
    excesses = values[where] - threshold
    index = _extremal_index(np.diff(where))
    if index < _DEPENDENT and not _by_chance(index, len(where), len(values), rng):
        gaps = np.diff(where)
        clusters = min(int(index * len(where)) + 1, len(where))
        # Intervals declustering: the largest gaps lie between clusters (Ferro & Segers 2003, section 4).
        starts = np.sort(np.argsort(gaps, kind="stable")[len(gaps) - (clusters - 1) :]) + 1
        excesses = np.maximum.reduceat(excesses, np.concatenate(([0], starts)))
    else:
        index = 1.0
    return _Peaks(threshold, np.sort(excesses), index)


def _extremal_index(gaps: NDArray[np.int64]) -> float:
    """Return the intervals estimator of Ferro & Segers (2003), equation 5, of the gaps between exceedances."""
    t = gaps.astype(np.float64)
    if t.max() <= 2:
        return min(1.0, float(2 * t.sum() ** 2 / (len(t) * np.sum(t**2))))
    return min(1.0, float(2 * np.sum(t - 1) ** 2 / (len(t) * np.sum((t - 1) * (t - 2)))))


def _by_chance(index: float, count: int, n: int, rng: np.random.Generator) -> bool:
    """Return whether exceedances at random places often have so low an extremal index."""
    shuffled = (np.sort(rng.choice(n, count, replace=False)) for _ in range(_SHUFFLES))
    return sum(_extremal_index(np.diff(where)) <= index for where in shuffled) > 0.01 * _SHUFFLES


# The fit


def _fit(excesses: Floats) -> tuple[Floats, Floats]:
    """Return shape and scale of the generalized Pareto distribution for each row of sorted excesses.

    The estimator of Zhang & Stephens (Technometrics 51(3), 2009): a mean of the profile likelihood, about as efficient
    as its maximum, which need not exist in a small sample, and without a search.
    """
    rows, n = excesses.shape
    points = 20 + int(np.sqrt(n))
    quartile = excesses[:, int(n / 4 + 0.5) - 1 : int(n / 4 + 0.5)]
    j = np.arange(1, points + 1)
    theta = 1 / excesses[:, -1:] + (1 - np.sqrt(points / (j - 0.5))) / (3 * quartile)
    shapes = np.empty((rows, points))
    for column in range(points):
        shapes[:, column] = np.log1p(-theta[:, column, None] * excesses).mean(axis=1)
    likelihood = n * (np.log(-theta / shapes) - shapes - 1)
    weights = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
    best = (theta * weights).sum(axis=1) / weights.sum(axis=1)
    shape = np.log1p(-best[:, None] * excesses).mean(axis=1)
    return shape, -shape / best


def _anderson_darling(excesses: Floats, shape: Floats, scale: Floats) -> Floats:
    """Return how far each row of sorted excesses is from its fit, with weight on the tail (Anderson & Darling 1954)."""
    n = excesses.shape[1]
    below = pareto_log_below(excesses, shape[:, None], scale[:, None])
    above = pareto_log_above(excesses, shape[:, None], scale[:, None])
    weights = 2 * np.arange(1, n + 1) - 1
    distance: Floats = -n - ((below + above[:, ::-1]) * weights).mean(axis=1)
    return distance


class _Fit(msgspec.Struct, frozen=True):
    peaks: _Peaks
    shape: float
    scale: float
    p_value: float
    shapes: NDArray[np.float64]
    """Of the replicates; in the same way the scales."""
    scales: NDArray[np.float64]


def _fitted(peaks: _Peaks, rng: np.random.Generator) -> _Fit:
    own = peaks.excesses[None, :]
    shape, scale = _fit(own)
    drawn = pareto_drawn(float(shape[0]), float(scale[0]), (_REPLICATES, own.shape[1]), rng)
    drawn.sort(axis=1)
    shapes, scales = _fit(drawn)
    beyond = int(np.count_nonzero(_anderson_darling(drawn, shapes, scales) >= _anderson_darling(own, shape, scale)))
    return _Fit(peaks, float(shape[0]), float(scale[0]), (1 + beyond) / (1 + _REPLICATES), shapes, scales)


# What comes out


def _estimate(
    values: Floats, candidates: Sequence[_Peaks], once_in: Sequence[float], rng: np.random.Generator, words: _Words
) -> Tail:
    tried: list[Threshold] = []
    for peaks in candidates:
        fit = _fitted(peaks, rng)
        tried.append(Threshold(peaks.threshold, len(peaks.excesses), fit.shape, fit.p_value))
        if fit.p_value > _FITS:
            break
    for peaks in candidates[len(tried) :]:
        shape, _ = _fit(peaks.excesses[None, :])
        tried.append(Threshold(peaks.threshold, len(peaks.excesses), float(shape[0]), None))
    shape_interval = interval(fit.shape, fit.shapes)
    exceeded = () if fit.shape >= _HEAVIEST else tuple(_exceeded(values, fit, once, rng) for once in once_in)
    caveats = tuple(_caveats(values, fit, tried, exceeded, words))
    return Tail(
        sentence=_sentence(values, fit, exceeded, caveats, words),
        caveats=caveats,
        exceeded=exceeded,
        threshold=fit.peaks.threshold,
        exceedances=len(fit.peaks.excesses),
        extremal_index=fit.peaks.extremal_index,
        shape=shape_interval,
        scale=fit.scale,
        p_value=fit.p_value,
        tried=tuple(tried),
    )


def _exceeded(values: Floats, fit: _Fit, once_in: float, rng: np.random.Generator) -> RareValue:
    """Return the value exceeded once in so many samples: the return level of Coles (2001), section 4.3.3."""
    n, k = len(values), len(fit.peaks.excesses)
    if once_in * k <= n:  # not above the threshold: the samples themselves say it
        return RareValue(once_in, order_interval(np.sort(values), 1 - 1 / once_in))
    value = fit.peaks.threshold + float(pareto_exceeded(n / (k * once_in), fit.shape, fit.scale))
    counts = np.maximum(rng.binomial(n, k / n, _REPLICATES), 1)
    beyond = np.minimum(n / (counts * once_in), 1)
    replicates = fit.peaks.threshold + pareto_exceeded(beyond, fit.shapes, fit.scales)
    found = interval(value, np.where(fit.shapes >= _HEAVIEST, np.inf, replicates))
    return RareValue(once_in, found)


def _caveats(
    values: Floats, fit: _Fit, tried: Sequence[Threshold], exceeded: Sequence[RareValue], words: _Words
) -> Iterator[str]:
    if fit.shape >= _HEAVIEST:
        yield f"with a shape of {fit.shape:.2f} the fitted tail is so heavy that not even its mean is finite"
    if fit.p_value <= _FITS:
        yield f"no threshold was found above which the values follow the distribution (p = {fit.p_value:.2g})"
    yield from _mixed(values, words.grid)
    if fit.peaks.extremal_index < 1:
        yield (
            f"the largest values come in clusters of {1 / fit.peaks.extremal_index:.1f} on average, each of which "
            "counts once"
        )
    if words.grid and fit.scale < 2 * words.grid:
        yield "the clock is too coarse for the shape of the tail"
    if _is_unstable(fit, tried):
        yield "the shape changes with the threshold"
    for one in exceeded:
        if one.once_in > _FAR * len(values):
            yield f"once in {one.once_in:,.0f} lies far beyond the {len(values):,} {words.what}s measured"
        if one.value.high is None or one.value.low is None or one.value.high - one.value.low > abs(one.value.value):
            yield "its interval is as wide as the value itself"


def _mixed(values: Floats, grid: float | None) -> Iterator[str]:
    """Return why the values are not of one distribution."""
    if len(levels(values, tick=grid)) > 1:
        yield "the values lie on several levels, and the tail is that of the highest one only"
    if is_drifting(values, tick=grid):
        yield "the values drift, so they have no single distribution"


def _is_unstable(fit: _Fit, tried: Sequence[Threshold]) -> bool:
    """Return whether the shape at a higher threshold is far off.

    The higher values are some of the same, so the variance of the difference is the difference of the variances
    (Hausman 1978), each (1 + shape)²/k (Smith 1987).
    """
    k = len(fit.peaks.excesses)
    return any(
        abs(one.shape - fit.shape) > _UNSTABLE * max(1 + fit.shape, 0.5) * np.sqrt(1 / one.exceedances - 1 / k)
        for one in tried
        if one.exceedances < k
    )


def _sentence(values: Floats, fit: _Fit, exceeded: Sequence[RareValue], caveats: Sequence[str], words: _Words) -> str:
    if not exceeded:
        return f"No rare value is estimated: {'; '.join(caveats)}."
    estimates = "; ".join(
        f"one {words.what} in {one.once_in:,.0f} exceeds about {one.value.value:.4g} µs (95 %: {_bounds(one.value)})"
        for one in exceeded
    )
    basis = (
        f"by the {len(fit.peaks.excesses)} largest of {len(values):,} {words.what}s; the largest seen is "
        f"{values.max():.4g} µs"
    )
    if caveats:
        return f"Extrapolated, {estimates}, {basis}. Do not rely on it: {'; '.join(caveats)}."
    return (
        f"Extrapolated, {estimates}, {basis}. The checks found no objection, but it is not a guarantee: it does not "
        "include events that did not occur during the measurement."
    )


def _bounds(found: Interval) -> str:
    low = "?" if found.low is None else f"{found.low:.4g}"
    return f"{low} or more" if found.high is None else f"{low} to {found.high:.4g}"
