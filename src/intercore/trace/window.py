"""Locates the samples of a measurement among the recorded timestamps of its tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from intercore.record.trace_recording import Kind
from intercore.trace.history import EventPosition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercore.record.measurement import Series
    from intercore.trace.history import History

_LOW = (1 << 32) - 1


class Window(msgspec.Struct, frozen=True):
    """A sample with the time that it measured."""

    series: str
    number: int
    """Index of the sample in its series, from 0."""
    ticks: int
    """The sample, in ticks of its clock."""
    begin: int
    """Begin, in ticks of the common clock."""
    end: int
    last: EventPosition
    """The timestamp at its end."""
    first: EventPosition | None = None
    """The timestamp at its begin; None if it began at a due time without a timestamp."""
    counted: bool = False
    """Whether both timestamps are of the cores' own counters, whose difference may not be the elapsed time."""


def windows(history: History, series: Sequence[Series], counter_bits: int = 0) -> list[Window]:
    """Return the samples whose timestamps were recorded, in the order of measuring.

    `series` are those of the answer, in order, and `counter_bits` is the width of the cores' own counters, 0 if they do
    not wrap. A sample is the difference of two timestamps of its repetition; of several pairs, the last one counts. A
    sample without such a pair ends at its task's last timestamp, and began when it was due. Samples that began while
    events are missing are omitted.
    """
    found: list[Window] = []
    since = history.whole_since
    left = {
        number: len(one.ticks) for number, one in enumerate(series)
    }  # backwards, because the first ones may be missing
    for place in reversed(_samples(history)):
        event = history.event(place)
        if left.get(event.detail, 0) == 0:
            continue
        left[event.detail] -= 1
        one, number = series[event.detail], left[event.detail]
        if one.unit != "tick" or int(one.ticks[number]) & _LOW != event.object:
            continue
        window = _window(history, place, one, number, counter_bits)
        if window is not None and (since is None or window.begin >= since):
            found.append(window)
    return found[::-1]


def _samples(history: History) -> list[EventPosition]:
    places = [
        (event.time, core.number, index)
        for core in history.cores
        for index, event in enumerate(core.events)
        if event.kind is Kind.SAMPLE
    ]
    return [EventPosition(core, index) for _, core, index in sorted(places)]


def _window(history: History, place: EventPosition, series: Series, number: int, counter_bits: int) -> Window | None:
    ticks = int(series.ticks[number])
    counted = series.clock != "common"
    readings = _readings(history, Kind.COUNTED if counted else Kind.READ, place)

    def value(one: EventPosition) -> int:
        return history.event(one).object if counted else history.event(one).time

    def between(first: EventPosition, last: EventPosition) -> Window:
        begin, end = history.event(first).time, history.event(last).time
        return Window(series.name, number, ticks, begin, end, last, first, counted)

    for later, last in enumerate(readings):
        for first in readings[later + 1 :]:
            if (value(last) - value(first) - ticks) & _LOW == 0:
                return between(first, last)
    if not readings:
        return None
    task = history.cores[place.core].task_at(place.index)
    own = next((one for one in readings if history.cores[one.core].task_at(one.index) == task), None)
    if own is None or task is None:
        return None
    if not counted:
        end = history.event(own).time
        return Window(series.name, number, ticks, end - ticks, end, own) if ticks >= 0 else None
    before = readings[min(readings.index(own) + 1, len(readings) - 1)]
    wrapped = 0 < counter_bits < 32 and (value(own) - value(before) - ticks) % (1 << counter_bits) == 0
    return between(before, own) if wrapped and before != own else None


def _readings(history: History, kind: Kind, before: EventPosition) -> list[EventPosition]:
    """Return the timestamps of a kind in the repetition of an event, up to that event, the last first."""
    ends = {core.number: core.at(history.event(before).time + 1) for core in history.cores} | {
        before.core: before.index
    }
    began = [
        core.events[index].time
        for core in history.cores
        if (index := core.last(ends[core.number], lambda event: event.kind is Kind.REPETITION)) is not None
    ]
    places = [
        EventPosition(core.number, index)
        for core in history.cores
        for index in range(core.at(max(began, default=0)), ends[core.number])
        if core.events[index].kind is kind
    ]
    return sorted(places, key=lambda place: history.event(place).time, reverse=True)
