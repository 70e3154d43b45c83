"""How far the difference of two readings of the common clock can be trusted, and of the cores' own counters.

What is told of the common clock is in ticks of it: what looking costs, by how much the clocks of two cores can be apart
at most, and, where a simulator saw the intervals from outside, how they differ from the truth. The cores' counters, in
µs, are the subject of `intercore.benchmarks.counter`.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations, product
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.benchmarks import counter, uncertainty
from intercore.benchmarks.caveats import spoilt
from intercore.benchmarks.exactness import PROMISED_SPREAD, Exactness, constant, exactness
from intercore.benchmarks.grouping import by_level, ticks, varied_names
from intercore.record.measurement import LOOKING_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from intercore.benchmarks.counter import Counter, CounterOffset
    from intercore.record.measurement import Level, Measurement

    Ticks: TypeAlias = NDArray[np.int64]
    Varied: TypeAlias = tuple[tuple[str, Level], ...]

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
    looking: dict[int, float]
    """Median cost of looking by core: an empty pair of readings, both on that core."""
    exactness: Exactness | None
    """None where nobody saw the truth."""


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
    """All that a run says about the clock."""

    intervals: tuple[Intervals, ...]
    offsets: tuple[Offset, ...]
    uncertainty: int
    """By how many ticks the clocks of two cores can be apart, as the target says; 0 where all read one clock."""
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
    pools: dict[tuple[int, int, Varied], list[Measurement]] = defaultdict(list)
    for one in ours:
        varied = tuple((name, one.factors[name]) for name in names if name in one.factors)
        pools[int(one.factors["from"]), int(one.factors["to"]), varied].append(one)
    intervals = [
        _intervals(*setting, pool) for setting, pool in sorted(pools.items(), key=lambda item: _order(*item[0]))
    ]
    counters, counter_offsets = counter.counters(known)
    said = max(map(uncertainty.ticks, known), default=0)
    return ClockAnalysis(tuple(intervals), tuple(_offsets(intervals)), said, tuple(counters), tuple(counter_offsets))


def sentences(analysis: ClockAnalysis) -> list[str]:
    """Say what the intervals come to, what matters most first."""
    said = []
    seen = analysis.witnessed
    if seen:
        looking = [cost for one, _ in seen for cost in one.looking.values()]
        low, high = min(found.low for _, found in seen), max(found.high for _, found in seen)
        interrupted = sum(found.interrupted for _, found in seen)
        count = sum(one.count for one, _ in seen)
        verdict = (
            constant(high - low)
            if high - low <= PROMISED_SPREAD
            else f"they differ by more than the {PROMISED_SPREAD} ticks that the clock promises"
        )
        said.append(
            f"Checked against the simulator: {count - interrupted:,} intervals, on one core and across cores, were "
            f"measured {_range(low, high)} ticks longer than they truly were: {verdict}."
        )
        if looking:
            said[-1] += (
                f" The target itself finds that looking at the clock costs {_range(min(looking), max(looking))} ticks."
            )
        if interrupted:
            largest = max(found.largest for _, found in seen if found.interrupted)
            said.append(
                f"{interrupted:,} more {'was' if interrupted == 1 else 'were'} measured up to {largest:,} ticks "
                "longer, because an interrupt on either core came during the look at the clock."
            )
    if analysis.uncertainty:
        said.append(
            "The common clock is made of a counter for each core. The target aligned these counters at start, to "
            f"{analysis.uncertainty:,} ticks either way, so every time from one core to another is uncertain by that "
            "much."
        )
    said += counter.sentences(analysis.counters, analysis.counter_offsets)
    said += [
        f"How far the clocks of cores {one.first} and {one.second} are apart, the intervals can hardly tell: they "
        f"would show more than the shortest of them, {one.high:,} ticks of {1e9 / one.hz:g} ns from core {one.first} "
        f"to core {one.second} and {-one.low:,} back. That is how long tasks take from reading to reading."
        for one in analysis.offsets
    ]
    return said


def warnings(measurements: Iterable[Measurement]) -> list[str]:
    """Say in plain sentences what makes the clock doubtful, and the likely cause."""
    known = list(measurements)
    return [*spoilt(known, "clock", "from", _TEXTS), *_misaligned(analyse(known))]


def _misaligned(analysis: ClockAnalysis) -> Iterator[str]:
    """Hold the bounds of offsets against what the target says of its clock."""
    most = analysis.uncertainty
    for one in analysis.offsets:
        if most and (one.low > most or one.high < -most):
            yield (
                f"The clocks of cores {one.first} and {one.second} are {one.low:,} to {one.high:,} ticks apart, but "
                f"the target says that it aligned them to {most:,}. So they have moved since the target started; a "
                "change of the cores' clock, sleep or a debugger can cause this. Times between cores are wrong: start "
                "the target anew."
            )


_TEXTS = {
    "wrong": (
        "{count} intervals were negative: the cores do not read the same clock, or a clock or counter steps back. "
        "Times between cores of this target are wrong."
    ),
    "preempted": "",  # between its readings a task may be: that is in the interval as well
}


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
            "sentences": sentences(analysis),
        }
    }


def row(one: Intervals) -> dict[str, object]:
    """Return one row of the documented shape, flat; what is not known is None."""
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
        "looking_from": one.looking.get(one.first),
        "looking_to": one.looking.get(one.second),
        "difference": None if found is None else found.difference,
        "difference_low": None if found is None else found.low,
        "difference_high": None if found is None else found.high,
        "interrupted": None if found is None else found.interrupted,
        "difference_largest": None if found is None else found.largest,
    }


def _order(first: int, second: int, varied: Varied) -> tuple[object, ...]:
    """One core before two; settings that differ otherwise stay apart."""
    return by_level(varied), first != second, first, second


def _intervals(first: int, second: int, varied: Varied, pool: Sequence[Measurement]) -> Intervals:
    lengths = np.concatenate([ticks(one, "interval") for one in pool])
    series = pool[0].samples("interval")
    looking: dict[int, list[Ticks]] = defaultdict(list)
    for one in pool:
        for found in one.series:
            if found.name.startswith(LOOKING_PREFIX) and len(found.ticks):
                looking[int(found.name.removeprefix(LOOKING_PREFIX))].append(found.ticks)
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
        looking={
            core: float(np.median(np.concatenate(looking[core]))) for core in sorted({first, second} & {*looking})
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


def _range(low: float, high: float) -> str:
    return f"{low:.12g}" if low == high else f"{low:.12g} to {high:.12g}"
