"""What makes speed-ups doubtful, in plain sentences with the likely cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.own_work import without_own_wrong
from intercore.benchmarks.speedup.points import of_speedup
from intercore.benchmarks.speedup.words import called, differing
from intercore.record.own_work import PREFIX
from intercore.statistics.probability import chi_square_above

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from intercore.benchmarks.speedup.analysis import SpeedupAnalysis
    from intercore.benchmarks.speedup.fit import ForkJoinFit
    from intercore.benchmarks.speedup.points import SpeedupPoint
    from intercore.record.measurement import Measurement
    from intercore.record.origin import Origin
    from intercore.statistics.intervals import Interval

_UNSTABLE = 0.05
_POOR_FIT = 0.05
_REJECTED_P = 0.01
"""Probability of sizes so far from the model if it were the truth, below which the model does not hold."""
_IMPOSSIBLE = 1.01


def warnings(
    analysis: SpeedupAnalysis, measurements: Sequence[Measurement] = (), origin: Origin = "measured"
) -> list[str]:
    """Say in plain sentences what makes the numbers doubtful, and the likely cause; most serious first."""
    measured = origin == "measured"
    own = any(point.workload.startswith(PREFIX) for point in analysis.points)
    return [
        *_disturbances(without_own_wrong(of_speedup(measurements))),
        *_without_flash(of_speedup(measurements)),
        *(f"Left out: {sentence}." for sentence in analysis.left_out),
        *_impossible(analysis.points),
        *_unstable(analysis.points, _BESIDE if measured else _UNEQUAL if own else _WITHIN),
        *_of_fits(analysis, _STEPS if measured else _UNEVEN),
    ]


_DISTURBANCES = {
    "wrong": "results of the work were wrong: these durations belong to broken work; suspect the compiler's "
    "optimisation, the memory or an overclocked chip",
    "migrated": "times a pinned task was found on another core: the pinning was not honoured; allow the affinity "
    "(container, cpuset) or these numbers do not show what the cores do",
    "lost": "samples did not fit the target's buffer: ask for fewer samples",
    "preempted": "times the work was preempted while it was timed: something else ran on its core; close other "
    "programs or permit a real-time priority",
}


def _disturbances(measurements: Sequence[Measurement]) -> list[str]:
    sentences = []
    for check, meaning in _DISTURBANCES.items():
        counts = [measurement.checks.get(check, 0) for measurement in measurements]
        hit = sum(count > 0 for count in counts)
        if hit:
            sentences.append(f"In {hit} of {len(counts)} measurements, {sum(counts)} {meaning}.")
    return sentences


_FLASH = "memory.flash"
"""The condition that tells what `workload=flash` reads."""


def _without_flash(measurements: Sequence[Measurement]) -> list[str]:
    """Say where the workload that is named for the flash read something else."""
    tables = {one.conditions.get(_FLASH, "") for one in measurements if one.factors.get("workload") == "flash"}
    return [
        f"workload=flash read no flash ({_FLASH}: {table}): these numbers tell nothing about it."
        for table in sorted(tables)
        if table.startswith("none")
    ]


def _impossible(points: Sequence[SpeedupPoint]) -> list[str]:
    return [
        f"{_at(point, points)}: a speed-up of {point.speedup.value:.3f} on {point.cores} cores is not possible: "
        "either noise, then take more samples, or T1 was measured under worse conditions than TP (cold caches, a lower "
        "clock frequency), then rest or warm up before it."
        for point in points
        if point.speedup.value > point.cores * _IMPOSSIBLE
        or (point.speedup.low is not None and point.speedup.low > point.cores)
    ]


_BESIDE = "other programs or a changing clock frequency are likely; take more samples, or measure on a quieter machine"
_WITHIN = (
    "nothing else runs on a simulated chip: the time of the work itself varies, because the tick, the other core or a "
    "cache comes into it in other places; take more samples"
)
_UNEQUAL = (
    "nothing else runs on a simulated chip: the units of this work take unequal times, so windows of few units differ; "
    "believe the largest n"
)
"""Why samples of one setting differ: on a machine, and on a simulated chip, of our work and of a user's own."""


def _unstable(points: Sequence[SpeedupPoint], cause: str) -> list[str]:
    widths = [max(_width(point.t1_us), _width(point.tp_us)) for point in points]
    count = sum(width > _UNSTABLE for width in widths)
    if not count:
        return []
    width, worst = max(zip(widths, points, strict=True), key=lambda pair: pair[0])
    unstable = [point for each, point in zip(widths, points, strict=True) if each > _UNSTABLE]
    which = " and ".join(dict.fromkeys(point.tasks for point in unstable))
    return [
        f"{count} of {len(points)} settings are unstable ({which}). The worst is {_at(worst, points)}, where the 95 % "
        f"interval of a median is {width:.0%} wide: {cause}."
    ]


def _at(point: SpeedupPoint, points: Iterable[SpeedupPoint]) -> str:
    """Name a setting among others: `created tasks, n = 1,000`."""
    return f"{called(point.setting, differing(points))}, n = {point.n:,}"


def _width(estimate: Interval) -> float:
    if estimate.low is None or estimate.high is None:
        return 0.0
    return (estimate.high - estimate.low) / estimate.value


_STEPS = (
    "Disturbances, or work that outgrows a cache between two sizes, are likely; look at the plot, take more samples, "
    "or choose sizes on one side of the step"
)
_UNEVEN = (
    "The time of the work does not grow evenly with its size, for example because it outgrows a cache between two "
    "sizes, or starting and joining take another time beside small work; look at the plot, and measure more and larger "
    "sizes"
)
"""Why a fit is poor: on a machine, and on a simulated chip, where nothing disturbs."""


def _of_fits(analysis: SpeedupAnalysis, cause: str) -> Iterator[str]:
    named = differing(analysis.points)
    names = {point.group: called(point.setting, named) for point in analysis.points}
    for fit in analysis.fits:
        yield from _fit_warnings(names[fit.group], fit, cause)


def _fit_warnings(name: str, fit: ForkJoinFit, cause: str) -> list[str]:
    sentences = []
    quantisation = fit.quantisation
    if quantisation and quantisation.quantised:
        sentences.append(
            f"{name}: TP falls on whole kernel ticks of {quantisation.tick_us:g} µs (Rayleigh test, p = "
            f"{quantisation.p_value:.2g}): completion was polled on the tick. The overhead includes the wait for the "
            "tick, and TP is known no better than to a tick; wait for completion with join=notify."
        )
    elif _is_poor(fit):  # of what falls on ticks the sentence above has told why
        sentences.append(
            f"{name}: the fit is poor: a TP lies {fit.largest_residual:.1%} off the model, more than its samples "
            f"explain, so overhead, break-even and the work for an efficiency are rough. {cause}."
        )
    return sentences


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
