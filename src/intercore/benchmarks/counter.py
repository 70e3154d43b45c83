"""Offset and drift of the cores' own counters against the common clock, from readings of both (`clock time=counter`).

A counter is read between two readings of the common clock, so at the moment halfway between these, ± half of what lies
between them. Of the first and of the last quarter of the readings, those two that are known best give offset and drift;
so both come with a bound that needs no assumption but that the drift is even.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from intercore.record.measurement import Measurement, Series

_SERIES = ("common", "around", "counter")

NonNegative = Annotated[float, Meta(ge=0)]


class Counter(msgspec.Struct, frozen=True):
    """The counter of one core against the common clock, over one measurement."""

    core: Annotated[int, Meta(ge=0)]
    hz: Annotated[int, Meta(ge=1)]
    """Ticks of the counter per second, as the target names them."""
    readings: Annotated[int, Meta(ge=1)]
    at_us: float
    """The moment of the offset, by the common clock."""
    ahead_us: float
    """By how much more the counter read than the common clock did, both as times since their zeros."""
    within_us: NonNegative
    """How far from that it can be."""
    lasted_us: NonNegative
    """Between the two readings that the drift is from."""
    drift_ppm: float | None
    """Drift against its `hz`, in parts per million of the common clock; None if the measurement is too short."""
    drift_within_ppm: float | None
    """How far from that it can be."""

    def ahead_at_us(self, at_us: float) -> float:
        """Return the offset at another moment, if the drift is even."""
        return self.ahead_us + (self.drift_ppm or 0.0) * 1e-6 * (at_us - self.at_us)


class CounterOffset(msgspec.Struct, frozen=True):
    """How far apart the counters of two cores are."""

    first: Annotated[int, Meta(ge=0)] = msgspec.field(name="from")
    second: Annotated[int, Meta(ge=0)] = msgspec.field(name="to")
    ahead_us: float
    """By how much the counter of core `to` is ahead of that of core `from`."""
    within_us: NonNegative
    """How far from that it can be."""

    @property
    def is_synchronised(self) -> bool:
        """Whether the two do not differ significantly."""
        return abs(self.ahead_us) <= self.within_us


def counters(measurements: Iterable[Measurement]) -> tuple[list[Counter], list[CounterOffset]]:
    """Return the counters of all cores that were read, and what is between each two that were read in one measurement.

    What several measurements tell is taken from the longest one: a target may have started again between them.
    """
    by_core: dict[int, Counter] = {}
    by_pair: dict[tuple[int, int], tuple[float, CounterOffset]] = {}
    for one in measurements:
        found = sorted(_of(one), key=lambda counter: counter.core)
        for counter in found:
            if counter.core not in by_core or counter.lasted_us > by_core[counter.core].lasted_us:
                by_core[counter.core] = counter
        for first, second in combinations(found, 2):
            pair, lasted = (first.core, second.core), min(first.lasted_us, second.lasted_us)
            if pair not in by_pair or lasted > by_pair[pair][0]:
                by_pair[pair] = lasted, _offset(first, second)
    return [by_core[core] for core in sorted(by_core)], [by_pair[pair][1] for pair in sorted(by_pair)]


def with_bound(ppm: float, within_ppm: float) -> str:
    """Return a drift with its bound, to the digits that the bound leaves: `7.09 ± 0.05`."""
    digits = max(0, 1 - math.floor(math.log10(within_ppm))) if within_ppm > 0 else 3
    return f"{round(ppm, digits) + 0.0:.{digits}f} ± {within_ppm:.{digits}f}"


def _of(one: Measurement) -> Iterator[Counter]:
    known = {series.name: series for series in one.series}
    for name in known:
        core = name.removeprefix("counter.")
        if core != name and core.isascii() and core.isdecimal():
            parts = [known.get(f"{part}.{core}") for part in _SERIES]
            if all(part is not None and len(part.ticks) for part in parts):
                common, around, counter = (part for part in parts if part is not None)
                yield _counter(int(core), common, around, counter)


def _counter(core: int, common: Series, around: Series, counter: Series) -> Counter:
    count = min(len(common.ticks), len(around.ticks), len(counter.ticks))
    clock_us = 1e6 / common.hz
    width = around.ticks[:count].astype(np.float64) * clock_us
    at = common.ticks[:count].astype(np.float64) * clock_us + width / 2
    ahead = counter.ticks[:count].astype(np.float64) * (1e6 / counter.hz) - at
    quarter = max(1, count // 4)
    first = int(np.argmin(width[:quarter]))
    last = count - quarter + int(np.argmin(width[count - quarter :]))
    lasted = float(at[last] - at[first])
    is_reported = last > first and lasted > 0
    return Counter(
        core=core,
        hz=counter.hz,
        readings=count,
        at_us=float(at[first]),
        ahead_us=float(ahead[first]),
        within_us=float(width[first]) / 2,
        lasted_us=max(lasted, 0.0),
        drift_ppm=float(ahead[last] - ahead[first]) / lasted * 1e6 if is_reported else None,
        drift_within_ppm=float(width[last] + width[first]) / 2 / lasted * 1e6 if is_reported else None,
    )


def _offset(first: Counter, second: Counter) -> CounterOffset:
    """Compare at the later of the two moments, to which the other's drift carries its offset over a small way."""
    at = max(first.at_us, second.at_us)
    carried = sum(abs(at - one.at_us) * (one.drift_within_ppm or 0.0) * 1e-6 for one in (first, second))
    return CounterOffset(
        first.core,
        second.core,
        second.ahead_at_us(at) - first.ahead_at_us(at),
        first.within_us + second.within_us + carried,
    )
