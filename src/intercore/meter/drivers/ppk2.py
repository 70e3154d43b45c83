"""Nordic's Power Profiler Kit II, at its USB serial port (`ppk2:PORT`): 100,000 samples a second, with eight inputs.

The protocol is that of Nordic's own program (pc-nrfconnect-ppk, src/device and src/constants): commands of one byte and
their arguments; on GetMetadata a text with the calibration of each of five ranges, closed by END; then, between
AverageStart and AverageStop, four bytes a sample, little-endian: bits 0 to 13 the converter's value, 14 to 16 the
range, 18 to 23 a counter, 24 to 31 the inputs D0 to D7. The library on PyPI ignores the counter, so
it does not detect lost samples, and its licence is GPL 2; therefore this driver uses pyserial and arrays.
"""

from __future__ import annotations

import re
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import serial
from serial.tools import list_ports

from intercore.errors import UsageError, unknown
from intercore.files.bounds import CALIBRATION
from intercore.meter.meter import Driver, Meter, MeterData, MeterError
from intercore.meter.ppk2_samples import Calibration, trace_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercore.meter.address import Address
    from intercore.record.meter_recording import Window

HZ = 100_000
AVERAGE_START, AVERAGE_STOP, RUNNING, REGULATOR, POWER_MODE, METADATA = 0x06, 0x07, 0x0C, 0x0D, 0x11, 0x19
AMPERE, SOURCE = 1, 2
LEAST_MV, MOST_MV = 800, 5000
_KEPT_HZ = 10_000
"""Default number of stored samples per second: means of ten, which preserve the charge."""
_SAMPLE_BYTES = 4
_METADATA_S = 3.0
_STALL_S = 1.0
_READ_S = 0.05
_CALIBRATED = re.compile(r"^(R|GS|GI|O|S|I|UG)([0-4]): *(\S+)\s*$", re.MULTILINE | re.IGNORECASE)


class Ppk2(Meter):
    """An open kit. As a source (`mode=source`) it supplies the board from then on, also after it is closed."""

    def __init__(self, address: Address) -> None:
        """Open it, read its calibration, and power up the board if it is the source."""
        if not address.place:
            raise UsageError(
                f"{address.text}: the serial port is missing: name it after the colon, e.g. ppk2:/dev/ttyACM1. The "
                "command intercore meters lists the ports"
            )
        mode = address.options.get("mode", "ampere")
        if mode not in ("ampere", "source"):
            raise UsageError(f"{address.text}: {unknown('mode', mode, ('ampere', 'source'))}")
        self._mark = _input(address)
        self._volts = address.number("volts", low=LEAST_MV / 1e3 - 1e-9, high=MOST_MV / 1e3)
        self._every = max(round(HZ / address.number("hz", _KEPT_HZ, high=HZ)), 1)
        self.description = f"PPK2 at {address.place}, {mode}, {self._volts:g} V"
        try:
            self._port: Any = serial.serial_for_url(address.place, timeout=_READ_S, write_timeout=1.0)
        except (serial.SerialException, ValueError, OSError) as error:
            raise MeterError(f"cannot open {address.place}: {error}") from None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._data = bytearray()
        self._failure: MeterError | None = None
        try:
            self._calibration = self._read_calibration()
            millivolts = round(self._volts * 1e3)
            self._command(POWER_MODE, SOURCE if mode == "source" else AMPERE)
            self._command(REGULATOR, millivolts >> 8, millivolts & 0xFF)
            self._command(RUNNING, 1)
        except BaseException:
            self.close()
            raise

    def begin(self) -> None:
        """See Meter."""
        self._stop.clear()
        self._data, self._failure = bytearray(), None
        self._command(AVERAGE_START)
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._collect, name=self.description, daemon=True)
        self._thread.start()

    def end(self, windows: Sequence[Window]) -> MeterData:  # noqa: ARG002 - it has seen them or not
        """See Meter."""
        took = time.monotonic() - self._began
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        if self._failure is not None:
            raise self._failure
        self._command(AVERAGE_STOP)
        self._rest()
        return MeterData(
            trace_of(bytes(self._data), self._calibration, self._volts, self._mark, self._every, took, self.description)
        )

    def close(self) -> None:
        """See Meter."""
        self._stop.set()
        self._port.close()

    def _collect(self) -> None:
        last = time.monotonic()
        while not self._stop.is_set():
            try:
                data = self._port.read(self._port.in_waiting or 4)
            except (serial.SerialException, OSError, TypeError) as error:
                self._failure = MeterError(f"the connection to {self.description} was lost ({error}): check its cable")
                return
            now = time.monotonic()
            if data:
                self._data += data
                last = now
                if len(self._data) > _SAMPLE_BYTES * HZ * (2 * (now - self._began) + _STALL_S):
                    self._failure = MeterError(
                        f"{self.description} sends more than {HZ:,} samples a second: check that it is a Power "
                        "Profiler Kit II"
                    )
                    return
            elif now - last > _STALL_S:
                self._failure = MeterError(
                    f"{self.description} stalled: it sent no sample for {now - last:.1f} s; check its connection"
                )
                return

    def _rest(self) -> None:
        """Read pending data, so that it does not become part of the next recording."""
        deadline = time.monotonic() + _STALL_S
        while time.monotonic() < deadline:
            try:
                if not self._port.read(1 << 16):
                    return
            except (serial.SerialException, OSError, TypeError):
                return

    def _command(self, *values: int) -> None:
        try:
            self._port.write(bytes(values))
        except (serial.SerialException, OSError) as error:
            raise MeterError(f"the connection to {self.description} was lost ({error}): check its cable") from None

    def _read_calibration(self) -> Calibration:
        self._command(AVERAGE_STOP)
        self._rest()
        self._command(METADATA)
        text, deadline = "", time.monotonic() + _METADATA_S
        while "END" not in text:
            if time.monotonic() > deadline or len(text) > CALIBRATION.most:
                raise MeterError(
                    f"{self.description} does not send its calibration: check that this is the first of the kit's two "
                    "ports, and that no other program uses the port"
                )
            try:
                text += self._port.read(self._port.in_waiting or 1).decode("ascii", "replace")
            except (serial.SerialException, OSError, TypeError) as error:
                raise MeterError(f"the connection to {self.description} was lost ({error}): check its cable") from None
        return _calibration(text)


def _calibration(text: str) -> Calibration:
    """Parse the calibration in the kit's text; missing values, and NaN, have their defaults."""
    known = Calibration.default()
    found = {name: list(values) for name, values in known._asdict().items()}
    for name, which, value in _CALIBRATED.findall(text):
        try:
            number = float(value)
        except ValueError:
            continue
        if np.isfinite(number) and not (name.upper() == "R" and number == 0):
            found[name.lower()][int(which)] = number
    return Calibration(**{name: tuple(values) for name, values in found.items()})


def _input(address: Address) -> int | None:
    """Return the number of the mark pin's input; None if it is not connected."""
    text = address.options.get("mark", "D0")
    if text == "none":
        return None
    inputs = [f"D{number}" for number in range(8)]
    if text.upper() not in inputs:
        raise UsageError(f"{address.text}: {unknown('input', text, [*inputs, 'none'])}")
    return inputs.index(text.upper())


def find() -> Iterator[tuple[str, str]]:
    """Find the kits at USB: each has two ports, and uses the first."""
    seen = set()
    for port in sorted(list_ports.comports(), key=lambda port: port.device):
        if port.product == "PPK2" and port.serial_number not in seen:
            seen.add(port.serial_number)
            yield f"ppk2:{port.device}", f"Power Profiler Kit II {port.serial_number}"


DRIVER = Driver(
    "ppk2",
    "Nordic's Power Profiler Kit II on its serial port, with the mark pin on one of its inputs",
    "ppk2:PORT?volts=3.3[&mode=ampere|source&mark=D0|none&hz=10000]",
    ("volts", "mode", "mark", "hz"),
    Ppk2,
    find,
)
