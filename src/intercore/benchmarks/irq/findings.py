"""The findings of `irq`."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from intercore.benchmarks.caveats import FailedCheck
from intercore.benchmarks.irq import DOING, PATHS, Doing, Path
from intercore.finding import Finding
from intercore.view.answer import Remark, about_times
from intercore.view.quantity import Time, duration


class IrqTimer(Finding, frozen=True):
    """How long an interrupt of a timer takes to its handler."""

    usual: Time
    """Median, on the core where it is longest."""
    cores: int
    """Cores that were measured."""
    largest: Time
    largest_while: Doing

    @property
    def sentence(self) -> str:
        slower = "" if self.cores == 1 else f" on the {'slower' if self.cores == 2 else 'slowest'} core"
        first = f"A timer's handler begins {self.usual} after the timer is due{slower}"
        if self.largest_while == "kernel" and self.usual.us > 0:
            times = self.largest.us / self.usual.us
            return f"{first}, and up to {self.largest} while tasks call the kernel: {times:.1f} times as long."
        return f"{first} (median), and {self.largest} at most while {DOING[self.largest_while]}."


class WakeUp(msgspec.Struct, frozen=True):
    """Wake-up latency from a handler."""

    first: int
    """Core of the handler."""
    second: int
    """The other core."""
    same_us: float
    """To a task on the handler's core."""
    cross_us: float
    """To a task on the other core."""
    times: float

    def __str__(self) -> str:
        """Return it in words."""
        return (
            f"a handler on core {self.first} wakes runs {duration(self.same_us)} later on that core, and "
            f"{duration(self.cross_us)} later on core {self.second}, {self.times:.2f} times as long"
        )


class IrqWakeUp(Finding, frozen=True):
    """How much longer a handler takes to wake a task on another core than one on its own."""

    directions: int
    wake_ups: tuple[WakeUp, ...]
    """Those of both directions; of more than two, the quickest and the slowest."""

    @property
    def sentence(self) -> str:
        many = (
            f" Of {self.directions} directions, these are the quickest and the slowest." if self.directions > 2 else ""
        )
        return f"A task that {'; and one that '.join(map(str, self.wake_ups))}.{many}"


class IrqDoorbell(Finding, frozen=True):
    """How long a ring takes to the handler of another core."""

    there: Time
    """Median, of the direction where it is longest."""
    directions: int
    round_trip: Time | None
    """To the handler of the ring that answers it."""
    wake_up_times: float | None
    """How many times as long waking a task there takes."""

    @property
    def sentence(self) -> str:
        slower = {1: "", 2: " in the slower direction"}.get(self.directions, " in the slowest direction")
        back = "" if self.round_trip is None else f", and its answer is back after {self.round_trip}"
        advice = ""
        if self.wake_up_times is not None and self.wake_up_times > 1:
            advice = (
                f". Waking a task there takes {self.wake_up_times:.1f} times as long: do short work in the doorbell's "
                "handler"
            )
        return f"A doorbell reaches its handler on the other core after {self.there}{slower}{back}{advice}."


class IrqTimerToTask(Finding, frozen=True):
    """The worst case from a timer to a task."""

    largest_us: float
    samples: int
    across: bool
    """Whether the largest one was to another core."""
    largest_while: Doing
    typical_us: float

    @property
    def sentence(self) -> str:
        where = "on another core" if self.across else "on the same core"
        return (
            f"From a timer to its task, allow more than {duration(self.largest_us)}. That is the maximum of "
            f"{self.samples:,} samples ({where}, while {DOING[self.largest_while]}); the median is "
            f"{duration(self.typical_us)}. The maximum measured is not the maximum possible."
        )


class IrqPin(Finding, frozen=True):
    """How long the edge of a pin takes to its handler and to a task."""

    usual: Time
    """Median to the handler, where it is longest."""
    largest_us: float
    """To the handler, whatever the cores do."""
    to_task_us: float | None
    """Median to the task that the handler wakes, where it is longest; None if it was not measured."""

    @property
    def sentence(self) -> str:
        first = f"A pin's handler begins {self.usual} after the edge (median), and {duration(self.largest_us)} at most."
        if self.to_task_us is None:
            return first
        return f"{first} The task that it wakes runs {duration(self.to_task_us)} after the edge."


class IrqSlowToWake(Finding, frozen=True):
    """A sleeping core begins a handler later than a core at work."""

    path: Path
    cores: str
    """The core, or from which core to which: `0 → 1`."""
    asleep_us: float
    awake_us: float

    @property
    def sentence(self) -> str:
        return (
            f"A sleeping core begins a handler later than a busy core ({self.path} {self.cores}: "
            f"{duration(self.asleep_us)} asleep, {duration(self.awake_us)} busy). The core has to wake up first, "
            "which takes longer from a deeper sleep."
        )


class IrqLargest(Remark, frozen=True):
    """The latency that is farthest from the usual one."""

    path: Path
    largest_us: float
    largest_while: Doing

    @property
    def sentence(self) -> str:
        return (
            f"The latency {PATHS[self.path]} is up to {duration(self.largest_us)}, {about_times(self.times)} times "
            f"the median (while {DOING[self.largest_while]})."
        )


class IrqFailedCheck(FailedCheck, frozen=True):
    """A check of the firmware failed."""

    wording: ClassVar[dict[str, str]] = {
        "lost": (
            "{count} interrupts did not arrive within a second: they were lost, or the machine was stopped for that "
            "long."
        ),
        "wrong": (
            "{count} interrupts arrived without a cause, or before it: an interrupt was raised twice or from outside, "
            "or the cores do not read the same clock."
        ),
        "migrated": (
            "{count} handlers or tasks ran on a core other than the one they were pinned to: permit the affinity."
        ),
        "preempted": (
            "{count} times a measured task was preempted: another program has a higher priority, or the system does "
            "not permit real-time scheduling."
        ),
    }
