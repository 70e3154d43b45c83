"""The findings of `api`."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from intercore.benchmarks.caveats import FailedCheck
from intercore.finding import Finding
from intercore.view.answer import Remark, about_times
from intercore.view.quantity import duration, multiple


class Call(msgspec.Struct, frozen=True):
    """A call of the kernel."""

    name: str
    size: int | None
    """Bytes that it moves; None of a call without a size."""

    def __str__(self) -> str:
        """Return it in words."""
        return self.name if self.size is None else f"{self.name} of {self.size} bytes"


class Cost(msgspec.Struct, frozen=True):
    """What a call costs."""

    call: Call
    cost_us: float
    resolution_us: float
    """The resolution of one call."""

    def __str__(self) -> str:
        """Return the cost in words."""
        if self.cost_us < self.resolution_us:
            return f"less than {duration(self.resolution_us)}"
        return duration(self.cost_us)


class ApiCosts(Finding, frozen=True):
    """Cost of calls while the other core sleeps."""

    cheapest: Cost
    dearest: Cost | None
    """None if only one call was measured."""

    @property
    def sentence(self) -> str:
        first = f"{self.cheapest.call} takes {self.cheapest}"
        if self.dearest is not None:
            first = (
                f"calls that switch no task take {self.cheapest} ({self.cheapest.call}) to {self.dearest} "
                f"({self.dearest.call})"
            )
        return f"While the other core sleeps, {first}. The timestamp overhead is subtracted."


class ApiContended(Finding, frozen=True):
    """Calls take longer while the other core makes the same ones."""

    longer: int
    """Calls that take longer."""
    calls: int
    """Calls that were measured so."""
    most: Call
    """The call that takes most times as long."""
    times: float
    more_us: float
    longest: Call
    """The call of which the longest sample is."""
    longest_us: float

    @property
    def sentence(self) -> str:
        return (
            f"While the other core makes the same calls on its own objects, {self.longer} of {self.calls} calls take "
            f"longer, up to {multiple(self.times)} times as long ({self.most}, {duration(self.more_us)} more). The "
            "cause is what the cores share in the kernel. The longest of these samples is "
            f"{duration(self.longest_us)}, of {self.longest}."
        )


class ApiUncontended(Finding, frozen=True):
    """No call takes measurably longer while the other core makes the same ones."""

    calls: int
    """Calls that were measured so."""

    @property
    def sentence(self) -> str:
        return "While the other core makes the same calls on its own objects, no call takes measurably longer."


class ApiBesideComputing(Finding, frozen=True):
    """How many times as long calls take while the other core computes."""

    least_times: float
    most_times: float

    @property
    def sentence(self) -> str:
        return (
            f"While the other core computes without calling the kernel, the calls take {multiple(self.least_times)} "
            f"to {multiple(self.most_times)} times as long. If they take even longer while it calls the kernel, the "
            "additional time is spent waiting for locks."
        )


class ApiCostByte(Finding, frozen=True):
    """Cost of a call per byte."""

    call: str
    fixed_us: float
    per_byte_us: float
    even_bytes: float
    """Bytes that take as long to move as the call itself."""

    @property
    def sentence(self) -> str:
        return (
            f"{self.call} takes {duration(self.fixed_us)} plus {duration(self.per_byte_us)} per byte: from "
            f"{self.even_bytes:,.0f} bytes on, moving the bytes takes longer than the call itself."
        )


class ApiDearer(Remark, frozen=True):
    """A call costs more while the other core is busy."""

    call: str
    other: str
    """Activity of the other core: `spin`, `same`, or a call."""

    @property
    def sentence(self) -> str:
        doing = {"spin": "computes", "same": "makes the same calls"}.get(self.other, f"calls {self.other}")
        return f"{self.call} takes {about_times(self.times)} times as long while the other core {doing}."


class ApiFailedCheck(FailedCheck, frozen=True):
    """A check of the firmware failed."""

    wording: ClassVar[dict[str, str]] = {
        **FailedCheck.wording,
        "wrong": (
            "{count} results were wrong: a kernel call did not do what it must do. A received item differed from the "
            "sent one, memory ran out, or a unit of a semaphore was missing. The times of these calls mean nothing."
        ),
    }
