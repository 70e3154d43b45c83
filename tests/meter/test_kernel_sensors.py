"""Sensors that the kernel shows as files: what is read of them, and what they may do wrong."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from intercore.errors import UsageError
from intercore.meter.drivers.rapl import open_rapl
from intercore.meter.meter import Meter, MeterError
from intercore.meter.registry import checked, opened
from tests.meter.kernel_files import hwmon, iio, powercap

if TYPE_CHECKING:
    from pathlib import Path

    from intercore.record.meter_recording import Trace


def recorded(meter: Meter, seconds: float = 0.1) -> Trace:
    meter.begin()
    time.sleep(seconds)
    seen = meter.end(())
    meter.close()
    assert seen.trace is not None
    return seen.trace


@pytest.mark.parametrize("name", ["ina219", "hwmon1"])
def test_a_hwmon_sensor_is_read_in_milliamps_and_millivolts(tmp_path: Path, name: str) -> None:
    meter = opened(f"hwmon:{name}?root={hwmon(tmp_path)}&hz=200")
    assert meter.description == "ina219 (hwmon1)"
    found = recorded(meter)
    assert found.amps == pytest.approx(0.047)
    assert found.volts == pytest.approx(5.012)
    assert found.power == pytest.approx(0.047 * 5.012)
    assert found.mark is None


def test_a_voltage_that_is_stated_takes_the_place_of_the_sensors_own(tmp_path: Path) -> None:
    found = recorded(opened(f"hwmon:ina219?root={hwmon(tmp_path)}&volts=3.3&hz=200"))
    assert found.volts == pytest.approx(3.3)


def test_an_iio_device_is_read_by_its_scale(tmp_path: Path) -> None:
    found = recorded(opened(f"iio:ina226?root={iio(tmp_path)}"))
    assert found.amps == pytest.approx(0.047), "188 × 0.25 mA"
    assert found.volts == pytest.approx(3.3), "2640 × 1.25 mV, of the bus and not of the shunt"


def test_rapl_is_power_by_the_difference_of_two_readings_also_through_a_wrap(tmp_path: Path) -> None:
    root = powercap(tmp_path, 262_143_328_850 - 200_000)
    counter = root / "intel-rapl:0/energy_uj"
    stop = threading.Event()
    began, begin = time.monotonic(), 262_143_328_850 - 200_000

    def work() -> None:  # 2.5 W; a reader never sees half of a number
        while not stop.wait(0.002):
            energy = int(begin + 2.5e6 * (time.monotonic() - began)) % 262_143_328_850
            (root / "next").write_text(f"{energy}\n")
            (root / "next").rename(counter)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        found = recorded(opened(f"rapl:?root={root}&hz=50"), 0.6)
    finally:
        stop.set()
        thread.join()
    assert found.amps is None
    assert found.watts is not None
    assert found.watts.min() >= 0, "it has wrapped, and nothing is negative"  # 0: the writer got no processor
    lengths = found.seconds[-1] - found.seconds[0]
    joules = float((found.watts[1:] * (found.seconds[1:] - found.seconds[:-1])).sum())
    assert joules / lengths == pytest.approx(2.5, rel=0.25)


def test_a_counter_that_goes_back_without_a_wrap_is_told_of(tmp_path: Path) -> None:
    root = powercap(tmp_path)
    meter = opened(f"rapl:package-0?root={root}&hz=100")
    meter.begin()
    (root / "intel-rapl:0/energy_uj").write_text("150000000000\n")
    time.sleep(0.1)
    with pytest.raises(MeterError, match="not a wrap-around"):
        meter.end(())


@pytest.mark.parametrize(
    ("content", "said"), [("", "number"), ("n/a", "number"), ("999999999", "not overloaded"), (None, "is gone")]
)
def test_a_sensor_that_delivers_what_cannot_be_is_told_of(tmp_path: Path, content: str | None, said: str) -> None:
    current = hwmon(tmp_path) / "hwmon1/curr1_input"
    meter = opened(f"hwmon:ina219?root={tmp_path}&hz=200")
    meter.begin()
    if content is None:
        current.unlink()
    else:
        current.write_text(content)
    time.sleep(0.1)
    with pytest.raises(MeterError, match=said):
        meter.end(())


def test_what_is_not_there_is_told_with_what_is(tmp_path: Path) -> None:
    hwmon(tmp_path)
    with pytest.raises(UsageError, match="did you mean 'ina219'"):
        opened(f"hwmon:ina291?root={tmp_path}")
    with pytest.raises(UsageError, match="there is no channel 2"):
        opened(f"hwmon:ina219?root={tmp_path}&channel=2")
    for scheme in ("hwmon", "iio", "rapl"):
        with pytest.raises(MeterError, match=r"no sensor|no device|no energy counters"):
            opened(f"{scheme}:x?root={tmp_path / 'nowhere'}")
    with pytest.raises(UsageError, match="zone"):
        opened(f"rapl:dram?root={powercap(tmp_path / 'powercap')}")


def test_this_machines_own_counters_are_read_or_a_sentence_says_why_not() -> None:
    _, address = checked("rapl:")
    try:
        meter = open_rapl(address)
    except MeterError as found:
        why = str(found)
    else:
        assert recorded(meter, 0.3).power.mean() > 0
        return
    assert any(word in why for word in ("modprobe", "chmod"))
