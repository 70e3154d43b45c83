"""What is found of messages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from intercore.benchmarks.message.curve import HELD_OUT_AIM, MEASURES, in_words
from intercore.benchmarks.message.findings import (
    NAMED,
    Break,
    FactorShare,
    Gain,
    Interaction,
    LargestMessageChoice,
    MessageAlternatives,
    MessageBreaks,
    MessageExactness,
    MessageFactors,
    MessageHeldOutCheck,
    MessageHighestThroughput,
    MessageLineFit,
    MessageLowestLatency,
    MessageMoreBreaks,
    MessagePartWords,
    MessageRoundTrips,
    RunnerUp,
)
from intercore.benchmarks.message.overhead import overhead_results
from intercore.benchmarks.message.pilot import pilot_results
from intercore.benchmarks.message.rows import MessageThroughput
from intercore.benchmarks.uncertainty import CrossCoreUncertainty

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.benchmarks.message.analysis import MessageAnalysis
    from intercore.benchmarks.message.choice import MessageAdvantage, MessageRank
    from intercore.benchmarks.message.curve import Curve, Measure
    from intercore.benchmarks.message.rows import MessageLatency, Model
    from intercore.finding import Finding
    from intercore.statistics.factors import FactorAnalysis
    from intercore.statistics.line import Fit


def results(analysis: MessageAnalysis, found: Sequence[Curve]) -> Iterator[Finding]:
    """Return the findings, the most important first."""
    yield from _choices(analysis.ranking, analysis.advantages)
    within = max((row.within_us for row in analysis.latency), default=0.0)
    if within:
        yield CrossCoreUncertainty(times_of="latency", within_us=within)
    yield from _factors("latency", analysis.latency_factors)
    yield from _factors("throughput", analysis.throughput_factors)
    yield from _line_fit([*analysis.latency, *analysis.throughput])
    yield from _breaks(found)
    yield from _part_words(found)
    if (checked := analysis.held_out) is not None:
        yield MessageHeldOutCheck(
            median=checked.median,
            p90=checked.p90,
            max=checked.max,
            aim=HELD_OUT_AIM,
            predictions=checked.predictions,
        )
    yield from _exactness(analysis.latency)
    yield from overhead_results(analysis.overheads)
    yield from pilot_results(analysis.pilots)
    if analysis.round_trips:
        yield MessageRoundTrips(transports=tuple(dict.fromkeys(one.transport for one in analysis.round_trips)))


def _choices(ranked: Sequence[MessageRank], gains: Sequence[MessageAdvantage]) -> Iterator[Finding]:
    """Return the choices for the lowest latency and the highest throughput, and the gains of alternatives."""
    latency, throughput = ([one for one in ranked if one.measure == measure] for measure in MEASURES)
    if latency:
        size, largest = (choose(one.bytes for one in latency) for choose in (min, max))
        first, second = [one for one in latency if one.bytes == size][:2]
        other = next(one for one in latency if one.bytes == largest)
        yield MessageLowestLatency(
            bytes=size,
            choice=_named(first),
            time_us=first.time_us.value,
            slowest=first.slowest if first.settings > 1 else None,
            second=_second(second),
            largest=None
            if other.choice == first.choice
            else LargestMessageChoice(largest, _named(other), other.time_us.value),
        )
    if throughput:
        size = max(one.bytes for one in throughput)
        first, second = [one for one in throughput if one.bytes == size][:2]
        yield MessageHighestThroughput(
            bytes=size,
            choice=_named(first),
            bytes_per_s=first.bytes_per_s or 0.0,
            slowest=first.slowest if first.settings > 1 else None,
            second=_second(second),
        )
    alternatives = dict.fromkeys((one.factor, one.better, one.than) for one in gains)
    bought = [
        gain
        for factor in ("receiver", "transport")
        for alternative in alternatives
        if alternative[0] == factor
        for gain in _gains([one for one in gains if (one.factor, one.better, one.than) == alternative])
    ]
    if bought:
        yield MessageAlternatives(gains=tuple(bought))


def _second(one: MessageRank) -> RunnerUp:
    low = one.times_best.low
    return RunnerUp(_named(one), one.times_best, equally_good=low is not None and low < 1)


def _named(one: MessageRank) -> str:
    return in_words(one.choice, one.choice)


def _gains(alternative: Sequence[MessageAdvantage]) -> Iterator[Gain]:
    """Return the gain of an alternative where it is largest: polling with small messages, zero-copy with large ones."""
    for measure in MEASURES:
        ours = [one for one in alternative if one.measure == measure]
        if ours:
            small = ours[0].factor == "receiver" and measure == "latency"
            size = (min if small else max)(one.bytes for one in ours)
            yield from (_gain(one) for one in ours if one.bytes == size)


def _gain(one: MessageAdvantage) -> Gain:
    low, high = one.times.low, one.times.high
    return Gain(
        better=str(one.better),
        than=str(one.than),
        measure=one.measure,
        bytes=one.bytes,
        times=one.times,
        least_times=one.least,
        most_times=one.most,
        pairs=one.pairs,
        unsure=low is not None and high is not None and low <= 1 <= high,
    )


def _factors(measure: Measure, effects: FactorAnalysis | None) -> Iterator[Finding]:
    if effects is None:
        return
    single = [one for one in effects.effects if len(one.factors) == 1]
    size = sum(one.eta_squared for one in single if one.factors == ("size",))
    others = [one for one in single if one.factors != ("size",)]
    rest = 1 - size
    if not others or rest <= 0:
        return
    pairs = [one for one in effects.effects if len(one.factors) == 2 and one.eta_squared >= others[-1].eta_squared]
    interaction = None
    if pairs and pairs[0].eta_squared / rest > HELD_OUT_AIM:
        first, second = pairs[0].factors
        interaction = Interaction(first, second, min(pairs[0].eta_squared / rest, 1.0))
    shares = [FactorShare(one.factors[0], min(one.eta_squared / rest, 1.0)) for one in others[:NAMED]]
    yield MessageFactors(measure=measure, size_share=size, shares=tuple(shares), interaction=interaction)


def _line_fit(rows: Sequence[Model]) -> Iterator[Finding]:
    known = [row for row in rows if row.relative_error_median is not None and row.lack_of_fit_p is not None]
    if known:
        straight = [row for row in known if len([piece for piece in row.pieces if piece.sizes != "other"]) == 1]
        worst = max(known, key=lambda row: row.relative_error_max or 0.0)
        yield MessageLineFit(
            median_error=float(np.median([row.relative_error_median or 0.0 for row in known])),
            worst_error=worst.relative_error_max or 0.0,
            worst_measure="throughput" if isinstance(worst, MessageThroughput) else "latency",
            worst_setting=dict(worst.setting),
            straight=len(straight),
            settings=len(known),
        )


def _breaks(found: Sequence[Curve]) -> Iterator[Finding]:
    bent = [curve for curve in found if curve.main is not None and curve.main.breaks]
    for curve in bent[:NAMED]:
        model, one = curve.main, curve.line
        if model is not None and one is not None:
            line_error, lines_error = (float(np.max(np.abs(fit.relative_errors))) for fit in (one, model))
            yield MessageBreaks(
                measure=curve.measure,
                curve=dict(curve.setting),
                line_error=line_error,
                lines=len(model.pieces),
                lines_error=lines_error,
                breaks=tuple(_break(model, index) for index in range(len(model.breaks))),
            )
    if len(bent) > NAMED:
        yield MessageMoreBreaks(settings=len(bent) - NAMED)


def _break(model: Fit, index: int) -> Break:
    """Return a step or a knee between two lines: a step is what neither line's slope explains."""
    left, right = model.pieces[index], model.pieces[index + 1]
    middle = (left.high + right.low) / 2
    (before, error_before), (after, error_after) = left.at(middle), right.at(middle)
    jump, error = after - before, math.hypot(error_before, error_after)
    # Lines that meet between the two sizes are one that bends there.
    bend = abs(right.slope.value - left.slope.value) * (right.low - left.high) / 2
    is_step = abs(jump) > (model.quantile or 2.0) * error and abs(jump) > bend
    slopes = (1e3 * piece.slope.value for piece in (left, right))
    return Break(left.high, right.low, jump if is_step else None, *slopes)


def _part_words(found: Sequence[Curve]) -> Iterator[Finding]:
    apart = [curve for curve in found if curve.others_times is not None]
    if apart:
        worst = max(apart, key=lambda curve: curve.others_times or 0.0)
        yield MessagePartWords(
            apart=len(apart),
            settings=len(found),
            word_bytes=worst.word_bytes,
            worst_setting=dict(worst.setting),
            measure=worst.measure,
            sizes=tuple(size for size in worst.measurements if size % worst.word_bytes),
            times=worst.others_times or 0.0,
        )


def _exactness(latency: Sequence[MessageLatency]) -> Iterator[Finding]:
    seen = [size.exactness for row in latency for size in row.sizes if size.exactness is not None]
    if seen:
        yield MessageExactness(
            least_ticks=min(one.low for one in seen),
            most_ticks=max(one.high for one in seen),
            spread_ticks=max(one.spread for one in seen),
        )
