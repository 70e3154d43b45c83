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


class Step(msgspec.Struct, frozen=True):
    """What came next in a sample."""

    part: Part
    core: int
    us: float
    """In µs, with the recorder's overhead."""
    task: str | None
    """The task that ran on that core; None in an interrupt, or if unknown."""


class LongestSample(msgspec.Struct, frozen=True):
    """The longest of the analysed samples."""

    number: int
    """Its index in the series, from 0."""
    us: float
    """What passed between its two timestamps, in µs, with the recorder's overhead: the sum of its steps."""
    steps: tuple[Step, ...]
    """In the order of time."""


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
    longest: LongestSample


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
    analysed = []
    for one in recorded:
        if found := by_series[one.name]:
            ways = [path_of(history, window) for window in found]
            late = max(range(len(found)), key=lambda number: found[number].end - found[number].begin)
            analysed.append(
                TracedSeries(
                    one.name,
                    len(one.ticks),
                    len(found),
                    _median_us(one),
                    _median_us(plain[one.name]) if one.name in plain else None,
                    shares(history, ways),
                    tuple(found),
                    longest(history, found[late], ways[late]),
                )
            )
    return analysed


def longest(history: History, window: Window, way: Sequence[Segment]) -> LongestSample:
    """Return a sample with its steps; segments of one part in which the same task ran are one step."""
    us = 1e6 / history.recording.hz
    steps: list[Step] = []
    for segment in way:
        name = history.recording.task(segment.task) if segment.task else None
        step = Step(segment.part, segment.core, (segment.end - segment.begin) * us, name)
        if steps and (steps[-1].part, steps[-1].core, steps[-1].task) == (step.part, step.core, step.task):
            step = msgspec.structs.replace(step, us=steps.pop().us + step.us)
        steps.append(step)
    return LongestSample(window.number, (window.end - window.begin) * us, tuple(steps))


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
