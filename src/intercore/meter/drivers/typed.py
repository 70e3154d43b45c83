"""A meter that the user reads: a USB meter with a display, a multimeter without an interface (`typed:`).

One reading for each window, in mA: given as a list, `typed:50,50,50,10`, or typed at a prompt.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from intercore.errors import UsageError
from intercore.meter.meter import Driver, Meter, MeterData, MeterError
from intercore.record.meter_recording import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from intercore.meter.address import Address
    from intercore.record.meter_recording import Window

_STEP_MA = 10.0
"""The last digit of the cheapest USB meters."""
_VOLTS = 5.0
_MOST_MA = 100_000.0


class TypedMeter(Meter):
    """Asks for a reading of each window, after the measurement."""

    def __init__(self, address: Address, ask: Callable[[str], str] | None = None) -> None:
        """Take readings from the address, if it has any; else `ask` prompts for each."""
        self._given = [_milliamps(word, address.text) for word in address.place.split(",")] if address.place else []
        self._step = address.number("step", _STEP_MA, high=_MOST_MA) / 1e3
        self._volts = address.number("volts", _VOLTS, high=1000)
        self._ask = _at_terminal if ask is None else ask
        self.asks = not self._given
        self.description = f"read by eye, in steps of {self._step * 1e3:g} mA at {self._volts:g} V"

    def begin(self) -> None:
        """See Meter."""

    def end(self, windows: Sequence[Window]) -> MeterData:
        """See Meter."""
        milliamps = self._given or [
            self._ask_reading(number, len(windows), one) for number, one in enumerate(windows, 1)
        ]
        if len(milliamps) != len(windows):
            raise MeterError(
                f"{len(milliamps)} readings were given, but the run has {len(windows)} measured windows: give one "
                "reading for each window"
            )
        return MeterData(readings=tuple(Reading(one / 1e3, self._step, self._volts) for one in milliamps))

    def close(self) -> None:
        """See Meter."""

    def _ask_reading(self, number: int, of: int, window: Window) -> float:
        while True:
            text = self._ask(f"current in mA during window {number} of {of} ({window.label}): ").strip()
            try:
                return _milliamps(text, "the reading")
            except UsageError as error:
                sys.stderr.write(f"{error}\n")


def _at_terminal(question: str) -> str:
    if not sys.stdin.isatty():
        raise MeterError(
            "standard input is not a terminal, so you cannot type the readings: give one reading in mA for each window "
            "with the meter, such as --meter typed:50,10,40"
        )
    sys.stderr.write(question)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise MeterError("the input ended before a reading was typed for each measured window")
    return line


def _milliamps(text: str, where: str) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = math.nan
    if not 0 <= value <= _MOST_MA:
        raise UsageError(f"{where}: {text!a} is not a current in mA: give a number from 0 to {_MOST_MA:g}")
    return value


def find() -> Iterator[tuple[str, str]]:
    """Find none: the meter is not connected."""
    yield from ()


DRIVER = Driver(
    "typed",
    "a meter that you read: one value in mA for each window, given as a list or typed at a prompt",
    "typed:[MA,MA,…][?step=10&volts=5]",
    ("step", "volts"),
    TypedMeter,
    find,
)
