"""Intervals of what was measured in several repetitions: of medians, percentiles, ratios and differences.

The repetition is the unit. Samples of one repetition share what stays the same while it runs (where the program lies in
memory, how warm the chip is), so a thousand of them may know that repetition to a hair and the next one not at all.
Intervals therefore come from how much the repetitions differ. Repetitions of one run in turn share the minutes in which
they were made, so of several runs the arrays below are those of runs (`intercore.benchmarks.grouping.by_run`), and so
are their intervals (Kalibera & Jones, ISMM 2013). Only of a single repetition they come from its samples:
they are then those of that repetition, and know nothing of what differs between two.

Every function takes one array of values for each repetition, those without values being left out, and raises ValueError
if no value is left. All give the same numbers for the same data each time.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from intercore.statistics.intervals import (
    CONFIDENCE,
    RESAMPLES,
    Interval,
    bootstrap_medians,
    interval,
    order_interval,
    ordered_median,
    ordered_quantile,
    sample_median,
)
from intercore.statistics.probability import student_above, student_quantile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Ticks: TypeAlias = tuple[float, float]
    """Of the two sides, as `tick` of `median`."""

EXACT = (0.0, 0.0)
"""Ticks of values that no clock has rounded."""

BEYOND = 10
"""Samples that must lie beyond a percentile for it to be reported: 100 samples for p90, 1,000 for p99, 10,000 for
p99.9.

With fewer it is one of the largest few values; with 10, the upper bound of its interval exists too."""

MOST_REPETITIONS = 1000
"""More than anybody waits for."""

_AGREEING = 3.0
"""Design effect (Kish, Survey Sampling, 1965) up to which repetitions have a percentile in common: by how much their
shares beyond it vary more than those of independent samples would."""
_FARTHEST = 30.0  # of a logarithm: times e to this are as good as infinite, and do not overflow


def median(repetitions: Iterable[ArrayLike], *, tick: float = 0.0, ordered: Floats | None = None) -> Interval:
    """Return the median of all values, with the 95 % interval of the median of a repetition.

    Student's t on the repetitions' medians, whatever the values follow: a median of many values is nearly normal.
    `tick` is the resolution of the clock in the unit of the values: where a median falls among equal values, they are
    taken as spread evenly over their tick (the median of grouped data), since medians that are whole ticks would all be
    the same and their interval without width. The interval is widened to hold the median of all values. It ends at 0
    where no value is below 0. Of a single repetition, the interval by order statistics. `ordered` are all values,
    sorted, for a caller that has them already: to sort is most of the work.
    """
    known = _with_values(repetitions)
    if len(known) == 1:
        return order_interval(np.sort(known[0]) if ordered is None else ordered, 0.5)
    value = sample_median(np.concatenate(known)) if ordered is None else ordered_median(ordered)
    centre, distance = _student(_medians(known, tick))
    # Of few repetitions that differ much, the bounds of what cannot be negative would be.
    least = 0.0 if min(float(one.min()) for one in known) >= 0 else -math.inf
    return Interval(value, min(max(centre - distance, least), value), max(centre + distance, value))


def percentile(repetitions: Iterable[ArrayLike], percent: float, *, ordered: Floats | None = None) -> Interval | None:
    """Return a percentile of all values with its 95 % interval; None if unknown.

    The share of values up to it differs between repetitions; Student's t on these shares, on the scale of log odds,
    gives the ranks of the bounds (Woodruff, JASA 47 (1952) 635, with repetitions as clusters). It is unknown if fewer
    than BEYOND values lie beyond it, if that many independent values would give a narrower interval, or if the
    repetitions differ too much for a common one (see the coverage in docs/statistics.md). Of a single repetition, the
    interval by order statistics. `ordered` as for `median`.
    """
    known = _with_values(repetitions)
    if ordered is None:
        ordered = np.sort(np.concatenate(known))
    n, share = len(ordered), percent / 100
    beyond = round(n * (100 - percent) / 100, 6)  # 10,000 samples have 10 beyond p99.9, not 9.999…
    if beyond < BEYOND:
        return None
    if len(known) == 1:
        return order_interval(ordered, share)
    value = ordered_quantile(ordered, share)
    chance = share * (1 - share) * float(np.mean([1 / len(one) for one in known]))
    shares = np.array([np.mean(one <= value) for one in known])
    effect = float(np.var(shares, ddof=1)) / chance
    if effect > _AGREEING or beyond / max(effect, 1.0) < BEYOND:
        return None
    error = math.sqrt(chance * max(effect, 1.0) / len(known))
    odds, distance = math.log(share / (1 - share)), _quantile(len(known) - 1) * error / (share * (1 - share))
    below, above = (1 / (1 + math.exp(-min(odds + side, _FARTHEST))) for side in (-distance, distance))
    low, high = math.floor(below * n) - 1, math.ceil(above * n)
    return Interval(value, float(ordered[low]), float(ordered[high])) if low >= 0 and high < n else None


class Medians(NamedTuple):
    """What is known of a median: enough to compare it by, without the values."""

    whole: Interval
    """Of all values, as `median` has it."""
    each: tuple[float, ...]
    """Of each repetition, or of each run where there are several; of a single one, that of all values."""
    runs: int = 1
    """How many runs they are from. What differs between two runs is unknown from one."""


def medians(repetitions: Iterable[ArrayLike], *, tick: float = 0.0, runs: int = 1) -> Medians:
    """Return the median of all values and that of each repetition; `tick` as for `median`."""
    known = _with_values(repetitions)
    whole = median(known, tick=tick)
    return Medians(whole, (whole.value,) if len(known) == 1 else tuple(map(float, _medians(known, tick))), runs)


def ratio(over: Iterable[ArrayLike], under: Iterable[ArrayLike], *, ticks: Ticks = EXACT) -> Interval | None:
    """Return the ratio of two medians with its 95 % interval, by `ratio_of_medians`."""
    return ratio_of_medians(medians(over, tick=ticks[0]), medians(under, tick=ticks[1]))


def ratio_of_medians(over: Medians, under: Medians) -> Interval | None:
    """Return the ratio of two medians with its 95 % interval; None if either median is not above 0.

    Of repetitions that have nothing to do with each other: Welch's t on the logarithms of their medians. If either side
    is a single repetition, from the intervals of the two medians, by `ratio_of_intervals`. If either side is of several
    runs, of these; a single run on the other side is taken to scatter as they do. Bounds are None where a repetition's
    median is not above 0.
    """
    if min(over.whole.value, under.whole.value) <= 0:
        return None
    over, under = _of_one_level(over, under)
    if over.runs == under.runs == 1 and min(len(over.each), len(under.each)) == 1:
        return ratio_of_intervals(over.whole, under.whole)
    if min(*over.each, *under.each) <= 0:
        return Interval(over.whole.value / under.whole.value)
    return _of_logarithm((over.whole.value, under.whole.value), *_welch(np.log(over.each), np.log(under.each)))


def ratio_of_intervals(over: Interval, under: Interval) -> Interval | None:
    """Return the ratio of two values that are each known with a 95 % interval; None if either is not above 0.

    MOVER (Zou & Donner, Statistics in Medicine 27 (2008) 1693), for a ratio on the logarithmic scale.
    """
    if min(over.value, under.value) <= 0:
        return None
    found, value = _mover(_logarithm(over), _logarithm(under)), over.value / under.value
    low, high = (None if bound is None else value * math.exp(bound - found.value) for bound in (found.low, found.high))
    return Interval(value, low, high)


def chance(over: Medians, under: Medians) -> float | None:
    """Return the p value of the two medians of `ratio_of_medians` being the same, by the same Welch's t.

    None where a side is a single repetition, which knows nothing of what differs between two, or where a repetition's
    median is not above 0.
    """
    found = _logarithms(over, under)
    if found is None:
        return None
    apart, error, freedom = _welch_error(*found)
    if error == 0:
        return 1.0 if apart == 0 else 0.0
    return 2 * student_above(abs(apart) / error, freedom)


def repetitions_for(within: float, over: Medians, under: Medians) -> int | None:
    """Return how many repetitions (or runs) of either side would make the bounds of their ratio lie within a share.

    `within` is above 0. The present scatter is assumed. None if it is unknown (a single repetition, a median that is
    not above 0), or if the number is above MOST_REPETITIONS.
    """
    found = _logarithms(over, under)
    if found is None:
        return None
    variances = [float(np.var(side, ddof=1)) for side in found if len(side) > 1]
    variance = 2 * sum(variances) / len(variances)
    for count in range(2, MOST_REPETITIONS + 1):
        if _quantile(2 * count - 2) * math.sqrt(variance / count) <= math.log1p(within):
            return count
    return None


def _logarithms(over: Medians, under: Medians) -> tuple[Floats, Floats] | None:
    """Return the logarithms of both sides' medians; None where one is not above 0, or a side has a repetition only."""
    over, under = _of_one_level(over, under)
    is_known = max(over.runs, under.runs) > 1 or min(len(over.each), len(under.each)) > 1
    if not is_known or min(*over.each, *under.each) <= 0:
        return None
    return np.log(over.each), np.log(under.each)


def _of_one_level(over: Medians, under: Medians) -> tuple[Medians, Medians]:
    """Return both sides with a median for each run, if either has several, else for each repetition."""
    if over.runs == under.runs == 1:
        return over, under
    first, second = (one if one.runs > 1 else one._replace(each=(one.whole.value,)) for one in (over, under))
    return first, second


def difference(one: Iterable[ArrayLike], less: Iterable[ArrayLike], *, ticks: Ticks = EXACT) -> Interval:
    """Return the difference of two medians with its 95 % interval, by the same methods, without logarithms."""
    sides = [_with_values(side) for side in (one, less)]
    if min(map(len, sides)) == 1:
        return _mover(*map(median, sides))
    first, second = (sample_median(np.concatenate(side)) for side in sides)
    centre, distance = _welch(*(_medians(side, tick) for side, tick in zip(sides, ticks, strict=True)))
    value = first - second
    return Interval(value, min(centre - distance, value), max(centre + distance, value))


def paired_ratio(
    over: Sequence[ArrayLike], under: Sequence[ArrayLike], rng: np.random.Generator, *, ticks: Ticks = EXACT
) -> Interval:
    """Return the ratio of two medians that were measured together, repetition by repetition, with its 95 % interval.

    Student's t on the logarithm of each repetition's ratio: what the two have in common in a repetition cancels. Of a
    single repetition, the percentiles of a bootstrap that draws pairs of samples. Both medians of all values are above
    0; bounds are None where that of a repetition is 0.
    """
    pairs = _pairs(over, under)
    whole = [sample_median(np.concatenate(side)) for side in zip(*pairs, strict=True)]
    value = whole[0] / whole[1]
    if len(pairs) == 1:
        if len(pairs[0][0]) == 1:
            return Interval(value)
        first, second = bootstrap_medians(*pairs[0], rng)
        return interval(value, np.divide(first, second, out=np.full_like(first, np.inf), where=second > 0))
    first, second = (_medians(side, tick) for side, tick in zip(zip(*pairs, strict=True), ticks, strict=True))
    if min(first.min(), second.min()) <= 0:
        return Interval(value)
    return _of_logarithm(whole, *_student(np.log(first) - np.log(second)))


def paired_draws(
    first: Sequence[ArrayLike], second: Sequence[ArrayLike], rng: np.random.Generator, *, ticks: Ticks = EXACT
) -> Floats | None:
    """Return RESAMPLES equally likely pairs of medians that were measured together, shape (2, RESAMPLES).

    From the two-dimensional t distribution around the means of the repetitions' medians, so that what is computed of
    the pairs has intervals for what differs between repetitions; none is below 0. Of a single repetition, bootstrap
    medians of its pairs of samples; None if it is a single pair.
    """
    pairs = _pairs(first, second)
    if len(pairs) == 1:
        return None if len(pairs[0][0]) == 1 else bootstrap_medians(*pairs[0], rng)
    medians = np.stack([_medians(side, tick) for side, tick in zip(zip(*pairs, strict=True), ticks, strict=True)])
    freedom = len(pairs) - 1
    spread = np.cov(medians) / len(pairs)
    # Of two repetitions it has no width in one direction, which rounding may make one below 0: that is taken as none.
    normal = rng.multivariate_normal((0, 0), spread, RESAMPLES, check_valid="ignore", method="eigh").T
    draws: Floats = medians.mean(axis=1)[:, None] + normal / np.sqrt(rng.chisquare(freedom, RESAMPLES) / freedom)
    return np.maximum(draws, 0.0, out=draws)


def next_median(repetitions: Iterable[ArrayLike], *, tick: float = 0.0) -> Interval:
    """Return the median of all values with the 95 % interval for the median of one further repetition.

    Student's t on the logarithms of the repetitions' medians: one more is off their mean by what they are, and the mean
    is known only so well. It holds the interval of the median of all. Of a single repetition, that by order statistics,
    wider by the root of 2: a further one would be known no better. Bounds are None where a repetition's median is not
    above 0.
    """
    known = _with_values(repetitions)
    whole = median(known, tick=tick)
    if len(known) == 1:
        return Interval(whole.value, *(_farther(whole.value, bound, math.sqrt(2)) for bound in (whole.low, whole.high)))
    medians = _medians(known, tick)
    if medians.min() <= 0:
        return Interval(whole.value)
    logarithms = np.log(medians)
    centre = float(logarithms.mean())
    distance = _quantile(len(known) - 1) * float(np.std(logarithms, ddof=1)) * math.sqrt(1 + 1 / len(known))
    low, high = (math.exp(min(max(centre + side, -_FARTHEST), _FARTHEST)) for side in (-distance, distance))
    return Interval(whole.value, min(low, whole.value), max(high, whole.value))


def _farther(value: float, bound: float | None, times: float) -> float | None:
    return None if bound is None else max(value + times * (bound - value), 0.0)


def _with_values(repetitions: Iterable[ArrayLike]) -> list[Floats]:
    known = [one for one in (np.asarray(each, dtype=np.float64) for each in repetitions) if one.size]
    if not known:
        raise ValueError("no repetition has any values, so there is nothing to summarise")
    return known


def _pairs(first: Sequence[ArrayLike], second: Sequence[ArrayLike]) -> list[tuple[Floats, Floats]]:
    both = [
        (np.asarray(one, dtype=np.float64), np.asarray(two, dtype=np.float64))
        for one, two in zip(first, second, strict=True)
    ]
    known = [pair for pair in both if len(pair[0])]
    if not known:
        raise ValueError("a sample without values has no summary")
    return known


def _medians(repetitions: Iterable[Floats], tick: float) -> Floats:
    return np.array([grouped_median(one, tick) for one in repetitions])


def grouped_median(values: Floats, tick: float) -> float:
    """Return the median; that of grouped data where it falls among values that a clock's ticks have made equal.

    `tick` is the resolution of the clock in the unit of the values, of which there is at least one.
    """
    value = sample_median(values)
    equal = int(np.count_nonzero(values == value))
    if tick <= 0 or equal < 2:
        return value
    below = int(np.count_nonzero(values < value))
    return value + tick * ((len(values) / 2 - below) / equal - 0.5)


def _student(values: Floats) -> tuple[float, float]:
    """Return the mean of at least two values, and how far the bounds of its interval are from it."""
    centre, variance = _mean(values)
    return centre, _quantile(len(values) - 1) * math.sqrt(variance)


def _mean(values: Floats) -> tuple[float, float]:
    """Return the mean of at least two values and its variance; exactly, if they are equal."""
    if np.ptp(values) == 0:
        return float(values[0]), 0.0
    return float(values.mean()), float(np.var(values, ddof=1)) / len(values)


@lru_cache(maxsize=1000)
def _quantile(freedom: float) -> float:
    """Return how many standard errors the bounds of a 95 % interval are from the mean."""
    return student_quantile((1 + CONFIDENCE) / 2, freedom)


def _of_logarithm(medians: Sequence[float], centre: float, distance: float) -> Interval:
    """Return the ratio of two medians whose logarithm lies around a centre; the interval is widened to hold it."""
    value = medians[0] / medians[1]
    beside = centre - float(np.log(medians[0]) - np.log(medians[1]))  # exactly 0 where all repetitions are equal
    low, high = (value * math.exp(min(max(beside + side, -_FARTHEST), _FARTHEST)) for side in (-distance, distance))
    return Interval(value, min(low, value), max(high, value))


def _welch(one: Floats, less: Floats) -> tuple[float, float]:
    """Return the difference of two means, and how far its bounds are from it."""
    apart, error, freedom = _welch_error(one, less)
    return apart, _quantile(freedom) * error if error else 0.0


def _welch_error(one: Floats, less: Floats) -> tuple[float, float, float]:
    """Return the difference of two means, its standard error and its degrees of freedom (Welch & Satterthwaite).

    A side of one value is taken to scatter as the other one does, which has several.
    """
    if min(len(one), len(less)) == 1:
        several, single = (one, less) if len(one) > 1 else (less, one)
        scatter = float(np.std(several, ddof=1)) if np.ptp(several) else 0.0
        error = scatter * math.sqrt(1 / len(several) + 1 / len(single))
        return float(one.mean() - less.mean()), error, len(several) - 1
    means, variances = zip(_mean(one), _mean(less), strict=True)
    total = sum(variances)
    if total == 0:
        return means[0] - means[1], 0.0, math.inf
    parts = (part**2 / (len(side) - 1) for part, side in zip(variances, (one, less), strict=True))
    return means[0] - means[1], math.sqrt(total), total**2 / sum(parts)


def _mover(one: Interval, less: Interval) -> Interval:
    """Return the difference of two values from their intervals (Zou & Donner 2008)."""
    value = one.value - less.value
    low = None if one.low is None or less.high is None else math.hypot(one.value - one.low, less.high - less.value)
    high = None if one.high is None or less.low is None else math.hypot(one.high - one.value, less.value - less.low)
    return Interval(value, None if low is None else value - low, None if high is None else value + high)


def _logarithm(one: Interval) -> Interval:
    low, high = (math.log(bound) if bound is not None and bound > 0 else None for bound in (one.low, one.high))
    return Interval(math.log(one.value), low, high)
