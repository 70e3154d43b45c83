"""The roles of a benchmark's series: which of them are results, and the conversion of their samples.

Each benchmark has its own `SeriesMeaning` (`intercore.benchmarks.benchmark`). The default follows from the unit of a
series.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from intercore.benchmarks import registry
from intercore.benchmarks.benchmark import Quantity, Role
from intercore.record.measurement import MACHINE_PREFIX, TIMESTAMP_OVERHEAD_PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from intercore.benchmarks.benchmark import Result
    from intercore.record.measurement import Measurement, Series
    from intercore.record.measurement import Unit as SampleUnit


Unit: TypeAlias = Literal["us", "bytes_per_s", "count", "factor"]

_OF_ANY: Mapping[str, Role] = {
    f"{TIMESTAMP_OVERHEAD_PREFIX}*": Role.AUXILIARY,
    f"{MACHINE_PREFIX}*": Role.AUXILIARY,
    "true": Role.AUXILIARY,
}
"""Timestamp overhead, the state of the machine, and ground truth."""
_BY_UNIT: Mapping[SampleUnit, Role] = {
    "tick": Role.RESULT,
    "count": Role.RESULT,
    "moment": Role.MOMENTS,
    "core": Role.AUXILIARY,
}


def role(benchmark: str, series: Series) -> Role:
    """Return the role of a series: the first one whose pattern its name matches."""
    return _role(benchmark, series.name, series.unit)


@lru_cache(maxsize=1000)
def _role(benchmark: str, name: str, unit: SampleUnit) -> Role:
    patterns = (*registry.benchmark(benchmark).series.roles.items(), *_OF_ANY.items())
    return next((known for pattern, known in patterns if fnmatchcase(name, pattern)), _BY_UNIT[unit])


def has_median(benchmark: str, series: Series) -> bool:
    """Whether the median of a series is a result of the benchmark."""
    return role(benchmark, series) is Role.RESULT


def quantity(one: Measurement, series: Series) -> Quantity:
    """Return the converted samples of a series: times in µs or counts, unless the benchmark overrides it."""
    own = registry.benchmark(one.benchmark).series.quantity
    found = None if own is None else own(one, series)
    if found is not None:
        return found
    if series.is_time:
        return Quantity(series.name, "us", series.ns / 1e3)
    return Quantity(series.name, "count", series.ticks.astype(float))


def derived(one: Measurement) -> list[Quantity]:
    """Return the quantities computed from several series of a measurement, such as a speed-up; most have none."""
    own = registry.benchmark(one.benchmark).series.derived
    return [] if own is None else own(one)


def results(benchmark: str) -> Mapping[str, Result] | None:
    """Return the results of a benchmark by their names; None if it does not say which it has."""
    return registry.benchmark(benchmark).series.results


def called(benchmark: str, series: str) -> str:
    """Return the label of a series or a quantity: its name, unless the benchmark overrides it."""
    known = (results(benchmark) or {}).get(series)
    return series if known is None else known.called or series


def speed_of(benchmark: str, series: str) -> str:
    """Return whose time a series is of a work that does nothing but compute, `one core` or `all cores`; else nothing.

    Of two targets it tells how fast these are.
    """
    return registry.benchmark(benchmark).series.speed.get(series, "")


def incomparable(one: Measurement) -> str:
    """Return why the samples of a measurement are not compared with others, as a clause; empty if they may be."""
    own = registry.benchmark(one.benchmark).series.incomparable
    return "" if own is None else own(one)
