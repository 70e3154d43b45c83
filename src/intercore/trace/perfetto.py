"""A recording as a file for Perfetto (https://ui.perfetto.dev): a track for each core and each task, with arrows.

The file is a `Trace` of Perfetto's format, in the wire format of protocol buffers. It needs so little of both (five
messages, numbers and texts) that it is written here, without a library that every user would have to install.
Field numbers are those of Perfetto's `trace_packet.proto`, `track_descriptor.proto`, `process_descriptor.proto` and
`track_event.proto`; the tests read the files by Perfetto's own definitions.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from intercore.record.trace_recording import Cause, Class, Kind
from intercore.trace.history import EventPosition, History

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from intercore.record.trace_recording import Event
    from intercore.trace.history import Slice
    from intercore.trace.path import Segment
    from intercore.trace.window import Window

# ---- the wire format: https://protobuf.dev/programming-guides/encoding/ ----

_VARINT, _FIXED_64, _BYTES = 0, 1, 2


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3 | _VARINT) + _varint(value)


def _fixed(field: int, value: int) -> bytes:
    return _varint(field << 3 | _FIXED_64) + value.to_bytes(8, "little")


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | _BYTES) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


# ---- the messages ----


class _Type(enum.IntEnum):
    """Type of a `TrackEvent`."""

    BEGIN = 1
    END = 2
    INSTANT = 3


_SEQUENCE = 1
"""All packets have one writer."""


class _File:
    """A trace during writing."""

    def __init__(self, hz: int, origin: int) -> None:
        self._hz = hz
        self._origin = origin
        self._tracks = 0
        self._head = [_bytes(1, _number(10, _SEQUENCE) + _number(13, 1))]  # SEQ_INCREMENTAL_STATE_CLEARED
        self._events: list[tuple[int, bytes]] = []

    def group(self, name: str) -> int:
        """Add a group of tracks, shown as a process; return its number."""
        self._tracks += 1
        process = _number(1, self._tracks) + _text(6, name)
        self._describe(_number(1, self._tracks) + _bytes(3, process) + _number(11, 3))  # children by their rank
        return self._tracks

    def track(self, group: int, name: str) -> int:
        """Add a track at the end of a group; return its number."""
        self._tracks += 1
        self._describe(_number(1, self._tracks) + _text(2, name) + _number(5, group) + _number(12, self._tracks))
        return self._tracks

    def _describe(self, descriptor: bytes) -> None:
        self._head.append(_bytes(1, _number(10, _SEQUENCE) + _bytes(60, descriptor)))

    def slice(self, track: int, begin: int, end: int, name: str, arrow: int | None = None) -> None:
        """Add a slice to a track; the head of an arrow is at its beginning."""
        self._event(track, begin, _Type.BEGIN, name, b"" if arrow is None else _fixed(48, arrow))
        self._event(track, end, _Type.END, "", b"")

    def instant(self, track: int, moment: int, name: str, tail: int | None = None, head: int | None = None) -> None:
        """Add an instant event, perhaps with the tail and the head of an arrow."""
        arrows = (b"" if tail is None else _fixed(47, tail)) + (b"" if head is None else _fixed(48, head))
        self._event(track, moment, _Type.INSTANT, name, arrows)

    def _event(self, track: int, moment: int, kind: _Type, name: str, arrow: bytes) -> None:
        event = _number(9, kind) + _number(11, track) + (_text(23, name) if name else b"") + arrow
        ns = (moment - self._origin) * 1_000_000_000 // self._hz
        self._events.append((moment, _bytes(1, _number(8, ns) + _number(10, _SEQUENCE) + _bytes(11, event))))

    def content(self) -> bytes:
        """Return the file: events in the order of time, simultaneous ones in the order in which they were added."""
        return b"".join([*self._head, *(packet for _, packet in sorted(self._events, key=lambda one: one[0]))])


# ---- content ----

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
    file = _File(recording.hz, min(moments, default=0))
    _measured(file, ways, heading)
    slices = {core.number: list(core.slices()) for core in history.cores}
    cores = {core.number: _core(file, history, core.number, slices[core.number]) for core in history.cores}
    _tasks(file, history, [one for own in slices.values() for one in own], cores)
    return file.content()


def _measured(file: _File, ways: Mapping[Window, Sequence[Segment]], heading: str) -> None:
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


def _core(file: _File, history: History, number: int, slices: Iterable[Slice]) -> int:
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


def _tasks(file: _File, history: History, slices: Sequence[Slice], cores: Mapping[int, int]) -> None:
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
