"""How large the work is that takes one core a given time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial import Polynomial

from intercore.statistics.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.benchmarks.speedup.points import SpeedupPoint

UNKNOWN_SIZE = "the size is unknown: T1 is not proportional to n"
"""Why there is none, a sentence without its full stop."""

_NONLINEAR = 0.1


def size_of(t1_us: Interval, points: Sequence[SpeedupPoint]) -> Interval | None:
    """Return the size whose T1 is `t1_us`, by a line fitted to T1 over n; None if a line does not describe it.

    T1 departs from a line by a share of itself (clock, caches), not by a fixed time: residuals are relative.
    """
    n = np.array([point.n for point in points], dtype=np.float64)
    t1 = np.array([point.t1_us.value for point in points])
    # A single size gives only T1 per unit of work.
    line = Polynomial.fit(n, t1, 1, w=1 / t1) if len(points) > 1 else Polynomial((0.0, t1[0] / max(n[0], 1.0)))
    base, slope = float(line(0.0)), float(line.deriv()(0.0))
    if slope <= 0 or np.max(np.abs(line(n) - t1) / t1) > _NONLINEAR:
        return None

    def size(duration: float | None) -> float | None:
        return None if duration is None else float(max(1, math.ceil((duration - base) / slope)))

    value = size(t1_us.value)
    return None if value is None else Interval(value, size(t1_us.low), size(t1_us.high))
