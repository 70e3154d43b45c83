"""The series of `memory`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.series import Result

if TYPE_CHECKING:
    from intercore.record.measurement import Measurement, Series

RESULTS = {"alone": Result("us"), "beside": Result("us", never={"other": ("none",)})}

_BYTES = 1024
"""Bytes that a core moves in a nanosecond at most: two of the widest loads there are, 64 bytes, in each of 8 cycles."""


def events(one: Measurement, series: Series) -> int:
    """Return how many such pieces a pass over the region has."""
    count = one.factors.get("bytes", 0)
    return count // _BYTES if series.name in ("alone", "beside") and isinstance(count, int) else 0
