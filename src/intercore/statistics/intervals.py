"""Statistics of a sample: order statistics, bootstrap intervals of medians, and whether phases are concentrated.

Every function gives finite numbers without warnings on degenerate samples (one value, all equal, all zero), and the
same numbers for the same data each time.
"""

from __future__ import annotations

import zlib
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.statistics.probability import binomial_quantile, normal_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

CONFIDENCE = 0.95
"""Level of every interval."""

RESAMPLES = 2000
"""Bootstrap resamples; 50 of them lie beyond each bound of a 95 % interval."""

LARGE = 5000
"""Pairs above which the normal distribution of a median's rank is as good as resampling."""

_SEED = 0x1C0E
_ROUNDING = 8 * np.finfo(np.float64).eps  # of the largest value, that a few operations may put a value off its grid
_TELLING = 0.1  # of a step: largest error by rounding up to which a value lies on the grid
_VALUES_PER_BATCH = 2_000_000  # bounds the memory of a bootstrap to some 50 MB however many samples there are


class Interval(msgspec.Struct, frozen=True):
    """A value with its 95 % confidence interval; the bounds are None where the data cannot give them."""

    value: float
    low: float | None = None
    high: float | None = None


def scaled(known: Interval, factor: float) -> Interval:
    """Return a value and its bounds times a factor of at least 0."""
    low, high = (None if bound is None else bound * factor for bound in (known.low, known.high))
    return Interval(known.value * factor, low, high)


@cache
def normal_reach() -> float:
    """Return how many standard errors an interval extends to either side where errors are normal: 1.96."""
    return normal_quantile((1 + CONFIDENCE) / 2)


class Summary(msgspec.Struct, frozen=True):
    """A sample in nine numbers, all but `n` in the unit of the values."""

    n: int
    """Number of values, at least 1."""
    min: float
    median: float
    mean: float
    p90: float
    """90th percentile, interpolated linearly between neighbours, as is `p99`."""
    p99: float
    max: float
    stdev: float
    """Standard deviation with n - 1 in the denominator; 0 for a single value."""


class Rayleigh(msgspec.Struct, frozen=True):
    """Rayleigh's test of phases against a uniform distribution on the circle."""

    resultant: float
    """Mean resultant length: 0 for phases that cancel, 1 for identical ones."""
    phase: float
    """Mean phase as a fraction of the period, -0.5 to 0.5."""
    p_value: float
    """Probability of a resultant at least as long if the phases were uniform."""


def summary(values: ArrayLike) -> Summary:
    """Summarise at least one value; ValueError if there is none."""
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0:
        raise ValueError("a sample without values has no summary")
    low, median, p90, p99, high = np.percentile(array, (0, 50, 90, 99, 100))
    return Summary(
        n=array.size,
        min=float(low),
        median=float(median),
        mean=min(max(float(array.mean()), float(low)), float(high)),  # a sum of equal values is rounded
        p90=float(p90),
        p99=float(p99),
        max=float(high),
        stdev=float(array.std(ddof=1)) if high > low else 0.0,
    )


def ordered_quantile(ordered: NDArray[np.float64], probability: float) -> float:
    """Return what `numpy.quantile` does of at least one value, which are sorted here: by itself it takes 0.1 ms."""
    place = (len(ordered) - 1) * probability
    below = int(place)
    share, low = place - below, float(ordered[below])
    if share == 0:
        return low
    high = float(ordered[below + 1])
    # From the nearer one of the two, as numpy rounds it.
    return low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share)


def ordered_median(ordered: NDArray[np.float64]) -> float:
    """Return the median of at least one value, sorted here, in the same way."""
    return (float(ordered[(len(ordered) - 1) // 2]) + float(ordered[len(ordered) // 2])) / 2


def sample_median(values: ArrayLike) -> float:
    """Return the median of at least one value, as `numpy.median` does in three times the time for a hundred."""
    array = np.asarray(values, np.float64)
    middle = ((len(array) - 1) // 2, len(array) // 2)
    low, high = np.partition(array, middle)[[*middle]]
    return float(low + high) / 2


def order_interval(ordered: NDArray[np.float64], probability: float) -> Interval:
    """Return a quantile of at least one sorted value with its interval by order statistics, whatever they follow.

    How many of n values lie below the quantile is binomial (n, probability), so its quantiles are the ranks of the
    bounds (David & Nagaraja, Order Statistics, 3rd ed. 2003, section 7.1). The interval covers the truth in at least
    95 % of samples, in more where values are tied. A bound is None where too few values leave no rank for it: a median
    takes 6. The value itself is interpolated linearly between neighbours.
    """
    n = len(ordered)
    below, above = _ranks(n, probability)
    return Interval(
        ordered_quantile(ordered, probability),
        float(ordered[below - 1]) if below >= 1 else None,
        float(ordered[above]) if above < n else None,
    )


@lru_cache(maxsize=1000)
def _ranks(n: int, probability: float) -> tuple[int, int]:
    """Return how many of n values lie below a quantile at least and at most, with 95 % confidence."""
    tail = (1 - CONFIDENCE) / 2
    return binomial_quantile(tail, n, probability), binomial_quantile(1 - tail, n, probability)


def granularity(values: ArrayLike) -> float | None:
    """Return the step of which all differences between the values are multiples: a tick of their clock, or a few.

    None if there is no such step, or fewer than two distinct values. Values may be rounded as floats are.
    """
    distinct = np.unique(np.asarray(values, dtype=np.float64))
    if distinct.size < 2:
        return None
    steps = np.diff(distinct)
    step = float(steps.min())
    rounding = _ROUNDING * float(np.abs(distinct[[0, -1]]).max())
    if rounding > step * _TELLING:
        return None
    multiples = steps / step
    # The n-th multiple is off by what two values are, and by n times what the step is.
    off = rounding / step * (1 + multiples)
    return step if np.all(np.abs(multiples - np.rint(multiples)) <= np.minimum(off, _TELLING)) else None


def generator(key: str) -> np.random.Generator:
    """Return the random generator that belongs to `key`.

    A seed per key makes the result for one setting independent of what else was measured, without giving two settings
    the same resamples, which would correlate them.
    """
    return np.random.default_rng((_SEED, zlib.crc32(key.encode())))


def bootstrap_medians(
    first: NDArray[np.float64], second: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the medians of RESAMPLES resamples of two paired samples, shape (2, RESAMPLES).

    A resample draws pairs, so what the two have in common stays in. Needs at least two pairs. Beyond LARGE the ranks of
    the medians are drawn instead, from the normal distribution that they then follow: resampling would take a minute.
    """
    if len(first) > LARGE:
        return _medians_by_rank(first, second, rng)
    # As scipy.stats.bootstrap does it, which the tests compare with, and which takes a second to load.
    n = len(first)
    batch = max(1, _VALUES_PER_BATCH // n)
    found = []
    for left in range(RESAMPLES, 0, -batch):
        drawn = rng.integers(0, n, (min(batch, left), n))
        found.append(np.stack((_medians(first[drawn]), _medians(second[drawn]))))
    return np.concatenate(found, axis=1)


def _medians(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what `numpy.median` does of each row, in half its time for rows of some ten values."""
    ordered, n = np.sort(rows, axis=1), rows.shape[1]
    return (ordered[:, (n - 1) // 2] + ordered[:, n // 2]) / 2


def _medians_by_rank(
    first: NDArray[np.float64], second: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return what `bootstrap_medians` does, for many pairs.

    How many values of a resample lie below the median is binomial (n, 1/2), so the median's rank has mean n/2 and
    variance n/4 (Efron & Tibshirani 1993, section 5.4); both counts follow from one draw of samples, so they are
    correlated as far as the two series are below and above their medians together. Values that are equal to a median
    are on neither side.
    """
    n = len(first)
    sides = np.sign(np.stack((first - np.median(first), second - np.median(second))))
    # Without values on both sides a series has nothing to be correlated with.
    correlation = float(np.corrcoef(sides)[0, 1]) if np.all(np.ptp(sides, axis=1) > 0) else 0.0
    normal = rng.multivariate_normal((0, 0), ((1, correlation), (correlation, 1)), RESAMPLES).T
    ranks = np.clip(np.rint((n - 1) / 2 + np.sqrt(n) / 2 * normal), 0, n - 1).astype(int)
    return np.stack((np.sort(first)[ranks[0]], np.sort(second)[ranks[1]]))


def interval(value: float, replicates: NDArray[np.float64]) -> Interval:
    """Return `value` with the percentile interval of its bootstrap replicates (Efron & Tibshirani 1993, chapter 13).

    Replicates may be infinite: a bound that falls on one is None. The interval is widened to hold `value`, which a
    median of few distinct values can miss by a rounding error.
    """
    # No interpolation between replicates: halfway to an infinite one is not a number.
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(replicates, (tail, 1 - tail), method="inverted_cdf")
    return Interval(
        value,
        min(float(low), value) if np.isfinite(low) else None,
        max(float(high), value) if np.isfinite(high) else None,
    )


def rayleigh(phases: NDArray[np.float64]) -> Rayleigh:
    """Test at least one phase, given as fractions of the period, for concentration around one value.

    The p-value is the approximation of Zar, Biostatistical Analysis, 5th ed. 2010, equation 27.4.
    """
    n = len(phases)
    mean = np.exp(2j * np.pi * phases).mean()
    resultant = min(float(abs(mean)), 1.0)
    p_value = np.exp(np.sqrt(1 + 4 * n + 4 * n**2 * (1 - resultant**2)) - (1 + 2 * n))
    return Rayleigh(resultant, float(np.angle(mean) / (2 * np.pi)), min(float(p_value), 1.0))
