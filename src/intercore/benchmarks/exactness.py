"""How exact measured intervals are, where a simulator saw the same ones from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from intercore.benchmarks.grouping import ticks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.record.measurement import Measurement

PROMISED_SPREAD = 2
"""Ticks by which measured minus true intervals may vary that no interrupt disturbs (docs/benchmarks/README.md)."""


class Exactness(msgspec.Struct, frozen=True):
    """Measured minus true intervals, as the simulator knows these, in ticks. Simulated, not measured.

    An interrupt between a reading and the begin or end of the true interval is in the one and not in the other. One
    that the other core handles at that time delays the reader on the bus. Neither is an error of the clock, so the
    simulator counts these intervals separately. An interrupt can only add time, so they are taken as those with the
    largest differences, which are in `largest`.
    """

    difference: float
    """The median."""
    low: int
    """The smallest difference."""
    high: int
    """The largest one, of intervals that were not interrupted while they were looked at."""
    interrupted: int
    """Intervals that were."""
    largest: int
    """The largest of all differences."""

    @property
    def spread(self) -> int:
        """By how much the differences of intervals that were not interrupted vary."""
        return self.high - self.low


def exactness(pool: Sequence[Measurement], name: str = "interval") -> Exactness | None:
    """Compare a series with the truth, where there is one of every sample, in the same ticks; else None."""
    differences = []
    for one in pool:
        measured, true = ticks(one, name), ticks(one, "true")
        if len(measured) != len(true) or one.samples(name).hz != one.samples("true").hz:
            return None
        differences.append(measured - true)
    ordered = np.sort(np.concatenate(differences))
    interrupted = sum(one.checks.get("interrupted", 0) for one in pool)
    undisturbed = ordered[: len(ordered) - interrupted]
    if not len(undisturbed):
        return None
    return Exactness(
        difference=float(np.median(undisturbed)),
        low=int(undisturbed[0]),
        high=int(undisturbed[-1]),
        interrupted=interrupted,
        largest=int(ordered[-1]),
    )


def constant(spread: int) -> str:
    """Word a constant that varies by so many ticks."""
    return f"constant to within {spread} tick{'s' if spread > 1 else ''}" if spread else "a constant"
