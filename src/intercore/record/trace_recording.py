"""What the firmware's recorder kept of each core (firmware/core/trace.h): the events, as they came from a target."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping


class Kind(enum.IntEnum):
    """Kind of an event; docs/protocol.md has the numbers, objects and details."""

    CREATED = 1
    DELETED = 2
    IN = 3
    OUT = 4
    READY = 5
    DELAYED = 6
    SUSPENDED = 7
    RESUMED = 8
    INHERITED = 9
    GIVEN = 10
    TAKEN = 11
    AWAITED = 12
    INTERRUPT_IN = 13
    INTERRUPT_OUT = 14
    RUNG = 15
    TICK = 16
    READ = 17
    COUNTED = 18
    REPETITION = 19
    SAMPLE = 20
    MARK = 21
    SENT = 22
    RECEIVED = 23
    DUE = 24


class Class(enum.IntEnum):
    """What is given, taken and awaited: the detail of these events."""

    NOTIFICATION = 0
    SEMAPHORE = 1
    MUTEX = 2
    QUEUE = 3
    STREAM = 4
    EVENTS = 5
    SPINLOCK = 6


class Cause(enum.IntEnum):
    """What an interrupt is: the detail of its events."""

    OTHER = 0
    TICK = 1
    """The kernel's tick."""
    TIMER = 2
    """A timer that the benchmark has set."""
    CORE = 3
    """Another core's."""


class Event(msgspec.Struct, frozen=True):
    """One event of a core."""

    time: int
    """Reading of the common clock, in its ticks."""
    kind: Kind
    detail: int
    object: int


class Ring(msgspec.Struct, frozen=True):
    """What was kept of a core's events."""

    core: int
    recorded: int
    """Events that there ever were; the last of them were kept, so those that are missing are the first."""
    events: tuple[Event, ...]
    """In the order in which they happened: no time is below the one before."""
    costs: tuple[int, ...]
    """Ticks from one event to the next where nothing else is done, measured on this core; at least one."""
    scheduler_cost: int = 0
    """Ticks that one of Linux' scheduler's records costs, measured on this core: a wake-up, or a switch from one task
    to another; 0 if there are none among the events, or it is not known."""

    @property
    def missing(self) -> int:
        """How many events were lost to an overflow, all of them before the first that is here."""
        return self.recorded - len(self.events)


class Recording(msgspec.Struct, frozen=True):
    """What was kept of a measurement."""

    hz: int
    """Ticks of the common clock per second."""
    rings: tuple[Ring, ...]
    """One for each core, by its number."""
    names: Mapping[int, str]
    """By the numbers that tasks and marks have of them."""

    def task(self, number: int) -> str:
        """Return how a task is called: its name and, since several may share one, its number: `switch 82`.

        A number has that of the name in its upper 8 bits.
        """
        name = self.names.get(number >> 24, "task")
        return f"{name} {number & 0xFFFFFF}"

    def mark(self, number: int) -> str:
        """Return the name that a program gave a moment."""
        return self.names.get(number, "mark")
