"""Speed-up of fork–join work on P cores: S, E, Karp–Flatt, the overhead of forking and joining, and the break-even.

Durations are in µs throughout; intervals are 95 %.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.benchmarks.speedup import EFFICIENCY
from intercore.benchmarks.speedup.findings import SpeedupLeftOut
from intercore.benchmarks.speedup.fit import ForkJoinFit, fit_of
from intercore.benchmarks.speedup.points import (
    IDENTITY,
    Factors,
    SpeedupPoint,
    SpeedupSetting,
    in_words,
    measured_setting,
    of_speedup,
    point_of,
    selected,
    varied_factors,
)
from intercore.benchmarks.speedup.words import apart
from intercore.errors import UsageError
from intercore.statistics.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from intercore.benchmarks.speedup.publication import SpeedupPublication
    from intercore.record.measurement import Level, Measurement


class SpeedupAnalysis(msgspec.Struct, frozen=True):
    """The results of a run, or of a published table, about speed-up."""

    points: tuple[SpeedupPoint, ...]
    """Ordered by group, then size."""
    fits: tuple[ForkJoinFit, ...]
    """One per group, in the order of the points."""
    left_out: tuple[SpeedupLeftOut, ...]
    """Settings of which no ratio can be formed, with the reason."""


def analyse(measurements: Sequence[Measurement], efficiency: float = EFFICIENCY.default) -> SpeedupAnalysis:
    """Analyse the measurements of the benchmark `speedup` among those given; `efficiency` is the one wanted.

    Repetitions of a setting are pooled. The result does not depend on the order of the measurements.
    """
    _check_efficiency(efficiency)
    ours = sorted(of_speedup(measurements), key=lambda measurement: (measurement.repetition, measurement.started))
    varied = varied_factors(ours)
    pools: dict[str, list[Measurement]] = defaultdict(list)
    levels: dict[str, dict[str, Level]] = {}
    for measurement in ours:
        identity = selected(measurement.factors, (*IDENTITY, *varied))
        levels[in_words(identity)] = identity
        pools[in_words(identity)].append(measurement)

    settings: list[SpeedupSetting] = []
    left_out: list[SpeedupLeftOut] = []
    for label, pool in sorted(pools.items()):
        found = measured_setting(pool, varied)
        if isinstance(found, SpeedupSetting):
            settings.append(found)
        else:
            setting = apart(levels[label], levels.values())
            left_out.append(SpeedupLeftOut(why=found.why, names=found.names, setting=setting))
    return _analysis(settings, left_out, efficiency)


def analyse_published(table: SpeedupPublication, efficiency: float = EFFICIENCY.default) -> SpeedupAnalysis:
    """Analyse a published table in the same way; its points have no intervals.

    S and E of its points are those that are printed, where they are; fits are of the printed durations.
    """
    _check_efficiency(efficiency)
    shared = table.setting
    rounding_us = table.figures.rounding_ms * 1e3
    settings = []
    for row in table.figures.rows:
        factors = Factors(shared.workload, shared.mode, shared.join, row.n, shared.cores)
        t1_us, tp_us = row.t1_ms * 1e3, row.tp_ms * 1e3
        times_us = Interval(t1_us), Interval(tp_us)
        speedup = t1_us / tp_us if row.speedup is None else row.speedup
        point = point_of(factors, times_us, Interval(speedup), samples=0, varied={})
        if row.efficiency is not None:
            point = msgspec.structs.replace(point, efficiency=Interval(row.efficiency))
        medians = np.array([[t1_us], [tp_us]])
        settings.append(SpeedupSetting(point, medians, (rounding_us, rounding_us), shared.tick_hz))
    return _analysis(settings, [], efficiency)


def _check_efficiency(efficiency: float) -> None:
    if not 0 < efficiency < 1:
        raise UsageError(f"efficiency={efficiency:g} is out of range: it must be above 0 and below 1")


def _analysis(
    settings: Sequence[SpeedupSetting], left_out: Iterable[SpeedupLeftOut], efficiency: float
) -> SpeedupAnalysis:
    groups: dict[str, list[SpeedupSetting]] = defaultdict(list)
    for setting in sorted(settings, key=lambda setting: _order(setting.point)):
        groups[setting.point.group].append(setting)
    return SpeedupAnalysis(
        points=tuple(setting.point for group in groups.values() for setting in group),
        fits=tuple(fit_of(name, group, efficiency) for name, group in groups.items()),
        left_out=tuple(left_out),
    )


def _order(point: SpeedupPoint) -> tuple[object, ...]:
    # Levels of a factor may be integers and names: the former come first, by value.
    varied = [(1, 0, level) if isinstance(level, str) else (0, level, "") for level in point.varied.values()]
    return point.workload, point.mode, point.join, point.cores, varied, point.n
