"""The smallest work for which several cores reach the wanted efficiency: a point of the isoefficiency function.

Grama, Gupta & Kumar, Isoefficiency: measuring the scalability of parallel algorithms and architectures, IEEE Parallel &
Distributed Technology 1(3), 1993. It lies far above the break-even, where the cores are merely as fast as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.benchmarks.speedup.model import FARTHEST
from intercore.benchmarks.speedup.size import UNKNOWN_SIZE, size_of
from intercore.statistics.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.speedup.model import Model
    from intercore.benchmarks.speedup.points import SpeedupPoint

_REACHED = "already reached at the smallest size measured"
_ROUGH = 1.5
"""Times its lower bound that the upper bound of a work may be, for its value to stand alone."""


class Isoefficiency(msgspec.Struct, frozen=True):
    """The smallest work for which P cores reach the wanted efficiency."""

    efficiency: float
    """The wanted E, as a fraction."""
    t1_us: Interval | None
    """Sequential duration of that work, µs; an upper bound of None means that it may never be reached."""
    n: Interval | None
    """Its size in units of the workload, rounded up, from a line through T1 over n. The interval is that of `t1_us`:
    the uncertainty of the line is small compared with it."""
    extrapolated: bool
    """Whether `t1_us` lies outside the sizes that were measured."""
    reason: str | None
    """Why `t1_us` or `n` is None, a sentence without its full stop; None if neither is."""

    @property
    def is_rough(self) -> bool:
        """Whether it is known no better than to a factor: its value alone would say too much."""
        found = self.t1_us
        return (
            found is not None
            and found.low is not None
            and (found.high is None or found.high > _ROUGH * max(found.low, 0.0))
        )


def isoefficiency_of(efficiency: float, points: Sequence[SpeedupPoint], model: Model) -> Isoefficiency:
    """Return from which work on the points of a group reach an efficiency, by their model."""
    reason = _unknown(efficiency, points, model)
    if reason is not None:
        return Isoefficiency(efficiency, t1_us=None, n=None, extrapolated=False, reason=reason)
    t1_us = model.t1_us_at(efficiency, points[0].cores)
    n = size_of(t1_us, points)
    known = [point.t1_us.value for point in points]
    return Isoefficiency(
        efficiency,
        t1_us=t1_us,
        n=n,
        extrapolated=not min(known) <= t1_us.value <= max(known),
        reason=None if n else UNKNOWN_SIZE,
    )


def _unknown(efficiency: float, points: Sequence[SpeedupPoint], model: Model) -> str | None:
    """Return why the model gives no such work, a sentence without its full stop; None if it does."""
    if efficiency * (1 + model.loss) >= 1:
        return f"never reached: the work loses {model.loss:.1%} per core at any size"
    smallest, largest = (end(points, key=lambda point: point.t1_us.value) for end in (min, max))
    is_reached = smallest.efficiency.value >= efficiency
    if not model.has_overhead:
        return (
            _REACHED if is_reached else "the overhead is not significantly above 0: take more samples or smaller sizes"
        )
    if not model.with_loss:
        return _REACHED if is_reached else "unknown: at least three sizes are needed to model the loss at large work"
    t1_us = model.t1_us_at(efficiency, points[0].cores).value
    if t1_us * FARTHEST < smallest.t1_us.value and is_reached:
        return _REACHED
    if t1_us > FARTHEST * largest.t1_us.value and largest.efficiency.value < efficiency:
        return f"far above the largest size measured, where E = {largest.efficiency.value:.1%}"
    return None
