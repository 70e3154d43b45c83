"""Trees of files as the kernel shows them, in a folder: hwmon, iio and powercap.

Written from its documents: Documentation/hwmon/ina2xx.rst and ina3221.rst, Documentation/ABI/testing/sysfs-bus-iio,
Documentation/power/powercap/powercap.rst.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def tree(root: Path, files: Mapping[str, object]) -> Path:
    """Write files, each with its value and the end of a line, as the kernel's read."""
    for name, value in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{value}\n")
    return root


def hwmon(root: Path) -> Path:
    """An INA219 beside a sensor of temperature: currents in mA, voltages in mV, in0 the drop at the shunt."""
    return tree(
        root,
        {
            "hwmon0/name": "cpu_thermal",
            "hwmon0/temp1_input": 48312,
            "hwmon1/name": "ina219",
            "hwmon1/curr1_input": 47,
            "hwmon1/in0_input": 5,
            "hwmon1/in1_input": 5012,
            "hwmon1/power1_input": 235000,
            "hwmon1/shunt_resistor": 100000,
            "hwmon1/update_interval": 2,
        },
    )


def iio(root: Path) -> Path:
    """An INA226 by ina2xx-adc: (raw + offset) × scale is in mA and mV; voltage1 is that of the bus."""
    return tree(
        root,
        {
            "iio:device0/name": "bme280",
            "iio:device0/in_temp_input": 21500,
            "iio:device1/name": "ina226",
            "iio:device1/in_voltage0_raw": 376,
            "iio:device1/in_voltage0_scale": 0.0025,
            "iio:device1/in_voltage1_raw": 2640,
            "iio:device1/in_voltage1_scale": 1.25,
            "iio:device1/in_current3_raw": 188,
            "iio:device1/in_current3_scale": 0.25,
            "iio:device1/in_power2_raw": 300,
            "iio:device1/in_sampling_frequency": 455,
        },
    )


def powercap(root: Path, energy_uj: int = 262_000_000) -> Path:
    """A package with its cores in a zone of their own, as intel-rapl shows them: µJ, and where they begin anew."""
    return tree(
        root,
        {
            "intel-rapl/enabled": 1,
            "intel-rapl:0/name": "package-0",
            "intel-rapl:0/energy_uj": energy_uj,
            "intel-rapl:0/max_energy_range_uj": 262_143_328_850,
            "intel-rapl:0:0/name": "core",
            "intel-rapl:0:0/energy_uj": 1_000_000,
            "intel-rapl:0:0/max_energy_range_uj": 262_143_328_850,
        },
    )
