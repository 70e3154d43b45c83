"""The accuracy of a difference between two readings of the common clock, and of the cores' counters.

Results on the common clock are in its ticks: the timestamp overhead, bounds of the offset between the clocks of two
cores, and, where a simulator recorded the ground truth, the error of the intervals. The cores' counters, in µs, are the
subject of `intercore.benchmarks.counter`.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, product
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.benchmarks import counter, uncertainty
from intercore.benchmarks.caveats import failed_checks
from intercore.benchmarks.clock.findings import (
    ClockCounterDrift,
    ClockCountersApart,
    ClockCountersSynchronised,
    ClockExactness,
    ClockFailedCheck,
    ClockInterrupted,
    ClockMisaligned,
    ClockOfCounters,
    ClockOffsetBounds,
)
from intercore.benchmarks.exactness import PROMISED_SPREAD, Exactness, exactness
from intercore.benchmarks.grouping import by_level, ticks, varied_names
from intercore.finding import texts
from intercore.record.measurement import TIMESTAMP_OVERHEAD_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from intercore.benchmarks.counter import Counter, CounterOffset
    from intercore.finding import Finding
    from intercore.record.measurement import Level, Measurement

    Ticks: TypeAlias = NDArray[np.int64]
    HasOtherFactors: TypeAlias = tuple[tuple[str, Level], ...]

_POOLED = ("from", "to", "seed", "samples")


class Intervals(msgspec.Struct, frozen=True):
    """The intervals from a reading on one core to a reading on the same or another one."""

    first: int
    """The core that reads first."""
    second: int
    """The core that reads second."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    clock: str
    hz: int
    """Ticks per second, at least 1."""
    count: int
    """Intervals, at least 1."""
    shortest: int
    median: float
    longest: int
    overhead: dict[int, float]
    """Median timestamp overhead by core: an empty pair of readings, both on that core."""
    exactness: Exactness | None
    """None without ground truth."""


class Offset(msgspec.Struct, frozen=True):
    """By how much the clock that one core reads is ahead of the clock that another reads, in ticks.

    An interval from core a to b is what truly passed, which is not negative, and the offset of b's clock to a's. So
    that offset is at most the shortest interval from a to b, and at least minus the shortest from b to a.
    """

    first: int
    second: int
    """The core whose clock may be ahead, or behind if negative, of the first's."""
    low: int
    high: int
    hz: int


class ClockAnalysis(msgspec.Struct, frozen=True):
    """The results of a run about the clock."""

    intervals: tuple[Intervals, ...]
    offsets: tuple[Offset, ...]
    uncertainty: int
    """Bound of the offset between the clocks of two cores, in ticks, as reported by the target; 0 where all read the
    same clock."""
    counters: tuple[Counter, ...] = ()
    counter_offsets: tuple[CounterOffset, ...] = ()

    @property
    def witnessed(self) -> list[tuple[Intervals, Exactness]]:
        """The intervals whose truth is known."""
        return [(one, one.exactness) for one in self.intervals if one.exactness is not None]


def analyse(measurements: Iterable[Measurement]) -> ClockAnalysis:
    """Analyse the measurements of the benchmark `clock` among those given; those of one setting are pooled."""
    known = [one for one in measurements if one.benchmark == "clock"]
    ours = [one for one in known if len(ticks(one, "interval"))]
    names = varied_names(ours, _POOLED)
    pools: dict[tuple[int, int, HasOtherFactors], list[Measurement]] = defaultdict(list)
    for one in ours:
        varied = tuple((name, one.factors[name]) for name in names if name in one.factors)
        pools[int(one.factors["from"]), int(one.factors["to"]), varied].append(one)
    intervals = [
        _intervals(*setting, pool) for setting, pool in sorted(pools.items(), key=lambda item: _order(*item[0]))
    ]
    counters, counter_offsets = counter.counters(known)
    uncertainty_ticks = max(map(uncertainty.ticks, known), default=0)
    return ClockAnalysis(
        tuple(intervals), tuple(_offsets(intervals)), uncertainty_ticks, tuple(counters), tuple(counter_offsets)
    )


def results(analysis: ClockAnalysis) -> Iterator[Finding]:
    """Return the findings, the most important first."""
    yield from _exactness(analysis)
    if analysis.uncertainty:
        yield ClockOfCounters(uncertainty_ticks=analysis.uncertainty)
    for pair in analysis.counter_offsets:
        if pair.is_synchronised:
            yield ClockCountersSynchronised(first=pair.first, second=pair.second, within_us=pair.within_us)
        else:
            yield ClockCountersApart(
                first=pair.first, second=pair.second, ahead_us=pair.ahead_us, within_us=pair.within_us
            )
    for one in analysis.counters:
        if one.drift_ppm is not None and one.drift_within_ppm is not None:
            yield ClockCounterDrift(core=one.core, hz=one.hz, drift_ppm=one.drift_ppm, within_ppm=one.drift_within_ppm)
    for offset in analysis.offsets:
        yield ClockOffsetBounds(
            first=offset.first,
            second=offset.second,
            low_ticks=offset.low,
            high_ticks=offset.high,
            tick_ns=1e9 / offset.hz,
        )


def _exactness(analysis: ClockAnalysis) -> Iterator[Finding]:
    seen = analysis.witnessed
    if not seen:
        return
    overheads = [cost for one, _ in seen for cost in one.overhead.values()]
    interrupted = sum(found.interrupted for _, found in seen)
    low, high = min(found.low for _, found in seen), max(found.high for _, found in seen)
    yield ClockExactness(
        intervals=sum(one.count for one, _ in seen) - interrupted,
        least_ticks=low,
        most_ticks=high,
        constant=high - low <= PROMISED_SPREAD,
        least_overhead_ticks=min(overheads, default=None),
        most_overhead_ticks=max(overheads, default=None),
    )
    if interrupted:
        largest = max(found.largest for _, found in seen if found.interrupted)
        yield ClockInterrupted(intervals=interrupted, longest_ticks=largest)


def caveats(measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return the caveats on the clock."""
    known = list(measurements)
    yield from failed_checks(known, "clock", "from", ClockFailedCheck)
    analysis = analyse(known)
    most = analysis.uncertainty
    for one in analysis.offsets:
        if most and (one.low > most or one.high < -most):
            yield ClockMisaligned(
                first=one.first,
                second=one.second,
                low_ticks=one.low,
                high_ticks=one.high,
                uncertainty_ticks=most,
            )


def to_json(analysis: ClockAnalysis) -> dict[str, object]:
    """Return the analysis in the documented shape."""
    return {
        "clock": {
            "intervals": [row(one) for one in analysis.intervals],
            "offsets": [
                {"from": one.first, "to": one.second, "low": one.low, "high": one.high, "hz": one.hz}
                for one in analysis.offsets
            ],
            "uncertainty": analysis.uncertainty,
            "counters": msgspec.to_builtins(analysis.counters),
            "counter_offsets": msgspec.to_builtins(analysis.counter_offsets),
            "sentences": texts(results(analysis)),
        }
    }


def row(one: Intervals) -> dict[str, object]:
    """Return one row of the documented shape, flat; unknown values are None."""
    found = one.exactness
    return {
        **one.varied,
        "from": one.first,
        "to": one.second,
        "clock": one.clock,
        "hz": one.hz,
        "intervals": one.count,
        "shortest": one.shortest,
        "median": one.median,
        "longest": one.longest,
        "timestamp_overhead_from": one.overhead.get(one.first),
        "timestamp_overhead_to": one.overhead.get(one.second),
        "difference": None if found is None else found.difference,
        "difference_low": None if found is None else found.low,
        "difference_high": None if found is None else found.high,
        "interrupted": None if found is None else found.interrupted,
        "difference_largest": None if found is None else found.largest,
    }


def _order(first: int, second: int, varied: HasOtherFactors) -> tuple[object, ...]:
    """One core before two; settings that differ otherwise stay apart."""
    return by_level(varied), first != second, first, second


def _intervals(first: int, second: int, varied: HasOtherFactors, pool: Sequence[Measurement]) -> Intervals:
    lengths = np.concatenate([ticks(one, "interval") for one in pool])
    series = pool[0].samples("interval")
    overhead: dict[int, list[Ticks]] = defaultdict(list)
    for one in pool:
        for found in one.series:
            if found.name.startswith(TIMESTAMP_OVERHEAD_PREFIX) and len(found.ticks):
                overhead[int(found.name.removeprefix(TIMESTAMP_OVERHEAD_PREFIX))].append(found.ticks)
    return Intervals(
        first=first,
        second=second,
        varied=dict(varied),
        clock=series.clock,
        hz=series.hz,
        count=len(lengths),
        shortest=int(lengths.min()),
        median=float(np.median(lengths)),
        longest=int(lengths.max()),
        overhead={
            core: float(np.median(np.concatenate(overhead[core]))) for core in sorted({first, second} & {*overhead})
        },
        exactness=exactness(pool),
    )


def _offsets(intervals: Sequence[Intervals]) -> Iterable[Offset]:
    """Bound the offset of every two cores between which both directions were measured, for each rate of the clock."""
    shortest: dict[tuple[int, int, int], int] = {}
    for one in intervals:
        pair = one.hz, one.first, one.second
        shortest[pair] = min(one.shortest, shortest.get(pair, one.shortest))
    cores = sorted({core for _, *pair in shortest for core in pair})
    for hz, (first, second) in product(sorted({one.hz for one in intervals}), combinations(cores, 2)):
        there, back = shortest.get((hz, first, second)), shortest.get((hz, second, first))
        if there is not None and back is not None:
            yield Offset(first, second, -back, there, hz)
