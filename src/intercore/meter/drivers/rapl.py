"""The processor of the host, by its energy counters (`rapl:`).

Files and units are those of the kernel's Documentation/power/powercap/powercap.rst: each zone has `name`, `energy_uj`,
which counts µJ and wraps to 0 beyond `max_energy_range_uj`. AMD's processors have the same tree.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from intercore.errors import UsageError, unknown
from intercore.meter.meter import Driver, MeterError
from intercore.meter.polled import PolledMeter, Value
from intercore.meter.sysfs import first_line, number_in, root_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from intercore.meter.address import Address

ROOT = Path("/sys/class/powercap")
_ZONE = "package-0"
_HZ = 200.0
"""Values per second: the counter is updated some 1000 times a second, at irregular intervals."""


class _Counter:
    """Power from the difference of two readings of a zone's counter, with wrap-around."""

    def __init__(self, folder: Path) -> None:
        self._energy = folder / "energy_uj"
        self._range = number_in(folder / "max_energy_range_uj")
        self._last: tuple[float, float] | None = None

    def read(self) -> Value:
        """Return the mean power since the last reading, or for the first reading, over a short time."""
        if self._last is None:
            self._last = time.monotonic(), number_in(self._energy)
            time.sleep(1 / _HZ)
        (before, then), energy, now = self._last, number_in(self._energy), time.monotonic()
        used = energy - then
        if used < 0:
            used += self._range
        if not 0 <= used <= self._range / 2:
            raise MeterError(
                f"the energy counter {self._energy} fell from {then:.0f} to {energy:.0f}, which is no overflow of the "
                "counter: measure again"
            )
        self._last = now, energy
        return Value(watts=used / 1e6 / max(now - before, 1e-6), moment=(before + now) / 2, width=now - before)


def open_rapl(address: Address) -> PolledMeter:
    """Open the zone of that name: `package-0` if none is named, `core`, `dram`, `psys`."""
    root = root_of(address, ROOT)
    zones = {first_line(folder / "name") or folder.name: folder for folder in _zones(root)}
    if not zones:
        raise MeterError(
            f"this machine has no energy counters under {root}. Virtual machines have no such counters. On other "
            "machines, load the kernel module: sudo modprobe intel_rapl_msr"
        )
    wanted = address.place or (_ZONE if _ZONE in zones else next(iter(zones)))
    if wanted not in zones:
        raise UsageError(f"{address.text}: {unknown('zone', wanted, zones)}")
    number_in(zones[wanted] / "energy_uj")  # usually only root may
    counter = _Counter(zones[wanted])
    return PolledMeter(f"RAPL {wanted}", counter.read, 1 / address.number("hz", _HZ, high=1000), lambda: None)


def _zones(root: Path) -> Iterator[Path]:
    for folder in sorted(root.glob("*:*")):
        if (folder / "energy_uj").exists():
            yield folder


def find() -> Iterator[tuple[str, str]]:
    """Find the zones."""
    for folder in _zones(ROOT):
        name = first_line(folder / "name")
        yield f"rapl:{name}", "energy counter of this machine's processor"


DRIVER = Driver(
    "rapl",
    "this machine's processor, via its energy counters",
    "rapl:[ZONE][?hz=200]",
    ("hz", "root"),
    open_rapl,
    find,
)
