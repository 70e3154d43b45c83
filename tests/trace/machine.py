"""A machine of two cores that records what it does, and whose every moment is known: what traces are tested against."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from intercore.record.measurement import Series
from intercore.record.trace_recording import Cause, Class, Event, Kind, Recording, Ring
from intercore.trace.path import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

HZ = 1_000_000
COST = 3
IDLE, LEADER, WOKEN = (1 << 24 | 101, 1 << 24 | 102), 2 << 24 | 103, 3 << 24 | 104


class Truth(NamedTuple):
    """A wake-up as the machine made it: its parts, each with its length, in the order of time."""

    begin: int
    parts: tuple[tuple[Part, int], ...]


class Machine:
    """Core 0 has a leader, which wakes a task; that is on either core. Both cores have an idle task."""

    def __init__(self) -> None:
        self.events: tuple[list[Event], list[Event]] = ([], [])
        self.truth: list[Truth] = []
        self.now = 1000
        self._number = itertools.count(1)
        self.put(0, Kind.IN, LEADER)
        self.put(1, Kind.IN, IDLE[1])

    def put(self, core: int, kind: Kind, number: int, detail: int = 0) -> int:
        self.events[core].append(Event(self.now, kind, detail, number))
        return self.now

    def pass_time(self, ticks: int) -> None:
        self.now += ticks

    def tick(self, length: int) -> None:
        """Core 0 has an interrupt that has nothing to do with anything."""
        self.put(0, Kind.INTERRUPT_IN, 15, Cause.TICK)
        self.pass_time(length)
        self.put(0, Kind.INTERRUPT_OUT, 15, Cause.TICK)

    def wake(self, steps: Sequence[int], *, across: bool, disturbed: bool) -> None:
        """Wake the task; `steps` are how long each step takes, at least 8 of them."""
        waits = iter(steps)
        self.put(0, Kind.REPETITION, next(self._number))
        self.pass_time(1)
        begin = self.put(0, Kind.READ, 0)
        parts: list[tuple[Part, int]] = []

        def took(part: Part) -> None:
            length = next(waits)
            self.pass_time(length)
            if parts and parts[-1][0] is part:
                parts[-1] = (part, parts[-1][1] + length)
            else:
                parts.append((part, length))

        took(Part.SIGNAL)
        if disturbed:
            before = self.now
            self.tick(next(waits))
            parts.append((Part.INTERRUPT, self.now - before))
            took(Part.SIGNAL)
        self.put(0, Kind.GIVEN, WOKEN, Class.NOTIFICATION)
        took(Part.KERNEL)
        self.put(0, Kind.READY, WOKEN)
        took(Part.KERNEL)
        core = int(across)
        if across:
            self.put(0, Kind.RUNG, 1)
            took(Part.RING)
            self.put(1, Kind.INTERRUPT_IN, 32, Cause.CORE)
            took(Part.SWITCH)
            self.put(1, Kind.INTERRUPT_OUT, 32, Cause.CORE)
        left = IDLE[1] if across else LEADER
        if across:
            took(Part.SWITCH)
        self.put(core, Kind.OUT, left, 1)
        took(Part.SWITCH)
        self.put(core, Kind.IN, WOKEN)
        took(Part.RETURN)
        self.put(core, Kind.READ, 0)
        self.truth.append(Truth(begin, tuple(part for part in parts if part[1])))
        self.pass_time(1)
        self.put(core, Kind.OUT, WOKEN)
        self.pass_time(1)
        self.put(core, Kind.IN, left)
        self.pass_time(1)
        self.put(0, Kind.SAMPLE, sum(length for _, length in parts))
        self.pass_time(2)

    @property
    def series(self) -> list[Series]:
        """What the measurement answers."""
        ticks = np.array([sum(length for _, length in one.parts) for one in self.truth], np.int64)
        return [Series("wake", "common", HZ, ticks)]

    def recording(self, kept: Sequence[int] = (10**9, 10**9)) -> Recording:
        """Return what rings of these sizes keep: the last events of each core."""
        rings = tuple(
            Ring(core, len(events), tuple(events[-size:] if size else ()), (COST,) * 4)
            for core, (events, size) in enumerate(zip(self.events, kept, strict=True))
        )
        return Recording(HZ, rings, {1: "IDLE", 2: "leader", 3: "woken"})
