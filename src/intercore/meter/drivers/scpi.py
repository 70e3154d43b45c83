"""Bench multimeters and supplies that speak SCPI, over network, USB or a serial line (`scpi:RESOURCE`).

Uses PyVISA. `MEASure:CURRent?` is the query of SCPI-1999 (volume 2, chapter 3) for multimeters and supplies; the
options `setup` and `read` select others, such as faster queries of a manufacturer.
"""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intercore.errors import UsageError
from intercore.files.bounds import SCPI_ANSWER
from intercore.meter.meter import Driver, MeterError
from intercore.meter.polled import PolledMeter, Value
from intercore.meter.sysfs import first_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from intercore.meter.address import Address

_READ = "MEAS:CURR?"
_HZ = 20.0
_TIMEOUT_MS = 2000
_BACKEND = "@py"
_INSTRUMENTS = Path("/sys/class/usbmisc")
_MISSING = "needs the library PyVISA. To install PyVISA: pip install 'intercore[scpi]'"


def open_scpi(address: Address) -> PolledMeter:
    """Open the instrument: a VISA resource such as `TCPIP0::192.168.1.7::5025::SOCKET` or `USB0::…::INSTR`."""
    if importlib.util.find_spec("pyvisa") is None:
        raise MeterError(f"{address.text} {_MISSING}")
    if not address.place:
        raise UsageError(
            f"{address.text}: the instrument is missing: name its VISA address after the colon, e.g. "
            "scpi:TCPIP0::192.168.1.7::5025::SOCKET"
        )
    stated = None if address.options.get("volts") == "measured" else address.number("volts", high=1000)
    import pyvisa  # noqa: PLC0415 - an extra, and half a second to load

    try:
        manager = pyvisa.ResourceManager(address.options.get("backend", _BACKEND))
        instrument: Any = manager.open_resource(address.place, timeout=_TIMEOUT_MS)
        instrument.read_termination = instrument.write_termination = "\n"
    except (pyvisa.errors.Error, OSError, ValueError) as error:
        raise MeterError(f"cannot open {address.place}: {_in_words(error)}") from None
    ask = _asker(instrument, address.place, pyvisa.errors.Error)
    name = ask("*IDN?").strip() or address.place
    for command in filter(None, address.options.get("setup", "").split(";")):
        instrument.write(command)
    reading = address.options.get("read", _READ)

    def read() -> Value:
        volts = _number(ask("MEAS:VOLT?"), address.place) if stated is None else stated
        return Value(amps=_number(ask(reading), address.place), volts=volts)

    def close() -> None:
        instrument.close()
        manager.close()

    return PolledMeter(name, read, 1 / address.number("hz", _HZ, high=1000), close)


def _asker(instrument: Any, place: str, error_of_library: type[Exception]) -> Callable[[str], str]:  # noqa: ANN401
    def ask(question: str) -> str:
        try:
            instrument.write(question)
            answer: bytes = instrument.read_bytes(SCPI_ANSWER.most, break_on_termchar=True)  # `query` has no size limit
            if len(answer) == SCPI_ANSWER.most:
                raise MeterError(
                    f"{place} answers {question} with more than {SCPI_ANSWER}: check that the device is an SCPI "
                    "instrument"
                )
            return answer.decode("ascii").removesuffix("\n")
        except (error_of_library, OSError, UnicodeError) as error:
            raise MeterError(f"{place} did not answer {question}: {_in_words(error)}") from None

    return ask


def _number(text: str, place: str) -> float:
    """Return the first number of an answer, which may be followed by a unit or further readings.

    Not-a-number is 9.91E+37 in SCPI, and an overload 9.9E+37 (SCPI-1999, volume 1, 7.2.1.4 and .5): both are refused as
    out of range.
    """
    try:
        value, *_ = (float(part.strip().rstrip("AVadc ")) for part in text.strip().split(","))
    except ValueError:
        raise MeterError(
            f"{place} answers {text.strip()[:60]!a}, which is not a number: check that the device is an SCPI instrument"
        ) from None
    if math.isnan(value):
        raise MeterError(f"{place} answers that it has no reading: check the instrument's range and trigger")
    return value


def _in_words(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def find() -> Iterator[tuple[str, str]]:
    """Find the USB instruments of Linux (class USBTMC). The network is not searched."""
    for instrument in sorted(_INSTRUMENTS.glob("usbtmc*")):
        device = (instrument / "device").resolve().parent
        maker, product, number = (first_line(device / name) for name in ("idVendor", "idProduct", "serial"))
        if maker and product:
            yield f"scpi:USB0::0x{maker}::0x{product}::{number}::INSTR", first_line(device / "product")


DRIVER = Driver(
    "scpi",
    "a bench multimeter or supply, via PyVISA: pip install 'intercore[scpi]'",
    "scpi:RESOURCE?volts=3.3[&hz=20&setup=COMMAND;…&read=QUERY&backend=@py]",
    ("volts", "hz", "setup", "read", "backend"),
    open_scpi,
    find,
)
