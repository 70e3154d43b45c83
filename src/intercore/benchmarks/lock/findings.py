"""The findings of `lock`."""

from __future__ import annotations

from typing import ClassVar

from intercore.benchmarks.caveats import FailedCheck
from intercore.finding import Caveat, Finding, Severity
from intercore.view.answer import Remark, about_times
from intercore.view.quantity import Time


class LockHandOvers(Finding, frozen=True):
    """Time from a release to the acquisition by a waiting core."""

    medians: dict[str, Time]
    """By lock, in the slower direction."""

    @property
    def sentence(self) -> str:
        times = ", ".join(f"{lock} {time}" for lock, time in self.medians.items())
        return (
            "Lock hand-off, from the release to the acquisition by a waiting core (median of the slower direction, "
            f"timestamp overhead included): {times}."
        )


class LockMutexSlower(Finding, frozen=True):
    """The hand-off of a mutex takes longer than that of a spinlock."""

    times: float
    mutex: Time

    @property
    def sentence(self) -> str:
        return (
            f"A hand-off of the mutex takes {self.times:.3g} times as long as one of the spinlock, because the kernel "
            "puts the waiting task to sleep and wakes it. Protect data with a spinlock if its critical section is "
            f"short, bounded and far below {self.mutex}; a waiting core does nothing else."
        )


class LockNeverAcquired(Finding, frozen=True):
    """No core got the lock while all wanted it."""

    lock: str
    hold: int
    """Turns of a loop for which it is held."""
    pause: int
    """Iterations of a loop from a release to the next attempt."""

    @property
    def sentence(self) -> str:
        return f"No core acquired the {self.lock} under contention (hold {self.hold}, pause {self.pause})."


class LockUnfair(Finding, frozen=True):
    """Cores that contend for a lock do not get equal shares."""

    lock: str
    hold: int
    pause: int
    shares_percent: tuple[float, ...]
    """By core."""
    jain: float
    """Jain's index of fairness."""
    longest_streak: int
    """Most acquisitions in a row by one core."""

    @property
    def sentence(self) -> str:
        shares = " : ".join(f"{share:.0f}" for share in self.shares_percent)
        return (
            f"The {self.lock} is not shared evenly (hold {self.hold}, pause {self.pause}): {shares} % by core, Jain's "
            f"index {self.jain:.2f}, and one core had it up to {self.longest_streak} times in a row. A task may not "
            "get it in time: yield after a release, or pass the work through a queue."
        )


class LockBarging(Finding, frozen=True):
    """A mutex is mostly taken again by the core that has just released it."""

    repeated_percent: float
    """Acquisitions by the core that had it just before."""

    @property
    def sentence(self) -> str:
        return (
            f"The mutex stays with one core: {self.repeated_percent:.0f} % of acquisitions are by its previous owner, "
            "which takes it again before the waiting core has woken up."
        )


class LockFair(Finding, frozen=True):
    """Locks that contending cores share evenly."""

    locks: tuple[str, ...]

    @property
    def sentence(self) -> str:
        return f"Contending cores share these locks evenly: {', '.join(self.locks)}."


class LockThroughput(Finding, frozen=True):
    """Acquisitions per second by all cores together, of the locks with the most and the fewest."""

    most: str
    most_per_second: float
    each_at_most: Time
    """Time for each acquisition of the lock with the most."""
    fewest: str
    fewest_per_second: float
    each_at_fewest: Time

    @property
    def sentence(self) -> str:
        return (
            f"Under contention, {self.most} allows {self.most_per_second:,.0f} acquisitions per second on all cores "
            f"together, and {self.fewest} allows {self.fewest_per_second:,.0f}. A counter that several cores change "
            f"continuously costs {self.each_at_most} to {self.each_at_fewest} per change, including the time inside "
            "(hold) and between (pause)."
        )


class LockPingPongTime(Finding, frozen=True):
    """The quickest way of a word from core to core."""

    lock: str
    first: int
    second: int
    one_way: Time

    @property
    def sentence(self) -> str:
        return (
            f"A word that one core changes by {self.lock} and another core polls goes from core {self.first} to core "
            f"{self.second} in {self.one_way}. A lock between two cores takes this time more than once."
        )


class LockLeastEven(Remark, frozen=True):
    """The lock that contending cores share least evenly."""

    lock: str

    @property
    def sentence(self) -> str:
        return f"Under contention, one core gets the {self.lock} {about_times(self.times)} times as often as another."


class LockBroken(Finding, frozen=True):
    """The data that a lock protects was wrong."""

    lock: str

    @property
    def severity(self) -> Severity:
        return "error"

    @property
    def sentence(self) -> str:
        return (
            f"With {self.lock} the protected data was wrong: two cores were inside at the same time, or a change was "
            "lost. This lock does not work on this target, and its times mean nothing."
        )


class LockNothingMeasured(Caveat, frozen=True):
    """No measurement has samples."""

    @property
    def sentence(self) -> str:
        return (
            "There was nothing to measure: a lock needs two different cores, and a ping-pong exists only for "
            "atomic-add and atomic-swap. Choose other levels."
        )


class LockFailedCheck(FailedCheck, frozen=True):
    """A check of the firmware failed."""

    wording: ClassVar[dict[str, str]] = {
        **FailedCheck.wording,
        "wrong": "",  # `LockBroken` tells of that
        "preempted": (
            "tasks were preempted {count} times. If such a task had the lock, all others waited until it continued: "
            "these times are among the longest. Close other programs on these cores."
        ),
    }
