"""The series of `lock`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.series import Result

if TYPE_CHECKING:
    from intercore.record.measurement import Measurement, Series

RESULTS = {
    "there": Result("us", "hand-over", only={"measure": ("hand-over",)}),
    "back": Result("us", "hand-over back", only={"measure": ("hand-over",)}),
    "bout": Result("us", "length of a bout", only={"measure": ("contention",)}),
    "round_trips": Result("us", "round trips of a batch", only={"measure": ("ping-pong",)}),
}

_COUNTED_BY = {"bout": "rounds", "round_trips": "batch"}
"""The factor that says how many acquisitions, or round trips, come one after another in a sample."""


def events(one: Measurement, series: Series) -> int:
    """Return how many there are."""
    count = one.factors.get(_COUNTED_BY.get(series.name, ""), 0)
    return count if isinstance(count, int) else 0
