"""Memory bandwidth of a core alone and with another core busy: rates, and the mutual slowdown.

Both times of a repetition are taken right after each other, so a slow-down is the ratio of two medians whose interval
comes from the ratio of each repetition: drift of the machine is in both. Nothing is subtracted; a pass is long compared
with the timestamp overhead.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.caveats import failed_checks
from intercore.benchmarks.grouping import by_level, tick_us, units_us
from intercore.benchmarks.memory.findings import (
    MemoryContended,
    MemoryFailedCheck,
    MemoryRegionsDiffer,
    MemoryRegionsEqual,
    MemorySeparateRegionsDoNotHelp,
    MemorySeparateRegionsHelp,
    MemoryUncontended,
    Rate,
    Slowdown,
)
from intercore.benchmarks.own_work import without_own_wrong
from intercore.record.measurement import Level
from intercore.statistics.intervals import Interval, generator, sample_median
from intercore.statistics.repetitions import median, paired_ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from intercore.finding import Finding
    from intercore.record.measurement import Measurement

    Floats: TypeAlias = NDArray[np.float64]
    Key: TypeAlias = tuple[Level, ...]

BENCHMARK = "memory"
ACCESSES = ("read", "write", "copy")
"""In the order in which they are shown."""
WORD_BYTES = "memory.word_bytes"
"""The condition with the width of an access."""

_ALONE = ("access", "region", "core", "bytes")
_BESIDE = (*_ALONE, "other", "other_region")
_POOLED = ("seed", "samples", "dither_us", "rest_ms")
_CYCLE_HZ = "clock.sys_hz"
_FELT = 1.05
"""Slow-down that is worth a word."""
_HELPS = 1.02
"""Ratio of two slow-downs above which one is called better."""


class MemoryRate(msgspec.Struct, frozen=True):
    """How fast one core goes over one region while the other sleeps."""

    access: str
    """`read`, `write` or `copy`."""
    region: str
    core: Annotated[int, Meta(ge=0)]
    bytes: Annotated[int, Meta(ge=1)]
    """Of a pass; a copy reads as many and writes as many."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    samples: Annotated[int, Meta(ge=1)]
    """Passes that were timed."""
    pass_us: Interval
    """Median duration of a pass, in µs."""
    mb_per_s: Annotated[float, Meta(ge=0)]
    """Bytes through that, in 10^6 bytes per second."""
    word_ns: Annotated[float, Meta(ge=0)] | None
    """Time for each word, in ns; None where the width of a word is not known."""
    word_cycles: Annotated[float, Meta(ge=0)] | None
    """The same in cycles of the core; None where the clock does not count them."""


class MemoryInterference(msgspec.Struct, frozen=True):
    """How much slower one core is in one region while the other core works in the same or another one."""

    access: str
    """Access of the timed core: `read`, `write` or `copy`."""
    region: str
    """Where it does it."""
    core: Annotated[int, Meta(ge=0)]
    """Which core it is."""
    bytes: Annotated[int, Meta(ge=1)]
    """Of a pass."""
    other: str
    """The activity of the other core: `read`, `write` or `copy`, or the user's workload."""
    other_region: str
    """Where that one does it; in the same region, in its other half."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    samples: Annotated[int, Meta(ge=1)]
    """Pairs of passes, one alone and one with the other core busy."""
    alone_us: Annotated[float, Meta(ge=0)]
    """Median duration of a pass alone, in µs."""
    beside_us: Annotated[float, Meta(ge=0)]
    """Median duration with the other core busy, in µs."""
    slowdown: Interval
    """The second through the first: 1 if the cores do not feel each other. 2 or more samples give an interval."""
    mb_per_s: Annotated[float, Meta(ge=0)]
    """Rate with the other core busy, in 10^6 bytes per second."""
    word_cycles: Annotated[float, Meta(ge=0)] | None
    """Cycles for each word with the other core busy; None where the clock does not count them."""


class MemoryAnalysis(msgspec.Struct, frozen=True):
    """The results of a run about memory."""

    rates: tuple[MemoryRate, ...]
    interference: tuple[MemoryInterference, ...]


def analyse(measurements: Iterable[Measurement]) -> MemoryAnalysis:
    """Analyse the measurements of the benchmark `memory` among those given; those of one setting are pooled."""
    ours = [one for one in measurements if one.benchmark == BENCHMARK and len(_us(one, "alone"))]
    ours = [one for one in ours if int(one.factors["bytes"]) > 0]
    accompanied = [one for one in ours if len(_us(one, "contended")) == len(_us(one, "alone"))]
    rates = [_rate(*pool) for pool in _pools(ours, _ALONE)]
    interference = [_interference(*pool) for pool in _pools(accompanied, _BESIDE)]
    return MemoryAnalysis(tuple(rates), tuple(interference))


def caveats(measurements: Iterable[Measurement]) -> Iterator[Finding]:
    """Return the caveats of the results."""
    return failed_checks(without_own_wrong(measurements), BENCHMARK, "region", MemoryFailedCheck)


# Pools


def _pools(
    measurements: Sequence[Measurement], named: Sequence[str]
) -> Iterator[tuple[dict[str, Level], list[Measurement]]]:
    """Return measurements by the factors named and by those that take several levels, in the order of tables."""
    names = {name for one in measurements for name in one.factors} - {*_BESIDE, *_POOLED}
    varied = sorted(name for name in names if len({one.factors.get(name) for one in measurements}) > 1)
    found: dict[Key, list[Measurement]] = defaultdict(list)
    for one in measurements:
        found[tuple(one.factors.get(name, "") for name in (*named, *varied))].append(one)
    regions = list(dict.fromkeys(str(one.factors["region"]) for one in measurements))
    regions = sorted(regions, key=lambda region: _place(region, measurements))

    def order(key: Key) -> tuple[object, ...]:
        setting = dict(zip((*named, *varied), key, strict=True))
        return *_order(setting, regions), by_level({name: setting[name] for name in varied})

    for key in sorted(found, key=order):
        yield dict(zip((*named, *varied), key, strict=True)), found[key]


def _place(region: str, measurements: Sequence[Measurement]) -> tuple[int, str]:
    """Return where a region stands among those of the target, which a condition lists; last if it does not."""
    known = measurements[0].conditions.get("memory.regions", "")
    names = [entry.split()[0] for entry in known.split(",") if entry.split()]
    return (names.index(region) if region in names else len(names)), region


def _order(setting: Mapping[str, Level], regions: Sequence[str]) -> tuple[object, ...]:
    def rank(name: str, known: Sequence[str]) -> tuple[int, str]:
        level = str(setting.get(name, ""))
        return (known.index(level) if level in known else len(known)), level

    return (
        int(setting["core"]),
        rank("region", regions),
        rank("access", ACCESSES),
        int(setting["bytes"]),
        rank("other_region", regions),
        rank("other", ACCESSES),
    )


def _us(one: Measurement, name: str) -> Floats:
    return next((series.ns / 1e3 for series in one.series if series.name == name), np.zeros(0))


def _condition(pool: Sequence[Measurement], key: str) -> int | None:
    """Return a condition that is a number above 0 and the same for all."""
    values = {one.conditions.get(key, "") for one in pool}
    value = values.pop() if len(values) == 1 else ""
    return int(value) or None if value.isascii() and value.isdigit() else None


def _rates(
    us: float, setting: Mapping[str, Level], pool: Sequence[Measurement]
) -> tuple[float, float | None, float | None]:
    """Return 10^6 bytes per second, ns per word and cycles per word of a pass."""
    size, word, hz = int(setting["bytes"]), _condition(pool, WORD_BYTES), _condition(pool, _CYCLE_HZ)
    word_ns = None if word is None else 1e3 * us * word / size
    return (size / us if us > 0 else 0.0), word_ns, None if word_ns is None or hz is None else word_ns * hz / 1e9


def _rate(setting: dict[str, Level], pool: list[Measurement]) -> MemoryRate:
    pass_us = median(units_us(pool, "alone"), tick=tick_us(pool, "alone"))
    mb_per_s, word_ns, word_cycles = _rates(pass_us.value, setting, pool)
    return MemoryRate(
        access=str(setting["access"]),
        region=str(setting["region"]),
        core=int(setting["core"]),
        bytes=int(setting["bytes"]),
        varied={name: level for name, level in setting.items() if name not in _ALONE},
        samples=sum(len(_us(one, "alone")) for one in pool),
        pass_us=pass_us,
        mb_per_s=mb_per_s,
        word_ns=word_ns,
        word_cycles=word_cycles,
    )


def _interference(setting: dict[str, Level], pool: list[Measurement]) -> MemoryInterference:
    alone, beside = (units_us(pool, name) for name in ("alone", "contended"))
    alone_us, beside_us = (sample_median(np.concatenate(values)) for values in (alone, beside))
    mb_per_s, _, word_cycles = _rates(beside_us, setting, pool)
    return MemoryInterference(
        access=str(setting["access"]),
        region=str(setting["region"]),
        core=int(setting["core"]),
        bytes=int(setting["bytes"]),
        other=str(setting["other"]),
        other_region=str(setting["other_region"]),
        varied={name: level for name, level in setting.items() if name not in _BESIDE},
        samples=sum(map(len, alone)),
        alone_us=alone_us,
        beside_us=beside_us,
        # Both are 0 where a clock is that coarse.
        slowdown=_slowdown(pool, beside, alone, repr(setting)) if alone_us > 0 else Interval(1.0),
        mb_per_s=mb_per_s,
        word_cycles=word_cycles,
    )


def _slowdown(pool: Sequence[Measurement], beside: list[Floats], alone: list[Floats], key: str) -> Interval:
    ticks = (tick_us(pool, "contended"), tick_us(pool, "alone"))
    return paired_ratio(beside, alone, generator(key), ticks=ticks)


# Findings


def results(analysis: MemoryAnalysis) -> Iterator[Finding]:
    """Return the findings, the most important first."""
    yield from _on_interference(analysis.interference)
    yield from _on_regions(analysis.rates)


def _on_interference(interference: Sequence[MemoryInterference]) -> Iterator[Finding]:
    if not interference:
        return
    worst = worst_interference(interference)
    if _at_least(worst) < _FELT:
        yield MemoryUncontended(worst=slowdown(worst))
        return
    yield MemoryContended(worst=slowdown(worst))
    both = [one for one in interference if one.other in ACCESSES]  # the user's workload is in no region
    same = [one for one in both if one.region == one.other_region]
    apart = [one for one in both if one.region != one.other_region]
    if same and apart:
        of_same, of_apart = (worst_interference(found) for found in (same, apart))
        helps = of_apart.slowdown.value * _HELPS < of_same.slowdown.value
        kind = MemorySeparateRegionsHelp if helps else MemorySeparateRegionsDoNotHelp
        yield kind(apart=slowdown(of_apart), same=slowdown(of_same))


def worst_interference(interference: Sequence[MemoryInterference]) -> MemoryInterference:
    """Return the largest of the significant slowdowns; if there is none, the one with the largest lower bound."""
    felt = [one for one in interference if _at_least(one) >= _FELT]
    return max(felt, key=lambda one: one.slowdown.value) if felt else max(interference, key=_at_least)


def slowdown(one: MemoryInterference) -> Slowdown:
    """Return the data of a finding on an interference."""
    region = one.other_region if one.other in ACCESSES else None
    return Slowdown(one.slowdown.value, one.core, one.region, one.access, one.other, region)


def _at_least(one: MemoryInterference) -> float:
    """Return the least slow-down that the samples leave possible."""
    return one.slowdown.value if one.slowdown.low is None else one.slowdown.low


def _on_regions(rates: Sequence[MemoryRate]) -> Iterator[Finding]:
    """Compare regions, for one core and one access at a time."""
    for access in ACCESSES:
        ours = [one for one in rates if one.access == access and one.core == rates[0].core]
        if len({one.region for one in ours}) > 1:
            best, worst = max(ours, key=lambda one: one.mb_per_s), min(ours, key=lambda one: one.mb_per_s)
            fastest, slowest = (Rate(one.region, one.mb_per_s, one.word_cycles) for one in (best, worst))
            if worst.mb_per_s * _FELT >= best.mb_per_s:
                yield MemoryRegionsEqual(access=access, rate=fastest)
            else:
                yield MemoryRegionsDiffer(access=access, fastest=fastest, slowest=slowest)
