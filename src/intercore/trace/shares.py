"""The share of each part in the samples of a series, with and without the recorder's overhead."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from intercore.trace.path import Part, Segment, path_of
from intercore.trace.window import Window, windows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from intercore.record.measurement import Series
    from intercore.trace.history import History


class Share(msgspec.Struct, frozen=True):
    """A part of the time of a series; the parts add up to the whole."""

    part: Part
    us: float
    """Mean over the analysed samples, in µs, with the recorder's overhead."""
    recorder_us: float
    """The recorder's overhead in it: that of each recorded event, and of each record of Linux' scheduler."""

    @property
    def own_us(self) -> float:
        """The time without the recorder's overhead, in µs: an estimate, at least 0."""
        return max(self.us - self.recorder_us, 0.0)


class TracedSeries(msgspec.Struct, frozen=True):
    """A series of a recorded measurement with the parts of its samples."""

    series: str
    samples: int
    """Number of its samples."""
    found: int
    """Number of samples whose timestamps were recorded and that miss no event."""
    median_us: float
    """Median of all samples with the recorder on, in µs."""
    plain_us: float | None
    """Median of the same measurement with the recorder off, in µs; None if there is none."""
    shares: tuple[Share, ...]
    """In the order of the parts."""
    windows: tuple[Window, ...]
    """The analysed samples."""


def costs(history: History) -> tuple[float, ...]:
    """Return the overhead of an event on each core in ticks of the common clock: the measured median."""
    return tuple(float(median(ring.costs)) for ring in history.recording.rings)


def traced(
    history: History, recorded: Sequence[Series], plain: Mapping[str, Series], counter_bits: int = 0
) -> list[TracedSeries]:
    """Return the analysed series, in the order of the answer; series without an analysed sample are omitted.

    `recorded` has the series with the recorder on, and `plain` those with it off, by name.
    """
    by_series: defaultdict[str, list[Window]] = defaultdict(list)
    for window in windows(history, recorded, counter_bits):
        by_series[window.series].append(window)
    return [
        TracedSeries(
            one.name,
            len(one.ticks),
            len(found),
            _median_us(one),
            _median_us(plain[one.name]) if one.name in plain else None,
            shares(history, [path_of(history, window) for window in found]),
            tuple(found),
        )
        for one in recorded
        if (found := by_series[one.name])
    ]


def shares(history: History, ways: Sequence[Sequence[Segment]]) -> tuple[Share, ...]:
    """Return the mean of each part over several measured times."""
    us = 1e6 / history.recording.hz
    cost = costs(history)
    ticks: defaultdict[Part, float] = defaultdict(float)
    recorder: defaultdict[Part, float] = defaultdict(float)
    for segment in (segment for way in ways for segment in way):
        length = segment.end - segment.begin
        ticks[segment.part] += length
        made = segment.made.events * cost[segment.core]
        made += segment.made.records * history.recording.rings[segment.core].scheduler_cost
        recorder[segment.part] += min(made, length)
    return tuple(Share(part, total / len(ways) * us, recorder[part] / len(ways) * us) for part, total in ticks.items())


def _median_us(series: Series) -> float:
    return float(median(series.ns)) / 1000 if len(series.ticks) else 0.0
