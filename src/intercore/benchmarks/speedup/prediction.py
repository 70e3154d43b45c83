"""The predicted time of work on several cores: `intercore predict TARGET speedup duration=3ms mode=pool`.

The work is given as its time on one core. Its time on several cores follows from the model of fork and join that was
fitted to the sizes of that very setting (`speedup.model`), within the durations that were measured; with `extrapolate`,
outside of them by the same line. A setting that was not measured is refused.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np
from msgspec import Meta

from intercore.benchmarks import prediction_basis as basis
from intercore.benchmarks.grouping import IRRELEVANT, units_us
from intercore.benchmarks.prediction import (
    REPETITIONS,
    Basis,
    NextMeasurement,
    Prediction,
    Question,
    Ranking,
    advised,
    is_conclusive,
    run_command,
)
from intercore.benchmarks.prediction_basis import StoredMeasurement
from intercore.benchmarks.speedup.model import fitted
from intercore.benchmarks.speedup.points import BENCHMARK, SpeedupSetting, measured_setting
from intercore.benchmarks.speedup.quantisation import quantisation_of
from intercore.errors import UsageError
from intercore.statistics.intervals import Interval, generator, interval
from intercore.statistics.repetitions import next_median
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from intercore.benchmarks.prediction import Rank
    from intercore.benchmarks.speedup.model import Model
    from intercore.record.measurement import Level, Measurement
    from intercore.record.store import StoreReader

DURATION = "duration"
GIVEN = ("workload", "opt")
"""The work and its build, which are not chosen by speed."""

_US: Mapping[str, float] = {"ns": 1e-3, "us": 1.0, "µs": 1.0, "ms": 1e3, "s": 1e6}
_DURATION = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,12})?)(ns|us|µs|ms|s)")
_OWN = ("workload", "mode", "join", "cores")
"""The factors that every setting has, in the order in which they are shown."""
_NO_SETTING = frozenset({"n", *IRRELEVANT})
_FEWEST_SIZES = 3
_AROUND = (1 / 4, 1 / 2, 1, 2, 4)
"""Multiples of a size that pin down the line next to it."""
_BOUND = 1.96  # standard deviations from the mean to the bounds of a normal 95 % interval


class NextSizes(NextMeasurement, frozen=True):
    """The measurement that would make an inconclusive prediction conclusive."""

    n: tuple[int, ...]
    """Sizes of the work."""


class SpeedupBasis(Basis, frozen=True):
    """What a prediction rests on."""

    n: tuple[int, ...]
    """Sizes of the work that were measured."""
    shortest_us: float
    """Their shortest duration on one core, as far as its interval reaches."""
    longest_us: float


class SpeedupPrediction(Prediction, frozen=True):
    """The predicted time on several cores of work with a given time on one core, at one setting."""

    duration_us: float
    """The time of the work on one core."""
    cores: Annotated[int, Meta(ge=1)]
    tp_us: Interval
    """Its time on that many cores, from before the fork to after the join, with the interval for the median of another
    measurement."""
    speedup: Interval
    """`duration_us` / `tp_us`."""
    efficiency: Interval
    """The speed-up by the number of cores, as a fraction."""
    pays: bool | None
    """Whether it is faster than on one core; None if the interval leaves that open."""
    overhead_us: float
    """Of the model TP = (1 + loss) T1 / P + overhead."""
    loss: float
    to_measure: NextSizes | None
    basis: SpeedupBasis


class SpeedupRanking(Ranking[SpeedupPrediction], frozen=True):
    """The predicted time of work at each measured setting that matches the question."""

    duration_us: float


def predict(
    store: StoreReader, target: str, words: Iterable[str], *, extrapolate: bool
) -> SpeedupPrediction | SpeedupRanking:
    """Predict from the runs of a store; `words` name the work and the setting, e.g. `duration=3ms mode=pool`.

    Where they leave open which of several settings, all of these are predicted and ranked. Raises UsageError for what
    was not measured or does not exist.
    """
    t1_us, wanted = _asked(words)
    question = _Question(
        benchmark=BENCHMARK,
        target=target,
        wanted=wanted,
        no_setting=_NO_SETTING,
        given=GIVEN,
        extrapolate=extrapolate,
        t1_us=t1_us,
    )
    return question.answer(store)


def _asked(words: Iterable[str]) -> tuple[float, dict[str, str]]:
    """Return the duration in µs and the factors that were named."""
    wanted = basis.asked(words, IRRELEVANT)
    if "n" in wanted:
        raise UsageError(
            "n cannot be used for a prediction, because the time of n operations depends on the workload: give the "
            "time of the work on one core instead, e.g. duration=3ms"
        )
    text = wanted.pop(DURATION, None)
    if text is None:
        raise UsageError("the duration of the work is missing: give its time on one core, e.g. duration=3ms")
    found = _DURATION.fullmatch(text)
    if found is None or float(found[1]) <= 0:
        raise UsageError(
            f"{DURATION}={text} is not a duration: give a time above 0 with its unit, such as 250us, 3ms or 1.5s"
        )
    return float(found[1]) * _US[found[2]], wanted


def _is_usable(one: Measurement) -> bool:
    return isinstance(measured_setting([one], ()), SpeedupSetting)


@dataclass(frozen=True, kw_only=True)
class _Question(Question[StoredMeasurement, SpeedupPrediction, SpeedupRanking]):
    t1_us: float
    """The time of the work on one core."""

    def measured(self, store: StoreReader) -> Iterator[StoredMeasurement]:
        return basis.stored(store, self.target, BENCHMARK, _is_usable)

    def missing(self) -> tuple[str, str]:
        return f"times of speedup on {self.target}", f"intercore run {self.target} {BENCHMARK}"

    def in_words(self, ours: Sequence[StoredMeasurement]) -> str:
        setting = _setting(ours)
        return basis.in_words(setting, setting)

    def of_setting(self, ours: Sequence[StoredMeasurement]) -> SpeedupPrediction:
        """Predict a setting by the model of its sizes.

        Raises UsageError if there is none, or the duration is outside of it.
        """
        chosen, notes = basis.agreeing(ours, lambda found: len({one.measurement.factors["n"] for one in found}) > 1)
        t1_us, setting, where = self.t1_us, _setting(chosen), self.in_words(chosen)
        by_n = _by_n(chosen)
        points = [point for pool in by_n.values() if isinstance(point := measured_setting(pool, ()), SpeedupSetting)]
        if len(points) <= 1:
            raise UsageError(
                f"{where} cannot be predicted, because only n={_sizes(by_n)} was measured: measure more levels of n"
            )
        low, high = _range(points)
        outside = not low <= t1_us <= high
        why_outside = (
            f"{duration(t1_us)} on one core is outside the measured range of {where}: {duration(low)} to "
            f"{duration(high)}"
        )
        if outside and not self.extrapolate:
            raise UsageError(
                f"{why_outside}. Measure this amount of work, or add --extrapolate to predict outside the measured "
                "range"
            )
        quantisation = quantisation_of(points)
        tick_us = quantisation.tick_us if quantisation and quantisation.quantised else 0.0
        model = fitted(where, points, tick_us)
        cores = points[0].point.cores
        tp_us, scatter = _tp_us(model, points, by_n, t1_us, where)
        if tp_us.value <= 0:
            raise UsageError(
                f"the line fitted to {where} yields no time above 0 for {duration(t1_us)} of work: measure levels of "
                f"n that take nearer to {duration(t1_us)} on one core"
            )
        if len(points) < _FEWEST_SIZES:
            notes.append("A line through two sizes always fits: measure a third size to see its error.")
        if tick_us:
            notes.append(f"TP falls on whole ticks of {duration(tick_us)} here: the prediction is their mean.")
        speedup = _inverse(tp_us, t1_us)
        conclusive = is_conclusive(tp_us)
        repetitions = advised(max(map(len, by_n.values())), scatter) if scatter else REPETITIONS
        first, last = basis.period(chosen)
        return SpeedupPrediction(
            target=self.target,
            simulated=ours[0].origin == "simulated",
            emulated=ours[0].origin == "emulated",
            duration_us=t1_us,
            cores=cores,
            setting=setting,
            tp_us=tp_us,
            speedup=speedup,
            efficiency=_per_core(speedup, cores),
            pays=_pays(speedup),
            overhead_us=float(model.parameters[0]),
            loss=model.loss,
            extrapolated=outside,
            conclusive=conclusive,
            to_measure=None if conclusive else self._measuring([setting], _around(by_n, points, t1_us), repetitions),
            basis=SpeedupBasis(
                runs=basis.runs(chosen),
                n=tuple(by_n),
                shortest_us=low,
                longest_us=high,
                samples=sum(point.point.samples for point in points),
                first=first,
                last=last,
            ),
            notes=(*basis.label_notes(ours[0].origin), *notes, *([f"Extrapolated: {why_outside}."] if outside else [])),
        )

    def of_unmeasured(self, known: Sequence[StoredMeasurement]) -> SpeedupPrediction:
        raise UsageError(
            f"{basis.never_measured(self.target, self.wanted, known)}. Measure the requested setting: the overhead of "
            "one way to fork and join does not follow from that of another"
        )

    def time_us(self, found: SpeedupPrediction) -> Interval:
        return found.tp_us

    def to_measure(self, open_ones: Sequence[SpeedupPrediction]) -> NextSizes:
        wanted = [one.to_measure for one in open_ones if one.to_measure is not None]
        sizes = sorted({n for one in wanted for n in one.n})
        return self._measuring([one.setting for one in open_ones], sizes, max(one.repetitions for one in wanted))

    def ranking(
        self, ranks: tuple[Rank[SpeedupPrediction], ...], left_out: tuple[str, ...], to_measure: NextMeasurement | None
    ) -> SpeedupRanking:
        origin = ranks[0].prediction.origin
        return SpeedupRanking(
            target=self.target,
            simulated=origin == "simulated",
            emulated=origin == "emulated",
            duration_us=self.t1_us,
            ranking=ranks,
            left_out=left_out,
            to_measure=to_measure,
        )

    def _measuring(self, settings: Sequence[Mapping[str, Level]], sizes: Sequence[int], repetitions: int) -> NextSizes:
        own = [f"n={','.join(map(str, sizes))}"]
        command = run_command(self.target, BENCHMARK, settings, repetitions, own)
        return NextSizes(n=tuple(sizes), repetitions=repetitions, command=command)


def _range(points: Sequence[SpeedupSetting]) -> tuple[float, float]:
    """Return the shortest and the longest duration on one core, as far as their intervals reach."""
    durations = [point.point.t1_us for point in points]
    return (
        min(one.value if one.low is None else one.low for one in durations),
        max(one.value if one.high is None else one.high for one in durations),
    )


def _setting(known: Sequence[StoredMeasurement]) -> dict[str, Level]:
    factors = known[0].measurement.factors
    names = [*_OWN, *sorted(factors.keys() - _NO_SETTING - set(_OWN))]
    return {name: factors[name] for name in names if name in factors}


def _by_n(chosen: Sequence[StoredMeasurement]) -> dict[int, list[Measurement]]:
    found: dict[int, list[Measurement]] = {}
    for one in chosen:
        found.setdefault(int(one.measurement.factors["n"]), []).append(one.measurement)
    return dict(sorted(found.items()))


def _sizes(by_n: Mapping[int, object]) -> str:
    return ", ".join(f"{n:,}" for n in by_n)


def _tp_us(
    model: Model, points: Sequence[SpeedupSetting], by_n: Mapping[int, Sequence[Measurement]], t1_us: float, key: str
) -> tuple[Interval, float]:
    """Return what the model gives with the interval for another measurement, and how much such scatter, as a fraction.

    The model is known only so well, sizes scatter about any line, and repetitions differ: the three are independent.
    """
    cores = points[0].point.cores

    def of(parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = (1 + parameters[1]) * t1_us / cores + parameters[0]
        return found

    value = float(of(model.parameters))
    if model.draws is None:
        return Interval(value), 0.0
    off = [
        point.point.tp_us.value / ((1 + model.loss) * point.point.t1_us.value / cores + float(model.parameters[0])) - 1
        for point in points
    ]
    freedom = len(points) - (1 + model.with_loss)
    about_line = math.sqrt(sum(one**2 for one in off) / freedom) if freedom else 0.0
    between = max(map(_between_repetitions, by_n.values()))
    scatter = math.hypot(about_line, between)
    draws = of(model.draws) * (1 + scatter * generator(key).normal(size=model.draws.shape[1]))
    return interval(value, np.maximum(draws, 0.0)), scatter


def _between_repetitions(pool: Sequence[Measurement]) -> float:
    """Return the standard deviation of the median of another repetition, as a fraction; 0 if unknown."""
    known = [one for one in units_us(pool, "tp") if len(one)]
    found = next_median(known)
    if found.low is None or found.high is None or len(known) == 1:
        return 0.0
    return (found.high - found.low) / (2 * _BOUND * found.value)


def _inverse(tp_us: Interval, t1_us: float) -> Interval:
    low, high = (None if not end else t1_us / end for end in (tp_us.high, tp_us.low))
    return Interval(t1_us / tp_us.value, low, high)


def _per_core(speedup: Interval, cores: int) -> Interval:
    low, high = (None if bound is None else bound / cores for bound in (speedup.low, speedup.high))
    return Interval(speedup.value / cores, low, high)


def _pays(speedup: Interval) -> bool | None:
    if speedup.low is not None and speedup.low > 1:
        return True
    return False if speedup.high is not None and speedup.high < 1 else None


def _around(by_n: Mapping[int, object], points: Sequence[SpeedupSetting], t1_us: float) -> list[int]:
    """Return sizes around the one that takes so long, within those measured, that are not measured yet."""
    nearest = min(points, key=lambda point: abs(math.log(point.point.t1_us.value / t1_us)))
    n = nearest.point.n * t1_us / nearest.point.t1_us.value
    around = {max(round(n * times), 1) for times in _AROUND}
    new = sorted(one for one in around if min(by_n) <= one <= max(by_n) and one not in by_n)
    return new or sorted(by_n, key=lambda one: abs(math.log(one / n)))[: len(_AROUND)]
