"""The findings of `clock`."""

from __future__ import annotations

from typing import ClassVar

from intercore.benchmarks.caveats import FailedCheck
from intercore.benchmarks.counter import with_bound
from intercore.benchmarks.exactness import PROMISED_SPREAD, constant
from intercore.finding import Finding, Severity
from intercore.view.quantity import duration


class ClockExactness(Finding, frozen=True):
    """By how much measured intervals are longer than those that the simulator saw."""

    intervals: int
    least_ticks: int
    most_ticks: int
    least_overhead_ticks: float | None
    """The timestamp overhead as the target finds it, on the core where it is least; None if it was not measured."""
    most_overhead_ticks: float | None
    constant: bool
    """Whether they vary by no more than the clock promises."""

    @property
    def sentence(self) -> str:
        spread = self.most_ticks - self.least_ticks
        verdict = (
            f"is {constant(spread)}"
            if self.constant
            else f"varies by more than the {PROMISED_SPREAD} ticks that the clock allows"
        )
        found = (
            f"Checked against the simulator: {self.intervals:,} intervals, on one core and across cores, were measured "
            f"{_range(self.least_ticks, self.most_ticks)} ticks too long. This error {verdict}."
        )
        if self.least_overhead_ticks is not None and self.most_overhead_ticks is not None:
            overhead = _range(self.least_overhead_ticks, self.most_overhead_ticks)
            found += f" The target itself finds a timestamp overhead of {overhead} ticks."
        return found


class ClockInterrupted(Finding, frozen=True):
    """Intervals were measured longer because an interrupt came while the clock was read."""

    intervals: int
    longest_ticks: int
    """By how much, at most."""

    @property
    def sentence(self) -> str:
        return (
            f"{self.intervals:,} other{'' if self.intervals == 1 else 's'}, in which an interrupt came while a core "
            f"read the clock, {'was' if self.intervals == 1 else 'were'} measured up to {self.longest_ticks:,} ticks "
            "too long."
        )


class ClockOfCounters(Finding, frozen=True):
    """The common clock is made of a counter for each core."""

    uncertainty_ticks: int

    @property
    def sentence(self) -> str:
        return (
            "The common clock consists of one counter per core. The target aligned them at start, to "
            f"±{self.uncertainty_ticks:,} ticks, so every time from one core to another has that uncertainty."
        )


class ClockCountersSynchronised(Finding, frozen=True):
    """The counters of two cores do not differ significantly."""

    first: int
    second: int
    within_us: float

    @property
    def sentence(self) -> str:
        return (
            f"The counters of cores {self.first} and {self.second} agree to within {duration(self.within_us)}: they "
            "are synchronised on this machine."
        )


class ClockCountersApart(Finding, frozen=True):
    """The counter of one core is ahead of another one's."""

    first: int
    second: int
    ahead_us: float
    """By how much the counter of the second core is ahead, or behind if negative."""
    within_us: float
    """How far from that it can be."""

    @property
    def sentence(self) -> str:
        return (
            f"The counter of core {self.second} is {abs(self.ahead_us):,.2f} µs "
            f"{'ahead of' if self.ahead_us > 0 else 'behind'} that of core {self.first}, ±{self.within_us:.2g} µs: "
            "align the two before you subtract their readings."
        )


class ClockCounterDrift(Finding, frozen=True):
    """How fast the counter of a core runs by the common clock."""

    core: int
    hz: int
    """Its nominal rate."""
    drift_ppm: float
    """By how much faster it runs."""
    within_ppm: float

    @property
    def sentence(self) -> str:
        return (
            f"The counter of core {self.core} runs {with_bound(self.drift_ppm, self.within_ppm)} ppm faster than its "
            f"nominal {self.hz / 1e6:.6g} MHz, measured by the common clock."
        )


class ClockOffsetBounds(Finding, frozen=True):
    """How far apart the clocks of two cores can be, by the intervals between them."""

    first: int
    second: int
    low_ticks: int
    high_ticks: int
    tick_ns: float

    @property
    def sentence(self) -> str:
        return (
            f"The offset between the clocks of cores {self.first} and {self.second} is known only roughly: only an "
            f"offset larger than the shortest intervals measured would show. These are {self.high_ticks:,} ticks of "
            f"{self.tick_ns:g} ns from core {self.first} to core {self.second} and {-self.low_ticks:,} ticks back, "
            "the time that tasks take from one reading to the next."
        )


class ClockMisaligned(Finding, frozen=True):
    """The offset between the clocks of two cores is larger than the target states."""

    first: int
    second: int
    low_ticks: int
    high_ticks: int
    uncertainty_ticks: int
    """As the target says."""

    @property
    def severity(self) -> Severity:
        return "error"

    @property
    def sentence(self) -> str:
        return (
            f"The clocks of cores {self.first} and {self.second} are {self.low_ticks:,} to {self.high_ticks:,} ticks "
            f"apart, although the target aligned them to ±{self.uncertainty_ticks:,} at start. A change of the cores' "
            "clock, sleep or a debugger can cause this. Times between cores are wrong: restart the target."
        )


class ClockFailedCheck(FailedCheck, frozen=True):
    """A check of the firmware failed."""

    wording: ClassVar[dict[str, str]] = {
        **FailedCheck.wording,
        "wrong": (
            "{count} intervals were negative: the cores do not read the same clock, or a clock stepped back. Times "
            "between cores of this target are wrong."
        ),
        "preempted": "",  # between its readings a task may be: that is in the interval as well
    }


def _range(low: float, high: float) -> str:
    return f"{low:.12g}" if low == high else f"{low:.12g} to {high:.12g}"
