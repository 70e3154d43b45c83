"""The break-even: the work from which on several cores are faster than one, where S crosses 1."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
import numpy as np

from intercore.benchmarks.speedup.model import FARTHEST
from intercore.benchmarks.speedup.size import UNKNOWN_SIZE, size_of
from intercore.statistics.intervals import Interval
from intercore.view.quantity import bounds, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from intercore.benchmarks.speedup.model import Model
    from intercore.benchmarks.speedup.points import SpeedupPoint

    Floats: TypeAlias = NDArray[np.float64]

Place: TypeAlias = Literal["below", "within", "above", "never"]

_LEAST_S = 1e-9  # stands for a bound of 0, of which there is no reciprocal


class BreakEven(msgspec.Struct, frozen=True):
    """The break-even: the work with S = 1, and S > 1 at all larger sizes measured.

    Between two measured sizes TP is interpolated linearly over T1, which is exact for fork–join work of a fixed
    overhead. The interval contains each T1 at which the 95 % band of S, interpolated in the same way, contains 1.
    Slightly outside of the measured sizes the model of the fit extrapolates, if it separates overhead from loss, within
    the bounds of S.
    """

    t1_us: Interval | None
    """Sequential duration of that work, µs. A lower bound of 0: it may lie anywhere below what was measured; an upper
    bound of None: it may never be reached."""
    n: Interval | None
    """Its size in the workload's own units, rounded up, from a line through T1 over n, with the interval of `t1_us`."""
    place: Place
    """Where it lies, against the sizes measured. `below` and `above` them `t1_us` is extrapolated, if it is known."""
    reason: str | None
    """Why `t1_us` or `n` is None, a sentence without its full stop; None if neither is."""

    @property
    def extrapolated(self) -> bool:
        """Whether `t1_us` lies outside of the sizes that were measured."""
        return self.t1_us is not None and self.place != "within"


def break_even_of(points: Sequence[SpeedupPoint], model: Model) -> BreakEven:
    """Return the break-even of at least one point, all of a group, with the model fitted to them."""
    cores = points[0].cores
    if cores == 1:
        return BreakEven(None, None, "never", "one core is compared with itself")
    ordered = sorted(points, key=lambda point: point.t1_us.value)
    t1 = np.array([point.t1_us.value for point in ordered])
    crossed = _crossing(t1, [point.speedup.value for point in ordered])
    # An optimistic S crosses 1 earlier, a pessimistic one later.
    low = _crossing(t1, [_optimistic(point.speedup) for point in ordered])
    high = _crossing(t1, [_pessimistic(point.speedup) for point in ordered])

    if 0 < crossed < math.inf:
        known = any(point.speedup.low is not None for point in ordered)
        t1_us = Interval(crossed, low, high if high < math.inf else None) if known else Interval(crossed)
        return _found(t1_us, "within", points)
    estimate = _extrapolated(model, cores)
    if crossed == 0:
        there = f"the smallest size measured, where {_in_words(ordered[0])}"
        if estimate is None or not t1[0] / FARTHEST <= estimate.value < t1[0]:
            return BreakEven(None, None, "below", f"{'below' if high == 0 else 'near or below'} {there}")
        return _found(_not_above(estimate, float(t1[0]), high), "below", points)
    if estimate is None or not t1[-1] < estimate.value <= t1[-1] * FARTHEST:
        return _not_reached(ordered[-1], model, surely=low == math.inf)
    return _found(_not_below(estimate, float(t1[-1]), low), "above", points)


def _not_reached(largest: SpeedupPoint, model: Model, *, surely: bool) -> BreakEven:
    if model.with_loss and 1 + model.loss >= largest.cores:
        return BreakEven(
            None,
            None,
            "never",
            f"never reached: the work loses {model.loss:.0%} per core, so {largest.cores} cores are slower than one "
            "at any size",
        )
    there = f"the largest size measured, where {_in_words(largest)}"
    return BreakEven(None, None, "above", f"{'above' if surely else 'near or above'} {there}")


def _found(t1_us: Interval, place: Place, points: Sequence[SpeedupPoint]) -> BreakEven:
    n = size_of(t1_us, points)
    return BreakEven(t1_us, n, place, None if n else UNKNOWN_SIZE)


def _crossing(t1: Floats, speedups: Sequence[float]) -> float:
    """Return the T1 from which on S is at least 1, by increasing T1; 0 if it always is, infinite if not at the last."""
    s = np.maximum(speedups, _LEAST_S)
    below = np.flatnonzero(s < 1)
    if not len(below):
        return 0.0
    left = int(below[-1])
    right = left + 1
    if right == len(s):
        return math.inf
    excess = t1 / s - t1  # TP - T1, linear in T1
    return float(t1[left] + (t1[right] - t1[left]) * excess[left] / (excess[left] - excess[right]))


def _optimistic(speedup: Interval) -> float:
    """Return the upper bound; it is infinite where a coarse clock read a TP of 0."""
    return speedup.high if speedup.high is not None else speedup.value if speedup.low is None else math.inf


def _pessimistic(speedup: Interval) -> float:
    return speedup.low if speedup.low is not None else speedup.value if speedup.high is None else 0.0


def _extrapolated(model: Model, cores: int) -> Interval | None:
    """Return T1 at S = 1 by the model; None if it does not separate a fixed overhead from a loss, or from 0."""
    if not (model.with_loss and model.has_overhead) or 1 + model.loss >= cores:
        return None
    return model.t1_us_at(1 / cores, cores)


def _not_above(estimate: Interval, smallest: float, high: float) -> Interval:
    """Bound the extrapolation by S at the smallest size: `high` is where a pessimistic S crosses 1."""
    if estimate.low is None and estimate.high is None:
        return estimate
    reached = math.inf if estimate.high is None else estimate.high
    upper = min(reached, smallest) if high == 0 else max(reached, high)
    return Interval(estimate.value, max(estimate.low or 0.0, 0.0), upper if upper < math.inf else None)


def _not_below(estimate: Interval, largest: float, low: float) -> Interval:
    """Bound the extrapolation by S at the largest size: `low` is where an optimistic S crosses 1."""
    if estimate.low is None and estimate.high is None:
        return estimate
    lower = max(estimate.low or 0.0, largest) if low == math.inf else min(estimate.low or 0.0, low)
    return Interval(estimate.value, lower, estimate.high)


def _in_words(point: SpeedupPoint) -> str:
    interval = bounds(point.speedup, significant)
    return f"S = {significant(point.speedup.value)}" + (f" ({interval})" if interval else "")
