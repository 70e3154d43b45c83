"""The findings of `switch`."""

from __future__ import annotations

from typing import ClassVar, Literal

import msgspec

from intercore.benchmarks.caveats import FailedCheck
from intercore.benchmarks.counter import with_bound
from intercore.benchmarks.exactness import PROMISED_SPREAD, constant
from intercore.finding import Caveat, Finding, Severity
from intercore.view.answer import Remark, about_times
from intercore.view.quantity import duration, multiple

_BOTH = 2  # directions, those of two cores


class PrimitiveWakeUp(msgspec.Struct, frozen=True):
    """The median of a wake-up by a primitive, across cores and on the core that signals."""

    primitive: str
    cross_us: float
    same_us: float


class Direction(msgspec.Struct, frozen=True):
    """Wake-up latency in one direction."""

    first: int
    """The core that signals."""
    second: int
    quickest: PrimitiveWakeUp
    slowest: PrimitiveWakeUp
    """By the slowest primitive; the same as the quickest where there is one alone."""
    least_times: float
    """How many times as long a wake-up takes across cores as on the core that signals: the least of all primitives."""
    most_times: float

    def text(self, *, first: bool) -> str:
        """Return it in words; the first of several explains the factor."""
        low, high = multiple(self.least_times), multiple(self.most_times)
        factor = low if low == high else f"{low} to {high}"
        takes = f"{duration(self.quickest.cross_us)} ({self.quickest.primitive})"
        way, on_one = f"from core {self.first} to core {self.second}", duration(self.quickest.same_us)
        if self.slowest == self.quickest:
            return f"{takes} {way}, {factor} times the time on core {self.first} ({on_one})"
        takes += f" to {duration(self.slowest.cross_us)} ({self.slowest.primitive})"
        what = f" what the same primitive takes on core {self.first}" if first else ""
        where = "where" if first else f"on core {self.first}"
        return f"{takes} {way}, {factor} times{what} ({where} {self.quickest.primitive} takes {on_one})"


class SwitchCrossCore(Finding, frozen=True):
    """Wake-up latency on another core."""

    target: Literal["idle", "busy"]
    """The previous activity of the other core."""
    directions: int
    ways: tuple[Direction, ...]
    """Those of both directions; of more than two, the quickest and the slowest."""
    explained: bool
    """Whether to say what the medians include: once is enough."""

    @property
    def sentence(self) -> str:
        what = "asleep" if self.target == "idle" else "busy with a task of lower priority"
        ways = "; ".join(way.text(first=place == 0) for place, way in enumerate(self.ways))
        found = f"The wake-up latency of a task on another core that is {what} is {ways}."
        if self.directions > _BOTH:
            found += f" Of {self.directions} directions, these are the quickest and the slowest."
        if self.explained:
            found += (
                " These are medians, timestamp overhead included. On one core the woken task preempts the signaller; "
                "across cores the signaller does not call the kernel during the wake-up."
            )
        return found


class SwitchCallTime(Finding, frozen=True):
    """How long the call that wakes a task keeps the caller."""

    across: bool
    """Whether the task is on another core."""
    quickest: str
    quickest_us: float
    slowest: str
    slowest_us: float
    several: bool
    """Whether several cores or directions were measured, of which the slowest counts."""

    @property
    def sentence(self) -> str:
        where, several = (
            ("a task on another core", "directions")
            if self.across
            else ("a task of lower priority on its own core", "cores")
        )
        found = f"The call that wakes {where} returns after {duration(self.quickest_us)} ({self.quickest})"
        found += "." if self.slowest == self.quickest else f" to {duration(self.slowest_us)} ({self.slowest})."
        return f"{found} Of the {several} measured, the slowest is given." if self.several else found


class SwitchCounters(Finding, frozen=True):
    """How far apart the counters of two cores are, by exchanged timestamps."""

    first: int
    second: int
    ahead_us: float
    """By how much the counter of the second core is ahead of that of the first one."""
    ahead_within_us: float
    """How far from that it can be."""
    distinguishable: bool
    """Whether they are further apart than that."""
    within_us: float
    """How far the alignment can be off."""
    drift_ppm: float
    drift_within_ppm: float

    @property
    def sentence(self) -> str:
        apart = (
            f"differ by {duration(abs(self.ahead_us))} ±{duration(self.ahead_within_us)}"
            if self.distinguishable
            else f"do not differ significantly (by less than {duration(self.within_us)})"
        )
        return (
            f"The counters of cores {self.first} and {self.second} {apart}, and drift by "
            f"{with_bound(self.drift_ppm, self.drift_within_ppm)} ppm, according to timestamps that the cores "
            "exchanged before and after."
        )


class SwitchAlignedAgainstCommon(Finding, frozen=True):
    """By how much wake-ups by aligned counters differ from those by the common clock."""

    largest_us: float
    medians: int
    within_us: float
    """How far the alignment can be off."""
    explained: bool
    """Whether the alignment, the medians' intervals and the timestamp overhead explain it."""

    @property
    def sentence(self) -> str:
        verdict = (
            "the alignment, the medians' intervals and the timestamp overhead explain that"
            if self.explained
            else "the alignment does not explain that, so the machine was disturbed differently in the two measurements"
        )
        return (
            f"Aligned counters and the common clock differ by up to {duration(self.largest_us)} in {self.medians} "
            f"medians, and the alignment has an uncertainty of {duration(self.within_us)}: {verdict}."
        )


class SwitchFalseTimes(Finding, frozen=True):
    """Subtracting counters that were never aligned gives false times."""

    first: int
    second: int
    false_us: float
    stdev_us: float
    true_us: float | None
    """By a true clock; None if none was measured."""
    back_us: float | None
    """The false time in the other direction; None if none was measured."""

    @property
    def sentence(self) -> str:
        true = "" if self.true_us is None else f" instead of {duration(self.true_us)}"
        back = "" if self.back_us is None else f", and {duration(self.back_us)} in the opposite direction"
        return (
            "FALSE on purpose: subtracting the counters of two cores that were never aligned gives "
            f"{duration(self.false_us)} from core {self.first} to core {self.second}{true}, with a standard deviation "
            f"of {duration(self.stdev_us)}{back}. It is not a latency: it shows how much later one counter started, "
            "so it is large, nearly constant, and has the opposite sign in the opposite direction."
        )


class SwitchSynchronisedCounters(Finding, frozen=True):
    """Subtracting raw counters gives no false times."""

    @property
    def sentence(self) -> str:
        return (
            "Subtracting raw counters gives no false times here: the counters of this machine's cores are "
            "synchronised, as far as these samples show. That is a property of the machine, not of the method."
        )


class SwitchExactness(Finding, frozen=True):
    """By how much measured wake-ups are longer than those that the simulator saw."""

    wake_ups: int
    least_ticks: float
    most_ticks: float
    spread_ticks: int
    """By how much that varies within a setting, at most."""
    constant: bool
    """Whether it varies by no more than the clock promises."""
    interrupted: int
    """Wake-ups that were looked at during an interrupt."""

    @property
    def sentence(self) -> str:
        between = (
            f"{self.least_ticks:g}"
            if self.least_ticks == self.most_ticks
            else (f"{self.least_ticks:g} to {self.most_ticks:g}")
        )
        verdict = (
            f"is {constant(self.spread_ticks)} in each setting"
            if self.constant
            else (
                f"varies within a setting by up to {self.spread_ticks} ticks, more than the {PROMISED_SPREAD} that the "
                "clock allows"
            )
        )
        were = "was" if self.interrupted == 1 else "were"
        more = f"; {self.interrupted:,} more {were} delayed by an interrupt" if self.interrupted else ""
        return (
            f"Checked against the simulator: {self.wake_ups:,} wake-ups were measured {between} ticks too long. The "
            f"results contain this error, which {verdict}{more}."
        )


class SwitchRetaken(Finding, frozen=True):
    """Turns of yields were taken again."""

    turns: int

    @property
    def sentence(self) -> str:
        return (
            f"{self.turns:,} yield{'s' * (self.turns != 1)} {'were' if self.turns != 1 else 'was'} measured again, "
            "because the other task had run before the yield, or for another reason, such as time slicing at a tick."
        )


class SwitchSlowerAcross(Remark, frozen=True):
    """Where waking a task takes most times as long on the other core."""

    first: int
    second: int
    target: Literal["idle", "busy"]
    primitive: str

    @property
    def sentence(self) -> str:
        busy = " while that core is busy" if self.target == "busy" else ""
        return (
            f"Waking a task from core {self.first} takes {about_times(self.times)} times as long on core "
            f"{self.second}{busy} as on core {self.first} ({self.primitive})."
        )


class SwitchTimeSlices(Finding, frozen=True):
    """Yields were measured by a program that does not know of the kernel's time slices."""

    count: int
    condition: str
    """The condition with time slicing."""

    @property
    def severity(self) -> Severity:
        return "error"

    @property
    def sentence(self) -> str:
        return (
            f"In {self.count} of the yields, the other task ran before the yield: this kernel uses time slicing at "
            f"each tick ({self.condition} is 1). These numbers mean nothing; rebuild the program with this version, "
            "which measures such yields again."
        )


class SwitchNoPriorities(Caveat, frozen=True):
    """The system does not schedule by priority."""

    @property
    def sentence(self) -> str:
        return (
            "Without real-time scheduling a woken task may not preempt a running one. So the results of switch on one "
            "core, and with target=busy, depend on the system's scheduler."
        )


class SwitchNotAligned(Caveat, frozen=True):
    """Measurements hold no exchanges to align counters by."""

    measurements: int

    @property
    def sentence(self) -> str:
        return f"{self.measurements} measurements with time=aligned have no exchanged timestamps, so they are left out."


class SwitchFailedCheck(FailedCheck, frozen=True):
    """A check of the firmware failed."""

    wording: ClassVar[dict[str, str]] = {
        **FailedCheck.wording,
        "wrong": (
            "{count} of the signals arrived altered, or before they were sent: the primitive or the common clock of "
            "this target is wrong."
        ),
        "preempted": (
            "tasks that should not be preempted were preempted {count} times: another program with a higher priority "
            "ran. Close it, or use the median and not the largest values."
        ),
    }
