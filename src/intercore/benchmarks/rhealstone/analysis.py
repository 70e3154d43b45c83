"""The six times of Rhealstone, on one core and across two, and the figure of merit that its authors make of them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.caveats import spoilt
from intercore.benchmarks.grouping import by_level, cycles_per_us, distribution_us, looking_us, pools, values_us
from intercore.record.measurement import Level
from intercore.statistics.distribution import Distribution
from intercore.view.quantity import duration, multiple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from intercore.benchmarks.grouping import Varied
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
    """The raw samples in µs; looking at the clock is in them."""
    median_cycles: float | None
    """Their median in cycles of the core; None where the clock does not count them."""
    looking_us: Annotated[float, Meta(ge=0)]
    """Median cost of looking on that core, in µs."""
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
    """All that a run says about Rhealstone's components."""

    times: tuple[RhealstoneTime, ...]
    merits: tuple[RhealstoneMerit, ...]
    """Where all six were measured."""
    sentences: tuple[str, ...]
    """What they come to, what matters most first."""


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
    merits = tuple(_merits(times))
    return RhealstoneAnalysis(tuple(times), merits, tuple(_sentences(times, merits)))


def warnings(measurements: Iterable[Measurement]) -> list[str]:
    """Say in plain sentences what makes the results doubtful, and the likely cause."""
    return spoilt(measurements, "rhealstone", "component", {"wrong": _WRONG})


_WRONG = (
    "{count} repetitions did not go as they must: no inherited priority broke a deadlock (mutexes of this system may "
    "not lend any), or a message was not the one that was sent."
)


def _setting(factors: Mapping[str, Level]) -> Setting:
    return str(factors["component"]), int(factors["core"]), str(factors["form"])


def _time(setting: Setting, varied: Varied, pool: Sequence[Measurement], same: float | None) -> RhealstoneTime:
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
        looking_us=looking_us(pool, core),
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


def _sentences(times: Sequence[RhealstoneTime], merits: Sequence[RhealstoneMerit]) -> Iterable[str]:
    yield from _about_crossing([(one.factor, one) for one in times if one.factor is not None])
    for one in times:
        if one.component == "deadlock-breaking" and one.form == "cross" and one.factor is not None:
            yield (
                "If an urgent task needs what a task on the other core holds, the kernel raises the holder above the "
                "task that keeps it from running there. The urgent task has it "
                f"{duration(one.samples_us.median.value)} after it asked."
            )
            break
    for merit in merits:
        where = "on one core" if merit.form == "same" else "across two"
        yield (
            f"Rhealstone's figure of merit {where}, beginning on core {merit.core}: {merit.per_s:,.0f} per second, one "
            f"over the mean of {merit.mean_us:.3g} µs. It gives six unlike times the same weight; read the six."
        )


def _about_crossing(crossing: Sequence[tuple[float, RhealstoneTime]]) -> Iterable[str]:
    """Say what reaching the other core costs, and apart from the rest the component whose two forms are unlike."""
    waking = [pair for pair in crossing if pair[1].component not in ("interrupt-latency", "task-switching")]
    if waking:
        (low, least), (high, most) = (choose(waking, key=lambda pair: pair[0]) for choose in (min, max))
        yield (
            "Waking a waiting task on the other core, while the waking task goes on to call the kernel, takes "
            f"{multiple(low)} ({least.component}) to {multiple(high)} ({most.component}) times as long as waking one "
            "on the same core."
        )
    switching = [factor for factor, one in crossing if one.component == "task-switching"]
    if switching:
        low, high = min(switching), max(switching)
        factors = multiple(low) if multiple(low) == multiple(high) else f"{multiple(low)} to {multiple(high)}"
        yield (
            f"Task switching takes {factors} times as long across cores, because its forms differ: on one core no task "
            "waits, and one ready task yields to another; across cores a waiting task is woken."
        )
