"""The samples of the benchmark `message` by setting and size, and the model of their medians.

A curve has all measurements of one measure at one setting: median time per message over the size. In a stream the time
per message is `window` / `messages`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
import numpy as np

from intercore.benchmarks.grouping import IRRELEVANT, by_run, ticks, varied_names
from intercore.statistics.factors import Observation
from intercore.statistics.intervals import order_interval
from intercore.statistics.line import Fit, Points, best, held_out, line
from intercore.statistics.repetitions import median

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from intercore.record.measurement import Level, Measurement
    from intercore.statistics.intervals import Interval

    Floats: TypeAlias = NDArray[np.float64]

BENCHMARK = "message"
Measure: TypeAlias = Literal["latency", "throughput"]
MEASURES: tuple[Measure, ...] = ("latency", "throughput")
SERIES: Mapping[Measure, str] = {"latency": "latency", "throughput": "window"}
OWN = ("transport", "from", "to", "region", "receiver", "load")
"""The factors that every setting has."""
NO_SETTING = frozenset({"measure", "size", "messages", *IRRELEVANT})
"""Factors that do not distinguish settings: the measure and the size, and how it is measured."""
SPEAKING = ("transport", "receiver", "region")
"""Factors whose levels say by themselves what they are."""

HELD_OUT_AIM = 0.05
"""Of a prediction for a size that the model did not see, in median. Seed 003 has less than this at the points that its
lines were fitted to, which is an easier test."""
Sizes: TypeAlias = Literal["all", "words", "other"]
"""Which sizes a model is for: all, or those that are whole words, or the others."""

_WORD_BYTES = "memory.word_bytes"  # condition
_WORDS = ("1", "2", "4", "8", "16")
_USUAL_WORD = 4
_APART = 3
_MEDIAN_ERROR = math.sqrt(math.pi / 2)  # standard error of a median against that of a mean, for normal values


@dataclass(frozen=True)
class Curve:
    """The samples of one setting by size, and the model of their medians."""

    measure: Measure
    setting: Mapping[str, Level]
    """OWN, and what else has several levels in the run."""
    measurements: Mapping[int, Sequence[Measurement]]
    """By size, in ascending order."""
    points: Points
    """Median time per message by size, in µs, with its standard error."""

    word_bytes: int
    """How many bytes a word of the target has."""

    @cached_property
    def models(self) -> dict[Sizes, Fit]:
        """The models of their medians by the sizes that they are for; none with a single size."""
        return _models(self)

    @property
    def main(self) -> Fit | None:
        """The model of all sizes, or of whole words if the others differ; None with a single size."""
        return self.models.get("all") or self.models.get("words")

    @cached_property
    def line(self) -> Fit | None:
        """One line through the same sizes."""
        return None if self.main is None else line(self.main.points)

    def model(self, size: int) -> Fit | None:
        """Return the model for a size; None if there is none."""
        return self.models.get("all") or self.models.get("other" if size % self.word_bytes else "words")

    @cached_property
    def held_out(self) -> Floats:
        """Errors of predictions for the inner sizes from models that did not see them; perhaps none."""
        return np.concatenate([np.zeros(0), *(held_out(one.points, len(one.breaks)) for one in self.models.values())])

    @cached_property
    def others_times(self) -> float | None:
        """How many times as long a quarter of the messages takes, or longer, whose sizes are no whole words.

        Against the model of whole words; median over these sizes. None if they are as that model says.
        """
        words = self.models.get("words")
        others = [size for size in self.measurements if size % self.word_bytes]
        return None if words is None else float(np.median([self.quarter(size, words) for size in others]))

    def quarter(self, size: int, model: Fit) -> float:
        """Return the quartile of the samples of a size that is farther from a model, as a multiple of its value."""
        expected = max(model.value(size), float(self.points.error.min()))
        low, high = np.percentile(self.samples(size), (25, 75)) / expected
        return float(high) if high - 1 > 1 - low else float(low)

    def repetitions(self, size: int) -> list[Floats]:
        """Return the times per message of one size by repetition, in µs."""
        return [times_us(one, self.measure) for one in self.measurements[size]]

    def samples(self, size: int) -> Floats:
        """Return the times per message of one size, in µs."""
        return np.concatenate(self.repetitions(size))

    def median(self, size: int) -> Interval:
        """Return the median time per message of one size with its interval, in µs."""
        return _median_of(self.measurements[size], self.measure)


def _models(curve: Curve) -> dict[Sizes, Fit]:
    """Return one model of all sizes, or one of whole words and one of the others, if these are surely not like them.

    A loop that copies words has to copy bytes where a message, or its place in a ring of messages, is no whole number
    of words; in a ring that may be every second place, so the median alone is not enough. The others are apart if a
    quarter of their samples is farther from the model of whole words than predictions should be, and three times as far
    as a quarter of the samples of any of its own sizes.
    """
    everything = best(curve.points)
    if everything is None:
        return {}
    whole = curve.points.x % curve.word_bytes == 0
    words = best(curve.points.without(~whole)) if whole.any() and not whole.all() else None
    if words is None or not words.freedom:
        return {"all": everything}
    off = np.array([abs(curve.quarter(size, words) - 1) for size in curve.measurements])
    if float(np.median(off[~whole])) < max(HELD_OUT_AIM, _APART * float(off[whole].max())):
        return {"all": everything}
    others = best(curve.points.without(whole))
    return {"words": words} if others is None else {"words": words, "other": others}


def times_us(one: Measurement, measure: Measure) -> Floats:
    """Return the time of each message, or per message of each stream, in µs."""
    times: Floats = one.samples(SERIES[measure]).ns / 1e3 / _messages(one, measure)
    return times


def _messages(one: Measurement, measure: Measure) -> int:
    """Return of how many messages a sample is the time."""
    return max(int(one.factors["messages"]), 1) if measure == "throughput" else 1


def _tick_us(one: Measurement, measure: Measure) -> float:
    """Return the resolution of `times_us`."""
    return 1e6 / one.samples(SERIES[measure]).hz / _messages(one, measure)


def curves(measurements: Iterable[Measurement]) -> list[Curve]:
    """Return the usable measurements of `message` by measure and setting, in the order in which people read them."""
    ours = [one for one in measurements if is_usable(one)]
    names = varied_names(ours, {*OWN, *NO_SETTING})
    found: dict[tuple[str, tuple[tuple[str, Level], ...]], dict[int, list[Measurement]]] = defaultdict(dict)
    for one in ours:
        setting = tuple((name, one.factors[name]) for name in (*OWN, *names) if name in one.factors)
        found[str(one.factors["measure"]), setting].setdefault(int(one.factors["size"]), []).append(one)
    made = [
        curve(msgspec.convert(measure, Measure), dict(setting), by_size)
        for (measure, setting), by_size in found.items()
    ]
    order = {str(one.factors["transport"]): None for one in ours}
    return sorted(made, key=lambda each: (MEASURES.index(each.measure), *_order(each.setting, list(order))))


def _order(setting: Mapping[str, Level], transports: Sequence[str]) -> tuple[object, ...]:
    """Sort key: transports as they come, then numbers by value and before names."""
    rest = [
        (1, 0, level) if isinstance(level, str) else (0, level, "")
        for name, level in setting.items()
        if name != "transport"
    ]
    return transports.index(str(setting["transport"])), rest


def curve(measure: Measure, setting: dict[str, Level], by_size: Mapping[int, Sequence[Measurement]]) -> Curve:
    """Return the measurements of one setting as a curve."""
    sizes = sorted(by_size)
    ordered = {size: by_size[size] for size in sizes}
    scatter = _between(ordered, measure)
    known = [_median(ordered[size], measure, scatter) for size in sizes]
    points = Points.of(sizes, [median for median, _ in known], [error for _, error in known])
    words = {one.conditions.get(_WORD_BYTES, "") for pool in by_size.values() for one in pool}
    word = words.pop() if len(words) == 1 else ""
    return Curve(measure, setting, ordered, points, int(word) if word in _WORDS else _USUAL_WORD)


def is_usable(one: Measurement) -> bool:
    """Whether it is one of `message` with samples and valid levels: a target may send anything."""
    known = one.factors
    if one.benchmark != BENCHMARK or known.get("measure") not in MEASURES or not set(OWN) <= set(known):
        return False
    numbers = [known["from"], known["to"], known.get("messages", 1), known.get("size", 0)]
    if not all(isinstance(number, int) and number >= 0 for number in numbers) or known.get("size", 0) == 0:
        return False
    series = SERIES["latency" if known["measure"] == "latency" else "throughput"]
    return len(ticks(one, series)) > 0 and one.samples(series).is_time


def _median_of(pool: Sequence[Measurement], measure: Measure) -> Interval:
    return median(_times_us(pool, measure), tick=max(_tick_us(one, measure) for one in pool))


def _times_us(pool: Sequence[Measurement], measure: Measure) -> list[Floats]:
    """Return the times per message by unit of replication, in µs."""
    return by_run(pool, (times_us(one, measure) for one in pool))


def _median(pool: Sequence[Measurement], measure: Measure, between: float) -> tuple[float, float]:
    """Return the median of a size and its standard error.

    It has three parts: that of the samples; the differences between repetitions; and half a tick either way, uniformly,
    which is the resolution of the clock however many samples there are.
    """
    units = _times_us(pool, measure)
    values = np.concatenate(units)
    known = order_interval(np.sort(values), 0.5)
    if known.low is not None and known.high is not None:
        sampling = (known.high - known.low) / (2 * 1.96)  # bounds of 95 %
    else:
        sampling = _MEDIAN_ERROR * float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    repeating = between * known.value / math.sqrt(len(units))
    return known.value, math.sqrt(sampling**2 + repeating**2 + _tick_us(pool[0], measure) ** 2 / 12)


def _between(by_size: Mapping[int, Sequence[Measurement]], measure: Measure) -> float:
    """Return by which fraction the medians of repeated measurements of one size differ; 0 if none was repeated."""
    squares, freedom = 0.0, 0
    for pool in by_size.values():
        medians = np.array([np.median(one) for one in _times_us(pool, measure)])
        if len(medians) > 1 and medians.mean() > 0:
            squares += float(np.sum((medians / medians.mean() - 1) ** 2))
            freedom += len(medians) - 1
    return math.sqrt(squares / freedom) if freedom else 0.0


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


def in_words(setting: Mapping[str, Level], names: Iterable[str]) -> str:
    """Return the description of a setting by some of its factors, e.g. `ring 0 → 1, polling, opt=O2`."""
    shown = [name for name in names if name in setting and (name, setting[name]) != ("load", "none")]
    cores = f"{setting['from']} → {setting['to']}" if {"from", "to"} <= set(shown) else ""
    words = [str(setting["transport"])] if "transport" in shown else []
    words = [" ".join([*words, cores])] if cores else words
    rest = [name for name in shown if name != "transport" and not (cores and name in ("from", "to"))]
    return ", ".join(
        [*words, *(str(setting[name]) if name in SPEAKING else f"{name}={setting[name]}" for name in rest)]
    )
