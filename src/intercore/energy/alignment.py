"""Locates the windows of a measurement in a meter's recording: by the mark pin, by their pattern, or not at all.

The target's clock has the length of a window, the meter's clock the times of samples. They are related by

    meter's time = offset + (1 + drift) × target's time

with the target's time from the begin of the first window. Both are fitted and reported with their uncertainty.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from intercore.energy.mark import by_mark
from intercore.energy.pattern import by_pattern
from intercore.energy.placement import LEAST_SAMPLES, Placement, RefusedError
from intercore.statistics.intervals import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.record.meter_recording import Trace, Window

How: TypeAlias = Literal["mark", "pattern"]


class Clock(msgspec.Struct, frozen=True):
    """The relation of the meter's clock to the target's."""

    offset_s: Interval
    """Meter's time at the begin of the first window, in s."""
    drift_ppm: Interval | None
    """Parts per million by which the meter's clock is faster; None if unknown."""


class Alignment(msgspec.Struct, frozen=True):
    """The location of windows in a recording."""

    how: How
    clock: Clock
    places: tuple[Placement, ...]
    """Location of each window, by the meter's clock."""


def align(trace: Trace, windows: Sequence[Window]) -> Alignment:
    """Locate the windows in a trace: by the mark pin if the meter records it, else by their pattern.

    Raises RefusedError, with advice, if both fail, or if a window is too short for the meter.
    """
    if not windows:
        raise RefusedError("the target reported no measured window, so there is no energy to measure")
    _check_length(trace, windows)
    how: How = "pattern" if trace.mark is None else "mark"
    found = by_mark(trace, windows) if trace.mark is not None else by_pattern(trace, windows)
    _check_samples(trace, windows, found.places)
    return Alignment(how, Clock(found.offset_s, found.drift_ppm), found.places)


def _check_length(trace: Trace, windows: Sequence[Window]) -> None:
    interval = trace.interval_s
    if interval <= 0:
        raise RefusedError("the meter recorded fewer than two samples: check that the meter is connected and measures")
    shortest = min((one.seconds for one in windows if one.seconds is not None), default=math.inf)
    least = (LEAST_SAMPLES + 2) * interval
    if shortest < least:
        raise RefusedError(_too_short(shortest, interval, least))


def _check_samples(trace: Trace, windows: Sequence[Window], places: Sequence[Placement]) -> None:
    interval = trace.interval_s
    for window, place in zip(windows, places, strict=True):
        length = place.seconds
        inside = length - 2 * place.margin * len(place.spans)
        if inside < (LEAST_SAMPLES + 1) * interval:
            # Part of the margin at either end may be proportional to the window's length.
            share = 0.0 if window.seconds is None else 2 * place.margin_share
            fixed = 2 * place.margin - share * length
            least = (fixed + (LEAST_SAMPLES + 1) * interval) / (1 - share)
            raise RefusedError(_too_short(length, interval, least))


def _too_short(length: float, interval: float, least: float) -> str:
    return (
        f"a measured window of {1e3 * length:.3g} ms is too short for a meter that samples every {1e3 * interval:.3g} "
        f"ms: use window_ms={math.ceil(1e3 * least)} or more"
    )
