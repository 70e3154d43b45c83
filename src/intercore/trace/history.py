"""The state of each core at each of its events: the running task, and the interrupt."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from intercore.record.trace_recording import Cause, Event, Kind, Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_LOW = (1 << 32) - 1
_NEVER = 1 << 63
"""Later than any timestamp."""


class EventPosition(msgspec.Struct, frozen=True, order=True):
    """The position of an event."""

    core: int
    index: int
    """Index among the kept events of its core."""


class Slice(msgspec.Struct, frozen=True):
    """A period in which a core ran one task or interrupt, in ticks of the common clock."""

    core: int
    begin: int
    end: int
    task: int
    """Its number; 0 in an interrupt."""
    cause: Cause = Cause.OTHER
    interrupt: int = 0
    """Number of the interrupt; 0 for a task."""
    runs_on: bool = False
    """Whether the task was still ready when its core switched to another one."""


class RecordCount(NamedTuple):
    """The number of records that a core made for some events."""

    events: int
    """Records of the recorder itself."""
    records: int
    """Records of the scheduler; each makes up to three events."""


def _record_count(events: Sequence[Event], index: int) -> RecordCount:
    """Return the records of an event if the scheduler reports switches and wake-ups.

    A switch is an OUT followed by an IN at the same time, or one of these; a wake-up is a READY, in an interrupt with
    its beginning and end at the same time. An IN that was seen late was inserted.
    """
    event = events[index]
    beside = [other.kind for other in events[max(index - 1, 0) : index + 2] if other.time == event.time]
    if event.kind is Kind.READY:
        return RecordCount(0, 1)
    if event.kind is Kind.IN:
        return RecordCount(0, 1 - event.detail)
    if event.kind is Kind.OUT:
        return RecordCount(0, 0 if Kind.IN in beside else 1)
    in_wake_up = event.kind in (Kind.INTERRUPT_IN, Kind.INTERRUPT_OUT) and Kind.READY in beside
    return RecordCount(0, 0) if in_wake_up else RecordCount(1, 0)


class Core:
    """The events of one core, and its state at each."""

    def __init__(
        self, number: int, events: Sequence[Event], *, is_whole: bool = True, knows_records: bool = False
    ) -> None:
        """Follow tasks and interrupts through the events.

        `knows_records`: whether switches and wake-ups are records of the scheduler, with known overhead.
        """
        self.number = number
        self.is_whole = is_whole
        """Whether no event is missing."""
        self.events = events
        self._times = [event.time for event in events]
        self.enclosing: list[int | None] = []
        """For each event, the index of the event that began the enclosing interrupt, if any."""
        self.task_in: list[int | None] = []
        """For each event, the index of the event by which the running task had come in, if known."""
        self.known_since = 0
        """Index of the first event that is known to be in an interrupt or not: the beginning of an earlier one may be
        missing."""
        self.began: dict[int, int] = {}
        """Index of the event that began an interrupt, by the index of the event that ended it."""
        made = [_record_count(events, index) if knows_records else RecordCount(1, 0) for index in range(len(events))]
        self._records = [
            RecordCount(0, 0),
            *accumulate(made, lambda one, after: RecordCount(*map(sum, zip(one, after, strict=True)))),
        ]
        inside: list[int] = []
        running: int | None = None
        for index, event in enumerate(events):
            if event.kind is Kind.INTERRUPT_OUT and inside:
                self.began[index] = inside.pop()
            elif event.kind is Kind.INTERRUPT_OUT:
                self.known_since = index
            self.enclosing.append(inside[-1] if inside else None)
            self.task_in.append(running)
            if event.kind is Kind.INTERRUPT_IN:
                inside.append(index)
            elif event.kind is Kind.IN:
                running = index

    def at(self, time: int) -> int:
        """Return the index of the first event at or after a time; the number of events if there is none."""
        return bisect_left(self._times, time)

    def records_between(self, since: int, end: int) -> RecordCount:
        """Return the number of records for the events from one index to before another."""
        return RecordCount(
            *(last - first for first, last in zip(self._records[since], self._records[end], strict=True))
        )

    def last(self, before: int, wanted: Callable[[Event], bool]) -> int | None:
        """Return the index of the last matching event before an index."""
        return next((index for index in range(before - 1, -1, -1) if wanted(self.events[index])), None)

    def first(self, since: int, wanted: Callable[[Event], bool]) -> int | None:
        """Return the index of the first matching event from an index on."""
        return next((index for index in range(since, len(self.events)) if wanted(self.events[index])), None)

    def task_at(self, index: int) -> int | None:
        """Return the running task at an event; in an interrupt, the interrupted task."""
        come = self.task_in[index]
        if come is not None:
            return self.events[come].object
        gone = self.first(index, lambda event: event.kind in (Kind.OUT, Kind.IN))
        return self.events[gone].object if gone is not None and self.events[gone].kind is Kind.OUT else None

    def slices(self) -> Iterator[Slice]:
        """Yield the periods of tasks and interrupts, each in the order of time.

        Periods that began before the first event begin with it, and unfinished ones end with the last.
        """
        if not self.events:
            return
        yield from self._tasks()
        yield from self._interrupts()

    def _tasks(self) -> Iterator[Slice]:
        begin, task = self._times[0], self.task_at(0)
        for index, event in enumerate(self.events):
            if event.kind is Kind.OUT and event.object == task:
                yield Slice(self.number, begin, event.time, task, runs_on=event.detail == 1)
                task = None
            elif event.kind is Kind.IN:
                if task is not None:  # its leaving was not recorded: its last event was the previous one
                    yield Slice(self.number, begin, self._times[index - 1], task, runs_on=True)
                begin, task = event.time, event.object
        if task is not None:
            yield Slice(self.number, begin, self._times[-1], task)

    def _interrupts(self) -> Iterator[Slice]:
        open_ones: list[Event] = []
        for event in self.events:
            if event.kind is Kind.INTERRUPT_IN:
                open_ones.append(event)
            elif event.kind is Kind.INTERRUPT_OUT and open_ones:
                begun = open_ones.pop()
                yield Slice(self.number, begun.time, event.time, 0, Cause(begun.detail), begun.object)


class History:
    """The events of all cores on one clock."""

    def __init__(self, recording: Recording) -> None:
        """Follow each core."""
        self.recording = recording
        self.cores = [
            Core(ring.core, ring.events, is_whole=not ring.missing, knows_records=ring.scheduler_cost > 0)
            for ring in recording.rings
        ]

    @property
    def whole_since(self) -> int | None:
        """The time from which on no event of any core is missing; None if none is missing at all.

        If no event of a core with lost events was kept, it is after all events.
        """
        starts = [ring.events[0].time if ring.events else _NEVER for ring in self.recording.rings if ring.missing]
        return max(starts, default=None)

    def event(self, place: EventPosition) -> Event:
        """Return an event."""
        return self.cores[place.core].events[place.index]

    def made_ready(self, task: int, before: int, after: int) -> EventPosition | None:
        """Return where a task was last made ready between the times `after` and `before`."""
        found: EventPosition | None = None
        for core in self.cores:
            index = core.last(core.at(before + 1), lambda event: event.kind is Kind.READY and event.object == task)
            if index is None or core.events[index].time < after:
                continue
            if found is None or core.events[index].time > self.event(found).time:
                found = EventPosition(core.number, index)
        return found

    def went_out(self, task: int, before: int) -> int:
        """Return the last time before `before` at which a task left a core; less than all times if there is none."""
        place = self.left(task, before)
        return -1 if place is None else self.event(place).time

    def left(self, task: int, before: int) -> EventPosition | None:
        """Return where a task last left a core before a time."""
        places = [
            EventPosition(core.number, index)
            for core in self.cores
            if (index := core.last(core.at(before), lambda event: event.kind is Kind.OUT and event.object == task))
            is not None
        ]
        return max(places, key=lambda place: self.event(place).time, default=None)

    def due(self, left: EventPosition) -> int | None:
        """Return the time until which the task that left a core there was to wait; None if unknown."""
        if left.index == 0:
            return None
        said = self.event(EventPosition(left.core, left.index - 1))
        return said.time + (said.object - said.time & _LOW) if said.kind is Kind.DUE else None

    @cached_property
    def messages(self) -> dict[EventPosition, EventPosition]:
        """Positions where each message was received, in order, with the positions where it was sent.

        Numbers may repeat: a message is the last one of its number that was sent before.
        """
        events = sorted(
            (event.time, event.kind, EventPosition(core.number, index))
            for core in self.cores
            for index, event in enumerate(core.events)
            if event.kind in (Kind.SENT, Kind.RECEIVED)
        )
        sent: dict[int, EventPosition] = {}
        found: dict[EventPosition, EventPosition] = {}
        for _, kind, place in events:
            if kind is Kind.SENT:
                sent[self.event(place).object] = place
            elif (begun := sent.pop(self.event(place).object, None)) is not None:
                found[place] = begun
        return found
