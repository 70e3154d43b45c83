"""Log-linear histograms, as a target sends them of a run that is too long to keep every value.

firmware/core/histogram.h defines the bins: each is known to 1 part in STEPS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEPS = 32
"""Bins per power of two."""


def bin_bounds(count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the smallest and the largest value of each of the first `count` bins."""
    number = np.arange(count, dtype=np.int64)
    exponent = np.maximum(number // STEPS - 1, 0)
    low = (number - STEPS * exponent) << exponent
    return low, low + (1 << exponent) - 1


def quantile(counts: NDArray[np.int64], fraction: float) -> int:
    """Return the largest value of the bin that holds the quantile: none that is smaller is exceeded more seldom.

    ValueError if nothing was counted.
    """
    total = int(counts.sum())
    if not total:
        raise ValueError("an empty histogram has no quantile")
    _, high = bin_bounds(len(counts))
    return int(high[np.searchsorted(np.cumsum(counts), max(fraction * total, 1))])
