"""What a benchmark answers on one line, and what of it stands out: the first screen that a person reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from intercore.finding import Finding
from intercore.statistics.intervals import Interval
from intercore.view.quantity import (
    bounds,
    data_rate,
    data_rate_bounds,
    duration,
    duration_bounds,
    multiple,
    significant,
)
from intercore.view.section import Topic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from intercore.record.measurement import Level

Unit: TypeAlias = Literal["us", "times", "bytes/s"]
Bound: TypeAlias = Literal["", "≤", "≥"]


class Answer(msgspec.Struct, frozen=True):
    """The answer to one question that a designer asks of a benchmark."""

    question: str
    """In few words: `wake a task, other core`; at most 24 characters, save where it names several factors."""
    value: Interval | None
    """A number of the analysis, with its interval if known; None where no number answers."""
    unit: Unit = "us"
    about: str = ""
    """What it holds for, such as the best choice: `notification`. Where there is no number, the whole answer.

    Of `times`, it goes on with the number, and tells what the multiple is of: `as long, read in ram`."""
    bound: Bound = ""
    """What the number bounds, where nothing beyond it was tried: `≤` for the smallest that was, `≥` for the largest."""
    verdict: str = ""
    """What the number must not be taken for, in few words that stand before it: `no difference`, `likely disturbed`."""
    brief: bool = True
    """Whether it is among those that a terminal has room for."""
    rated: bool = True
    """Whether one of two targets is faster where its number is smaller: not of the least work that pays, which each
    target tells in its own time."""
    worst: bool = False
    """Whether the number is the worst that was seen: it has no interval, and more samples may show a worse one."""
    overhead: bool = False
    """Whether it is the timestamp overhead, which all other times hold: nothing is subtracted from an answer."""
    topic: Topic | None = None
    """What it is asked under on a page, where that is not its benchmark's and something else is: a free mutex under
    locks."""
    again: bool = False
    """Whether it tells of the best way what another question was answered with: a page leaves it out."""
    leads: bool = False
    """Whether it stands there before the answers of that topic's own benchmark, not behind them."""

    @property
    def text(self) -> str:
        """The answer in words: `12.0 µs (11.9–12.1), notification`; bounds that read as the value are left out."""
        if self.value is None:
            return self.about
        is_phrase = self.unit == "times" or self.about.startswith("of ")
        joint = " " if is_phrase and not self.verdict else ", "
        return joint.join(filter(None, (self.headline, self.about)))

    @property
    def headline(self) -> str:
        """The number with what is to be read before it: `no difference (1.04 ×)`; empty where there is no number."""
        if not (self.verdict and self.number):
            return self.number
        return f"{self.verdict}: {self.number}" if "(" in self.number else f"{self.verdict} ({self.number})"

    @property
    def choice(self) -> str:
        """What the number is of, in a word: `notification` of `notification 1 → 0; 0 → 1: 3.80 µs`; it may be empty."""
        return re.split(r"[\s,;:(]", self.about, maxsplit=1)[0]

    @property
    def number(self) -> str:
        """The number alone, with its unit and interval, and what it bounds; empty where there is none."""
        if self.value is None:
            return ""
        write, write_bounds = _WRITERS[self.unit]
        written, span = write(self.value.value), write_bounds(self.value)
        low, _, high = span.partition(" – ")
        shown = f" ({span.replace(' ', '')})" if span and not (low == high and written.startswith(low)) else ""
        unit = " ×" if self.unit == "times" else ""
        return " ".join(filter(None, (self.bound, written + unit + shown)))


_WRITERS: Mapping[Unit, tuple[Callable[[float], str], Callable[[Interval], str]]] = {
    "us": (duration, duration_bounds),
    "times": (multiple, lambda estimate: bounds(estimate, multiple)),
    "bytes/s": (data_rate, data_rate_bounds),
}


class Remark(Finding, frozen=True):
    """What stands out on a target. It is a class for each kind."""

    times: Annotated[float, Meta(gt=0)]
    """How many times as much something is as one would expect, or as little: above 1. The largest are told first."""


def equality_verdict(times: Interval | None) -> str:
    """Return the verdict of a multiple that is 1 as far as it is written, or that its interval cannot tell from 1."""
    if times is not None and multiple(times.value) == multiple(1.0):
        return "no difference"
    unsure = times is not None and times.low is not None and times.high is not None and times.low <= 1 <= times.high
    return "no certain difference" if unsure else ""


def about_times(times: float) -> str:
    """Write how many times as much something is, as roughly as a remark needs it: `93`, `7.2`, `0.32`."""
    return significant(times, 2)


_DEPENDS = 1.25  # times the quickest, from which on both are told


def and_other_way(shown: tuple[str, float], other: tuple[str, float]) -> str:
    """Name the way that is told, with what another one takes behind it: ` 1 → 0; 0 → 1: 3.80 µs`.

    Each is given as its name and its time in µs. It is empty where they hardly differ.
    """
    least, most = sorted((shown[1], other[1]))
    if most <= least or most < _DEPENDS * least:
        return ""
    return f" {shown[0]}; {other[0]}: {duration(other[1])}"


def with_varied(name: str, varied: Mapping[str, Level]) -> str:
    """Name a choice, with the other factors that take several levels in the run."""
    return " ".join((name, *(f"{factor}={level}" for factor, level in varied.items())))
