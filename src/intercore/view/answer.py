"""The one-line answers of a benchmark, and remarks: the first screen that a person reads."""

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
    """The choice or case of the number, such as `notification`. Without a number, the whole answer.

    With `times`, it continues the number: `as long, read in ram`."""
    bound: Bound = ""
    """`≤` or `≥` if the number is at the limit of the measured range."""
    verdict: str = ""
    """A caveat in few words before the number: `no difference`, `likely disturbed`."""
    brief: bool = True
    """Whether it is among those that a terminal has room for."""
    rated: bool = True
    """Whether a smaller number means a faster target: not for a break-even, which is in each target's own time."""
    worst: bool = False
    """Whether the number is a maximum: it has no interval, and more samples may have a larger one."""
    overhead: bool = False
    """Whether it is the timestamp overhead, which all other times include: nothing is subtracted from an answer."""
    topic: Topic | None = None
    """The topic of a page under which it appears, if not its benchmark's: a free mutex under locks."""
    again: bool = False
    """Whether another answer already has it: a page leaves it out."""
    leads: bool = False
    """Whether it comes before the other answers of that topic."""

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
    """A remark on a target. There is a class for each kind."""

    times: Annotated[float, Meta(gt=0)]
    """Factor by which something exceeds, or falls below, the expectation: above 1. The largest come first."""


def equality_verdict(times: Interval | None) -> str:
    """Return the verdict of a multiple that is written as 1, or whose interval includes 1."""
    if times is not None and multiple(times.value) == multiple(1.0):
        return "no difference"
    unsure = times is not None and times.low is not None and times.high is not None and times.low <= 1 <= times.high
    return "no certain difference" if unsure else ""


def about_times(times: float) -> str:
    """Write a factor with the precision of a remark: `93`, `7.2`, `0.32`."""
    return significant(times, 2)


_DEPENDS = 1.25  # times the fastest, from which on both are shown


def and_other_way(shown: tuple[str, float], other: tuple[str, float]) -> str:
    """Name the direction of the answer, followed by the time of another one: ` 1 → 0; 0 → 1: 3.80 µs`.

    Each is given as its name and its time in µs. It is empty if they hardly differ.
    """
    least, most = sorted((shown[1], other[1]))
    if most <= least or most < _DEPENDS * least:
        return ""
    return f" {shown[0]}; {other[0]}: {duration(other[1])}"


def with_varied(name: str, varied: Mapping[str, Level]) -> str:
    """Name a choice, with the other factors that take several levels in the run."""
    return " ".join((name, *(f"{factor}={level}" for factor, level in varied.items())))
