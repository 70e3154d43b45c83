"""Interrupt latency from the cause to the handler, and to a task, on the same core or another one.

Durations are in µs, and in cycles where the clock counts those of the cores. Nothing is subtracted: the timestamp
overhead stands beside them. Samples of one setting are pooled over its repetitions.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks import uncertainty
from intercore.benchmarks.caveats import Samples, disturbed, failed_checks
from intercore.benchmarks.explained import ExplainedSample, explained, explained_findings
from intercore.benchmarks.grouping import (
    by_level,
    distribution_us,
    repetitions_us,
    tick_us,
    units_us,
    values_us,
    varied_names,
)
from intercore.benchmarks.irq import DOING, PATHS, Doing, Path
from intercore.benchmarks.irq.findings import (
    IrqDoorbell,
    IrqFailedCheck,
    IrqPin,
    IrqSlowToWake,
    IrqTimer,
    IrqTimerToTask,
    IrqWakeUp,
    WakeUp,
)
from intercore.statistics.distribution import Distribution
from intercore.statistics.disturbance import disturbances
from intercore.statistics.intervals import Interval
from intercore.statistics.repetitions import median, ratio
from intercore.statistics.tail import Tail, tail
from intercore.view.quantity import Time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from intercore.finding import Finding
    from intercore.record.measurement import Level, Measurement

    Floats: TypeAlias = NDArray[np.float64]
    HasOtherFactors: TypeAlias = tuple[tuple[str, Level], ...]

BENCHMARK = "irq"
SERIES = "latency"
EXPLAINED = "latency of an interrupt"
"""What is explained, in words."""

_POOLED = ("path", "from", "to", "interrupted", "seed", "samples")
_FEWEST_FOR_TAIL = 500
_SLOW_TO_WAKE = 1.2
_BOTH = 2  # directions, those of two cores

Positive = Annotated[float, Meta(gt=0)]
Core = Annotated[int, Meta(ge=0)]


class Cycles(msgspec.Struct, frozen=True):
    """Latencies in cycles of a core."""

    min: int
    median: float
    max: int


class Latency(msgspec.Struct, frozen=True):
    """One path between two cores."""

    path: Path
    first: Annotated[int, Meta(ge=0, description="Core of the timer's handler, or that rings or drives the pin.")] = (
        msgspec.field(name="from")
    )
    second: Annotated[
        int | None,
        Meta(description="Core of the woken task, or of the ring's or pin's handler; null for timer-handler."),
    ] = msgspec.field(name="to")
    interrupted: Doing
    """Activity of these cores: sleep, compute, or call the kernel."""
    varied: dict[str, int | str]
    """The other factors that take more than one level in the run, by name."""
    latency_us: Distribution
    """In µs, as measured."""
    cycles: Cycles | None
    """The same in cycles; null where the common clock does not count those of the cores."""
    timestamp_overhead_us: Annotated[float, Meta(ge=0)] | None
    """Median cost of an empty pair of readings on the core that reads last, in µs: a path that begins with a reading
    has it in it. Null if it was not measured."""
    within_us: Annotated[float, Meta(ge=0)]
    """How far all of the latencies together may be off because the common clock is made of a counter for each core, and
    these can be aligned only so well; 0 where both cores read one clock, and where a path ends on the core where it
    begins."""

    @property
    def is_across(self) -> bool:
        """Whether it is between two cores."""
        return self.second is not None and self.first != self.second

    @property
    def cores(self) -> str:
        """The cores in words: `0`, `0 → 1`."""
        return _cores(self.first, self.second)


def _cores(first: int, second: int | None) -> str:
    return f"{first}" if second is None else f"{first} → {second}"


class IrqComparison(msgspec.Struct, frozen=True):
    """One path from one core to another against the same path on the core where it begins: of one direction."""

    path: Path
    first: Annotated[
        int, Meta(ge=0, description="Core of the timer's handler, or that rings or drives the pin, for both.")
    ] = msgspec.field(name="from")
    second: Annotated[int, Meta(ge=0, description="The other core.")] = msgspec.field(name="to")
    interrupted: Doing
    varied: dict[str, int | str]
    """The other factors that take more than one level in the run, by name."""
    same_core_us: Interval
    """Median in µs on core `from`."""
    cross_core_us: Interval
    """Median in µs from core `from` to core `to`."""
    ratio: Interval
    """Cross-core over same-core. Its bounds are those of the medians at their farthest apart: a cautious interval."""


class IrqBudget(msgspec.Struct, frozen=True):
    """The worst case of one path, over all activities of the cores."""

    path: Path
    across: bool
    """Whether it is between two cores."""
    varied: dict[str, int | str]
    """The other factors that take more than one level in the run, by name."""
    samples: Annotated[int, Meta(ge=1)]
    """Over all activities of the cores."""
    typical_us: float
    """Median while the cores sleep, or of all samples if that was not measured: of the core, or the direction, where it
    is longest."""
    largest_us: float
    """The largest value seen, which is not the largest possible one."""
    largest_while: Doing
    """The activity of the cores then."""
    tail: Tail | None
    """Rarer values while they were doing that; null with fewer than 500 samples of it."""


class IrqAnalysis(msgspec.Struct, frozen=True):
    """The results of a run about interrupts."""

    latencies: tuple[Latency, ...]
    comparisons: tuple[IrqComparison, ...]
    budgets: tuple[IrqBudget, ...]
    explained: tuple[ExplainedSample, ...] = ()
    """What the longest samples went to, where that was asked for."""


def analyse(measurements: Iterable[Measurement]) -> IrqAnalysis:
    """Analyse the measurements of `irq` among those given."""
    measurements = list(measurements)
    pools = pooled(measurements)
    latencies = tuple(_latency(setting, pool) for setting, pool in pools.items())
    return IrqAnalysis(
        latencies, tuple(_comparisons(pools)), tuple(_budgets(pools)), explained(measurements, BENCHMARK)
    )


def caveats(measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return the caveats on the latencies."""
    ours = [one for one in measurements if one.benchmark == BENCHMARK]
    yield from failed_checks(ours, BENCHMARK, "path", IrqFailedCheck)
    yield from disturbed(
        BENCHMARK,
        (
            (
                Samples(f"{PATHS[setting.path]}, core {setting.cores}", {"path": setting.path}),
                disturbances(repetitions_us(pool, SERIES), tick=1e6 / pool[0].samples(SERIES).hz),
            )
            for setting, pool in pooled(ours).items()
            if setting.interrupted == "idle"  # else the cores are disturbed on purpose
        ),
    )


class IrqSetting(NamedTuple):
    """What is pooled."""

    path: Path
    first: int
    second: int | None
    interrupted: Doing
    varied: HasOtherFactors

    @property
    def across(self) -> bool:
        """Whether it is between two cores."""
        return self.second is not None and self.first != self.second

    @property
    def cores(self) -> str:
        """The cores in words: `0`, `0 → 1`."""
        return _cores(self.first, self.second)


Pools: TypeAlias = "dict[IrqSetting, list[Measurement]]"


def pooled(measurements: Iterable[Measurement]) -> Pools:
    """Return the measurements of `irq` that have samples, by setting, in the order in which they are shown."""
    ours = [
        one
        for one in measurements
        if one.benchmark == BENCHMARK
        and one.factors["path"] in PATHS  # a newer target may know more
        and one.factors["interrupted"] in DOING
        and any(series.name == SERIES and len(series.ticks) for series in one.series)
    ]
    names = varied_names(ours, _POOLED)
    pools: Pools = defaultdict(list)
    for one in ours:
        pools[_setting(one, names)].append(one)
    return dict(sorted(pools.items(), key=lambda item: _order(item[0])))


def samples_us(pools: Pools, path: Path, interrupted: Doing, *, across: bool) -> Floats:
    """Return all latencies in µs of a path on one core, or between two, in one state of these."""
    return np.concatenate([np.zeros(0), *map(_us, _in_state(pools, path, interrupted, across=across))])


def _in_state(pools: Pools, path: Path, interrupted: Doing, *, across: bool) -> list[list[Measurement]]:
    return [
        pool
        for setting, pool in pools.items()
        if (setting.path, setting.interrupted, setting.across) == (path, interrupted, across)
    ]


def _setting(one: Measurement, names: Iterable[str]) -> IrqSetting:
    factors = one.factors
    path = next(path for path in PATHS if path == factors["path"])
    return IrqSetting(
        path=path,
        first=int(factors["from"]),
        second=None if path == "timer-handler" else int(factors["to"]),  # it has no meaning there
        interrupted=next(doing for doing in DOING if doing == factors["interrupted"]),
        varied=tuple((name, factors[name]) for name in names if name in factors),
    )


def _order(setting: IrqSetting) -> tuple[object, ...]:
    second = -1 if setting.second is None else setting.second
    place = list(DOING).index(setting.interrupted)
    return by_level(setting.varied), list(PATHS).index(setting.path), setting.across, setting.first, second, place


def _us(pool: Sequence[Measurement]) -> Floats:
    return values_us(pool, SERIES)


def _latency(setting: IrqSetting, pool: Sequence[Measurement]) -> Latency:
    return Latency(
        path=setting.path,
        first=setting.first,
        second=setting.second,
        interrupted=setting.interrupted,
        varied=dict(setting.varied),
        latency_us=distribution_us(pool, SERIES),
        cycles=_cycles(pool),
        timestamp_overhead_us=_overhead(setting, pool),
        within_us=uncertainty.within_us(pool, SERIES) if _ends_across(setting) else 0.0,
    )


def _ends_across(setting: IrqSetting) -> bool:
    """Whether the last reading is on another core than the first, or than that whose timer it is."""
    return setting.across and setting.path != "doorbell-round-trip"


def _cycles(pool: Sequence[Measurement]) -> Cycles | None:
    if any(str(one.samples(SERIES).hz) != one.conditions.get("clock.sys_hz") for one in pool):
        return None
    ticks = np.concatenate([one.samples(SERIES).ticks for one in pool])
    return Cycles(int(ticks.min()), float(np.median(ticks)), int(ticks.max()))


def _overhead(setting: IrqSetting, pool: Sequence[Measurement]) -> float | None:
    """Return the cost where the last reading is: in the handler of a timer, or of the ring that answers, on `from`."""
    on_first = setting.second is None or setting.path == "doorbell-round-trip"
    core = setting.first if on_first else setting.second
    costs = [one.timestamp_overhead_ns[core] for one in pool if core in one.timestamp_overhead_ns]
    return float(np.median(costs)) / 1e3 if costs else None


# Comparisons and budgets


def _by_path(pools: Pools) -> Iterator[tuple[HasOtherFactors, Path, Pools]]:
    for (varied, path), group in groupby(pools.items(), key=lambda item: (item[0].varied, item[0].path)):
        yield varied, path, dict(group)


def _comparisons(pools: Pools) -> Iterator[IrqComparison]:
    """Compare each direction with the core where it begins; two directions may differ several times over."""
    for setting, pool in pools.items():
        same = pools.get(setting._replace(second=setting.first))
        if setting.second is None or not setting.across or same is None:
            continue
        ticks = tick_us(pool, SERIES), tick_us(same, SERIES)
        there, here = (units_us(side, SERIES) for side in (pool, same))
        compared = ratio(there, here, ticks=ticks)
        if compared is not None:
            yield IrqComparison(
                path=setting.path,
                first=setting.first,
                second=setting.second,
                interrupted=setting.interrupted,
                varied=dict(setting.varied),
                same_core_us=median(here, tick=ticks[1]),
                cross_core_us=median(there, tick=ticks[0]),
                ratio=compared,
            )


def _budgets(pools: Pools) -> Iterator[IrqBudget]:
    for varied, path, group in _by_path(pools):
        for across in (False, True):
            known = {doing: found for doing in DOING if len(found := samples_us(group, path, doing, across=across))}
            if not known:
                continue
            worst = max(known, key=lambda doing: known[doing].max())
            yield IrqBudget(
                path=path,
                across=across,
                varied=dict(varied),
                samples=sum(map(len, known.values())),
                typical_us=_typical_us(group, path, across=across),
                largest_us=float(known[worst].max()),
                largest_while=worst,
                tail=tail(known[worst], what="interrupt") if len(known[worst]) >= _FEWEST_FOR_TAIL else None,
            )


def _typical_us(group: Pools, path: Path, *, across: bool) -> float:
    """Return the longest median of a core or direction while the cores sleep; of all its samples if none was so."""
    asleep: dict[tuple[int, int | None], list[Floats]] = defaultdict(list)
    ways: dict[tuple[int, int | None], list[Floats]] = defaultdict(list)
    for setting, pool in group.items():
        if (setting.path, setting.across) == (path, across):
            for found in [ways, asleep] if setting.interrupted == "idle" else [ways]:
                found[setting.first, setting.second].append(_us(pool))
    return max(float(np.median(np.concatenate(values))) for values in (asleep or ways).values())


# Findings


def results(analysis: IrqAnalysis) -> Iterator[Finding]:
    """Return the findings and their meaning for a design, the most important first."""
    for varied in dict.fromkeys(str(one.varied) for one in analysis.latencies):
        of_one = [one for one in analysis.latencies if str(one.varied) == varied]
        levels = of_one[0].varied
        facts = _Facts(
            levels,
            of_one,
            [one for one in analysis.comparisons if one.varied == levels],
            {(one.path, one.across): one for one in analysis.budgets if one.varied == levels},
        )
        for found in (
            facts.timer(),
            facts.wake_up(),
            facts.doorbell(),
            facts.timer_to_task(),
            facts.pin(),
            facts.slow_to_wake(),
        ):
            if found is not None:
                yield found
    yield from explained_findings(analysis.explained, EXPLAINED)
    within = max((one.within_us for one in analysis.latencies), default=0.0)
    if within:
        yield uncertainty.CrossCoreUncertainty(times_of="latency", within_us=within)


def _typical(one: IrqBudget) -> float:
    return one.typical_us


class _Facts(NamedTuple):
    """The data of the findings on one setting of the other factors."""

    setting: dict[str, int | str]
    latencies: list[Latency]
    comparisons: list[IrqComparison]
    budgets: dict[tuple[Path, bool], IrqBudget]

    def timer(self) -> IrqTimer | None:
        budget = self.budgets.get(("timer-handler", False))
        if budget is None:
            return None
        usual, largest = self._time(budget.typical_us), self._time(budget.largest_us)
        cores = self._directions("timer-handler", across=False)
        return IrqTimer(
            setting=self.setting, usual=usual, cores=cores, largest=largest, largest_while=budget.largest_while
        )

    def wake_up(self) -> IrqWakeUp | None:
        for path in ("handler-task", "timer-task"):
            found = [one for one in self.comparisons if one.path == path and one.interrupted == "idle"]
            if found:
                ordered = sorted(found, key=lambda one: one.cross_core_us.value)
                ends = found if len(found) <= _BOTH else [ordered[0], ordered[-1]]
                wake_ups = tuple(
                    WakeUp(one.first, one.second, one.same_core_us.value, one.cross_core_us.value, one.ratio.value)
                    for one in ends
                )
                return IrqWakeUp(setting=self.setting, directions=len(found), wake_ups=wake_ups)
        return None

    def doorbell(self) -> IrqDoorbell | None:
        ring = self.budgets.get(("doorbell", True))
        if ring is None:
            return None
        back = self.budgets.get(("doorbell-round-trip", True))
        return IrqDoorbell(
            setting=self.setting,
            there=self._time(ring.typical_us),
            directions=self._directions("doorbell", across=True),
            round_trip=None if back is None else self._time(back.typical_us),
            wake_up_times=self._wake_up_by_ring(),
        )

    def timer_to_task(self) -> IrqTimerToTask | None:
        whole = [one for (path, _), one in self.budgets.items() if path == "timer-task"]
        if not whole:
            return None
        worst = max(whole, key=lambda one: one.largest_us)
        return IrqTimerToTask(
            setting=self.setting,
            largest_us=worst.largest_us,
            samples=sum(one.samples for one in whole),
            across=worst.across,
            largest_while=worst.largest_while,
            typical_us=worst.typical_us,
        )

    def pin(self) -> IrqPin | None:
        to_handler, to_task = (
            max((one for (path, _), one in self.budgets.items() if path == wanted), key=_typical, default=None)
            for wanted in ("gpio-handler", "gpio-task")
        )
        if to_handler is None:
            return None
        return IrqPin(
            setting=self.setting,
            usual=self._time(to_handler.typical_us),
            largest_us=max(one.largest_us for (path, _), one in self.budgets.items() if path == "gpio-handler"),
            to_task_us=None if to_task is None else to_task.typical_us,
        )

    def slow_to_wake(self) -> IrqSlowToWake | None:
        for path in ("timer-handler", "doorbell"):
            reached = [one for one in self.latencies if one.path == path and (one.second is None or one.is_across)]
            at_work: dict[tuple[int, int | None], Latency] = {}
            for one in reached:
                if one.interrupted != "idle":  # computing, where that was measured: the kernel masks interrupts
                    at_work.setdefault((one.first, one.second), one)
            pairs = [(one, at_work.get((one.first, one.second))) for one in reached if one.interrupted == "idle"]
            later = [
                (one.latency_us.median.value, other.latency_us.median.value, one)
                for one, other in pairs
                if other is not None and one.latency_us.median.value > _SLOW_TO_WAKE * other.latency_us.median.value
            ]
            if later:
                asleep, awake, one = max(later, key=lambda each: each[0])
                return IrqSlowToWake(
                    setting=self.setting, path=one.path, cores=one.cores, asleep_us=asleep, awake_us=awake
                )
        return None

    def _directions(self, path: Path, *, across: bool) -> int:
        """Return from how many cores, or in how many directions, a path was measured."""
        return len({(one.first, one.second) for one in self.latencies if (one.path, one.is_across) == (path, across)})

    def _asleep(self, path: Path) -> list[Latency]:
        """Return the latencies of a path between cores that sleep, the shortest first."""
        known = [one for one in self.latencies if one.path == path and one.is_across and one.interrupted == "idle"]
        return sorted(known, key=lambda one: one.latency_us.median.value)

    def _wake_up_by_ring(self) -> float | None:
        """Return how many times as long waking a task takes as a ring, in the direction where a ring takes longest."""
        wake_ups = {(one.first, one.second): one for one in self._asleep("handler-task")}
        for ring in reversed(self._asleep("doorbell")):
            wake_up = wake_ups.get((ring.first, ring.second))
            if wake_up is not None and ring.latency_us.median.value > 0:
                return wake_up.latency_us.median.value / ring.latency_us.median.value
        return None

    def _time(self, us: float) -> Time:
        """Return a time with its cycles, where those are known."""
        known = next((one for one in self.latencies if one.cycles and one.latency_us.max > 0), None)
        if known is None or known.cycles is None:
            return Time(us, None)
        return Time(us, us * known.cycles.max / known.latency_us.max)
