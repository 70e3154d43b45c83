"""The series of `switch`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.series import Result, Role

if TYPE_CHECKING:
    from intercore.record.measurement import Measurement, Series

ROLES = {
    "switch": Role.RESULT,
    "call": Role.RESULT,
    "moment": Role.MOMENTS,
    "*.at": Role.MOMENTS,
    "*.there": Role.AUXILIARY,  # exchanges of time stamps, of which the shortest counts
    "*.back": Role.AUXILIARY,
}

RESULTS = {
    "switch": Result("us", "time to wake", only={"time": ("common",)}),
    "call": Result("us", "signalling call", only={"time": ("common",)}),
}

_ACROSS = ("switch", "before.there", "before.back", "after.there", "after.back")


def incomparable(one: Measurement) -> str:
    """Return why differences of the cores' own counters are not compared."""
    if one.factors.get("time", "common") == "common":
        return ""
    return "by the cores' own counters, whose differences are no times before they are aligned"


def is_signed(series: Series) -> bool:
    """Whether it is a difference of the counters of two cores, which may have started at different moments."""
    return series.clock != "common" and series.name in _ACROSS
