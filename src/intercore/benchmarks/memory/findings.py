"""The findings of `memory`."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from intercore.benchmarks.caveats import FailedCheck
from intercore.finding import Finding
from intercore.view.answer import Remark, about_times
from intercore.view.memory import in_words


class Slowdown(msgspec.Struct, frozen=True):
    """Slowdown of a pass of one core with the other core busy."""

    times: float
    core: int
    region: str
    access: str
    """Access of the core: `read`, `write` or `copy`."""
    other: str
    """The activity of the other core: the same accesses, or the user's workload."""
    other_region: str | None
    """The region of the other core; None for the user's workload."""

    @property
    def cores(self) -> str:
        """What both cores do."""
        other = f"doing {self.other}" if self.other_region is None else f"in {self.other_region} ({self.other})"
        return f"core {self.core} in {self.region} ({self.access}), the other {other}"


class Rate(msgspec.Struct, frozen=True):
    """How fast a region is."""

    region: str
    mb_per_s: float
    word_cycles: float | None
    """Cycles per word; None where the clock does not count them."""

    def __str__(self) -> str:
        """Return the rate in words."""
        cycles = "" if self.word_cycles is None else f" ({self.word_cycles:.2f} cycles per word)"
        return f"{self.mb_per_s:,.0f} MB/s{cycles}"


class MemoryUncontended(Finding, frozen=True):
    """The cores hardly slow each other down."""

    worst: Slowdown

    @property
    def sentence(self) -> str:
        return (
            f"The cores hardly slow each other down: at worst a pass takes {self.worst.times:.2f} times as long "
            f"(beyond chance) with the other core busy ({self.worst.cores}). So it does not matter for the choice of "
            "a core in which region its data is."
        )


class MemoryContended(Finding, frozen=True):
    """The cores slow each other down."""

    worst: Slowdown

    @property
    def sentence(self) -> str:
        return (
            f"At worst a pass takes {self.worst.times:.2f} times as long with the other core busy (beyond chance): "
            f"{self.worst.cores}. If you measured with one core busy whether a deadline is met, allow for that."
        )


class MemorySeparateRegionsHelp(Finding, frozen=True):
    """The worst slowdown is smaller with the cores in separate regions."""

    apart: Slowdown
    """The worst in different regions."""
    same: Slowdown
    """The worst in the same region."""

    @property
    def sentence(self) -> str:
        return (
            f"With the data of the cores in separate regions, a pass takes at worst {self.apart.times:.2f} times as "
            f"long instead of {self.same.times:.2f} times: put data that only one core uses into its own region."
        )


class MemorySeparateRegionsDoNotHelp(Finding, frozen=True):
    """The worst slowdown is not smaller with the cores in separate regions."""

    apart: Slowdown
    same: Slowdown

    @property
    def sentence(self) -> str:
        return (
            f"Separate regions for the cores' data do not help: at worst a pass takes {self.apart.times:.2f} times as "
            f"long ({self.apart.cores}), and {self.same.times:.2f} times in the same region. The cores share "
            "something else: code in one of the regions, or the bus to them."
        )


class MemoryRegionsEqual(Finding, frozen=True):
    """All regions are equally fast."""

    access: str
    rate: Rate

    @property
    def sentence(self) -> str:
        return f"Every region is equally fast to {self.access}: {self.rate}."


class MemoryRegionsDiffer(Finding, frozen=True):
    """Some region is faster than another one."""

    access: str
    fastest: Rate
    slowest: Rate

    @property
    def sentence(self) -> str:
        return (
            f"The fastest region to {self.access} is {self.fastest.region}, {self.fastest}, and the slowest is "
            f"{self.slowest.region}, {self.slowest}."
        )


class MemorySlowdown(Remark, frozen=True):
    """Worst slowdown of memory with the other core busy."""

    worst: Slowdown

    @property
    def sentence(self) -> str:
        one = self.worst
        where = "" if one.other_region is None else f" in {in_words(one.other_region)}"
        return (
            f"Core {one.core} takes {about_times(one.times)} times as long to {one.access} in {in_words(one.region)} "
            f"while the other core does {one.other}{where}."
        )


class MemoryFailedCheck(FailedCheck, frozen=True):
    """A check of the firmware failed."""

    wording: ClassVar[dict[str, str]] = {
        **FailedCheck.wording,
        "wrong": (
            "{count} passes were wrong: memory did not hold the values that were written. It is faulty, or something "
            "else writes to it. The rates mean nothing."
        ),
        "preempted": (
            "tasks were preempted {count} times: other work used memory and caches, too. That affects the longest "
            "passes, and hardly the medians."
        ),
    }
