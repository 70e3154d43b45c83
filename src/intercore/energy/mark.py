"""Locates windows by the mark pin: each is one of its pulses, in order."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from intercore.energy.placement import Placement, RefusedError, WindowFit
from intercore.statistics.intervals import Interval, normal_reach
from intercore.statistics.least_squares import least_squares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from intercore.record.meter_recording import Trace, Window

_LEAD_S = 25e-6
"""Permitted excess of a pulse over its window: the pin rises some 20 µs before it (docs/energy.md)."""
_OFF, _OFF_S = 0.02, 2e-3
"""Permitted difference of a pulse and its window, as a fraction and in seconds; above, it counts as another signal."""


def pulses(trace: Trace) -> NDArray[np.float64]:
    """Return the rise and fall times of the mark pin by the meter's clock, shape (count, 2), each between two samples.

    Incomplete pulses are ignored. Raises ValueError if the meter does not record the pin.
    """
    if trace.mark is None:
        raise ValueError("the meter does not record the mark pin")
    edges = np.flatnonzero(np.diff(trace.mark.astype(np.int8)))
    moments = (trace.seconds[edges] + trace.seconds[edges + 1]) / 2
    if len(edges) and not trace.mark[edges[0] + 1]:
        moments = moments[1:]
    return moments[: len(moments) // 2 * 2].reshape(-1, 2)


def by_mark(trace: Trace, windows: Sequence[Window]) -> WindowFit:
    """Match pulses and windows, in order. Raises RefusedError if their numbers or lengths differ."""
    found = pulses(trace)
    if [one.whole for one in windows] == [True] and len(found):
        return _together(found, trace.interval_s)
    if len(found) != len(windows):
        raise RefusedError(
            f"the mark pin was high {len(found)} time{'s' * (len(found) != 1)}, but there were {len(windows)} measured "
            "windows: check that the pin is connected to the named input of the meter, and ground to ground"
        )
    interval = trace.interval_s
    lengths = found[:, 1] - found[:, 0]
    for number, (length, window) in enumerate(zip(lengths, windows, strict=True), 1):
        most = 2 * interval + _OFF_S
        if window.seconds is not None and abs(length - window.seconds) > most + _OFF * window.seconds:
            raise RefusedError(
                f"pulse {number} of the mark pin lasts {length:.4g} s, but its measured window lasts "
                f"{window.seconds:.4g} s: check that no other signal is connected to that input of the meter"
            )
    drift = _drift(found, windows, interval)
    rate = 1.0 if drift is None else 1 + drift.value / 1e6
    places = tuple(
        Placement(float(rise), float(fall if one.seconds is None else rise + rate * one.seconds), interval / 2)
        for (rise, fall), one in zip(found, windows, strict=True)
    )
    return WindowFit(Interval(float(found[0, 0]), *_around(float(found[0, 0]), interval / 2)), drift, places)


def _together(found: NDArray[np.float64], interval: float) -> WindowFit:
    """Combine all pulses into one window: the pin falls while the target reports its progress."""
    begin = float(found[0, 0])
    parts = tuple((float(rise), float(fall)) for rise, fall in found if fall - rise > 2 * interval)
    place = Placement(begin, float(found[-1, 1]), interval / 2, parts=parts)
    return WindowFit(Interval(begin, *_around(begin, interval / 2)), None, (place,))


def _drift(found: NDArray[np.float64], windows: Sequence[Window], interval: float) -> Interval | None:
    """Fit the drift: to all edges if the begin of each window is known, else to the lengths of the pulses.

    An edge is anywhere between two samples, so its standard error is their distance over the root of 12.
    """
    known = [(pulse, one.seconds) for pulse, one in zip(found, windows, strict=True) if one.seconds is not None]
    if not known:
        return None
    of_edge = interval / math.sqrt(12)
    if len(windows) > 1 and all(
        one.seconds is not None and one.gap_s is not None and not one.slack_s for one in windows[1:]
    ):
        begins = target_begins(windows)
        ends = begins + np.array([one.seconds for one in windows])
        times = np.concatenate((begins, ends))
        fit = least_squares(found.T.ravel(), np.column_stack((np.ones(len(times)), times)))
        rate, error = float(fit.parameters[1]), of_edge * math.sqrt(float(fit.covariance[1, 1]))
    else:
        lengths = np.array([seconds for _, seconds in known])
        pulses_s = np.array([fall - rise for (rise, fall), _ in known])
        squares = float(lengths @ lengths)
        rate = float(pulses_s @ lengths) / squares
        error = math.hypot(math.sqrt(2) * of_edge / math.sqrt(squares), _LEAD_S * float(lengths.sum()) / squares)
    value = 1e6 * (rate - 1)
    return Interval(value, *_around(value, normal_reach() * 1e6 * error))


def target_begins(windows: Sequence[Window]) -> NDArray[np.float64]:
    """Return the begin of each window by the target's clock, in s since the first, as far as known."""
    begins = [0.0]
    for before, one in pairwise(windows):
        begins.append(begins[-1] + (before.seconds or 0.0) + (one.gap_s or 0.0))
    return np.array(begins)


def _around(value: float, distance: float) -> tuple[float, float]:
    return value - distance, value + distance
