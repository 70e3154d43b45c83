"""The findings of `outage`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.finding import Finding
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from intercore.finding import Severity

_OPS = {"erase": "erases a sector", "program": "programs pages", "both": "erases a sector and programs pages"}
_SAFE = {
    "lockout": "with the other core parked",
    "ram": "with all code in RAM",
    "none": "with no measure taken, as none is needed",
    "unsafe": "with no measure taken",
}


def _while(core: int, op: str, safe: str) -> str:
    return f"While core {core} {_OPS.get(op, op)}, {_SAFE.get(safe, f'with safe={safe}')}"


class OutageStandstill(Finding, frozen=True):
    """How long each core stands still at most."""

    op: str
    safe: str
    core: int
    """The core that writes."""
    longest_us: float
    """The longest standstill of the other core, which computes."""
    own_us: float | None
    """The largest lateness of a periodic task of higher priority on the core that writes."""
    write_us: float
    """How long the storage takes, in the median."""

    @property
    def sentence(self) -> str:
        own = ""
        if self.own_us is not None:
            own = f", and a task of higher priority on the writing core is up to {duration(self.own_us)} late"
        return (
            f"{_while(self.core, self.op, self.safe)}, the other core stands still for up to "
            f"{duration(self.longest_us)}{own}. The storage itself takes {duration(self.write_us)}."
        )


class OutageLate(Finding, frozen=True):
    """How late an interrupt or a periodic task on the other core is at most."""

    op: str
    safe: str
    other: str
    """`interrupt` or `task`."""
    core: int
    """The core that writes."""
    late_us: float
    missed: int
    """Activations that did not come in time, in the worst outage."""

    @property
    def sentence(self) -> str:
        what = {"interrupt": "a timer's interrupt each 100 µs", "task": "a periodic task"}.get(self.other, self.other)
        missed = f", and {self.missed:,} activations are missed" if self.missed else ""
        return (
            f"{_while(self.core, self.op, self.safe)}, {what} on the other core is up to {duration(self.late_us)} "
            f"late{missed}."
        )


class OutageTicksLost(Finding, frozen=True):
    """The kernel loses ticks for good."""

    core: int
    """The core that writes."""
    lost_us: float

    @property
    def sentence(self) -> str:
        return (
            f"While core {self.core} writes with its interrupts masked, the kernel loses ticks for good: afterwards, "
            f"periodic tasks are late by up to {duration(self.lost_us)}, and stay so."
        )


class _Lost(Finding, frozen=True):
    """Writes that did not end as they should."""

    op: str
    safe: str
    other: str
    core: int
    """The core that writes."""
    lost: int
    outages: int
    """All writes, of which `lost` are such."""

    @property
    def severity(self) -> Severity:
        return "warning"

    @property
    def _how_often(self) -> str:
        return f"outage, other={self.other} from={self.core}: in {self.lost} of {self.outages} writes"


class OutageGaveUp(_Lost, frozen=True):
    """The other core was not parked in time, and nothing was written."""

    @property
    def sentence(self) -> str:
        return (
            f"{self._how_often} the writing core gives up, because the other core masks its interrupts for longer than "
            "patience_us. Wait longer, or mask for less."
        )


class OutageStuck(_Lost, frozen=True):
    """The other core was parked and would have stood still for ever."""

    @property
    def sentence(self) -> str:
        return (
            f"{self._how_often} the other core hangs. It is parked after the writing core has given up, and nobody "
            "releases it; the benchmark ended this after a second. Withdraw a request that is given up "
            "(request=withdrawn)."
        )
