"""The location of a window in a recording, and the error if it cannot be located."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from intercore.errors import IntercoreError
from intercore.statistics.intervals import Interval

LEAST_SAMPLES = 10
"""Least number of samples in a window for a reliable interval of its energy."""


class RefusedError(IntercoreError):
    """The windows cannot be located in a recording: with the reason and advice."""


class Placement(msgspec.Struct, frozen=True):
    """The location of a window, by the meter's clock in seconds."""

    begin: float
    end: float
    margin: float
    """Seconds at either end that may be outside of it, and are excluded from its mean."""
    margin_share: float = 0.0
    """The part of this margin that is a fraction of its length; the rest is absolute."""
    parts: tuple[tuple[float, float], ...] = ()
    """Begin and end of each pulse if the window consists of several; empty if it is one."""

    @property
    def spans(self) -> tuple[tuple[float, float], ...]:
        """Begin and end of each of its parts."""
        return self.parts or ((self.begin, self.end),)

    @property
    def seconds(self) -> float:
        """Its duration by the meter's clock, over all parts."""
        return sum(end - begin for begin, end in self.spans)


class WindowFit(NamedTuple):
    """The result of locating windows."""

    offset_s: Interval
    drift_ppm: Interval | None
    places: tuple[Placement, ...]
