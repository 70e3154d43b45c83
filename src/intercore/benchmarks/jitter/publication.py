"""Published periods of a periodic task."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from intercore.benchmarks.published import NotNegative, Positive, Publication, require_finite


class LikelyCounters(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The counters of two cores that were likely taken for one clock: inferred, where a publication names none."""

    bits: Annotated[int, Meta(ge=1, le=64)]
    """Of each."""
    hz: Annotated[int, Meta(ge=1)]
    """Counts per second."""


class Periods(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Times between neighbouring releases of a periodic task, as printed."""

    moved: bool
    """Whether other tasks moved the task from core to core."""
    average_ms: Positive
    minimum_ms: Positive
    maximum_ms: Positive
    variance_ms: NotNegative | None = None
    """As printed under that name, which need not be one (`benchmarks/printed_variance.py`); None if nothing is."""
    likely_counters: LikelyCounters | None = None
    """None for periods that there is nothing against."""

    def __post_init__(self) -> None:
        """Refuse an average that is not between the two others."""
        require_finite(
            average=self.average_ms, minimum=self.minimum_ms, maximum=self.maximum_ms, variance=self.variance_ms
        )
        if not self.minimum_ms <= self.average_ms <= self.maximum_ms:
            raise ValueError("the average is not between minimum and maximum")


class JitterFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the periods of a task came to, and what they should have been."""

    period_ms: Positive
    rounding_ms: Positive
    """Unit of the last printed digit, ms."""
    rows: Annotated[tuple[Periods, ...], Meta(min_length=1)]


class JitterPublication(Publication, frozen=True, kw_only=True, tag="jitter"):
    """How steady a periodic task is."""

    figures: JitterFigures
