"""Decodes the answer to `trace`: the events of each core, validated."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from intercore.link.port import ProtocolError
from intercore.link.protocol import End, Events, Name, Numbered, RingHead
from intercore.record.trace_recording import Event, Kind, Recording, Ring

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_FIELDS = 3
"""Numbers per event: its time, its kind and detail, its object."""


def read_recording(lines: Iterable[Numbered]) -> Recording:
    """Return the recording in an answer. Raises ProtocolError if it is inconsistent."""
    heads: dict[int, RingHead] = {}
    names: dict[int, str] = {}
    values: defaultdict[int, list[int]] = defaultdict(list)
    for line in lines:
        if isinstance(line, Events) and line.core in heads:
            head, taken = heads[line.core], len(values[line.core]) // _FIELDS
            if line.index != head.recorded - head.kept + taken or len(line.values) % _FIELDS:
                raise _broken(f"events from {line.index} of core {line.core} after {taken} others")
            values[line.core].extend(line.values)
        elif isinstance(line, RingHead) and line.core == len(heads):
            heads[line.core] = line
        elif isinstance(line, Name) and line.number not in names:
            names[line.number] = line.text
        elif not isinstance(line, End):
            raise _broken(f"line {line.i} of the answer to `trace` is out of place")
    if not heads or len({head.hz for head in heads.values()}) > 1:
        raise _broken("the answer to `trace` does not have one clock for all cores")
    return Recording(heads[0].hz, tuple(_ring(head, values[core]) for core, head in heads.items()), names)


def _ring(head: RingHead, values: Sequence[int]) -> Ring:
    if head.kept > head.recorded or len(values) != head.kept * _FIELDS:
        raise _broken(
            f"{head.kept} of {head.recorded} events of core {head.core} were announced, but {len(values) // _FIELDS} "
            "arrived"
        )
    try:
        events = tuple(
            Event(time, Kind(what & 0xFF), what >> 8, number)
            for time, what, number in zip(values[::3], values[1::3], values[2::3], strict=True)
        )
    except ValueError:
        raise _broken(f"core {head.core} has an event of an unknown kind") from None
    if any(after.time < before.time for before, after in pairwise(events)):
        raise _broken(f"core {head.core} has events out of order")
    return Ring(head.core, head.recorded, events, head.costs, head.scheduler_cost)


def _broken(what: str) -> ProtocolError:
    return ProtocolError(
        f"the target violates the Intercore protocol: {what}. Rebuild the target's firmware with this version of the "
        "tool"
    )
