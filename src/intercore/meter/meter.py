"""A meter: what every driver is, whatever it reads current from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from intercore.errors import IntercoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from intercore.meter.address import Address
    from intercore.record.meter_recording import Reading, Trace, Window


class MeterError(IntercoreError):
    """A meter does not deliver what it should: it stalls, is gone, or says what cannot be."""


class MeterData(msgspec.Struct, frozen=True, eq=False):
    """What a meter saw from `begin` to `end`: samples, or a reading for each window."""

    trace: Trace | None = None
    readings: tuple[Reading, ...] = ()


class Meter(ABC):
    """A meter that is open. Any method but `close` raises MeterError when the meter does not do what it should."""

    description: str
    """What it is, for messages and conditions: `PPK2 at /dev/ttyACM1`."""
    afterwards: bool = False
    """Whether what it saw is known only when all is measured, for the whole run at once: a file that is exported."""

    asks: bool = False
    """Whether it asks somebody at the terminal."""

    @abstractmethod
    def begin(self) -> None:
        """Begin to record, within tenths of a second."""

    @abstractmethod
    def end(self, windows: Sequence[Window]) -> MeterData:
        """Stop, and return what was seen since `begin`; `windows` are what was to be seen, in the order of time."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the meter. May be called twice."""


class Driver(NamedTuple):
    """A kind of meter."""

    scheme: str
    """What its addresses begin with, as `ppk2` in `ppk2:/dev/ttyACM1`."""
    summary: str
    """What it is, in a line."""
    form: str
    """What its addresses look like, with all that may be said in one."""
    options: tuple[str, ...]
    """The options that an address may have."""
    open: Callable[[Address], Meter]
    """Opens one. Raises UsageError for an address that says what cannot be, MeterError if the meter is not there."""
    find: Callable[[], Iterator[tuple[str, str]]]
    """Finds those that are connected: the address of each, and what it is."""
