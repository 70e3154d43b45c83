"""What samples can be at all. What cannot be is no measurement of anything: it is *failed*, told, and not analysed.

- A time is not below 0, unless its series says that it may be: a lateness, or a difference of counters that nobody has
  aligned. Where cores are aligned to within some ticks, it may be as far below as that.
- A time that stands for several things, one after another, is not below a nanosecond for each, in whole ticks. One that
  stands for a single event may be 0, as that is shorter than a tick on many a machine; but of 20 or more such times the
  sum is not below a nanosecond for each, either: if it is, the clock stands still.
- Readings of a clock are not below 0, and 20 or more of them are not all the same.
- Nothing is counted less than 0 times, no histogram holds more than 2^40 values, and no core has another number than
  those of the target.
- Nothing takes longer than its measurement took. How long that was is known while it is measured, so the check
  `too_long` is made then, and stored; what is stored already is held against 30 years. An emulated chip has no such
  bound and none for times: they mean nothing.

Which series may be negative, and of how many things one after another a sample is the time, is a benchmark's own affair
(`is_signed` and `events` of `intercore.benchmarks.benchmark.SeriesMeaning`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from intercore.benchmarks import registry, uncertainty
from intercore.benchmarks.benchmark import Role
from intercore.benchmarks.series import role
from intercore.record.plan import repetitions_by_setting, setting_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.record.measurement import Measurement, Run, Series

TOO_LONG = "too_long"
"""Check that the desk adds: samples that are longer than the measurement took. There only if there are any."""

_EVENT_S = 1e-9
"""The least time of one thing that a sample stands for: three cycles of the fastest cores there are."""
_MANY = 20
"""Samples of which not all can be 0. A clock with steps of 41.7 ns (24 MHz, the coarsest of common machines) reads the
20 ns that a reading of it takes, and that each time holds, as 0 in 52 of 100 cases: 20 times in a row in two of a
million."""
_MOST_COUNTED = 2**40
"""Values that a histogram can hold in all: a task of 1 µs is released so often in 12 days, and a million such
histograms can be added up."""
_MOST_S = 1e9
"""Seconds, 30 years: longer than any target has been on."""
_LEEWAY, _LEEWAY_S = 2.0, 1.0
"""Times and seconds by which a sample may exceed what this machine saw the measurement take: a simulated chip behind a
line may be faster than its own time, and what is absurd is farther off."""


class Impossible(NamedTuple):
    """Samples of a series that cannot be."""

    series: str
    number: int
    """How many."""
    of: int
    """Of how many of the series; 0 where that is not known any more."""
    why: str
    """What they are, as `below 0 (at worst -3 ticks)`."""

    def __str__(self) -> str:
        """Return it in words."""
        if not self.of:
            return f"{self.number} sample{'s are' if self.number != 1 else ' is'} {self.why}"
        return f"{self.series} has {self.number} of {self.of} samples {self.why}"


def impossible(one: Measurement) -> list[Impossible]:
    """Return what cannot be of the samples of a measurement; nothing if all can."""
    found = [fault for series in one.series for fault in _faults(one, series)]
    too_long = one.checks.get(TOO_LONG, 0)
    if too_long and not found:
        found.append(Impossible("", too_long, 0, "longer than the measurement took"))
    return found


def is_possible(one: Measurement) -> bool:
    """Whether all samples of a measurement can be."""
    return not impossible(one)


def longer_than(one: Measurement, seconds: float) -> int:
    """Return how many of the times of a measurement are longer than it took: that many seconds, by this machine."""
    if "emulated" in one.conditions:
        return 0
    most = _LEEWAY * seconds + _LEEWAY_S
    return sum(_beyond(one, series, most) for series in one.series if series.is_time)


def warnings(run: Run) -> list[str]:
    """Say of each setting with impossible samples that it failed, and how; the first ones by name."""
    failed = [
        (pool, faults)
        for pool in repetitions_by_setting(run).values()
        if (faults := [(one, fault) for one in pool for fault in impossible(one)])
    ]
    told = [_told(run, pool, faults) for pool, faults in failed[:_NAMED]]
    if len(failed) > _NAMED:
        told.append(f"{len(failed) - _NAMED} more settings failed in the same way: intercore show --format json.")
    return told


_NAMED = 10  # settings in sentences of their own


def _told(run: Run, pool: Sequence[Measurement], faults: Sequence[tuple[Measurement, Impossible]]) -> str:
    setting = setting_of(run.plan, pool[0])
    levels = (f"{name}={level}" for name, level in setting.factors.items() if name != "seed")
    named = " ".join((setting.benchmark, *levels))
    worst = max((fault for _, fault in faults), key=lambda fault: fault.number)
    failed = len({one.repetition for one, _ in faults})
    which = f"{failed} of {len(pool)} repetitions" if len(pool) > 1 else "its samples"
    more = f", and {len(faults) - 1} more like that" if len(faults) > 1 else ""
    are = "are" if len(pool) == 1 or failed > 1 else "is"
    return (
        f"{named} failed: {which} cannot be right and {are} not analysed. {worst}{more}. The clock that the target "
        "reads, or its program, is wrong."
    )


# What a series can be


def _faults(one: Measurement, series: Series) -> Iterator[Impossible]:
    if not len(series.ticks):
        return
    if role(one.benchmark, series) is Role.HISTOGRAM:
        yield from _of_histogram(series)
    elif series.unit == "count":
        yield from _below(series, 0)
    elif series.unit == "core":
        cores = one.conditions.get("cores", "")
        most = int(cores) if cores.isascii() and cores.isdecimal() and int(cores[:9]) else math.inf
        bad = (series.ticks < 0) | (series.ticks >= most)
        if bad.any():
            yield _some(series, bad, "of cores that there are not")
    elif "emulated" not in one.conditions:
        yield from _of_time(one, series)


def _of_histogram(series: Series) -> Iterator[Impossible]:
    yield from _below(series, 0)
    if float(series.ticks.sum(dtype=np.float64)) > _MOST_COUNTED:
        yield Impossible(series.name, len(series.ticks), len(series.ticks), "that count more than there can have been")


def _of_time(one: Measurement, series: Series) -> Iterator[Impossible]:
    found: list[Impossible] = []
    if not _is_signed(one, series):
        found += _of_moments(one, series) if series.unit == "moment" else _of_durations(one, series)
    if not found and (too_long := _beyond(one, series, _MOST_S)):
        found.append(Impossible(series.name, too_long, len(series.ticks), "longer than 30 years"))
    yield from found


def _of_moments(one: Measurement, series: Series) -> Iterator[Impossible]:
    count = len(series.ticks)
    yield from _below(series, -uncertainty.ticks(one))
    if count >= _MANY and (series.ticks == series.ticks[0]).all():
        yield Impossible(series.name, count, count, "at the same moment: the clock stands still")


def _of_durations(one: Measurement, series: Series) -> Iterator[Impossible]:
    count, apart, events = len(series.ticks), uncertainty.ticks(one), _events(one, series)
    least = _least_ticks(events, series)
    yield from _below(series, least - apart)
    total = _least_ticks(count * max(1, events), series) if count >= _MANY and not apart else 0
    if series.ticks.min() >= least and series.ticks.sum(dtype=np.float64) < total:
        told = "that are 0" if not series.ticks.any() else f"that are less than {total} ticks in all"
        yield Impossible(series.name, count, count, f"{told}: the clock stands still")


def _least_ticks(events: int, series: Series) -> int:
    """Return the least whole number of ticks in which so many things are done one after another."""
    return int(events * _EVENT_S * series.hz)


def _below(series: Series, least: int) -> Iterator[Impossible]:
    if series.ticks.min() < least:
        bad = series.ticks < least
        unit = "ticks" if series.is_time else "times"
        yield _some(series, bad, f"below {least} (at worst {series.ticks.min():,} {unit})")


def _some(series: Series, bad: np.typing.NDArray[np.bool_], why: str) -> Impossible:
    return Impossible(series.name, int(np.count_nonzero(bad)), len(series.ticks), why)


def _beyond(one: Measurement, series: Series, seconds: float) -> int:
    """Return how many times of a series are longer than that; of readings of a clock, how many come so long after one.

    Counters that nobody has aligned were started at moments of their own, so that their differences say nothing of how
    long something took.
    """
    if not len(series.ticks):
        return 0
    least, largest = float(series.ticks.min()), float(series.ticks.max())
    zero = least if series.unit == "moment" else 0.0
    if series.unit != "moment" and _is_signed(one, series) and series.clock != "common":
        seconds = max(seconds, _MOST_S)
    most = seconds * series.hz
    if max(abs(least - zero), abs(largest - zero)) <= most:
        return 0
    return int(np.count_nonzero(np.abs(series.ticks.astype(np.float64) - zero) > most))


def _is_signed(one: Measurement, series: Series) -> bool:
    own = registry.benchmark(one.benchmark).series.is_signed
    return own is not None and own(series)


def _events(one: Measurement, series: Series) -> int:
    own = registry.benchmark(one.benchmark).series.events
    return 0 if own is None else own(one, series)
