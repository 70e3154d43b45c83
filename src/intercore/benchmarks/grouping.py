"""Measurements of one setting belong together, whichever run of it they are from: here they are brought together."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from intercore.record.measurement import TIMESTAMP_OVERHEAD_PREFIX
from intercore.statistics.distribution import distribution
from intercore.statistics.intervals import sample_median
from intercore.statistics.repetitions import median

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from intercore.record.measurement import Level, Measurement
    from intercore.statistics.distribution import Distribution
    from intercore.statistics.intervals import Interval

    HasOtherFactors: TypeAlias = tuple[tuple[str, Level], ...]
    """The other factors that take more than one level in the run, by name, with their levels."""

Setting = TypeVar("Setting")
Value = TypeVar("Value", bound=np.generic)

IRRELEVANT = frozenset({"seed", "samples", "dither_us", "rest_ms"})
"""Factors that change how something is measured and not what."""


def pools(
    measurements: Iterable[Measurement],
    benchmark: str,
    series: str,
    setting: Callable[[Mapping[str, Level]], Setting],
    own: Collection[str],
) -> dict[tuple[Setting, HasOtherFactors], list[Measurement]]:
    """Return the measurements of a benchmark that have samples of a series, by setting and by what else varies.

    `setting` makes the setting of the factors; `own` names the factors that it goes by.
    """
    ours = [one for one in measurements if one.benchmark == benchmark and len(ticks(one, series))]
    names = varied_names(ours, {*own, *IRRELEVANT})
    found: dict[tuple[Setting, HasOtherFactors], list[Measurement]] = defaultdict(list)
    for one in ours:
        varied = tuple((name, one.factors[name]) for name in names if name in one.factors)
        found[setting(one.factors), varied].append(one)
    return found


def varied_names(measurements: Iterable[Measurement], besides: Collection[str]) -> list[str]:
    """Return the names of the factors that take more than one level in measurements, sorted, without those given."""
    levels: dict[str, set[Level]] = defaultdict(set)
    for one in measurements:
        for name, level in one.factors.items():
            levels[name].add(level)
    return sorted(name for name, known in levels.items() if len(known) > 1 and name not in besides)


def by_level(levels: Mapping[str, Level] | HasOtherFactors) -> tuple[tuple[str, bool, int, str], ...]:
    """Return the sort key of levels of factors: by the factors' names, then numbers by value, before names."""
    return tuple(
        (name, isinstance(level, str), 0 if isinstance(level, str) else level, str(level))
        for name, level in sorted(dict(levels).items())
    )


def ticks(one: Measurement, series: str) -> NDArray[np.int64]:
    """Return the samples of a series, none if there is no such series."""
    return next((known.ticks for known in one.series if known.name == series), np.zeros(0, np.int64))


def by_run(pool: Iterable[Measurement], values: Iterable[NDArray[Value]]) -> list[NDArray[Value]]:
    """Return the values of each unit of replication: each measurement, or each run where the pool is of several.

    `values` are those of each measurement. Repetitions of one run share the minutes in which they were made, so of
    several runs the highest level is what intervals are made of (Kalibera & Jones, ISMM 2013).
    """
    units: dict[str, list[NDArray[Value]]] = defaultdict(list)
    for one, known in zip(pool, values, strict=True):
        units[one.run].append(known)
    if len(units) == 1:
        return [*units.popitem()[1]]
    return [np.concatenate(known) for known in units.values()]


def repetitions_us(pool: Iterable[Measurement], series: str) -> list[NDArray[np.float64]]:
    """Return the samples of a series of each measurement of a pool, in µs."""
    return [one.samples(series).ns / 1e3 for one in pool]


def units_us(pool: Sequence[Measurement], series: str) -> list[NDArray[np.float64]]:
    """Return the samples of a series of each unit of replication (`by_run`) of a pool, in µs."""
    return by_run(pool, repetitions_us(pool, series))


def values_us(pool: Iterable[Measurement], series: str) -> NDArray[np.float64]:
    """Return the samples of a series of all measurements of a pool, in µs, in their order."""
    return np.concatenate(repetitions_us(pool, series))


def tick_us(pool: Sequence[Measurement], series: str) -> float:
    """Return the resolution of the clock that a series was measured by, in µs; the coarsest of several."""
    return max(1e6 / one.samples(series).hz for one in pool)


def distribution_us(pool: Sequence[Measurement], series: str) -> Distribution:
    """Return the distribution of a series of time over a pool, in µs, by unit of replication."""
    return distribution(units_us(pool, series), tick=tick_us(pool, series))


def median_us(pool: Sequence[Measurement], series: str) -> Interval:
    """Return the median of a series of time over a pool, in µs, by unit of replication."""
    return median(units_us(pool, series), tick=tick_us(pool, series))


def timestamp_overhead_us(pool: Sequence[Measurement], core: int) -> float:
    """Return the median timestamp overhead on a core, in µs; 0 where that was not measured."""
    costs = [known.ns for one in pool for known in one.series if known.name == f"{TIMESTAMP_OVERHEAD_PREFIX}{core}"]
    known = np.concatenate(costs) if costs else np.zeros(0)
    return sample_median(known) / 1e3 if len(known) else 0.0


def overhead_us(measurements: Sequence[Measurement]) -> float:
    """Return the median timestamp overhead on the core where it is largest, in µs; 0 where that was not measured."""
    cores = {
        int(core)
        for one in measurements
        for known in one.series
        if known.name.startswith(TIMESTAMP_OVERHEAD_PREFIX)
        and (core := known.name.removeprefix(TIMESTAMP_OVERHEAD_PREFIX)).isdecimal()
    }
    return max((timestamp_overhead_us(measurements, core) for core in cores), default=0.0)


def cycles_per_us(pool: Sequence[Measurement]) -> float | None:
    """Return the cycles of a core in a µs; None where there is no one such number."""
    hz = pool[0].conditions.get("clock.sys_hz", "")
    return float(hz) / 1e6 if hz.isdecimal() else None
