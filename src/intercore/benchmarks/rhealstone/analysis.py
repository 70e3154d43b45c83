"""The six times of Rhealstone, on one core and across two, and the figure of merit that its authors make of them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.grouping import by_level, cycles_per_us, distribution_us, looking_us, pools, spoilt, values_us
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


ANALYSIS = RhealstoneAnalysis
"""What the document's schema has of it."""


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
    "{count} repetitions went another way than they must: a deadlock was not broken by inheriting a priority (this "
    "system may have none for mutexes), or a message was not the one that was sent."
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
    crossing = [(one.factor, one) for one in times if one.factor is not None and one.component != "interrupt-latency"]
    if crossing:
        (low, least), (high, most) = (choose(crossing, key=lambda pair: pair[0]) for choose in (min, max))
        yield (
            f"What reaches a task on the other core takes {multiple(low)} ({least.component}) to {multiple(high)} "
            f"({most.component}) times as long as on the same core."
        )
    for one in times:
        if one.component == "deadlock-breaking" and one.form == "cross" and one.factor is not None:
            yield (
                "A task that holds what a more urgent one on the other core needs is raised above what keeps it from "
                f"running there: the urgent one has it {duration(one.samples_us.median.value)} after it asked."
            )
            break
    for merit in merits:
        where = "on one core" if merit.form == "same" else "across two"
        yield (
            f"Rhealstone's figure of merit {where}, beginning on core {merit.core}: {merit.per_s:,.0f} per second, one "
            f"over the mean of {merit.mean_us:.3g} µs. It weighs six unlike times alike; read the six."
        )
