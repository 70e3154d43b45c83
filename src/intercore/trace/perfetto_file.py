"""Perfetto's format: a `Trace` of tracks with slices, instants, arrows and counters, for https://ui.perfetto.dev.

The wire format is that of protocol buffers. So little of both is needed (six messages, numbers and texts) that it is
written here, without a library that every user would have to install. Field numbers are those of Perfetto's
`trace_packet.proto`, `track_descriptor.proto`, `process_descriptor.proto`, `counter_descriptor.proto` and
`track_event.proto`; the tests read the files by Perfetto's own definitions.
"""

from __future__ import annotations

import enum
import struct

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
    COUNTER = 4


_SEQUENCE = 1
"""All packets have one writer."""


class PerfettoFile:
    """A trace during writing."""

    def __init__(self, hz: int, origin: int) -> None:
        """Begin a trace with times in ticks of `hz`, which begins at `origin`."""
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

    def counter(self, group: int, name: str, unit: str) -> int:
        """Add a track of a number that changes, at the end of a group; return its number."""
        self._tracks += 1
        described = _number(1, self._tracks) + _text(2, name) + _number(5, group) + _number(12, self._tracks)
        self._describe(described + _bytes(8, _text(6, unit)))
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

    def count(self, track: int, moment: int, value: float) -> None:
        """Add the number that a counter has from a moment on."""
        field = _varint(44 << 3 | _FIXED_64) + struct.pack("<d", value)
        self._event(track, moment, _Type.COUNTER, "", field)

    def _event(self, track: int, moment: int, kind: _Type, name: str, arrow: bytes) -> None:
        event = _number(9, kind) + _number(11, track) + (_text(23, name) if name else b"") + arrow
        ns = (moment - self._origin) * 1_000_000_000 // self._hz
        self._events.append((moment, _bytes(1, _number(8, ns) + _number(10, _SEQUENCE) + _bytes(11, event))))

    def content(self) -> bytes:
        """Return the file: events in the order of time, simultaneous ones in the order in which they were added."""
        return b"".join([*self._head, *(packet for _, packet in sorted(self._events, key=lambda one: one[0]))])
