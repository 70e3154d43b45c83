"""A recording as a file for Perfetto (https://ui.perfetto.dev): a track for each core and each task, with arrows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intercore.record.trace_recording import Cause, Class, Kind
from intercore.trace.history import EventPosition, History
from intercore.trace.perfetto_file import PerfettoFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from intercore.record.trace_recording import Event
    from intercore.trace.history import Slice
    from intercore.trace.path import Segment
    from intercore.trace.window import Window

_OBJECTS = {Kind.GIVEN: "gives", Kind.TAKEN: "takes", Kind.AWAITED: "waits for"}
_TASKS = {
    Kind.CREATED: "creates",
    Kind.DELETED: "deletes",
    Kind.READY: "makes ready",
    Kind.DELAYED: "sleeps",
    Kind.SUSPENDED: "suspends",
    Kind.RESUMED: "resumes",
    Kind.INHERITED: "lends its priority to",
}
_OWN = frozenset({Kind.IN, Kind.OUT, Kind.INTERRUPT_IN, Kind.INTERRUPT_OUT})
"""Events that are shown as slices."""


def perfetto(history: History, ways: Mapping[Window, Sequence[Segment]], heading: str) -> bytes:
    """Return the file of a recording. `ways` are the parts of each measured time, and `heading` is the title.

    Times are in ns since the first event.
    """
    recording = history.recording
    moments = [core.events[0].time for core in history.cores if core.events]
    moments += [window.begin for window in ways]
    file = PerfettoFile(recording.hz, min(moments, default=0))
    _measured(file, ways, heading)
    slices = {core.number: list(core.slices()) for core in history.cores}
    cores = {core.number: _core(file, history, core.number, slices[core.number]) for core in history.cores}
    _tasks(file, history, [one for own in slices.values() for one in own], cores)
    return file.content()


def _measured(file: PerfettoFile, ways: Mapping[Window, Sequence[Segment]], heading: str) -> None:
    group = file.group(heading)
    tracks: dict[str, int] = {}
    for window in ways:
        if window.series not in tracks:
            tracks[window.series] = file.track(group, window.series)
        track = tracks[window.series]
        file.slice(track, window.begin, window.end, f"sample {window.number}")
    for series in dict.fromkeys(window.series for window in ways):
        track = file.track(group, f"{series}: where the time goes")
        for window, way in ways.items():
            for segment in way if window.series == series else ():
                file.slice(track, segment.begin, segment.end, segment.part.value)


def _core(file: PerfettoFile, history: History, number: int, slices: Iterable[Slice]) -> int:
    """Add a core; return the track of its events."""
    group = file.group(f"core {number}")
    running, interrupts, events = (file.track(group, name) for name in ("tasks", "interrupts", "events"))
    ring = history.recording.rings[number]
    if ring.missing and ring.events:
        file.instant(events, ring.events[0].time, f"{ring.missing} events before this are missing")
    for one in slices:
        if one.task:
            file.slice(running, one.begin, one.end, history.recording.task(one.task))
        else:
            file.slice(interrupts, one.begin, one.end, interrupt_name(one.cause, one.interrupt))
    return events


def interrupt_name(cause: Cause, number: int) -> str:
    """Return the name of an interrupt."""
    names = {Cause.TICK: "tick", Cause.TIMER: "timer", Cause.CORE: "inter-core interrupt"}
    return names.get(cause, f"interrupt {number}")


def _tasks(file: PerfettoFile, history: History, slices: Sequence[Slice], cores: Mapping[int, int]) -> None:
    group = file.group("tasks")
    heads: dict[tuple[int, int], int] = {}
    tails: dict[EventPosition, int] = {}
    arrived: dict[EventPosition, int] = {}
    for arrow, (place, begin) in enumerate(_wakings(history, slices), start=1):
        tails[place] = arrow
        heads[history.event(place).object, begin] = arrow
    for arrow, (received, sent) in enumerate(history.messages.items(), start=len(tails) + 1):
        tails[sent] = arrow
        arrived[received] = arrow
    runs = sorted((one for one in slices if one.task), key=lambda one: one.begin)
    for task in dict.fromkeys(one.task for one in runs):
        track = file.track(group, history.recording.task(task))
        for one in runs:
            if one.task == task:
                file.slice(track, one.begin, one.end, f"on core {one.core}", heads.get((task, one.begin)))
    for core in history.cores:
        for index, event in enumerate(core.events):
            if event.kind not in _OWN:
                name = event_name(history, event)
                place = EventPosition(core.number, index)
                file.instant(cores[core.number], event.time, name, tails.get(place), arrived.get(place))


def _wakings(history: History, slices: Iterable[Slice]) -> Iterable[tuple[EventPosition, int]]:
    """Yield where tasks were made ready that then came to a core, with the time of that."""
    for one in slices:
        if one.task:
            place = history.made_ready(one.task, one.begin, history.went_out(one.task, one.begin))
            if place is not None:
                yield place, one.begin


def _message(event: Event) -> str:
    if event.object >> 31:  # of the link between two kernels
        return f"order {event.object & 0x3FFFFFFF} of the link, to core {event.object >> 30 & 1}"
    return f"message {event.object}, {event.detail} bytes"


def event_name(history: History, event: Event) -> str:
    """Return the name of an event."""
    recording = history.recording
    if event.kind in _TASKS:
        return f"{_TASKS[event.kind]} {recording.task(event.object)}"
    if event.kind in _OBJECTS:
        known = event.detail in [one.value for one in Class]
        what = Class(event.detail).name.lower().replace("events", "event group") if known else "object"
        whose = recording.task(event.object) if event.detail == Class.NOTIFICATION else f"{event.object:#x}"
        return f"{_OBJECTS[event.kind]} {what} {whose}"
    left_out = f", and {event.detail} before it" if event.detail else ""
    return {
        Kind.RUNG: f"interrupts core {event.object}",
        Kind.TICK: f"tick {event.object}",
        Kind.READ: f"reads the clock{left_out}",
        Kind.COUNTED: f"reads its core's counter: {event.object}{left_out}",
        Kind.REPETITION: f"repetition {event.object}",
        Kind.SAMPLE: f"sample of {event.object} ticks",
        Kind.MARK: recording.mark(event.object),
        Kind.SENT: f"sends {_message(event)}",
        Kind.RECEIVED: f"receives {_message(event)}",
        Kind.DUE: "waits until a given time",
    }.get(event.kind, event.kind.name.lower())
