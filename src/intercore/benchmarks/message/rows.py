"""Measured and modelled messages: a row for each setting, with its sizes."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks import uncertainty
from intercore.benchmarks.exactness import Exactness, exactness
from intercore.benchmarks.grouping import distribution_us, median_us, ticks, timestamp_overhead_us
from intercore.benchmarks.message.curve import OWN, Sizes
from intercore.record.measurement import Level
from intercore.statistics.distribution import Distribution
from intercore.statistics.intervals import Interval

if TYPE_CHECKING:
    from intercore.benchmarks.message.curve import Curve

Positive = Annotated[float, Meta(ge=0)]


class MessagePiece(msgspec.Struct, frozen=True):
    """The model over a range of sizes."""

    sizes: Sizes
    """Which of them: `all`; or, if they differ, those that are whole `words` and the `other` ones."""
    from_bytes: Annotated[int, Meta(ge=1)]
    """The smallest size that it was fitted to."""
    to_bytes: Annotated[int, Meta(ge=1)]
    alpha_us: Interval
    """The cost per message, independent of its size, in µs; where a range begins at large sizes, far from any of
    them."""
    beta_ns_per_byte: Interval
    """What each byte adds, in ns."""


class MessageLatencySize(msgspec.Struct, frozen=True):
    """The latency of messages of one size."""

    bytes: Annotated[int, Meta(ge=1)]
    latency_us: Distribution
    """From the begin of the send to the end of the receive."""
    send_us: Interval | None
    """Median of the send alone; None if unknown."""
    model_us: float | None
    """The model's value for the median; None without a model."""
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
    model_bytes_per_s: Positive | None
    """The model's value for it; None without a model."""
    relative_error: float | None
    """By which fraction of the time per message the model is off; positive where it is too slow."""


class Model(msgspec.Struct, frozen=True):
    """The common part of the rows of both measures."""

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
    """Of one line: the cost per message, independent of its size, in µs. The line goes through all sizes, or through
    the whole words if the others differ. None with a single size."""
    beta_ns_per_byte: Interval | None
    """Of the same line: what each byte adds, in ns."""
    word_bytes: Annotated[int, Meta(ge=1)]
    """How many bytes a word has."""
    relative_error_median: Positive | None
    """By which fraction of a median that line is off, median over its sizes."""
    relative_error_max: Positive | None
    """The same, at the worst size."""
    lack_of_fit_p: Annotated[float, Meta(ge=0, le=1)] | None
    """Probability that medians as well known as these lie so far from the line if it is true; None with two sizes."""
    scatter: Positive | None
    """By which fraction of its value a size is off that line, beyond what samples explain: one standard deviation."""
    pieces: tuple[MessagePiece, ...]
    """The model: that line, or as needed where one is not enough; none with a single size."""
    held_out_median: Positive | None
    """Error of predictions of each size but the smallest and the largest from a model that did not see it, as a
    fraction of the median; median over the sizes. None with fewer than four."""
    held_out_max: Positive | None
    """The same, at the worst size."""
    checks: dict[str, Annotated[int, Meta(ge=0)]]
    """The counters of all its measurements, summed up."""

    @property
    def setting(self) -> dict[str, Level]:
        """The levels that distinguish it from others."""
        own = (self.transport, self.first, self.second, self.region, self.receiver, self.load)
        return {**dict(zip(OWN, own, strict=True)), **self.varied}


class MessageLatency(Model, frozen=True):
    """How long messages take at one setting, over their size."""

    timestamp_overhead_us: dict[str, float]
    """By core, the median cost of an empty pair of readings of the clock, in µs."""
    within_us: Positive
    """How far all of the latencies together, and with them alpha, may be off because the common clock is made of a
    counter for each core, and these can be aligned only so well; 0 where both cores read one clock."""
    sizes: tuple[MessageLatencySize, ...]


class MessageThroughput(Model, frozen=True):
    """How many bytes per second go through at one setting, over the size of a message."""

    sizes: tuple[MessageThroughputSize, ...]


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


def latency_row(curve: Curve) -> MessageLatency:
    """Return the latencies at a setting."""
    everything = [one for pool in curve.measurements.values() for one in pool]
    cores = sorted({int(curve.setting["from"]), int(curve.setting["to"])})
    row = {
        **_common(curve),
        "timestamp_overhead_us": {
            str(core): cost for core in cores if (cost := timestamp_overhead_us(everything, core)) > 0
        },
        "within_us": uncertainty.within_us(everything, "latency") if len(cores) > 1 else 0.0,
        "sizes": tuple(_latency_size(curve, size) for size in curve.measurements),
    }
    return msgspec.convert(row, MessageLatency)


def _latency_size(curve: Curve, size: int) -> MessageLatencySize:
    pool = curve.measurements[size]
    sends = [one for one in pool if len(ticks(one, "send"))]
    model_us, off = _model_at(curve, size)
    return MessageLatencySize(
        bytes=size,
        latency_us=distribution_us(pool, "latency"),
        send_us=median_us(sends, "send") if sends else None,
        model_us=model_us,
        relative_error=off,
        exactness=exactness(pool, "latency"),
    )


def _model_at(curve: Curve, size: int) -> tuple[float | None, float | None]:
    """Return the model's value at a measured size, and its error."""
    model = curve.model(size)
    if model is None:
        return None, None
    place = int(np.searchsorted(model.points.x, size))
    return model.value(size), float(model.relative_errors[place])


def throughput_row(curve: Curve) -> MessageThroughput:
    """Return the streams at a setting."""
    row = {**_common(curve), "sizes": tuple(_throughput_size(curve, size) for size in curve.measurements)}
    return msgspec.convert(row, MessageThroughput)


def _throughput_size(curve: Curve, size: int) -> MessageThroughputSize:
    time_us = curve.median(size)
    model_us, off = _model_at(curve, size)
    return MessageThroughputSize(
        bytes=size,
        streams=len(curve.samples(size)),
        time_us=time_us,
        bytes_per_s=rate(size, time_us),
        model_bytes_per_s=None if model_us is None else max(rate(size, Interval(model_us)).value, 0.0),
        relative_error=off,
    )


def rate(size: float, time_us: Interval) -> Interval:
    """Return bytes per second from the time of so many bytes, in µs; 0 where that is 0, which a clock can make it."""
    value, high, low = (size / us * 1e6 if us else None for us in (time_us.value, time_us.low, time_us.high))
    return Interval(value or 0.0, low, high)
