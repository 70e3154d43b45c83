"""Locates windows by their pattern, without a mark pin: matches their known lengths with edges of the current.

First the whole pattern is shifted over the recording to where the windows explain most of the current's variance, each
with its own level (a cross-correlation with boxes of free height). There, each edge is located as a change from one
level to another. If the begins of windows are known, offset and drift are fitted to all edges; else each window begins
at its own rise.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from intercore.energy.mark import target_begins
from intercore.energy.placement import Placement, RefusedError, WindowFit
from intercore.statistics.intervals import CONFIDENCE, Interval, normal_reach
from intercore.statistics.least_squares import least_squares
from intercore.statistics.probability import student_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from intercore.record.meter_recording import Trace, Window

    Floats: TypeAlias = NDArray[np.float64]

_STEPS, _MOST_STEPS = 40, 20_000
"""Steps of the search per shortest window, and in total."""
_MOST_CELLS = 2_000_000
_MOST_DRIFT = 500e-6
"""Above the difference of any two crystals."""
_SIGNIFICANT = 6.0
"""Least difference of two levels at an edge, in standard errors."""
_RIVAL_SHARE = 0.995
"""Fraction of the best offset's explained variance from which a distant offset counts as equally good."""
_EDGE_SAMPLES = 2
"""Samples on either side of an edge that may belong to both levels."""
_MOST_SHARE = 0.1
"""Largest fraction of a window that is excluded at either end if its begin is only roughly known."""
_CAUTION = 3.0
"""Margin at either end of a window, in standard errors of its location."""


class _Edge(NamedTuple):
    """A time at which the current changes."""

    moment: float
    error: float
    """Its standard error, s."""


class Integral:
    """The integral of a sampled signal."""

    def __init__(self, bounds: Floats, values: Floats) -> None:
        """Integrate values, each over the time between its bounds."""
        self.bounds: Floats = bounds
        self._sums: Floats = np.concatenate(([0.0], np.cumsum(values * np.diff(bounds))))
        self.begin, self.end = float(bounds[0]), float(bounds[-1])

    def to(self, moments: Floats) -> Floats:
        """Return the integral from the beginning to each time; times outside are clipped."""
        found: Floats = np.interp(moments, self.bounds, self._sums)
        return found

    def mean(self, begin: float, end: float) -> float:
        """Return the mean between two different times."""
        low, high = self.to(np.array([begin, end]))
        return float(high - low) / (end - begin)


def by_pattern(trace: Trace, windows: Sequence[Window]) -> WindowFit:
    """Locate the windows by their lengths.

    Raises RefusedError if lengths or gaps are unknown, or edges are not visible.
    """
    if any(one.seconds is None for one in windows):
        raise RefusedError(
            "the length of the measured windows is only known from the mark pin: connect the mark pin to an input of "
            "the meter"
        )
    if any(one.gap_s is None for one in windows[1:]):
        raise RefusedError(
            "the time between the measured windows is unknown: connect the mark pin to an input of the meter"
        )
    signal = trace.power if trace.watts is not None or trace.volts is not None else trace.amps
    if signal is None:
        raise RefusedError("the meter reports neither current nor power: choose a meter that reports one of them")
    lengths = np.array([one.seconds for one in windows])
    begins = target_begins(windows)
    seeker = _Seeker(trace, Integral(trace.bounds, signal), signal, begins, lengths)
    offset = seeker.place(windows[0])
    exact = all(not one.slack_s for one in windows[1:])
    return seeker.fitted(offset) if exact else seeker.each(offset, windows)


class _Seeker:
    """Searches for a pattern in a recording."""

    def __init__(self, trace: Trace, integral: Integral, signal: Floats, begins: Floats, lengths: Floats) -> None:
        self._seconds, self._signal, self._integral = trace.seconds, signal, integral
        self._begins, self._lengths = begins, lengths
        self._interval = trace.interval_s
        self._span = float(begins[-1] + lengths[-1])

    # The pattern as a whole

    def place(self, first: Window) -> float:
        """Return the offset at which the whole pattern explains most. Raises RefusedError if it is ambiguous."""
        every = slice(None)
        low, high = self._integral.begin, self._integral.end - self._span
        if first.gap_s is not None:
            low = max(low, self._integral.begin + first.gap_s - first.slack_s)
            high = min(high, self._integral.begin + first.gap_s + first.slack_s)
        if high < low:
            recorded = self._integral.end - self._integral.begin
            raise RefusedError(
                f"the meter recorded only {recorded:.3g} s, but the measured windows last {self._span:.3g} s: record "
                "the whole run"
            )
        step = max(float(self._lengths.min()) / _STEPS, (high - low) / _MOST_STEPS, self._interval / 4)
        offsets = np.arange(low, high + step, step)
        explained = self._explained_variance(offsets, every)
        best = int(np.argmax(explained))
        far = np.abs(offsets - offsets[best]) > max(float(self._lengths.min()) / 2, 2 * step)
        if far.any() and explained[best] > 0 and explained[far].max() > _RIVAL_SHARE * explained[best]:
            other = float(offsets[far][np.argmax(explained[far])] - offsets[best])
            raise RefusedError(
                f"the place of the measured windows in the recording is ambiguous: {abs(other):.3g} s "
                f"{'later' if other > 0 else 'earlier'} fits as well. Add pauses between the windows (rest_ms), or "
                "connect the mark pin to an input of the meter"
            )
        return self._refine(float(offsets[best]), step, every)

    def _refine(self, offset: float, step: float, which: slice) -> float:
        """Refine the best offset of some windows to a fraction of a step."""
        while step > self._interval / 8:
            offsets = offset + np.linspace(-step, step, 17)
            offset = float(offsets[np.argmax(self._explained_variance(offsets, which))])
            step /= 6
        return offset

    def _search_near(self, expected: float, slack: float, which: slice, low: float) -> float:
        """Return the best offset of some windows, near the expected one and after `low`."""
        lengths, begin = self._lengths[which], float(self._begins[which][0])
        step = max(float(lengths.min()) / _STEPS, 2 * slack / _MOST_STEPS, self._interval / 4)
        offsets = np.arange(max(expected - slack, low), expected + slack + step, step) - begin
        best = float(offsets[np.argmax(self._explained_variance(offsets, which))])
        return self._refine(best, step, which) + begin

    def _explained_variance(self, offsets: Floats, which: slice) -> Floats:
        """Return the explained sum of squares of some windows, for the pattern at each offset."""
        found = []
        own_begins, lengths = self._begins[which], self._lengths[which]
        rows = max(_MOST_CELLS // len(own_begins), 1)
        whole = float(self._integral.to(np.array([self._integral.end]))[0])
        length = self._integral.end - self._integral.begin
        for at in range(0, len(offsets), rows):
            begins = offsets[at : at + rows, None] + own_begins
            sums = self._integral.to(begins + lengths) - self._integral.to(begins)
            rest = length - float(lengths.sum())
            outside = (whole - sums.sum(axis=1)) ** 2 / rest if rest > 0 else 0.0
            found.append((sums**2 / lengths).sum(axis=1) + outside - whole**2 / length)
        return np.concatenate(found)

    # Edges

    def _edge(self, moment: float, reach: float, room: float) -> _Edge | None:
        """Return the edge within `reach` s of a time, from samples within `room` s of it; None if there is none."""
        first, last = np.searchsorted(self._seconds, (moment - room, moment + room))
        values, seconds = self._signal[first:last], self._seconds[first:last]
        count = len(values)
        if count < 2 * _EDGE_SAMPLES + 6:
            return None
        sums, squares = np.cumsum(values), float(values @ values)
        splits = np.arange(1, count)
        left = sums[:-1] / splits
        right = (sums[-1] - sums[:-1]) / (count - splits)
        explained = left**2 * splits + right**2 * (count - splits)
        between = (seconds[:-1] + seconds[1:]) / 2
        explained[np.abs(between - moment) > reach + self._interval] = -np.inf
        split = int(np.argmax(explained)) + 1
        if not np.isfinite(explained[split - 1]):
            return None
        low, high = max(split - _EDGE_SAMPLES, 0), min(split + _EDGE_SAMPLES, count)
        if low < 2 or count - high < 2:
            return None
        before, after = float(values[:low].mean()), float(values[high:].mean())
        apart = after - before
        left_squares = float(values[:low] @ values[:low]) - low * before**2
        right_squares = float(values[high:] @ values[high:]) - (count - high) * after**2
        variance = max((left_squares + right_squares) / max(low + count - high - 2, 1), 0.0)
        error = math.sqrt(variance * (1 / low + 1 / (count - high)))
        if abs(apart) <= _SIGNIFICANT * error or squares == 0:
            return None
        # The sum of the samples near the edge determines its position between them.
        begin, end = between[low - 1] if low else seconds[0], between[high - 1] if high < count else seconds[-1]
        held = float(values[low:high] @ np.diff(np.concatenate(([begin], between[low : high - 1], [end]))))
        place = (after * end - before * begin - held) / apart
        of_noise = self._interval * math.sqrt(variance * (high - low)) / abs(apart)
        return _Edge(float(min(max(place, begin), end)), math.hypot(of_noise, self._interval / math.sqrt(12)))

    def _edges(self, offset: float, reach: float) -> tuple[list[_Edge | None], list[_Edge | None]]:
        """Return the rise and the fall of each window, where there is one."""
        ends = self._begins + self._lengths
        gaps = np.concatenate(([math.inf], self._begins[1:] - ends[:-1], [math.inf]))
        rises, falls = [], []
        for number, (begin, end) in enumerate(zip(self._begins, ends, strict=True)):
            drift = _MOST_DRIFT * end
            half = float(self._lengths[number]) / 2
            rises.append(self._edge(offset + begin, reach + drift, min(half, _room(float(gaps[number]), half))))
            falls.append(self._edge(offset + end, reach + drift, min(half, _room(float(gaps[number + 1]), half))))
        return rises, falls

    # Results

    def fitted(self, offset: float) -> WindowFit:
        """Fit offset and drift to all edges; requires known begins of the windows."""
        rises, falls = self._edges(offset, 2 * self._interval + 0.02 * float(self._lengths.min()))
        known = [
            (time, edge)
            for times, edges in ((self._begins, rises), (self._begins + self._lengths, falls))
            for time, edge in zip(times, edges, strict=True)
            if edge is not None
        ]
        if len(known) < 3:
            raise RefusedError(_NO_EDGES)
        times = np.array([time for time, _ in known])
        moments = np.array([edge.moment for _, edge in known])
        errors = np.array([edge.error for _, edge in known])
        fit = least_squares(moments, np.column_stack((np.ones(len(times)), times)), 1 / errors**2)
        spread = max(fit.variance if fit.freedom else 1.0, 1.0)
        times_of_error = student_quantile((1 + CONFIDENCE) / 2, fit.freedom) if fit.freedom else normal_reach()
        error = np.sqrt(spread * np.diag(fit.covariance))
        (start, rate), (off, drift_off) = fit.parameters, times_of_error * error
        design = np.column_stack((np.ones(len(self._begins)), self._begins))
        of_place = np.sqrt(spread * np.einsum("ij,jk,ik->i", design, fit.covariance, design))
        places = tuple(
            Placement(
                float(start + rate * begin),
                float(start + rate * (begin + length)),
                float(_CAUTION * error_of_place + self._interval / 2),
            )
            for begin, length, error_of_place in zip(self._begins, self._lengths, of_place, strict=True)
        )
        drift = 1e6 * (float(rate) - 1)
        away = 1e6 * float(drift_off)
        return WindowFit(
            Interval(float(start), float(start - off), float(start + off)),
            Interval(drift, drift - away, drift + away),
            places,
        )

    def each(self, offset: float, windows: Sequence[Window]) -> WindowFit:
        """Locate each window by its own rise, or else its fall, one after the other: gaps are only roughly known."""
        places: list[Placement] = []
        first: _Edge | None = None
        shown = 0
        ends = self._begins + self._lengths
        # After a gap of nearly unknown length, the following windows are located as a separate pattern.
        rough = {number: one.slack_s for number, one in enumerate(windows) if number and one.slack_s > one.slack(0.5)}
        if rough:
            rough[0] = max(rough.values())  # as in the whole pattern
        for number, window in enumerate(windows):
            expected = offset if not places else places[-1].end + (window.gap_s or 0.0)
            slack = window.slack(_MOST_SHARE)
            if number in rough:
                end = min((other for other in rough if other > number), default=len(windows))
                low = places[-1].end if places else self._integral.begin
                expected = self._search_near(expected, rough[number], slice(number, end), low)
            reach = max(window.slack(0.5), 2 * self._interval) + 0.02 * float(self._lengths[number])
            half = float(self._lengths[number]) / 2
            before = math.inf if not number else float(self._begins[number] - ends[number - 1])
            after = math.inf if number + 1 == len(windows) else float(self._begins[number + 1] - ends[number])
            edge = self._edge(expected, reach, min(half, _room(before, half)))
            shown += edge is not None
            if edge is None:
                fall = self._edge(expected + float(self._lengths[number]), reach, min(half, _room(after, half)))
                shown += fall is not None
                edge = None if fall is None else _Edge(fall.moment - float(self._lengths[number]), fall.error)
            error = slack / 2 if edge is None else edge.error
            begin = expected if edge is None else edge.moment
            first = first or edge
            share = slack / float(self._lengths[number]) if slack < window.slack_s else 0.0
            margin = _CAUTION * error + self._interval / 2 + slack
            places.append(Placement(begin, begin + float(self._lengths[number]), margin, share))
        if shown < min(2, len(windows)):
            raise RefusedError(_NO_EDGES)
        away = normal_reach() * (self._interval if first is None else first.error) + windows[0].slack_s
        start = places[0].begin
        return WindowFit(Interval(start, start - away, start + away), None, tuple(places))


def _room(gap: float, half: float) -> float:
    """Return the surroundings of an edge: half of the gap next to it, at most the length of its window."""
    return half if math.isinf(gap) else max(gap / 2, half / 4)


_NO_EDGES = (
    "the current does not change visibly where the measured windows begin and end: add pauses between them (rest_ms), "
    "or connect the mark pin to an input of the meter"
)
