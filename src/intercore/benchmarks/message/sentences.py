"""What the models of messages come to, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from intercore.benchmarks import uncertainty
from intercore.benchmarks.exactness import constant
from intercore.benchmarks.message.choice import MessageAdvantage, MessageRank, choice_sentences
from intercore.benchmarks.message.curve import HELD_OUT_AIM, MEASURES, in_words
from intercore.benchmarks.message.rows import MessageThroughput
from intercore.benchmarks.message.size_effect import ns_per_byte
from intercore.view.quantity import duration, percent, significant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from intercore.benchmarks.message.analysis import MessageHeldOut
    from intercore.benchmarks.message.curve import Curve, Measure
    from intercore.benchmarks.message.round_trip import MessageRoundTrip
    from intercore.benchmarks.message.rows import MessageLatency, Model
    from intercore.statistics.factors import FactorAnalysis
    from intercore.statistics.line import Fit

TOLD = 3  # settings in sentences on what one line is not enough for


def on_round_trips(trips: Sequence[MessageRoundTrip]) -> Iterator[str]:
    """Say what round trips are, if there are any."""
    if trips:
        names = ", ".join(dict.fromkeys(one.transport for one in trips))
        yield (
            f"By {names}, messages went to an echo and came back: these are round trips, which include the echo's own "
            "work. Its clock is not ours, so the time of one way is not known, and it is not half of a round trip."
        )


def sentences(
    found: Sequence[Curve],
    latency: Sequence[MessageLatency],
    throughput: Sequence[MessageThroughput],
    checked: MessageHeldOut | None,
    ranked: Sequence[MessageRank],
    gains: Sequence[MessageAdvantage],
    effects: Mapping[Measure, FactorAnalysis | None],
) -> Iterator[str]:
    """Say what was found, what matters most first."""
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


def _on_fit(rows: Sequence[Model]) -> Iterator[str]:
    known = [row for row in rows if row.relative_error_median is not None and row.lack_of_fit_p is not None]
    if not known:
        return
    enough = [row for row in known if len([piece for piece in row.pieces if piece.sizes != "other"]) == 1]
    median = float(np.median([row.relative_error_median or 0.0 for row in known]))
    row = max(known, key=lambda row: row.relative_error_max or 0.0)
    worst = row.relative_error_max or 0.0
    yield (
        f"A line alpha + beta × size is off by {percent(median)} of the time in median and by {percent(worst)} at "
        f"worst ({_measure_of(row)}{in_words(row.setting, row.setting)}). In {len(enough)} of {len(known)} settings, "
        "one line is enough, or no second line can be told."
    )


def _measure_of(row: Model) -> str:
    return "a stream by " if isinstance(row, MessageThroughput) else ""


def _on_breaks(found: Sequence[Curve]) -> Iterator[str]:
    bent = [curve for curve in found if curve.main is not None and curve.main.breaks]
    for curve in bent[:TOLD]:
        model, one = curve.main, curve.line
        if model is not None and one is not None:
            parts = [_break_in_words(model, index) for index in range(len(model.breaks))]
            off = [percent(float(np.max(np.abs(fit.relative_errors)))) for fit in (one, model)]
            yield (
                f"{_label_of(curve)}: one line is not enough, because it is off by up to {off[0]}; {len(model.pieces)} "
                f"lines are off by up to {off[1]}. {' '.join(parts)}"
            )
    if len(bent) > TOLD:
        yield f"The same is true of {len(bent) - TOLD} more settings: their pieces are in the JSON document."


def _on_words(found: Sequence[Curve]) -> Iterator[str]:
    apart = [curve for curve in found if curve.others_times is not None]
    if apart:
        worst = max(apart, key=lambda curve: curve.others_times or 0.0)
        word = worst.word_bytes
        others = [f"{size:,}" for size in worst.measurements if size % word]
        yield (
            f"In {len(apart)} of {len(found)} settings, sizes that are not a multiple of {word} bytes do not follow "
            f"the model of the others. At worst ({in_words(worst.setting, worst.setting)}, {worst.measure}, "
            f"{', '.join(others[:TOLD])} bytes), a quarter of such messages takes "
            f"{significant(worst.others_times or 0.0)} times as long as whole words, or longer. Pad "
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
    slopes = f"{ns_per_byte(1e3 * left.slope.value)} to {ns_per_byte(1e3 * right.slope.value)} ns per byte"
    where = f"between {left.high:,.0f} and {right.low:,.0f} bytes"
    quantile = model.quantile or 2.0
    if abs(jump) > quantile * error and abs(jump) > bend:
        up = "up" if jump > 0 else "down"
        return f"Somewhere {where} it steps {up} by {duration(abs(jump))}, and its slope goes from {slopes}."
    return f"Somewhere {where} it bends, and its slope goes from {slopes}."


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
    told = ", ".join(f"{one.factors[0]} {percent(min(one.eta_squared / rest, 1.0))}" for one in others[:TOLD])
    pairs = [one for one in effects.effects if len(one.factors) == 2 and one.eta_squared >= others[-1].eta_squared]
    also = ""
    if pairs and pairs[0].eta_squared / rest > HELD_OUT_AIM:
        first, second = pairs[0].factors
        also = f"; the effect of {first} depends on {second} ({percent(min(pairs[0].eta_squared / rest, 1.0))})"
    beside = f"The size explains {percent(size)} of the variation of log {what}; of the rest" if size else (
        f"Of the variation of log {what}"
    )  # fmt: skip
    yield f"{beside}: {told}{also}."


def _on_exactness(latency: Sequence[MessageLatency]) -> Iterator[str]:
    seen = [size.exactness for row in latency for size in row.sizes if size.exactness is not None]
    if seen:
        low, high = min(one.low for one in seen), max(one.high for one in seen)
        spread = max(one.spread for one in seen)
        between = f"{low}" if low == high else f"{low} to {high}"
        yield (
            f"Checked against the simulator: measured minus true latency is {between} ticks, within a setting and size "
            f"{constant(spread)}."
        )
