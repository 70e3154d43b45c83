"""Meters that are polled for values: files of the kernel, instruments at a cable."""

from __future__ import annotations

import math
import threading
import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from intercore.errors import IntercoreError
from intercore.meter.meter import Meter, MeterData, MeterError
from intercore.record.meter_recording import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from intercore.record.meter_recording import Window

STALL_S = 2.0
"""Seconds without a value after which a meter counts as stalled, or ten of its intervals if that is more."""
MOST_AMPS = 1000.0
MOST_VOLTS = 1000.0
MOST_WATTS = 10_000.0
"""Limits above the currents, voltages and powers of all supported devices: values above them are invalid."""


class Value(NamedTuple):
    """A reading of a meter; NaN for unknown quantities."""

    amps: float = math.nan
    volts: float = math.nan
    watts: float = math.nan
    moment: float = math.nan
    """The middle of its time by `time.monotonic`, if the meter knows it better than the polling code."""
    width: float = math.nan
    """Duration of that time in s; values with a duration follow each other without gaps."""


class PolledMeter(Meter):
    """Polls values at a regular interval in a separate thread, with times of this machine's clock.

    The time of a value is the middle between the query and its answer.
    """

    def __init__(
        self, description: str, read: Callable[[], Value], interval_s: float, close: Callable[[], None]
    ) -> None:
        """Read by `read`, which raises MeterError, and close the meter by `close`."""
        self.description = description
        self._read = read
        self._interval = interval_s
        self._let_go = close
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._taken: list[tuple[float, Value]] = []
        self._failure: IntercoreError | None = None

    def begin(self) -> None:
        """See Meter."""
        self._stop.clear()
        self._taken, self._failure = [], None
        self._taken.append(self._timed_value())  # so that a silent meter is noticed before the measurement
        self._thread = threading.Thread(target=self._poll, name=f"meter {self.description}", daemon=True)
        self._thread.start()

    def end(self, windows: Sequence[Window]) -> MeterData:  # noqa: ARG002 - it has seen them or not
        """See Meter."""
        self._stop.set()
        longest_gap = max(STALL_S, 10 * self._interval)
        if self._thread is not None:
            self._thread.join(longest_gap)
            if self._thread.is_alive():
                raise MeterError(f"{self.description} no longer answers: check its connection")
        if self._failure is not None:
            raise self._failure
        return MeterData(trace_of(self._taken, self.description, longest_gap))

    def close(self) -> None:
        """See Meter."""
        self._stop.set()
        self._let_go()

    def _poll(self) -> None:
        due = time.monotonic()
        while not self._stop.is_set():
            due += self._interval
            if self._stop.wait(max(due - time.monotonic(), 0.0)):
                return
            due = max(due, time.monotonic())  # no burst after a delay
            try:
                self._taken.append(self._timed_value())
            except IntercoreError as error:
                self._failure = error
                return

    def _timed_value(self) -> tuple[float, Value]:
        asked = time.monotonic()
        value = checked(self._read(), self.description)
        return (asked + time.monotonic()) / 2 if math.isnan(value.moment) else value.moment, value


def checked(value: Value, description: str) -> Value:
    """Validate a value. Raises MeterError if it is invalid: noise, an overload, no value."""
    limits = (MOST_AMPS, MOST_VOLTS, MOST_WATTS)
    for number, most, unit in zip(value[:3], limits, ("A", "V", "W"), strict=True):
        if math.isinf(number) or abs(number) > most:
            raise MeterError(
                f"{description} reports {number:g} {unit}, which is impossible: check that the meter is not overloaded"
            )
    if math.isnan(value.watts) and math.isnan(value.amps):
        raise MeterError(f"{description} reports neither power nor current")
    return value


def trace_of(taken: Sequence[tuple[float, Value]], description: str, longest_gap: float) -> Trace:
    """Return values with their times as a trace. Raises MeterError if they are too few, or have a long gap."""
    if len(taken) < 2:
        raise MeterError(
            f"{description} delivered {len(taken)} value{'s' * (len(taken) != 1)} during the measurement, "
            "but at least two are needed"
        )
    seconds = np.array([moment for moment, _ in taken])
    if (longest := float(np.diff(seconds).max())) > longest_gap:
        raise MeterError(f"{description} delivered no value for {longest:.1f} s: check its connection")
    columns = np.array([value for _, value in taken]).T
    amps, volts, watts, _, widths = (None if np.isnan(column).any() else column for column in columns)
    return Trace(seconds, amps, volts, watts, widths=widths)
