"""How steady a periodic task is: when it was released against when it was due, and how far its period deviated.

A target sends how late each release was (firmware/bench/jitter.c). The deviation of a period is the difference of two
neighbours. Moving the task from core to core is counted by the core of each release. What was timed by the cores' own
counters (`false_periods.py`) stands apart from all that is true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.grouping import ticks
from intercore.benchmarks.jitter.false_periods import FalsePeriods, false_periods
from intercore.benchmarks.jitter.false_periods import sentences as sentences_on_false_periods
from intercore.benchmarks.jitter.releases import (
    BENCHMARK,
    FORCED,
    MOVED,
    PUBLISHED,
    UNSYNCHRONISED,
    Ticks,
    has_cores,
    in_us,
    late_us,
    pools,
    releases,
    varied_factors,
    wake_of,
)
from intercore.benchmarks.jitter.under_load import settings_under, why_upside_down
from intercore.statistics.distribution import Distribution, Tail, distribution, disturbances, tail
from intercore.statistics.histogram import STEPS, quantile
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from intercore.record.measurement import Measurement

_EXTREMES = 4  # of a histogram: smallest and largest latency, smallest and largest deviation
_MILLISECOND_US = 1000.0
_BEYOND = 10  # counted releases beyond a percentile that is told

Count = Annotated[int, Meta(ge=0)]


class Counted(msgspec.Struct, frozen=True):
    """Further releases of a long run, of which the target kept log-linear histograms instead of each value."""

    releases: Count
    periods: Count
    resolution: float
    """A latency is known to this fraction of itself; the extremes are exact."""
    late_min_us: float
    late_median_us: float
    """The end of the bin that holds it, like the percentiles."""
    late_p99_us: float | None
    """None with fewer than 1,000 releases."""
    late_p99_9_us: float | None
    """None with fewer than 10,000 releases."""
    late_max_us: float
    deviation_min_us: float
    deviation_max_us: float


class JitterSetting(msgspec.Struct, frozen=True):
    """What a task came to at one setting of the factors; measurements that differ in their seed alone are pooled."""

    label: str
    """What sets it apart, in words."""
    core: str
    """The core it was pinned to, or `any`; with forced migrations, where it began."""
    load: str
    migrate: str
    wake: str
    """Whether the time of the last release, from which the next one is due, was `kept` or set `anew` before each."""
    period_us: Annotated[float, Meta(gt=0)]
    varied: dict[str, int | str]
    """The other factors that take more than one level in the run, by name."""
    hz: Annotated[int, Meta(ge=1)]
    """Ticks per second of the common clock."""
    stretches: Count
    """Runs of releases without a break between them."""
    late_us: Distribution
    """From when a release was due to the task's first instruction."""
    late_min_ticks: int
    late_max_ticks: int
    deviation_us: Distribution | None
    """Of the time between neighbouring releases from the period; None where there are no neighbours."""
    halves_us: tuple[float, float] | None
    """The largest deviation, without its sign, of the first and of the second half of the periods."""
    missed: Count
    """Releases that came a period or more after they were due."""
    missed_in: Count
    """Measurements that had such releases."""
    releases_by_core: dict[str, int]
    late_by_core_us: dict[str, float]
    """Median, by core."""
    migrations: Count
    """Neighbouring releases on different cores."""
    asked: Count | None
    """Migrations asked for while the task waited, with `published` before it waited; None where none were."""
    moved: Count | None
    """Of those, the ones after which the task was released on the core it had been moved to."""
    tail: Tail
    """Beyond the latencies that were seen."""
    counted: Counted | None

    @property
    def bound_us(self) -> tuple[float, float] | None:
        """The smallest and the largest deviation of the period, of all releases, kept and counted."""
        ends = [
            *([] if self.deviation_us is None else [(self.deviation_us.min, self.deviation_us.max)]),
            *([] if self.counted is None else [(self.counted.deviation_min_us, self.counted.deviation_max_us)]),
        ]
        return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else None

    @property
    def releases(self) -> int:
        """All releases, kept and counted."""
        return self.late_us.n + (0 if self.counted is None else self.counted.releases)

    @property
    def largest_us(self) -> float:
        """The largest latency of all releases."""
        return max(self.late_us.max, self.late_us.max if self.counted is None else self.counted.late_max_us)


class JitterAnalysis(msgspec.Struct, frozen=True):
    """All that a run says about periodic tasks."""

    settings: tuple[JitterSetting, ...]
    false_periods: tuple[FalsePeriods, ...]
    """What was timed by the cores' own counters, on purpose."""
    sentences: tuple[str, ...]
    """What was found, what matters most first."""


def analyse(measurements: Iterable[Measurement]) -> JitterAnalysis:
    """Analyse the measurements of the benchmark `jitter` among those given."""
    ours = [one for one in measurements if one.benchmark == BENCHMARK]
    found = pools(ours)
    varied = varied_factors(one for pool in found.values() for one in pool)
    settings = tuple(_setting(label, pool, varied) for label, pool in found.items())
    false = tuple(false_periods(ours))
    return JitterAnalysis(settings, false, (*_sentences(settings), *sentences_on_false_periods(false)))


def warnings(measurements: Iterable[Measurement]) -> list[str]:
    """Say in plain sentences what makes the numbers doubtful, and the likely cause."""
    ours = [one for one in measurements if one.benchmark == BENCHMARK]
    without = sum(len(ticks(one, "late")) > 0 and not has_cores(one) for one in ours)
    said = [f"{without} measurements are left out: the target did not report the core of each release."] * (without > 0)
    both = [*pools(ours).items(), *((f"{label}, raw counters", pool) for label, pool in pools(ours, raw=True).items())]
    for name, pool in both:
        label = f"{MOVED} {name}" if pool[0].factors["migrate"] in FORCED else name
        wrong, migrated, lost, asked, moved = (
            sum(one.checks.get(name, 0) for one in pool) for name in ("wrong", "migrated", "lost", "asked", "moved")
        )
        many = sum(len(ticks(one, "late")) + int(ticks(one, "late.counts").sum()) for one in pool)
        if wrong:
            said.append(
                f"{label}: {wrong} releases came before they were due: the kernel's tick and the common clock do not "
                "agree, so no latency here is right."
            )
        if migrated:
            said.append(f"{label}: the task was found {migrated} times on a core other than the one it was pinned to.")
        if lost:
            said.append(f"{label}: {lost} releases did not fit the buffer, or were later than a histogram can count.")
        if moved < asked:
            said.append(f"{label}: {asked - moved} of the {asked} migrations that were asked for did not happen.")
        if pool[0].factors["migrate"] in (*FORCED, PUBLISHED) and asked < many:
            said.append(
                f"{label}: only {asked} of {many} releases came after a migration. Before the others, the task that "
                "moves it did not run in time, because something else kept its core."
            )
        if pool[0].factors["migrate"] not in (*FORCED, PUBLISHED, UNSYNCHRONISED):
            said += [f"{label}: {sentence}" for one in pool for sentence in disturbances([late_us(one)])]
    return said


# One setting


def _setting(label: str, pool: Sequence[Measurement], varied: Sequence[str]) -> JitterSetting:
    first = pool[0]
    each = [releases(one) for one in pool]
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
        late_us=distribution((in_us(one.late, first) for one in each), tick=1e6 / each[0].hz),
        late_min_ticks=int(late.min()),
        late_max_ticks=int(late.max()),
        deviation_us=(
            distribution((in_us(one, first) for one in deviations), tick=1e6 / each[0].hz) if len(deviation) else None
        ),
        halves_us=_halves(np.abs(in_us(deviation, first))),
        missed=int(np.count_nonzero(late >= each[0].period)),
        missed_in=sum(bool(np.any(one.late >= one.period)) for one in each),
        releases_by_core={str(known): int(np.count_nonzero(core == known)) for known in np.unique(core)},
        late_by_core_us={str(known): float(np.median(us[core == known])) for known in np.unique(core)},
        migrations=sum(int(np.count_nonzero(one.migrated)) for one in each),
        asked=sum(one.checks.get("asked", 0) for one in pool) if forced else None,
        moved=sum(one.checks.get("moved", 0) for one in pool) if forced else None,
        tail=tail(us, tick=1e6 / each[0].hz, what="release"),
        counted=_counted(pool),
    )


def _halves(sizes: NDArray[np.float64]) -> tuple[float, float] | None:
    if len(sizes) < 2:
        return None
    before, after = np.array_split(sizes, 2)
    return float(before.max()), float(after.max())


def _counted(pool: Sequence[Measurement]) -> Counted | None:
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

    return Counted(
        releases=total,
        periods=periods,
        resolution=1 / STEPS,
        late_min_us=low,
        late_median_us=at(0.5),
        late_p99_us=at(0.99) if total >= _BEYOND * 100 else None,
        late_p99_9_us=at(0.999) if total >= _BEYOND * 1000 else None,
        late_max_us=high,
        deviation_min_us=shortest,
        deviation_max_us=longest,
    )


def _added(histograms: Sequence[Ticks]) -> Ticks:
    added = np.zeros(max((len(one) for one in histograms), default=0), np.int64)
    for one in histograms:
        added[: len(one)] += one
    return added


# In words


def _sentences(settings: Sequence[JitterSetting]) -> Iterator[str]:
    free = [one for one in settings if one.migrate == "none"]
    rest, loaded = (settings_under(settings, loaded=loaded) for loaded in (False, True))
    kept = ", never moved," if len(free) < len(settings) else ""
    if rest:
        yield _plainly(f"At rest{kept}", rest) + why_upside_down(rest, loaded)
    if loaded:
        yield _plainly(f"Under load of lower priority{kept}", loaded)
    yield from _among_equals([one for one in free if one.load == "same-priority"])
    yield from _forced([one for one in settings if one.migrate in FORCED], rest)
    yield from _as_published([one for one in settings if one.migrate == PUBLISHED], rest)
    yield from _unsynchronised([one for one in settings if one.migrate == UNSYNCHRONISED])
    yield from _bounds(settings)


def _plainly(how: str, settings: Sequence[JitterSetting]) -> str:
    medians = [one.late_us.median.value for one in settings]
    return (
        f"{how} the task was released {_range(medians)} after it was due (median), at most "
        f"{duration(max(one.largest_us for one in settings))}; {_steady(settings)}."
    )


def _among_equals(settings: Sequence[JitterSetting]) -> Iterator[str]:
    if settings:
        yield (
            "Beside a task of its own priority that never waits, the task was released "
            f"{_range([one.late_us.median.value for one in settings])} after it was due (median), at most "
            f"{duration(max(one.largest_us for one in settings))}: the kernel lets tasks of equal priority take turns, "
            "and a release waits for its turn."
        )


def _forced(settings: Sequence[JitterSetting], rest: Sequence[JitterSetting]) -> Iterator[str]:
    if not settings:
        return
    asked, moved = (sum(getattr(one, name) or 0 for one in settings) for name in ("asked", "moved"))
    happened = "each happened" if asked == moved else f"{moved:,} happened"
    unmoved = f"; while it was not moved, {_steady(rest)}" if rest else ""
    deviation = _deviation(settings)
    less = ", which is less than a millisecond" if deviation < _MILLISECOND_US else ""
    yield (
        "When the task was moved to another core before each release, while it waited, its period deviated by at most "
        f"{duration(deviation)}{unmoved}. {asked:,} migrations were asked for and {happened}, counted by "
        "the core of each release. A design that lets a periodic task change its core has to allow for this "
        f"deviation{less}."
    )


def _as_published(settings: Sequence[JitterSetting], rest: Sequence[JitterSetting]) -> Iterator[str]:
    """Tell of those that have moved each time."""
    moved = [one for one in settings if one.asked and one.moved == one.asked and one.bound_us is not None]
    if moved:
        unmoved = f"; while it was not moved, {_steady(rest)}" if rest else ""
        yield (
            "When the task was moved by the procedure of Arm et al. 2022 as read here, before it waited, its period "
            f"deviated by at most {duration(_deviation(moved))}, by one clock{unmoved}. "
            f"{sum(one.moved or 0 for one in moved):,} migrations were asked for and each happened, counted by the "
            "core of each release."
        )


def _unsynchronised(settings: Sequence[JitterSetting]) -> Iterator[str]:
    """Tell the worst."""
    one = max((one for one in settings if one.bound_us), key=lambda one: one.largest_us, default=None)
    if one is not None and one.bound_us is not None:
        low, high = one.bound_us
        yield (
            "When the task was blocked at any time instead, whether it waited or not, its period of "
            f"{duration(one.period_us)} was from {duration(max(one.period_us + low, 0))} to "
            f"{duration(one.period_us + high)}, and {one.missed} of {one.late_us.n:,} releases were a period or more "
            "overdue. This shows for how long blockers of higher priority kept both cores, and not what a migration "
            "costs."
        )


def _bounds(settings: Sequence[JitterSetting]) -> Iterator[str]:
    """Say whether the bounds seem to hold, of the settings that are told as real ones."""
    told = [one for one in settings if one.migrate != UNSYNCHRONISED]
    if not told:
        return
    missed = [one for one in told if one.missed]
    for one in missed:
        yield (
            f"{one.label}: no bound holds, because {one.missed} of {one.late_us.n:,} releases were a period or more "
            "overdue."
        )
    held = [one for one in told if one not in missed and one.halves_us is not None]
    worst = max(held, key=lambda one: max(one.halves_us or (0.0, 0.0)), default=None)
    if worst is not None and worst.halves_us is not None:
        before, after = worst.halves_us
        verdict = (
            "it seems to hold: the second half of the periods stayed within the bound of the first half, "
            f"{duration(before)}"
            if after <= before
            else f"the bound grew in the second half, from {duration(before)} to {duration(after)}; measure longer"
        )
        yield f"Does the bound hold? Where it is widest ({worst.label}), {verdict}. {worst.tail.sentence}"


def _steady(settings: Sequence[JitterSetting]) -> str:
    largest = _deviation(settings)
    if largest:
        periods = " or ".join(duration(us) for us in sorted({one.period_us for one in settings}))
        return f"no period of {periods} deviated by more than {duration(largest)}"
    return "every period was exact to the tick of the clock"


def _deviation(settings: Sequence[JitterSetting]) -> float:
    """Return the largest deviation of a period, without its sign."""
    return max((max(abs(one.bound_us[0]), abs(one.bound_us[1])) for one in settings if one.bound_us), default=0.0)


def _range(values: Sequence[float]) -> str:
    low, high = duration(min(values)), duration(max(values))
    return low if low == high else f"{low} to {high}"
