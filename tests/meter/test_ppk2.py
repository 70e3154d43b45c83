"""A Power Profiler Kit: what its bytes mean, what it is told, and what it may do wrong (tests/fakes/ppk2.py)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intercore.errors import UsageError
from intercore.meter.drivers.ppk2 import Ppk2, _calibration
from intercore.meter.meter import MeterError
from intercore.meter.ppk2_samples import Calibration, trace_of
from intercore.meter.registry import opened
from tests.fakes.ppk2 import HZ, METADATA, Kit, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from intercore.record.meter_recording import Trace

CALIBRATION = _calibration(METADATA)


def steady(moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """40 mA, and 12 mA in each second tenth of a second, while D0 is low."""
    high = (moments * 10).astype(int) % 2 == 0
    return np.where(high, 0.040, 0.012), high


@pytest.fixture
def kit() -> Iterator[Callable[..., Kit]]:
    made: list[Kit] = []

    def make(fault: str = "") -> Kit:
        made.append(Kit(steady, fault))
        return made[-1]

    yield make
    for one in made:
        one.close()


def read(data: bytes, *, every: int = 1, took: float | None = None) -> Trace:
    seconds = len(data) / 4 / HZ if took is None else took
    return trace_of(data, CALIBRATION, 3.3, 0, every, seconds, "kit")


# The bytes


@settings(max_examples=15)
@given(st.lists(st.floats(1e-6, 0.9), min_size=2, max_size=200), st.integers(0, 1000))
def test_a_current_within_a_range_is_what_the_bytes_say_to_a_step_of_the_converter(
    amps: list[float], first: int
) -> None:
    sent = np.repeat(amps, 8)  # longer than what a change of range spoils
    found = read(words(sent, sent > 0, first).tobytes())
    step = np.array([4 * 1.8 / 163840 / r for r in CALIBRATION.r])[np.searchsorted((50e-6, 5e-4, 5e-3, 8e-2), sent)]
    true = np.ones(len(sent), bool)
    changed = np.flatnonzero(np.diff(np.searchsorted((50e-6, 5e-4, 5e-3, 8e-2), sent))) + 1
    for place in changed:
        true[place : place + 3] = False
    assert found.amps is not None
    assert np.all(np.abs(found.amps - sent)[true] <= 0.51 * 1.0123 * step[true])
    assert found.mark is not None
    assert found.mark.all()


def test_what_follows_a_change_of_range_is_a_running_mean_and_not_the_spike() -> None:
    amps = np.concatenate((np.full(500, 3e-3), [0.5, 0.5], np.full(500, 3e-3)))
    found = read(words(amps, amps > 0).tobytes())
    assert found.amps is not None
    assert found.amps[500:505].max() < 0.1


def test_means_of_ten_hold_the_charge_of_all() -> None:
    amps, mark = steady(np.arange(HZ // 2) / HZ)
    data = words(amps, mark).tobytes()
    fine, coarse = read(data), read(data, every=10)
    assert fine.amps is not None
    assert coarse.amps is not None
    assert len(coarse.amps) == len(fine.amps) // 10
    assert coarse.amps.sum() * 10 == pytest.approx(fine.amps.sum())
    assert coarse.interval_s == pytest.approx(10 / HZ)


@pytest.mark.parametrize("lost", [1, 2, 3])
def test_bytes_that_were_lost_in_front_shift_nothing(lost: int) -> None:
    amps = np.full(1000, 0.02)
    found = read(words(amps, amps > 0).tobytes()[lost:], took=0.01)
    assert found.amps is not None
    assert found.amps == pytest.approx(0.02, abs=5e-5)


def test_samples_that_were_lost_leave_a_gap_in_time_and_not_a_shift() -> None:
    amps = np.full(10_000, 0.02)
    sent = words(amps, amps > 0)
    found = read(np.delete(sent, slice(5000, 5030)).tobytes(), took=0.1)
    assert found.seconds[-1] == pytest.approx((10_000 - 0.5) / HZ)
    assert np.diff(found.seconds).max() == pytest.approx(31 / HZ)


@pytest.mark.parametrize(
    ("data", "took", "said"),
    [
        (b"", 1.0, "sent no samples"),
        (np.random.default_rng(3).bytes(40_000), 0.1, "samples"),
        (words(np.full(1000, 0.02), np.ones(1000)).tobytes(), 5.0, "some samples were lost"),
        (np.repeat(words(np.full(9000, 0.02), np.ones(9000)), [2] + [1] * 8999).tobytes(), 0.09, "sample, or lost"),
    ],
    ids=["nothing", "garbage", "too few", "twice"],
)
def test_what_cannot_be_is_refused(data: bytes, took: float, said: str) -> None:
    with pytest.raises(MeterError, match=said):
        read(data, took=took)


def test_calibration_takes_what_a_kit_says_and_else_its_default() -> None:
    assert CALIBRATION.gi == (1.0123,) * 5
    assert _calibration("R2: 0\nO1: -nan\nHW: 1\nEND") == Calibration.default()


# At its port


def recorded(meter: Ppk2) -> Trace:
    meter.begin()
    time.sleep(0.3)
    seen = meter.end(())
    assert seen.trace is not None
    return seen.trace


def test_a_kit_is_told_what_it_is_to_do_and_sees_current_and_mark(kit: Callable[..., Kit]) -> None:
    device = kit()
    meter = opened(f"ppk2:{device.port}?volts=3.3&mode=source")
    try:
        assert isinstance(meter, Ppk2)
        found = recorded(meter)
    finally:
        meter.close()
    assert found.amps is not None
    assert found.mark is not None
    assert found.amps[found.mark].mean() == pytest.approx(0.040, rel=0.01)
    assert found.amps[~found.mark].mean() == pytest.approx(0.012, rel=0.05)
    assert found.volts == pytest.approx(3.3)
    told = [command for command in device.commands if command[0] not in (0x07, 0x19)]
    assert told == [(0x11, 2), (0x0D, 3300 >> 8, 3300 & 255), (0x0C, 1), (0x06,)]


def test_a_kit_records_again_after_it_has_recorded(kit: Callable[..., Kit]) -> None:
    meter = opened(f"ppk2:{kit().port}?volts=3.3&mark=none")
    try:
        assert isinstance(meter, Ppk2)
        first, second = recorded(meter), recorded(meter)
    finally:
        meter.close()
    assert first.mark is None
    assert second.seconds[0] == first.seconds[0]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("stall", "stalled"),
        ("garbage", "samples"),
        ("loses", "lost"),
    ],
)
def test_a_kit_that_does_wrong_is_told_of(kit: Callable[..., Kit], fault: str, said: str) -> None:
    meter = opened(f"ppk2:{kit(fault).port}?volts=3.3")
    meter.begin()
    time.sleep(1.4 if fault == "stall" else 0.2)
    with pytest.raises(MeterError, match=said):
        meter.end(())
    meter.close()


def test_a_port_that_floods_is_told_of_and_does_not_fill_the_memory(kit: Callable[..., Kit]) -> None:
    meter = opened(f"ppk2:{kit('floods').port}?volts=3.3")
    assert isinstance(meter, Ppk2)
    meter.begin()
    assert meter._thread is not None
    meter._thread.join(60)  # it ends by itself
    with pytest.raises(MeterError, match="more than 100,000 samples a second"):
        meter.end(())
    meter.close()
    with pytest.raises(MeterError, match="does not send its calibration"):
        opened(f"ppk2:{kit('floods at once').port}?volts=3.3")


def test_a_kit_that_is_unplugged_is_told_of(kit: Callable[..., Kit]) -> None:
    device = kit()
    meter = opened(f"ppk2:{device.port}?volts=3.3")
    meter.begin()
    device.unplug()
    time.sleep(0.2)
    with pytest.raises(MeterError, match=r"^the connection to PPK2 .* was lost .*check its cable"):
        meter.end(())
    meter.close()


def test_what_is_no_kit_is_told_of(kit: Callable[..., Kit]) -> None:
    with pytest.raises(MeterError, match="does not send its calibration"):
        opened(f"ppk2:{kit('other device').port}?volts=3.3")
    with pytest.raises(MeterError, match="cannot open"):
        opened("ppk2:/dev/null/none?volts=3.3")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ppk2:?volts=3.3", "the serial port is missing"),
        ("ppk2:/dev/x", "volts is missing"),
        ("ppk2:/dev/x?volts=12", "out of range"),
        ("ppk2:/dev/x?volts=3.3&mark=D9", "did you mean 'D0'|there is no input"),
        ("ppk2:/dev/x?volts=3.3&mode=sink", "mode"),
    ],
)
def test_an_address_that_cannot_be_is_refused(url: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        opened(url)
