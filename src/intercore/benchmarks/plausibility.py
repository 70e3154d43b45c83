"""Limits of plausible samples. A measurement with impossible samples is *failed*: it is reported and not analysed.

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

Which series may be negative, and of how many things one after another a sample is the time, is defined by each
benchmark (`is_signed` and `events` of `intercore.benchmarks.benchmark.SeriesMeaning`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal
from weakref import WeakKeyDictionary

import msgspec
import numpy as np

from intercore.benchmarks import registry, uncertainty
from intercore.benchmarks.benchmark import Role
from intercore.benchmarks.findings import Impossible, ImpossibleSamples, MoreImpossibleSamples
from intercore.benchmarks.series import role
from intercore.record.plan import repetitions_by_setting, setting_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.benchmarks.findings import Fault
    from intercore.finding import Finding
    from intercore.record.measurement import Measurement, Run, Series

TOO_LONG = "too_long"
"""Check added by the host: samples longer than the measurement. Present only if there are any."""

_EVENT_S = 1e-9
"""The least time of one thing that a sample stands for: three cycles of the fastest cores there are."""
_MANY = 20
"""Samples of which not all can be 0. A clock with steps of 41.7 ns (24 MHz, the coarsest of common machines) reads the
20 ns that a reading of it takes, and that each time holds, as 0 in 52 of 100 cases: 20 times in a row in two of a
million."""
_MOST_COUNTED = 2**40
"""Largest sum of a histogram's counts: a task of 1 µs is activated so often in 12 days, and a million such histograms
can be added up."""
_MOST_S = 1e9
"""Seconds, 30 years: longer than any target has been on."""
_LEEWAY, _LEEWAY_S = 2.0, 1.0
"""Times and seconds by which a sample may exceed what this machine saw the measurement take: a simulated chip behind a
line may be faster than its own time, and what is absurd is farther off."""


_known: WeakKeyDictionary[Measurement, tuple[Impossible, ...]] = WeakKeyDictionary()


def impossible(one: Measurement) -> tuple[Impossible, ...]:
    """Return the impossible samples of a measurement; nothing if all are plausible.

    The result is kept while the measurement is: a report asks several times.
    """
    found = _known.get(one)
    if found is None:
        found = _known[one] = tuple(_searched(one))
    return found


def _searched(one: Measurement) -> list[Impossible]:
    found = [fault for series in one.series for fault in _faults(one, series)]
    too_long = one.checks.get(TOO_LONG, 0)
    if too_long and not found:
        found.append(Impossible("", too_long, None, "longer than the measurement"))
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


def caveats(run: Run) -> Iterator[Finding]:
    """Return the settings that failed by impossible samples; the first ones one by one."""
    failed = [
        (pool, faults)
        for pool in repetitions_by_setting(run).values()
        if (faults := [(one, fault) for one in pool for fault in impossible(one)])
    ]
    for pool, faults in failed[:_NAMED]:
        setting = setting_of(run.plan, pool[0])
        yield ImpossibleSamples(
            setting={name: level for name, level in setting.factors.items() if name != "seed"},
            benchmark=setting.benchmark,
            failed=len({one.repetition for one, _ in faults}),
            repetitions=len(pool),
            worst=max((fault for _, fault in faults), key=lambda fault: fault.number),
            others=len(faults) - 1,
        )
    if len(failed) > _NAMED:
        yield MoreImpossibleSamples(settings=len(failed) - _NAMED)


_NAMED = 10  # settings that are reported one by one


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
            yield _some(series, bad, "no such core")
    elif "emulated" not in one.conditions:
        yield from _of_time(one, series)


def _of_histogram(series: Series) -> Iterator[Impossible]:
    yield from _below(series, 0)
    if float(series.ticks.sum(dtype=np.float64)) > _MOST_COUNTED:
        yield Impossible(series.name, len(series.ticks), len(series.ticks), "counted too often")


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
        yield Impossible(series.name, count, count, "at one moment")


def _of_durations(one: Measurement, series: Series) -> Iterator[Impossible]:
    count, apart, events = len(series.ticks), uncertainty.ticks(one), _events(one, series)
    least = _least_ticks(events, series)
    yield from _below(series, least - apart)
    total = _least_ticks(count * max(1, events), series) if count >= _MANY and not apart else 0
    if series.ticks.min() >= least and series.ticks.sum(dtype=np.float64) < total:
        fault: Fault = "too short in total" if series.ticks.any() else "zero"
        yield Impossible(series.name, count, count, fault, least=total)


def _least_ticks(events: int, series: Series) -> int:
    """Return the least whole number of ticks in which so many things are done one after another."""
    return int(events * _EVENT_S * series.hz)


def _below(series: Series, least: int) -> Iterator[Impossible]:
    if series.ticks.min() < least:
        found = _some(series, series.ticks < least, "below")
        unit: Literal["ticks", "times"] = "ticks" if series.is_time else "times"
        yield msgspec.structs.replace(found, least=least, worst=int(series.ticks.min()), unit=unit)


def _some(series: Series, bad: np.typing.NDArray[np.bool_], fault: Fault) -> Impossible:
    return Impossible(series.name, int(np.count_nonzero(bad)), len(series.ticks), fault)


def _beyond(one: Measurement, series: Series, seconds: float) -> int:
    """Return how many times of a series are longer than that; of readings of a clock, how many come so long after one.

    Counters that are not aligned started at different moments, so that their differences are not durations.
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
