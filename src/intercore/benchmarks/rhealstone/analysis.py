"""The six times of Rhealstone, on one core and across two, and the figure of merit that its authors make of them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.caveats import failed_checks
from intercore.benchmarks.grouping import (
    by_level,
    cycles_per_us,
    distribution_us,
    pools,
    timestamp_overhead_us,
    values_us,
)
from intercore.benchmarks.rhealstone.findings import (
    RhealstoneDeadlockBroken,
    RhealstoneFailedCheck,
    RhealstoneFigureOfMerit,
    RhealstoneSwitching,
    RhealstoneWaking,
)
from intercore.record.measurement import Level
from intercore.statistics.distribution import Distribution

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from intercore.benchmarks.grouping import HasOtherFactors
    from intercore.finding import Finding
    from intercore.record.measurement import Measurement

    Setting: TypeAlias = tuple[str, int, str]

COMPONENTS = (
    *("task-switching", "preemption", "interrupt-latency"),
    *("semaphore-shuffling", "deadlock-breaking", "message-latency"),
)
"""The six, in the order of their authors."""


class RhealstoneTime(msgspec.Struct, frozen=True):
    """One of the six times, in one form."""

    component: str
    """`task-switching`, `preemption`, …"""
    form: Literal["same", "cross"]
    """All on one core, or from it to the next."""
    core: Annotated[int, Meta(ge=0)]
    """The core on which it begins."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    samples_us: Distribution
    """The raw samples in µs, timestamp overhead included."""
    median_cycles: float | None
    """Their median in cycles of the core; None where the clock does not count them."""
    timestamp_overhead_us: Annotated[float, Meta(ge=0)]
    """Median timestamp overhead on that core, in µs."""
    factor: Annotated[float, Meta(ge=0)] | None
    """Median over that of form same on the same core; None for form same, or where that is unknown or 0."""


class RhealstoneMerit(msgspec.Struct, frozen=True):
    """The six times as one number, as Kar has it (1990): one over their mean."""

    form: Literal["same", "cross"]
    """All on one core, or from it to the next."""
    core: Annotated[int, Meta(ge=0)]
    """The core on which they begin."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    mean_us: Annotated[float, Meta(gt=0)]
    """Mean of the six medians, in µs."""
    per_s: Annotated[float, Meta(gt=0)]
    """Rhealstones per second."""


class RhealstoneAnalysis(msgspec.Struct, frozen=True):
    """The results of a run about Rhealstone's components."""

    times: tuple[RhealstoneTime, ...]
    figures_of_merit: tuple[RhealstoneMerit, ...]
    """Where all six were measured."""


def analyse(measurements: Iterable[Measurement]) -> RhealstoneAnalysis:
    """Analyse the measurements of the benchmark `rhealstone` among those given; those of one setting are pooled."""
    known = pools(measurements, "rhealstone", "time", _setting, ("component", "core", "form"))
    same = {
        (component, core, varied): float(np.median(values_us(pool, "time")))
        for ((component, core, form), varied), pool in known.items()
        if form == "same"
    }
    times = [
        _time(setting, varied, pool, same.get((*setting[:2], varied))) for (setting, varied), pool in known.items()
    ]
    times.sort(key=_order)
    return RhealstoneAnalysis(tuple(times), tuple(_merits(times)))


def caveats(measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return the caveats of the results."""
    yield from failed_checks(measurements, "rhealstone", "component", RhealstoneFailedCheck)


def _setting(factors: Mapping[str, Level]) -> Setting:
    return str(factors["component"]), int(factors["core"]), str(factors["form"])


def _time(setting: Setting, varied: HasOtherFactors, pool: Sequence[Measurement], same: float | None) -> RhealstoneTime:
    component, core, form = setting
    samples = distribution_us(pool, "time")
    cycles = cycles_per_us(pool)
    return RhealstoneTime(
        component=component,
        form="cross" if form == "cross" else "same",
        core=core,
        varied=dict(varied),
        samples_us=samples,
        median_cycles=samples.median.value * cycles if cycles else None,
        timestamp_overhead_us=timestamp_overhead_us(pool, core),
        factor=samples.median.value / same if form == "cross" and same else None,
    )


def _order(one: RhealstoneTime) -> tuple[object, ...]:
    place = COMPONENTS.index(one.component) if one.component in COMPONENTS else len(COMPONENTS)
    return by_level(one.varied), one.core, place, one.component, one.form != "same"


def _merits(times: Sequence[RhealstoneTime]) -> Iterable[RhealstoneMerit]:
    groups: dict[tuple[object, ...], list[RhealstoneTime]] = defaultdict(list)
    for one in times:
        groups[one.form, one.core, str(sorted(one.varied.items()))].append(one)
    for group in groups.values():
        mean = sum(one.samples_us.median.value for one in group) / len(group)
        if {one.component for one in group} == set(COMPONENTS) and mean > 0:
            yield RhealstoneMerit(group[0].form, group[0].core, group[0].varied, mean, 1e6 / mean)


def results(analysis: RhealstoneAnalysis) -> Iterator[Finding]:
    """Return the findings, the most important first."""
    yield from _on_crossing([(one.factor, one) for one in analysis.times if one.factor is not None])
    for one in analysis.times:
        if one.component == "deadlock-breaking" and one.form == "cross" and one.factor is not None:
            yield RhealstoneDeadlockBroken(setting=one.varied, median_us=one.samples_us.median.value)
            break
    for merit in analysis.figures_of_merit:
        yield RhealstoneFigureOfMerit(
            setting=merit.varied, form=merit.form, core=merit.core, per_s=merit.per_s, mean_us=merit.mean_us
        )


def _on_crossing(crossing: Sequence[tuple[float, RhealstoneTime]]) -> Iterator[Finding]:
    """Return the findings on the cost of the other core, with the component whose two forms differ separately."""
    waking = [pair for pair in crossing if pair[1].component not in ("interrupt-latency", "task-switching")]
    if waking:
        (low, least), (high, most) = (choose(waking, key=lambda pair: pair[0]) for choose in (min, max))
        yield RhealstoneWaking(least_times=low, least=least.component, most_times=high, most=most.component)
    switching = [factor for factor, one in crossing if one.component == "task-switching"]
    if switching:
        yield RhealstoneSwitching(least_times=min(switching), most_times=max(switching))
