"""Published durations of task switches."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from intercore.benchmarks.published import Count, NotNegative, Positive, Publication, Text, require_finite


class SwitchRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Time from a signal to the woken task, as printed, ms."""

    crosses: bool
    """Whether the woken task runs on another core than the one that signals."""
    average_ms: Positive
    minimum_ms: Positive
    maximum_ms: Positive
    variance_ms: NotNegative | None = None
    """As printed under that name, which need not be one (`benchmarks/printed_variance.py`); None if nothing is."""
    likely_of_two_counters: bool = False
    """Whether counters of two cores were likely subtracted that nobody had aligned: then it is no time of a switch.
    Inferred, where a publication does not say what was read; its notes say from what."""

    def __post_init__(self) -> None:
        """Refuse infinity, and an average outside of its range."""
        require_finite(
            average_ms=self.average_ms,
            minimum_ms=self.minimum_ms,
            maximum_ms=self.maximum_ms,
            variance_ms=self.variance_ms,
        )
        if not self.minimum_ms <= self.average_ms <= self.maximum_ms:
            raise ValueError("average_ms must lie between minimum_ms and maximum_ms")


class SwitchSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The factors of the benchmark `switch` that all rows share."""

    primitive: Text
    """As a level of that factor; `semaphore` if the publication does not say of which kind."""
    cpu_hz: Count | None = None
    """Cycles per second of a core; None if not stated or not fixed."""


class SwitchFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Durations of a task switch."""

    rounding_ms: Positive
    """Unit of the last printed digit, ms."""
    rows: Annotated[tuple[SwitchRow, ...], Meta(min_length=1)]

    def __post_init__(self) -> None:
        """Refuse an infinite rounding, and two rows for the same way."""
        require_finite(rounding_ms=self.rounding_ms)
        if len({row.crosses for row in self.rows}) < len(self.rows):
            raise ValueError("two rows are for the same way")


class SwitchPublication(Publication, frozen=True, kw_only=True, tag="switch"):
    """What it takes to wake a task, on the same core and on another."""

    setting: SwitchSetting
    figures: SwitchFigures
