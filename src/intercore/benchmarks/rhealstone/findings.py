"""The findings of `rhealstone`."""

from __future__ import annotations

from typing import ClassVar, Literal

from intercore.benchmarks.caveats import FailedCheck
from intercore.finding import Finding
from intercore.view.quantity import duration, multiple


class RhealstoneWaking(Finding, frozen=True):
    """How many times as long waking a task takes on the other core, over the components that wake one."""

    least_times: float
    least: str
    """The component with the least."""
    most_times: float
    most: str

    @property
    def sentence(self) -> str:
        ends = ((self.least_times, self.least), (self.most_times, self.most))
        named = dict.fromkeys(f"{multiple(times)} ({component})" for times, component in ends)
        return (
            "Waking a task on the other core, while the signaller continues to call the kernel, takes "
            f"{' to '.join(named)} times as long as waking one on the same core."
        )


class RhealstoneSwitching(Finding, frozen=True):
    """How many times as long task switching takes across cores, of which the two forms are unlike."""

    least_times: float
    most_times: float

    @property
    def sentence(self) -> str:
        ends = dict.fromkeys(map(multiple, (self.least_times, self.most_times)))
        return (
            f"Task switching takes {' to '.join(ends)} times as long across cores, because its forms differ: on one "
            "core a ready task yields to another; across cores a blocked task is woken."
        )


class RhealstoneDeadlockBroken(Finding, frozen=True):
    """Time until an urgent task has what a task of low priority on the other core holds."""

    median_us: float

    @property
    def sentence(self) -> str:
        return (
            "If an urgent task needs a mutex that a task on the other core holds, the kernel raises the priority of "
            "the holder above that of the task that preempted it. The urgent task gets the mutex after "
            f"{duration(self.median_us)}."
        )


class RhealstoneFigureOfMerit(Finding, frozen=True):
    """The six times as one number."""

    form: Literal["same", "cross"]
    """All on one core, or from it to the next."""
    core: int
    """The core on which they begin."""
    per_s: float
    mean_us: float
    """Of the six medians."""

    @property
    def sentence(self) -> str:
        where = "on one core" if self.form == "same" else "across two"
        return (
            f"Rhealstone's figure of merit {where}, beginning on core {self.core}: {self.per_s:,.0f} per second, one "
            f"over the mean of {self.mean_us:.3g} µs. It gives six different times the same weight; prefer the six "
            "times."
        )


class RhealstoneFailedCheck(FailedCheck, frozen=True):
    """A check of the firmware failed."""

    wording: ClassVar[dict[str, str]] = {
        **FailedCheck.wording,
        "wrong": (
            "{count} repetitions were wrong: priority inheritance did not resolve a priority inversion (mutexes of "
            "this system may have none), or a received message differed from the sent one."
        ),
    }
