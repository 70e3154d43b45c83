"""One quantity measured many times: percentiles that the sample can tell, its tail, and what disturbed it.

`Distribution` is what a table shows of a sample. `tail` extrapolates beyond it, `disturbances` says in words what makes
it doubtful. All take the samples in the order in which they were taken, in one unit, usually µs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.statistics.disturbance import disturbances
from intercore.statistics.intervals import Interval, order_interval, summary
from intercore.statistics.tail import Exceeded, Tail, tail

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Distribution", "Exceeded", "Interval", "Tail", "distribution", "disturbances", "tail"]

BEYOND = 10
"""Samples that must lie beyond a percentile for it to be told: 100 samples for p90, 1,000 for p99, 10,000 for p99.9.

Fewer make it little else than one of the largest few values; with 10, the upper bound of its interval exists too."""


class Distribution(msgspec.Struct, frozen=True):
    """A sample in its own unit. Intervals are 95 %, by order statistics, whatever the samples follow."""

    n: int
    """Number of samples, at least 1."""
    min: float
    median: Interval
    """Its bounds are None with fewer than 6 samples."""
    p90: Interval | None
    """90th percentile; None with fewer than 100 samples."""
    p99: Interval | None
    """99th percentile; None with fewer than 1,000 samples."""
    p99_9: Interval | None
    """99.9th percentile; None with fewer than 10,000 samples."""
    max: float
    """The largest value seen, which is not the largest possible one."""
    mean: float
    stdev: float
    """Standard deviation with n - 1 in the denominator; 0 for a single sample."""


def distribution(values: ArrayLike) -> Distribution:
    """Describe at least one value; ValueError if there is none."""
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    found = summary(ordered)
    return Distribution(
        n=found.n,
        min=found.min,
        median=order_interval(ordered, 0.5),
        p90=_percentile(ordered, 90),
        p99=_percentile(ordered, 99),
        p99_9=_percentile(ordered, 99.9),
        max=found.max,
        mean=found.mean,
        stdev=found.stdev,
    )


def _percentile(ordered: NDArray[np.float64], percent: float) -> Interval | None:
    beyond = round(len(ordered) * (100 - percent) / 100, 6)  # 10,000 samples have 10 beyond p99.9, not 9.999…
    return order_interval(ordered, percent / 100) if beyond >= BEYOND else None
