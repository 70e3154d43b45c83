"""Caveats on a sample: drift, several levels, bursts of outliers, each with the likely cause.

Only an effect that matters is reported, not of one that is merely significant: a million samples make the
smallest drift significant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
import numpy as np

from intercore.finding import Caveat
from intercore.statistics.intervals import granularity, ordered_quantile, sample_median
from intercore.statistics.probability import binomial_above, rank_sum

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

_SIGNIFICANT = 0.001
_FEWEST = 20  # fewest samples for a finding
_FEWEST_IN_LEVEL = 10

_DRIFT = 0.71  # probability of superiority that Vargha & Delaney (2000) call a large effect
_RELEVANT = 0.02  # of the median: less is not worth a warning

_LEVEL_SHARE = 0.05  # of the samples, in the smallest level
_STRAY = 0.01  # of the samples, may lie between two levels
_MOST_LEVELS = 4
_FEW_CHANGES = 0.1  # of the changes between levels that chance would make: then levels are phases in time

_FAR_OUT = 10  # times the median distance from the median: 6.7 standard deviations of a normal distribution
_FEWEST_OUTLIERS = 6
_MOST_OUTLIERS = 0.05  # of the samples: more are a level, not outliers
_NEAR = 0.1  # of the mean distance between outliers
_TOGETHER = 0.5  # of the outliers near the one before


class Level(msgspec.Struct, frozen=True):
    """One of several values around which samples lie."""

    centre: float
    """Median of the samples there."""
    share: float
    """Fraction of all samples."""


class Drift(Caveat, frozen=True):
    """The second half of the samples lies clearly above or below the first half."""

    first: float
    """Median of the first half."""
    second: float

    @property
    def sentence(self) -> str:
        return (
            f"The values drift: the median of the first half is {self.first:.4g} µs, that of the second half "
            f"{self.second:.4g} µs. A clock frequency that changes with load or temperature, memory that fills up, or "
            "another program that started or ended is likely; warm up, fix the frequency, and measure again."
        )


class SeveralLevels(Caveat, frozen=True):
    """The samples lie around several values."""

    levels: tuple[Level, ...]
    """The lowest first."""
    change: Literal["between repetitions", "seldom", "often"]
    changes: int
    """From one level to another, from sample to sample."""

    @property
    def sentence(self) -> str:
        listed = ", ".join(f"{level.share:.0%} around {level.centre:.4g} µs" for level in self.levels)
        cause = {
            "between repetitions": (
                "Each repetition lies on one level. The cause is likely fixed when a repetition begins, or changes "
                "more slowly than a repetition, such as a clock frequency or another program. The interval includes "
                "this effect."
            ),
            "seldom": (
                f"They stay on one level for a long time and change {self.changes} time{'s' * (self.changes != 1)}: a "
                "clock frequency that changes, a task that moved to another core, or another program is likely. A "
                "mean or a median alone is not enough."
            ),
            "often": (
                "They change often: two paths through the code, a cache that hits or misses, an interrupt, or a wait "
                "for a tick is likely. A mean or a median alone is not enough."
            ),
        }[self.change]
        return f"The values lie on {len(self.levels)} levels: {listed}. {cause}"


class Bursts(Caveat, frozen=True):
    """Outliers come together."""

    outliers: int
    samples: int
    bursts: int
    max: float
    median: float

    @property
    def sentence(self) -> str:
        return (
            f"{self.outliers} of {self.samples:,} values are far above the rest (up to {self.max:.4g} µs; the median "
            f"is {self.median:.4g} µs) and come in {self.bursts} burst{'s' * (self.bursts != 1)}: other work likely "
            "ran for a while, such as another program, many interrupts or a console. Measure on a quieter machine, or "
            "longer, to see whether such bursts belong to the system."
        )


Disturbance: TypeAlias = Drift | SeveralLevels | Bursts
"""What disturbed samples."""


def disturbances(repetitions: Iterable[ArrayLike], *, tick: float | None = None) -> tuple[Disturbance, ...]:
    """Return what disturbed the samples; nothing of fewer than 20.

    They are given by repetition, in the order in which they were taken: levels on which whole repetitions lie have
    another cause than those that change within one. `tick` is the resolution of their clock in their unit; without it,
    it is taken from the values. Steps of one tick are no levels.
    """
    each = [np.asarray(values, dtype=np.float64) for values in repetitions]
    array = np.concatenate(each) if each else np.zeros(0)
    if len(array) < _FEWEST:
        return ()
    smallest = _smallest_effect(array, tick)
    edges = _level_edges(array, smallest)
    found: list[Disturbance] = []
    if edges:
        found.append(_several_levels(each, edges))
    elif _drifts(array, smallest):
        first, second = (sample_median(half) for half in np.array_split(array, 2))
        found.append(Drift(first=first, second=second))
    outliers = _outliers(array, smallest)
    if _come_in_bursts(outliers, len(array)):
        near = max(1, int(_NEAR * len(array) / len(outliers)))
        bursts = 1 + int(np.count_nonzero(np.diff(outliers) > near))
        largest, median = float(array.max()), sample_median(array)
        found.append(Bursts(outliers=len(outliers), samples=len(array), bursts=bursts, max=largest, median=median))
    return tuple(found)


def levels(values: ArrayLike, *, tick: float | None = None) -> tuple[Level, ...]:
    """Return the levels around which the samples lie, lowest first; a single one where there are no several.

    Levels are separate if a gap, with at most 1 % of the samples in it, is wider than the middle 80 % of the samples on
    either side, and than 2 % of the median; each holds at least 5 % of the samples, and 10. No values, no level.
    """
    array = np.asarray(values, dtype=np.float64)
    if len(array) == 0:
        return ()
    edges = _level_edges(array, _smallest_effect(array, tick)) if len(array) >= _FEWEST else []
    return tuple(_levels(array, edges))


def is_drifting(values: ArrayLike, *, tick: float | None = None) -> bool:
    """Return whether the second half of the samples lies clearly above or below the first half.

    By the rank test of Mann and Whitney (p below 0.001), and only if a sample of one half is beyond one of the other in
    71 % of pairs (a large effect after Vargha & Delaney 2000) and the medians are 2 % apart.
    """
    array = np.asarray(values, dtype=np.float64)
    return len(array) >= _FEWEST and _drifts(array, _smallest_effect(array, tick))


def _smallest_effect(values: Floats, tick: float | None) -> float:
    """Return the smallest difference that is reported: more than one tick, and a share of the median."""
    step = granularity(values) if tick is None else tick
    return max(1.5 * (step or 0.0), _RELEVANT * abs(sample_median(values)))


# Drift


def _drifts(values: Floats, smallest: float) -> bool:
    first, second = np.array_split(values, 2)
    if abs(sample_median(second) - sample_median(first)) < smallest or values.min() == values.max():
        return False
    superiority, chance = rank_sum(first, second)
    return chance < _SIGNIFICANT and max(superiority, 1 - superiority) >= _DRIFT


# Levels


def _level_edges(values: Floats, smallest: float) -> list[float]:
    """Return the values that separate levels, in order."""
    return sorted(_gaps(np.sort(values), max(_FEWEST_IN_LEVEL, _LEVEL_SHARE * len(values)), smallest))[
        : _MOST_LEVELS - 1
    ]


def _gaps(ordered: Floats, fewest: float, smallest: float) -> Iterator[float]:
    """Split at the widest gap, and what is on either side again."""
    least = int(np.ceil(fewest))
    stray = int(_STRAY * len(ordered))
    below = np.arange(least - 1, len(ordered) - least - stray)
    if not len(below):
        return
    widths = ordered[below + stray + 1] - ordered[below]
    last = int(below[np.argmax(widths)])
    low, high = ordered[: last + 1], ordered[last + stray + 1 :]
    width = float(high[0] - low[-1])
    if width < smallest or width <= max(_spread(low), _spread(high)):
        return
    yield float(low[-1] + high[0]) / 2
    yield from _gaps(low, fewest, smallest)
    yield from _gaps(high, fewest, smallest)


def _spread(ordered: Floats) -> float:
    return ordered_quantile(ordered, 0.9) - ordered_quantile(ordered, 0.1)


def _levels(values: Floats, edges: Sequence[float]) -> Iterator[Level]:
    belongs = np.searchsorted(edges, values)
    for index in range(len(edges) + 1):
        members = values[belongs == index]
        yield Level(sample_median(members), len(members) / len(values))


def _several_levels(repetitions: Sequence[Floats], edges: Sequence[float]) -> SeveralLevels:
    values = np.concatenate(repetitions)
    found = tuple(_levels(values, edges))
    belongs = [np.searchsorted(edges, each) for each in repetitions]
    changes = int(np.count_nonzero(np.diff(np.concatenate(belongs))))
    by_chance = (1 - sum(level.share**2 for level in found)) * len(values)
    if len(repetitions) > 1 and all(_is_on_one_level(each) for each in belongs):
        return SeveralLevels(levels=found, change="between repetitions", changes=changes)
    change: Literal["seldom", "often"] = "seldom" if changes <= _FEW_CHANGES * by_chance else "often"
    return SeveralLevels(levels=found, change=change, changes=changes)


def _is_on_one_level(belongs: NDArray[np.int64]) -> bool:
    return len(belongs) == 0 or np.bincount(belongs).max() >= (1 - _LEVEL_SHARE) * len(belongs)


# Bursts


def _outliers(values: Floats, smallest: float) -> NDArray[np.int64]:
    """Return where values lie far above the rest: delays only add."""
    median = sample_median(values)
    distance = sample_median(np.abs(values - median))
    return np.flatnonzero(values - median > max(_FAR_OUT * distance, smallest))


def _come_in_bursts(outliers: NDArray[np.int64], n: int) -> bool:
    """Return whether more outliers than chance explains, and at least half of them, are close to the one before."""
    k = len(outliers)
    if not _FEWEST_OUTLIERS <= k <= _MOST_OUTLIERS * n:
        return False
    near = max(1, int(_NEAR * n / k))
    close = int(np.count_nonzero(np.diff(outliers) <= near))
    by_chance = 1 - (1 - k / n) ** near
    return close >= _TOGETHER * (k - 1) and binomial_above(close - 1, k - 1, by_chance) < _SIGNIFICANT
