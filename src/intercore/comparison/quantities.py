"""Statistics of each quantity of a setting: from samples, or from a baseline, which has no samples."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, get_args

import msgspec
import numpy as np

from intercore.benchmarks.grouping import by_run
from intercore.benchmarks.series import Unit, derived, has_median, quantity
from intercore.record.measurement import Measurement
from intercore.statistics.intervals import Interval
from intercore.statistics.repetitions import Medians, median, medians, percentile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

Percentile: TypeAlias = Literal["p90", "p99", "p99.9"]
PERCENTILES: tuple[Percentile, ...] = get_args(Percentile)
"""Those in addition to the median, by their usual names."""

Name: TypeAlias = tuple[str, Unit]
"""The name and the unit of a quantity, which must be equal on both sides."""


class Quantity(Protocol):
    """Statistics of one quantity in one setting, in its unit."""

    @property
    def medians(self) -> Medians:
        """The median of all samples, and that of each repetition."""

    @property
    def samples(self) -> int:
        """How many there are, at least 1."""

    @property
    def least(self) -> float:
        """The smallest sample."""

    @property
    def largest(self) -> float:
        """The largest sample."""

    def percentile(self, name: str) -> Interval | None:
        """Return one of PERCENTILES; None if unknown."""


Quantities: TypeAlias = "Mapping[Name, Quantity]"


@dataclass(frozen=True)
class OfSamples:
    """A quantity whose samples are there."""

    repetitions: Sequence[NDArray[np.float64]]
    """Its values, by repetition, or by run of several runs; each has at least one."""
    tick: float
    """Resolution of the clock, in µs; 0 for what is no time."""
    unit: Unit = "us"
    runs: int = 1
    """How many runs it is from."""

    @cached_property
    def medians(self) -> Medians:
        """The median of all samples, and that of each repetition or run; of rates by `_median_rate`."""
        if self.unit != "bytes_per_s":
            return medians(self.repetitions, tick=self.tick, runs=self.runs)
        whole = median([1 / one for one in self.repetitions])
        value = _median_rate(np.concatenate(self.repetitions))
        high, low = (1 / bound if bound else None for bound in (whole.low, whole.high))
        return Medians(
            Interval(value, None if low is None else min(low, value), None if high is None else max(high, value)),
            tuple(map(_median_rate, self.repetitions)),
            self.runs,
        )

    @property
    def samples(self) -> int:
        """How many there are."""
        return sum(map(len, self.repetitions))

    @property
    def least(self) -> float:
        """The smallest sample."""
        return min(float(one.min()) for one in self.repetitions)

    @property
    def largest(self) -> float:
        """The largest sample."""
        return max(float(one.max()) for one in self.repetitions)

    def percentile(self, name: str) -> Interval | None:
        """Return one of PERCENTILES; None if unknown."""
        return percentile(self.repetitions, percent_of(name))


def _median_rate(values: NDArray[np.float64]) -> float:
    """Return the reciprocal of the median time, of at least one rate: the harmonic mean of the middle two.

    Times are what is analysed everywhere else. It never lies outside of the two, as rounding alone may have it, so that
    the smallest sample, the median, percentiles and the largest sample stay in their order.
    """
    places = (len(values) - 1) // 2, len(values) // 2
    low, high = (float(one) for one in np.partition(values, places)[list(places)])
    return min(max(2 / (1 / low + 1 / high), low), high)


class BaselineQuantity(msgspec.Struct, frozen=True):
    """A quantity of which a baseline has kept what comparisons and budgets need."""

    medians: Medians
    samples: int
    least: float
    largest: float
    percentiles: Mapping[str, Interval]
    """The known ones of PERCENTILES."""

    def percentile(self, name: str) -> Interval | None:
        """Return one of PERCENTILES; None if unknown."""
        return self.percentiles.get(name)


class KeptMeasurement(Measurement, frozen=True, eq=False, kw_only=True):
    """A setting of a baseline: all its repetitions together, without a sample."""

    quantities: Mapping[Name, BaselineQuantity]


def kept(known: Quantity) -> BaselineQuantity:
    """Return the data of a quantity that a baseline keeps."""
    percentiles: dict[str, Interval] = {
        name: found for name in PERCENTILES if (found := known.percentile(name)) is not None
    }
    return BaselineQuantity(known.medians, known.samples, known.least, known.largest, percentiles)


def percent_of(name: str) -> float:
    """Return the percentage of one of PERCENTILES: 99.9 of `p99.9`."""
    return float(name.removeprefix("p"))


def quantities(pool: Sequence[Measurement]) -> Quantities:
    """Return the statistics of each quantity of a setting, with all repetitions in the pool."""
    if isinstance(pool[0], KeptMeasurement):
        return pool[0].quantities
    found: dict[Name, list[tuple[Measurement, NDArray[np.float64], float]]] = defaultdict(list)
    for one in pool:
        for series in one.series:
            if has_median(one.benchmark, series) and len(series.ticks):
                name, unit, values = quantity(one, series)
                found[name, unit].append((one, values, 1e6 / series.hz if unit == "us" else 0.0))
        for name, unit, values in derived(one):
            found[name, unit].append((one, values, 0.0))
    return {name: _of_samples(name[1], *zip(*known, strict=True)) for name, known in found.items()}


def _of_samples(
    unit: Unit, measured: Sequence[Measurement], values: Sequence[NDArray[np.float64]], ticks: Sequence[float]
) -> OfSamples:
    return OfSamples(by_run(measured, values), max(ticks), unit, len({one.run for one in measured}))
