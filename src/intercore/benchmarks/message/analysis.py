"""Latency and throughput of messages between cores: models over the size.

Durations are in µs. A message takes alpha + beta * size: alpha is the cost per message, beta the cost per byte. In a
stream, the time per message is `window` / `messages`, modelled in the same way; the throughput is the size divided by
it, and approaches 1 / beta. See `intercore.statistics.line` for the fit. Nothing is subtracted: the timestamp overhead
is in every alpha of a latency.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np
from msgspec import Meta

from intercore.benchmarks.caveats import Samples, disturbed, failed_checks
from intercore.benchmarks.message import WITHIN
from intercore.benchmarks.message.choice import MessageAdvantage, MessageRank, advantages, rankings
from intercore.benchmarks.message.curve import BENCHMARK, MEASURES, curves, in_words, observations
from intercore.benchmarks.message.findings import (
    MessageFailedCheck,
    MessageFewSizes,
    size_in_words,
)
from intercore.benchmarks.message.literature import MessageFindingHere, findings_here
from intercore.benchmarks.message.overhead import MessageOverhead, overheads, without_priority
from intercore.benchmarks.message.pilot import MessagePilot, pilots
from intercore.benchmarks.message.round_trip import MessageRoundTrip, round_trips
from intercore.benchmarks.message.rows import MessageLatency, MessageThroughput, Positive, latency_row, throughput_row
from intercore.statistics.disturbance import disturbances
from intercore.statistics.factors import FactorAnalysis, analyse_factors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from intercore.benchmarks.message.curve import Curve
    from intercore.finding import Finding
    from intercore.record.measurement import Measurement
    from intercore.statistics.disturbance import Disturbance


class MessageHeldOut(msgspec.Struct, frozen=True):
    """How well the model predicts sizes that it did not see, over all settings."""

    predictions: Annotated[int, Meta(ge=1)]
    """One for each setting and size but its smallest and largest."""
    median: Positive
    """Of their errors, as fractions of the medians."""
    p90: Positive
    """90th percentile."""
    max: Positive


class MessageAnalysis(msgspec.Struct, frozen=True):
    """The results of a run about messages between cores."""

    latency: tuple[MessageLatency, ...]
    """One row for each setting: all factors but the size, and those that change only how something is measured."""
    throughput: tuple[MessageThroughput, ...]
    round_trips: tuple[MessageRoundTrip, ...]
    """Of transports that lead to an echo and back: these are no latencies."""
    held_out: MessageHeldOut | None
    """None where no setting has four sizes."""
    ranking: tuple[MessageRank, ...]
    """The alternatives at a small and at a large size, by measure; the best first."""
    advantages: tuple[MessageAdvantage, ...]
    latency_factors: FactorAnalysis | None
    """Which factor explains how much of the median latency; None where none has two levels."""
    throughput_factors: FactorAnalysis | None
    """The same of the time per message of a stream."""
    overheads: tuple[MessageOverhead, ...]
    """Processor time of messages on each core (`measure=overhead`)."""
    pilots: tuple[MessagePilot, ...]
    """The number of samples needed for the requested precision, for settings with enough samples."""
    published: tuple[MessageFindingHere, ...]
    """The claims of publications on factors with several levels in this run."""


def analyse(measurements: Iterable[Measurement], within: float = WITHIN.default) -> MessageAnalysis:
    """Analyse the measurements of the benchmark `message` among those given; those of a setting and size are pooled.

    `within` is the fraction of a time to either side within which pilots are to know it.
    """
    known = list(measurements)
    return analyse_curves(curves(known), round_trips(known), overheads(known), within)


def analyse_curves(
    found: Sequence[Curve],
    trips: tuple[MessageRoundTrip, ...] = (),
    taken: tuple[MessageOverhead, ...] = (),
    within: float = WITHIN.default,
) -> MessageAnalysis:
    """Analyse measurements that are curves, round trips or overheads already."""
    by_measure = {measure: [curve for curve in found if curve.measure == measure] for measure in MEASURES}
    latency = tuple(latency_row(curve) for curve in by_measure["latency"])
    throughput = tuple(throughput_row(curve) for curve in by_measure["throughput"])
    checked = _held_out(found)
    ranked = rankings(found)
    gains = advantages(found)
    effects = {measure: analyse_factors(observations(by_measure[measure])) for measure in MEASURES}
    asked = pilots(found, within)
    return MessageAnalysis(
        latency,
        throughput,
        trips,
        checked,
        ranked,
        gains,
        effects["latency"],
        effects["throughput"],
        taken,
        asked,
        findings_here(found, effects),
    )


def caveats(measurements: Iterable[Measurement], found: Sequence[Curve]) -> Iterator[Finding]:
    """Return the caveats on the results of measurements and their curves."""
    known = list(measurements)
    yield from failed_checks(known, BENCHMARK, "transport", MessageFailedCheck)
    yield from without_priority(known)
    few = [curve for curve in found if len(curve.points) == 1]
    if few:
        yield MessageFewSizes(few=len(few), settings=len(found))
    yield from disturbed(BENCHMARK, _latencies([curve for curve in found if curve.measure == "latency"]))


def _latencies(curves: Sequence[Curve]) -> Iterator[tuple[Samples, Sequence[Disturbance]]]:
    """Return the latencies of each size with their disturbances, by the levels that distinguish their settings."""
    named = {"transport", "from", "to"} | {
        name for curve in curves for name, level in curve.setting.items() if level != curves[0].setting.get(name)
    }
    for curve in curves:
        setting = {name: level for name, level in curve.setting.items() if name in named}
        for size in curve.measurements:
            name = f"{in_words(setting, setting)}, {size_in_words(size)}"
            yield Samples(name, {**setting, "size": size}), disturbances(curve.repetitions(size))


def _held_out(found: Sequence[Curve]) -> MessageHeldOut | None:
    errors = np.concatenate([np.zeros(0), *(curve.held_out for curve in found)])
    if not len(errors):
        return None
    median, p90, most = np.percentile(errors, (50, 90, 100))
    return MessageHeldOut(len(errors), float(median), float(p90), float(most))
