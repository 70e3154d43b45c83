"""How long a message takes from core to core, and how many bytes per second go through: models over the size.

Durations are in µs. A message takes alpha + beta * size: alpha is what every message costs, beta what each byte does.
In a stream, the time per message is `window` / `messages`, modelled likewise; bytes per second are the size through
that, and go to 1 / beta. See `intercore.statistics.line` for the fit. Nothing is subtracted: what looking at the clock
costs is in every alpha of a latency.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks import uncertainty
from intercore.benchmarks.exactness import Exactness, exactness
from intercore.benchmarks.grouping import looking_us, spoilt, ticks
from intercore.benchmarks.message.choice import (
    MessageAdvantage,
    MessageRank,
    advantages,
    choice_sentences,
    rankings,
)
from intercore.benchmarks.message.curve import BENCHMARK, HELD_OUT_AIM, MEASURES, OWN, Sizes, curves, in_words
from intercore.benchmarks.message.round_trip import MessageRoundTrip, round_trips
from intercore.record.measurement import Level
from intercore.statistics.distribution import Distribution, distribution, disturbances
from intercore.statistics.factors import FactorAnalysis, Observation, analyse_factors
from intercore.statistics.intervals import Interval
from intercore.view.quantity import duration, percent, significant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from intercore.benchmarks.message.curve import Curve, Measure
    from intercore.record.measurement import Measurement
    from intercore.statistics.line import Fit

_Positive = Annotated[float, Meta(ge=0)]
_TOLD = 3  # settings in sentences on what one line is not enough for


class MessagePiece(msgspec.Struct, frozen=True):
    """The model over a range of sizes."""

    sizes: Sizes
    """Which of them: `all`; or, where they go ways of their own, those that are whole `words` and the `other` ones."""
    from_bytes: Annotated[int, Meta(ge=1)]
    """The smallest size that it was fitted to."""
    to_bytes: Annotated[int, Meta(ge=1)]
    alpha_us: Interval
    """What a message costs whatever its size is, in µs; where a range begins at large sizes, far from any of them."""
    beta_ns_per_byte: Interval
    """What each byte adds, in ns."""


class MessageLatencySize(msgspec.Struct, frozen=True):
    """The latency of messages of one size."""

    bytes: Annotated[int, Meta(ge=1)]
    latency_us: Distribution
    """From the begin of the send to the end of the receive."""
    send_us: Interval | None
    """Median of the send alone; None if it was not told."""
    model_us: float | None
    """What the model gives for the median; None where there is no model."""
    relative_error: float | None
    """By which fraction of the median the model is off; positive where it is too high."""
    exactness: Exactness | None
    """Measured minus true in ticks, where a simulator saw the truth; else None."""


class MessageThroughputSize(msgspec.Struct, frozen=True):
    """The throughput of a stream of messages of one size."""

    bytes: Annotated[int, Meta(ge=1)]
    streams: Annotated[int, Meta(ge=1)]
    """How many were timed."""
    time_us: Interval
    """Median time per message of a stream."""
    bytes_per_s: Interval
    """The size through that."""
    model_bytes_per_s: _Positive | None
    """What the model gives for it; None where there is no model."""
    relative_error: float | None
    """By which fraction of the time per message the model is off; positive where it is too slow."""


class _Model(msgspec.Struct, frozen=True):
    """What the rows of both measures have."""

    transport: str
    first: Annotated[int, Meta(ge=0)] = msgspec.field(name="from")
    """Core of the sender."""
    second: Annotated[int, Meta(ge=0)] = msgspec.field(name="to")
    """Core of the receiver."""
    region: str
    """Memory that the transport gets, if it uses any."""
    receiver: str
    """How an end waits: `blocked`, and woken by the other, or `polling`."""
    load: str
    """Ends on whose cores another task keeps working."""
    varied: dict[str, Level]
    """The other factors that take more than one level in the run, by name."""
    alpha_us: Interval | None
    """Of one line: what a message costs whatever its size is, in µs. The line goes through all sizes, or, where those
    that are no whole words go a way of their own, through the whole words. None with a single size."""
    beta_ns_per_byte: Interval | None
    """Of the same line: what each byte adds, in ns."""
    word_bytes: Annotated[int, Meta(ge=1)]
    """How many bytes a word has."""
    relative_error_median: _Positive | None
    """By which fraction of a median that line is off, median over its sizes."""
    relative_error_max: _Positive | None
    """The same, at the worst size."""
    lack_of_fit_p: Annotated[float, Meta(ge=0, le=1)] | None
    """Probability that medians as well known as these lie so far from the line if it is true; None with two sizes."""
    scatter: _Positive | None
    """By which fraction of its value a size is off that line, beyond what samples explain: one standard deviation."""
    pieces: tuple[MessagePiece, ...]
    """The model: that line, or as many as it takes where one is not enough; none with a single size."""
    held_out_median: _Positive | None
    """Error of predictions of each size but the smallest and the largest from a model that did not see it, as a
    fraction of the median; median over the sizes. None with fewer than four."""
    held_out_max: _Positive | None
    """The same, at the worst size."""
    checks: dict[str, Annotated[int, Meta(ge=0)]]
    """The counters of all its measurements, summed up."""

    @property
    def setting(self) -> dict[str, Level]:
        """All that tells it apart from others."""
        own = (self.transport, self.first, self.second, self.region, self.receiver, self.load)
        return {**dict(zip(OWN, own, strict=True)), **self.varied}


class MessageLatency(_Model, frozen=True):
    """How long messages take at one setting, over their size."""

    looking_us: dict[str, float]
    """By core, the median cost of an empty pair of readings of the clock, in µs."""
    within_us: _Positive
    """How far all of the latencies together, and with them alpha, may be off because the common clock is made of a
    counter for each core, and these can be aligned only so well; 0 where both cores read one clock."""
    sizes: tuple[MessageLatencySize, ...]


class MessageThroughput(_Model, frozen=True):
    """How many bytes per second go through at one setting, over the size of a message."""

    sizes: tuple[MessageThroughputSize, ...]


class MessageHeldOut(msgspec.Struct, frozen=True):
    """How well the model predicts sizes that it did not see, over all settings."""

    predictions: Annotated[int, Meta(ge=1)]
    """One for each setting and size but its smallest and largest."""
    median: _Positive
    """Of their errors, as fractions of the medians."""
    p90: _Positive
    """90th percentile."""
    max: _Positive


class MessageAnalysis(msgspec.Struct, frozen=True):
    """All that a run says about messages between cores."""

    latency: tuple[MessageLatency, ...]
    """One row for each setting: all factors but the size, and those that change only how something is measured."""
    throughput: tuple[MessageThroughput, ...]
    round_trips: tuple[MessageRoundTrip, ...]
    """Of transports that lead to an echo and back: these are no latencies."""
    held_out: MessageHeldOut | None
    """None where no setting has four sizes."""
    ranking: tuple[MessageRank, ...]
    """What there is to choose from, at a small and at a large size, by measure; the best first."""
    advantages: tuple[MessageAdvantage, ...]
    latency_factors: FactorAnalysis | None
    """Which factor explains how much of the median latency; None where none has two levels."""
    throughput_factors: FactorAnalysis | None
    """The same of the time per message of a stream."""
    sentences: tuple[str, ...]
    """What it comes to: what to choose first."""


ANALYSIS = MessageAnalysis
"""What the document's schema has of it."""


def analyse(measurements: Iterable[Measurement]) -> MessageAnalysis:
    """Analyse the measurements of the benchmark `message` among those given; those of a setting and size are pooled."""
    known = list(measurements)
    return analyse_curves(curves(known), round_trips(known))


def analyse_curves(found: Sequence[Curve], trips: tuple[MessageRoundTrip, ...] = ()) -> MessageAnalysis:
    """Analyse measurements that are curves, or round trips, already."""
    by_measure = {measure: [curve for curve in found if curve.measure == measure] for measure in MEASURES}
    latency = tuple(_latency(curve) for curve in by_measure["latency"])
    throughput = tuple(_throughput(curve) for curve in by_measure["throughput"])
    checked = _held_out(found)
    ranked = rankings(found)
    gains = advantages(found)
    effects = {measure: analyse_factors(observations(by_measure[measure])) for measure in MEASURES}
    return MessageAnalysis(
        latency,
        throughput,
        trips,
        checked,
        ranked,
        gains,
        effects["latency"],
        effects["throughput"],
        (*_sentences(found, latency, throughput, checked, ranked, gains, effects), *_on_round_trips(trips)),
    )


_TEXTS = {
    "wrong": (
        "{count} messages were lost, came twice, out of order, or were not what was sent: this transport does not do "
        "what it is for, and its times mean nothing."
    ),
    "preempted": (
        "tasks were forced off their core {count} times: what else ran is in the longest latencies. Medians bear that."
    ),
}


def warnings(measurements: Iterable[Measurement]) -> list[str]:
    """Say in plain sentences what makes the results doubtful, and the likely cause."""
    known = list(measurements)
    return curve_warnings(known, curves(known))


def curve_warnings(known: Sequence[Measurement], found: Sequence[Curve]) -> list[str]:
    """Say the same of measurements whose curves are known."""
    return [*spoilt(known, BENCHMARK, "transport", _TEXTS), *_few_sizes(found), *islice(_disturbed(found), _TOLD)]


def _disturbed(found: Sequence[Curve]) -> Iterator[str]:
    """Say what disturbed latencies. Only the first few are worth it: the median bears most."""
    for curve in found:
        if curve.measure == "latency":
            for size in curve.measurements:
                said = disturbances(curve.samples(size))
                if said:
                    yield f"message, {in_words(curve.setting, curve.setting)}, {size:,} bytes: {' '.join(said)}"


def _few_sizes(found: Sequence[Curve]) -> Iterator[str]:
    few = [curve for curve in found if len(curve.points) == 1]
    if few:
        yield (
            f"message: {len(few)} of {len(found)} settings were measured at one size only, so they have no model. Name "
            "several, e.g. size=4,16,64,256,1024."
        )


# Rows


def _common(curve: Curve) -> dict[str, object]:
    one, errors = curve.line, curve.held_out
    off = None if one is None else np.abs(one.relative_errors)
    pools = list(curve.measurements.values())
    checks: dict[str, int] = defaultdict(int)
    for measurement in (each for pool in pools for each in pool):
        for name, count in measurement.checks.items():
            checks[name] += count
    return {
        **{name: curve.setting[name] for name in OWN},
        "varied": {name: level for name, level in curve.setting.items() if name not in OWN},
        "alpha_us": None if one is None else one.pieces[0].intercept,
        "beta_ns_per_byte": None if one is None else _scaled(one.pieces[0].slope, 1e3),
        "relative_error_median": None if off is None else float(np.median(off)),
        "relative_error_max": None if off is None else float(off.max()),
        "lack_of_fit_p": None if one is None else one.p_value,
        "scatter": None if one is None else one.scatter,
        "word_bytes": curve.word_bytes,
        "pieces": tuple(
            MessagePiece(sizes, int(piece.low), int(piece.high), piece.intercept, _scaled(piece.slope, 1e3))
            for sizes, model in curve.models.items()
            for piece in model.pieces
        ),
        "held_out_median": float(np.median(errors)) if len(errors) else None,
        "held_out_max": float(errors.max()) if len(errors) else None,
        "checks": dict(sorted(checks.items())),
    }  # fmt: skip


def _scaled(estimate: Interval, by: float) -> Interval:
    low, high = (None if bound is None else bound * by for bound in (estimate.low, estimate.high))
    return Interval(estimate.value * by, low, high)


def _latency(curve: Curve) -> MessageLatency:
    everything = [one for pool in curve.measurements.values() for one in pool]
    cores = sorted({int(curve.setting["from"]), int(curve.setting["to"])})
    row = {
        **_common(curve),
        "looking_us": {str(core): cost for core in cores if (cost := looking_us(everything, core)) > 0},
        "within_us": uncertainty.within_us(everything, "latency") if len(cores) > 1 else 0.0,
        "sizes": tuple(_latency_size(curve, size) for size in curve.measurements),
    }
    return msgspec.convert(row, MessageLatency)


def _latency_size(curve: Curve, size: int) -> MessageLatencySize:
    pool = curve.measurements[size]
    sends = [one.samples("send").ns / 1e3 for one in pool if len(ticks(one, "send"))]
    model_us, off = _model_at(curve, size)
    return MessageLatencySize(
        bytes=size,
        latency_us=distribution(curve.samples(size)),
        send_us=distribution(np.concatenate(sends)).median if sends else None,
        model_us=model_us,
        relative_error=off,
        exactness=exactness(pool, "latency"),
    )


def _model_at(curve: Curve, size: int) -> tuple[float | None, float | None]:
    """Return what the model gives at a size that was measured, and what it is off."""
    model = curve.model(size)
    if model is None:
        return None, None
    place = int(np.searchsorted(model.points.x, size))
    return model.value(size), float(model.relative_errors[place])


def _throughput(curve: Curve) -> MessageThroughput:
    row = {**_common(curve), "sizes": tuple(_throughput_size(curve, size) for size in curve.measurements)}
    return msgspec.convert(row, MessageThroughput)


def _throughput_size(curve: Curve, size: int) -> MessageThroughputSize:
    found = distribution(curve.samples(size))
    model_us, off = _model_at(curve, size)
    return MessageThroughputSize(
        bytes=size,
        streams=found.n,
        time_us=found.median,
        bytes_per_s=rate(size, found.median),
        model_bytes_per_s=None if model_us is None else max(rate(size, Interval(model_us)).value, 0.0),
        relative_error=off,
    )


def rate(size: float, time_us: Interval) -> Interval:
    """Return bytes per second from the time of so many bytes, in µs; 0 where that is 0, which a clock can make it."""
    value, high, low = (size / us * 1e6 if us else None for us in (time_us.value, time_us.low, time_us.high))
    return Interval(value or 0.0, low, high)


def observations(found: Iterable[Curve]) -> list[Observation]:
    """Return the median time of each setting and size, for an analysis of variance; sizes are levels like others."""
    known = [
        Observation({**one.setting, "size": int(size)}, float(y))
        for one in found
        for size, y in zip(one.points.x, one.points.y, strict=True)
        if y > 0
    ]
    names = set.intersection(*(set(one.levels) for one in known)) if known else set()
    return [Observation({name: one.levels[name] for name in one.levels if name in names}, one.value) for one in known]


def _held_out(found: Sequence[Curve]) -> MessageHeldOut | None:
    errors = np.concatenate([np.zeros(0), *(curve.held_out for curve in found)])
    if not len(errors):
        return None
    median, p90, most = np.percentile(errors, (50, 90, 100))
    return MessageHeldOut(len(errors), float(median), float(p90), float(most))


# Sentences


def _on_round_trips(trips: Sequence[MessageRoundTrip]) -> Iterator[str]:
    if trips:
        names = ", ".join(dict.fromkeys(one.transport for one in trips))
        yield (
            f"By {names} messages went to an echo and came back: these are round trips, with what the echo does in "
            "them. Its clock is not ours, so what one way takes is not known, and is not half of it."
        )


def _sentences(
    found: Sequence[Curve],
    latency: Sequence[MessageLatency],
    throughput: Sequence[MessageThroughput],
    checked: MessageHeldOut | None,
    ranked: Sequence[MessageRank],
    gains: Sequence[MessageAdvantage],
    effects: Mapping[Measure, FactorAnalysis | None],
) -> Iterator[str]:
    yield from choice_sentences(ranked, gains)
    within = max((row.within_us for row in latency), default=0.0)
    if within:
        yield uncertainty.sentence(within, "latency")
    for measure in MEASURES:
        yield from _on_factors(measure, effects[measure])
    yield from _on_fit([*latency, *throughput])
    yield from _on_breaks(found)
    yield from _on_words(found)
    if checked is not None:
        yield from _on_held_out(checked)
    yield from _on_exactness(latency)


def _on_fit(rows: Sequence[_Model]) -> Iterator[str]:
    known = [row for row in rows if row.relative_error_median is not None and row.lack_of_fit_p is not None]
    if not known:
        return
    enough = [row for row in known if len([piece for piece in row.pieces if piece.sizes != "other"]) == 1]
    median = float(np.median([row.relative_error_median or 0.0 for row in known]))
    row = max(known, key=lambda row: row.relative_error_max or 0.0)
    worst = row.relative_error_max or 0.0
    yield (
        f"A line alpha + beta × size is off by {percent(median)} of the time in median and by {percent(worst)} "
        f"at worst ({_measure_of(row)}{in_words(row.setting, row.setting)}). No more than one line is needed, or can "
        f"be told, in {len(enough)} of {len(known)} settings."
    )


def _measure_of(row: _Model) -> str:
    return "a stream by " if isinstance(row, MessageThroughput) else ""


def _on_breaks(found: Sequence[Curve]) -> Iterator[str]:
    bent = [curve for curve in found if curve.main is not None and curve.main.breaks]
    for curve in bent[:_TOLD]:
        model, one = curve.main, curve.line
        if model is not None and one is not None:
            parts = [_break_in_words(model, index) for index in range(len(model.breaks))]
            off = [percent(float(np.max(np.abs(fit.relative_errors)))) for fit in (one, model)]
            yield (
                f"{_label_of(curve)}: one line is not enough, as it is off by up to {off[0]}; {len(model.pieces)} are, "
                f"by up to {off[1]}. {' '.join(parts)}"
            )
    if len(bent) > _TOLD:
        yield f"So it is in {len(bent) - _TOLD} more settings: their pieces are in the JSON document."


def _on_words(found: Sequence[Curve]) -> Iterator[str]:
    apart = [curve for curve in found if curve.others_times is not None]
    if apart:
        worst = max(apart, key=lambda curve: curve.others_times or 0.0)
        word = worst.word_bytes
        others = [f"{size:,}" for size in worst.measurements if size % word]
        yield (
            f"Sizes that are no multiple of {word} bytes go their own way in {len(apart)} of {len(found)} settings. "
            f"At worst ({in_words(worst.setting, worst.setting)}, {worst.measure}, {', '.join(others[:_TOLD])} bytes) "
            f"a quarter takes {significant(worst.others_times or 0.0)} times as long as whole words, or longer. Pad "
            "messages to whole words."
        )


def _label_of(curve: Curve) -> str:
    label = in_words(curve.setting, curve.setting)
    return f"{label[0].upper()}{label[1:]}" if curve.measure == "latency" else f"A stream by {label}"


def _break_in_words(model: Fit, index: int) -> str:
    """Say whether there is a step or a knee between two lines: a step is what neither line's slope explains."""
    left, right = model.pieces[index], model.pieces[index + 1]
    middle = (left.high + right.low) / 2
    (before, error_before), (after, error_after) = left.at(middle), right.at(middle)
    jump, error = after - before, math.hypot(error_before, error_after)
    # Lines that meet between the two sizes are one that bends there.
    bend = abs(right.slope.value - left.slope.value) * (right.low - left.high) / 2
    slopes = f"{significant(1e3 * left.slope.value)} to {significant(1e3 * right.slope.value)} ns per byte"
    where = f"between {left.high:,.0f} and {right.low:,.0f} bytes"
    quantile = model.quantile or 2.0
    if abs(jump) > quantile * error and abs(jump) > bend:
        up = "up" if jump > 0 else "down"
        return f"Somewhere {where} it steps {up} by {duration(abs(jump))}, and goes from {slopes}."
    return f"Somewhere {where} it bends, from {slopes}."


def _on_held_out(checked: MessageHeldOut) -> Iterator[str]:
    verdict = "within" if checked.median <= HELD_OUT_AIM else "not within"
    yield (
        f"Held-out check: sizes that the model did not see are predicted to {percent(checked.median)} in median, "
        f"{verdict} the aim of {percent(HELD_OUT_AIM)} ({percent(checked.p90)} or better for 9 of 10, "
        f"{percent(checked.max)} at worst; {checked.predictions:,} predictions)."
    )


def _on_factors(measure: Measure, effects: FactorAnalysis | None) -> Iterator[str]:
    if effects is None:
        return
    what = "latency" if measure == "latency" else "time per message of a stream"
    single = [one for one in effects.effects if len(one.factors) == 1]
    size = sum(one.eta_squared for one in single if one.factors == ("size",))
    others = [one for one in single if one.factors != ("size",)]
    rest = 1 - size
    if not others or rest <= 0:
        return
    told = ", ".join(f"{one.factors[0]} {percent(min(one.eta_squared / rest, 1.0))}" for one in others[:_TOLD])
    pairs = [one for one in effects.effects if len(one.factors) == 2 and one.eta_squared >= others[-1].eta_squared]
    also = ""
    if pairs and pairs[0].eta_squared / rest > HELD_OUT_AIM:
        first, second = pairs[0].factors
        also = f"; what {first} does depends on {second} ({percent(min(pairs[0].eta_squared / rest, 1.0))})"
    beside = f"The size explains {percent(size)} of the variation of log {what}; of the rest" if size else (
        f"Of the variation of log {what}"
    )  # fmt: skip
    yield f"{beside}: {told}{also}."


def _on_exactness(latency: Sequence[MessageLatency]) -> Iterator[str]:
    seen = [size.exactness for row in latency for size in row.sizes if size.exactness is not None]
    if seen:
        low, high = min(one.low for one in seen), max(one.high for one in seen)
        spread = max(one.spread for one in seen)
        yield (
            f"Checked against the simulator: measured minus true latency is {low} to {high} ticks, with a spread of at "
            f"most {spread} within a setting and size."
        )
