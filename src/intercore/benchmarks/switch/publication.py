"""Published durations of task switches."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from intercore.benchmarks.published import Count, PrintedFigures, PrintedTimes, Publication, Text


class SwitchRow(PrintedTimes, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Time from a signal to the woken task, as printed, ms."""

    crosses: bool
    """Whether the woken task runs on another core than the one that signals."""
    likely_of_two_counters: bool = False
    """Whether counters of two cores that were not aligned were likely subtracted: then it is not a wake-up latency.
    Inferred if a publication does not state the clock; its notes have the evidence."""


class SwitchSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The factors of the benchmark `switch` that all rows share."""

    primitive: Text
    """As a level of that factor; `semaphore` if the publication does not say of which kind."""
    cpu_hz: Count | None = None
    """Cycles per second of a core; None if not stated or not fixed."""


class SwitchFigures(PrintedFigures, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Durations of a task switch."""

    rows: Annotated[tuple[SwitchRow, ...], Meta(min_length=1)]

    def __post_init__(self) -> None:
        """Refuse an infinite rounding, and two rows for the same way."""
        super().__post_init__()
        if len({row.crosses for row in self.rows}) < len(self.rows):
            raise ValueError("two rows of the published table are for the same way of switching")

    def row(self, *, crosses: bool) -> SwitchRow:
        """Return what was printed of a way. StopIteration if nothing was."""
        return next(row for row in self.rows if row.crosses == crosses)


class SwitchPublication(Publication, frozen=True, kw_only=True, tag="switch"):
    """Wake-up latency on the same core and on another one."""

    setting: SwitchSetting
    figures: SwitchFigures
