"""The number of samples for a median or a mean of the requested precision, from a pilot that has many more.

A pilot shows the scatter of single samples. Samples count as independent, and as coming from one repetition: no number
of samples reduces the differences between repetitions.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from intercore.statistics.intervals import normal_reach

FEWEST = 6
"""Samples without which a median has no interval by order statistics (`intercore.statistics.intervals`)."""


def samples_for_median(pilot: ArrayLike, within: float) -> int | None:
    """Return how many samples make the 95 % interval of the median lie within a fraction of it to either side.

    The interval by order statistics reaches from the quantile 1/2 - d to 1/2 + d with d = z / (2 √n), as the number of
    samples below the median is binomial (David & Nagaraja, Order Statistics, 3rd ed. 2003, section 7.1). So n follows
    from the share of the pilot that lies that close to its median: n = (z / (2 d))², on the side that has fewer. None
    if no share does, as between two levels: then no number of samples is enough.
    """
    ordered = np.sort(np.asarray(pilot, dtype=np.float64))
    middle = float(np.median(ordered))
    reach = within * abs(middle)
    above = np.searchsorted(ordered, middle + reach, side="right") / len(ordered) - 0.5
    below = 0.5 - np.searchsorted(ordered, middle - reach, side="left") / len(ordered)
    share = float(min(above, below))
    return None if share <= 0 else max(math.ceil((normal_reach() / (2 * share)) ** 2), FEWEST)


def samples_for_mean(pilot: ArrayLike, within: float) -> int | None:
    """Return the same for the mean, whose interval is z s / √n to either side: n = (z s / (within mean))².

    (Cochran, Sampling Techniques, 3rd ed. 1977, section 4.7.) None if the mean is 0.
    """
    values = np.asarray(pilot, dtype=np.float64)
    mean = float(values.mean())
    if mean == 0:
        return None
    return max(math.ceil((normal_reach() * float(values.std(ddof=1)) / (within * abs(mean))) ** 2), FEWEST)


def median_within(pilot: ArrayLike, samples: int) -> float:
    """Return within which fraction to either side so many samples, at least FEWEST, know the median."""
    ordered: NDArray[np.float64] = np.sort(np.asarray(pilot, dtype=np.float64))
    share = min(normal_reach() / (2 * math.sqrt(samples)), 0.5)
    low, middle, high = np.quantile(ordered, (0.5 - share, 0.5, 0.5 + share))
    return float(max(high - middle, middle - low) / abs(middle)) if middle else math.inf
