"""Ratios as people say them: `1.4 × faster`, `22 × slower`, `same`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.view.quantity import significant

if TYPE_CHECKING:
    from intercore.statistics.intervals import Interval

_THOUSAND = 1e3
_FINE = 1.1  # below it a third decimal shows a change


def times(ratio: float) -> str:
    """Write a ratio of at least 1 as roughly as a reader needs it: `1.023`, `1.42`, `22.1`, `1,760`."""
    if ratio < _FINE:
        return f"{ratio:.3f}"
    return significant(ratio) if ratio < _THOUSAND else f"{float(significant(ratio)):,.0f}"


def upright(ratio: float) -> float:
    """Return a ratio above 0, or its reciprocal: the one that is at least 1."""
    return max(ratio, 1 / ratio)


def bounds_upright(ratio: Interval) -> str:
    """Write the interval of a ratio above 0 the way round in which its value is at least 1; empty without bounds."""
    if ratio.low is None or ratio.high is None or ratio.low <= 0:
        return ""
    low, high = (ratio.low, ratio.high) if ratio.value >= 1 else (1 / ratio.high, 1 / ratio.low)
    return " – ".join(times(one) if one >= 1 else f"{one:.3f}" for one in (low, high))
