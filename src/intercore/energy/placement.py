"""Where a window is in a recording, and the error that says that it is nowhere to be found."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from intercore.errors import IntercoreError
from intercore.statistics.intervals import Interval

LEAST_SAMPLES = 10
"""Samples that a window must hold for its energy to have an interval that can be believed."""


class RefusedError(IntercoreError):
    """A recording does not tell where the windows are: why, and what would help."""


class Placement(msgspec.Struct, frozen=True):
    """Where a window is, by the meter's clock in seconds."""

    begin: float
    end: float
    margin: float
    """Seconds at either end that may belong to what is beside it, and are left out of its mean."""
    margin_share: float = 0.0
    """The part of its length that this margin holds; the rest of it has a length of its own."""
    parts: tuple[tuple[float, float], ...] = ()
    """Begin and end of each pulse, where several of them are the window; empty where it is one."""

    @property
    def spans(self) -> tuple[tuple[float, float], ...]:
        """Begin and end of each of its parts."""
        return self.parts or ((self.begin, self.end),)

    @property
    def seconds(self) -> float:
        """How long it is by the meter's clock, all parts together."""
        return sum(end - begin for begin, end in self.spans)


class WindowFit(NamedTuple):
    """What a way of finding windows has found."""

    offset_s: Interval
    drift_ppm: Interval | None
    places: tuple[Placement, ...]
