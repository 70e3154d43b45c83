"""What the series of a benchmark are: which of them are results, and what their samples come to.

Each benchmark says so itself, in `series.py` of its folder, by the names of its series: `ROLES`, and where samples
come to something else than times or counts, `quantity`; what is computed of several series, `derived`; which results
that gives in which settings, so that a budget is checked before anything is measured, `RESULTS`; which are the time of
a work of nothing but computing, `SPEED`; where those of some settings come to nothing by themselves, `incomparable`.
What a folder does not say follows from a series' unit.
"""

from __future__ import annotations

from enum import Enum, auto
from fnmatch import fnmatchcase
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from intercore.benchmarks import registry
from intercore.record.measurement import LOOKING_PREFIX

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from intercore.record.measurement import Measurement, Series
    from intercore.record.measurement import Unit as SampleUnit


class Role(Enum):
    """What a series is for."""

    RESULT = auto()
    """Its median is a result."""
    AUXILIARY = auto()
    """Results are made of it, or judged by it, in another way."""
    MOMENTS = auto()
    """When something happened; only differences mean something."""
    HISTOGRAM = auto()
    """How often each of many values was found."""


Unit: TypeAlias = Literal["us", "bytes_per_s", "count", "factor"]


class Result(NamedTuple):
    """A quantity whose median is a result of a benchmark: what budgets, baselines and comparisons name."""

    unit: Unit
    called: str = ""
    """What people call it; empty for its name."""
    only: Mapping[str, Collection[str]] = MappingProxyType({})
    """By factor, the levels of the settings that have it; those of a factor that is missing here all do."""
    never: Mapping[str, Collection[str]] = MappingProxyType({})
    """By factor, the levels of settings that do not have it."""

    def may_be_of(self, levels: Mapping[str, Collection[str]]) -> bool:
        """Whether some setting has it whose factors have one of these levels each, and those not named any."""
        return all(set(had) & set(levels.get(name, had)) for name, had in self.only.items()) and not any(
            levels[name] and set(levels[name]) <= set(lacking) for name, lacking in self.never.items() if name in levels
        )


class Quantity(NamedTuple):
    """What the samples of a series come to."""

    name: str
    unit: Unit
    values: NDArray[np.float64]


_OF_ANY: Mapping[str, Role] = {f"{LOOKING_PREFIX}*": Role.AUXILIARY, "true": Role.AUXILIARY}
"""What looking costs, and what an observer saw."""
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
    own: Mapping[str, Role] = getattr(registry.module(benchmark, "series"), "ROLES", {})
    patterns = (*own.items(), *_OF_ANY.items())
    return next((known for pattern, known in patterns if fnmatchcase(name, pattern)), _BY_UNIT[unit])


def has_median(benchmark: str, series: Series) -> bool:
    """Whether the median of a series is a result of the benchmark."""
    return role(benchmark, series) is Role.RESULT


def quantity(one: Measurement, series: Series) -> Quantity:
    """Return what the samples of a series come to: times in µs or counts, if the benchmark says nothing else."""
    own = getattr(registry.module(one.benchmark, "series"), "quantity", None)
    found: Quantity | None = None if own is None else own(one, series)
    if found is not None:
        return found
    if series.is_time:
        return Quantity(series.name, "us", series.ns / 1e3)
    return Quantity(series.name, "count", series.ticks.astype(float))


def derived(one: Measurement) -> list[Quantity]:
    """Return what the benchmark computes of several series of a measurement, as a speed-up; most compute nothing."""
    own = getattr(registry.module(one.benchmark, "series"), "derived", None)
    found: list[Quantity] = [] if own is None else own(one)
    return found


def results(benchmark: str) -> Mapping[str, Result] | None:
    """Return the results of a benchmark by their names; None if it does not say which it has."""
    own: Mapping[str, Result] | None = getattr(registry.module(benchmark, "series"), "RESULTS", None)
    return own


def called(benchmark: str, series: str) -> str:
    """Return what people call a series or a quantity: by its name, if the benchmark says nothing else."""
    known = (results(benchmark) or {}).get(series)
    return series if known is None else known.called or series


def speed_of(benchmark: str, series: str) -> str:
    """Return whose time a series is of a work that does nothing but compute, `one core` or `all cores`; else nothing.

    Of two targets it tells how fast these are.
    """
    own: Mapping[str, str] = getattr(registry.module(benchmark, "series"), "SPEED", {})
    return own.get(series, "")


def incomparable(one: Measurement) -> str:
    """Return why the samples of a measurement are not compared with others, as a clause; empty if they may be."""
    own = getattr(registry.module(one.benchmark, "series"), "incomparable", None)
    why: str = "" if own is None else own(one)
    return why
