"""The findings of `message`."""

from __future__ import annotations

from itertools import groupby
from typing import ClassVar

import msgspec

from intercore.benchmarks.caveats import FailedCheck
from intercore.benchmarks.exactness import constant
from intercore.benchmarks.message.curve import Measure, in_words
from intercore.benchmarks.message.size_effect import ns_per_byte
from intercore.finding import Caveat, Finding
from intercore.record.measurement import Level
from intercore.statistics.intervals import Interval
from intercore.text import capitalised
from intercore.view.answer import Remark, about_times
from intercore.view.quantity import bounds, data_rate, duration, percent, significant

NAMED = 3
"""Settings in one sentence."""


def size_in_words(size: int) -> str:
    """Return a size in bytes with its unit."""
    return "1 byte" if size == 1 else f"{size:,} bytes"


def _words(setting: dict[str, Level]) -> str:
    return in_words(setting, setting)


def _ratio(ratio: Interval, more: str = "") -> str:
    return f"{significant(ratio.value)} ({bounds(ratio, significant)}{more})"


class RunnerUp(msgspec.Struct, frozen=True):
    """The second best choice."""

    choice: str
    times: Interval
    """How many times as long it takes as the best one."""
    equally_good: bool
    """Whether the difference is not significant."""

    def __str__(self) -> str:
        """Return by how much the best is ahead of it."""
        if self.equally_good:
            return f"{self.choice} does not differ significantly ({_ratio(self.times)} times as long)"
        return f"the next, {self.choice}, takes {_ratio(self.times)} times as long"


class LargestMessageChoice(msgspec.Struct, frozen=True):
    """The best choice for the largest messages."""

    bytes: int
    choice: str
    time_us: float


class MessageLowestLatency(Finding, frozen=True):
    """The choice for the lowest latency."""

    bytes: int
    choice: str
    time_us: float
    slowest: str | None
    """Of several directions and loads the one that takes so long; None if there is one alone."""
    second: RunnerUp
    largest: LargestMessageChoice | None
    """None if the best choice is the same for the largest messages."""

    @property
    def sentence(self) -> str:
        found = (
            f"For the lowest latency of messages of {size_in_words(self.bytes)} choose {self.choice}: "
            f"{duration(self.time_us)}{_at_worst(self.slowest)}; {self.second}"
        )
        if self.largest is not None:
            found += (
                f" (for {size_in_words(self.largest.bytes)}: {self.largest.choice}, {duration(self.largest.time_us)})"
            )
        return f"{found}."


class MessageHighestThroughput(Finding, frozen=True):
    """The choice for the highest throughput."""

    bytes: int
    choice: str
    bytes_per_s: float
    slowest: str | None
    """Of several directions and loads the one that has so low a rate; None if there is one alone."""
    second: RunnerUp

    @property
    def sentence(self) -> str:
        return (
            f"For the highest throughput with messages of {size_in_words(self.bytes)} choose {self.choice}: "
            f"{data_rate(self.bytes_per_s)}{_at_worst(self.slowest)}; {self.second}."
        )


def _at_worst(slowest: str | None) -> str:
    return "" if slowest is None else f" ({slowest}, the slowest direction)"


class Gain(msgspec.Struct, frozen=True):
    """The gain of one level of a factor over another."""

    better: str
    than: str
    measure: Measure
    bytes: int
    times: Interval
    """How many times as fast it is."""
    least_times: float
    most_times: float
    pairs: int
    """Pairs of settings that differ in nothing else."""
    unsure: bool
    """Whether it is not significantly different from 1."""

    def __str__(self) -> str:
        """Return it in words, without the names of the two."""
        what = "messages" if self.measure == "latency" else "streams of messages"
        if self.pairs > 1 and self.times.low is None:
            least, most = significant(self.least_times), significant(self.most_times)
            how = f"{significant(self.times.value)} ({least} to {most} in {self.pairs} pairs)"
        else:
            how = _ratio(self.times, f"; {self.pairs} pairs of settings" if self.pairs > 1 else "")
        unsure = ", not significantly different from 1" if self.unsure else ""
        return f"{what} of {size_in_words(self.bytes)} {how} times as fast{unsure}"


class MessageAlternatives(Finding, frozen=True):
    """The gain of polling over blocking, and of zero-copy."""

    gains: tuple[Gain, ...]
    """Those of one alternative stand together."""

    @property
    def sentence(self) -> str:
        alternatives = [
            f"{better} instead of {than} makes {', and '.join(map(str, gains))}"
            for (better, than), gains in groupby(self.gains, lambda one: (one.better, one.than))
        ]
        return f"{capitalised('; '.join(alternatives))}."


class FactorShare(msgspec.Struct, frozen=True):
    """How much of the variation a factor explains."""

    factor: str
    share: float
    """Of the variation that the size does not explain."""


class Interaction(msgspec.Struct, frozen=True):
    """Two factors whose effects depend on each other."""

    first: str
    second: str
    share: float
    """Of the variation that the size does not explain."""


class MessageFactors(Finding, frozen=True):
    """Which factor explains how much of the variation."""

    measure: Measure
    size_share: float
    """Share explained by the size; 0 if one size was measured."""
    shares: tuple[FactorShare, ...]
    """The largest first."""
    interaction: Interaction | None

    @property
    def sentence(self) -> str:
        what = "latency" if self.measure == "latency" else "time per message of a stream"
        begin = f"Of the variation of log {what}"
        if self.size_share:
            begin = f"The size explains {percent(self.size_share)} of the variation of log {what}; of the rest"
        shares = ", ".join(f"{one.factor} {percent(one.share)}" for one in self.shares)
        also = ""
        if self.interaction is not None:
            pair = self.interaction
            also = f"; the effect of {pair.first} depends on {pair.second} ({percent(pair.share)})"
        return f"{begin}: {shares}{also}."


class MessageLineFit(Finding, frozen=True):
    """How well a line alpha + beta × size fits."""

    median_error: float
    """As a fraction of the time: the median over settings."""
    worst_error: float
    worst_measure: Measure
    worst_setting: dict[str, Level]
    straight: int
    """Settings in which one line is enough."""
    settings: int

    @property
    def sentence(self) -> str:
        what = "a stream by " if self.worst_measure == "throughput" else ""
        return (
            f"A line alpha + beta × size has a median error of {percent(self.median_error)} of the time and an error "
            f"of {percent(self.worst_error)} at worst ({what}{_words(self.worst_setting)}). In {self.straight} of "
            f"{self.settings} settings one line is enough, or no second line is significant."
        )


class Break(msgspec.Struct, frozen=True):
    """Where one line ends and another one begins."""

    low_bytes: float
    high_bytes: float
    step_us: float | None
    """By how much the time steps, up if above 0; None where the lines meet."""
    before_ns_per_byte: float
    after_ns_per_byte: float

    def __str__(self) -> str:
        """Return it in words."""
        where = f"Somewhere between {self.low_bytes:,.0f} and {self.high_bytes:,.0f} bytes it"
        slopes = f"{ns_per_byte(self.before_ns_per_byte)} to {ns_per_byte(self.after_ns_per_byte)} ns per byte"
        how = "bends"
        if self.step_us is not None:
            how = f"steps {'up' if self.step_us > 0 else 'down'} by {duration(abs(self.step_us))}"
        return f"{where} {how}, and its slope goes from {slopes}."


class MessageBreaks(Finding, frozen=True):
    """One line is not enough."""

    measure: Measure
    curve: dict[str, Level]
    """Its setting."""
    line_error: float
    """By how much one line is off at worst, as a fraction of the time."""
    lines: int
    lines_error: float
    breaks: tuple[Break, ...]

    @property
    def sentence(self) -> str:
        curve = _words(self.curve)
        name = capitalised(curve) if self.measure == "latency" else f"A stream by {curve}"
        return (
            f"{name}: one line is not enough, because its error is up to {percent(self.line_error)}; that of "
            f"{self.lines} lines is up to {percent(self.lines_error)}. {' '.join(map(str, self.breaks))}"
        )


class MessageMoreBreaks(Finding, frozen=True):
    """One line is not enough in more settings."""

    settings: int

    @property
    def sentence(self) -> str:
        if self.settings == 1:
            return "The same holds for 1 more setting: its pieces are in the JSON document."
        return f"The same holds for {self.settings} more settings: their pieces are in the JSON document."


class MessagePartWords(Finding, frozen=True):
    """Messages that are not whole words take longer."""

    apart: int
    """Settings in which they do."""
    settings: int
    word_bytes: int
    worst_setting: dict[str, Level]
    measure: Measure
    sizes: tuple[int, ...]
    """Of these messages, in the worst setting."""
    times: float
    """How many times as long a quarter of them takes there, or longer."""

    @property
    def sentence(self) -> str:
        sizes = ", ".join(f"{size:,}" for size in self.sizes[:NAMED])
        return (
            f"In {self.apart} of {self.settings} settings, sizes that are not a multiple of {self.word_bytes} bytes "
            f"do not follow the model of the other sizes. At worst ({_words(self.worst_setting)}, {self.measure}, "
            f"{sizes} bytes), a quarter of such messages take {significant(self.times)} times as long as whole words, "
            "or longer. Pad messages to whole words."
        )


class MessageHeldOutCheck(Finding, frozen=True):
    """How well the model predicts sizes that it did not see, as fractions of the time."""

    median: float
    p90: float
    max: float
    aim: float
    """The aim for the median."""
    predictions: int

    @property
    def sentence(self) -> str:
        verdict = "within" if self.median <= self.aim else "not within"
        return (
            f"Cross-validation: the median error for sizes left out of the fit is {percent(self.median)}, {verdict} "
            f"the aim of {percent(self.aim)} ({percent(self.p90)} or better for 9 of 10, {percent(self.max)} at "
            f"worst; {self.predictions:,} predictions)."
        )


class MessageExactness(Finding, frozen=True):
    """By how much measured latencies are longer than those that the simulator saw."""

    least_ticks: int
    most_ticks: int
    spread_ticks: int
    """By how much that varies within a setting and size, at most."""

    @property
    def sentence(self) -> str:
        low, high = self.least_ticks, self.most_ticks
        between = f"{low}" if low == high else f"{low} to {high}"
        return (
            f"Checked against the simulator: the measured latency minus the true one is {between} ticks. For each "
            f"setting and size, this difference is {constant(self.spread_ticks)}."
        )


class MessagePilotSamples(Finding, frozen=True):
    """How many samples it takes to know each median."""

    pilot_samples: int
    """Samples of the smallest pilot."""
    within: float
    """The requested precision of a median, as a fraction to either side."""
    samples: int
    """That many are enough everywhere."""
    measure: Measure
    curve: dict[str, Level]
    """Setting that takes most."""
    bytes: int
    known: int
    """Settings and sizes of which a number of samples is enough."""
    asked: int
    """All settings and sizes."""

    @property
    def sentence(self) -> str:
        some = f", of {self.known} of {self.asked} settings and sizes" if self.known < self.asked else ""
        return (
            f"Pilot of {self.pilot_samples:,} samples or more: a median to ±{percent(self.within)} with 95 % "
            f"confidence takes at most {self.samples:,} samples ({self.measure}, {_words(self.curve)}, {self.bytes:,} "
            f"bytes){some}, within one repetition."
        )


class MessagePilotTwoLevels(Finding, frozen=True):
    """Medians that no number of samples makes known."""

    unknown: int
    asked: int
    within: float

    @property
    def sentence(self) -> str:
        return (
            f"For {self.unknown} of {self.asked} settings and sizes, no number of samples gives the median to "
            f"±{percent(self.within)}, because the median lies between two levels of the samples."
        )


class MessagePilotPublished(Finding, frozen=True):
    """How well medians are known by as many samples as a publication took."""

    samples: int
    pilot_samples: int
    publication: str
    within: float

    @property
    def sentence(self) -> str:
        return (
            f"{self.samples:,} samples, the number that {self.publication} took after a pilot of "
            f"{self.pilot_samples:,}, give each of these medians to ±{percent(self.within)} or better."
        )


class MessagePilotRepetitions(Finding, frozen=True):
    """Where more repetitions help, and more samples do not."""

    apart: int
    asked: int
    within: float
    """The worst precision of the median by the repetitions of the pilot."""

    @property
    def sentence(self) -> str:
        return (
            f"For {self.apart} of {self.asked} settings and sizes, the medians of the pilot's repetitions differ by "
            f"more than ±{percent(self.within)}: measure more repetitions there; more samples do not help."
        )


class MessageRoundTrips(Finding, frozen=True):
    """Transports by which round trips were measured."""

    transports: tuple[str, ...]

    @property
    def sentence(self) -> str:
        return (
            f"Messages by {', '.join(self.transports)} go to an echo and back: these are round trips, which include "
            "the work of the echo. The echo has another clock, so the one-way latency is unknown; it is not simply "
            "half of a round trip."
        )


class MessageBestGain(Remark, frozen=True):
    """The largest gain of a choice."""

    better: str
    than: str
    measure: Measure
    bytes: int

    @property
    def sentence(self) -> str:
        what = "" if self.measure == "latency" else " a stream of messages of"
        return f"{self.better} moves{what} {self.bytes:,} bytes {about_times(self.times)} times as fast as {self.than}."


class MessageFewSizes(Caveat, frozen=True):
    """Settings that were measured at one size have no model."""

    few: int
    settings: int

    @property
    def sentence(self) -> str:
        return (
            f"message: {self.few} of {self.settings} settings were measured at one size only, so they have no model. "
            "Name several, e.g. size=4,16,64,256,1024."
        )


class MessageFailedCheck(FailedCheck, frozen=True):
    """A check of the firmware failed."""

    wording: ClassVar[dict[str, str]] = {
        **FailedCheck.wording,
        "wrong": (
            "{count} messages were lost, duplicated, reordered or altered: this transport does not work, and its "
            "times mean nothing."
        ),
        "preempted": (
            "tasks were preempted {count} times, so the longest latencies include other work. This hardly affects "
            "medians."
        ),
    }
