"""Uncertainty of the clock offset of two cores, where the common clock consists of one counter per core.

Such a target aligns its counters by an exchange at start, and reports the uncertainty in ticks of the common clock as a
condition. Every time that begins on one core and ends on another has it. It is the same for all samples, so more
samples do not reduce it. A time that begins and ends on one core does not have it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from intercore.finding import Finding
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterable

    from intercore.record.measurement import Measurement

CONDITION = "clock.uncertainty"
_TICKS = re.compile(r"(\d{1,15}) ticks", re.ASCII)


def ticks(measurement: Measurement) -> int:
    """Return the uncertainty in ticks of the common clock; 0 where all cores read the same clock, or if not stated."""
    found = _TICKS.fullmatch(measurement.conditions.get(CONDITION, ""))
    return int(found[1]) if found else 0


def within_us(measurements: Iterable[Measurement], series: str) -> float:
    """Return the largest uncertainty of a series of measurements in µs; 0 where cores read one clock."""
    return max(
        (ticks(one) * 1e6 / known.hz for one in measurements for known in one.series if known.name == series),
        default=0.0,
    )


class CrossCoreUncertainty(Finding, frozen=True):
    """How far times from one core to another may be off, all alike."""

    times_of: str
    """The kind of time: `wake-up`."""
    within_us: float

    @property
    def sentence(self) -> str:
        """It in words."""
        return (
            f"Each {self.times_of} from one core to another has an uncertainty of ±{duration(self.within_us)}, the "
            "same in all samples: the clocks of the two cores were aligned at start, and their offset is known "
            "only to that."
        )
