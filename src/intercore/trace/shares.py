"""How much of what was measured each part took: of all samples of a series, with and without the cost of recording."""

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
    """One part of the time that a series measured; the parts add up to the whole."""

    part: Part
    us: float
    """Mean over the samples that were found, in µs, with the recorder's cost."""
    recorder_us: float
    """Of that the recorder's cost: that of one event for each that was recorded meanwhile, and that of one of Linux'
    scheduler's records for each of those."""

    @property
    def own_us(self) -> float:
        """What is left without the recorder's cost, in µs: an estimate, at least 0."""
        return max(self.us - self.recorder_us, 0.0)


class TracedSeries(msgspec.Struct, frozen=True):
    """One series of a recorded measurement, and what its samples consisted of."""

    series: str
    samples: int
    """That it has."""
    found: int
    """Of these, those whose readings were recorded and at no time of which events are missing."""
    median_us: float
    """Of all samples, recorded, in µs."""
    plain_us: float | None
    """Median of the same measurement while the recorder was off, in µs; None if that was not made."""
    shares: tuple[Share, ...]
    """In the order in which the parts come."""
    windows: tuple[Window, ...]
    """The samples that were found."""


def costs(history: History) -> tuple[float, ...]:
    """Return what an event costs on each core, in ticks of the common clock: the median of what it measured."""
    return tuple(float(median(ring.costs)) for ring in history.recording.rings)


def traced(
    history: History, recorded: Sequence[Series], plain: Mapping[str, Series], counter_bits: int = 0
) -> list[TracedSeries]:
    """Return what the samples of each series consisted of of which some were found, in the order of the answer.

    `recorded` are the series of the recorded measurement and `plain` those of the one that was not, by name.
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
    """Return the mean of each part over several times that were measured."""
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
