"""Published latencies of interrupts, and what was published with them."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from intercore.benchmarks.published import Positive, Publication, Text, require_finite


class IrqTime(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A time as printed."""

    what: Text
    """Its quantity, in the publication's words."""
    ms: Positive
    path: Text | None = None
    """The path of the benchmark `irq` that is most like it; None if nothing here measures the same."""

    def __post_init__(self) -> None:
        """Refuse infinity, which TOML can write."""
        require_finite(ms=self.ms)


class IrqFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Times of a system."""

    rounding_ms: Positive
    """Unit of the last printed digit, ms."""
    rows: Annotated[tuple[IrqTime, ...], Meta(min_length=1)]


class IrqPublication(Publication, frozen=True, kw_only=True, tag="irq"):
    """How long interrupts take."""

    figures: IrqFigures
