"""Current sensors that Linux supports as hardware monitors: INA2xx and relatives (`hwmon:NAME`).

Files and units are those of the kernel's Documentation/hwmon/sysfs-interface.rst: `currN_input` in mA, `inN_input` in
mV, `powerN_input` in µW, `update_interval` in ms.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from intercore.errors import UsageError, unknown
from intercore.meter.meter import Driver, MeterError
from intercore.meter.polled import PolledMeter, Value
from intercore.meter.sysfs import first_line, number_in, root_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from intercore.meter.address import Address

ROOT = Path("/sys/class/hwmon")
_INTERVAL_S = 0.01
"""Default if the driver has no conversion interval. An INA219 as configured by Linux takes some milliseconds."""
_LEAST_INTERVAL_S = 0.001


def open_hwmon(address: Address) -> PolledMeter:
    """Open the sensor with that name, or in that folder: `ina219`, `hwmon3`."""
    root = root_of(address, ROOT)
    folders = {folder.name: folder for folder in _sensors(root)}
    named = [folder for folder in folders.values() if address.place in (folder.name, first_line(folder / "name"))]
    if not named:
        if not folders:
            raise MeterError(
                f"{address.text}: no sensor under {root} measures current: check that the sensor's driver is loaded"
            )
        names = [first_line(folder / "name") for folder in folders.values()]
        raise UsageError(f"{address.text}: {unknown('current sensor', address.place, sorted({*names, *folders}))}")
    if len(named) > 1:
        several = ", ".join(folder.name for folder in named)
        raise UsageError(f"{address.text}: several sensors have this name: choose one of {several}")
    folder = named[0]
    channel = address.options.get("channel", "1")
    current = folder / f"curr{channel}_input"
    if not current.exists():
        raise UsageError(
            f"{address.text}: there is no channel {channel}, because {folder} has no {current.name}: choose another "
            "channel"
        )
    read = _reader(address, folder, channel)
    interval = _interval(address, folder)
    return PolledMeter(f"{first_line(folder / 'name')} ({folder.name})", read, interval, lambda: None)


def _sensors(root: Path) -> Iterator[Path]:
    for folder in sorted(root.glob("hwmon*")):
        if any(folder.glob("curr*_input")):
            yield folder


def _reader(address: Address, folder: Path, channel: str) -> Callable[[], Value]:
    """Return a function that reads a channel. A voltage from the user replaces that of the sensor.

    The bus voltage of an INA2xx is `in1`, and `in0` the drop at its shunt; an INA3221 has its bus voltages in `in1` to
    `in3`, by channel (ina2xx.rst, ina3221.rst).
    """
    stated = address.number("volts", math.nan, high=100) if "volts" in address.options else None
    voltage = folder / f"in{channel}_input"
    if stated is None and not voltage.exists():
        raise UsageError(
            f"{address.text}: this sensor does not measure voltage: state the voltage in the address, e.g. "
            "hwmon:NAME?volts=5"
        )

    def read() -> Value:
        volts = number_in(voltage) / 1e3 if stated is None else stated
        return Value(amps=number_in(folder / f"curr{channel}_input") / 1e3, volts=volts)

    return read


def _interval(address: Address, folder: Path) -> float:
    """Return the seconds between values: the user's, or the sensor's conversion interval."""
    if "hz" in address.options:
        return 1 / address.number("hz", high=1000)
    given = first_line(folder / "update_interval")
    return max(float(given) / 1e3, _LEAST_INTERVAL_S) if given.isdecimal() and int(given) else _INTERVAL_S


def find() -> Iterator[tuple[str, str]]:
    """Find the current sensors."""
    for folder in _sensors(ROOT):
        yield f"hwmon:{folder.name}", first_line(folder / "name")


DRIVER = Driver(
    "hwmon",
    "a current sensor under /sys/class/hwmon of Linux: INA219, INA226, INA3221",
    "hwmon:NAME[?channel=1&hz=100&volts=5]",
    ("channel", "hz", "volts", "root"),
    open_hwmon,
    find,
)
