"""What a message will take, from what has been measured: `intercore predict TARGET message size=300 transport=ring …`.

A prediction rests on the measurements of that very setting in the newest run that has a model for it, and on those of
other runs whose conditions agree. Where there is no such setting, or no such size, it is refused. With `extrapolate`,
a size outside of what was measured is predicted by the same line, and a combination of levels that was not measured by
main effects: as if each factor multiplied the time by a ratio of its own whatever the others are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

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
from intercore.benchmarks.message.next_measurement import (
    ToMeasure,
    measuring,
    repetitions_to_measure,
    sizes_to_measure,
)
from intercore.benchmarks.message.prediction_types import MessageBasis, MessagePrediction, MessageRanking
from intercore.benchmarks.message.rows import rate
from intercore.benchmarks.message.size_effect import size_effect
from intercore.benchmarks.prediction_answer import REPETITIONS, is_conclusive
from intercore.benchmarks.ranking import predict_each, ranked
from intercore.errors import UsageError, unknown
from intercore.statistics.intervals import CONFIDENCE, Interval
from intercore.statistics.main_effects import main_effects

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from intercore.benchmarks.prediction_basis import Known
    from intercore.record.measurement import Measurement
    from intercore.record.store import StoreReader
    from intercore.statistics.line import Fit

_MOST_BYTES = 2**40  # beyond what any message has
_SHOWN = 5  # conditions or sizes in a sentence
_FEWEST_FOR_SINGLE = math.ceil(2 / (1 - CONFIDENCE)) - 1  # of which one may lie beyond each bound


def predict(
    store: StoreReader, target: str, words: Iterable[str], *, extrapolate: bool
) -> MessagePrediction | MessageRanking:
    """Predict from the runs of a store; `words` name the setting, e.g. `size=300 transport=ring from=0 to=1`.

    Where they leave open which of several settings, all of these are predicted and ranked. Raises UsageError for what
    was not measured or does not exist.
    """
    size, measure, asked = _asked(words)
    usable = basis.stored(store, target, BENCHMARK, is_usable)
    known = [one for one in usable if one.measurement.factors["measure"] == measure]
    if not known:
        raise UsageError(
            f"{store.path} holds no {measure} of messages on {target}; measure it: "
            f"intercore run {target} {BENCHMARK} measure={measure} size=4,16,64,256,1024"
        )
    basis.check_names(BENCHMARK, asked, known, NO_SETTING)
    ours = [one for one in known if basis.matches(one.measurement, asked)]
    if not ours:
        return _by_main_effects(target, measure, size, asked, known, extrapolate=extrapolate)
    settings = basis.by_setting(ours, NO_SETTING)
    if len(settings) > 1:
        return _of_all(target, measure, size, settings, extrapolate=extrapolate)
    return _by_model(target, measure, size, ours, extrapolate=extrapolate)


# What was asked for


def _asked(words: Iterable[str]) -> tuple[int, Measure, dict[str, str]]:
    """Return the size, the measure and the other factors that were named."""
    asked = basis.asked(words, NO_SETTING - {"size", "measure"})
    size, measure = asked.pop("size", ""), asked.pop("measure", MEASURES[0])
    if not size:
        raise UsageError("say the size of the message, e.g. size=300")
    if not (size.isascii() and size.isdecimal() and 1 <= int(size[:20]) <= _MOST_BYTES):
        raise UsageError(f"size={size} is no number of bytes: a whole number from 1 up")
    if measure not in MEASURES:
        raise UsageError(unknown("measure", measure, MEASURES))
    return int(size), msgspec.convert(measure, Measure), asked


# All settings that were measured and that the words leave open


def _of_all(
    target: str, measure: Measure, size: int, settings: Sequence[Sequence[Known]], *, extrapolate: bool
) -> MessageRanking:
    """Predict each setting and rank them; raises UsageError if there is no prediction of any."""
    predictions, left_out = predict_each(
        settings, lambda ours: _by_model(target, measure, size, ours, extrapolate=extrapolate), _in_words
    )
    origin = predictions[0].origin
    return MessageRanking(
        target=target,
        simulated=origin == "simulated",
        emulated=origin == "emulated",
        measure=measure,
        size=size,
        ranking=tuple(ranked(predictions, GIVEN, lambda one: one.median_us)),
        left_out=left_out,
        to_measure=_measuring_all(target, measure, [one for one in predictions if not one.conclusive]),
    )


def _in_words(ours: Sequence[Known]) -> str:
    factors = ours[0].measurement.factors
    names = [*OWN, *sorted(factors.keys() - NO_SETTING - set(OWN))]
    return in_words({name: factors[name] for name in names}, names)


def _measuring_all(target: str, measure: Measure, open_ones: Sequence[MessagePrediction]) -> ToMeasure | None:
    """Return what would make answers of all of these."""
    wanted = [one.to_measure for one in open_ones if one.to_measure is not None]
    if len(wanted) <= 1:
        return wanted[0] if wanted else None
    sizes = sorted({size for one in wanted for size in one.sizes})
    return measuring(target, measure, [one.setting for one in open_ones], sizes, max(one.repetitions for one in wanted))


# By the model of the setting


def _by_model(
    target: str, measure: Measure, size: int, ours: Sequence[Known], *, extrapolate: bool
) -> MessagePrediction:
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
            f"there is no model for {size:,} bytes of {where}, measured at {_sizes(found)} bytes{apart}: measure more"
        )
    outside = _outside(found, model, size)
    if outside and not extrapolate:
        raise UsageError(f"{outside}. Measure it, or use --extrapolate to predict it all the same")
    median, error = model.prediction(size)
    if median.value <= 0:
        raise UsageError(f"the model of {where} gives no time above 0 for {size:,} bytes: it cannot be used there")
    piece = model.piece(size)
    conclusive = is_conclusive(median)
    advised = measuring(
        target, measure, [found.setting], sizes_to_measure(found, model, size), repetitions_to_measure(found, model)
    )
    errors = found.held_out
    held_out = float(np.median(errors)) if len(errors) else None
    if held_out is not None and held_out > HELD_OUT_AIM:
        notes.append(f"Sizes that the model did not see were predicted no better than to {100 * held_out:.2g} %.")
    if error is None:
        notes.append("Any two sizes have a line through them: a third size would tell how good the line is.")
    single = _single(found, model, size, median) if measure == "latency" else None
    if single is not None and median.low is not None and single.low is None:
        few = [each for each in dict.fromkeys(_neighbours(model, size)) if _spread(found.samples(each)) is None]
        notes.append(
            f"Nothing is known of a single message: that takes {_FEWEST_FOR_SINGLE} samples of "
            f"{' and of '.join(f'{each:,}' for each in few)} bytes, and there are "
            f"{' and '.join(str(len(found.samples(each))) for each in few)}: measure with samples={_FEWEST_FOR_SINGLE}."
        )
    return _prediction(
        MessagePrediction(
            target=target,
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
            to_measure=None if conclusive else advised,
            basis=_basis(found, contributing),
            notes=(*notes, *([f"Extrapolated: {outside}."] if outside else [])),
        )
    )


def _has_model(found: Sequence[Known]) -> bool:
    return len({one.measurement.factors["size"] for one in found}) > 2


def _curve(measure: Measure, contributing: Sequence[Known]) -> Curve:
    factors = contributing[0].measurement.factors
    names = [*OWN, *sorted(factors.keys() - NO_SETTING - set(OWN))]
    setting = {name: factors[name] for name in names}
    by_size: dict[int, list[Measurement]] = {}
    for one in contributing:
        by_size.setdefault(int(one.measurement.factors["size"]), []).append(one.measurement)
    return curve(measure, setting, by_size)


def _outside(found: Curve, model: Fit, size: int) -> str:
    """Say why a size is outside of what was measured; empty if it is not."""
    low, high = (int(end) for end in model.points.x[[0, -1]])
    if not low <= size <= high:
        return f"size={size} is outside of what was measured: {low:,} to {high:,} bytes"
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


def _spread(samples: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[float, float] | None:
    """Return how far 95 of 100 further samples reach below and above the median; None with fewer than 39.

    By ranks, whatever they follow: a further sample is below the k-th of n in k of n + 1 cases.
    """
    ordered_samples = np.sort(samples)
    beyond = math.floor((len(ordered_samples) + 1) * (1 - CONFIDENCE) / 2)
    if beyond < 1:
        return None
    median = float(np.median(ordered_samples))
    return median - float(ordered_samples[beyond - 1]), float(ordered_samples[-beyond]) - median


def _not_negative(estimate: Interval) -> Interval:
    return Interval(estimate.value, None if estimate.low is None else max(estimate.low, 0.0), estimate.high)


def _basis(found: Curve, contributing: Sequence[Known]) -> MessageBasis:
    started = sorted(one.measurement.started for one in contributing)
    return MessageBasis(
        runs=tuple(dict.fromkeys(one.run for one in contributing)),
        sizes=tuple(found.measurements),
        samples=sum(len(found.samples(size)) for size in found.measurements),
        first=started[0],
        last=started[-1],
    )


def _prediction(made: MessagePrediction) -> MessagePrediction:
    return msgspec.structs.replace(made, notes=(*basis.label_notes(made.origin), *made.notes))


# By main effects


def _by_main_effects(
    target: str, measure: Measure, size: int, asked: Mapping[str, str], known: Sequence[Known], *, extrapolate: bool
) -> MessagePrediction:
    """Predict a combination that was not measured from those that were, or refuse to."""
    found = [one for one in curves(each.measurement for each in known) if _is_in_range(one, size)]
    if not extrapolate:
        raise UsageError(f"{basis.never_measured(target, asked, known)}. {basis.BY_EFFECTS}")
    if len(found) <= 1:
        raise UsageError(
            f"no more than one setting was measured around {size:,} bytes: there are no effects of factors"
        )
    names = [name for name in found[0].setting if len({one.setting.get(name) for one in found}) > 1]
    left_out = [name for name in names if name not in asked]
    if left_out:
        raise UsageError(f"give a level for each factor that was measured with several: {', '.join(left_out)}")
    missing = [
        f"{name}={level}"
        for name, level in asked.items()
        if level not in {str(one.setting.get(name, level)) for one in found}
    ]
    if missing:
        raise UsageError(f"{', '.join(missing)} was not measured around {size:,} bytes: nothing is known of its effect")
    measured = [
        one for one in known if any(one.measurement in pool for each in found for pool in each.measurements.values())
    ]
    basis.refuse_several_kernels(measured)
    times = _main_effects(found, names, asked, size)
    started = sorted(one.measurement.started for one in measured)
    return _prediction(
        MessagePrediction(
            target=target,
            simulated=known[0].origin == "simulated",
            emulated=known[0].origin == "emulated",
            measure=measure,
            size=size,
            setting=dict(asked),
            median_us=times,
            single_us=Interval(times.value) if measure == "latency" else None,
            bytes_per_s=rate(size, times) if measure == "throughput" else None,
            by="main effects",
            extrapolated=True,
            alpha_us=None,
            beta_ns_per_byte=None,
            size_effect=None,
            held_out=None,
            conclusive=is_conclusive(times),
            to_measure=None if is_conclusive(times) else measuring(target, measure, [asked], [size], REPETITIONS),
            basis=MessageBasis(
                runs=tuple(dict.fromkeys(one.run for one in measured)),
                sizes=tuple(sorted({each for one in found for each in one.measurements})),
                samples=sum(len(one.samples(each)) for one in found for each in one.measurements),
                first=started[0],
                last=started[-1],
            ),
            notes=(
                "Extrapolated: this setting was never measured. The prediction assumes that each factor multiplies the "
                f"time by a ratio of its own, whatever the others are, as found in {len(found)} settings. Where "
                "factors depend on one another, that is wrong.",
            ),
        )
    )


def _is_in_range(one: Curve, size: int) -> bool:
    model = one.model(size)
    return model is not None and not _outside(one, model, size) and model.value(size) > 0


def _main_effects(found: Sequence[Curve], names: Sequence[str], asked: Mapping[str, str], size: int) -> Interval:
    """Return what main effects of what the models give at a size come to for a setting."""
    times = [(one.setting, model.value(size)) for one in found if (model := one.model(size)) is not None]
    return main_effects(times, names, asked)
