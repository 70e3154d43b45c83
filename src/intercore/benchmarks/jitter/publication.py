"""Published periods of a periodic task."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from intercore.benchmarks.published import Positive, PrintedFigures, PrintedTimes, Publication


class LikelyCounters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The counters of two cores that were likely taken for one clock: inferred, where a publication names none."""

    bits: Annotated[int, Meta(ge=1, le=64)]
    """Of each."""
    hz: Annotated[int, Meta(ge=1)]
    """Counts per second."""


class Periods(PrintedTimes, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Times between neighbouring activations of a periodic task, as printed."""

    moved: bool
    """Whether other tasks moved the task from core to core."""
    likely_counters: LikelyCounters | None = None
    """None for periods that there is nothing against."""


class JitterFigures(PrintedFigures, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The periods of a task, and the intended ones."""

    period_ms: Positive
    rows: Annotated[tuple[Periods, ...], Meta(min_length=1)]

    def row(self, *, moved: bool) -> Periods:
        """Return what was printed of a task that was moved, or was not. StopIteration if nothing was."""
        return next(row for row in self.rows if row.moved == moved)


class JitterPublication(Publication, frozen=True, kw_only=True, tag="jitter"):
    """How steady a periodic task is."""

    figures: JitterFigures
