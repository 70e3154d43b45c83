"""The series of `speedup`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from intercore.benchmarks.series import Quantity, Result

if TYPE_CHECKING:
    from intercore.record.measurement import Measurement, Series

RESULTS = {
    "t1": Result("us", "time on one core (T1)"),
    "tp": Result("us", "time on all cores (TP)"),
    "S": Result("factor", "speed-up (S)"),
}
SPEED = {"t1": "one core", "tp": "all cores"}

_UNITS = 100
"""Units of a workload that take a nanosecond at least: one takes some ten, and a vector unit does a few at once."""


def events(one: Measurement, series: Series) -> int:
    """Return how many hundreds of units a core does one after the other."""
    n, cores = one.factors.get("n"), one.factors.get("cores", 1)
    if series.name not in ("t1", "tp") or not isinstance(n, int) or not isinstance(cores, int):
        return 0
    return n // _UNITS // (max(1, cores) if series.name == "tp" else 1)


def derived(one: Measurement) -> list[Quantity]:
    """Return the speed-up S of each pair of T1 and TP; nothing where the clock saw no time pass in one."""
    ticks = {series.name: series.ticks for series in one.series if series.name in ("t1", "tp")}
    if len(ticks) < 2 or len(ticks["t1"]) != len(ticks["tp"]) or not len(ticks["t1"]) or not ticks["tp"].all():
        return []
    return [Quantity("S", "factor", np.divide(ticks["t1"], ticks["tp"]))]
