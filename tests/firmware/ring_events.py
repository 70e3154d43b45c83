"""The events of the recorder's rings, read from the firmware's own code as a library."""

from __future__ import annotations

import ctypes
from typing import NamedTuple


class RingEvent(ctypes.Structure):
    """`struct ic_trace_event`."""

    _fields_ = (("time", ctypes.c_uint64), ("what", ctypes.c_uint32), ("object", ctypes.c_uint32))


class Seen(NamedTuple):
    """An event, apart."""

    time: int
    kind: int
    detail: int
    object: int


def kept(recorder: ctypes.CDLL, core: int) -> list[Seen]:
    """Return the events that are there of a core; `ic_trace_event` returns a pointer to RingEvent."""
    numbers = range(recorder.ic_trace_first(core), recorder.ic_trace_count(core))
    events = [recorder.ic_trace_event(core, number).contents for number in numbers]
    return [Seen(one.time, one.what & 0xFF, one.what >> 8, one.object) for one in events]
