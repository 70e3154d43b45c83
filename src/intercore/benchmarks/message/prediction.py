"""What a message will take, from what has been measured: `intercore predict TARGET message size=300 transport=ring …`.

A prediction rests on the measurements of that very setting in the newest run that has a model for it, and on those of
other runs whose conditions agree. Where there is no such setting, or no such size, it is refused. With `extrapolate`,
a size outside of what was measured is predicted by the same line, and a combination of levels that was not measured by
main effects: as if each factor multiplied the time by a ratio of its own whatever the others are.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

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
from intercore.benchmarks.possible import is_possible
from intercore.errors import UsageError, unknown
from intercore.record.conditions import disagreement
from intercore.record.level_words import parse_levels
from intercore.record.measurement import Level
from intercore.record.origin import LABELS, Origin
from intercore.statistics.factors import ordered
from intercore.statistics.intervals import CONFIDENCE, Interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from intercore.record.measurement import Measurement
    from intercore.record.store import Store
    from intercore.statistics.line import Fit

_MOST_BYTES = 2**40  # beyond what any message has
_SHOWN = 5  # levels, or settings, in an error


class Basis(msgspec.Struct, frozen=True):
    """What a prediction rests on."""

    runs: tuple[int, ...]
    """Their numbers in the store, the newest first."""
    sizes: tuple[int, ...]
    """Bytes of the messages that were measured."""
    samples: Annotated[int, Meta(ge=1)]
    first: str
    """UTC time of the first of the measurements, ISO 8601."""
    last: str
    """UTC time of the last one."""


class Prediction(msgspec.Struct, frozen=True):
    """What a message of one size will take at one setting."""

    target: str
    simulated: bool
    """Whether it rests on a simulated chip: then it says nothing certain about a real one."""
    emulated: bool
    """Whether it rests on an emulated chip: then it says nothing about a real one."""
    measure: Measure
    size: Annotated[int, Meta(ge=1)]
    """Bytes of the message."""
    setting: dict[str, Level]
    """Its other factors."""
    median_us: Interval
    """Median time per message, with the interval for the median of another measurement of this setting and size."""
    single_us: Interval | None
    """The same for a single message: 95 of 100 take as long. Bounds are None with fewer than 39 samples of the
    neighbouring sizes. None of a stream, where no message is timed by itself."""
    bytes_per_s: Interval | None
    """Of a stream, the throughput; else None."""
    by: Literal["model", "main effects"]
    """The line of this setting over the size; or, with --extrapolate where there is none, what each factor does by
    itself in the others."""
    extrapolated: bool
    """Whether it is outside of what was measured."""
    alpha_us: float | None
    """Of the line at this size: what every message costs. None by main effects."""
    beta_ns_per_byte: float | None
    """Of the line at this size: what each byte adds. None by main effects."""
    held_out: float | None
    """Error of the model's predictions of sizes that it did not see, as a fraction, median; None where unknown."""
    basis: Basis
    notes: tuple[str, ...]
    """Sentences on what makes it doubtful."""

    @property
    def origin(self) -> Origin:
        """Where the numbers come from that it rests on."""
        return "emulated" if self.emulated else "simulated" if self.simulated else "measured"


class _Known(msgspec.Struct, frozen=True):
    """A measurement and the run that it is of."""

    run: int
    measurement: Measurement
    origin: Origin


def predict(store: Store, target: str, words: Iterable[str], *, extrapolate: bool) -> Prediction:
    """Predict from the runs of a store; `words` name the setting, e.g. `size=300 transport=ring from=0 to=1`.

    Raises UsageError for what was not measured, does not exist, or is not said though it matters.
    """
    size, measure, asked = _asked(words)
    known = [one for one in _stored(store, target) if one.measurement.factors["measure"] == measure]
    if not known:
        raise UsageError(
            f"{store.path} holds no {measure} of messages on {target}; measure it: "
            f"intercore run {target} {BENCHMARK} measure={measure} size=4,16,64,256,1024"
        )
    _check_names(asked, known)
    ours = [one for one in known if _matches(one.measurement, asked)]
    if not ours:
        return _by_main_effects(target, measure, size, asked, known, extrapolate=extrapolate)
    _check_unambiguous(ours, asked)
    return _by_model(target, measure, size, ours, extrapolate=extrapolate)


# What was asked for


def _asked(words: Iterable[str]) -> tuple[int, Measure, dict[str, str]]:
    """Return the size, the measure and the other factors that were named."""
    levels = parse_levels(words)
    for name, values in levels.items():
        if len(values) > 1:
            raise UsageError(f"{name} has {len(values)} values: one prediction is for one setting, so name one")
        if name in NO_SETTING - {"size", "measure"}:
            raise UsageError(f"{name} says how something is measured and not what: leave it out")
    asked = {name: values[0] for name, values in levels.items()}
    size, measure = asked.pop("size", ""), asked.pop("measure", MEASURES[0])
    if not size:
        raise UsageError("a message of which size? e.g. size=300")
    if not (size.isascii() and size.isdecimal() and 1 <= int(size[:20]) <= _MOST_BYTES):
        raise UsageError(f"size={size} is no number of bytes: a whole number from 1 up")
    if measure not in MEASURES:
        raise UsageError(unknown("measure", measure, MEASURES))
    return int(size), msgspec.convert(measure, Measure), asked


def _stored(store: Store, target: str) -> Iterator[_Known]:
    """Return the measurements of messages on a target, those of the newest run first."""
    for summary in reversed(store.runs()):
        if summary.plan.target == target and BENCHMARK in summary.plan.benchmarks:
            for one in store.run(summary.id).measurements:
                if is_usable(one) and is_possible(one):
                    yield _Known(summary.id, one, summary.plan.origin)


def _matches(one: Measurement, asked: Mapping[str, str]) -> bool:
    return all(str(one.factors.get(name)) == level for name, level in asked.items())


def _levels(known: Iterable[_Known], name: str) -> list[Level]:
    return ordered(one.measurement.factors[name] for one in known if name in one.measurement.factors)


def _check_names(asked: Mapping[str, str], known: Sequence[_Known]) -> None:
    names = sorted({name for one in known for name in one.measurement.factors} - NO_SETTING)
    for name, level in asked.items():
        if name not in names:
            raise UsageError(unknown(f"factor of {BENCHMARK}", name, names))
        levels = sorted(str(each) for each in _levels(known, name))
        if level not in levels:
            raise UsageError(f"{name}={level} was not measured; measured was {name}={','.join(levels)}")


def _check_unambiguous(ours: Sequence[_Known], asked: Mapping[str, str]) -> None:
    names = sorted({name for one in ours for name in one.measurement.factors} - NO_SETTING - asked.keys())
    several = {name: levels for name in names if len(levels := _levels(ours, name)) > 1}
    if several:
        told = "; ".join(f"{name}={','.join(sorted(map(str, levels[:_SHOWN])))}" for name, levels in several.items())
        raise UsageError(f"measured with several levels, so say which: {told}")


# By the model of the setting


def _by_model(target: str, measure: Measure, size: int, ours: Sequence[_Known], *, extrapolate: bool) -> Prediction:
    contributing, notes = _agreeing(ours)
    found = _curve(measure, contributing)
    model = found.model(size)
    where = in_words(found.setting, found.setting)
    if model is None:
        apart = (
            f" (sizes that are no multiple of {found.word_bytes} bytes go their own way here)" if found.models else ""
        )
        raise UsageError(
            f"there is no model for {size:,} bytes of {where}, measured at {_sizes(found)} bytes{apart}: measure more"
        )
    outside = _outside(found, model, size)
    if outside and not extrapolate:
        raise UsageError(f"{outside}. Measure it, or use --extrapolate to have it all the same")
    median, error = model.prediction(size)
    if median.value <= 0:
        raise UsageError(f"the model of {where} gives no time above 0 for {size:,} bytes: it cannot be used there")
    piece = model.piece(size)
    errors = found.held_out
    held_out = float(np.median(errors)) if len(errors) else None
    if held_out is not None and held_out > HELD_OUT_AIM:
        notes.append(f"Sizes that the model did not see were predicted to {100 * held_out:.2g} % only.")
    if error is None:
        notes.append("Two sizes have a line through them whatever they are: a third one would tell how good it is.")
    return _prediction(
        Prediction(
            target=target,
            simulated=ours[0].origin == "simulated",
            emulated=ours[0].origin == "emulated",
            measure=measure,
            size=size,
            setting=dict(found.setting),
            median_us=_not_negative(median),
            single_us=_single(found, model, size, median) if measure == "latency" else None,
            bytes_per_s=rate(size, _not_negative(median)) if measure == "throughput" else None,
            by="model",
            extrapolated=bool(outside),
            alpha_us=piece.intercept.value,
            beta_ns_per_byte=1e3 * piece.slope.value,
            held_out=held_out,
            basis=_basis(found, contributing),
            notes=(*notes, *([f"Extrapolated: {outside}."] if outside else [])),
        )
    )


def _agreeing(ours: Sequence[_Known]) -> tuple[list[_Known], list[str]]:
    """Return the measurements of the newest run with a model, and of others under its conditions; who is left out."""
    by_run: dict[int, list[_Known]] = {}
    for one in ours:
        by_run.setdefault(one.run, []).append(one)
    with_model = [run for run, found in by_run.items() if len({one.measurement.factors["size"] for one in found}) > 2]
    reference = by_run[with_model[0] if with_model else next(iter(by_run))][0].measurement.conditions
    chosen, notes = [], []
    for run, found in by_run.items():
        differing = sorted({key for one in found for key in disagreement(reference, one.measurement.conditions)})
        if differing:
            more = ", …" if len(differing) > _SHOWN else ""
            notes.append(f"Run {run} is left out: it differs in {', '.join(differing[:_SHOWN])}{more}.")
        else:
            chosen += found
    if not chosen:  # the conditions changed within the newest run
        newest = next(iter(by_run.values()))
        return newest, [f"The conditions changed within run {newest[0].run}: see its warnings."]
    return chosen, notes


def _curve(measure: Measure, contributing: Sequence[_Known]) -> Curve:
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
            f"size={size} is no multiple of {word} bytes, as all that was measured is ({_sizes(found)}): such a "
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


def _basis(found: Curve, contributing: Sequence[_Known]) -> Basis:
    started = sorted(one.measurement.started for one in contributing)
    return Basis(
        runs=tuple(dict.fromkeys(one.run for one in contributing)),
        sizes=tuple(found.measurements),
        samples=sum(len(found.samples(size)) for size in found.measurements),
        first=started[0],
        last=started[-1],
    )


def _prediction(made: Prediction) -> Prediction:
    if made.origin == "measured":
        return made
    return msgspec.structs.replace(made, notes=(f"{LABELS[made.origin]}, not measured on a chip.", *made.notes))


# By main effects


def _by_main_effects(
    target: str, measure: Measure, size: int, asked: Mapping[str, str], known: Sequence[_Known], *, extrapolate: bool
) -> Prediction:
    """Predict a combination that was not measured from those that were, or refuse to."""
    found = [one for one in curves(each.measurement for each in known) if _is_in_range(one, size)]
    if not extrapolate:
        raise UsageError(_refusal(target, asked, known))
    if len(found) <= 1:
        raise UsageError(
            f"no more than one setting was measured around {size:,} bytes: there are no effects of factors"
        )
    names = [name for name in found[0].setting if len({one.setting.get(name) for one in found}) > 1]
    left_out = [name for name in names if name not in asked]
    if left_out:
        raise UsageError(f"measured with several levels, so say which: {', '.join(left_out)}")
    missing = [
        f"{name}={level}"
        for name, level in asked.items()
        if level not in {str(one.setting.get(name, level)) for one in found}
    ]
    if missing:
        raise UsageError(f"{', '.join(missing)} was not measured around {size:,} bytes: nothing is known of its effect")
    times = _main_effects(found, names, asked, size)
    measured = [
        one for one in known if any(one.measurement in pool for each in found for pool in each.measurements.values())
    ]
    started = sorted(one.measurement.started for one in measured)
    return _prediction(
        Prediction(
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
            held_out=None,
            basis=Basis(
                runs=tuple(dict.fromkeys(one.run for one in measured)),
                sizes=tuple(sorted({each for one in found for each in one.measurements})),
                samples=sum(len(one.samples(each)) for one in found for each in one.measurements),
                first=started[0],
                last=started[-1],
            ),
            notes=(
                "Extrapolated: this setting was never measured. Each factor is taken to multiply the time by a ratio "
                f"of its own whatever the others are, as found in {len(found)} settings; where they depend on one "
                "another, that is wrong.",
            ),
        )
    )


def _is_in_range(one: Curve, size: int) -> bool:
    model = one.model(size)
    return model is not None and not _outside(one, model, size) and model.value(size) > 0


def _main_effects(found: Sequence[Curve], names: Sequence[str], asked: Mapping[str, str], size: int) -> Interval:
    """Fit the logarithm of what the models give at a size by main effects, and return what they give for a setting."""
    from statsmodels.regression.linear_model import OLS  # noqa: PLC0415 - 2 s that no other command should take

    levels = {name: list(dict.fromkeys(str(one.setting.get(name)) for one in found)) for name in names}

    def row(setting: Mapping[str, object]) -> list[float]:
        dummies = [float(str(setting.get(name)) == level) for name in names for level in levels[name][1:]]
        return [1.0, *dummies]

    models = [model.value(size) for one in found if (model := one.model(size)) is not None]
    with warnings.catch_warnings(action="ignore"):  # factors that always change together: any of them will do
        fit = OLS(np.log(models), np.array([row(one.setting) for one in found])).fit()
    value = float(np.array(row(asked)) @ fit.params)
    if not fit.df_resid:
        return Interval(math.exp(value))
    low, high = fit.get_prediction(np.array([row(asked)])).conf_int(obs=True, alpha=1 - CONFIDENCE)[0]
    return Interval(*(math.exp(min(max(float(end), -700.0), 700.0)) for end in (value, low, high)))


def _refusal(target: str, asked: Mapping[str, str], known: Sequence[_Known]) -> str:
    """Say that a setting was not measured, and which one comes nearest."""

    def differing(one: _Known) -> list[str]:
        return [name for name, level in asked.items() if str(one.measurement.factors.get(name)) != level]

    # What was named first matters most.
    place = {name: index for index, name in enumerate(asked)}
    nearest = min(known, key=lambda one: (len(differing(one)), [-place[name] for name in differing(one)]))
    instead = " ".join(f"{name}={nearest.measurement.factors.get(name)}" for name in differing(nearest))
    setting = " ".join(f"{name}={level}" for name, level in asked.items())
    return (
        f"{setting} was never measured on {target}; the nearest that was has {instead} (run {nearest.run}). Measure "
        "it, or use --extrapolate to predict it from what each factor does by itself"
    )
