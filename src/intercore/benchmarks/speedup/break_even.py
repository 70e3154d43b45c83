"""The smallest work for which several cores reach the wanted efficiency."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.polynomial import Polynomial

from intercore.statistics.intervals import Interval, interval

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray

    from intercore.benchmarks.speedup.model import Model
    from intercore.benchmarks.speedup.points import SpeedupPoint

    Floats: TypeAlias = NDArray[np.float64]

_NONLINEAR = 0.1


class BreakEven(msgspec.Struct, frozen=True):
    """The smallest work for which P cores reach the wanted efficiency.

    From TP = (1 + loss) T1/P + overhead and E = T1 / (P TP) follows T1* = E P overhead / (1 - E (1 + loss)).
    """

    efficiency: float
    """The wanted E, as a fraction."""
    t1_us: Interval | None
    """Sequential duration of that work, µs; an upper bound of None means that it may never be reached."""
    n: Interval | None
    """Its size in the workload's own units, rounded up, from a line through T1 over n. The interval is that of `t1_us`:
    the uncertainty of the line is small beside it."""
    extrapolated: bool
    """Whether `t1_us` lies outside the sizes that were measured."""
    reason: str | None
    """Why `t1_us` or `n` is None, a sentence without its full stop; None if neither is."""


def break_even_of(efficiency: float, points: Sequence[SpeedupPoint], model: Model) -> BreakEven:
    """Return the break-even of the points of a group, by its model."""

    def never(reason: str) -> BreakEven:
        return BreakEven(efficiency, t1_us=None, n=None, extrapolated=False, reason=reason)

    cores = points[0].cores
    overhead = model.estimate(0)
    loss = float(model.parameters[1])
    if efficiency * (1 + loss) >= 1:
        return never(f"never reached: the work loses {loss:.1%} per core however large it is")
    if overhead.value <= 0 or (overhead.low is not None and overhead.low <= 0):
        smallest = min(points, key=lambda point: point.t1_us.value)
        if smallest.efficiency.value >= efficiency:
            return never("already reached at the smallest size measured")
        return never("the overhead cannot be told from 0: more samples or smaller sizes are needed")

    value = float(_break_even_t1(efficiency, cores, model.parameters))
    t1_us = Interval(value) if model.draws is None else interval(value, _break_even_t1(efficiency, cores, model.draws))
    measured = [point.t1_us.value for point in points]
    n = _size_of(t1_us, points)
    return BreakEven(
        efficiency,
        t1_us=t1_us,
        n=n,
        extrapolated=not min(measured) <= value <= max(measured),
        reason=None if n else "the size is not known: T1 does not grow in proportion to n",
    )


def _break_even_t1(efficiency: float, cores: int, parameters: Floats) -> Floats:
    """Return T1* in µs for overheads and losses, shape (2, …); infinite where it is never reached."""
    overhead, loss = parameters
    gain: Floats = 1 - efficiency * (1 + loss)
    t1_us: Floats = np.divide(efficiency * cores * overhead, gain, out=np.full_like(overhead, np.inf), where=gain > 0)
    return t1_us


def _size_of(t1_us: Interval, points: Sequence[SpeedupPoint]) -> Interval | None:
    """Return the size whose T1 is `t1_us`, by a line fitted to T1 over n; None if a line does not describe it.

    T1 departs from a line by a share of itself (clock, caches), not by a fixed time: residuals are relative.
    """
    n = np.array([point.n for point in points], dtype=np.float64)
    t1 = np.array([point.t1_us.value for point in points])
    # A single size tells T1 per unit of work only.
    line = Polynomial.fit(n, t1, 1, w=1 / t1) if len(points) > 1 else Polynomial((0.0, t1[0] / max(n[0], 1.0)))
    base, slope = float(line(0.0)), float(line.deriv()(0.0))
    if slope <= 0 or np.max(np.abs(line(n) - t1) / t1) > _NONLINEAR:
        return None

    def size(duration: float | None) -> float | None:
        return None if duration is None else float(max(1, math.ceil((duration - base) / slope)))

    value = size(t1_us.value)
    return None if value is None else Interval(value, size(t1_us.low), size(t1_us.high))
