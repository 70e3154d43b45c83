"""When a prediction is an answer, and how often to measure where it is none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intercore.statistics.intervals import Interval

TELLING = 0.5
"""Half width of an interval, as a fraction of its value, beyond which it is no answer: the truth may be a third of its
upper bound."""
REPETITIONS = 5
"""Fewest that are advised: fewer tell little of what differs between repetitions."""
MOST_REPETITIONS = 50
"""Most that are advised."""
AIM = 0.1
"""Half width of the interval that repetitions are to reach, as a fraction."""


def is_conclusive(median: Interval) -> bool:
    """Whether an interval is an answer: known, and not wider than TELLING to either side."""
    if median.low is None or median.high is None:
        return False
    return max(median.high - median.value, median.value - median.low) <= TELLING * median.value


def is_above(one: Interval, other: Interval) -> bool:
    """Whether the interval of one begins above that of another: the two can be told apart."""
    return one.low is not None and other.high is not None and other.high < one.low


def advised(done: int, off: float) -> int:
    """Return how many repetitions it takes until a median is known to AIM.

    `off` is the standard error of the median of the `done` ones, as a fraction.
    """
    needed = math.ceil(done * (2 * off / AIM) ** 2)
    return min(max(needed, REPETITIONS), MOST_REPETITIONS)
