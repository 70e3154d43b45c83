"""Current sensors that Linux supports as industrial I/O devices (`iio:NAME`).

Files and units are those of the kernel's Documentation/ABI/testing/sysfs-bus-iio: `in_currentY_raw` in mA and
`in_voltageY_raw` in mV once scale and offset are applied, (raw + offset) × scale, of the channel or of all channels.
`in_currentY_input` is processed already.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

from intercore.errors import UsageError, unknown
from intercore.meter.meter import Driver, MeterError
from intercore.meter.polled import PolledMeter, Value
from intercore.meter.sysfs import first_line, number_in, root_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from intercore.meter.address import Address

ROOT = Path("/sys/bus/iio/devices")
_HZ = 200.0
"""Default number of values per second: each is a file that makes the kernel query the sensor."""


def open_iio(address: Address) -> PolledMeter:
    """Open the device with that name, or in that folder: `ina226`, `iio:device0`."""
    root = root_of(address, ROOT)
    folders = list(_devices(root))
    named = [folder for folder in folders if address.place in (folder.name, first_line(folder / "name"))]
    if not folders:
        raise MeterError(
            f"{address.text}: no device under {root} measures current: check that the device's driver is loaded"
        )
    if not named:
        names = sorted({first_line(folder / "name") or folder.name for folder in folders})
        raise UsageError(f"{address.text}: {unknown('current-measuring device', address.place, names)}")
    if len(named) > 1:
        several = ", ".join(folder.name for folder in named)
        raise UsageError(f"{address.text}: several devices have this name: choose one of {several}")
    folder = named[0]
    amps = _channel(address, folder, "current")
    stated = address.number("volts", math.nan, high=100) if "volts" in address.options else None
    volts = _channel(address, folder, "voltage") if stated is None else (lambda: stated * 1e3)

    def read() -> Value:
        return Value(amps=amps() / 1e3, volts=volts() / 1e3)

    name = first_line(folder / "name")
    return PolledMeter(f"{name} ({folder.name})", read, 1 / address.number("hz", _HZ, high=1000), lambda: None)


def _devices(root: Path) -> Iterator[Path]:
    for folder in sorted(root.glob("iio:device*")):
        if any(re.fullmatch(r"in_current\d*_(raw|input)", path.name) for path in folder.iterdir()):
            yield folder


def _channel(address: Address, folder: Path, quantity: str) -> Callable[[], float]:
    """Return a function that reads a channel in mA or mV: the one that the user names, or the last one.

    The INA2xx has two voltages: channel 0 is the drop at its shunt, channel 1 that of the bus
    (drivers/iio/adc/ina2xx-adc.c), so the last is the supply.
    """
    pattern = re.compile(rf"in_{quantity}(\d*)_(raw|input)")
    found = {match[1]: match[2] for path in folder.iterdir() if (match := pattern.fullmatch(path.name))}
    if not found:
        raise UsageError(
            f"{address.text}: this device does not measure {quantity}: state the {quantity} in the address, e.g. "
            "iio:NAME?volts=5"
        )
    chosen = address.options.get(quantity, max(found, key=lambda name: int(name or 0)))
    if chosen not in found:
        raise UsageError(f"{address.text}: {unknown(f'{quantity} channel', chosen, sorted(found))}")
    path = folder / f"in_{quantity}{chosen}_{found[chosen]}"
    if found[chosen] == "input":
        return lambda: number_in(path)
    scale, offset = (
        _attribute(folder, quantity, chosen, name, default) for name, default in (("scale", 1.0), ("offset", 0.0))
    )
    return lambda: (number_in(path) + offset) * scale


def _attribute(folder: Path, quantity: str, channel: str, name: str, default: float) -> float:
    """Return an attribute of a channel, or the one shared by all channels of a quantity."""
    for path in (folder / f"in_{quantity}{channel}_{name}", folder / f"in_{quantity}_{name}"):
        if path.exists():
            return number_in(path)
    return default


def find() -> Iterator[tuple[str, str]]:
    """Find the devices that measure a current."""
    for folder in _devices(ROOT):
        yield f"iio:{folder.name}", first_line(folder / "name")


DRIVER = Driver(
    "iio",
    "a current sensor under /sys/bus/iio of Linux: INA2xx, MAX34417, PAC1934",
    "iio:NAME[?current=3&voltage=1&hz=200&volts=5]",
    ("current", "voltage", "hz", "volts", "root"),
    open_iio,
    find,
)
