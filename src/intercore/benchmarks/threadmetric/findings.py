"""The findings of `threadmetric`."""

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
        times = " to ".join(named)
        return f"With its tasks on two cores, a test counts {times} times as much as with all of them on one core."


class ThreadmetricAtOnce(Finding, frozen=True):
    """How many times as often two cores at once do what one does."""

    times: dict[str, float]
    """By test."""

    @property
    def sentence(self) -> str:
        listed = ", ".join(f"{test} {multiple(times)}" for test, times in self.times.items())
        return f"Count of both cores together, divided by that of one core alone (ideal: 2): {listed}."


class ThreadmetricLockBound(Finding, frozen=True):
    """Two cores get less done than one, because they contend for a lock."""

    test: Literal["memory", "synchronisation"]

    @property
    def sentence(self) -> str:
        lock = {"memory": "the heap's", "synchronisation": "the semaphore's and the kernel's"}[self.test]
        return f"In {self.test} two cores count less than one: they spend their time on {lock} lock."


class ThreadmetricSlowerTogether(Remark, frozen=True):
    """The test of which two cores at once get less done than one."""

    test: str

    @property
    def sentence(self) -> str:
        times = about_times(1 / self.times)
        return f"Two cores count {times} times as much as one (Thread-Metric's {self.test})."


class ThreadmetricNoTurns(Caveat, frozen=True):
    """Tasks on one core did not take turns."""

    test: str
    apart: int
    """Most by which the counts of the five tasks differ."""

    @property
    def sentence(self) -> str:
        return (
            f"The five tasks of {self.test} on one core did not take turns: their counts differ by up to "
            f"{self.apart:,}. The scheduler of this system does not work like that of a real-time kernel, and the "
            "count means little."
        )


class ThreadmetricFailedCheck(FailedCheck, frozen=True):
    """A check of the firmware failed."""

    wording: ClassVar[dict[str, str]] = {
        **FailedCheck.wording,
        "wrong": (
            "{count} windows were wrong: a message, a block of memory or an interrupt was wrong, or nothing was "
            "counted."
        ),
        "preempted": (
            "tasks were preempted {count} times, so the counts of these windows are too low. Close other programs, or "
            "permit real-time priorities."
        ),
    }
