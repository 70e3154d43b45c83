"""From the moments of an outage to how long each core stands still, and what that time is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.caveats import failed_checks
from intercore.benchmarks.grouping import by_level, distribution_us, pools, ticks, values_us
from intercore.benchmarks.outage import PARTS
from intercore.benchmarks.outage.findings import (
    OutageGaveUp,
    OutageLate,
    OutageStandstill,
    OutageStuck,
    OutageTicksLost,
)
from intercore.record.measurement import Level
from intercore.statistics.distribution import Distribution

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from intercore.benchmarks.grouping import HasOtherFactors
    from intercore.finding import Finding
    from intercore.record.measurement import Measurement

    Setting: TypeAlias = tuple[str, str, str, int, int]

COMPUTING = ("ram", "flash", "lock")
"""What the other core does where its standstill is the time between two of its readings, and no lateness."""
_LOST_US = 1000.0
"""Of kernel ticks, from which on their loss is told."""


class Outage(msgspec.Struct, frozen=True):
    """What one core writes, and what becomes of both."""

    op: str
    """`erase` a sector, `program` pages, or `both`."""
    safe: str
    """How the other core is kept from executing there: `lockout`, `ram`, `none` or `unsafe`."""
    other: str
    """What the other core does: `ram`, `flash`, `lock`, `interrupt` or `task`."""
    core: Annotated[int, Meta(ge=0)]
    """The core that writes."""
    pages: Annotated[int, Meta(ge=0)]
    """Pages that are programmed."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    longest_us: Distribution
    """The longest standstill of the other core in each outage, in µs; with `interrupt` and `task` its lateness."""
    own_us: Distribution | None
    """The largest lateness of a periodic task of higher priority on the core that writes, in µs."""
    behind_us: Annotated[float, Meta(ge=0)]
    """By how much that task is late after the outage, in µs, at most: kernel ticks that are lost for good."""
    total_us: float | None
    """The total standstill of the other core in an outage, in µs, at most; null where it has a lateness."""
    missed: Annotated[int, Meta(ge=0)] | None
    """Activations of the interrupt or task that did not come in time in an outage, at most; null where it computes."""
    parts_us: dict[str, float]
    """Medians of the parts of the time, by name, in order. Where the other core was parked and computes, their sum is
    its standstill."""
    outages: Annotated[int, Meta(ge=0)]
    gave_up: Annotated[int, Meta(ge=0)]
    """Outages that did not take place, because the other core was not parked in time."""
    stuck: Annotated[int, Meta(ge=0)]
    """Outages in which it was parked and not released: it would have stood still for ever."""


class OutageAnalysis(msgspec.Struct, frozen=True):
    """The results of a run about outages."""

    outages: tuple[Outage, ...]


def analyse(measurements: Iterable[Measurement]) -> OutageAnalysis:
    """Analyse the measurements of the benchmark `outage` among those given; those of one setting are pooled."""
    known = pools(measurements, "outage", "longest", _setting, ("op", "safe", "other", "from", "pages"))
    found = [_outage(setting, varied, pool) for (setting, varied), pool in known.items()]
    found.sort(key=lambda one: (by_level(one.varied), one.op, one.pages, one.core, one.safe, one.other))
    return OutageAnalysis(tuple(found))


def caveats(measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return the caveats of the results."""
    yield from failed_checks(measurements, "outage", "other")


def _setting(factors: Mapping[str, Level]) -> Setting:
    pages = 0 if factors["op"] == "erase" else int(factors.get("pages", 1))
    return str(factors["op"]), str(factors["safe"]), str(factors["other"]), int(factors["from"]), pages


def _outage(setting: Setting, varied: HasOtherFactors, pool: Sequence[Measurement]) -> Outage:
    op, safe, other, core, pages = setting
    computes = other in COMPUTING
    longest = distribution_us(pool, "longest")
    own = [one for one in pool if len(ticks(one, "own"))]
    return Outage(
        op=op,
        safe=safe,
        other=other,
        core=core,
        pages=pages,
        varied=dict(varied),
        longest_us=longest,
        own_us=distribution_us(own, "own") if own else None,
        behind_us=_most_us(pool, "behind"),
        total_us=_most_us(pool, "missed") if computes else None,
        missed=None if computes else max((int(most) for one in pool for most in ticks(one, "missed")), default=0),
        parts_us={name: float(np.median(found)) for name in PARTS if len(found := _us(pool, name))},
        outages=longest.n,
        gave_up=_count(pool, "gave_up"),
        stuck=_count(pool, "stuck"),
    )


def _us(pool: Iterable[Measurement], series: str) -> NDArray[np.float64]:
    had = [one for one in pool if len(ticks(one, series))]
    return values_us(had, series) if had else np.zeros(0)


def _most_us(pool: Iterable[Measurement], series: str) -> float:
    return max(0.0, *map(float, _us(pool, series)), 0.0)


def _count(pool: Iterable[Measurement], series: str) -> int:
    return sum(int(np.count_nonzero(ticks(one, series) > 0)) for one in pool)


def results(analysis: OutageAnalysis) -> Iterator[Finding]:
    """Return the findings, the most important first."""
    for one in analysis.outages:
        if had := one.stuck or one.gave_up:
            yield (OutageStuck if one.stuck else OutageGaveUp)(
                setting=one.varied,
                op=one.op,
                safe=one.safe,
                other=one.other,
                core=one.core,
                lost=had,
                outages=one.outages,
            )
    for one in _worst(analysis, COMPUTING):
        yield OutageStandstill(
            setting=one.varied,
            op=one.op,
            safe=one.safe,
            core=one.core,
            longest_us=one.longest_us.max,
            own_us=None if one.own_us is None else one.own_us.max,
            write_us=one.parts_us.get("write", 0.0),
        )
    for one in _worst(analysis, ("interrupt", "task")):
        yield OutageLate(
            setting=one.varied,
            op=one.op,
            safe=one.safe,
            other=one.other,
            core=one.core,
            late_us=one.longest_us.max,
            missed=one.missed or 0,
        )
    lost = [one for one in analysis.outages if one.behind_us >= _LOST_US and not one.gave_up]
    if lost:
        most = max(lost, key=lambda one: one.behind_us)
        yield OutageTicksLost(setting=most.varied, core=most.core, lost_us=most.behind_us)


def _worst(analysis: OutageAnalysis, doing: Sequence[str]) -> Iterator[Outage]:
    """Yield, of each way to make it safe and each setting of other factors, the outage that was longest."""
    groups: dict[tuple[str, str], list[Outage]] = {}
    for one in analysis.outages:
        if one.other in doing and one.gave_up < one.outages:
            groups.setdefault((one.safe, str(one.varied)), []).append(one)
    for group in groups.values():
        yield max(group, key=lambda one: one.longest_us.max)
