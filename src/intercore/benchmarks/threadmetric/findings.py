"""What `threadmetric` may find, and how that is worded."""

from __future__ import annotations

from typing import ClassVar, Literal

from intercore.benchmarks.caveats import FailedCheck
from intercore.finding import Caveat, Finding
from intercore.view.answer import Remark, about_times
from intercore.view.quantity import multiple


class ThreadmetricPassed(Finding, frozen=True):
    """How many times as often rounds are done that go from core to core, over the tests that pass them on."""

    least_times: float
    least: str
    """The test with the least."""
    most_times: float
    most: str

    @property
    def sentence(self) -> str:
        ends = ((self.least_times, self.least), (self.most_times, self.most))
        named = dict.fromkeys(f"{multiple(times)} ({test})" for times, test in ends)
        return f"Rounds that go from core to core are done {' to '.join(named)} times as often as on one core alone."


class ThreadmetricAtOnce(Finding, frozen=True):
    """How many times as often two cores at once do what one does."""

    times: dict[str, float]
    """By test."""

    @property
    def sentence(self) -> str:
        listed = ", ".join(f"{test} {multiple(times)}" for test, times in self.times.items())
        return (
            "Both cores at once get this many times as much done as one core alone, where two would be ideal: "
            f"{listed}."
        )


class ThreadmetricLockBound(Finding, frozen=True):
    """Two cores get less done than one, because they contend for a lock."""

    test: Literal["memory", "synchronisation"]

    @property
    def sentence(self) -> str:
        lock = {"memory": "the heap's", "synchronisation": "the semaphore's and the kernel's"}[self.test]
        return f"In {self.test} two cores get less done than one: they spend their time on {lock} lock."


class ThreadmetricSlowerTogether(Remark, frozen=True):
    """The test of which two cores at once get less done than one."""

    test: str

    @property
    def sentence(self) -> str:
        times = about_times(1 / self.times)
        return f"Two cores get {times} times as much done as one (Thread-Metric's {self.test})."


class ThreadmetricNoTurns(Caveat, frozen=True):
    """Tasks on one core did not take turns."""

    test: str
    apart: int
    """Most by which the counts of the five tasks differ."""

    @property
    def sentence(self) -> str:
        return (
            f"The five tasks of {self.test} on one core did not take turns: their counts are up to {self.apart:,} "
            "apart. The scheduler that this system permits does not work like those of real-time kernels, and the "
            "count means little."
        )


class ThreadmetricFailedCheck(FailedCheck, frozen=True):
    """A check of the firmware failed."""

    wording: ClassVar[dict[str, str]] = {
        **FailedCheck.wording,
        "wrong": (
            "{count} windows were wrong: a message, a block of memory or an interrupt was not what it must be, or "
            "nothing was counted at all."
        ),
        "preempted": (
            "tasks were forced off their core {count} times: less was counted in these windows than the system can "
            "do. Close other programs, or permit a real-time priority."
        ),
    }
