"""Ratios as people say them: `1.4 × faster`, `22 × slower`, `same`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.view.quantity import significant

if TYPE_CHECKING:
    from intercore.statistics.intervals import Interval

_FINE = 1.1  # below it a third decimal tells a change
_COARSE = 10.0  # from it on decimals say nothing beside the interval


def times(ratio: float) -> str:
    """Write a ratio of at least 1 as roughly as a reader needs it: `1.023`, `1.42`, `5.08`, `22`, `1,700`."""
    if ratio < _FINE:
        return f"{ratio:.3f}"
    return f"{ratio:.2f}" if ratio < _COARSE else f"{float(significant(ratio, 2)):,.0f}"


def upright(ratio: float) -> float:
    """Return a ratio above 0, or its reciprocal: the one that is at least 1."""
    return max(ratio, 1 / ratio)


def bounds_upright(ratio: Interval) -> str:
    """Write the interval of a ratio above 0 the way round in which its value is at least 1; empty without bounds."""
    if ratio.low is None or ratio.high is None or ratio.low <= 0:
        return ""
    low, high = (ratio.low, ratio.high) if ratio.value >= 1 else (1 / ratio.high, 1 / ratio.low)
    return " – ".join(times(one) if one >= 1 else f"{one:.3f}" for one in (low, high))
