"""The cost of a lock between cores: hand-off, contention, and the round trip of a word between cores.

Nothing is subtracted: a hand-off and a round trip include the timestamp overhead.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.caveats import Samples, disturbed, failed_checks
from intercore.benchmarks.grouping import distribution_us, repetitions_us, tick_us, units_us
from intercore.benchmarks.lock.findings import (
    LockBarging,
    LockBroken,
    LockFailedCheck,
    LockFair,
    LockHandOvers,
    LockMutexSlower,
    LockNeverAcquired,
    LockNothingMeasured,
    LockPingPongTime,
    LockThroughput,
    LockUnfair,
)
from intercore.record.measurement import Level
from intercore.statistics.distribution import Distribution, distribution
from intercore.statistics.disturbance import disturbances
from intercore.view.quantity import Time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from intercore.finding import Finding
    from intercore.record.measurement import Measurement

    Ticks: TypeAlias = NDArray[np.int64]
    Key: TypeAlias = tuple[Level, ...]

BENCHMARK = "lock"
HAND_OVER, CONTENTION, PING_PONG = "hand-off", "contention", "ping-pong"
LOCKS = ("mutex", "spinlock", "critical-section", "atomic-add", "atomic-swap")
"""In the order in which they are shown."""
TAKEN_PREFIX = "taken."

_NAMED: Mapping[str, Sequence[str]] = {
    HAND_OVER: ("lock", "from", "to"),
    CONTENTION: ("lock", "cores", "hold", "pause"),
    PING_PONG: ("lock", "from", "to", "batch"),
}
"""The factors of each measure that have a field below."""
IDLE: Mapping[str, Sequence[str]] = {
    HAND_OVER: ("cores", "pause", "rounds", "batch"),
    CONTENTION: ("from", "to", "batch"),
    PING_PONG: ("cores", "hold", "pause", "rounds"),
}
"""The factors that do not matter to it. All others are shown if they have several levels."""
_POOLED = ("measure", "seed", "samples", "dither_us", "rest_ms")
_CYCLE_HZ = "clock.sys_hz"
_MOST_CORES = 1024  # of a target, by the protocol

_FAIR = 0.95
"""Jain's index above which sharing is called even: two cores at 61 to 39 % have it."""
_BARGING = 0.5
"""Share of acquisitions by the previous owner above which the lock counts as staying with a core."""


class LockHandOver(msgspec.Struct, frozen=True):
    """The hand-off of one lock to a waiting core."""

    lock: str
    """The lock: `mutex`, `spinlock`, `critical-section`, `atomic-add` or `atomic-swap`."""
    first: Annotated[int, Meta(ge=0)] = msgspec.field(name="from")
    """The core that releases it."""
    second: Annotated[int, Meta(ge=0)] = msgspec.field(name="to")
    """The core that acquires it."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    latency_us: Distribution
    """From before the release to after the acquisition, in µs."""
    median_cycles: float | None
    """The median in cycles of the core; None where the clock does not count them."""


class LockContention(msgspec.Struct, frozen=True):
    """Several cores that acquire one lock as often as they can, in bouts that end when one has had it some times."""

    lock: str
    """What keeps the cores apart."""
    cores: Annotated[int, Meta(ge=2)]
    """Cores that want it, from core 0 up."""
    hold: Annotated[int, Meta(ge=0)]
    """Turns of a loop for which it is held."""
    pause: Annotated[int, Meta(ge=0)]
    """Iterations of a loop from each release to the next attempt."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    bouts: Annotated[int, Meta(ge=1)]
    acquisitions: tuple[Annotated[int, Meta(ge=0)], ...]
    """By core, over all bouts."""
    per_second: Annotated[float, Meta(ge=0)]
    """Acquisitions by all cores together, per second."""
    each_us: Annotated[float, Meta(ge=0)]
    """Time for each of them, in µs: its reciprocal."""
    each_cycles: float | None
    """The same in cycles of the core; None where the clock does not count them."""
    jain: Annotated[float, Meta(ge=0, le=1)]
    """Jain's index of the acquisitions by core: 1 if all have the same share, 1 / cores if one has all."""
    longest_streak: Annotated[int, Meta(ge=1)]
    """Most acquisitions in a row, in one bout, by a core while others wanted it."""
    repeated: Annotated[float, Meta(ge=0, le=1)]
    """Share of acquisitions by the core that had it just before. 0 if cores take turns; chance makes it 1 / cores."""
    longest_wait_us: Annotated[float, Meta(ge=0)]
    """Longest time from one acquisition by a core to its next, or to or from the ends of the bout, in µs."""


class LockPingPong(msgspec.Struct, frozen=True):
    """A word that goes from one core to another and back, by one atomic operation each way."""

    lock: str
    """The operation: `atomic-add` or `atomic-swap`."""
    first: Annotated[int, Meta(ge=0)] = msgspec.field(name="from")
    second: Annotated[int, Meta(ge=0)] = msgspec.field(name="to")
    batch: Annotated[int, Meta(ge=1)]
    """Round trips in one sample."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    one_way_us: Distribution
    """One way, in µs: each value is the mean of a batch, half of its round trips' mean."""
    one_way_cycles: float | None
    """The median in cycles of the core; None where the clock does not count them."""


class LockAnalysis(msgspec.Struct, frozen=True):
    """The results of a run about locks between cores."""

    hand_off: tuple[LockHandOver, ...]
    contention: tuple[LockContention, ...]
    ping_pong: tuple[LockPingPong, ...]


def analyse(measurements: Iterable[Measurement]) -> LockAnalysis:
    """Analyse the measurements of the benchmark `lock` among those given; those of one setting are pooled."""
    ours = list(measurements)
    hand_overs = [found for pool in pools(ours, HAND_OVER) for found in _hand_overs(*pool)]
    contentions = [_contention(*pool) for pool in pools(ours, CONTENTION)]
    ping_pongs = [_ping_pong(*pool) for pool in pools(ours, PING_PONG)]
    return LockAnalysis(tuple(hand_overs), tuple(contentions), tuple(ping_pongs))


def caveats(measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return the caveats of the results."""
    ours = [one for one in measurements if one.benchmark == BENCHMARK]
    wrong = {str(one.factors["lock"]) for one in ours if one.checks.get("wrong", 0)}
    yield from (LockBroken(lock=lock) for lock in sorted(wrong))
    yield from failed_checks(ours, BENCHMARK, "lock", LockFailedCheck)
    if ours and not any(has_samples(one) for one in ours):
        yield LockNothingMeasured()
    yield from disturbed(
        BENCHMARK,
        (
            (
                Samples(f"hand-off of {setting['lock']} from core {setting['from']} to core {setting['to']}", setting),
                disturbances(hand_over_us(pool, back=False)),
            )
            for setting, pool in pools(ours, HAND_OVER)
        ),
    )


def pools(measurements: Iterable[Measurement], measure: str) -> list[tuple[dict[str, Level], list[Measurement]]]:
    """Return the measurements with samples of one measure, by what they depend on, in the order of LOCKS and cores.

    What does not matter to the measure, and its repetitions, are pooled.
    """
    ours = [
        one
        for one in measurements
        if one.benchmark == BENCHMARK and one.factors["measure"] == measure and has_samples(one)
    ]
    names = [*_NAMED[measure], *_varied_names(ours, measure)]
    found: dict[Key, list[Measurement]] = defaultdict(list)
    for one in ours:
        found[tuple(one.factors.get(name, "") for name in names)].append(one)
    settings = [(dict(zip(names, key, strict=True)), pool) for key, pool in found.items()]
    return sorted(settings, key=lambda item: _order(item[0]))


def _varied_names(measurements: Sequence[Measurement], measure: str) -> list[str]:
    names = {name for one in measurements for name in one.factors}
    names -= {*_NAMED[measure], *IDLE[measure], *_POOLED}
    return sorted(name for name in names if len({one.factors.get(name) for one in measurements}) > 1)


def hand_over_us(pool: Iterable[Measurement], *, back: bool) -> list[NDArray[np.float64]]:
    """Return the raw latencies of hand-off by repetition, in µs, `from` one core `to` the other or back."""
    return repetitions_us(pool, _way(back=back))


def _way(*, back: bool) -> str:
    return "back" if back else "there"


def _order(setting: Mapping[str, Level]) -> tuple[int, str, list[tuple[str, int, str]]]:
    lock = str(setting["lock"])
    rest = [(name, level if isinstance(level, int) else 0, str(level)) for name, level in setting.items()]
    return (LOCKS.index(lock) if lock in LOCKS else len(LOCKS)), lock, rest


def _varied(setting: Mapping[str, Level], measure: str) -> dict[str, Level]:
    """Return the levels that distinguish a setting and have no field."""
    return {name: level for name, level in setting.items() if name not in _NAMED[measure]}


def has_samples(one: Measurement) -> bool:
    """Whether a measurement has everything that its measure needs."""
    lengths = {series.name: len(series.ticks) for series in one.series}
    measure = str(one.factors["measure"])
    if measure == CONTENTION:  # a core may not have had it once
        return lengths.get("bout", 0) > 0 and 2 <= int(one.factors["cores"]) <= _MOST_CORES
    if measure == HAND_OVER:
        return all(lengths.get(name, 0) > 0 for name in ("there", "back"))
    return measure == PING_PONG and lengths.get("round_trips", 0) > 0 and int(one.factors["batch"]) > 0


def _cycles(us: float, pool: Sequence[Measurement]) -> float | None:
    """Return a time in cycles, if the rate of the cores is one that all measurements know."""
    rates = {one.conditions.get(_CYCLE_HZ, "") for one in pool}
    rate = rates.pop() if len(rates) == 1 else ""
    return us * int(rate) / 1e6 if rate.isascii() and rate.isdigit() else None


# Hand-over


def _hand_overs(setting: dict[str, Level], pool: list[Measurement]) -> Iterator[LockHandOver]:
    first, second = int(setting["from"]), int(setting["to"])
    for back, (giver, getter) in enumerate(((first, second), (second, first))):
        found = distribution_us(pool, _way(back=bool(back)))
        yield LockHandOver(
            lock=str(setting["lock"]),
            first=giver,
            second=getter,
            varied=_varied(setting, HAND_OVER),
            latency_us=found,
            median_cycles=_cycles(found.median.value, pool),
        )


# Contention


class Bouts:
    """Who had the lock when, in one measurement."""

    def __init__(self, one: Measurement) -> None:
        """Read the owners of the lock from a measurement of contention with samples."""
        self.ns_per_tick = 1e9 / one.samples("bout").hz
        self.lengths = one.samples("bout").ticks
        self.ends = np.cumsum(self.lengths)
        ticks = {series.name: series.ticks for series in one.series}
        names = [f"{TAKEN_PREFIX}{core}" for core in range(int(one.factors["cores"]))]
        taken = [ticks.get(name, np.zeros(0, np.int64)) for name in names]
        moments = np.concatenate(taken)
        owners = np.repeat(np.arange(len(taken)), [len(each) for each in taken])
        order = np.argsort(moments, kind="stable")
        self.moments, self.owners = moments[order], owners[order]
        # The acquisition that ends a bout stands at its end, and belongs to it.
        self.bouts = np.searchsorted(self.ends, self.moments)

    @property
    def each_us(self) -> NDArray[np.float64]:
        """Time for each acquisition in µs, a mean for each bout; none of a bout without one."""
        counts = np.bincount(self.bouts, minlength=len(self.lengths))[: len(self.lengths)]
        some = counts > 0
        found: NDArray[np.float64] = self.lengths[some] / counts[some] * (self.ns_per_tick / 1e3)
        return found

    def counts(self, cores: int) -> Ticks:
        """Return the acquisitions by core."""
        return np.bincount(self.owners, minlength=cores)[:cores]

    @property
    def streaks(self) -> Ticks:
        """Lengths of runs of acquisitions by one core within a bout."""
        changes = (np.diff(self.bouts) != 0) | (np.diff(self.owners) != 0)
        begins = np.concatenate(([0], np.flatnonzero(changes) + 1))
        return np.diff(begins, append=len(self.owners)) if len(self.owners) else np.zeros(0, np.int64)

    def longest_wait(self, cores: int) -> float:
        """Return the longest time that a core was without an acquisition within a bout, in ns."""
        boundaries = np.concatenate(([0], self.ends))  # of bouts: one begins where the one before ends
        waits = [
            np.diff(np.sort(np.concatenate((boundaries, self.moments[self.owners == core])))) for core in range(cores)
        ]
        return int(np.max(np.concatenate(waits), initial=0)) * self.ns_per_tick


def _contention(setting: dict[str, Level], pool: list[Measurement]) -> LockContention:
    cores = int(setting["cores"])
    found = [Bouts(one) for one in pool]
    counts = np.sum([bouts.counts(cores) for bouts in found], axis=0)
    total = int(counts.sum())
    seconds = sum(float(bouts.lengths.sum()) * bouts.ns_per_tick for bouts in found) / 1e9
    streaks = np.concatenate([bouts.streaks for bouts in found])
    each_us = seconds * 1e6 / total if total else 0.0
    return LockContention(
        lock=str(setting["lock"]),
        cores=cores,
        hold=int(setting["hold"]),
        pause=int(setting["pause"]),
        varied=_varied(setting, CONTENTION),
        bouts=sum(len(bouts.lengths) for bouts in found),
        acquisitions=tuple(counts.tolist()),
        per_second=total / seconds if seconds > 0 else 0.0,
        each_us=each_us,
        each_cycles=_cycles(each_us, pool),
        jain=jain(counts.tolist()),
        longest_streak=int(streaks.max(initial=1)),
        repeated=int((streaks - 1).sum()) / total if total else 0.0,
        longest_wait_us=max(bouts.longest_wait(cores) for bouts in found) / 1e3,
    )


def jain(shares: Sequence[float]) -> float:
    """Return Jain's index of fairness of at least one share: (Σx)² / (n Σx²); 1 if all are 0.

    Jain, Chiu, Hawe: A Quantitative Measure of Fairness and Discrimination for Resource Allocation in Shared Computer
    Systems, DEC TR-301, 1984. It is 1 if all are equal, and k / n if k of n have equal shares and the others nothing.
    """
    squares = sum(share * share for share in shares)
    return 1.0 if squares == 0 else min(1.0, float(sum(shares)) ** 2 / (len(shares) * squares))


# Ping-pong


def _ping_pong(setting: dict[str, Level], pool: list[Measurement]) -> LockPingPong:
    ways = 2 * int(setting["batch"])  # of which a sample is the time of all
    each = [values / ways for values in units_us(pool, "round_trips")]
    found = distribution(each, tick=tick_us(pool, "round_trips") / ways)
    return LockPingPong(
        lock=str(setting["lock"]),
        first=int(setting["from"]),
        second=int(setting["to"]),
        batch=int(setting["batch"]),
        varied=_varied(setting, PING_PONG),
        one_way_us=found,
        one_way_cycles=_cycles(found.median.value, pool),
    )


# Findings


def results(analysis: LockAnalysis) -> Iterator[Finding]:
    """Return the findings, the most important first."""
    yield from _on_hand_offs(analysis.hand_off)
    yield from _on_contention(analysis.contention)
    if analysis.ping_pong:
        quickest = min(analysis.ping_pong, key=lambda one: one.one_way_us.median.value)
        time = Time(quickest.one_way_us.median.value, quickest.one_way_cycles)
        yield LockPingPongTime(lock=quickest.lock, first=quickest.first, second=quickest.second, one_way=time)


def _on_hand_offs(hand_overs: Sequence[LockHandOver]) -> Iterator[Finding]:
    medians: dict[str, Time] = {}
    for one in hand_overs:
        time = Time(one.latency_us.median.value, one.median_cycles)
        medians[one.lock] = max(time, medians.get(one.lock, time), key=lambda known: known.us)
    if not medians:
        return
    yield LockHandOvers(medians=medians)
    mutex, spinlock = medians.get("mutex"), medians.get("spinlock")
    if mutex is not None and spinlock is not None and mutex.us > spinlock.us > 0:
        yield LockMutexSlower(times=mutex.us / spinlock.us, mutex=mutex)


def _on_contention(contentions: Sequence[LockContention]) -> Iterator[Finding]:
    for one in contentions:
        total = sum(one.acquisitions)
        if not total:
            yield LockNeverAcquired(lock=one.lock, hold=one.hold, pause=one.pause)
        elif one.jain < _FAIR:
            yield LockUnfair(
                lock=one.lock,
                hold=one.hold,
                pause=one.pause,
                shares_percent=tuple(100 * count / total for count in one.acquisitions),
                jain=one.jain,
                longest_streak=one.longest_streak,
            )
        elif one.lock == "mutex" and one.repeated > _BARGING:
            yield LockBarging(repeated_percent=100 * one.repeated)
    fair = tuple(dict.fromkeys(one.lock for one in contentions if one.jain >= _FAIR))
    if fair:
        yield LockFair(locks=fair)
    if len(contentions) > 1:
        best = max(contentions, key=lambda one: one.per_second)
        worst = min(contentions, key=lambda one: one.per_second)
        yield LockThroughput(
            most=best.lock,
            most_per_second=best.per_second,
            each_at_most=Time(best.each_us, best.each_cycles),
            fewest=worst.lock,
            fewest_per_second=worst.per_second,
            each_at_fewest=Time(worst.each_us, worst.each_cycles),
        )
