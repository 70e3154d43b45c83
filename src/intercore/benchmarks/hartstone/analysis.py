"""From the deadlines that tasks miss at each load to the load at which their set breaks down."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.caveats import failed_checks
from intercore.benchmarks.grouping import by_level, pools, ticks, values_us
from intercore.benchmarks.hartstone import TASKS
from intercore.benchmarks.hartstone.findings import HartstoneBreakdown, HartstoneGain, HartstoneUneven
from intercore.record.measurement import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from intercore.benchmarks.grouping import HasOtherFactors
    from intercore.finding import Finding
    from intercore.record.measurement import Measurement

    Setting: TypeAlias = tuple[str, int, int]

ONE_CORE = "one-core"
_PLACEMENTS = (ONE_CORE, "pinned", "free")


class HartstoneLoad(msgspec.Struct, frozen=True):
    """One load of a set of tasks."""

    load: int
    """As asked for: of all tasks together, in percent of one core."""
    percent: float
    """As measured: the work of all tasks when no other task is there, over their periods, in percent of one core."""
    activations: Annotated[int, Meta(ge=0)]
    """Of all tasks."""
    missed: Annotated[int, Meta(ge=0)]
    """How many of these ended behind their deadlines."""
    missed_of_task: tuple[int, ...]
    """The same by task, that of the shortest period first."""
    longest: float | None
    """The largest response, over its task's period: above 1, a deadline was missed. None if none was measured."""
    longest_of_task: int | None
    """The number of that task."""


class HartstoneSet(msgspec.Struct, frozen=True):
    """A set of tasks whose load was raised."""

    placement: str
    """`one-core`, `pinned` or `free`."""
    period_us: int
    """The shortest period, in µs."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    cores: int | None
    """Cores of the target; None if they are not known."""
    kept_percent: float | None
    """The breakdown utilisation, from below: the highest load below `missed_percent`, as measured, in percent of one
    core. None if deadlines were missed at the lowest load already."""
    missed_percent: float | None
    """The same from above: the lowest load at which a deadline was missed; None if none was."""
    kept_of_all_percent: float | None
    """`kept_percent` in percent of all cores that the tasks may use; None if either is not known."""
    loads: tuple[HartstoneLoad, ...]
    """Sorted."""

    @property
    def uneven(self) -> HartstoneLoad | None:
        """The highest load at which no deadline was missed, if some was at a lower one."""
        kept = [one for one in self.loads if not one.missed]
        missed = [one for one in self.loads if one.missed]
        return kept[-1] if kept and missed and kept[-1].load > missed[0].load else None


class HartstoneAnalysis(msgspec.Struct, frozen=True):
    """The results of a run about the sets of tasks."""

    sets: tuple[HartstoneSet, ...]


def analyse(measurements: Iterable[Measurement]) -> HartstoneAnalysis:
    """Analyse the measurements of the benchmark `hartstone` among those given; those of one setting are pooled."""
    known = pools(measurements, "hartstone", "alone", _setting, ("placement", "period_us", "load"))
    ordered = sorted(known.items(), key=_order)
    found = groupby(ordered, key=lambda item: (item[0][0][:2], item[0][1]))
    return HartstoneAnalysis(
        tuple(
            _set(placement, period_us, varied, [(setting[2], pool) for (setting, _), pool in items])
            for ((placement, period_us), varied), items in found
        )
    )


def _setting(factors: Mapping[str, Level]) -> Setting:
    return str(factors["placement"]), int(factors["period_us"]), int(factors["load"])


def _order(item: tuple[tuple[Setting, HasOtherFactors], list[Measurement]]) -> tuple[object, ...]:
    ((placement, period_us, load), varied), _ = item
    place = _PLACEMENTS.index(placement) if placement in _PLACEMENTS else len(_PLACEMENTS)
    return by_level(varied), period_us, place, placement, load


def _set(
    placement: str, period_us: int, varied: HasOtherFactors, pools_of_loads: Sequence[tuple[int, Sequence[Measurement]]]
) -> HartstoneSet:
    loads = tuple(_load(load, max(period_us, 1), pool) for load, pool in pools_of_loads)
    first = next((index for index, one in enumerate(loads) if one.missed), len(loads))
    kept = loads[first - 1].percent if first > 0 else None
    cores = _cores(pools_of_loads[0][1][0])
    used = 1 if placement == ONE_CORE else cores and min(cores, TASKS)
    return HartstoneSet(
        placement=placement,
        period_us=period_us,
        varied=dict(varied),
        cores=cores,
        kept_percent=kept,
        missed_percent=loads[first].percent if first < len(loads) else None,
        kept_of_all_percent=kept / used if kept is not None and used else None,
        loads=loads,
    )


def _cores(one: Measurement) -> int | None:
    cores = one.conditions.get("cores", "")
    return int(cores) if cores.isascii() and cores.isdecimal() and int(cores) else None


def _load(load: int, period_us: int, pool: Sequence[Measurement]) -> HartstoneLoad:
    missed = tuple(max(sum(int(ticks(one, f"missed.{task}").sum()) for one in pool), 0) for task in range(TASKS))
    responses = {task: _responses_us(pool, task) for task in range(TASKS)}
    longest = {task: float(of.max()) / (period_us << task) for task, of in responses.items() if len(of)}
    worst = max(longest, key=lambda task: longest[task], default=None)
    return HartstoneLoad(
        load=load,
        percent=100 * TASKS * float(np.median(values_us(pool, "alone"))) / period_us,
        activations=sum(len(of) for of in responses.values()),
        missed=sum(missed),
        missed_of_task=missed,
        longest=None if worst is None else longest[worst],
        longest_of_task=worst,
    )


def _responses_us(pool: Sequence[Measurement], task: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    name = f"response.{task}"
    had = [one for one in pool if len(ticks(one, name))]
    return values_us(had, name) if had else np.zeros(0)


def results(analysis: HartstoneAnalysis) -> Iterator[Finding]:
    """Return the findings, the most important first."""
    for one in analysis.sets:
        yield HartstoneBreakdown(
            setting=one.varied,
            placement=one.placement,
            period_us=one.period_us,
            kept_percent=one.kept_percent,
            missed_percent=one.missed_percent,
            kept_of_all_percent=one.kept_of_all_percent,
        )
    alone = {(one.period_us, str(one.varied)): one for one in analysis.sets if one.placement == ONE_CORE}
    for one in analysis.sets:
        reference = alone.get((one.period_us, str(one.varied)))
        if reference is not None and one is not reference:
            yield from _gain(one, reference)


def _gain(one: HartstoneSet, reference: HartstoneSet) -> Iterator[Finding]:
    """Report the gain in load of a set, if the measured loads bound it on both sides."""
    bounds = (one.kept_percent, one.missed_percent, reference.kept_percent, reference.missed_percent)
    if all(bounds):
        kept, missed, reference_kept, reference_missed = (float(bound or 0) for bound in bounds)
        yield HartstoneGain(
            setting=one.varied,
            placement=one.placement,
            least_times=kept / reference_missed,
            most_times=missed / reference_kept,
        )


def caveats(measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return the caveats of the results."""
    ours = list(measurements)
    yield from failed_checks(ours, "hartstone", "placement")
    for one in analyse(ours).sets:
        if one.uneven is not None and one.missed_percent is not None:
            yield HartstoneUneven(
                setting=one.varied,
                placement=one.placement,
                missed_percent=one.missed_percent,
                kept_percent=one.uneven.percent,
            )
