"""The predicted latency of a message: `intercore predict TARGET message size=300 transport=ring …`.

A prediction rests on the measurements of that very setting in the newest run that has a model for it, and on those of
other runs whose conditions agree. Where there is no such setting, or no such size, it is refused. With `extrapolate`, a
size outside of what was measured is predicted by the same line, and a combination of levels that was not measured by
main effects: as if each factor multiplied the time by a constant ratio, independently of the others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks import prediction_basis as basis
from intercore.benchmarks.message.choice import GIVEN
from intercore.benchmarks.message.curve import (
    BENCHMARK,
    HELD_OUT_AIM,
    MEASURES,
    NO_SETTING,
    OWN,
    Curve,
    Measure,
    curve,
    curves,
    in_words,
    is_usable,
)
from intercore.benchmarks.message.rows import rate
from intercore.benchmarks.message.size_effect import SizeEffect, size_effect
from intercore.benchmarks.prediction import (
    FEWEST_FOR_SINGLE,
    REPETITIONS,
    Basis,
    NextMeasurement,
    Prediction,
    Question,
    Ranking,
    advised,
    is_conclusive,
    run_command,
    single_bounds,
)
from intercore.benchmarks.prediction_basis import StoredMeasurement
from intercore.errors import UsageError, unknown
from intercore.statistics.intervals import Interval
from intercore.statistics.main_effects import main_effects

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from intercore.benchmarks.prediction import Rank
    from intercore.record.measurement import Level, Measurement
    from intercore.record.store import StoreReader
    from intercore.statistics.line import Fit

_MOST_BYTES = 2**40  # beyond what any message has
_SHOWN = 5  # conditions or sizes in a sentence
_AROUND = (1 / 4, 1 / 2, 1, 2, 4)  # multiples of the size, which pin down the line next to it


class NextSizes(NextMeasurement, frozen=True):
    """The measurement that would make an inconclusive prediction conclusive."""

    sizes: tuple[int, ...]
    """Bytes of the messages."""


class MessageBasis(Basis, frozen=True):
    """What a prediction rests on."""

    sizes: tuple[int, ...]
    """Bytes of the messages that were measured."""


class MessagePrediction(Prediction, frozen=True):
    """The predicted time of a message of one size at one setting: the factors without the size."""

    measure: Measure
    size: Annotated[int, Meta(ge=1)]
    """Bytes of the message."""
    median_us: Interval
    """Median time per message, with the interval for the median of another measurement of this setting and size."""
    single_us: Interval | None
    """The same for a single message: 95 of 100 take as long. Bounds are None with fewer than 39 samples of the
    neighbouring sizes. None of a stream, where no message is timed by itself."""
    bytes_per_s: Interval | None
    """Of a stream, the throughput; else None."""
    by: Literal["model", "main effects"]
    """The line of this setting over the size; or, with --extrapolate if there is none, the effect of each factor."""
    alpha_us: float | None
    """Of the line at this size: what every message costs. None by main effects."""
    beta_ns_per_byte: float | None
    """Of the line at this size: what each byte adds. None by main effects."""
    size_effect: SizeEffect | None
    """Whether, within what was measured, the size makes a difference by this line. None by main effects."""
    held_out: float | None
    """Error of the model's predictions of sizes that it did not see, as a fraction, median; None where unknown."""
    to_measure: NextSizes | None
    basis: MessageBasis


class MessageRanking(Ranking[MessagePrediction], frozen=True):
    """The predicted time of a message of one size at each measured setting."""

    measure: Measure
    size: Annotated[int, Meta(ge=1)]
    """Bytes of the message."""


def predict(
    store: StoreReader, target: str, words: Iterable[str], *, extrapolate: bool
) -> MessagePrediction | MessageRanking:
    """Predict from the runs of a store; `words` name the setting, e.g. `size=300 transport=ring from=0 to=1`.

    Where they leave open which of several settings, all of these are predicted and ranked. Raises UsageError for what
    was not measured or does not exist.
    """
    size, measure, wanted = _asked(words)
    question = _Question(
        benchmark=BENCHMARK,
        target=target,
        wanted=wanted,
        no_setting=NO_SETTING,
        given=GIVEN,
        extrapolate=extrapolate,
        measure=measure,
        size=size,
    )
    return question.answer(store)


# What was asked for


def _asked(words: Iterable[str]) -> tuple[int, Measure, dict[str, str]]:
    """Return the size, the measure and the other factors that were named."""
    asked = basis.asked(words, NO_SETTING - {"size", "measure"})
    size, measure = asked.pop("size", ""), asked.pop("measure", MEASURES[0])
    if not size:
        raise UsageError("the size of the message is missing: add a size in bytes, e.g. size=300")
    if not (size.isascii() and size.isdecimal() and 1 <= int(size[:20]) <= _MOST_BYTES):
        raise UsageError(f"size={size} is not a number of bytes: give a whole number from 1 to {_MOST_BYTES:,}")
    if measure not in MEASURES:
        raise UsageError(unknown("level", measure, MEASURES, "the factor measure has"))
    return int(size), msgspec.convert(measure, Measure), asked


@dataclass(frozen=True, kw_only=True)
class _Question(Question[StoredMeasurement, MessagePrediction, MessageRanking]):
    measure: Measure
    size: int

    def measured(self, store: StoreReader) -> list[StoredMeasurement]:
        usable = basis.stored(store, self.target, BENCHMARK, is_usable)
        return [one for one in usable if one.measurement.factors["measure"] == self.measure]

    def missing(self) -> tuple[str, str]:
        return (
            f"times of message with measure={self.measure} on {self.target}",
            f"intercore run {self.target} {BENCHMARK} measure={self.measure} size=4,16,64,256,1024",
        )

    def in_words(self, ours: Sequence[StoredMeasurement]) -> str:
        setting = _setting(ours)
        return in_words(setting, setting)

    def of_setting(self, ours: Sequence[StoredMeasurement]) -> MessagePrediction:
        """Predict a setting by the model of its sizes.

        Raises UsageError if there is none, or the size is outside of it.
        """
        measure, size = self.measure, self.size
        contributing, notes = basis.agreeing(ours, _has_model)
        found = _curve(measure, contributing)
        model = found.model(size)
        where = in_words(found.setting, found.setting)
        if model is None:
            apart = (
                f" (sizes that are not a multiple of {found.word_bytes} bytes do not follow this model)"
                if found.models
                else ""
            )
            raise UsageError(
                f"a message of {size:,} bytes cannot be predicted for {where}, because only {_sizes(found)} bytes "
                f"were measured{apart}: measure more sizes"
            )
        outside = _outside(found, model, size)
        if outside and not self.extrapolate:
            raise UsageError(
                f"{outside}. Measure {size:,} bytes, or add --extrapolate to predict outside the measured range"
            )
        median, error = model.prediction(size)
        if median.value <= 0:
            raise UsageError(
                f"the line fitted to {where} yields no time above 0 for {size:,} bytes: measure message sizes nearer "
                f"to {size:,} bytes"
            )
        piece = model.piece(size)
        conclusive = is_conclusive(median)
        errors = found.held_out
        held_out = float(np.median(errors)) if len(errors) else None
        if held_out is not None and held_out > HELD_OUT_AIM:
            notes.append(f"Cross-validation: sizes left out of the fit are predicted to {100 * held_out:.2g} % only.")
        if error is None:
            notes.append("A line through two sizes always fits: measure a third size to see its error.")
        single = _single(found, model, size, median) if measure == "latency" else None
        if single is not None and median.low is not None and single.low is None:
            notes.append(_too_few(found, model, size))
        return MessagePrediction(
            target=self.target,
            simulated=ours[0].origin == "simulated",
            emulated=ours[0].origin == "emulated",
            measure=measure,
            size=size,
            setting=dict(found.setting),
            median_us=_not_negative(median),
            single_us=single,
            bytes_per_s=rate(size, _not_negative(median)) if measure == "throughput" else None,
            by="model",
            extrapolated=bool(outside),
            alpha_us=piece.intercept.value,
            beta_ns_per_byte=1e3 * piece.slope.value,
            size_effect=size_effect(piece),
            held_out=held_out,
            conclusive=conclusive,
            to_measure=None
            if conclusive
            else self._measuring(
                [found.setting], _sizes_to_measure(found, model, size), _repetitions_to_measure(found, model)
            ),
            basis=_basis([found], contributing),
            notes=(
                *basis.label_notes(ours[0].origin),
                *notes,
                *([f"Extrapolated: {outside}."] if outside else []),
            ),
        )

    def of_unmeasured(self, known: Sequence[StoredMeasurement]) -> MessagePrediction:
        """Predict by what each factor does by itself in the settings that were measured."""
        measure, size, wanted = self.measure, self.size, self.wanted
        if not self.extrapolate:
            raise UsageError(f"{basis.never_measured(self.target, wanted, known)}. {basis.BY_EFFECTS}")
        found = [one for one in curves(each.measurement for each in known) if _is_in_range(one, size)]
        if len(found) <= 1:
            raise UsageError(
                f"only one setting was measured with sizes around {size:,} bytes, so the effects of factors are "
                "unknown: measure more settings"
            )
        names = [name for name in found[0].setting if len({one.setting.get(name) for one in found}) > 1]
        if left_out := [name for name in names if name not in wanted]:
            raise UsageError(
                "several levels were measured of these factors, so choose one level of each, as NAME=LEVEL: "
                f"{', '.join(left_out)}"
            )
        missing = [
            f"{name}={level}"
            for name, level in wanted.items()
            if level not in {str(one.setting.get(name, level)) for one in found}
        ]
        if missing:
            raise UsageError(
                f"the effect of {', '.join(missing)} is unknown, because no size around {size:,} bytes was measured "
                "with that level: measure such a size"
            )
        measured = [
            one
            for one in known
            if any(one.measurement in pool for each in found for pool in each.measurements.values())
        ]
        basis.refuse_several_kernels(measured)
        times = [(one.setting, model.value(size)) for one in found if (model := one.model(size)) is not None]
        median = main_effects(times, names, wanted)
        conclusive = is_conclusive(median)
        return MessagePrediction(
            target=self.target,
            simulated=known[0].origin == "simulated",
            emulated=known[0].origin == "emulated",
            measure=measure,
            size=size,
            setting=dict(wanted),
            median_us=median,
            single_us=Interval(median.value) if measure == "latency" else None,
            bytes_per_s=rate(size, median) if measure == "throughput" else None,
            by="main effects",
            extrapolated=True,
            alpha_us=None,
            beta_ns_per_byte=None,
            size_effect=None,
            held_out=None,
            conclusive=conclusive,
            to_measure=None if conclusive else self._measuring([dict(wanted)], [size], REPETITIONS),
            basis=_basis(found, measured),
            notes=(*basis.label_notes(known[0].origin), basis.by_effects_note(len(found))),
        )

    def time_us(self, found: MessagePrediction) -> Interval:
        return found.median_us

    def to_measure(self, open_ones: Sequence[MessagePrediction]) -> NextSizes:
        wanted = [one.to_measure for one in open_ones if one.to_measure is not None]
        if len(wanted) == 1:
            return wanted[0]
        sizes = sorted({size for one in wanted for size in one.sizes})
        return self._measuring([one.setting for one in open_ones], sizes, max(one.repetitions for one in wanted))

    def ranking(
        self, ranks: tuple[Rank[MessagePrediction], ...], left_out: tuple[str, ...], to_measure: NextMeasurement | None
    ) -> MessageRanking:
        origin = ranks[0].prediction.origin
        return MessageRanking(
            target=self.target,
            simulated=origin == "simulated",
            emulated=origin == "emulated",
            measure=self.measure,
            size=self.size,
            ranking=ranks,
            left_out=left_out,
            to_measure=to_measure,
        )

    def _measuring(self, settings: Sequence[Mapping[str, Level]], sizes: Sequence[int], repetitions: int) -> NextSizes:
        own = [f"measure={self.measure}", f"size={','.join(map(str, sizes))}"]
        command = run_command(self.target, BENCHMARK, settings, repetitions, own)
        return NextSizes(sizes=tuple(sizes), repetitions=repetitions, command=command)


# The model of a setting


def _has_model(found: Sequence[StoredMeasurement]) -> bool:
    return len({one.measurement.factors["size"] for one in found}) > 2


def _setting(known: Sequence[StoredMeasurement]) -> dict[str, Level]:
    factors = known[0].measurement.factors
    return {name: factors[name] for name in [*OWN, *sorted(factors.keys() - NO_SETTING - set(OWN))]}


def _curve(measure: Measure, contributing: Sequence[StoredMeasurement]) -> Curve:
    by_size: dict[int, list[Measurement]] = {}
    for one in contributing:
        by_size.setdefault(int(one.measurement.factors["size"]), []).append(one.measurement)
    return curve(measure, _setting(contributing), by_size)


def _outside(found: Curve, model: Fit, size: int) -> str:
    """Return why a size is outside of what was measured; empty if it is not."""
    low, high = (int(end) for end in model.points.x[[0, -1]])
    if not low <= size <= high:
        return f"size={size} is outside the measured range of {low:,} to {high:,} bytes"
    word = found.word_bytes
    if size % word and not any(each % word for each in found.measurements):
        return (
            f"size={size} is not a multiple of {word} bytes, but all measured sizes are ({_sizes(found)}): such a "
            "message may be copied byte by byte"
        )
    return ""


def _sizes(found: Curve) -> str:
    sizes = [f"{size:,}" for size in found.measurements]
    return ", ".join(sizes if len(sizes) <= 2 * _SHOWN else [*sizes[:_SHOWN], "…", sizes[-1]])


def _single(found: Curve, model: Fit, size: int, median: Interval) -> Interval:
    """Return the interval for a single message.

    A message is off its median as the samples of the neighbouring sizes are off theirs, weighted by how near they are;
    and the median is known only so well. The two are independent, so their squares add up on each side.
    """
    below, above = _neighbours(model, size)
    share = (size - below) / (above - below) if above > below else 0.0
    share = min(max(share, 0.0), 1.0)
    ends = [_spread(found.samples(each)) for each in (below, above)]
    if median.low is None or median.high is None or ends[0] is None or ends[1] is None:
        return Interval(median.value)
    low, high = ((1 - share) * one + share * other for one, other in zip(*ends, strict=True))
    return _not_negative(
        Interval(
            median.value,
            median.value - math.hypot(low, median.value - median.low),
            median.value + math.hypot(high, median.high - median.value),
        )
    )


def _neighbours(model: Fit, size: int) -> tuple[int, int]:
    """Return the sizes of the model next to a size: twice the same where it was measured, or is outside."""
    sizes = model.points.x
    above = min(int(np.searchsorted(sizes, size)), len(sizes) - 1)
    below = above if sizes[above] <= size else max(above - 1, 0)
    return int(sizes[below]), int(sizes[above])


def _spread(samples: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return how far 95 of 100 further samples reach below and above the median; None with fewer than 39."""
    found = single_bounds(samples)
    if found is None:
        return None
    median = float(np.median(samples))
    return median - found[0], found[1] - median


def _too_few(found: Curve, model: Fit, size: int) -> str:
    """Return why nothing is known of a single message."""
    few = {each: len(found.samples(each)) for each in _neighbours(model, size) if _spread(found.samples(each)) is None}
    return (
        f"There is no range for a single message: that needs at least {FEWEST_FOR_SINGLE} samples of "
        f"{' and of '.join(f'{each:,}' for each in few)} bytes, and there are {' and '.join(map(str, few.values()))}: "
        f"measure with samples={FEWEST_FOR_SINGLE}."
    )


def _not_negative(estimate: Interval) -> Interval:
    return Interval(estimate.value, None if estimate.low is None else max(estimate.low, 0.0), estimate.high)


def _basis(found: Sequence[Curve], contributing: Sequence[StoredMeasurement]) -> MessageBasis:
    first, last = basis.period(contributing)
    return MessageBasis(
        runs=basis.runs(contributing),
        sizes=tuple(sorted({size for one in found for size in one.measurements})),
        samples=sum(len(one.samples(size)) for one in found for size in one.measurements),
        first=first,
        last=last,
    )


def _is_in_range(one: Curve, size: int) -> bool:
    model = one.model(size)
    return model is not None and not _outside(one, model, size) and model.value(size) > 0


# What to measure


def _sizes_to_measure(found: Curve, model: Fit, size: int) -> list[int]:
    """Return sizes around one, within those measured, that are not measured yet; if all are, those next to it."""
    word = found.word_bytes if size % found.word_bytes == 0 else 1
    low, high = model.points.x[[0, -1]]
    around = {max(round(size * factor / word), 1) * word for factor in _AROUND}
    new = sorted(each for each in around if low <= each <= high and each not in found.measurements)
    return new or sorted(found.measurements, key=lambda each: abs(math.log(each / size)))[: len(_AROUND)]


def _repetitions_to_measure(found: Curve, model: Fit) -> int:
    """Return how many repetitions it takes until medians, as they scatter, are known well enough for a line."""
    off = float(np.median(model.points.error / np.maximum(model.points.y, model.points.error)))
    done = max(len(pool) for pool in found.measurements.values())
    return advised(done, off)
