"""Ratios of two that were measured by turns: each repetition of the one next to one of the other.

What slows a machine down for minutes slows both of a turn, so it cancels in their ratio; what is left is what differs
from one turn to the next, and the interval is made of that: Student's t on the logarithms of the turns' ratios. Every
function takes one median of each repetition, those of one turn at the same place.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from intercore.statistics.intervals import CONFIDENCE, Interval
from intercore.statistics.probability import student_above, student_quantile
from intercore.statistics.repetitions import MOST_REPETITIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_FARTHEST = 30.0  # of a logarithm: times e to this are as good as infinite, and do not overflow


def ratio(over: Sequence[float], under: Sequence[float]) -> Interval | None:
    """Return the typical ratio with its 95 % interval: the geometric mean of the turns' ratios.

    None of a single turn, or where a median is not above 0. The ratio of the medians of all values would change with
    how busy the machine was in which turn; this one does not.
    """
    apart = _logarithms(over, under)
    if apart is None:
        return None
    centre, error = _mean(apart)
    distance = _quantile(len(apart)) * error
    return Interval(*(math.exp(min(max(centre + side, -_FARTHEST), _FARTHEST)) for side in (0.0, -distance, distance)))


def chance(over: Sequence[float], under: Sequence[float]) -> float | None:
    """Return the p value of both being the same, by the same t; None where there is no `ratio`."""
    apart = _logarithms(over, under)
    if apart is None:
        return None
    centre, error = _mean(apart)
    if error == 0:
        return 1.0 if centre == 0 else 0.0
    return 2 * student_above(abs(centre) / error, len(apart) - 1)


def repetitions_for(within: float, over: Sequence[float], under: Sequence[float]) -> int | None:
    """Return how many turns would make the bounds of `ratio` lie within a share of it.

    `within` is above 0. They are taken to differ as those do that there are. None where there is no `ratio`, or where
    it takes more than MOST_REPETITIONS.
    """
    apart = _logarithms(over, under)
    if apart is None:
        return None
    spread = float(np.std(apart, ddof=1))
    for count in range(2, MOST_REPETITIONS + 1):
        if _quantile(count) * spread / math.sqrt(count) <= math.log1p(within):
            return count
    return None


def _logarithms(over: Sequence[float], under: Sequence[float]) -> NDArray[np.float64] | None:
    if len(over) != len(under):
        raise ValueError("alternating measurements have the same number of repetitions on both sides")
    if len(over) < 2 or min(*over, *under) <= 0:
        return None
    found: NDArray[np.float64] = np.log(over) - np.log(under)
    return found


def _mean(apart: NDArray[np.float64]) -> tuple[float, float]:
    """Return the mean and its standard error; exactly, if all are equal."""
    if np.ptp(apart) == 0:
        return float(apart[0]), 0.0
    return float(apart.mean()), float(np.std(apart, ddof=1)) / math.sqrt(len(apart))


def _quantile(count: int) -> float:
    """Return how many standard errors the bounds of a 95 % interval are from the mean of so many."""
    return student_quantile((1 + CONFIDENCE) / 2, count - 1)
