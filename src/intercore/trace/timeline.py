"""A timeline of one repetition: what each core ran, which task woke which, and the parts of the measured time.

Positions are numbers of a drawing `WIDTH` wide, from its left; the page does the drawing.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import msgspec

from intercore.record.trace_recording import Kind
from intercore.trace.path import Part
from intercore.trace.perfetto import event_name, interrupt_name
from intercore.view.axes import Axis, Tick
from intercore.view.quantity import duration

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from intercore.trace.history import Core, History
    from intercore.trace.path import Segment
    from intercore.trace.window import Window

WIDTH = 1000.0
_MARGIN = 0.08
"""Margin before and after the measured time, as a fraction of it."""
_TICKS = 8
"""Approximate number of labels of the time axis."""
_LETTER = 7.5
"""Width of a letter; a block has a text if it is wide enough."""


class Block(msgspec.Struct, frozen=True):
    """A block from one position to another."""

    left: float
    width: float
    text: str
    """Text inside of it; empty if there is no room."""
    title: str
    """Description and duration, shown on hover."""
    look: str
    """`part`, `task`, `idle` or `interrupt`."""


class Lane(msgspec.Struct, frozen=True):
    """A lane of consecutive blocks."""

    name: str
    blocks: tuple[Block, ...]
    marks: tuple[Block, ...] = ()
    """Events without a duration."""


class Arrow(msgspec.Struct, frozen=True):
    """An arrow from where a task was made ready to where it came in, by lanes."""

    first: float
    first_lane: int
    last: float
    last_lane: int


class Timeline(msgspec.Struct, frozen=True):
    """The timeline of one sample."""

    caption: str
    lanes: tuple[Lane, ...]
    arrows: tuple[Arrow, ...]
    begin: float
    """Begin of the measured time."""
    end: float
    """End of the measured time."""
    ticks: tuple[Tick, ...]
    """Labels of the time axis, which counts from the begin of the measured time; positions from 0 to 1."""


def typical(windows: Sequence[Window], ways: Sequence[Sequence[Segment]]) -> tuple[Window, Sequence[Segment]] | None:
    """Return the sample of median length with its parts, of those with all parts known."""
    known = [
        (window, way)
        for window, way in zip(windows, ways, strict=True)
        if all(segment.part is not Part.UNKNOWN for segment in way)
    ]
    known.sort(key=lambda one: one[0].end - one[0].begin)
    return known[len(known) // 2] if known else None


def timeline(history: History, window: Window, way: Sequence[Segment]) -> Timeline:
    """Return the timeline of a sample: a lane for its parts, and two for each core."""
    return _Drawing(history, window).timeline(way)


class _Drawing:
    def __init__(self, history: History, window: Window) -> None:
        self._history = history
        self._window = window
        margin = max(round((window.end - window.begin) * _MARGIN), 1)
        self._since, self._until = window.begin - margin, window.end + margin

    def timeline(self, way: Sequence[Segment]) -> Timeline:
        lanes = [Lane("measured", tuple(self._parts(way)))]
        for core in self._history.cores:
            slices = [one for one in core.slices() if one.end > self._since and one.begin < self._until]
            tasks = (self._task(one.begin, one.end, one.task) for one in slices if one.task)
            handlers = (
                self._block(one.begin, one.end, interrupt_name(one.cause, one.interrupt), "interrupt")
                for one in slices
                if not one.task
            )
            lanes.append(Lane(f"core {core.number}", tuple(tasks), tuple(self._marks(core))))
            lanes.append(Lane("its interrupts", tuple(handlers)))
        window = self._window
        took = duration((window.end - window.begin) * self._us)
        caption = f"Sample {window.number} of {window.series}: {took} between its timestamps, with the recorder on."
        begin, end = self._place(window.begin), self._place(window.end)
        return Timeline(caption, tuple(lanes), tuple(self._arrows()), begin, end, self._ticks())

    def _ticks(self) -> tuple[Tick, ...]:
        """Return the labelled positions of the time axis, including the begin of the measured time."""
        since, until = ((moment - self._window.begin) * self._us / 1e6 for moment in (self._since, self._until))
        return tuple(Axis(low=since, high=until, unit="s", steps=_TICKS).ticks())

    def _parts(self, way: Sequence[Segment]) -> Iterator[Block]:
        for part, same in groupby(way, key=lambda one: one.part):
            first, *others = same
            yield self._block(first.begin, others[-1].end if others else first.end, part.value, "part")

    @property
    def _us(self) -> float:
        return 1e6 / self._history.recording.hz

    def _place(self, moment: int) -> float:
        inside = min(max(moment, self._since), self._until)
        return (inside - self._since) / (self._until - self._since) * WIDTH

    def _block(self, begin: int, end: int, name: str, look: str) -> Block:
        left, right = self._place(begin), self._place(end)
        text = name if right - left > _LETTER * len(name) else ""
        return Block(left, right - left, text, f"{name}: {duration((end - begin) * self._us)}", look)

    def _task(self, begin: int, end: int, task: int) -> Block:
        name = self._history.recording.task(task)
        return self._block(begin, end, name, "idle" if name.startswith("IDLE") else "task")

    def _marks(self, core: Core) -> Iterator[Block]:
        for event in core.events[core.at(self._since) : core.at(self._until)]:
            if event.kind not in (Kind.IN, Kind.OUT, Kind.INTERRUPT_IN, Kind.INTERRUPT_OUT):
                yield Block(self._place(event.time), 0.0, "", event_name(self._history, event), "mark")

    def _arrows(self) -> Iterable[Arrow]:
        for core in self._history.cores:
            for event in core.events[core.at(self._since) : core.at(self._until)]:
                if event.kind is not Kind.IN:
                    continue
                ready = self._history.made_ready(
                    event.object, event.time, self._history.went_out(event.object, event.time)
                )
                if ready is not None and self._history.event(ready).time >= self._since:
                    moment = self._history.event(ready).time
                    yield Arrow(self._place(moment), 1 + 2 * ready.core, self._place(event.time), 1 + 2 * core.number)
