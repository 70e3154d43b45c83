"""Published durations of fork–join work, on one core and on several."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from intercore.benchmarks.published import Count, Positive, Publication, Text, require_finite


class PublishedSetting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The factors of the benchmark `speedup` that all rows share."""

    workload: Text
    mode: Text
    join: Text
    """`unstated` if the publication does not say how completion is awaited."""
    cores: Count
    tick_hz: Count | None = None
    """Kernel ticks per second; None if unknown."""
    cpu_hz: Count | None = None
    """Cycles per second of a core; None if not stated or not fixed."""


class PublishedRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One size of the work, as printed."""

    n: Count
    t1_ms: Positive
    """Sequential duration, ms."""
    tp_ms: Positive
    """Duration on all cores of the setting, ms."""
    speedup: Positive | None = None
    """S as printed; where it is not, it is computed from the durations."""
    efficiency: Positive | None = None
    """E as printed, as a fraction; where it is not, it is S / P."""

    def __post_init__(self) -> None:
        """Refuse infinity, which TOML can write."""
        require_finite(t1_ms=self.t1_ms, tp_ms=self.tp_ms, speedup=self.speedup, efficiency=self.efficiency)


class Threshold(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A duration in the text of a publication, and its statement on work above or below it."""

    place: Text
    """Where it stands in the publication."""
    side: Literal["below", "above"]
    ms: Positive
    statement: Text
    """That, in short and in English, as a clause."""
    likely: Text | None = None
    """The likely duration, with the evidence, if the publication does not state which; None if unknown."""

    def __post_init__(self) -> None:
        """Refuse infinity, which TOML can write."""
        require_finite(ms=self.ms)


class Figures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rows of a table and how they were rounded."""

    rounding_ms: Positive
    """Unit of the last printed digit of the durations, ms."""
    rows: Annotated[tuple[PublishedRow, ...], Meta(min_length=1)]
    thresholds: tuple[Threshold, ...] = ()
    """From which duration on, by the text, more than one core is worth it, or is not."""

    def __post_init__(self) -> None:
        """Refuse an infinite rounding and two rows for one size."""
        require_finite(rounding_ms=self.rounding_ms)
        if len({row.n for row in self.rows}) < len(self.rows):
            raise ValueError("two rows of the published table have the same n")


class SpeedupPublication(Publication, frozen=True, kw_only=True, tag="speedup"):
    """Durations of the same work on one core and on several."""

    setting: PublishedSetting
    figures: Figures
