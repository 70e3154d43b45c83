"""The interface of meters and their drivers."""

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
    """A meter fails: it stalls, is gone, or reports impossible values."""


class MeterData(msgspec.Struct, frozen=True, eq=False):
    """The data of a meter from `begin` to `end`: samples, or a reading for each window."""

    trace: Trace | None = None
    readings: tuple[Reading, ...] = ()


class Meter(ABC):
    """An open meter. Every method except `close` raises MeterError if the meter fails."""

    description: str
    """Description for messages and conditions: `PPK2 at /dev/ttyACM1`."""
    afterwards: bool = False
    """Whether its data is available only after the whole run, as in an exported file."""

    asks: bool = False
    """Whether it prompts the user at the terminal."""

    @abstractmethod
    def begin(self) -> None:
        """Start recording, within tenths of a second."""

    @abstractmethod
    def end(self, windows: Sequence[Window]) -> MeterData:
        """Stop, and return the data since `begin`; `windows` are the windows to be seen, in the order of time."""

    @abstractmethod
    def close(self) -> None:
        """Close the meter. May be called twice."""


class Driver(NamedTuple):
    """A kind of meter."""

    scheme: str
    """The kind in its addresses, as `ppk2` in `ppk2:/dev/ttyACM1`."""
    summary: str
    """One-line description."""
    form: str
    """The form of its addresses, with all options."""
    options: tuple[str, ...]
    """Names of the options of an address."""
    open: Callable[[Address], Meter]
    """Opens a meter. Raises UsageError for an invalid address, MeterError if the meter is absent."""
    find: Callable[[], Iterator[tuple[str, str]]]
    """Finds connected meters: the address and description of each."""
