"""What makes speed-ups doubtful."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.caveats import failed_checks
from intercore.benchmarks.own_work import without_own_wrong
from intercore.benchmarks.speedup.findings import (
    SpeedupFailedCheck,
    SpeedupImpossible,
    SpeedupNoFlash,
    SpeedupOnTicks,
    SpeedupPoorFit,
    SpeedupUnstable,
)
from intercore.benchmarks.speedup.points import BENCHMARK, of_speedup
from intercore.benchmarks.speedup.words import apart, differing, settings_of_groups
from intercore.record.own_work import PREFIX
from intercore.statistics.probability import chi_square_above

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.finding import Finding
    from intercore.record.measurement import Level, Measurement
    from intercore.record.origin import Origin
    from intercore.statistics.intervals import Interval

_UNSTABLE = 0.05
_POOR_FIT = 0.05
_REJECTED_P = 0.01
"""Probability of sizes so far from the model if it were the truth, below which the model does not hold."""
_IMPOSSIBLE = 1.01


def caveats(
    analysis: SpeedupAnalysis, measurements: Sequence[Measurement] = (), origin: Origin = "measured"
) -> Iterator[Finding]:
    """Return the caveats, most serious first."""
    ours = of_speedup(measurements)
    yield from failed_checks(without_own_wrong(ours), BENCHMARK, "mode", SpeedupFailedCheck)
    yield from _without_flash(ours)
    yield from analysis.left_out
    yield from _impossible(analysis.points)
    yield from _unstable(analysis.points, origin)
    yield from _of_fits(analysis, origin)


_FLASH = "memory.flash"
"""The condition with the memory that `workload=flash` reads."""


def _without_flash(measurements: Sequence[Measurement]) -> Iterator[SpeedupNoFlash]:
    """Report where the workload that is named for the flash read something else."""
    tables = {one.conditions.get(_FLASH, "") for one in measurements if one.factors.get("workload") == "flash"}
    for table in sorted(tables):
        if table.startswith("none"):
            yield SpeedupNoFlash(condition=_FLASH, read=table)


def _impossible(points: Sequence[SpeedupPoint]) -> Iterator[SpeedupImpossible]:
    settings = [_with_size(point) for point in points]
    for point in points:
        if point.speedup.value > point.cores * _IMPOSSIBLE or (
            point.speedup.low is not None and point.speedup.low > point.cores
        ):
            setting = apart(_with_size(point), settings)
            yield SpeedupImpossible(speedup=point.speedup.value, cores=point.cores, setting=setting)


def _with_size(point: SpeedupPoint) -> dict[str, Level]:
    return {**point.setting, "n": point.n}


def _unstable(points: Sequence[SpeedupPoint], origin: Origin) -> Iterator[SpeedupUnstable]:
    widths = [(max(_width(point.t1_us), _width(point.tp_us)), point) for point in points]
    unstable = [(width, point) for width, point in widths if width > _UNSTABLE]
    if not unstable:
        return
    width, worst = max(unstable, key=lambda pair: pair[0])
    own = any(point.workload.startswith(PREFIX) for point in points)
    named = {*differing(points), "n"}
    yield SpeedupUnstable(
        unstable=len(unstable),
        settings=len(points),
        modes=tuple(dict.fromkeys(point.mode for _, point in unstable)),
        worst={name: level for name, level in _with_size(worst).items() if name in named},
        width_percent=100 * width,
        cause="disturbances" if origin == "measured" else "unequal units" if own else "placement",
    )


def _width(estimate: Interval) -> float:
    if estimate.low is None or estimate.high is None:
        return 0.0
    return (estimate.high - estimate.low) / estimate.value


def _of_fits(analysis: SpeedupAnalysis, origin: Origin) -> Iterator[Finding]:
    settings = settings_of_groups(analysis.points)
    for fit in analysis.fits:
        setting = settings[fit.group]
        on_ticks = fit.quantisation
        if on_ticks and on_ticks.quantised:
            yield SpeedupOnTicks(tick_us=on_ticks.tick_us, p_value=on_ticks.p_value, setting=setting)
        elif _is_poor(fit):  # that TP falls on ticks explains a poor fit
            yield SpeedupPoorFit(
                residual_percent=100 * fit.largest_residual,
                cause="disturbances" if origin == "measured" else "uneven growth",
                setting=setting,
            )


def _is_poor(fit: ForkJoinFit) -> bool:
    """Whether a size is far off the model; or less far, and it leaves the work for an efficiency known to a factor."""
    if fit.largest_residual > _POOR_FIT:
        return True
    freedom = fit.sizes - (1 if fit.loss is None else 2)
    return (
        fit.isoefficiency.is_rough
        and fit.reduced_chi_squared is not None
        and chi_square_above(fit.reduced_chi_squared * freedom, freedom) < _REJECTED_P
    )
