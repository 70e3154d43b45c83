"""Energy, charge, mean and peak of one window, with the uncertainty of its recording.

The mean is over the samples that are completely within the window; the window's length is from the target. Samples of a
drifting current are not independent, so the interval is from means of up to 32 batches (Law, Simulation Modeling and
Analysis, 5th ed. 2015, 9.5.3). It covers noise and drift within the window, but not the meter's accuracy.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import msgspec
import numpy as np

from intercore.statistics.intervals import CONFIDENCE, Interval, scaled
from intercore.statistics.probability import student_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from intercore.energy.placement import Placement
    from intercore.record.meter_recording import Reading, Trace, Window

    Floats: TypeAlias = NDArray[np.float64]

_BATCHES = 32


class WindowEnergy(msgspec.Struct, frozen=True):
    """Energy and related values of a window."""

    label: str
    seconds: float
    """By the target's clock, or by the meter's if only the mark pin has the length."""
    operations: float
    operation: str
    work: str
    cores: int
    joules: Interval
    watts: Interval
    """Mean power."""
    amps: Interval | None
    """Mean current; None if the meter reports only power."""
    peak_amps: float | None
    """Largest sample."""
    coulombs: Interval | None
    samples: int
    """Samples within it; 0 if it was read by eye or estimated."""

    @property
    def joules_each(self) -> Interval | None:
        """Energy per operation; None if the number of operations is unknown."""
        return scaled(self.joules, 1 / self.operations) if self.operations > 0 else None

    @property
    def seconds_each(self) -> float | None:
        """Time per operation."""
        return self.seconds / self.operations if self.operations > 0 else None


def of_trace(trace: Trace, window: Window, place: Placement) -> WindowEnergy:
    """Return the energy of a window from the samples within it; `align` ensures that there are enough."""
    half = trace.interval_s / 2
    within = np.concatenate(
        [
            np.arange(
                np.searchsorted(trace.seconds, begin + place.margin + half),
                np.searchsorted(trace.seconds, end - place.margin - half, side="right"),
            )
            for begin, end in place.spans
        ]
    )
    seconds = place.seconds if window.seconds is None else window.seconds
    left_out = 1 - len(within) * 2 * half / place.seconds
    spans = trace.spans_s[within]
    watts = mean_of(trace.power[within], spans, left_out)
    amps = None if trace.amps is None else mean_of(trace.amps[within], spans, left_out)
    peak = None if trace.amps is None else float(trace.amps[within].max())
    return of_power(window, seconds, watts, amps, peak_amps=peak, samples=len(within))


def of_reading(reading: Reading, window: Window) -> WindowEnergy:
    """Return the energy of a window from a reading, with an uncertainty of half of the last digit."""
    half = reading.step / 2
    amps = Interval(reading.amps, max(reading.amps - half, 0.0), reading.amps + half)
    watts = scaled(amps, reading.volts)
    seconds = window.seconds or 0.0
    return of_power(window, seconds, watts, amps)


def of_power(
    window: Window,
    seconds: float,
    watts: Interval,
    amps: Interval | None,
    *,
    peak_amps: float | None = None,
    samples: int = 0,
) -> WindowEnergy:
    """Return the energy of a window from its duration, mean power and current."""
    return WindowEnergy(
        label=window.label,
        seconds=seconds,
        operations=window.operations,
        operation=window.operation,
        work=window.work,
        cores=window.cores,
        joules=scaled(watts, seconds),
        watts=watts,
        amps=amps,
        peak_amps=peak_amps,
        coulombs=None if amps is None else scaled(amps, seconds),
        samples=samples,
    )


def mean_of(values: Floats, spans: Floats, left_out: float = 0.0) -> Interval:
    """Return the time-weighted mean of at least two samples with its 95 % interval, by batch means.

    `left_out` is the fraction of the window that they do not cover, 0 to 1; it widens the interval accordingly.
    """
    count = len(values)
    size = max(count // _BATCHES, 1)
    batches = count // size
    sums, times = (each[: batches * size].reshape(batches, size).sum(axis=1) for each in (values * spans, spans))
    error = float(np.std(sums / times, ddof=1)) * math.sqrt((1 + max(left_out, 0.0)) / batches)
    distance = student_quantile((1 + CONFIDENCE) / 2, batches - 1) * error
    value = float((values * spans).sum() / spans.sum())
    return Interval(value, value - distance, value + distance)


def at_rest(trace: Trace, places: Sequence[Placement]) -> Interval | None:
    """Return the mean power outside of all windows; None if too little of the recording is there."""
    outside = np.ones(len(trace.seconds), bool)
    for place in places:
        away = place.margin + trace.interval_s
        for begin, end in place.spans:
            outside &= (trace.seconds < begin - away) | (trace.seconds > end + away)
    values = trace.power[outside]
    return mean_of(values, trace.spans_s[outside]) if len(values) >= 2 * _BATCHES else None
