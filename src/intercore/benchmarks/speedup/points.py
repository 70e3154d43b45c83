"""Points of a speed-up: the same work on one core and on several, as measured or as published."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
import numpy as np

from intercore.benchmarks.grouping import by_run
from intercore.record.measurement import Level
from intercore.record.own_work import PREFIX
from intercore.statistics.intervals import Interval, generator
from intercore.statistics.repetitions import median, paired_draws, paired_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from intercore.record.measurement import Measurement

    Floats: TypeAlias = NDArray[np.float64]

BENCHMARK = "speedup"
IDENTITY = ("workload", "mode", "join", "n", "cores")
TASKS = {"create": "created tasks", "pool": "woken tasks", "spin": "polling tasks"}
"""Names of the tasks that do the parts of the work, by `mode`."""
_WORK = {"fp": "floating point", "double": "double precision", "hanoi": "recursion"}
"""Descriptions of workloads whose names do not explain them."""
_POOLED = ("seed", "samples")  # choose the dither and how much is measured, not what: their levels are pooled


Why: TypeAlias = Literal["factors", "cores", "series", "samples", "zero"]
"""Why a setting has no ratio: other factors than a speed-up has, no core, a missing series, no samples, or a median of
0."""


class NoRatio(msgspec.Struct, frozen=True):
    """Why no ratio can be formed of a setting."""

    why: Why
    names: tuple[str, ...] = ()
    """The factors or the series concerned."""


class SpeedupPoint(msgspec.Struct, frozen=True):
    """One measured or published setting: the same work on one core and on P."""

    workload: str
    mode: str
    join: str
    n: int
    """Size of the work in the workload's own units."""
    cores: int
    """P, at least 1."""
    t1_us: Interval
    """Median sequential duration, µs."""
    tp_us: Interval
    """Median duration on P cores, from before the fork to after the join, µs."""
    speedup: Interval
    """S = T1 / TP (ratio of medians)."""
    efficiency: Interval
    """E = S / P, as a fraction."""
    karp_flatt: Interval | None
    """Experimentally determined serial fraction e = (1/S - 1/P) / (1 - 1/P); None for P = 1.
    Karp & Flatt, Measuring parallel processor performance, CACM 33(5), 1990."""
    samples: int
    """Repetitions behind the medians; 0 for a published row."""
    varied: dict[str, Level] = {}
    """The other factors that take more than one level in the run, by name."""

    @property
    def setting(self) -> dict[str, Level]:
        """The factors that the points of one fit share, by name: all except the size."""
        shared: dict[str, Level] = {
            "workload": self.workload,
            "mode": self.mode,
            "join": self.join,
            "cores": self.cores,
        }
        return shared | self.varied

    @property
    def group(self) -> str:
        """`setting` in words, e.g. `workload=fp mode=create join=notify cores=2`."""
        return in_words(self.setting)

    @property
    def tasks(self) -> str:
        """Which tasks do the parts of the work: in words."""
        return TASKS.get(self.mode, self.mode)

    @property
    def work(self) -> str:
        """What the work is: in words."""
        return work_in_words(self.workload)


def work_in_words(workload: str) -> str:
    """Return the name of a workload; that of the user's has no prefix."""
    return _WORK.get(workload, workload.removeprefix(PREFIX))


class Factors(msgspec.Struct, frozen=True):
    """The factors that identify a point, as a target must report them."""

    workload: str
    mode: str
    join: str
    n: int
    cores: int


class SpeedupSetting(msgspec.Struct, frozen=True, eq=False):
    """A point with what the fit needs beyond it."""

    point: SpeedupPoint
    medians: Floats
    """Medians of T1 and TP, µs, shape (2, 1 + RESAMPLES): first those of the samples, then others that are as likely.
    Only the former, shape (2, 1), of a single sample and of a published row."""
    resolution_us: tuple[float, float]
    """To how many µs a single T1 and TP is known."""
    tick_hz: int | None

    @property
    def has_draws(self) -> bool:
        """Whether there are other medians that are as likely."""
        return self.medians.size > 2

    @property
    def excess(self) -> Floats:
        """TP - T1/P of `medians`, µs: what the second core costs."""
        excess: Floats = self.medians[1] - self.medians[0] / self.point.cores
        return excess


def of_speedup(measurements: Iterable[Measurement]) -> list[Measurement]:
    """Return the measurements of this benchmark."""
    return [measurement for measurement in measurements if measurement.benchmark == BENCHMARK]


def varied_factors(measurements: Iterable[Measurement]) -> tuple[str, ...]:
    """Return the other factors that take more than one level."""
    levels: dict[str, set[Level]] = defaultdict(set)
    for measurement in measurements:
        for name, level in measurement.factors.items():
            levels[name].add(level)
    return tuple(
        name for name in sorted(levels) if len(levels[name]) > 1 and name not in IDENTITY and name not in _POOLED
    )


def selected(factors: Mapping[str, Level], names: Iterable[str]) -> dict[str, Level]:
    """Return the levels of some factors, in that order."""
    return {name: factors[name] for name in names if name in factors}


def in_words(factors: Mapping[str, Level]) -> str:
    """Return levels as they are typed."""
    return " ".join(f"{name}={level}" for name, level in factors.items())


def measured_setting(pool: Sequence[Measurement], varied: Iterable[str]) -> SpeedupSetting | NoRatio:
    """Pool the measurements of one setting, or report why that is impossible."""
    given = pool[0].factors
    wrong = [field.name for field in msgspec.structs.fields(Factors) if type(given.get(field.name)) is not field.type]
    if wrong:
        return NoRatio("factors", tuple(wrong))
    factors = msgspec.convert(dict(given), Factors)
    if factors.cores < 1:
        return NoRatio("cores")
    known = [{series.name: series for series in measurement.series} for measurement in pool]
    missing = tuple(name for name in ("t1", "tp") if not all(name in each for each in known))
    if missing:
        return NoRatio("series", missing)
    pairs = [(each["t1"], each["tp"]) for each in known]

    # An aborted repetition leaves a T1 without its TP.
    counts = [min(len(t1.ticks), len(tp.ticks)) for t1, tp in pairs]
    samples = sum(counts)
    if samples == 0:
        return NoRatio("samples")
    t1_us, tp_us = (
        by_run(pool, [pair[which].ns[:count] / 1e3 for pair, count in zip(pairs, counts, strict=True)])
        for which in (0, 1)
    )
    resolution_us = (max(1e6 / t1.hz for t1, _ in pairs), max(1e6 / tp.hz for _, tp in pairs))
    t1, tp = (median(each, tick=tick) for each, tick in zip((t1_us, tp_us), resolution_us, strict=True))
    if min(t1.value, tp.value) <= 0:
        return NoRatio("zero")
    key = in_words(selected(pool[0].factors, IDENTITY))
    draws = paired_draws(t1_us, tp_us, generator(key), ticks=resolution_us)
    own = np.array([[t1.value], [tp.value]])
    ticks = {_frequency(measurement.conditions.get("tick_hz", "")) for measurement in pool}
    return SpeedupSetting(
        point=point_of(
            factors,
            (t1, tp),
            paired_ratio(t1_us, tp_us, generator(key), ticks=resolution_us),
            samples=samples,
            varied=selected(pool[0].factors, varied),
        ),
        medians=own if draws is None else np.hstack((own, draws)),
        resolution_us=resolution_us,
        tick_hz=ticks.pop() if len(ticks) == 1 else None,
    )


def _frequency(text: str) -> int | None:
    return int(text) or None if text.isascii() and text.isdigit() and len(text) < 10 else None


def point_of(
    factors: Factors, times_us: tuple[Interval, Interval], speedup: Interval, *, samples: int, varied: dict[str, Level]
) -> SpeedupPoint:
    """Return the point of T1 and TP, and of what the one is over the other."""
    cores = factors.cores
    return SpeedupPoint(
        workload=factors.workload,
        mode=factors.mode,
        join=factors.join,
        n=factors.n,
        cores=cores,
        t1_us=times_us[0],
        tp_us=times_us[1],
        speedup=speedup,
        efficiency=_mapped(speedup, lambda s: s / cores),
        karp_flatt=_mapped(speedup, lambda s: (1 / s - 1 / cores) / (1 - 1 / cores) if s else math.inf)
        if cores > 1
        else None,
        samples=samples,
        varied=varied,
    )


def _mapped(speedup: Interval, function: Callable[[float], float]) -> Interval:
    """Apply a monotonic function to a speed-up; a bound at which it is infinite is None."""
    bounds = (None if bound is None else function(bound) for bound in (speedup.low, speedup.high))
    low, high = (None if bound is None or math.isinf(bound) else bound for bound in bounds)
    value = function(speedup.value)
    return Interval(value, low, high) if function(2 * speedup.value) > value else Interval(value, high, low)
