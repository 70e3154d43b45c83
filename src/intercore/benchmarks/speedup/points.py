"""Points of a speed-up: the same work on one core and on several, as measured or as published."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.record.measurement import Level
from intercore.statistics.intervals import Interval, bootstrap_medians, generator, interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from intercore.record.measurement import Measurement

    Floats: TypeAlias = NDArray[np.float64]

BENCHMARK = "speedup"
IDENTITY = ("workload", "mode", "join", "n", "cores")
_POOLED = ("seed", "samples")  # choose the dither and how much is measured, not what: their levels are pooled


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
        """The factors that the points of one fit share, by name: all that identify the point but its size."""
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


class Factors(msgspec.Struct, frozen=True):
    """The factors that identify a point, as a target must report them."""

    workload: str
    mode: str
    join: str
    n: int
    cores: int


class Setting(msgspec.Struct, frozen=True, eq=False):
    """A point with what the fit needs beyond it."""

    point: SpeedupPoint
    medians: Floats
    """Medians of T1 and TP, µs, shape (2, 1 + RESAMPLES): first of the samples themselves, then of their bootstrap
    resamples. Only the former, shape (2, 1), with fewer than two repetitions."""
    resolution_us: tuple[float, float]
    """To how many µs a single T1 and TP is known."""
    tick_hz: int | None

    @property
    def bootstrapped(self) -> bool:
        """Whether there are resamples."""
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


def measured_setting(pool: Sequence[Measurement], varied: Iterable[str]) -> Setting | str:
    """Pool the measurements of one setting; a sentence says why that is not possible."""
    try:
        factors = msgspec.convert(dict(pool[0].factors), Factors)
    except msgspec.ValidationError as error:
        return f"its factors are not those of a speed-up: {error}"
    if factors.cores < 1:
        return "it has no core"
    try:
        pairs = [(measurement.samples("t1"), measurement.samples("tp")) for measurement in pool]
    except KeyError as error:
        return f"it has no series {error}"

    # An aborted repetition leaves a T1 without its TP.
    counts = [min(len(t1.ticks), len(tp.ticks)) for t1, tp in pairs]
    t1_us, tp_us = (
        np.concatenate([pair[which].ns[:count] / 1e3 for pair, count in zip(pairs, counts, strict=True)])
        for which in (0, 1)
    )
    samples = sum(counts)
    if samples == 0:
        return "it has no samples"
    medians = np.array([[np.median(t1_us)], [np.median(tp_us)]])
    if not np.all(medians > 0):
        return "its median T1 or TP is 0: the work is too small for the clock, choose a larger n"
    if samples > 1:
        medians = np.hstack(
            (medians, bootstrap_medians(t1_us, tp_us, generator(in_words(selected(pool[0].factors, IDENTITY)))))
        )

    ticks = {_frequency(measurement.conditions.get("tick_hz", "")) for measurement in pool}
    return Setting(
        point=point_of(factors, medians, samples, selected(pool[0].factors, varied)),
        medians=medians,
        resolution_us=(max(1e6 / t1.hz for t1, _ in pairs), max(1e6 / tp.hz for _, tp in pairs)),
        tick_hz=ticks.pop() if len(ticks) == 1 else None,
    )


def _frequency(text: str) -> int | None:
    return int(text) or None if text.isascii() and text.isdigit() and len(text) < 10 else None


def point_of(factors: Factors, medians: Floats, samples: int, varied: dict[str, Level]) -> SpeedupPoint:
    """Return the point that medians come to, shape (2, …): their own first, then those of resamples."""

    def estimate(values: Floats) -> Interval:
        return interval(float(values[0]), values[1:]) if len(values) > 1 else Interval(float(values[0]))

    t1, tp = medians
    cores = factors.cores
    return SpeedupPoint(
        workload=factors.workload,
        mode=factors.mode,
        join=factors.join,
        n=factors.n,
        cores=cores,
        t1_us=estimate(t1),
        tp_us=estimate(tp),
        speedup=estimate(_ratio(t1, tp)),
        efficiency=estimate(_ratio(t1, tp) / cores),
        karp_flatt=estimate((_ratio(tp, t1) - 1 / cores) / (1 - 1 / cores)) if cores > 1 else None,
        samples=samples,
        varied=varied,
    )


def _ratio(over: Floats, under: Floats) -> Floats:
    """Divide; infinite where a resample of a coarse clock has 0 below the line."""
    return np.divide(over, under, out=np.full_like(over, np.inf), where=under > 0)
