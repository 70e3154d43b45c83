"""The series of `lock`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intercore.record.measurement import Measurement, Series

NAMES = {
    "there": "hand-over",
    "back": "hand-over back",
    "bout": "length of a bout",
    "round_trips": "round trips of a batch",
}

_COUNTED_BY = {"bout": "rounds", "round_trips": "batch"}
"""The factor that says how many acquisitions, or round trips, come one after another in a sample."""


def events(one: Measurement, series: Series) -> int:
    """Return how many there are."""
    count = one.factors.get(_COUNTED_BY.get(series.name, ""), 0)
    return count if isinstance(count, int) else 0
