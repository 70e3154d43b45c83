"""The eight counts of Thread-Metric, on one core and across two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.caveats import failed_checks
from intercore.benchmarks.grouping import by_level, pools, ticks
from intercore.benchmarks.threadmetric import PERIOD_S
from intercore.benchmarks.threadmetric.findings import (
    ThreadmetricAtOnce,
    ThreadmetricFailedCheck,
    ThreadmetricLockBound,
    ThreadmetricNoTurns,
    ThreadmetricPassed,
)
from intercore.record.measurement import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from intercore.benchmarks.grouping import HasOtherFactors
    from intercore.finding import Finding
    from intercore.record.measurement import Measurement

    Setting: TypeAlias = tuple[str, int, str]

TESTS = (
    *("basic", "cooperative", "preemptive", "interrupt", "interrupt-preemption"),
    *("message", "synchronisation", "memory"),
)
"""The eight, in the order of the original's description."""
AT_ONCE = frozenset({"basic", "cooperative", "synchronisation", "memory"})
"""Tests that both cores do at once in form cross; in the others, it goes from core to core."""
BASELINE = "basic"
_TURNS = frozenset({"cooperative", "preemptive"})
_APART = 2
"""Counts by which tasks that take turns may differ: the timekeeper interrupts the turn at each of its two readings."""


class ThreadMetricCount(msgspec.Struct, frozen=True):
    """One of the eight counts, in one form."""

    test: str
    """`basic`, `cooperative`, …"""
    form: Literal["same", "cross"]
    """All on one core, or across it and the next."""
    core: Annotated[int, Meta(ge=0)]
    """The core, or the first of the two."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    windows: Annotated[int, Meta(ge=1)]
    """Windows in which it was counted."""
    window_ms: Annotated[float, Meta(gt=0)]
    """Median of their lengths, in ms."""
    per_s: Annotated[float, Meta(ge=0)]
    """Median of count over length, per second."""
    lowest_per_s: Annotated[float, Meta(ge=0)]
    """The smallest of the windows."""
    highest_per_s: Annotated[float, Meta(ge=0)]
    """The largest of the windows."""
    per_30_s: Annotated[float, Meta(ge=0)]
    """The median for 30 s, as the original gives its results."""
    each_us: Annotated[float, Meta(ge=0)] | None
    """Time for one, in µs: one over the median; None if nothing was counted."""
    per_basic: Annotated[float, Meta(ge=0)] | None
    """Count over that of the test `basic` in form same on the same core: what the original scales by."""
    factor: Annotated[float, Meta(ge=0)] | None
    """Count over that of form same on the same core; None for form same, or where that is unknown or 0."""
    apart: Annotated[int, Meta(ge=0)] | None
    """Most by which the counts of the five tasks differed in a window; None where there are not five."""


class ThreadMetricAnalysis(msgspec.Struct, frozen=True):
    """The results of a run about Thread-Metric's counts."""

    counts: tuple[ThreadMetricCount, ...]


def analyse(measurements: Iterable[Measurement]) -> ThreadMetricAnalysis:
    """Analyse the measurements of the benchmark `threadmetric` among those given; those of one setting are pooled."""
    counted = [one for one in measurements if len(ticks(one, "window"))]
    known = pools(counted, "threadmetric", "count", _setting, ("test", "core", "form", "window_ms"))
    same = {
        (test, core, varied): float(np.median(rates_of(pool)))
        for ((test, core, form), varied), pool in known.items()
        if form == "same"
    }
    counts = [
        _count(setting, varied, pool, same.get((*setting[:2], varied)), same.get((BASELINE, setting[1], varied)))
        for (setting, varied), pool in known.items()
    ]
    counts.sort(key=_order)
    return ThreadMetricAnalysis(tuple(counts))


def caveats(measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return the caveats of the results."""
    ours = list(measurements)
    yield from failed_checks(ours, "threadmetric", "test", ThreadmetricFailedCheck)
    for one in analyse(ours).counts:
        if one.form == "same" and one.test in _TURNS and one.apart is not None and one.apart > _APART:
            yield ThreadmetricNoTurns(setting=one.varied, test=one.test, apart=one.apart)


def _setting(factors: Mapping[str, Level]) -> Setting:
    return str(factors["test"]), int(factors["core"]), str(factors["form"])


def rates_of(pool: Sequence[Measurement]) -> list[float]:
    """Return counts per second of each window. A window is never shorter than a tick of the clock."""
    return [
        float(count) * one.samples("window").hz / max(int(length), 1)
        for one in pool
        for count, length in zip(ticks(one, "count"), ticks(one, "window"), strict=False)
    ] or [0.0]


def _count(
    setting: Setting, varied: HasOtherFactors, pool: Sequence[Measurement], same: float | None, basic: float | None
) -> ThreadMetricCount:
    test, core, form = setting
    rates = rates_of(pool)
    rate = float(np.median(rates))
    lengths = [max(int(length), 1) * 1e3 / one.samples("window").hz for one in pool for length in ticks(one, "window")]
    apart = [
        int(most) - int(least)
        for one in pool
        for least, most in zip(ticks(one, "least"), ticks(one, "most"), strict=False)
    ]
    return ThreadMetricCount(
        test=test,
        form="cross" if form == "cross" else "same",
        core=core,
        varied=dict(varied),
        windows=len(rates),
        window_ms=float(np.median(lengths)),
        per_s=rate,
        lowest_per_s=min(rates),
        highest_per_s=max(rates),
        per_30_s=PERIOD_S * rate,
        each_us=1e6 / rate if rate else None,
        per_basic=rate / basic if basic else None,
        factor=rate / same if form == "cross" and same else None,
        apart=max(apart) if apart else None,
    )


def _order(one: ThreadMetricCount) -> tuple[object, ...]:
    place = TESTS.index(one.test) if one.test in TESTS else len(TESTS)
    return by_level(one.varied), one.core, place, one.test, one.form != "same"


def results(analysis: ThreadMetricAnalysis) -> Iterator[Finding]:
    """Return the findings, the most important first."""
    crossing = [(one.factor, one) for one in analysis.counts if one.factor is not None]
    handed = [pair for pair in crossing if pair[1].test not in AT_ONCE]
    if handed:
        (low, least), (high, most) = (choose(handed, key=lambda pair: pair[0]) for choose in (min, max))
        yield ThreadmetricPassed(least_times=low, least=least.test, most_times=high, most=most.test)
    at_once = {one.test: factor for factor, one in crossing if one.test in AT_ONCE}
    if at_once:
        yield ThreadmetricAtOnce(times=at_once)
    for test in _LOCK_BOUND:
        if at_once.get(test, 2.0) < 1:
            yield ThreadmetricLockBound(test=test)


_LOCK_BOUND: tuple[Literal["memory", "synchronisation"], ...] = ("memory", "synchronisation")
"""Tests in which two cores at once contend for one lock."""
