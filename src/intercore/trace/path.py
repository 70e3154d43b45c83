"""Decomposes a measured time into parts, by tracing its causes back from its end to its beginning.

A task runs because its core switched to it; that was because it was made ready, by another task or in an interrupt, or
because the previous task left; an inter-core interrupt came because a task on the other core sent it. So each moment of
the time belongs to one part, and the parts add up to the whole, to the tick.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import msgspec

from intercore.record.trace_recording import Cause, Event, Kind
from intercore.trace.history import EventPosition, RecordCount

if TYPE_CHECKING:
    from collections.abc import Callable

    from intercore.trace.history import Core, History
    from intercore.trace.window import Window


class Part(enum.StrEnum):
    """The category of a part of a measured time."""

    OWN = "the task itself"
    """It ran from one timestamp to the other."""
    SIGNAL = "signal"
    """The signalling task enters the kernel, up to where the kernel handles its request."""
    KERNEL = "kernel"
    """The kernel makes the woken task ready, and chooses its core."""
    RING = "inter-core interrupt"
    """From its sending on one core to the beginning of its handler on the other core."""
    SWITCH = "switch"
    """The core switches to the woken task."""
    RETURN = "return"
    """The woken task runs again: from the end of the switch to its timestamp."""
    TICK = "wait for a tick"
    """Nothing happened for the task until the kernel's tick made it ready."""
    TIMER = "wait for a timer"
    INTERRUPT = "interrupt"
    """The core is servicing an interrupt while the wake-up is pending."""
    WAKE = "wake-up"
    """The system makes the task ready, interrupts another core and switches there; these steps are not recorded."""
    MESSAGE = "message"
    """It is written, transferred, and read by a polling task."""
    OTHER = "another task"
    """The task was ready, while its core ran another one."""
    UNKNOWN = "not recorded"
    """Earlier events are not in the recorder's rings."""


_OWN_CODE = frozenset({Kind.READ, Kind.COUNTED, Kind.REPETITION, Kind.SAMPLE, Kind.MARK})
"""Parts in which a task runs outside of the kernel."""


_NOTHING, _ONE = RecordCount(0, 0), RecordCount(1, 0)


class Segment(msgspec.Struct, frozen=True):
    """A part of a measured time, in ticks of the common clock."""

    part: Part
    core: int
    begin: int
    end: int
    made: RecordCount
    """The number of records of its core in this time, each with an overhead."""
    task: int | None
    """The running task; None in an interrupt, or if unknown."""


def path_of(history: History, window: Window) -> list[Segment]:
    """Return the parts of a measured time in order; they cover the window without gaps."""
    way = _PathSearch(history, window)
    way.trace_back()
    return way.segments[::-1]


class _PathSearch:
    """Traces one window back."""

    def __init__(self, history: History, window: Window) -> None:
        self._history = history
        self._window = window
        self._until = window.end
        self.segments: list[Segment] = []
        """The segments so far, the last first."""

    def trace_back(self) -> None:
        place: EventPosition | None = self._window.last
        part = Part.RETURN
        while place is not None and self._until > self._window.begin:
            if place.index < self._history.cores[place.core].known_since:
                break
            enclosing = self._history.cores[place.core].enclosing[place.index]
            if enclosing is not None:
                place, part = self._through_interrupt(EventPosition(place.core, enclosing), part)
            else:
                place, part = self._through_task(place, part)
        self._prepend(Part.UNKNOWN, self._window.last.core, self._window.begin)

    def _prepend(
        self, part: Part, core: int, begin: int, task: int | None = None, *, made: RecordCount | None = None
    ) -> None:
        """Prepend the interval from `begin` to the head of the path, clipped to the window."""
        begin = max(begin, self._window.begin)
        if begin >= self._until:
            return
        if made is None:
            known = self._history.cores[core]
            made = known.records_between(known.at(begin), known.at(self._until))
        self.segments.append(Segment(part, core, begin, self._until, made, task))
        self._until = begin

    def _through_interrupt(self, begun: EventPosition, part: Part) -> tuple[EventPosition | None, Part]:
        """Trace back from within an interrupt to its cause."""
        event = self._history.event(begun)
        self._prepend(Part.KERNEL if part is Part.SIGNAL else Part.INTERRUPT, begun.core, event.time)
        if event.detail == Cause.CORE:
            rung = self._rung(begun)
            if rung is not None:
                self._prepend(Part.RING, rung.core, self._history.event(rung).time, made=_ONE)
            return rung, Part.SIGNAL
        waited = {Cause.TICK: Part.TICK, Cause.TIMER: Part.TIMER}.get(Cause(event.detail))
        if waited is not None:
            self._prepend(waited, begun.core, self._window.begin, made=_NOTHING)
        return None, part

    def _rung(self, begun: EventPosition) -> EventPosition | None:
        """Return where an inter-core interrupt was last sent before it arrived."""
        before = self._history.event(begun).time
        places = [
            EventPosition(core.number, index)
            for core in self._history.cores
            if core.number != begun.core and (index := core.last(core.at(before), _rings(begun.core))) is not None
        ]
        return max(places, key=lambda place: self._history.event(place).time, default=None)

    def _through_task(self, place: EventPosition, part: Part) -> tuple[EventPosition | None, Part]:
        """Trace back from within a task to the cause of its running, or to the begin of the window."""
        core = self._history.cores[place.core]
        come, task, first = core.task_in[place.index], core.task_at(place.index), self._window.first
        if first is not None and first.core == place.core and (come is None or first.index > come):
            # A task that yields to a ready task signals by that: the time is not a wait for another task.
            begun = {Part.RETURN: Part.OWN, Part.OTHER: Part.SIGNAL}.get(part, part)
            self._runs(place, begun, self._window.begin, task)
            return None, part
        if come is None or task is None:
            return None, part
        sent = self._received(place, come, part)
        if sent is not None:
            return sent, Part.SIGNAL
        self._runs(place, part, core.events[come].time, task)
        return self._to_task(core, come, task, part)

    def _received(self, place: EventPosition, come: int, part: Part) -> EventPosition | None:
        """Trace back to where a message was sent that the continuously running task has received."""
        core = self._history.cores[place.core]
        received = core.last(place.index, lambda event: event.kind is Kind.RECEIVED)
        if received is None or received < come or core.events[received].time <= self._window.begin:
            return None
        sent = self._history.messages.get(EventPosition(core.number, received))
        if sent is None or self._history.event(sent).time < max(core.events[come].time, self._window.begin):
            return None
        self._runs(place, part, core.events[received].time, core.task_at(received))
        self._prepend(Part.MESSAGE, core.number, self._history.event(sent).time, core.task_at(received))
        return sent

    def _to_task(self, core: Core, come: int, task: int, part: Part) -> tuple[EventPosition | None, Part]:
        """Trace back from where a task came in to the cause."""
        moment, seen_late = core.events[come].time, core.events[come].detail
        own = self._history.left(task, moment)
        went_out = -1 if own is None else self._history.event(own).time
        ready = self._history.made_ready(task, moment, went_out)
        waited = own is not None and not self._history.event(own).detail
        if seen_late or (ready is None and waited):
            if own is not None and not seen_late:
                self._slept(own, core.number, moment)
            return None, part
        left = core.last(come, lambda event: event.kind is Kind.OUT)
        free_since = -1 if left is None else core.events[left].time
        if ready is not None and self._history.event(ready).time > free_since and (left is not None or core.is_whole):
            self._wakes(core.number, ready)
            return ready, Part.SIGNAL
        return (None, part) if left is None else self._after(core, left, task, went_out, part)

    def _after(self, core: Core, left: int, task: int, went_out: int, part: Part) -> tuple[EventPosition | None, Part]:
        """Trace back from where a task came in after another one had left its core."""
        free_since = core.events[left].time
        moment = self._until
        self._prepend(Part.SWITCH, core.number, free_since)
        before = core.task_in[left]
        since = max(core.events[before].time if before is not None else -1, went_out)
        ready = self._history.made_ready(task, moment, since)
        whole_since = self._history.whole_since
        if ready is None and whole_since is not None and since < whole_since:
            return None, part  # its READY event may be missing
        if ready is None or self._ran_on(ready, core, left):
            return EventPosition(core.number, left), Part.OTHER  # it was ready, and waited until the previous task left
        self._to_core(ready, core.number, free_since)
        return ready, Part.SIGNAL

    def _wakes(self, core: int, ready: EventPosition) -> None:
        """Prepend the unrecorded time from where a task was made ready to the switch to it.

        The scheduler records that it was made ready before the system continues.
        """
        records = self._history.cores[ready.core].records_between(ready.index, ready.index + 1).records
        self._prepend(Part.WAKE, core, self._history.event(ready).time, made=RecordCount(0, records))

    def _slept(self, left: EventPosition, core: int, moment: int) -> None:
        """Prepend the wait of a task that had left a core until a given time."""
        due = self._history.due(left)
        if due is not None and due <= moment:
            self._prepend(Part.WAKE, core, due, made=_NOTHING)
            self._prepend(Part.TIMER, core, self._window.begin, made=_NOTHING)

    @staticmethod
    def _ran_on(ready: EventPosition, core: Core, left: int) -> bool:
        """Whether the previous task, on whose core another was made ready, ran on in its own code before it left."""
        since = core.events[ready.index + 1 : left] if ready.core == core.number else ()
        return any(event.kind in _OWN_CODE for event in since)

    def _runs(self, place: EventPosition, part: Part, begin: int, task: int | None) -> None:
        """Prepend that a task ran until an event, and the interrupts on its core in this time."""
        core = self._history.cores[place.core]
        index = place.index - 1
        if part is Part.SIGNAL and index >= 0 and core.events[index].kind is Kind.GIVEN:
            self._prepend(Part.KERNEL, core.number, max(begin, core.events[index].time), task)
        while index >= 0 and core.events[index].time >= begin and self._until > self._window.begin:
            begun = core.began.get(index)
            if begun is not None:
                self._prepend(part, core.number, core.events[index].time, task)
                self._prepend(Part.INTERRUPT, core.number, core.events[begun].time)
                index = begun
            index -= 1
        self._prepend(part, core.number, begin, task)

    def _to_core(self, ready: EventPosition, core: int, left: int) -> None:
        """Prepend how a task that was made ready came to its core."""
        since = self._history.event(ready).time
        if ready.core != core:
            sender, receiver = self._history.cores[ready.core], self._history.cores[core]
            sent = sender.first(ready.index, _rings(core))
            if sent is None or sender.events[sent].time > left:
                self._wakes(core, ready)
                return
            rung = sender.events[sent].time
            come = receiver.first(receiver.at(rung), _is_ring)
            if come is not None and receiver.events[come].time <= left:
                self._prepend(Part.SWITCH, core, receiver.events[come].time)
            self._prepend(Part.RING, ready.core, rung, made=_ONE)
        self._prepend(Part.KERNEL, ready.core, since, self._history.cores[ready.core].task_at(ready.index))


def _rings(core: int) -> Callable[[Event], bool]:
    return lambda event: event.kind is Kind.RUNG and event.object == core


def _is_ring(event: Event) -> bool:
    return event.kind is Kind.INTERRUPT_IN and event.detail == Cause.CORE
