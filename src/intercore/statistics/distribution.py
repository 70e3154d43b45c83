"""One quantity measured many times, as a table shows it: by the percentiles that the sample supports."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.statistics.intervals import Interval, normal_reach, summary
from intercore.statistics.repetitions import median, percentile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike


class Distribution(msgspec.Struct, frozen=True):
    """A sample in its own unit. Intervals are 95 %; see `intercore.statistics.repetitions`."""

    n: int
    """Number of samples, at least 1."""
    repetitions: int
    """Of the measurement, at least 1; of several runs, how many of these. Intervals of one know nothing of what differs
    between two; of 2 to 4, they are rough."""
    min: float
    median: Interval
    """Its bounds are None with one repetition of fewer than 6 samples."""
    p90: Interval | None
    """90th percentile; None with fewer than 100 samples, or if the repetitions differ too much to have one."""
    p99: Interval | None
    """99th percentile; None with fewer than 1,000 samples, or for the same reason."""
    p99_9: Interval | None
    """99.9th percentile; None with fewer than 10,000 samples, or for the same reason."""
    max: float
    """The largest value seen, which is not the largest possible one."""
    mean: float
    stdev: float
    """Standard deviation of all samples with n - 1 in the denominator; 0 for a single sample."""

    @property
    def standard_error(self) -> float:
        """Of the mean: s/√n, as of samples that do not depend on each other."""
        return self.stdev / math.sqrt(self.n)

    @property
    def mean_interval(self) -> Interval:
        """The mean with an interval by its standard error; without one for a single sample."""
        if self.n == 1:
            return Interval(self.mean)
        reach = normal_reach() * self.standard_error
        return Interval(self.mean, self.mean - reach, self.mean + reach)


def distribution(repetitions: Iterable[ArrayLike], *, tick: float = 0.0) -> Distribution:
    """Describe at least one value, given by repetition; ValueError if there is none.

    `tick` is the resolution of the clock in the unit of the values.
    """
    known = [np.asarray(one, dtype=np.float64) for one in repetitions]
    known = [one for one in known if len(one)]
    ordered = np.sort(np.concatenate([np.zeros(0), *known]))  # once: of millions, to sort them is most of the work
    found = summary(ordered)  # sums do not depend on the order
    return Distribution(
        n=found.n,
        repetitions=len(known),
        min=found.min,
        median=median(known, tick=tick, ordered=ordered),
        p90=percentile(known, 90, ordered=ordered),
        p99=percentile(known, 99, ordered=ordered),
        p99_9=percentile(known, 99.9, ordered=ordered),
        max=found.max,
        mean=found.mean,
        stdev=found.stdev,
    )
