"""Speed-up of fork–join work on P cores: S, E, Karp–Flatt, the overhead of forking and joining, and the break-even.

Durations are in µs throughout; intervals are 95 %.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, TypedDict

import msgspec
import numpy as np
from numpy.polynomial import Polynomial

from intercore.benchmarks.speedup.options import EFFICIENCY
from intercore.errors import UsageError
from intercore.statistics.intervals import (
    RESAMPLES,
    Interval,
    bootstrap_medians,
    generator,
    interval,
    rayleigh,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from intercore.benchmarks.speedup.publication import SpeedupPublication
    from intercore.record.measurement import Level, Measurement

    Floats: TypeAlias = NDArray[np.float64]

__all__ = [
    "BreakEven",
    "ForkJoinFit",
    "Interval",
    "Quantisation",
    "SpeedupAnalysis",
    "SpeedupJson",
    "SpeedupPoint",
    "analyse",
    "analyse_published",
    "to_json",
    "warnings",
]

_IDENTITY = ("workload", "mode", "join", "n", "cores")
_POOLED = ("seed", "samples")  # choose the dither and how much is measured, not what: their levels are pooled
_MIN_PHASES = 4  # with fewer, not even identical phases reach the level below
_QUANTISED_P = 0.01
_UNSTABLE = 0.05
_POOR_FIT = 0.05
_NONLINEAR = 0.1
_IMPOSSIBLE = 1.01


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
        return _words(self.setting)


class BreakEven(msgspec.Struct, frozen=True):
    """The smallest work for which P cores reach the wanted efficiency.

    From TP = (1 + loss) T1/P + overhead and E = T1 / (P TP) follows T1* = E P overhead / (1 - E (1 + loss)).
    """

    efficiency: float
    """The wanted E, as a fraction."""
    t1_us: Interval | None
    """Sequential duration of that work, µs; an upper bound of None means that it may never be reached."""
    n: Interval | None
    """Its size in the workload's own units, rounded up, from a line through T1 over n. The interval is that of `t1_us`:
    the uncertainty of the line is small beside it."""
    extrapolated: bool
    """Whether `t1_us` lies outside the sizes that were measured."""
    reason: str | None
    """Why `t1_us` or `n` is None, a sentence without its full stop; None if neither is."""


class Quantisation(msgspec.Struct, frozen=True):
    """Whether TP falls on whole kernel ticks over the sizes of a group: phase = TP modulo tick.

    Tells polled completion from awaited completion. Sizes with TP below half a tick are left out: their phases are
    concentrated whatever the join.
    """

    tick_us: float
    sizes: int
    """Sizes tested, at least 4."""
    resultant: float
    """Mean resultant length of the phases of TP, 0 to 1."""
    p_value: float
    """Rayleigh's test of uniform phases of TP."""
    phase_us: float
    """Mean phase of TP, -tick/2 to tick/2, µs."""
    t1_p_value: float
    """The same test of T1. Sizes that make even T1 whole ticks show nothing about the join."""
    quantised: bool
    """Whether the phases of TP are concentrated (p < 0.01) and those of T1 are not."""


class ForkJoinFit(msgspec.Struct, frozen=True):
    """TP = (1 + loss) T1/P + overhead, fitted over the sizes of a group by weighted least squares.

    `loss` is there because not all that TP has beyond T1/P is a fixed cost: cores that share a bus or a power budget
    each run slower while all of them work, and a second core may be slower than the first. In the table of seed-000
    TP exceeds T1/2 by 0.2 % at large sizes: without the loss those 46 ms would be taken for overhead.

    A size weighs as the inverse variance of TP - T1/P: that of the bootstrapped medians plus that of the resolution,
    which is a tick of the clock, the last printed digit, or the kernel tick where TP is quantised (uniform over that
    width: width²/12). Where the points scatter more than these variances say, the intervals are widened by the
    Birge ratio, the root of reduced chi-squared (Birge, Physical Review 40, 1932; Particle Data Group, Review of
    Particle Physics, section 5.2.2), so that what differs between settings, not only within one, counts too.

    Intervals are percentiles of the model refitted to bootstrap resamples; where a size has fewer than two
    repetitions, as in published tables, of the normal distribution with the covariance of the fit. Normal, not
    Student's t, because the variances count as known: with few sizes this matters. For the five rows of seed-000 it
    gives an overhead of 0.23 to 1.42 ms, where t with an estimated variance gives -0.15 to 1.80 ms.
    """

    group: str
    cores: int
    sizes: int
    """Points behind the fit."""
    overhead_us: Interval
    """Cost of forking and joining that does not depend on the size of the work, µs."""
    loss: Interval | None
    """Proportional loss per core, as a fraction; None with fewer than 3 sizes, where it is taken to be 0."""
    loss_compatible_with_zero: bool | None
    """Whether the interval of `loss` holds 0; None if it has not been estimated."""
    r_squared: float | None
    """Share of the weighted variance of TP that the model explains; None for a single size."""
    reduced_chi_squared: float | None
    """Weighted squared residuals per degree of freedom: about 1 if the model holds; None for a single size."""
    largest_residual: float
    """The largest |TP - model| / TP, as a fraction."""
    break_even: BreakEven
    quantisation: Quantisation | None
    """None if the kernel tick is not known or fewer than 4 sizes have a TP of at least half a tick."""

    @property
    def resolution_us(self) -> float | None:
        """Below what the overhead is, in µs, if it cannot be told from 0; else None.

        An overhead is not negative. Where the interval reaches to 0 or below, the fit tells fixed costs no better than
        to the bound that is farther from 0.
        """
        overhead = self.overhead_us
        low = overhead.value if overhead.low is None else overhead.low
        high = overhead.value if overhead.high is None else overhead.high
        return None if low > 0 else max(abs(low), abs(high))


class SpeedupAnalysis(msgspec.Struct, frozen=True):
    """All that a run, or a published table, says about speed-up."""

    points: tuple[SpeedupPoint, ...]
    """Ordered by group, then size."""
    fits: tuple[ForkJoinFit, ...]
    """One per group, in the order of the points."""
    left_out: tuple[str, ...]
    """Settings of which no ratio can be formed, with the reason, a sentence each without its full stop."""


class SpeedupJson(TypedDict):
    """The documented JSON; the last three are by group."""

    speedup: list[dict[str, object]]
    overhead_us: dict[str, dict[str, object]]
    break_even: dict[str, dict[str, object]]
    quantised: dict[str, dict[str, object] | None]


class _Factors(msgspec.Struct, frozen=True):
    """The factors that identify a point, as a target must report them."""

    workload: str
    mode: str
    join: str
    n: int
    cores: int


class _Setting(msgspec.Struct, frozen=True, eq=False):
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


class _Model(msgspec.Struct, frozen=True, eq=False):
    """The fitted model, with draws from the distribution of its parameters."""

    parameters: Floats
    """Overhead in µs and loss, the latter 0 where it is not estimated; shape (2,)."""
    draws: Floats | None
    """Parameters of RESAMPLES equally likely models, shape (2, RESAMPLES); None where nothing tells the spread."""
    with_loss: bool
    r_squared: float | None
    reduced_chi_squared: float | None
    largest_residual: float

    def estimate(self, which: int) -> Interval:
        """Return the overhead (0) or the loss (1) with its interval."""
        value = float(self.parameters[which])
        return Interval(value) if self.draws is None else interval(value, self.draws[which])


def analyse(measurements: Sequence[Measurement], efficiency: float = EFFICIENCY.default) -> SpeedupAnalysis:
    """Analyse the measurements of the benchmark `speedup` among those given; `efficiency` is wanted at break-even.

    Repetitions of a setting are pooled. The result does not depend on the order of the measurements.
    """
    _check_efficiency(efficiency)
    ours = sorted(_ours(measurements), key=lambda measurement: (measurement.repetition, measurement.started))
    varied = _varied_factors(ours)
    pools: dict[str, list[Measurement]] = defaultdict(list)
    for measurement in ours:
        pools[_words(_select(measurement.factors, (*_IDENTITY, *varied)))].append(measurement)

    settings: list[_Setting] = []
    left_out: list[str] = []
    for label, pool in sorted(pools.items()):
        outcome = _measured_setting(pool, varied)
        if isinstance(outcome, _Setting):
            settings.append(outcome)
        else:
            left_out.append(f"{label}: {outcome}")
    return _analysis(settings, left_out, efficiency)


def analyse_published(table: SpeedupPublication, efficiency: float = EFFICIENCY.default) -> SpeedupAnalysis:
    """Analyse a published table in the same way; its points have no intervals."""
    _check_efficiency(efficiency)
    shared = table.setting
    rounding_us = table.figures.rounding_ms * 1e3
    settings = []
    for row in table.figures.rows:
        factors = _Factors(shared.workload, shared.mode, shared.join, row.n, shared.cores)
        medians = np.array([[row.t1_ms], [row.tp_ms]]) * 1e3
        point = _point(factors, medians, samples=0, varied={})
        settings.append(_Setting(point, medians, (rounding_us, rounding_us), shared.tick_hz))
    return _analysis(settings, [], efficiency)


def to_json(analysis: SpeedupAnalysis) -> SpeedupJson:
    """Return the analysis in the documented shape, made of what JSON knows; what is not known is None."""
    return {
        "speedup": [_point_json(point) for point in analysis.points],
        "overhead_us": {fit.group: _overhead_json(fit) for fit in analysis.fits},
        "break_even": {fit.group: _break_even_json(fit.break_even) for fit in analysis.fits},
        "quantised": {
            fit.group: None if fit.quantisation is None else msgspec.to_builtins(fit.quantisation)
            for fit in analysis.fits
        },
    }


def warnings(analysis: SpeedupAnalysis, measurements: Sequence[Measurement] = ()) -> list[str]:
    """Say in plain sentences what makes the numbers doubtful, and the likely cause; most serious first."""
    return [
        *_disturbances(_ours(measurements)),
        *(f"Left out: {sentence}." for sentence in analysis.left_out),
        *_impossible(analysis.points),
        *_unstable(analysis.points),
        *(sentence for fit in analysis.fits for sentence in _fit_warnings(fit)),
    ]


# From measurements to settings


def _ours(measurements: Iterable[Measurement]) -> list[Measurement]:
    return [measurement for measurement in measurements if measurement.benchmark == "speedup"]


def _check_efficiency(efficiency: float) -> None:
    if not 0 < efficiency < 1:
        raise UsageError(f"the wanted efficiency must lie between 0 and 1, not at {efficiency:g}")


def _varied_factors(measurements: Iterable[Measurement]) -> tuple[str, ...]:
    levels: dict[str, set[Level]] = defaultdict(set)
    for measurement in measurements:
        for name, level in measurement.factors.items():
            levels[name].add(level)
    return tuple(
        name for name in sorted(levels) if len(levels[name]) > 1 and name not in _IDENTITY and name not in _POOLED
    )


def _select(factors: Mapping[str, Level], names: Iterable[str]) -> dict[str, Level]:
    return {name: factors[name] for name in names if name in factors}


def _words(factors: Mapping[str, Level]) -> str:
    return " ".join(f"{name}={level}" for name, level in factors.items())


def _measured_setting(pool: Sequence[Measurement], varied: Iterable[str]) -> _Setting | str:
    """Pool the measurements of one setting; a sentence says why that is not possible."""
    try:
        factors = msgspec.convert(dict(pool[0].factors), _Factors)
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
            (medians, bootstrap_medians(t1_us, tp_us, generator(_words(_select(pool[0].factors, _IDENTITY)))))
        )

    ticks = {_frequency(measurement.conditions.get("tick_hz", "")) for measurement in pool}
    return _Setting(
        point=_point(factors, medians, samples, _select(pool[0].factors, varied)),
        medians=medians,
        resolution_us=(max(1e6 / t1.hz for t1, _ in pairs), max(1e6 / tp.hz for _, tp in pairs)),
        tick_hz=ticks.pop() if len(ticks) == 1 else None,
    )


def _frequency(text: str) -> int | None:
    return int(text) or None if text.isascii() and text.isdigit() and len(text) < 10 else None


def _point(factors: _Factors, medians: Floats, samples: int, varied: dict[str, Level]) -> SpeedupPoint:
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


# From settings to fits


def _analysis(settings: Sequence[_Setting], left_out: Iterable[str], efficiency: float) -> SpeedupAnalysis:
    groups: dict[str, list[_Setting]] = defaultdict(list)
    for setting in sorted(settings, key=lambda setting: _order(setting.point)):
        groups[setting.point.group].append(setting)
    return SpeedupAnalysis(
        points=tuple(setting.point for group in groups.values() for setting in group),
        fits=tuple(_fit(name, group, efficiency) for name, group in groups.items()),
        left_out=tuple(left_out),
    )


def _order(point: SpeedupPoint) -> tuple[object, ...]:
    # Levels of a factor may be integers and names: the former come first, by value.
    varied = [(1, 0, level) if isinstance(level, str) else (0, level, "") for level in point.varied.values()]
    return point.workload, point.mode, point.join, point.cores, varied, point.n


def _fit(group: str, settings: Sequence[_Setting], efficiency: float) -> ForkJoinFit:
    points = [setting.point for setting in settings]
    quantisation = _quantisation(settings)
    model = _model(group, settings, quantisation.tick_us if quantisation and quantisation.quantised else 0.0)
    loss = model.estimate(1) if model.with_loss else None
    return ForkJoinFit(
        group=group,
        cores=points[0].cores,
        sizes=len(points),
        overhead_us=model.estimate(0),
        loss=loss,
        loss_compatible_with_zero=None if loss is None else _holds_zero(loss),
        r_squared=model.r_squared,
        reduced_chi_squared=model.reduced_chi_squared,
        largest_residual=model.largest_residual,
        break_even=_break_even(efficiency, points, model),
        quantisation=quantisation,
    )


def _holds_zero(estimate: Interval) -> bool | None:
    return None if estimate.low is None or estimate.high is None else estimate.low <= 0 <= estimate.high


def _quantisation(settings: Sequence[_Setting]) -> Quantisation | None:
    frequencies = {setting.tick_hz for setting in settings}
    tick_hz = frequencies.pop() if len(frequencies) == 1 else None
    if tick_hz is None:
        return None
    tick_us = 1e6 / tick_hz
    t1, tp = np.stack([setting.medians[:, 0] for setting in settings], axis=1)
    tested = tp >= tick_us / 2
    sizes = int(np.count_nonzero(tested))
    if sizes < _MIN_PHASES:
        return None
    t1_test = rayleigh(t1[tested] % tick_us / tick_us)
    tp_test = rayleigh(tp[tested] % tick_us / tick_us)
    return Quantisation(
        tick_us=tick_us,
        sizes=sizes,
        resultant=tp_test.resultant,
        p_value=tp_test.p_value,
        phase_us=tp_test.phase * tick_us,
        t1_p_value=t1_test.p_value,
        quantised=tp_test.p_value < _QUANTISED_P <= t1_test.p_value,
    )


def _model(group: str, settings: Sequence[_Setting], tick_us: float) -> _Model:
    """Fit TP - T1/P = overhead + loss T1/P; `tick_us` is the width of TP's quantisation, 0 if there is none."""
    from statsmodels.regression.linear_model import WLS  # noqa: PLC0415 - 2 s that no other command should take

    sizes = len(settings)
    cores = settings[0].point.cores
    t1, tp = np.stack([setting.medians[:, 0] for setting in settings], axis=1)
    resolution = np.array(
        [math.hypot(t1_us / cores, max(tp_us, tick_us)) for t1_us, tp_us in (s.resolution_us for s in settings)]
    )
    scatter = np.array([np.var(setting.excess[1:]) if setting.bootstrapped else 0.0 for setting in settings])
    weights = 1 / (resolution**2 / 12 + scatter)

    with_loss = sizes >= 3 and bool(np.ptp(t1) > 0)
    design = np.column_stack((np.ones(sizes), t1 / cores))[:, : 1 + with_loss]
    fit = WLS(tp - t1 / cores, design, weights=weights).fit()
    parameters = np.zeros(2)
    parameters[: 1 + with_loss] = fit.params
    freedom = sizes - (1 + with_loss)
    chi_squared = float(fit.ssr) / freedom if freedom else None
    birge = math.sqrt(max(1.0, chi_squared or 0.0))

    rng = generator(group)
    draws = None
    if all(setting.bootstrapped for setting in settings):
        # Smoothed by the resolution: samples that are all equal are not known without error.
        excess = np.stack([setting.excess[1:] for setting in settings], axis=1)
        excess += resolution * rng.uniform(-0.5, 0.5, excess.shape)
        share = np.stack([setting.medians[0, 1:] / cores for setting in settings], axis=1)
        refits = _refit(share, excess, weights, with_loss=with_loss)
        draws = parameters[:, None] + birge * (refits - parameters[:, None])
    elif freedom:
        draws = np.zeros((2, RESAMPLES))
        draws[: 1 + with_loss] = rng.multivariate_normal(
            fit.params, birge**2 * fit.normalized_cov_params, RESAMPLES, method="cholesky"
        ).T

    total = float(np.sum(weights * (tp - np.average(tp, weights=weights)) ** 2))
    return _Model(
        parameters=parameters,
        draws=draws,
        with_loss=with_loss,
        r_squared=1 - float(fit.ssr) / total if total > 0 else None,
        reduced_chi_squared=chi_squared,
        largest_residual=float(np.max(np.abs(fit.resid) / tp)),
    )


def _refit(share: Floats, excess: Floats, weights: Floats, *, with_loss: bool) -> Floats:
    """Fit the model to each row of (resamples, sizes); return overheads and losses, shape (2, resamples).

    The normal equations of a weighted line, for all resamples at once.
    """
    mean_share = np.average(share, axis=1, weights=weights)
    mean_excess = np.average(excess, axis=1, weights=weights)
    loss = np.zeros(len(share))
    if with_loss:
        deviation = share - mean_share[:, None]
        spread = deviation**2 @ weights
        np.divide((deviation * excess) @ weights, spread, out=loss, where=spread > 0)
    return np.stack((mean_excess - loss * mean_share, loss))


# Break-even


def _break_even(efficiency: float, points: Sequence[SpeedupPoint], model: _Model) -> BreakEven:
    def never(reason: str) -> BreakEven:
        return BreakEven(efficiency, t1_us=None, n=None, extrapolated=False, reason=reason)

    cores = points[0].cores
    overhead = model.estimate(0)
    loss = float(model.parameters[1])
    if efficiency * (1 + loss) >= 1:
        return never(f"never reached: the work loses {loss:.1%} per core however large it is")
    if overhead.value <= 0 or (overhead.low is not None and overhead.low <= 0):
        smallest = min(points, key=lambda point: point.t1_us.value)
        if smallest.efficiency.value >= efficiency:
            return never("already reached at the smallest size measured")
        return never("the overhead cannot be told from 0: more samples or smaller sizes are needed")

    value = float(_break_even_t1(efficiency, cores, model.parameters))
    t1_us = Interval(value) if model.draws is None else interval(value, _break_even_t1(efficiency, cores, model.draws))
    measured = [point.t1_us.value for point in points]
    n = _size_of(t1_us, points)
    return BreakEven(
        efficiency,
        t1_us=t1_us,
        n=n,
        extrapolated=not min(measured) <= value <= max(measured),
        reason=None if n else "the size is not known: T1 does not grow in proportion to n",
    )


def _break_even_t1(efficiency: float, cores: int, parameters: Floats) -> Floats:
    """Return T1* in µs for overheads and losses, shape (2, …); infinite where it is never reached."""
    overhead, loss = parameters
    gain: Floats = 1 - efficiency * (1 + loss)
    t1_us: Floats = np.divide(efficiency * cores * overhead, gain, out=np.full_like(overhead, np.inf), where=gain > 0)
    return t1_us


def _size_of(t1_us: Interval, points: Sequence[SpeedupPoint]) -> Interval | None:
    """Return the size whose T1 is `t1_us`, by a line fitted to T1 over n; None if a line does not describe it.

    T1 departs from a line by a share of itself (clock, caches), not by a fixed time: residuals are relative.
    """
    n = np.array([point.n for point in points], dtype=np.float64)
    t1 = np.array([point.t1_us.value for point in points])
    # A single size tells T1 per unit of work only.
    line = Polynomial.fit(n, t1, 1, w=1 / t1) if len(points) > 1 else Polynomial((0.0, t1[0] / max(n[0], 1.0)))
    base, slope = float(line(0.0)), float(line.deriv()(0.0))
    if slope <= 0 or np.max(np.abs(line(n) - t1) / t1) > _NONLINEAR:
        return None

    def size(duration: float | None) -> float | None:
        return None if duration is None else float(max(1, math.ceil((duration - base) / slope)))

    value = size(t1_us.value)
    return None if value is None else Interval(value, size(t1_us.low), size(t1_us.high))


# The documented JSON


def _flat(name: str, estimate: Interval | None) -> dict[str, float | None]:
    if estimate is None:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"))
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _point_json(point: SpeedupPoint) -> dict[str, object]:
    return {
        **point.varied,
        "workload": point.workload,
        "mode": point.mode,
        "join": point.join,
        "n": point.n,
        "cores": point.cores,
        **_flat("t1_us", point.t1_us),
        **_flat("tp_us", point.tp_us),
        **_flat("speedup", point.speedup),
        **_flat("efficiency", point.efficiency),
        **_flat("karp_flatt", point.karp_flatt),
        "samples": point.samples,
    }


def _overhead_json(fit: ForkJoinFit) -> dict[str, object]:
    return {
        "value": fit.overhead_us.value,
        "low": fit.overhead_us.low,
        "high": fit.overhead_us.high,
        **_flat("loss", fit.loss),
        "loss_compatible_with_zero": fit.loss_compatible_with_zero,
        "r_squared": fit.r_squared,
        "reduced_chi_squared": fit.reduced_chi_squared,
        "largest_residual": fit.largest_residual,
        "sizes": fit.sizes,
    }


def _break_even_json(break_even: BreakEven) -> dict[str, object]:
    return {
        "efficiency": break_even.efficiency,
        **_flat("t1_us", break_even.t1_us),
        **{name: None if size is None else int(size) for name, size in _flat("n", break_even.n).items()},
        "extrapolated": break_even.extrapolated,
        "reason": break_even.reason,
    }


# Advice


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


def _impossible(points: Sequence[SpeedupPoint]) -> list[str]:
    return [
        f"{point.group} n={point.n}: a speed-up of {point.speedup.value:.3f} on {point.cores} cores is not possible: "
        "either noise, then take more samples, or T1 was measured under worse conditions than TP (cold caches, a lower "
        "clock frequency), then rest or warm up before it."
        for point in points
        if point.speedup.value > point.cores * _IMPOSSIBLE
        or (point.speedup.low is not None and point.speedup.low > point.cores)
    ]


def _unstable(points: Sequence[SpeedupPoint]) -> list[str]:
    widths = [max(_width(point.t1_us), _width(point.tp_us)) for point in points]
    count = sum(width > _UNSTABLE for width in widths)
    if not count:
        return []
    width, worst = max(zip(widths, points, strict=True), key=lambda pair: pair[0])
    return [
        f"{count} of {len(points)} settings are unstable; the worst is {worst.group} n={worst.n}, where the 95 % "
        f"interval of a median is {width:.0%} wide: other programs or a changing clock frequency are likely; take more "
        "samples, or measure on a quieter machine."
    ]


def _width(estimate: Interval) -> float:
    if estimate.low is None or estimate.high is None:
        return 0.0
    return (estimate.high - estimate.low) / estimate.value


def _fit_warnings(fit: ForkJoinFit) -> list[str]:
    sentences = []
    quantisation = fit.quantisation
    if quantisation and quantisation.quantised:
        sentences.append(
            f"{fit.group}: TP falls on whole kernel ticks of {quantisation.tick_us:g} µs (Rayleigh test, "
            f"p = {quantisation.p_value:.2g}): completion was polled on the tick. The overhead includes the wait for "
            "the tick, and TP is known to no less than a tick; wait for completion with join=notify."
        )
    if fit.largest_residual > _POOR_FIT:
        sentences.append(
            f"{fit.group}: the fit is poor: a TP lies {fit.largest_residual:.0%} off the model, so overhead and "
            "break-even are rough. Disturbances, or work that outgrows a cache between two sizes, are likely; look at "
            "the plot, take more samples, or choose sizes on one side of the step."
        )
    if fit.loss and fit.loss.low is not None and fit.loss.low > 0:
        sentences.append(
            f"{fit.group}: each core is {100 * fit.loss.value:.2g} % slower while all of them work: they share memory, "
            "a bus or a power budget, or one of them is slower. Larger work does not win this back."
        )
    return sentences
