"""Jitter of a periodic task: its lateness, and the deviation of its period.

A target sends how late each activation was (firmware/bench/jitter). The deviation of a period is the difference of
two neighbours. Moving the task from core to core is counted by the core of each activation. What was timed by the
cores' own counters (`false_periods.py`) stands apart from all that is true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.caveats import Samples, disturbed
from intercore.benchmarks.explained import ExplainedSample, explained, explained_findings
from intercore.benchmarks.grouping import by_run, ticks
from intercore.benchmarks.jitter.activations import (
    BENCHMARK,
    FORCED,
    PUBLISHED,
    UNSYNCHRONISED,
    Ticks,
    activations,
    has_cores,
    in_us,
    lateness_us,
    pools,
    varied_factors,
    wake_of,
)
from intercore.benchmarks.jitter.deadline import JitterDeadline, deadline_results, deadlines
from intercore.benchmarks.jitter.false_periods import FalsePeriods, false_periods
from intercore.benchmarks.jitter.false_periods import results as false_period_results
from intercore.benchmarks.jitter.findings import (
    Deviation,
    JitterAmongEquals,
    JitterBlocked,
    JitterBound,
    JitterEarly,
    JitterFewMigrations,
    JitterLateness,
    JitterLeftOut,
    JitterLost,
    JitterMoved,
    JitterNoBound,
    JitterNotMoved,
    JitterStrayed,
    Lateness,
)
from intercore.benchmarks.jitter.under_load import settings_under, worse_without_load
from intercore.statistics.distribution import Distribution, distribution
from intercore.statistics.disturbance import disturbances
from intercore.statistics.histogram import STEPS, quantile
from intercore.statistics.tail import Tail, tail

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from intercore.finding import Finding
    from intercore.record.measurement import Measurement

_EXTREMES = 4  # of a histogram: smallest and largest latency, smallest and largest deviation
_BEYOND = 10  # counted activations beyond a percentile that is shown

EXPLAINED = "lateness of an activation"
"""What is explained, in words."""

Count = Annotated[int, Meta(ge=0)]


class LongRun(msgspec.Struct, frozen=True):
    """Further activations of a long run, of which the target kept log-linear histograms instead of each value."""

    activations: Count
    periods: Count
    resolution: float
    """A latency is known to this fraction of itself; the extremes are exact."""
    lateness_min_us: float
    lateness_median_us: float
    """The end of the bin that holds it, like the percentiles."""
    lateness_p99_us: float | None
    """None with fewer than 1,000 activations."""
    lateness_p99_9_us: float | None
    """None with fewer than 10,000 activations."""
    lateness_max_us: float
    deviation_min_us: float
    deviation_max_us: float


class JitterSetting(msgspec.Struct, frozen=True):
    """The results of a task at one setting of the factors; measurements that differ only in their seed are pooled."""

    label: str
    """What sets it apart, in words."""
    core: str
    """The core it was pinned to, or `any`; with forced migrations, where it began."""
    load: str
    migrate: str
    wake: str
    """Whether the time of the last activation, from which the next one is due, was `kept` or `reset` before each."""
    period_us: Annotated[float, Meta(gt=0)]
    varied: dict[str, int | str]
    """The other factors that take more than one level in the run, by name."""
    hz: Annotated[int, Meta(ge=1)]
    """Ticks per second of the common clock."""
    stretches: Count
    """Runs of activations without a break between them."""
    lateness_us: Distribution
    """From when an activation was due to the task's first instruction."""
    lateness_min_ticks: int
    lateness_max_ticks: int
    deviation_us: Distribution | None
    """Of the time between neighbouring activations from the period; None where there are no neighbours."""
    halves_us: tuple[float, float] | None
    """The largest deviation, without its sign, of the first and of the second half of the periods."""
    missed: Count
    """Activations that came a period or more after they were due."""
    missed_in: Count
    """Measurements that had such activations."""
    activations_by_core: dict[str, int]
    lateness_by_core_us: dict[str, float]
    """Median, by core."""
    migrations: Count
    """Neighbouring activations on different cores."""
    asked: Count | None
    """Migrations asked for while the task waited, with `published` before it waited; None where none were."""
    moved: Count | None
    """Of those, the ones after which the task was released on the core it had been moved to."""
    tail: Tail
    """Beyond the latencies that were seen."""
    counted: LongRun | None

    @property
    def bound_us(self) -> tuple[float, float] | None:
        """The smallest and the largest deviation of the period, of all activations, kept and counted."""
        ends = [
            *([] if self.deviation_us is None else [(self.deviation_us.min, self.deviation_us.max)]),
            *([] if self.counted is None else [(self.counted.deviation_min_us, self.counted.deviation_max_us)]),
        ]
        return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None

    @property
    def activations(self) -> int:
        """All activations, kept and counted."""
        return self.lateness_us.n + (0 if self.counted is None else self.counted.activations)

    @property
    def largest_us(self) -> float:
        """The largest latency of all activations."""
        return max(self.lateness_us.max, self.lateness_us.max if self.counted is None else self.counted.lateness_max_us)


class JitterAnalysis(msgspec.Struct, frozen=True):
    """The results of a run about periodic tasks."""

    settings: tuple[JitterSetting, ...]
    false_periods: tuple[FalsePeriods, ...]
    """The false times by the cores' counters, made on purpose."""
    deadlines: tuple[JitterDeadline, ...]
    """What is said of the deadline that was asked about, by setting."""
    explained: tuple[ExplainedSample, ...] = ()
    """What the longest samples went to, where that was asked for."""


def analyse(measurements: Iterable[Measurement], deadline_us: float = 0.0) -> JitterAnalysis:
    """Analyse the measurements of the benchmark `jitter` among those given, and judge a deadline if there is one."""
    ours = [one for one in measurements if one.benchmark == BENCHMARK]
    found = pools(ours)
    varied = varied_factors(one for pool in found.values() for one in pool)
    settings = tuple(_setting(label, pool, varied) for label, pool in found.items())
    return JitterAnalysis(
        settings, tuple(false_periods(ours)), deadlines(ours, deadline_us), explained(ours, BENCHMARK)
    )


def caveats(measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return the caveats on the numbers."""
    ours = [one for one in measurements if one.benchmark == BENCHMARK]
    without = sum(len(ticks(one, "late")) > 0 and not has_cores(one) for one in ours)
    if without:
        yield JitterLeftOut(measurements=without)
    both = [*pools(ours).items(), *((f"{label}, raw counters", pool) for label, pool in pools(ours, raw=True).items())]
    for label, pool in both:
        yield from _caveats(label, pool)
    yield from disturbed(
        BENCHMARK,
        (
            (
                Samples(label, {name: pool[0].factors[name] for name in ("core", "load", "migrate")}),
                [each for one in pool for each in disturbances([lateness_us(one)])],
            )
            for label, pool in both
            if pool[0].factors["migrate"] not in (*FORCED, PUBLISHED, UNSYNCHRONISED)
        ),
    )


def _caveats(label: str, pool: Sequence[Measurement]) -> Iterator[Finding]:
    load, migrate = (str(pool[0].factors[name]) for name in ("load", "migrate"))
    wrong, migrated, lost, asked, moved = (
        sum(one.checks.get(name, 0) for one in pool)
        for name in ("wrong", "migrated", "lost", "migrations_requested", "migrations_done")
    )
    many = sum(len(ticks(one, "late")) + int(ticks(one, "late.counts").sum()) for one in pool)
    if wrong:
        yield JitterEarly(label=label, load=load, migrate=migrate, activations=wrong)
    if migrated:
        yield JitterStrayed(label=label, load=load, migrate=migrate, times=migrated)
    if lost:
        yield JitterLost(label=label, load=load, migrate=migrate, activations=lost)
    if moved < asked:
        yield JitterNotMoved(label=label, load=load, migrate=migrate, asked=asked, moved=moved)
    if migrate in (*FORCED, PUBLISHED) and asked < many:
        yield JitterFewMigrations(label=label, load=load, migrate=migrate, asked=asked, activations=many)


# One setting


def _setting(label: str, pool: Sequence[Measurement], varied: Sequence[str]) -> JitterSetting:
    first = pool[0]
    each = [activations(one) for one in pool]
    late, core = (np.concatenate([getattr(one, name) for one in each]) for name in ("late", "core"))
    deviations = [one.deviation for one in each]
    deviation = np.concatenate(deviations)
    us = in_us(late, first)
    forced = str(first.factors["migrate"]) in (*FORCED, PUBLISHED)
    return JitterSetting(
        label=label,
        core=str(first.factors["core"]),
        load=str(first.factors["load"]),
        migrate=str(first.factors["migrate"]),
        wake=wake_of(first),
        period_us=float(first.factors["period_us"]),
        varied={name: first.factors[name] for name in varied if name in first.factors and name != "period_us"},
        hz=each[0].hz,
        stretches=sum(len(one.begins) for one in each),
        lateness_us=distribution(by_run(pool, (in_us(one.late, first) for one in each)), tick=1e6 / each[0].hz),
        lateness_min_ticks=int(late.min()),
        lateness_max_ticks=int(late.max()),
        deviation_us=(
            distribution(by_run(pool, (in_us(one, first) for one in deviations)), tick=1e6 / each[0].hz)
            if len(deviation)
            else None
        ),
        halves_us=_halves(np.abs(in_us(deviation, first))),
        missed=int(np.count_nonzero(late >= each[0].period)),
        missed_in=sum(bool(np.any(one.late >= one.period)) for one in each),
        activations_by_core={str(known): int(np.count_nonzero(core == known)) for known in np.unique(core)},
        lateness_by_core_us={str(known): float(np.median(us[core == known])) for known in np.unique(core)},
        migrations=sum(int(np.count_nonzero(one.migrated)) for one in each),
        asked=sum(one.checks.get("migrations_requested", 0) for one in pool) if forced else None,
        moved=sum(one.checks.get("migrations_done", 0) for one in pool) if forced else None,
        tail=tail(us, tick=1e6 / each[0].hz, what="release"),
        counted=_counted(pool),
    )


def _halves(sizes: NDArray[np.float64]) -> tuple[float, float] | None:
    if len(sizes) < 2:
        return None
    before, after = np.array_split(sizes, 2)
    return float(before.max()), float(after.max())


def _counted(pool: Sequence[Measurement]) -> LongRun | None:
    """Add up the histograms of a pool; None if there are none."""
    late = _added([ticks(one, "late.counts") for one in pool])
    total = int(late.sum())
    if not total or not any(len(ticks(one, "extremes")) == _EXTREMES for one in pool):
        return None
    periods = int(_added([ticks(one, name) for one in pool for name in ("longer.counts", "shorter.counts")]).sum())
    ends = np.array([each for one in pool if len(each := ticks(one, "extremes")) == _EXTREMES])

    low, _, shortest, _ = (float(end) for end in in_us(ends.min(axis=0), pool[0]))
    _, high, _, longest = (float(end) for end in in_us(ends.max(axis=0), pool[0]))

    def at(fraction: float) -> float:
        """Return a quantile: the end of its bin, but never beyond the extremes, which are exact."""
        return min(max(float(in_us(np.array([quantile(late, fraction)]), pool[0])[0]), low), high)

    return LongRun(
        activations=total,
        periods=periods,
        resolution=1 / STEPS,
        lateness_min_us=low,
        lateness_median_us=at(0.5),
        lateness_p99_us=at(0.99) if total >= _BEYOND * 100 else None,
        lateness_p99_9_us=at(0.999) if total >= _BEYOND * 1000 else None,
        lateness_max_us=high,
        deviation_min_us=shortest,
        deviation_max_us=longest,
    )


def _added(histograms: Sequence[Ticks]) -> Ticks:
    added = np.zeros(max((len(one) for one in histograms), default=0), np.int64)
    for one in histograms:
        added[: len(one)] += one
    return added


# Findings


def results(analysis: JitterAnalysis) -> Iterator[Finding]:
    """Return the findings, the most important first."""
    settings = analysis.settings
    free = [one for one in settings if one.migrate == "none"]
    rest, loaded = (settings_under(settings, loaded=loaded) for loaded in (False, True))
    for found in (rest, loaded):
        if found:
            yield JitterLateness(
                loaded=found is loaded,
                others_moved=len(free) < len(settings),
                lateness=_lateness(found),
                deviation=_deviation(found),
                worse_without_load=worse_without_load(rest, loaded) if found is rest else None,
            )
    equals = [one for one in free if one.load == "same-priority"]
    if equals:
        yield JitterAmongEquals(lateness=_lateness(equals))
    unmoved = _deviation(rest) if rest else None
    yield from _moved([one for one in settings if one.migrate in FORCED], unmoved, published=False)
    as_published = [one for one in settings if one.migrate == PUBLISHED]
    each_moved = [one for one in as_published if one.asked and one.moved == one.asked and one.bound_us is not None]
    yield from _moved(each_moved, unmoved, published=True)
    yield from _blocked([one for one in settings if one.migrate == UNSYNCHRONISED])
    yield from _bounds(settings)
    yield from false_period_results(analysis.false_periods)
    yield from deadline_results(analysis.deadlines)
    yield from explained_findings(analysis.explained, EXPLAINED)


def _lateness(settings: Sequence[JitterSetting]) -> Lateness:
    medians = [one.lateness_us.median.value for one in settings]
    return Lateness(min(medians), max(medians), max(one.largest_us for one in settings))


def _deviation(settings: Sequence[JitterSetting]) -> Deviation:
    largest = max((max(abs(one.bound_us[0]), abs(one.bound_us[1])) for one in settings if one.bound_us), default=0.0)
    return Deviation(largest, tuple(sorted({one.period_us for one in settings})))


def _moved(settings: Sequence[JitterSetting], unmoved: Deviation | None, *, published: bool) -> Iterator[Finding]:
    if settings:
        yield JitterMoved(
            published=published,
            deviation_us=_deviation(settings).largest_us,
            unmoved=unmoved,
            asked=sum(one.asked or 0 for one in settings),
            moved=sum(one.moved or 0 for one in settings),
        )


def _blocked(settings: Sequence[JitterSetting]) -> Iterator[Finding]:
    """Report the worst."""
    one = max((one for one in settings if one.bound_us), key=lambda one: one.largest_us, default=None)
    if one is not None and one.bound_us is not None:
        low, high = one.bound_us
        yield JitterBlocked(
            period_us=one.period_us,
            shortest_us=max(one.period_us + low, 0.0),
            longest_us=one.period_us + high,
            missed=one.missed,
            activations=one.lateness_us.n,
        )


def _bounds(settings: Sequence[JitterSetting]) -> Iterator[Finding]:
    """Report whether the bounds seem to hold, of the settings that show what a migration costs."""
    real = [one for one in settings if one.migrate != UNSYNCHRONISED]
    for one in real:
        if one.missed:
            yield JitterNoBound(label=one.label, missed=one.missed, activations=one.lateness_us.n)
    held = [one for one in real if not one.missed and one.halves_us is not None]
    worst = max(held, key=lambda one: max(one.halves_us or (0.0, 0.0)), default=None)
    if worst is not None and worst.halves_us is not None:
        before, after = worst.halves_us
        yield JitterBound(
            label=worst.label,
            first_half_us=before,
            second_half_us=after,
            holds=after <= before,
            tail=worst.tail.sentence,
        )
