"""The cost of kernel calls: alone, while another core calls the kernel, too, and by size.

A call costs the median of its samples less the timestamp overhead on its core, divided by the batch. Raw samples stay
uncorrected.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.api.findings import (
    ApiBesideComputing,
    ApiContended,
    ApiCostByte,
    ApiCosts,
    ApiFailedCheck,
    ApiUncontended,
    Call,
    Cost,
)
from intercore.benchmarks.caveats import Samples, disturbed, failed_checks
from intercore.benchmarks.grouping import (
    by_level,
    cycles_per_us,
    distribution_us,
    pools,
    repetitions_us,
    tick_us,
    timestamp_overhead_us,
    units_us,
)
from intercore.record.measurement import Level
from intercore.statistics.distribution import Distribution
from intercore.statistics.disturbance import disturbances
from intercore.statistics.intervals import Interval
from intercore.statistics.repetitions import difference, median

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from intercore.benchmarks.grouping import HasOtherFactors
    from intercore.finding import Finding
    from intercore.record.measurement import Measurement

    Setting: TypeAlias = tuple[str, str, int, int, int]
    """Other, call, its size or 0, core and batch."""

ALONE = "none"
"""The level of `other` at which the other core sleeps."""
SPIN = "spin"
"""The level at which it computes without calling the kernel."""
SIZED = frozenset({"send", "receive", "stream-send", "stream-receive", "allocate", "free"})
"""Calls that depend on the factor `size`."""
EMPTY = "nothing"
"""The empty window, without a call."""
ORDER = (
    *("give", "take", "lock", "unlock", "notify", "notify-take", "set", "wait", "critical"),
    *("send", "receive", "stream-send", "stream-receive", "allocate", "free", "create", "delete", EMPTY),
)
"""Calls as people read them: cheap ones first, those with a size together."""

_SETTING = ("call", "size", "core", "other", "batch")
_FIT_SIZES = 2


class ApiCall(msgspec.Struct, frozen=True):
    """One call of the kernel on one core, at one size, while the other core does one thing."""

    call: str
    """The call: `give`, `take`, `send`, …"""
    size: Annotated[int, Meta(ge=1)] | None
    """Bytes of the item, piece or block; None for a call that has no size."""
    core: Annotated[int, Meta(ge=0)]
    """The core that calls."""
    other: str
    """Activity of the next core: `none` (it sleeps), `spin`, `same`, or the object whose calls it makes."""
    batch: Annotated[int, Meta(ge=1)]
    """Calls in one sample."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    resolution_us: Annotated[float, Meta(gt=0)]
    """The resolution of one call: a clock tick divided by the batch. A cost below it was not measured."""
    samples_us: Distribution
    """The raw samples in µs: each is a batch of calls and one look at the clock."""
    timestamp_overhead_us: Annotated[float, Meta(ge=0)]
    """Median timestamp overhead on that core, in µs."""
    cost_us: Interval
    """One call: the median sample minus the timestamp overhead, divided by the batch; it may be below 0 by noise."""
    cost_cycles: float | None
    """The same in cycles of the core; None where the clock does not count them."""
    factor: float | None
    """Cost over that of the same call alone; None for the call alone, or if that was not measured or cost nothing."""
    more_us: Interval | None
    """Cost less that of the same call alone."""
    more_cycles: float | None
    """The same in cycles."""


class ApiBySize(msgspec.Struct, frozen=True):
    """Effect of the size of a call's data: cost = fixed + per_byte * size, by least squares over the medians."""

    call: str
    core: Annotated[int, Meta(ge=0)]
    """The core that calls."""
    other: str
    """Activity of the next core."""
    batch: Annotated[int, Meta(ge=1)]
    """Calls in one sample."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    sizes: tuple[int, ...]
    """Bytes at which it was measured, at least two, ascending."""
    costs_us: tuple[float, ...]
    """The cost at each, in µs."""
    fixed_us: float
    """Cost of a call that moves nothing, in µs."""
    resolution_us: Annotated[float, Meta(gt=0)]
    """The resolution of one call: a clock tick divided by the batch."""
    per_byte_us: float
    """What each byte adds, in µs."""
    even_bytes: float | None
    """Bytes that take as long to move as the call itself; None if the size has no effect."""
    residual_us: Annotated[float, Meta(ge=0)]
    """Largest difference between a measured cost and the line, in µs; always 0 for two sizes."""


class ApiAnalysis(msgspec.Struct, frozen=True):
    """The results of a run about calls of the kernel."""

    calls: tuple[ApiCall, ...]
    by_size: tuple[ApiBySize, ...]


def analyse(measurements: Iterable[Measurement]) -> ApiAnalysis:
    """Analyse the measurements of the benchmark `api` among those given; those of one setting are pooled."""
    known = _pools(measurements)
    alone = {(setting[1:], varied): pool for (setting, varied), pool in known.items() if setting[0] == ALONE}
    calls = [
        _call(setting, varied, pool, None if setting[0] == ALONE else alone.get((setting[1:], varied)))
        for (setting, varied), pool in known.items()
    ]
    calls.sort(key=_order)
    return ApiAnalysis(tuple(calls), tuple(_by_size(calls)))


def caveats(measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return the caveats of the results.

    With another core active, samples vary by nature. So do those of a stream, a ring one byte longer than requested:
    pieces lie at any alignment and across its end.
    """
    ours = list(measurements)
    yield from failed_checks(ours, "api", "call", ApiFailedCheck)
    yield from disturbed(
        "api",
        (
            (
                Samples(str(Call(call, size or None)), {"call": call, "core": core}),
                disturbances(repetitions_us(pool, "call"), tick=1e6 / pool[0].samples("call").hz),
            )
            for ((other, call, size, core, *_), _), pool in _pools(ours).items()
            if other == ALONE and not call.startswith("stream-")
        ),
    )


def _pools(measurements: Iterable[Measurement]) -> dict[tuple[Setting, HasOtherFactors], list[Measurement]]:
    called = (one for one in measurements if one.benchmark == "api" and int(one.factors["batch"]) > 0)
    return pools(called, "api", "call", _setting, _SETTING)


def _setting(factors: Mapping[str, Level]) -> Setting:
    call = str(factors["call"])
    size = int(factors["size"]) if call in SIZED else 0
    return str(factors["other"]), call, size, int(factors["core"]), int(factors["batch"])


def _call(
    setting: Setting, varied: HasOtherFactors, pool: Sequence[Measurement], alone: Sequence[Measurement] | None
) -> ApiCall:
    other, call, size, core, batch = setting
    costs = _costs_us(pool, core, batch)
    cost = median(costs, tick=tick_us(pool, "call") / batch)
    costs_alone = None if alone is None else _costs_us(alone, core, batch)
    alone_us = 0.0 if costs_alone is None else float(np.median(np.concatenate(costs_alone)))
    more = (
        None
        if costs_alone is None
        else difference(
            costs, costs_alone, ticks=(tick_us(pool, "call") / batch, tick_us(alone or pool, "call") / batch)
        )
    )
    cycles = cycles_per_us(pool)
    return ApiCall(
        call=call,
        size=size or None,
        core=core,
        other=other,
        batch=batch,
        varied=dict(varied),
        resolution_us=tick_us(pool, "call") / batch,
        samples_us=distribution_us(pool, "call"),
        timestamp_overhead_us=timestamp_overhead_us(pool, core),
        cost_us=cost,
        cost_cycles=cost.value * cycles if cycles else None,
        factor=cost.value / alone_us if alone_us > 0 else None,
        more_us=more,
        more_cycles=more.value * cycles if more and cycles else None,
    )


def _costs_us(pool: Sequence[Measurement], core: int, batch: int) -> list[NDArray[np.float64]]:
    """Return the cost of one call by each sample, in µs, repetition by repetition."""
    overhead = timestamp_overhead_us(pool, core)
    return [(samples - overhead) / batch for samples in units_us(pool, "call")]


def _order(one: ApiCall) -> tuple[object, ...]:
    place = ORDER.index(one.call) if one.call in ORDER else len(ORDER)
    meanwhile = {ALONE: 0, SPIN: 1, "same": 2}.get(one.other, 3)
    return by_level(one.varied), one.core, one.batch, place, one.call, one.size or 0, meanwhile, one.other


def _by_size(calls: Sequence[ApiCall]) -> Iterable[ApiBySize]:
    lines: dict[tuple[object, ...], list[ApiCall]] = defaultdict(list)
    for one in calls:
        if one.size is not None:
            lines[one.call, one.core, one.other, one.batch, str(sorted(one.varied.items()))].append(one)
    for points in lines.values():
        if len(points) >= _FIT_SIZES:
            yield _line(sorted(points, key=lambda one: one.size or 0))


def _line(points: Sequence[ApiCall]) -> ApiBySize:
    sizes = np.array([one.size or 0 for one in points], dtype=np.float64)
    costs = np.array([one.cost_us.value for one in points])
    per_byte, fixed = (float(value) for value in np.polyfit(sizes, costs, 1))
    rest = 0.0 if len(points) == _FIT_SIZES else float(np.abs(costs - fixed - per_byte * sizes).max())
    # A slope below the residual over all sizes counts as 0.
    rises = per_byte * float(np.ptp(sizes)) > max(2 * rest, 1e-9)
    first = points[0]
    return ApiBySize(
        call=first.call,
        core=first.core,
        other=first.other,
        batch=first.batch,
        varied=first.varied,
        sizes=tuple(int(size) for size in sizes),
        costs_us=tuple(float(cost) for cost in costs),
        fixed_us=fixed,
        resolution_us=max(one.resolution_us for one in points),
        per_byte_us=per_byte,
        even_bytes=fixed / per_byte if rises and fixed > 0 else None,
        residual_us=rest,
    )


# Findings


def results(analysis: ApiAnalysis) -> Iterator[Finding]:
    """Return the findings, the most important first."""
    real = [one for one in analysis.calls if one.call != EMPTY]
    alone = [_cost(one) for one in real if one.other == ALONE]
    if alone:
        cheapest, dearest = (choose(alone, key=lambda one: one.cost_us) for choose in (min, max))
        yield ApiCosts(cheapest=cheapest, dearest=None if dearest is cheapest else dearest)
    yield from _beside_others(real)
    for line in analysis.by_size:
        if line.other == ALONE and line.even_bytes is not None:
            yield ApiCostByte(
                call=line.call, fixed_us=line.fixed_us, per_byte_us=line.per_byte_us, even_bytes=line.even_bytes
            )


def _cost(one: ApiCall) -> Cost:
    return Cost(Call(one.call, one.size), one.cost_us.value, one.resolution_us)


def _beside_others(real: Sequence[ApiCall]) -> Iterator[Finding]:
    contended = [one for one in real if one.other == "same" and one.more_us is not None]
    longer = [
        (one.factor, one.more_us.value, one)
        for one in contended
        if one.factor and one.more_us and one.more_us.low is not None and one.more_us.low > 0
    ]
    if longer:
        times, more_us, most = max(longer, key=lambda three: three[0])
        worst = max(contended, key=lambda one: one.samples_us.max)
        yield ApiContended(
            longer=len(longer),
            calls=len(contended),
            most=Call(most.call, most.size),
            times=times,
            more_us=more_us,
            longest=Call(worst.call, worst.size),
            longest_us=worst.samples_us.max,
        )
    elif contended:
        yield ApiUncontended(calls=len(contended))
    spun = [one.factor for one in real if one.other == SPIN and one.factor is not None]
    if spun:
        yield ApiBesideComputing(least_times=min(spun), most_times=max(spun))
