"""The series of `jitter`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.benchmarks.series import Result, Role

if TYPE_CHECKING:
    from intercore.record.measurement import Measurement

ROLES = {
    "late": Role.RESULT,
    "core": Role.AUXILIARY,
    "period": Role.AUXILIARY,  # where `late` does not tell it
    "raw": Role.AUXILIARY,  # of two counters that nobody has aligned
    "begins": Role.AUXILIARY,  # the samples with which a stretch begins
    "extremes": Role.AUXILIARY,  # the smallest and largest of what the histograms hold
    "*.counts": Role.HISTOGRAM,
}

RESULTS = {"late": Result("us", "lateness", only={"time": ("common",)})}

SIGNED = ("late", "extremes", "raw")
"""A release may come before it is due, a period be shorter than asked for, and a difference of counters anything."""


def incomparable(one: Measurement) -> str:
    """Return why measurements of the cores' own counters are not compared."""
    if one.factors.get("time", "common") == "common":
        return ""
    return "by the cores' own counters, whose differences are no times before they are aligned"


def provoked(one: Measurement) -> frozenset[str]:
    """Return the checks that count what is done on purpose: who moves the task forces it off its core."""
    return frozenset() if one.factors.get("migrate") == "none" else frozenset({"preempted"})
