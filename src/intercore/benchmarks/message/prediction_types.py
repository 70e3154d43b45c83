"""What a prediction of a message's time is."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from intercore.benchmarks.message.curve import Measure
from intercore.benchmarks.message.next_measurement import ToMeasure
from intercore.benchmarks.message.size_effect import SizeEffect
from intercore.benchmarks.ranking import OfTarget, Rank
from intercore.record.measurement import Level
from intercore.statistics.intervals import Interval


class MessageBasis(msgspec.Struct, frozen=True):
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


class MessagePrediction(OfTarget, frozen=True):
    """What a message of one size will take at one setting."""

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
    size_effect: SizeEffect | None
    """Whether, within what was measured, the size makes a difference by this line. None by main effects."""
    held_out: float | None
    """Error of the model's predictions of sizes that it did not see, as a fraction, median; None where unknown."""
    conclusive: bool
    """Whether the interval of the median is an answer: neither bound farther off than half of the value."""
    to_measure: ToMeasure | None
    """What would make it one; None if it is."""
    basis: MessageBasis
    notes: tuple[str, ...]
    """Sentences on what makes it doubtful."""


class MessageRanking(OfTarget, frozen=True):
    """What a message of one size will take by each setting that was measured."""

    measure: Measure
    size: Annotated[int, Meta(ge=1)]
    """Bytes of the message."""
    ranking: tuple[Rank[MessagePrediction], ...]
    """By what is given, then by rank."""
    left_out: tuple[str, ...]
    """Settings of which there is no prediction, a sentence each without its full stop, with the reason."""
    to_measure: ToMeasure | None
    """What would make answers of those predictions that are none; None if all are."""
